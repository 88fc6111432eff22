"""Reads the `retrieval` and `calibration` sections of a policy: what each parameter of recall may be."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final, get_args

import yaml

from wherefrom.model.limits import MODEL_CHARACTERS
from wherefrom.policy.nodes import (
    Choice,
    Flag,
    Number,
    Pair,
    Table,
    fault,
    read_entries,
    read_items,
    read_text,
)
from wherefrom.policy.retrieval import PRESETS, Calibration, Retrieval, Signal, TextScale, VectorScale
from wherefrom.policy.sections import Kinds, Moved, Values, read_sections, refuse_crossed

POINTS: Final = (2, 101)

_SHARE: Final = Number(0, 1)
_SHIFT: Final = Number(-1, 1)
_DAYS: Final = Number(0, 36_500, without_low=True)
_WORDS: Final = Number(0, 1_000, whole=True)
_CANDIDATES: Final = Number(1, 400, whole=True, nullable=True)
_ANY: Final = Number(-1e12, 1e12)

# Each section and key of `retrieval`; the keys are the fields of the dataclasses in policy/retrieval.py.
KINDS: Final[Kinds] = MappingProxyType(
    {
        "hybrid": {
            "alpha": Number(0, 1, nullable=True),
            "lexical_shift": _SHIFT,
            "lexical_tokens": _WORDS,
            "natural_shift": _SHIFT,
            "natural_tokens": _WORDS,
            "alpha_low": _SHARE,
            "alpha_high": _SHARE,
            "text_scale": Choice(get_args(TextScale)),
            "vector_scale": Choice(get_args(VectorScale)),
            "k_txt": _CANDIDATES,
            "k_vec": _CANDIDATES,
            "expansion": Number(1, 10, whole=True),
        },
        "rerank": {
            "utility_floor": _SHARE,
            "confidence_floor": _SHARE,
            "recency_floor": _SHARE,
            "quality_floor": _SHARE,
            "use_quality": Flag(),
            "recency_half_life_days": _DAYS,
            "half_life_days": Table(("fact", "task", "preference", "policy_hint", "memo"), _DAYS),
            "threshold": _SHARE,
        },
        "diversity": {"mmr_lambda": _SHARE, "per_entity": Number(1, 50, whole=True)},
        "graph": {
            "weight": Number(0, 10),
            "damping": Number(0, 1, without_high=True),
            "seeds": Number(1, 50, whole=True),
            "sharpness": Number(0, 10),
            "hops": Number(1, 3, whole=True),
            "edges": Number(10, 10_000, whole=True),
        },
        "context": {
            "k_final": Number(1, 50, whole=True),
            "minutes": Number(0, 10_080, without_low=True),
            "timeout_ms": Number(100, 60_000, whole=True),
        },
        "feedback": {
            "deltas": Table(get_args(Signal), Pair(_SHIFT, _SHIFT)),
            "utility_half_life_days": _DAYS,
            "quality_half_life_days": _DAYS,
        },
    }
)
# Where the seed writes a key in another section than the one whose stage uses it.
MOVED: Final[Moved] = MappingProxyType(
    {
        ("hybrid", "k_final"): ("context", "k_final"),
        ("hybrid", "recency_half_life_days"): ("rerank", "recency_half_life_days"),
    }
)


def read_retrieval(node: yaml.Node) -> Values:
    """What the section sets, by section and key: the preset's values with those given beside it."""
    found = read_sections(node, of="retrieval", kinds=KINDS, moved=MOVED, presets=PRESETS)
    refuse_crossed(found, Retrieval(), section="hybrid", low="alpha_low", high="alpha_high")
    return found.values


def read_calibration(node: yaml.Node) -> Calibration:
    """The fitted maps; all four keys are needed."""
    keys = ("method", "model", "text", "vectors")
    found = read_entries(node, of="calibration", allowed=keys)
    for key in keys:
        if key not in found:
            raise fault(node, f"calibration has no {key}", hint=f"it needs {', '.join(keys)}")
    return Calibration(
        method=read_text(found["method"][1], of="calibration.method", characters=64),
        model=read_text(found["model"][1], of="calibration.model", characters=MODEL_CHARACTERS),
        text=_points(found["text"][1], of="calibration.text"),
        vectors=_points(found["vectors"][1], of="calibration.vectors"),
    )


def _points(node: yaml.Node, *, of: str) -> tuple[tuple[float, float], ...]:
    low, high = POINTS
    point = Pair(_ANY, _SHARE)
    points: list[tuple[float, float]] = []
    for item in read_items(node, of=of, low=low, high=high):
        x, y = point.read(item, of=of)
        if points and (x <= points[-1][0] or y < points[-1][1]):
            raise fault(item, f"{of} does not rise", hint="each x above the one before it, and no y below")
        points.append((x, y))
    return tuple(points)
