"""The settings of exploration: what the section `explore` of a policy may set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any, ClassVar

from wherefrom.model.param import Param
from wherefrom.policy.settings import Settings


@dataclass(frozen=True, slots=True)
class ExploreSettings(Settings):
    """The settings of `vector_search`. The preset `evidence` has the threshold of the original design."""

    SECTION: ClassVar[str] = "explore"
    PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
        {"measured": {}, "evidence": {"min_similarity": 0.5}}
    )

    min_similarity: Annotated[
        float | None, Param("What is less similar is not listed; null takes what the embedder was calibrated to.", 0, 1)
    ] = None
