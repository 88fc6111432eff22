"""One change of a text, and the fault of a text that cannot be changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


class Fault(Exception):
    """A configuration file that cannot be read, or not be changed safely."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(f"line {line}: {what}")


@dataclass(frozen=True, slots=True)
class Edit:
    """At a position of a text, some of it goes and something else comes."""

    position: int
    removed: str
    inserted: str

    def applied(self, text: str) -> str:
        """Return the changed text."""
        assert text.startswith(self.removed, self.position)
        return text[: self.position] + self.inserted + text[self.position + len(self.removed) :]

    def lines(self) -> Iterator[str]:
        """Show the change line by line. Nothing else of the file is shown, as there may be secrets in it."""
        for mark, text in (("-", self.removed), ("+", self.inserted)):
            yield from (f"{mark} {line.rstrip()}" for line in text.strip("\r\n").splitlines() if line.strip())
