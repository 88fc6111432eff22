"""What L1 hands to L3: a part of the graph, and the context in which it is judged, both checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from wherefrom.graph.local import LocalGraph, Numbers, Places
from wherefrom.model.errors import InvalidInput, shown
from wherefrom.model.insight import CandidateEdge, NormSpec

_KEYS = ("centers", "candidate_edges", "candidate_edges_by_hop", "candidate_selection", "norm_spec")
# Parts of a norm spec that may be nested. What is nested is what is in effect: it overrules the same name outside.
_NESTED = {"effective": ("theta_link", "theta_cand"), "intuitive": ("outer", "inner")}


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """The part of the graph that a decision is about.

    graph: as it is before; `after`: with what comes in any case, if something does. places and rows: the nodes that
    have a vector, and these; weights: how much each of its dimensions counts. fresh: how many nodes are new, so that
    they have to be paid for.
    """

    graph: LocalGraph
    places: Places
    rows: Numbers
    weights: Numbers | None = None
    after: LocalGraph | None = None
    fresh: int = 0


@dataclass(frozen=True, slots=True)
class Context:
    """What L1 chose. candidate_edges None: it gave none. Those by hop come before the common ones at their hop."""

    centers: tuple[int, ...]
    candidate_edges: tuple[CandidateEdge, ...] | None = None
    candidate_edges_by_hop: Mapping[int, tuple[CandidateEdge, ...]] = field(default_factory=dict)
    candidate_selection: Mapping[str, Any] = field(default_factory=dict)
    norm_spec: NormSpec | None = None

    @property
    def lacks_candidates(self) -> bool:
        """True if L1 handed over no candidates at all; an empty list says that it looked and found none."""
        return self.candidate_edges is None and not self.candidate_edges_by_hop

    def at(self, hop: int) -> tuple[CandidateEdge, ...]:
        """The candidates of a hop: its own if it has any, else the common ones."""
        return self.candidate_edges_by_hop.get(hop) or self.candidate_edges or ()

    def edges(self) -> tuple[CandidateEdge, ...]:
        """All candidates, each once, whichever way it is written."""
        known = {ends_of(each): each for each in self.candidate_edges or ()}
        for hop in sorted(self.candidate_edges_by_hop):
            known |= {ends_of(each): each for each in self.candidate_edges_by_hop[hop]}
        return tuple(known.values())


def ends_of(edge: CandidateEdge) -> tuple[int, int]:
    """The ends of a link, the lower one first: a link has no direction here."""
    return min(edge.source, edge.target), max(edge.source, edge.target)


def context_of(given: Mapping[str, Any]) -> Context:
    """A context from its plain form: edges as (u, v, {"score": s}), the norm spec as a mapping."""
    if not isinstance(given, Mapping):
        raise InvalidInput(f"a context is a mapping, not {type(given).__name__}")
    if unknown := sorted(str(key) for key in given.keys() - set(_KEYS)):
        raise InvalidInput(f"a context has no {shown(unknown[0])}", hint=f"it has {', '.join(_KEYS)}")
    by_hop = given.get("candidate_edges_by_hop") or {}
    if not isinstance(by_hop, Mapping) or not all(_is_whole(hop) and hop >= 0 for hop in by_hop):
        raise InvalidInput("candidate_edges_by_hop maps hops (0, 1, …) to lists of edges")
    edges, selection = given.get("candidate_edges"), given.get("candidate_selection")
    if not isinstance(selection, Mapping | None):
        raise InvalidInput("candidate_selection is a mapping")
    return Context(
        centers=tuple(_listed(given.get("centers"), of="centers")),
        candidate_edges=None if edges is None else _edges(edges, of="candidate_edges"),
        candidate_edges_by_hop={hop: _edges(some, of=f"candidates of hop {hop}") for hop, some in by_hop.items()},
        candidate_selection=dict(selection or {}),
        norm_spec=_norm_spec(given.get("norm_spec")),
    )


def checked(scene: Scene, context: Context) -> Context:
    """The context without loops, doubles and links that are there; refused if it does not fit the graph."""
    _check_scene(scene)
    size = scene.graph.size
    for center in context.centers:
        _check_place(center, size, of="center")
    present = scene.after or scene.graph

    def clean(edges: Sequence[CandidateEdge]) -> tuple[CandidateEdge, ...]:
        for each in edges:
            for place in (each.source, each.target):
                _check_place(place, size, of="end of a candidate")
            if each.score is not None and not _is_share(each.score):
                raise InvalidInput(f"the score {shown(each.score)} of a candidate is not between 0 and 1")
        if not edges:
            return ()
        there = present.has(np.array([(each.source, each.target) for each in edges], dtype=np.int64))
        ranked = sorted(zip(edges, there.tolist(), strict=True), key=lambda each: -(each[0].score or 0.0))
        found: dict[tuple[int, int], CandidateEdge] = {}
        for each, is_there in ranked:
            if not is_there and each.source != each.target:
                found.setdefault(ends_of(each), each)
        # In the order of their ends: in whatever order they come, the same are chosen.
        return tuple(found[ends] for ends in sorted(found))

    return Context(
        centers=tuple(dict.fromkeys(context.centers)),
        candidate_edges=None if context.candidate_edges is None else clean(context.candidate_edges),
        candidate_edges_by_hop={hop: clean(edges) for hop, edges in context.candidate_edges_by_hop.items()},
        candidate_selection=context.candidate_selection,
        norm_spec=context.norm_spec,
    )


def _check_scene(scene: Scene) -> None:
    rows, places, size = scene.rows, scene.places, scene.graph.size
    if places.ndim != 1 or (len(places) and places.dtype.kind not in "iu"):
        raise InvalidInput("places are a list of whole numbers")
    if rows.ndim != 2 or len(rows) != len(places):
        raise InvalidInput(f"features of the shape {rows.shape} do not fit {len(places)} nodes")
    if len(places) and (places.min() < 0 or places.max() >= size or len(np.unique(places)) != len(places)):
        raise InvalidInput(f"features are of nodes that are not among the {size} of the graph, or twice of one")
    weights = scene.weights
    with np.errstate(over="ignore", invalid="ignore"):
        largest = rows if weights is None or weights.shape != rows.shape[1:] else rows * weights
    if not np.isfinite(rows).all() or not np.isfinite(largest).all():
        raise InvalidInput("a feature is not a finite number, or is none with its weight")
    if weights is not None and (
        weights.shape != rows.shape[1:] or not np.isfinite(weights).all() or (weights < 0).any()
    ):
        raise InvalidInput(f"{weights.size} weights do not fit features of the shape {rows.shape}, or are below 0")
    if scene.fresh < 0:
        raise InvalidInput(f"{scene.fresh} nodes cannot be new")
    if scene.after is not None and (scene.after.size != size or not scene.after.has(scene.graph.edges).all()):
        raise InvalidInput("the graph after lacks nodes or edges of the graph before")


def _check_place(place: object, size: int, *, of: str) -> None:
    if not _is_whole(place) or not 0 <= place < size:  # type: ignore[operator]
        raise InvalidInput(f"{shown(place)} as {of} is not one of the {size} nodes of the graph")


def _is_whole(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _is_share(value: object) -> bool:
    return isinstance(value, int | float | np.floating) and not isinstance(value, bool) and bool(0.0 <= value <= 1.0)


def _listed(value: Any, *, of: str) -> list[int]:
    if (
        not isinstance(value, Sequence)
        or isinstance(value, str | bytes | bytearray)
        or not all(_is_whole(each) for each in value)
    ):
        raise InvalidInput(f"{of} must be a list of whole numbers")
    return [int(each) for each in value]


def _edges(value: Any, *, of: str) -> tuple[CandidateEdge, ...]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise InvalidInput(f"{of} must be a list of edges (u, v, {{'score': s}})")
    return tuple(_edge(each, of=of) for each in value)


def _edge(value: Any, *, of: str) -> CandidateEdge:
    if isinstance(value, CandidateEdge):
        return value
    if not isinstance(value, Sequence) or len(value) not in (2, 3) or not all(_is_whole(end) for end in value[:2]):
        raise InvalidInput(f"an edge in {of} is not (u, v) or (u, v, {{'score': s}})")
    more = value[2] if len(value) == 3 else {}
    score = more.get("score") if isinstance(more, Mapping) else None
    if not isinstance(more, Mapping) or not isinstance(score, int | float | None) or isinstance(score, bool):
        raise InvalidInput(f"the third part of an edge in {of} is not {{'score': s}}")
    return CandidateEdge(int(value[0]), int(value[1]), None if score is None else float(score))


def _norm_spec(value: Any) -> NormSpec | None:
    """A norm spec from its plain form; `effective` and `intuitive` may hold their values nested, as L1 writes them."""
    if value is None or isinstance(value, NormSpec):
        return value
    if not isinstance(value, Mapping):
        raise InvalidInput("norm_spec is a mapping")
    flat = {name: item for name, item in value.items() if name not in _NESTED}
    for name, inner_names in _NESTED.items():
        nested = value.get(name, {})
        if not isinstance(nested, Mapping) or nested.keys() - set(inner_names):
            raise InvalidInput(f"{name} in norm_spec is a mapping of {' and '.join(inner_names)}")
        flat |= nested
    names = [each.name for each in fields(NormSpec)]
    if flat.keys() - set(names):
        hint = f"it has {', '.join([*names, *_NESTED])}"
        raise InvalidInput("norm_spec has an unknown key", hint=hint)
    spec = NormSpec(**flat)
    if not _is_share(spec.theta_link) or not _is_share(spec.theta_cand):
        raise InvalidInput("the thresholds of norm_spec are scores, 0 to 1")
    if spec.metric not in ("cosine", "l2") or not _is_whole(spec.dimension) or spec.dimension < 0:
        raise InvalidInput("norm_spec has a metric (cosine or l2) and a dimension (0 or more)")
    return spec
