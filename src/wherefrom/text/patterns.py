"""Regular expressions that are compiled when they are first needed."""

from __future__ import annotations

import re
from functools import cache


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Returns the compiled pattern: compiling all of them takes longer than the rest of the package's import."""
    return re.compile(pattern)
