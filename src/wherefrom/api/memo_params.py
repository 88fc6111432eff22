"""Parameters of the verbs that save, read and list memos and claims, declared once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Literal

from wherefrom.engine import params
from wherefrom.engine.params import id_param
from wherefrom.model import graph, limits
from wherefrom.model.param import Param
from wherefrom.text import check

_CONTENT: Final = "The text to remember, at most 64 KB (a claim: 4 KB). Self-contained: who, what, when."
Content = Annotated[str, Param(_CONTENT, aliases=("text",), check=check.check_content)]
_TITLE: Final = "A short name, at most 300 characters. Omit to keep the old one."
Title = Annotated[str | None, Param(_TITLE, check=check.check_title)]
_METADATA: Final = "Merged into what is there; a null removes its key. At most 16 KB."
Metadata = Annotated[Mapping[str, Any] | None, Param(_METADATA, check=check.check_metadata)]
ChangedId = Annotated[
    str | None, id_param("The memo to change. Omit to save a new one.", option="--id", gone="conflict")
]
_CLAIM: Final = "Save it as a claim: one statement of this kind. Omit for a memo."
ClaimKind = Annotated[graph.ClaimKind | None, Param(_CLAIM, aliases=("kind",), option="--claim")]
_SCOPE: Final = "session 7 days, project 120, principle for good; then it is archived and can be restored."
Scope = Annotated[graph.Scope | None, Param(_SCOPE)]
_CLASS: Final = "Who may see it; internal if omitted. Raised where the text demands."
BoundaryClass = Annotated[graph.BoundaryClass | None, Param(_CLASS, words=graph.SAVED_CLASSES, option="--class")]
Confidence = Annotated[float | None, Param("How sure you are, 0 to 1.", 0, 1)]
Quality = Annotated[float | None, Param("How good it is, 0 to 1; it counts if the policy says so.", 0, 1)]
_ENTITIES: Final = "Names of people, projects, things that it is about."
Entities = Annotated[Sequence[str], Param(_ENTITIES, option="--entity", check=check.check_names)]
_SOURCE: Final = 'Where it comes from, e.g. {"url": "…", "actor": "…"}.'
Provenance = Annotated[Mapping[str, Any] | None, Param(_SOURCE, check=check.check_metadata)]
_PINNED: Final = "Keep it whatever metabolism makes of it; false unpins."
Pinned = Annotated[bool | None, Param(_PINNED, option="--pin/--unpin")]
_VALID_FROM: Final = "Since when it holds: 2026, 2026-03, 2026-03-14 or a time."
ValidFrom = Annotated[str | None, Param(_VALID_FROM, metavar="DATE", check=check.check_start)]
_VALID_TO: Final = "Until when it holds, that day, month or year included."
ValidTo = Annotated[str | None, Param(_VALID_TO, metavar="DATE", check=check.check_end)]
_OBSERVED: Final = "When it was said or seen, if not now."
ObservedAt = Annotated[str | None, Param(_OBSERVED, metavar="DATE", check=check.check_start)]
_SUPERSEDES: Final = "Memos that hold no longer because of this one; they stay as history."
Supersedes = Annotated[
    Sequence[str], id_param(_SUPERSEDES, high=limits.REPLACED, option="--supersedes", gone="refused")
]
_SPEAKER: Final = "Who says it."
Speaker = Annotated[str | None, Param(_SPEAKER, check=check.check_speaker)]
_SESSION: Final = "The conversation that it is a turn of."
Session = Annotated[str | None, Param(_SESSION, check=params.check_session)]
_SLOT: Final = "A short path, e.g. project/database, that has one current answer: this one. The former ends."
Slot = Annotated[str | None, Param(_SLOT, check=params.check_slot)]
_INCLUDE: Final = "Also what was replaced or outdated, or what has expired."
Include = Annotated[Sequence[Literal["replaced", "expired"]], Param(_INCLUDE)]
Version = Annotated[int | None, Param("This former version of it; history lists them.", 1, params.VERSION_HIGH)]
_EXPECTED: Final = "The version that memo_id has, as far as you know; if it has another, nothing is saved."
ExpectedVersion = Annotated[int | None, Param(_EXPECTED, 1, params.VERSION_HIGH)]
Link = Annotated[bool, Param("Also link it to what it belongs with.", option="--link")]
