"""The name that this program had before 1.0, for whatever was made under it: the only source file that has it.

Variables of the environment, the folder of the default store, the first line of exports, and on PostgreSQL the roles,
the schema, the policies and the setting of agents' SQL all begin with it, as they begin with the present name now.
"""

from __future__ import annotations

from typing import Final

NAME: Final = "wherefrom"
FORMER: Final = "recollect"
UNTIL: Final = "1.0"
"""The release that no longer reads the former variables."""


def former(text: str) -> str:
    """A text of ours with the former name in the place of the present one."""
    return text.replace(NAME, FORMER).replace(NAME.upper(), FORMER.upper())
