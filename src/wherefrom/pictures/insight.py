"""A picture of a plan of insight as SVG: the neighbourhood of its relations before and after, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from wherefrom.lazy import np
from wherefrom.model.insight import Decision, InsightPlan
from wherefrom.pictures.svg import Drawing, Point, columns_of, count, plain

Pair = tuple[int, int]
_Labels = dict[int, tuple[str, Point, str]]

_MAX_NODES: Final = 60
_LABEL_COLUMNS: Final = 24
_WIDTH: Final = 600.0
_HEIGHT: Final = 500.0
_GAP: Final = 20.0
_TOP: Final = 64.0
# Room for labels between the outermost nodes and the panel's edge.
_INSET: Final = (96.0, 34.0)
_FONT: Final = 11.0
_CENTER: Final = "#1b6ca8"
_EXISTING: Final[Mapping[str, Any]] = {"stroke": "#a9b4c0", "stroke_width": 1.4}
_REJECTED: Final[Mapping[str, Any]] = {"stroke": "#8f99a3", "stroke_width": 0.8, "stroke_dasharray": "4 4"}
_NEW: Final = "#d9480f"
_NODE: Final[Mapping[str, Any]] = {"fill": "#ffffff", "stroke": "#52606d"}
# A spring layout settles in so many steps at these sizes.
_LAYOUT_STEPS: Final = 400
_GRAVITY: Final = 0.6
_GOLDEN_ANGLE: Final = 2.399963


@dataclass(frozen=True, slots=True)
class _Graph:
    """The nodes that are drawn, by number, the relations between them, and how many nodes did not fit."""

    titles: tuple[str, ...]
    centers: frozenset[int]
    existing: tuple[Pair, ...]
    accepted: Mapping[Pair, float]
    rejected: tuple[Pair, ...]
    nodes_left_out: int


def neighbourhood(plan: InsightPlan, *, rejected: bool = False) -> str:
    """Draw the relations that were there, and beside them the same with the accepted ones: one graph of all decisions
    that accepted any. The same plan gives the same picture, and nodes keep their places from one panel to the other.
    """
    decisions = [decision for decision in plan.decisions if decision.accepted] or list(plan.decisions)
    graph = _graph(plan, decisions, rejected=rejected)
    places = _layout(graph)
    labels = _labels(graph, places)
    size = 2 * _WIDTH + 3 * _GAP, _TOP + _HEIGHT + 84
    svg = Drawing(*size, heading=_heading(plan), at=(_GAP, 28), font=_FONT)
    after = {"proposed": "as proposed", "applied": "applied", "undone": "undone since"}[plan.state]
    links = count(len(graph.existing), "link")
    heads = f"before: {links}", f"after, {after}: {len(graph.existing):,} + {count(len(graph.accepted), 'link')}"
    for panel, head in enumerate(heads):
        left = _GAP + panel * (_WIDTH + _GAP)
        svg.text(left, _TOP - 10, head, font_size=13)
        with svg.moved(left, _TOP):
            _draw_panel(svg, graph, places, labels, after=panel == 1)
    center = "fits the question" if "query" in plan.asked else "judged"
    _draw_legend(svg, center=center, top=_TOP + _HEIGHT + 22, rejected=bool(graph.rejected))
    for number, line in enumerate(_caption(plan, decisions, graph)):
        svg.text(_GAP, _TOP + _HEIGHT + 48 + 18 * number, line, font_size=12)
    return str(svg)


def _graph(plan: InsightPlan, decisions: Sequence[Decision], *, rejected: bool) -> _Graph:
    """The graph to draw: ends of new relations first, then the centers and what is next to them, until it is full."""
    links = [link for decision in decisions for link in decision.links]
    new = {(link.source_id, link.target_id): link.weight for link in links if link.accepted}
    others = [(link.source_id, link.target_id) for link in links if rejected and not link.accepted]
    around = [pair for decision in decisions for pair in decision.around]
    centers = [center for decision in decisions for center in decision.center_ids]
    wanted = dict.fromkeys([*(end for pair in new for end in pair), *centers])
    near = [pair for pair in around if not wanted.keys().isdisjoint(pair)]
    wanted |= dict.fromkeys(end for pair in (*near, *others, *around) for end in pair)
    number = {node_id: index for index, node_id in enumerate(list(wanted)[:_MAX_NODES])}

    def drawn(pairs: Iterable[tuple[str, str]]) -> dict[Pair, tuple[str, str]]:
        """Each pair once, whichever way it points."""
        known = ((pair, (number[pair[0]], number[pair[1]])) for pair in pairs if number.keys() >= set(pair))
        return {(min(ends), max(ends)): pair for pair, ends in known if ends[0] != ends[1]}

    accepted = {ends: new[pair] for ends, pair in drawn(new).items()}
    names = {ref.id: ref.title for ref in plan.nodes}
    return _Graph(
        titles=tuple(plain(names.get(node_id) or f"…{node_id[-8:]}", 1_000) for node_id in number),
        centers=frozenset(number[c] for decision in plan.decisions for c in decision.center_ids if c in number),
        # What was accepted for one decision is there for those after it.
        existing=tuple(ends for ends in drawn(around) if ends not in accepted),
        accepted=accepted,
        rejected=tuple(ends for ends in drawn(others) if ends not in accepted),
        nodes_left_out=len(wanted) - len(number),
    )


def _layout(graph: _Graph) -> list[Point]:
    """The places of the nodes on a panel, by springs (Fruchterman–Reingold) from a fixed start: a spiral."""
    size = len(graph.titles)
    turns = np.arange(size)
    radii = np.sqrt((turns + 0.5) / max(size, 1)) / 2
    at = np.stack([np.cos(turns * _GOLDEN_ANGLE), np.sin(turns * _GOLDEN_ANGLE)], axis=1) * radii[:, None]
    pairs = np.array([*graph.existing, *graph.accepted], dtype=np.intp).reshape(-1, 2)
    length = 1 / max(size, 1) ** 0.5
    for step in range(_LAYOUT_STEPS if size else 0):
        apart = at[:, None, :] - at[None, :, :]
        squares = np.maximum((apart**2).sum(axis=2), 1e-6)
        moves = (apart * (length**2 / squares)[:, :, None]).sum(axis=1) - _GRAVITY * length * at
        along = at[pairs[:, 0]] - at[pairs[:, 1]]
        pull = along * (np.sqrt((along**2).sum(axis=1)) / length)[:, None]
        np.add.at(moves, pairs[:, 0], -pull)
        np.add.at(moves, pairs[:, 1], pull)
        sizes = np.maximum(np.sqrt((moves**2).sum(axis=1)), 1e-9)
        at = at + moves * (np.minimum(sizes, 0.1 * (1 - step / _LAYOUT_STEPS)) / sizes)[:, None]
    low, spread = (at.min(axis=0), np.ptp(at, axis=0)) if size else (0.0, np.ones(2))
    unit = np.where(spread > 1e-6, (at - low) / np.maximum(spread, 1e-6), 0.5)
    room = np.array([_WIDTH, _HEIGHT]) - 2 * np.array(_INSET)
    return [(x, y) for x, y in np.round(_INSET + unit * room, 1).tolist()]


def _labels(graph: _Graph, places: Sequence[Point]) -> _Labels:
    """The label of each node, its place and its anchor: right, left, below or above the node, where it covers least.
    One that would cover others is left out, unless its node is a center or an end of a new relation; its title is still
    there to point at.
    """
    prominent = graph.centers | {end for pair in graph.accepted for end in pair}
    at = np.array(places).reshape(-1, 2)
    taken = [*np.hstack([at - 8, at + 8])]
    ends = at[np.array([*graph.accepted, *graph.existing], dtype=np.intp).reshape(-1, 2)]
    lines = (ends[:, :1] + np.linspace(0, 1, 25)[:, None] * (ends[:, 1:] - ends[:, :1])).reshape(-1, 2)
    found: _Labels = {}
    for index in sorted(range(len(places)), key=lambda index: index not in prominent):
        words, (x, y), away = plain(graph.titles[index], _LABEL_COLUMNS), places[index], 11
        wide = _width(words) * (1.14 if index in graph.centers else 1.0)
        costs: list[tuple[float, int, float, Point, str, tuple[float, ...]]] = []
        for dx, dy, anchor, left in (
            (away, 4, "start", 0.0),
            (-away, 4, "end", wide),
            (0, away + 11, "middle", wide / 2),
            (0, -away - 3, "middle", wide / 2),
        ):
            low = np.array([x + dx - left, y + dy - _FONT])
            high = low + np.array([wide, _FONT + 3])
            outside = low.min() < 2 or high[0] > _WIDTH - 2 or high[1] > _HEIGHT - 2
            boxes = np.array([box for number, box in enumerate(taken) if number != index]).reshape(-1, 4)
            sides = np.minimum(high, boxes[:, 2:]) - np.maximum(low, boxes[:, :2])
            covered = float(sides.clip(0).prod(axis=1).sum())
            crossed = int(((lines >= low) & (lines <= high)).all(axis=1).sum())
            cost = covered + 4 * crossed + 1e6 * outside
            costs.append((cost, len(costs), covered, (x + dx, y + dy), anchor, (*low, *high)))
        _, _, covered, place, anchor, box = min(costs)
        if index in prominent or not covered:
            taken.append(np.array(box))
            found[index] = words, place, anchor
    return found


def _draw_panel(svg: Drawing, graph: _Graph, places: Sequence[Point], labels: _Labels, *, after: bool) -> None:
    svg.add("rect", width=_WIDTH, height=_HEIGHT, fill="none", stroke="#dde3e9")
    for a, b in graph.existing:
        svg.line(places[a], places[b], **_EXISTING)
    for a, b in graph.rejected if after else ():
        svg.line(places[a], places[b], **_REJECTED)
    for (a, b), weight in graph.accepted.items() if after else ():
        thick = 1.8 + 2.4 * max(0.0, min(1.0, weight))
        svg.line(places[a], places[b], _NEW, stroke_width=thick, stroke_linecap="round")
    for index, (x, y) in enumerate(places):
        _draw_node(svg, x, y, center=index in graph.centers, title=graph.titles[index])
    for index, (words, (x, y), anchor) in labels.items():
        style = {"text_anchor": anchor} | ({"font_weight": "bold"} if index in graph.centers else {})
        # A rim of white under the letters keeps them readable on lines.
        svg.text(x, y, words, **style, fill="white", stroke="white", stroke_width=3, stroke_linejoin="round")
        svg.text(x, y, words, **style)


def _draw_node(svg: Drawing, x: float, y: float, *, center: bool, title: str = "") -> None:
    if center:
        svg.add("circle", cx=x, cy=y, r=9, fill="none", stroke=_CENTER, stroke_width=1.5)
        svg.add("circle", cx=x, cy=y, r=5.5, fill=_CENTER, title=title)
    else:
        svg.add("circle", cx=x, cy=y, r=5, title=title, **_NODE)


def _draw_legend(svg: Drawing, *, center: str, top: float, rejected: bool) -> None:
    lines: dict[str, Mapping[str, Any]] = {
        "was there": _EXISTING,
        "new link, thicker with its weight": {"stroke": _NEW, "stroke_width": 3.4},
        **({"not worth making": _REJECTED} if rejected else {}),
    }
    left = _GAP
    for name in (*lines, center, "around it"):
        if name in lines:
            svg.line((left, top), (left + 26, top), **lines[name])
        else:
            _draw_node(svg, left + 13, top, center=name == center)
        svg.text(left + 34, top + 4, name)
        left += 58 + _width(name)


def _heading(plan: InsightPlan) -> str:
    if "memo_id" in plan.asked:
        names = {ref.id: ref.title for ref in plan.nodes}
        return f"Insight: {plain(names.get(plan.asked['memo_id']) or plan.asked['memo_id'], 100)}"
    # A plan that is read again no longer has the words of its question.
    return f"Insight: {plain(plan.asked.get('query', 'what is new'), 100) or 'a question'}"


def _caption(plan: InsightPlan, decisions: Sequence[Decision], graph: _Graph) -> Iterator[str]:
    measured = [decision.cycles[-1] for decision in decisions if decision.cycles]
    line = f"{count(len(plan.accepted), 'link')} worth making"
    if plan.rejected:
        line += f", {len(plan.rejected):,} judged and not"
    if len(measured) == 1:
        line += f"; g0 {measured[0].g0:+.3f}, gmin {measured[0].gmin:+.3f} at hop {measured[0].best_h}"
    elif measured:
        g0, gmin = sorted(cycle.g0 for cycle in measured), sorted(cycle.gmin for cycle in measured)
        span = f"g0 {g0[0]:+.3f} to {g0[-1]:+.3f}, gmin {gmin[0]:+.3f} to {gmin[-1]:+.3f}"
        line += f"; {count(len(measured), 'decision')}: {span}"
    yield line + " (smaller is better)" if measured else line
    if graph.nodes_left_out:
        yield f"{count(len(graph.titles), 'node')} drawn, {graph.nodes_left_out:,} more left out with their links"


def _width(text: str) -> float:
    """About how wide a text is drawn."""
    return columns_of(text) * _FONT * 0.58
