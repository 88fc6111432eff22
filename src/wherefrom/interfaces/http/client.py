"""`Client`: a memory behind a service, with the verbs of `Memory`."""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import IO, Any, Final
from urllib.parse import urlencode

from wherefrom.api.memory import Verbs
from wherefrom.api.upkeep import readable
from wherefrom.engine.view import Engine, silent
from wherefrom.interfaces.http import codec
from wherefrom.interfaces.http.sending import JSON, LINES, Sender
from wherefrom.interfaces.verbs import COMMANDS
from wherefrom.model.errors import InvalidInput, StoreUnavailable
from wherefrom.storage.events import current_trace
from wherefrom.storage.port import Progress

_BLOCK_BYTES: Final = 64 * 1024
# Verbs that may be done twice, because nothing that anybody relies on is changed by them.
_REPEATABLE: Final = frozenset(
    (
        *("activate", "claim_evidence", "context", "get", "history", "info", "insight_plan", "list", "namespaces"),
        *("policy", "privacy", "query_graph", "query_view", "relations", "render_view", "review", "rules", "search"),
        *("status", "upkeep", "validate_boundary", "vector_search", "views", "walk"),
    )
)


class Client(Verbs):
    """A memory behind a service, seen as its key says. The verbs take, return and raise what those of `Memory` do.

    Many threads may share one; a process opens its own (also after a fork). What only reads is tried again for a few
    seconds if the service is busy or cannot be reached. What writes is tried again only if the service says that it was
    not begun, or could not be reached at all.
    """

    def __init__(self, url: str, key: str | None = None, *, timeout_s: float = 60.0) -> None:
        """`url` is the address of the service, `key` a key or token for it, if it wants one. `timeout_s` is how long to
        wait for an answer; that to an import or export may take eleven minutes.
        """
        self._sender = Sender(url, key, timeout_s=timeout_s)
        self._root: str | None = None

    def __repr__(self) -> str:
        return f"Client({self.url!r})"

    @property
    def url(self) -> str:
        """The address of the service."""
        return self._sender.url

    @property
    def root_namespace(self) -> str:
        """The namespace that this access may not leave."""
        if self._root is None:
            self._root = self.info().root_namespace
        return self._root

    def close(self) -> None:
        """Close the connections to the service."""
        self._sender.close()

    def _perform(
        self, engine: type[Engine], function: Callable[..., Any], values: Mapping[str, Any], given: Mapping[str, Any]
    ) -> Any:
        del engine, values  # the service reads what was given as this process has read it, by its own clock
        method = function.__name__
        refuse_absent([method])
        if method == "export":
            return self._export(**given)
        if method == "import_":
            return self._import(**given)
        if method == "add_document":
            return self._add_document(**given)
        body = codec.dump_arguments(method, given, **_ids())
        return self._read(method, self._sender.post(method, body, is_repeatable=method in _REPEATABLE))

    def _read(self, method: str, body: bytes) -> Any:
        try:
            return codec.load(method, body)
        except ValueError:
            raise StoreUnavailable(
                f"{self.url} answered {method.rstrip('_')} with something else than its result",
                hint="is it a Wherefrom service, of about this version?",
            ) from None

    def _export(self, target: IO[str], progress: Progress = silent, **given: Any) -> int:
        """Write the lines of an export as they come; return how many."""
        del progress  # how many there are is not known before the last
        decoder, lines = codecs.getincrementaldecoder("utf-8")(), 0
        body = codec.dump_arguments("export", given, **_ids())
        with self._sender.transfer("export", body, kind=JSON) as pieces:
            for piece in pieces:
                lines += piece.count(b"\n")
                target.write(decoder.decode(piece))
        return lines

    def _import(self, source: Any, progress: Progress = silent, rejects: object = None, **given: Any) -> Any:
        """Send the lines of an import."""
        if rejects is not None:
            hint = "the answer names the first 1,000 lines that were left out, with the reasons"
            raise InvalidInput("a service keeps no file of the lines that it leaves out", hint=hint)
        chosen = "&".join(f"{name}={str(value).lower()}" for name, value in given.items())
        with (
            readable(source) as file,
            self._sender.transfer(f"import?{chosen}", _blocks(file, progress), kind=LINES) as pieces,
        ):
            body = b"".join(pieces)
        return self._read("import_", body)

    def _add_document(self, source: bytes | IO[bytes], **given: Any) -> Any:
        """Send the bytes of a document."""
        chosen = urlencode({name: value for name, value in {**given, **_ids()}.items() if value is not None})
        data = source if isinstance(source, bytes) else _blocks(source, silent)
        with self._sender.transfer(f"add_document?{chosen}", data, kind=codec.STREAMED["add_document"]) as pieces:
            body = b"".join(pieces)
        return self._read("add_document", body)


def refuse_absent(methods: Iterable[str]) -> None:
    """Raise an error if a service does not offer one of some verbs."""
    for method in methods:
        if method in codec.NOT_OFFERED:
            command = next(row.command for row in COMMANDS if row.methods == (method,))
            raise InvalidInput(
                f"a service does not offer {method}, which works on files or on the whole store",
                hint=f"run `wherefrom {command}` on the machine of the service, with its --db",
            )


def _ids() -> dict[str, str]:
    """The ids of the call under way, which the events that it writes have, too."""
    return {name: known for name, known in asdict(current_trace()).items() if known is not None}


def _blocks(file: IO[bytes], progress: Progress) -> Iterator[bytes]:
    """Yield a file from its beginning, as an import reads it."""
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    while block := file.read(_BLOCK_BYTES):
        yield block
        progress(file.tell(), size)
