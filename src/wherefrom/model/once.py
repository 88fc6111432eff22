"""A property that is made at first use, once, whichever thread asks first."""

from __future__ import annotations

import threading
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

Made = TypeVar("Made")


class once(cached_property[Made]):  # noqa: N801  # used as a decorator
    """A `cached_property` with a lock: threads that ask while it is being made wait for it. If making it fails, the
    next thread tries again. Each object has a lock for each property, so that one property may be made from another,
    and no object waits for another one (as with the lock that `cached_property` had before Python 3.12).
    """

    if not TYPE_CHECKING:  # the types are those of `cached_property`

        def __get__(self, instance: object, owner: type | None = None) -> Made:
            if instance is None:
                return self
            # setdefault is one step for other threads.
            made = vars(instance)
            with made.setdefault(f"_{self.attrname}_lock", threading.Lock()):
                if self.attrname not in made:
                    made[self.attrname] = self.func(instance)
                return made[self.attrname]
