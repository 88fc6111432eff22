"""Empties what functions remember of the texts that they were given."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Final

_PACKAGE: Final = "wherefrom.text"


def clear() -> None:
    """Empty the caches of all functions of this package that were imported."""
    for name, module in list(sys.modules.items()):
        if name.startswith(_PACKAGE) and isinstance(module, ModuleType):
            for member in list(vars(module).values()):
                if hasattr(member, "cache_clear"):
                    member.cache_clear()
