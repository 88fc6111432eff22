"""The parameters of metabolism, each with its default and its range: what the `metabolism` part of a policy, or the
call of a run, may set.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, get_args

from wherefrom.model.errors import InvalidInput, shown
from wherefrom.model.metabolism import Orphans
from wherefrom.policy.ranges import Range

ORPHANS: Final[tuple[Orphans, ...]] = get_args(Orphans)

# What each number may be, in a policy and in a call.
RANGES: Final[Mapping[str, Range]] = MappingProxyType(
    {
        "half_life_days": Range(0, 36_500),
        "prune_threshold": Range(0, 1),
        "protection_hours": Range(0, 876_000),
        "mdl_neighbours": Range(0, 100, whole=True),
        "mdl_benefit": Range(0, 1),
    }
)

# Tags of which a source has one target at a time, in normal form. Tags that are evidence (model/metabolism.py) are
# never pruned; those that fit several targets at once (`owner`, `author`) or of two sorts (`born_in`) are left out.
EXCLUSIVE: Final = (
    *("status", "current_status", "stage", "phase", "priority", "severity"),
    *("lives_in", "resides_in", "works_at", "employer", "employed_by", "job_title", "reports_to"),
    *("spouse", "married_to", "marital_status", "father", "mother", "age", "height", "weight"),
    *("birth_date", "date_of_birth", "birthplace", "place_of_birth"),
    *("death_date", "date_of_death", "place_of_death"),
    *("capital", "country", "located_in", "timezone", "time_zone"),
    *("elevation", "population", "area", "size"),
    *("ceo", "cto", "cfo", "president", "prime_minister", "chairperson", "leader", "head_of_state"),
    *("head_of_government", "mayor", "governor"),
    *("headquarters", "headquartered_in", "parent_company", "parent_organization", "owned_by"),
    *("successor", "succeeded_by", "predecessor", "preceded_by", "replaced_by"),
    *("version", "latest_version", "current_version", "stable_version", "minimum_version", "default_branch"),
    *("release_date", "update_date", "last_updated", "last_modified", "creation_date", "founding_date"),
    *("start_date", "end_date", "due_date", "expiry_date", "expiration_date"),
    *("default_value", "current_value", "minimum_value", "maximum_value"),
    *("price", "current_price", "market_cap", "revenue", "employee_count"),
    *("official_name", "legal_name", "official_website"),
    *("primary_email", "primary_phone", "primary_url", "primary_address", "primary_contact"),
)


@dataclass(frozen=True, slots=True)
class Metabolism:
    """What may go. 0 is a value like any other, and never stands for the default.

    half_life_days: after so many days a relation is half as thick, counted back from the newest one of the
    namespace; 0: nothing decays.
    prune_threshold: a relation that is thinner goes; a node is weak if none of its relations is thicker.
    protection_hours: what is younger stays; fractions count.
    mdl_neighbours: with how many of the nearest nodes a weak one is compared; 0: none goes because it can be
    restored.
    mdl_benefit: what letting go of a node is worth: it goes if this is above the difficulty of restoring it,
    1 − the highest cosine similarity to one that stays; 0: none goes because it can be restored.
    orphans: `entities`: an entity without any relation goes untested, and another node without one is judged as a
    weak one; `all`: they all go untested.
    exclusive: tags of which a source has one target at a time: of several the thickest relation stays. Capital
    letters, and whether words are joined by a space, a hyphen or an underscore, do not count. A list replaces the
    one above it; []: no tag is exclusive.
    """

    half_life_days: float = 30.0
    prune_threshold: float = 0.1
    protection_hours: float = 72.0
    mdl_neighbours: int = 5
    mdl_benefit: float = 0.1
    orphans: Orphans = "entities"
    exclusive: tuple[str, ...] = EXCLUSIVE


def overridden(settings: Metabolism, **given: object) -> Metabolism:
    """The settings with a call's own values over them: any key but `exclusive`; None is not given."""
    for key in given:
        if key not in RANGES and key != "orphans":
            raise TypeError(f"overridden() got an unexpected keyword argument {key!r}")
    return replace(settings, **{key: _checked(key, value) for key, value in given.items() if value is not None})


@lru_cache(maxsize=1024)
def normal_tag(tag: str) -> str:
    """A tag in the form in which tags are compared: without case, its words joined by one underscore."""
    # Both forms twice, as Unicode's NFKC_Casefold: once is not stable for all letters.
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFD", tag).casefold())
    folded = unicodedata.normalize("NFKC", folded.casefold())
    joined = ("_" if c.isspace() or unicodedata.category(c) == "Pd" else c for c in folded)
    return re.sub("__+", "_", "".join(joined)).strip("_")


def _checked(key: str, value: Any) -> Any:
    if key == "orphans":
        if not isinstance(value, str) or value not in ORPHANS:
            raise InvalidInput(f"orphans {shown(value)} is unknown", hint=f"allowed: {', '.join(ORPHANS)}")
        return value
    limits = RANGES[key]
    problem = limits.problem(value)
    if problem is not None:
        raise InvalidInput(f"{key} {problem}", hint=str(limits))
    return value if limits.whole else float(value)
