"""The parameters of recall, each with its default: what the `retrieval` part of a policy may set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Literal

TextScale = Literal["best", "min-max", "rank"]
VectorScale = Literal["spread", "cosine"]
Signal = Literal["helpful", "harmful", "outdated", "duplicate", "completed"]

_HALF_LIFE_DAYS: Final[Mapping[str, float]] = MappingProxyType(
    {"fact": 120.0, "task": 14.0, "preference": 90.0, "policy_hint": 365.0, "memo": 365.0}
)
_DELTAS: Final[Mapping[str, tuple[float, float]]] = MappingProxyType(
    {
        "helpful": (0.10, 0.05),
        "harmful": (-0.20, -0.10),
        "outdated": (0.0, -0.20),
        "duplicate": (-0.05, 0.0),
        "completed": (0.0, 0.0),
    }
)


@dataclass(frozen=True, slots=True)
class Hybrid:
    """How candidates are chosen and how words and meaning are mixed: S = α·S_vec + (1 − α)·S_text.

    alpha: None takes what the embedder was calibrated to. lexical_shift is added to α for questions of at most
    lexical_tokens words, or with code, quotes or URLs in them; natural_shift for sentences of at least
    natural_tokens words. α stays within alpha_low and alpha_high where it was there before.
    text_scale: `best` divides by the best score, `min-max` and `rank` (1 / (1 + rank)) are other common forms.
    vector_scale: `spread` compares the candidates with each other (see recall/fuse.py), `cosine` is (cos + 1) / 2.
    k_txt and k_vec: None means 4 and 8 times k_final, and 64 for a search. For a context, an arm with less than
    k_final / 2 candidates is asked once more for `expansion` times as many.
    """

    alpha: float | None = None
    lexical_shift: float = -0.2
    lexical_tokens: int = 2
    natural_shift: float = 0.0
    natural_tokens: int = 12
    alpha_low: float = 0.3
    alpha_high: float = 0.9
    text_scale: TextScale = "best"
    vector_scale: VectorScale = "spread"
    k_txt: int | None = None
    k_vec: int | None = None
    expansion: int = 2


@dataclass(frozen=True, slots=True)
class Rerank:
    """g = (u + (1 − u)·σ(utility_z)) · (c + (1 − c)·confidence) · (r + (1 − r)·recency), and with use_quality
    · (q + (1 − q)·quality), where u, c, r and q are the floors.

    half_life_days: by the kind of a claim, `memo` for memos; recency_half_life_days for everything else.
    """

    utility_floor: float = 0.6
    confidence_floor: float = 0.5
    recency_floor: float = 0.3
    quality_floor: float = 0.5
    use_quality: bool = False
    recency_half_life_days: float = 30.0
    half_life_days: Mapping[str, float] = field(default_factory=lambda: _HALF_LIFE_DAYS)
    threshold: float = 0.15


@dataclass(frozen=True, slots=True)
class Diversity:
    """mmr_lambda: 1 keeps the plain order, lower values prefer what differs from what was chosen.
    per_entity: how many nodes that mention one entity a context may hold, unless the question names it.
    """

    mmr_lambda: float = 0.85
    per_entity: int = 2


@dataclass(frozen=True, slots=True)
class Graph:
    """The third arm: a walk over relations and mentions, from the best candidates (see recall/spread.py).

    weight: how much it counts beside S in the order; 0 turns it off. damping: how likely a walk goes on. It starts at
    the best `seeds` candidates, the higher the sharpness the more at the very best, and follows up to `edges` edges
    within so many hops.
    """

    weight: float = 4.0
    damping: float = 0.7
    seeds: int = 20
    sharpness: float = 3.0
    hops: int = 2
    edges: int = 2_000


@dataclass(frozen=True, slots=True)
class Context:
    """k_final: how many nodes a context holds; minutes: how long it lives; timeout_ms: when activate
    has taken so long, the graph arm is left out, and the answer says so.
    """

    k_final: int = 12
    minutes: float = 60.0
    timeout_ms: int = 15_000


@dataclass(frozen=True, slots=True)
class Feedback:
    """deltas: what a signal adds to utility and to confidence. Utility and quality lose half in these times."""

    deltas: Mapping[str, tuple[float, float]] = field(default_factory=lambda: _DELTAS)
    utility_half_life_days: float = 30.0
    quality_half_life_days: float = 120.0


@dataclass(frozen=True, slots=True)
class Calibration:
    """Maps from raw scores to [0, 1], fitted from judged questions: rising points (x, y), linear between them.

    model: the embedder whose similarities the vector map was fitted on; it holds for no other.
    """

    method: str
    model: str
    text: tuple[tuple[float, float], ...]
    vectors: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Retrieval:
    """All of them."""

    hybrid: Hybrid = field(default_factory=Hybrid)
    rerank: Rerank = field(default_factory=Rerank)
    diversity: Diversity = field(default_factory=Diversity)
    graph: Graph = field(default_factory=Graph)
    context: Context = field(default_factory=Context)
    feedback: Feedback = field(default_factory=Feedback)
    calibration: Calibration | None = None


# Other mixes, by name: what `retrieval.preset` stands for. Keys given beside it win.
PRESETS: Final[Mapping[str, Mapping[str, Mapping[str, Any]]]] = MappingProxyType(
    {
        "measured": {},
        "activation": {
            "hybrid": {
                "alpha": 0.65,
                "lexical_shift": -0.25,
                "natural_shift": 0.125,
                "text_scale": "min-max",
                "vector_scale": "cosine",
            }
        },
        "evidence": {"hybrid": {"alpha": 0.7, "lexical_shift": 0.0, "text_scale": "min-max", "vector_scale": "cosine"}},
    }
)
