"""The settings of metabolism: what the section `metabolism` of a policy, or the call of a run, may set."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, ClassVar, Final

from wherefrom.model.errors import InvalidInput, shown
from wherefrom.model.limits import TAG_CHARACTERS
from wherefrom.model.metabolism import EVIDENCE_TAGS, Orphans
from wherefrom.model.param import Param, parameters_of
from wherefrom.policy.settings import Settings

MAX_EXCLUSIVE_TAGS: Final = 500
# The characters that may join the words of a tag in normal form.
_JOINTS: Final = "_.:"

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


@lru_cache(maxsize=1024)
def normal_tag(tag: str) -> str:
    """Return a tag in the form in which tags are compared: without case, its words joined by one underscore."""
    # Both forms twice, as Unicode's NFKC_Casefold: once is not stable for all letters.
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFD", tag).casefold())
    folded = unicodedata.normalize("NFKC", folded.casefold())
    joined = ("_" if c.isspace() or unicodedata.category(c) == "Pd" else c for c in folded)
    return re.sub("__+", "_", "".join(joined)).strip("_")


def _check_exclusive_tag(text: str, *, field: str) -> str:
    """Return a tag in normal form; raises if it is none, or if it is evidence."""
    tag = normal_tag(text)
    # As tags are where relations are saved: letters, numbers and the marks that belong to letters, of any script.
    is_plain = all(c in _JOINTS or unicodedata.category(c)[0] in "LNM" for c in tag)
    if not tag or not is_plain or tag != tag.strip(_JOINTS):
        raise InvalidInput(f"{shown(text)} in {field} is not a tag", hint="words joined by '_', for example works_at")
    if tag in EVIDENCE_TAGS:
        raise InvalidInput(
            f"{shown(text)} in {field} is evidence, and a statement may have any number of it",
            hint=f"leave out {', '.join(EVIDENCE_TAGS)}",
        )
    return tag


@dataclass(frozen=True, slots=True)
class MetabolismSettings(Settings):
    """The settings of a run: what may go. 0 is a value like any other, and never stands for the default."""

    SECTION: ClassVar[str] = "metabolism"

    half_life_days: Annotated[
        float, Param("After how many days, back from the newest, a relation is half as thick; 0: never.", 0, 36_500)
    ] = 30.0
    prune_threshold: Annotated[float, Param("Thinner relations go; a node without a thicker one is weak.", 0, 1)] = 0.1
    protection_hours: Annotated[float, Param("What is younger stays; fractions count.", 0, 876_000)] = 72.0
    mdl_neighbours: Annotated[
        int, Param("With how many of the nearest a weak node is compared; 0: none goes because of them.", 0, 100)
    ] = 5
    mdl_benefit: Annotated[
        float, Param("A weak node goes if 1 − its similarity to the nearest is less; 0: none goes.", 0, 1)
    ] = 0.1
    orphans: Annotated[Orphans, Param("What goes untested if it has no relations: entities, or all nodes.")] = (
        "entities"
    )
    exclusive: Annotated[
        tuple[Annotated[str, Param(high=TAG_CHARACTERS, name="tag", check=_check_exclusive_tag)], ...],
        Param(
            "Tags of which a source has one target at a time: of several the thickest relation stays. None of them is "
            "evidence; a list replaces the one above it.",
            *(0, MAX_EXCLUSIVE_TAGS),
        ),
    ] = EXCLUSIVE


# The settings that a call of a run may give, and that a plan shows.
RUN_SETTINGS: Final = tuple(name for name in parameters_of(MetabolismSettings) if name != "exclusive")
