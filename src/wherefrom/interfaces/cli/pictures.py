"""Pictures of results as SVG: the plan of a metabolism, the reliability of scores, and the plan of an insight."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from typing import Any, Final

from rich.cells import cell_len, set_cell_size

from wherefrom.interfaces.cli.cells import count
from wherefrom.lazy import np
from wherefrom.model.identifiers import short_id
from wherefrom.model.insight import Decision, InsightPlan
from wherefrom.model.metabolism import Histogram, MetabolismPlan
from wherefrom.model.policies import CalibrationReport

Point = tuple[float, float]
Pair = tuple[int, int]
_Labels = dict[int, tuple[str, Point, str]]

_INK, _GRID = "#1f2933", "#e3e8ed"
# A chart: its size, the place of the first, the distance to the second, and the size of letters.
_WIDTH, _HEIGHT, _LEFT, _TOP, _PITCH, _FONT = 440.0, 270.0, 100.0, 96.0, 560.0, 13.0
# Told apart by lightness as well as by hue.
_ASTRIDE: Final = "#d9a520"
_LEGEND: Final = {
    "#c2410c": "below the cut: may go, unless a rule spares it",
    "#8fbbd9": "above the cut",
    _ASTRIDE: "the cut is inside this bar",
}
_BELOW, _ABOVE, _ = _LEGEND
_CURVES: Final = ("#9ecae1", "#1b6ca8", "#fdae6b", "#c8553d")
_DASHES: Final[Mapping[str, Any]] = {"stroke_width": 2, "stroke_dasharray": "6 4"}
_MAX_LINEAR_RATIO: Final = 100  # counts that differ by a larger factor are drawn on a log scale
_LOG_FLOOR: Final = 0.5  # on a log scale a single one is still a bar: the axis starts at half
# The graph of a plan, on two panels side by side.
_PANEL_WIDTH, _PANEL_HEIGHT, _PANEL_TOP, _GAP, _LABEL_FONT = 600.0, 500.0, 64.0, 20.0, 11.0
_COLUMN_WIDTH: Final = _LABEL_FONT * 0.58
_MAX_NODES: Final = 60
_LABEL_COLUMNS: Final = 24
_INSET: Final = (96.0, 34.0)  # room for labels between the outermost nodes and the panel's edge
_CENTER: Final = "#1b6ca8"
_EXISTING: Final[Mapping[str, Any]] = {"stroke": "#a9b4c0", "stroke_width": 1.4}
_REJECTED: Final[Mapping[str, Any]] = {"stroke": "#8f99a3", "stroke_width": 0.8, "stroke_dasharray": "4 4"}
_NEW: Final = "#d9480f"
_NODE: Final[Mapping[str, Any]] = {"fill": "#ffffff", "stroke": "#52606d"}
_LAYOUT_STEPS: Final = 400  # a spring layout of this size has settled by then
_GRAVITY: Final = 0.6
_GOLDEN_ANGLE: Final = 2.399963


class Drawing:
    """An SVG picture that grows by elements."""

    def __init__(self, width: float, height: float, *, heading: str, at: Point, font: float) -> None:
        self._parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" font-family="sans-serif"'
            f' font-size="{font:g}" fill="{_INK}" role="img" aria-label="{escape(heading)}">'
        ]
        self.add("rect", width=width, height=height, fill="white")
        self.text(*at, heading, font_size=font + 4)

    def add(self, element: str, words: str = "", *, title: str = "", **attributes: Any) -> None:
        """Add an element with its words. title: shown when a reader points at the element."""
        given = "".join(f' {name.replace("_", "-")}="{_shown(value)}"' for name, value in attributes.items())
        inner = escape(words) + (f"<title>{escape(title)}</title>" if title else "")
        self._parts.append(f"<{element}{given}>{inner}</{element}>" if inner else f"<{element}{given}/>")

    def text(self, x: float, y: float, words: str, **attributes: Any) -> None:
        """Write words from a point on, or around it with another `text_anchor`."""
        self.add("text", words, x=x, y=y, **attributes)

    def line(self, start: Point, end: Point, stroke: str, **attributes: Any) -> None:
        """Draw a line from one point to another."""
        self.add("line", x1=start[0], y1=start[1], x2=end[0], y2=end[1], stroke=stroke, **attributes)

    def axes(self, names: tuple[str, str], x: Mapping[float, str], y: Mapping[float, str]) -> None:
        """Draw the frame of a chart, from its upper left corner: x from the left and y from the bottom up, as shares of
        the frame with the words that stand there, and the names of both.
        """
        self.add("rect", width=_WIDTH, height=_HEIGHT, fill="none", stroke=_GRID)
        for share, words in x.items():
            self.line((share * _WIDTH, _HEIGHT), (share * _WIDTH, _HEIGHT + 5), _INK)
            self.text(share * _WIDTH, _HEIGHT + 20, words, text_anchor="middle")
        for share, words in y.items():
            at = _HEIGHT * (1 - share)
            self.line((0, at), (_WIDTH, at), _GRID)
            self.text(-8, at + 4.5, words, text_anchor="end")
        self.text(_WIDTH / 2, _HEIGHT + 42, names[0], text_anchor="middle")
        self.add("text", names[1], transform=f"translate(-84 {_HEIGHT / 2:g}) rotate(-90)", text_anchor="middle")

    @contextmanager
    def moved(self, x: float, y: float) -> Iterator[None]:
        """Draw what is added inside from another origin."""
        self._parts.append(f'<g transform="translate({x:g} {y:g})">')
        yield
        self._parts.append("</g>")

    def __str__(self) -> str:
        return "\n".join([*self._parts, "</svg>"]) + "\n"


def distributions(plan: MetabolismPlan) -> str:
    """Draw two histograms: the thickness of relations with the threshold, and the restoration difficulty of weak nodes
    with the benefit. What is left of a cut may go, unless another rule spares it.
    """
    done = {"planned": "plan", "applied": "before the run"}[plan.state]
    heading = f"Metabolism of {_plain(plan.root_namespace, 60)}, {plan.created_at[:10]} ({done})"
    svg = Drawing(_LEFT + _PITCH + _WIDTH + 28, _TOP + _HEIGHT + 96, heading=heading, at=(_LEFT, 32), font=_FONT)
    with svg.moved(_LEFT, _TOP):
        heads = "Thickness of relations", "relation", "thickness"
        _draw_histogram(svg, plan.thickness, *heads, cut="threshold", empty="no relations")
    with svg.moved(_LEFT + _PITCH, _TOP):
        heads = "Restoration difficulty of weak nodes", "node", "1 − similarity to the nearest"
        _draw_histogram(svg, plan.difficulty, *heads, cut="benefit", empty="no weak nodes were compared")
    left, top, drawn = _LEFT + 83, _TOP + _HEIGHT + 72, str(svg)
    svg.line((_LEFT, top - 4.5), (_LEFT + 26, top - 4.5), _INK, **_DASHES)
    svg.text(_LEFT + 33, top, "cut")
    for colour, name in _LEGEND.items():
        if colour in drawn:
            svg.add("rect", x=left, y=top - 11, width=13, height=13, fill=colour)
            svg.text(left + 20, top, name)
            left += 48 + len(name) * _FONT * 0.5
    return str(svg)


def _draw_histogram(
    svg: Drawing, histogram: Histogram | None, head: str, noun: str, axis: str, *, cut: str, empty: str
) -> None:
    counts = histogram.counts if histogram else ()
    total, highest = sum(counts), max(counts, default=0)
    svg.text(0, -28, head + (f": {count(total, noun)}" if total else ""), font_size=15, font_weight="bold")
    logarithmic = highest > _MAX_LINEAR_RATIO * min((number for number in counts if number), default=1)

    def share(number: int) -> float:
        if logarithmic:
            return 0.94 * math.log(max(number / _LOG_FLOOR, 1)) / math.log(highest / _LOG_FLOOR)
        return 0.94 * number / highest

    upward = {share(tick): f"{tick:,}" for tick in _ticks(highest, logarithmic=logarithmic)} if total else {}
    upward_name = f"number of {noun}s{', log scale' if logarithmic else ''}" if total else ""
    svg.axes((axis, upward_name), {step / 10: f"{step / 10:g}" for step in range(11)}, upward)
    if not total:
        svg.text(_WIDTH / 2, _HEIGHT / 2, empty if histogram else "not measured", text_anchor="middle", font_size=15)
    if histogram is None:
        return
    parts = len(counts)
    for part, number in enumerate(counts):
        if number:
            at = histogram.cut * parts
            colour = _BELOW if part + 1 <= at + 1e-9 else _ABOVE if part >= at - 1e-9 else _ASTRIDE
            x, width, tall = _WIDTH * part / parts + 0.75, _WIDTH / parts - 1.5, _HEIGHT * share(number)
            title = f"{part / parts:.3g} to {(part + 1) / parts:.3g}: {number:,}"
            svg.add("rect", title=title, x=x, y=_HEIGHT - tall, width=width, height=tall, fill=colour)
    x = _WIDTH * max(0.0, min(1.0, histogram.cut))
    svg.line((x, -8), (x, _HEIGHT), _INK, **_DASHES)
    # Near the right edge the words stand left of the line.
    anchor, away = ("end", -6) if x > _WIDTH * 0.7 else ("start", 6)
    svg.text(x + away, -8, f"{cut} {histogram.cut:.4g}", text_anchor=anchor)


def _ticks(highest: int, *, logarithmic: bool) -> list[int]:
    """Return round counts from the bottom to the highest."""
    if logarithmic:
        return [10**power for power in range(len(str(highest)))]
    unit = 10 ** (len(str(highest)) - 1)
    step = next(step for step in (unit // 5, unit // 2, unit, 2 * unit) if step and highest / step <= 6)
    return list(range(0, highest + 1, step))


def reliability(fitted: CalibrationReport) -> str:
    """Draw the share of relevant candidates by score: a score that means what it says lies on the diagonal."""
    high = max((share for curve in fitted.curves.values() for _, share, _ in curve), default=1.0) or 1.0
    heading = f"Reliability, {fitted.method}: {fitted.candidates:,} judged candidates"
    svg = Drawing(_LEFT + _WIDTH + 160, _HEIGHT + 120, heading=heading, at=(_LEFT, 32), font=_FONT)
    fifths = [step / 5 for step in range(6)]
    with svg.moved(_LEFT, 60):
        names = "score", "share of relevant candidates"
        svg.axes(names, {x: f"{x:g}" for x in fifths}, {y: f"{high * y:.2f}" for y in fifths})
        end = min(high, 1)
        svg.line((0, _HEIGHT), (_WIDTH * end, _HEIGHT * (1 - end / high)), "#999999", stroke_dasharray="4 4")
        for number, (name, curve) in enumerate(fitted.curves.items()):
            colour = _CURVES[number % len(_CURVES)]
            points = [(_WIDTH * score, _HEIGHT * (1 - share / high)) for score, share, _ in curve]
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
            svg.add("polyline", points=path, fill="none", stroke=colour, stroke_width=2)
            for x, y in points:
                svg.add("circle", cx=x, cy=y, r=3, fill=colour)
            svg.add("rect", x=_WIDTH + 16, y=20 * number, width=12, height=12, fill=colour)
            svg.text(_WIDTH + 34, 20 * number + 10, name)
    return str(svg)


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
    # A plan that is read again no longer has the words of its question.
    subject = plan.asked.get("query", "what is new") or "a question"
    if node_id := plan.asked.get("memo_id"):
        subject = next((ref.title for ref in plan.nodes if ref.id == node_id), None) or short_id(node_id)
    size = 2 * _PANEL_WIDTH + 3 * _GAP, _PANEL_TOP + _PANEL_HEIGHT + 84
    svg = Drawing(*size, heading=f"Insight: {_plain(subject, 100)}", at=(_GAP, 28), font=_LABEL_FONT)
    after = {"proposed": "as proposed", "applied": "applied", "undone": "undone since"}[plan.state]
    new = count(len(graph.accepted), "relation")
    heads = f"before: {count(len(graph.existing), 'relation')}", f"after, {after}: {len(graph.existing):,} + {new}"
    for panel, head in enumerate(heads):
        left = _GAP + panel * (_PANEL_WIDTH + _GAP)
        svg.text(left, _PANEL_TOP - 10, head, font_size=13)
        with svg.moved(left, _PANEL_TOP):
            _draw_panel(svg, graph, places, labels, after=panel == 1)
    _draw_legend(svg, "fits the question" if "query" in plan.asked else "judged", rejected=bool(graph.rejected))
    for number, line in enumerate(_caption(plan, decisions, graph)):
        svg.text(_GAP, _PANEL_TOP + _PANEL_HEIGHT + 48 + 18 * number, line, font_size=12)
    return str(svg)


def _graph(plan: InsightPlan, decisions: Sequence[Decision], *, rejected: bool) -> _Graph:
    """Return the graph to draw: ends of new relations first, then the centers and those around, until it is full."""
    judged = [((edge.source_id, edge.target_id), edge) for decision in decisions for edge in decision.links]
    new = {pair: edge.weight for pair, edge in judged if edge.accepted}
    others = [pair for pair, edge in judged if rejected and not edge.accepted]
    around = [pair for decision in decisions for pair in decision.around]
    centers = [center for decision in decisions for center in decision.center_ids]
    wanted = dict.fromkeys([*(end for pair in new for end in pair), *centers])
    near = [pair for pair in around if not wanted.keys().isdisjoint(pair)]
    wanted |= dict.fromkeys(end for pair in (*near, *others, *around) for end in pair)
    number = {node_id: index for index, node_id in enumerate(list(wanted)[:_MAX_NODES])}

    def drawn(pairs: Iterable[tuple[str, str]]) -> dict[Pair, tuple[str, str]]:
        """Return each pair of drawn nodes once, whichever way it points."""
        known = ((pair, sorted(number[end] for end in pair)) for pair in pairs if number.keys() >= set(pair))
        return {(low, high): pair for pair, (low, high) in known if low != high}

    accepted = {ends: new[pair] for ends, pair in drawn(new).items()}
    names = {ref.id: ref.title for ref in plan.nodes}
    return _Graph(
        titles=tuple(_plain(names.get(node_id) or short_id(node_id), 1_000) for node_id in number),
        centers=frozenset(number[c] for decision in plan.decisions for c in decision.center_ids if c in number),
        # A relation that one decision accepted is there for the decisions after it.
        existing=tuple(ends for ends in drawn(around) if ends not in accepted),
        accepted=accepted,
        rejected=tuple(ends for ends in drawn(others) if ends not in accepted),
        nodes_left_out=len(wanted) - len(number),
    )


def _layout(graph: _Graph) -> list[Point]:
    """Return the places of the nodes on a panel, by springs (Fruchterman–Reingold) from a fixed start: a spiral."""
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
    room = np.array([_PANEL_WIDTH, _PANEL_HEIGHT]) - 2 * np.array(_INSET)
    return [(x, y) for x, y in np.round(_INSET + unit * room, 1).tolist()]


def _labels(graph: _Graph, places: Sequence[Point]) -> _Labels:
    """Return the label, its place and its anchor for each node: right, left, below or above it, where it covers least.
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
        words, (x, y), away = _plain(graph.titles[index], _LABEL_COLUMNS), places[index], 11
        wide = cell_len(words) * _COLUMN_WIDTH * (1.14 if index in graph.centers else 1.0)
        boxes = np.array([box for number, box in enumerate(taken) if number != index]).reshape(-1, 4)
        costs: list[tuple[float, int, float, Point, str, tuple[float, ...]]] = []
        sideways = (away, 4, "start", 0.0), (-away, 4, "end", wide)
        upright = (0, away + 11, "middle", wide / 2), (0, -away - 3, "middle", wide / 2)
        for dx, dy, anchor, left in (*sideways, *upright):
            low = np.array([x + dx - left, y + dy - _LABEL_FONT])
            high = low + np.array([wide, _LABEL_FONT + 3])
            outside = low.min() < 2 or high[0] > _PANEL_WIDTH - 2 or high[1] > _PANEL_HEIGHT - 2
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
    svg.add("rect", width=_PANEL_WIDTH, height=_PANEL_HEIGHT, fill="none", stroke="#dde3e9")
    for a, b in graph.existing:
        svg.line(places[a], places[b], **_EXISTING)
    for a, b in graph.rejected if after else ():
        svg.line(places[a], places[b], **_REJECTED)
    for (a, b), weight in graph.accepted.items() if after else ():
        width = 1.8 + 2.4 * max(0.0, min(1.0, weight))
        svg.line(places[a], places[b], _NEW, stroke_width=width, stroke_linecap="round")
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


def _draw_legend(svg: Drawing, center: str, *, rejected: bool) -> None:
    new = {"stroke": _NEW, "stroke_width": 3.4}
    lines: dict[str, Mapping[str, Any]] = {"was there": _EXISTING, "new relation, thicker with its weight": new}
    if rejected:
        lines["not worth making"] = _REJECTED
    left, top = _GAP, _PANEL_TOP + _PANEL_HEIGHT + 22
    for name in (*lines, center, "around it"):
        if name in lines:
            svg.line((left, top), (left + 26, top), **lines[name])
        else:
            _draw_node(svg, left + 13, top, center=name == center)
        svg.text(left + 34, top + 4, name)
        left += 58 + cell_len(name) * _COLUMN_WIDTH


def _caption(plan: InsightPlan, decisions: Sequence[Decision], graph: _Graph) -> Iterator[str]:
    measured = [decision.cycles[-1] for decision in decisions if decision.cycles]
    others = f", {len(plan.rejected):,} judged and not" if plan.rejected else ""
    line = f"{count(len(plan.accepted), 'relation')} worth making{others}"
    if len(measured) == 1:
        line += f"; g0 {measured[0].g0:+.3f}, gmin {measured[0].gmin:+.3f} at hop {measured[0].best_h}"
    elif measured:
        g0, gmin = sorted(cycle.g0 for cycle in measured), sorted(cycle.gmin for cycle in measured)
        span = f"g0 {g0[0]:+.3f} to {g0[-1]:+.3f}, gmin {gmin[0]:+.3f} to {gmin[-1]:+.3f}"
        line += f"; {count(len(measured), 'decision')}: {span}"
    yield line + " (smaller is better)" if measured else line
    if graph.nodes_left_out:
        yield f"{count(len(graph.titles), 'node')} drawn, {graph.nodes_left_out:,} more left out with their relations"


def _plain(text: str, columns: int) -> str:
    """Return a text on one line, cut to so many columns; what XML cannot hold or would hide letters is replaced."""
    line = "".join(c if c.isprintable() else "\ufffd" for c in " ".join(text[:1_000].split()))
    return line if cell_len(line) <= columns else set_cell_size(line, columns - 1).rstrip() + "…"


def _shown(value: object) -> str:
    return f"{round(value, 2):g}" if isinstance(value, float) else escape(str(value))
