"""The tests whose names changed after the list was made, or that went: the old name, then the new one or the reason.

A key is a line of the list (`path::name`), or the name alone for all tests that have it. A value that is the name of a
test has to be one that there is; any other value is a reason, and is a sentence.
"""

from __future__ import annotations

RENAMED: dict[str, str] = {}
