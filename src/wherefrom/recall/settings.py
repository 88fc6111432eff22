"""The settings of recall: what the sections `retrieval` and `calibration` of a policy may set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Final, Literal

from wherefrom.model.insight import DOUBT
from wherefrom.model.limits import MODEL_CHARACTERS
from wherefrom.model.param import Param
from wherefrom.policy.settings import Settings
from wherefrom.storage.port import TextScore

Signal = Literal["helpful", "harmful", "outdated", "duplicate", "completed"]

_Days = Annotated[float, Param("Half-life in days.", 0, 36_500, is_low_open=True)]
_Shift = Annotated[float, Param(low=-1, high=1)]
_Weight = Annotated[float, Param(low=-1e3, high=1e3)]
_Points = tuple[tuple[Annotated[float, Param(low=-1e12, high=1e12)], Annotated[float, Param(low=0, high=1)]], ...]

_HALF_LIFE_DAYS: Final[Mapping[str, float]] = MappingProxyType(
    {"fact": 120.0, "task": 14.0, "preference": 90.0, "policy_hint": 365.0, "memo": 365.0, "fragment": 365.0}
)
# What the original designs do not have: a half-life for fragments (that of unknown kinds holds), a least deviation of
# utility, the graph arm, surprise, weights of the question's words, bonuses, relevance, and rules.
_ORIGINAL: Final = {
    "rerank.half_life_days.fragment": 30.0,
    "rerank.min_utility_deviation": 0.0,
    "diversity.mmr_lambda": 0.85,
    "diversity.per_entity": 2,
    "relevance.threshold": 0.0,
    "graph.weight": 0.0,
    "graph.threshold": None,
    "graph.names": 0.0,
    "hybrid.text_score": "bm25",
    "hybrid.question_weights": "plain",
    "hybrid.date_bonus": 0.0,
    "hybrid.speaker_bonus": 0.0,
    "hybrid.session_share": 0.0,
    "context.rules_tokens": 0,
}
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
    """The choice of candidates, and the mix of words and meaning: S = α·S_vec + (1 − α)·S_text.

    Bonuses (see recall/bonuses.py): S = (S + the bonuses of a text) / (1 + those that apply to the question).
    """

    alpha: Annotated[float | None, Param("α; null takes what the embedder was calibrated to.", 0, 1)] = None
    lexical_shift: Annotated[
        float, Param("Added to α for short questions, and for those with code, quotes or URLs.", -1, 1)
    ] = -0.2
    lexical_tokens: Annotated[int, Param("A question of at most so many words is short.", 0, 1_000)] = 2
    natural_shift: Annotated[float, Param("Added to α for long sentences.", -1, 1)] = 0.0
    natural_tokens: Annotated[int, Param("A sentence of at least so many words is long.", 0, 1_000)] = 12
    alpha_low: Annotated[float, Param("A shift does not take α below.", 0, 1, at_most="alpha_high")] = 0.3
    alpha_high: Annotated[float, Param("A shift does not take α above.", 0, 1)] = 0.9
    text_score: Annotated[
        TextScore, Param("How words count: `surprise` by how unlikely they are in a text of its length; or `bm25`.")
    ] = "surprise"
    question_weights: Annotated[
        Literal["idf", "plain"], Param("`idf`: in the vector of a question rare words count more.")
    ] = "idf"
    text_scale: Annotated[
        Literal["best", "min-max", "rank"],
        Param("`best` divides by the best score; `min-max`; `rank` is 1 / (1 + rank)."),
    ] = "best"
    vector_scale: Annotated[
        Literal["spread", "cosine"],
        Param("`spread` compares candidates with each other (see recall/fuse.py); `cosine` is (cos + 1) / 2."),
    ] = "spread"
    speaker_bonus: Annotated[float, Param("Added to S where the question names who says a text.", 0, 10)] = 0.15
    session_share: Annotated[
        float, Param("Added to S by how strong the candidates of a text's session are.", 0, 10)
    ] = 0.2
    k_txt: Annotated[int | None, Param("Candidates by words; null: 4 times k_final, and 64 for a search.", 1, 400)] = (
        None
    )
    k_vec: Annotated[
        int | None, Param("Candidates by meaning; null: 8 times k_final, and 64 for a search.", 1, 400)
    ] = None
    expansion: Annotated[
        int, Param("A context asks once more for so many times as many, if an arm finds less than k_final / 2.", 1, 10)
    ] = 2
    date_bonus: Annotated[
        float, Param("How much it counts that something is of the time that the question names; 0 turns it off.", 0, 10)
    ] = 0.5


@dataclass(frozen=True, slots=True)
class Rerank:
    """g = (u + (1 − u)·σ(utility_z)) · (c + (1 − c)·confidence) · (r + (1 − r)·recency), and with use_quality
    · (q + (1 − q)·quality), where u, c, r and q are the floors.
    utility_z = (utility − mean) / max(deviation, min_utility_deviation).
    """

    utility_floor: Annotated[float, Param("u", 0, 1)] = 0.6
    confidence_floor: Annotated[float, Param("c", 0, 1)] = 0.5
    recency_floor: Annotated[float, Param("r", 0, 1)] = 0.3
    quality_floor: Annotated[float, Param("q", 0, 1)] = 0.5
    use_quality: Annotated[bool, Param("True: quality counts.")] = False
    min_utility_deviation: Annotated[
        float, Param("The deviation counts as at least so much: one judgement among many moves g a little.", 0, 10)
    ] = 0.2
    recency_half_life_days: Annotated[
        float,
        Param(
            "The half-life of claims without a kind.",
            *(0, 36_500),
            is_low_open=True,
            aliases=("retrieval.hybrid.recency_half_life_days",),
        ),
    ] = 30.0
    half_life_days: Mapping[str, _Days] = field(default_factory=lambda: _HALF_LIFE_DAYS)
    threshold: Annotated[float, Param("What scores less is left out of a context.", 0, 1)] = 0.15


@dataclass(frozen=True, slots=True)
class Diversity:
    """What stands back in a context because others are like it."""

    mmr_lambda: Annotated[
        float, Param("1 keeps the plain order; lower values prefer what differs from what was chosen.", 0, 1)
    ] = 0.95
    per_entity: Annotated[
        int | None,
        Param(
            "After so many nodes that mention one entity, which the question does not name, others come first.", 1, 50
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class Graph:
    """The third arm: a walk over relations and mentions, from the best candidates (see recall/graph_arm.py)."""

    weight: Annotated[float, Param("The order is by score + weight · graph; 0 turns the arm off.", 0, 10)] = 4.0
    threshold: Annotated[
        float | None,
        Param("What has this graph share stays in a context, whatever its score; null: the score alone decides.", 0, 1),
    ] = 0.05
    damping: Annotated[float, Param("How likely a walk goes on.", 0, 1, is_high_open=True)] = 0.7
    seeds: Annotated[int, Param("How many of the best candidates walks start at.", 1, 50)] = 20
    sharpness: Annotated[float, Param("The higher, the more walks start at the very best.", 0, 10)] = 3.0
    names: Annotated[
        float, Param("The part of the walks that leaves a text by rare names in it; 0: such names lead nowhere.", 0, 1)
    ] = 0.1
    doubt: Annotated[
        float, Param("Taken off the confidence of relations that insight found, where a walk follows them.", 0, 1)
    ] = DOUBT
    hops: Annotated[int, Param("How far edges are read.", 1, 3)] = 2
    edges: Annotated[int, Param("How many edges are read at most.", 10, 10_000)] = 2_000


@dataclass(frozen=True, slots=True)
class Relevance:
    """When nothing is relevant, and what an answer has then (see recall/relevance.py)."""

    threshold: Annotated[
        float, Param("If no item reaches it, the answer says that nothing is about the question; 0: never.", 0, 1)
    ] = 0.25
    nearest: Annotated[int, Param("How many items an answer has where nothing is relevant.", 0, 50)] = 3


@dataclass(frozen=True, slots=True)
class Context:
    """The size and the life of an active context."""

    k_final: Annotated[int, Param("How many nodes a context holds.", 1, 50, aliases=("retrieval.hybrid.k_final",))] = 12
    minutes: Annotated[float, Param("How long a context lives.", 0, 10_080, is_low_open=True)] = 60.0
    timeout_ms: Annotated[int, Param("After so long, activate leaves the graph arm out and says so.", 100, 60_000)] = (
        15_000
    )
    rules_tokens: Annotated[
        int, Param("How many tokens the standing rules may have that come with every context; 0: none.", 0, 4_000)
    ] = 400


@dataclass(frozen=True, slots=True)
class Feedback:
    """The changes by a judgement, by its signal, and the half-lives of utility and quality."""

    deltas: Mapping[str, Annotated[tuple[_Shift, _Shift], Param("Added to utility and to confidence.")]] = field(
        default_factory=lambda: _DELTAS
    )
    utility_half_life_days: _Days = 30.0
    quality_half_life_days: _Days = 120.0


@dataclass(frozen=True, slots=True)
class Calibration(Settings):
    """Maps from raw scores to [0, 1], fitted from judged questions: rising points (x, y), linear between them.

    Without points there is none. `wherefrom calibrate` writes it.
    """

    SECTION: ClassVar[str] = "calibration"
    NEEDS_ALL: ClassVar[bool] = True

    method: Annotated[str, Param("How the maps were fitted.", high=64)] = "none"
    model: Annotated[
        str,
        Param("The embedder whose similarities the map was fitted on; it holds for no other.", high=MODEL_CHARACTERS),
    ] = ""
    text: Annotated[_Points, Param("The map of scores by words.", 2, 101)] = ()
    vectors: Annotated[_Points, Param("The map of similarities.", 2, 101)] = ()
    relevance: Annotated[
        tuple[_Weight, ...] | None,
        Param("The weights of relevance: intercept, coverage, similarity, both; null: the embedder's.", 4, 4),
    ] = None


@dataclass(frozen=True, slots=True)
class RecallSettings(Settings):
    """The settings of recall; calibration: the fitted maps, if they hold for the question at hand."""

    SECTION: ClassVar[str] = "retrieval"
    PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
        {
            "measured": {},
            "activation": {
                "hybrid.alpha": 0.65,
                "hybrid.lexical_shift": -0.25,
                "hybrid.natural_shift": 0.125,
                "hybrid.text_scale": "min-max",
                "hybrid.vector_scale": "cosine",
                **_ORIGINAL,
            },
            "evidence": {
                "hybrid.alpha": 0.7,
                "hybrid.lexical_shift": 0.0,
                "hybrid.text_scale": "min-max",
                "hybrid.vector_scale": "cosine",
                **_ORIGINAL,
            },
        }
    )

    hybrid: Hybrid = Hybrid()
    rerank: Rerank = Rerank()
    diversity: Diversity = Diversity()
    graph: Graph = Graph()
    relevance: Relevance = Relevance()
    context: Context = Context()
    feedback: Feedback = Feedback()
    calibration: Calibration | None = None
