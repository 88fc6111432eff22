"""The tree of errors: what can go wrong, each with a stable code, a message and a hint.

WherefromError
├── InvalidInput            invalid_input       the caller sent something we refuse
│   └── InvalidNamespace    invalid_namespace   a path that is malformed or leaves its root
├── NotFound                not_found           no such row in the caller's root and boundary
│   └── Gone                gone                it was there, and was let go or has expired
├── BoundaryDenied          boundary_denied     the policy forbids it
├── Unauthorized            unauthorized        a service does not know the caller
├── Overloaded              overloaded          a service has more calls than it can do
├── TooLarge                too_large           a request is longer than a service takes
├── Forbidden               forbidden           the caller's role may not do it
├── Conflict                conflict            the change would collide with another row
├── Cancelled               cancelled           the caller has left; what was not committed was not written
│   └── TimedOut            timed_out           the call's time was up; likewise
├── EmbedderUnavailable     embedder_unavailable  vectors cannot be made now
│   └── TextRefused         text_refused        the embedder will not take one of the texts
└── StoreError              store_error         the database itself
    ├── StoreBusy           store_busy          other writers held the lock for too long
    ├── StoreUnavailable    store_unavailable   it cannot be opened or reached
    └── SchemaTooNew        schema_too_new      written by a newer program
"""

from __future__ import annotations

import re
from typing import ClassVar, Final

_PLAIN_ID: Final = re.compile(r"[\w.:-]{1,64}", re.ASCII)


class WherefromError(Exception):
    """Base of all errors that Wherefrom raises on purpose."""

    code: ClassVar[str] = "error"
    """The name of the error for programs; a subclass gives its own, or has that of its base."""

    def __init_subclass__(cls, code: str = "") -> None:
        cls.code = code or cls.code

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class InvalidInput(WherefromError, code="invalid_input"):
    """The input breaks a stated rule; nothing was written."""


class InvalidNamespace(InvalidInput, code="invalid_namespace"):
    """A namespace path is malformed or would leave the caller's root."""


class NotFound(WherefromError, code="not_found"):
    """The row does not exist, or not where the caller may see it."""


class Gone(NotFound, code="gone"):
    """It was there: a node that was let go with a receipt, a context or a plan that has expired."""


class BoundaryDenied(WherefromError, code="boundary_denied"):
    """The policy in force forbids it: a secret in a text, a class that is denied, an invariant that does not hold."""


class Forbidden(WherefromError, code="forbidden"):
    """The role of the caller may not do it, whatever the input; nothing was read or written."""


class Conflict(WherefromError, code="conflict"):
    """The change would collide with an existing row; nothing was written."""


class Cancelled(WherefromError, code="cancelled"):
    """The call was cancelled while it ran: what it had committed stays, of the rest nothing was written."""


class TimedOut(Cancelled, code="timed_out"):
    """The call took longer than it may: what it had committed stays, of the rest nothing was written."""


class Unauthorized(WherefromError, code="unauthorized"):
    """The service wants a key or a token, and did not get one that holds."""


class Overloaded(WherefromError, code="overloaded"):
    """The service has more calls than it can do, or this caller has made too many; nothing was done."""


class TooLarge(WherefromError, code="too_large"):
    """The request is longer than the service takes; nothing was done."""


class EmbedderUnavailable(WherefromError, code="embedder_unavailable"):
    """Vectors cannot be made: the embedder is missing, unreachable, or answers with something else."""


class TextRefused(EmbedderUnavailable, code="text_refused"):
    """The embedder works, and will not take one of the texts it was given."""


class StoreError(WherefromError, code="store_error"):
    """The database failed in a way that the caller's input did not cause."""


class StoreBusy(StoreError, code="store_busy"):
    """Other writers kept the database locked for longer than the busy timeout."""


class StoreUnavailable(StoreError, code="store_unavailable"):
    """The database cannot be opened or reached, or is not one of ours."""


class SchemaTooNew(StoreError, code="schema_too_new"):
    """The database was written by a newer version of this program."""


def shown(value: object, *, limit: int = 60) -> str:
    """Return untrusted input as short, printable text for a message."""
    try:
        text = repr(value)
        text.encode()
    except UnicodeEncodeError:
        text = ascii(value)
    except ValueError:  # a whole number of more digits than Python writes
        text = f"a huge {type(value).__name__}"
    return text if len(text) <= limit else text[: limit - 1] + "…"


def shown_id(given: str) -> str:
    """Return an id for a message: as it is, or as untrusted input if no id looks like that."""
    return given if _PLAIN_ID.fullmatch(given) else shown(given)
