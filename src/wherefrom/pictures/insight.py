"""A picture of a plan as SVG: the neighbourhood of its links before and after, side by side."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from wherefrom.model.insight import Decision, InsightPlan, ProposedLink

Pair = tuple[int, int]
Point = tuple[float, float]
Box = tuple[float, float, float, float]

_NODES: Final = 60
_LABEL_COLUMNS: Final = 24

_PANEL: Final = (600.0, 500.0)
_GAP: Final = 20.0
_TOP: Final = 64.0
_BOTTOM: Final = 84.0
# Room for labels between the outermost nodes and the panel's edge.
_INSET: Final = (96.0, 34.0)
_FONT: Final = 11.0

_EXISTING: Final = "#a9b4c0"
_NEW: Final = "#d9480f"
_REJECTED: Final = "#8f99a3"
_CENTER: Final = "#1b6ca8"
_NODE: Final = "#ffffff"
_INK: Final = "#1f2933"

# A spring layout settles in so many steps at these sizes.
_STEPS: Final = 400
_GRAVITY: Final = 0.6
_GOLDEN_ANGLE: Final = 2.399963


@dataclass(frozen=True, slots=True)
class _Label:
    """Where a label stands, and about what it covers."""

    at: Point
    anchor: str
    box: Box


@dataclass(frozen=True, slots=True)
class _Drawing:
    """What is drawn: nodes by number, their links by pairs of numbers, and how much was left out."""

    labels: tuple[str, ...]
    titles: tuple[str, ...]
    centers: frozenset[int]
    existing: tuple[Pair, ...]
    accepted: tuple[tuple[Pair, float], ...]
    rejected: tuple[Pair, ...]
    nodes_left_out: int

    @property
    def prominent(self) -> frozenset[int]:
        return self.centers | frozenset(end for pair, _ in self.accepted for end in pair)


def neighbourhood(plan: InsightPlan, *, rejected: bool = False) -> str:
    """The links that were there, and with the accepted ones: the decisions that accepted any, as one graph.

    The same plan gives the same picture. Nodes keep their places from one panel to the other.
    """
    decisions = [decision for decision in plan.decisions if decision.accepted] or list(plan.decisions)
    drawing = _drawing(plan, decisions, rejected=rejected)
    width, height = 2 * _PANEL[0] + 3 * _GAP, _TOP + _PANEL[1] + _BOTTOM
    places = [_on_panel(place) for place in _layout(len(drawing.labels), drawing)]
    labels = _label_places(drawing, places)
    after = {"proposed": "as proposed", "applied": "applied", "undone": "undone since"}[plan.state]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" font-family="sans-serif"'
        f' font-size="{_FONT:g}" fill="{_INK}" role="img">',
        f'<rect width="{width:g}" height="{height:g}" fill="white"/>',
        f'<text x="{_GAP:g}" y="28" font-size="15">{escape(_heading(plan))}</text>',
    ]
    links = len(drawing.existing)
    heads = (f"before: {_count(links, 'link')}", f"after, {after}: {links:,} + {_count(len(drawing.accepted), 'link')}")
    for number, head in enumerate(heads):
        left = _GAP + number * (_PANEL[0] + _GAP)
        parts.append(f'<text x="{left:g}" y="{_TOP - 10:g}" font-size="13">{escape(head)}</text>')
        parts.append(f'<g transform="translate({left:g} {_TOP:g})">')
        parts += _panel(drawing, places, labels, after=number == 1)
        parts.append("</g>")
    center = "fits the question" if "query" in plan.asked else "judged"
    parts += _legend(drawing, center=center, top=_TOP + _PANEL[1] + 22)
    for number, line in enumerate(_caption(plan, decisions, drawing)):
        at = _TOP + _PANEL[1] + 48 + 18 * number
        parts.append(f'<text x="{_GAP:g}" y="{at:g}" font-size="12">{escape(line)}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _drawing(plan: InsightPlan, decisions: Sequence[Decision], *, rejected: bool) -> _Drawing:
    """Prominent nodes first, then those next to them, until the picture is full."""
    accepted = [link for decision in decisions for link in decision.accepted]
    others = [link for decision in decisions for link in decision.links if rejected and not link.accepted]
    around = [pair for decision in decisions for pair in decision.around]
    # If not all fit, the ends of new links are what the picture is for.
    wanted = dict.fromkeys(end for link in accepted for end in _ends(link))
    wanted |= dict.fromkeys(center for decision in decisions for center in decision.center_ids)
    near = [end for pair in around if not wanted.keys().isdisjoint(pair) for end in pair]
    wanted |= dict.fromkeys(near)
    wanted |= dict.fromkeys(end for link in others for end in _ends(link))
    wanted |= dict.fromkeys(end for pair in around for end in pair)
    number = {node_id: index for index, node_id in enumerate(list(wanted)[:_NODES])}

    def inside(pairs: Iterator[tuple[str, str]]) -> dict[Pair, None]:
        """Each pair once, whichever way it points."""
        known = ((number[a], number[b]) for a, b in pairs if a in number and b in number and a != b)
        return dict.fromkeys((min(a, b), max(a, b)) for a, b in known)

    weights = {pair: link.weight for link in accepted for pair in inside(iter([_ends(link)]))}
    names = {ref.id: ref.title for ref in plan.nodes}
    titles = tuple(_plain(names.get(node_id) or f"…{node_id[-8:]}") for node_id in number)
    return _Drawing(
        labels=tuple(_cut(title, _LABEL_COLUMNS) for title in titles),
        titles=titles,
        centers=frozenset(number[c] for decision in plan.decisions for c in decision.center_ids if c in number),
        # Links that were accepted for one decision are there for those after it.
        existing=tuple(pair for pair in inside(iter(around)) if pair not in weights),
        accepted=tuple(weights.items()),
        rejected=tuple(pair for pair in inside(_ends(link) for link in others) if pair not in weights),
        nodes_left_out=len(wanted) - len(number),
    )


def _layout(count: int, drawing: _Drawing) -> list[Point]:
    """Places between 0 and 1 by springs (Fruchterman–Reingold), from a fixed start: a spiral."""
    import numpy as np

    turns = np.arange(count)
    radii = np.sqrt((turns + 0.5) / max(count, 1)) / 2
    at = np.stack([np.cos(turns * _GOLDEN_ANGLE), np.sin(turns * _GOLDEN_ANGLE)], axis=1) * radii[:, None]
    pairs = np.array([*drawing.existing, *(pair for pair, _ in drawing.accepted)], dtype=np.intp).reshape(-1, 2)
    length = 1 / max(count, 1) ** 0.5
    for step in range(_STEPS):
        apart = at[:, None, :] - at[None, :, :]
        squares = np.maximum((apart**2).sum(axis=2), 1e-6)
        moves = (apart * (length**2 / squares)[:, :, None]).sum(axis=1) - _GRAVITY * length * at
        along = at[pairs[:, 0]] - at[pairs[:, 1]]
        pull = along * (np.sqrt((along**2).sum(axis=1)) / length)[:, None]
        np.add.at(moves, pairs[:, 0], -pull)
        np.add.at(moves, pairs[:, 1], pull)
        sizes = np.maximum(np.sqrt((moves**2).sum(axis=1)), 1e-9)
        longest = 0.1 * (1 - step / _STEPS)
        at = at + moves * (np.minimum(sizes, longest) / sizes)[:, None]
    if not count:
        return []
    low, high = at.min(axis=0), at.max(axis=0)
    spread = np.where(high - low > 1e-6, high - low, 1.0)
    unit = np.where(high - low > 1e-6, (at - low) / spread, 0.5)
    return [(float(x), float(y)) for x, y in unit]


def _on_panel(place: Point) -> Point:
    (x, y), (width, height), (side, end) = place, _PANEL, _INSET
    return round(side + x * (width - 2 * side), 1), round(end + y * (height - 2 * end), 1)


def _label_places(drawing: _Drawing, places: Sequence[Point]) -> dict[int, _Label]:
    """Each label beside its node where it covers least; a lesser one that would cover others is left out (its title
    is still there to point at).
    """
    prominent = drawing.prominent
    taken = [_around(place, 10 if index in drawing.centers else 6) for index, place in enumerate(places)]
    lines = [(8, _points(places[a], places[b])) for (a, b), _ in drawing.accepted]
    lines += [(2, _points(places[a], places[b])) for a, b in drawing.existing]
    found: dict[int, _Label] = {}
    for index in sorted(range(len(places)), key=lambda index: index not in prominent):
        center = index in drawing.centers
        own = [box for number, box in enumerate(taken) if number != index]
        best = None
        for rank, label in enumerate(_beside(places[index], _width(drawing.labels[index], bold=center), center=center)):
            left, top, right, bottom = label.box
            outside = left < 2 or top < 2 or right > _PANEL[0] - 2 or bottom > _PANEL[1] - 2
            crossed = sum(price * _inside(point, label.box) for price, line in lines for point in line)
            covered = sum(_overlap(label.box, other) for other in own)
            cost = covered + crossed + rank + (1e6 if outside else 0)
            if best is None or cost < best[0]:
                best = (cost, covered, label)
        assert best is not None
        if index in prominent or best[1] == 0:
            taken.append(best[2].box)
            found[index] = best[2]
    return found


def _beside(place: Point, width: float, *, center: bool) -> Iterator[_Label]:
    """Where a label may stand: right, left, below, above, and aslant."""
    x, y = place
    away = 13 if center else 9
    for dx, dy, anchor in (
        (away, 4, "start"),
        (-away, 4, "end"),
        (0, away + 11, "middle"),
        (0, -away - 3, "middle"),
        (away - 3, away + 6, "start"),
        (3 - away, away + 6, "end"),
        (away - 3, -away, "start"),
        (3 - away, -away, "end"),
    ):
        left = x + dx - {"start": 0.0, "middle": width / 2, "end": width}[anchor]
        yield _Label((x + dx, y + dy), anchor, (left, y + dy - _FONT, left + width, y + dy + 3))


def _panel(drawing: _Drawing, places: Sequence[Point], labels: dict[int, _Label], *, after: bool) -> Iterator[str]:
    yield f'<rect width="{_PANEL[0]:g}" height="{_PANEL[1]:g}" fill="none" stroke="#dde3e9"/>'
    for pair in drawing.existing:
        yield _line(places, pair, f'stroke="{_EXISTING}" stroke-width="1.4"')
    if after:
        for pair in drawing.rejected:
            yield _line(places, pair, f'stroke="{_REJECTED}" stroke-width="0.8" stroke-dasharray="4 4"')
        for pair, weight in drawing.accepted:
            thick = 1.8 + 2.4 * max(0.0, min(1.0, weight))
            yield _line(places, pair, f'stroke="{_NEW}" stroke-width="{thick:.1f}" stroke-linecap="round"')
    for index, (x, y) in enumerate(places):
        title = f"<title>{escape(drawing.titles[index])}</title>"
        if index in drawing.centers:
            yield f'<circle cx="{x:g}" cy="{y:g}" r="9" fill="none" stroke="{_CENTER}" stroke-width="1.5"/>'
            yield f'<circle cx="{x:g}" cy="{y:g}" r="5.5" fill="{_CENTER}">{title}</circle>'
        else:
            yield f'<circle cx="{x:g}" cy="{y:g}" r="5" fill="{_NODE}" stroke="#52606d">{title}</circle>'
    for index, label in labels.items():
        text = escape(drawing.labels[index])
        bold = ' font-weight="bold"' if index in drawing.centers else ""
        at = f'<text x="{label.at[0]:.1f}" y="{label.at[1]:.1f}" text-anchor="{label.anchor}"{bold}'
        # A rim of white under the letters keeps them readable on lines.
        yield f'{at} fill="white" stroke="white" stroke-width="3" stroke-linejoin="round">{text}</text>'
        yield f"{at}>{text}</text>"


def _legend(drawing: _Drawing, *, center: str, top: float) -> Iterator[str]:
    entries = [
        ("was there", f'<line x2="26" stroke="{_EXISTING}" stroke-width="1.4"/>'),
        ("new link, thicker with its weight", f'<line x2="26" stroke="{_NEW}" stroke-width="3.4"/>'),
    ]
    if drawing.rejected:
        dashed = f'<line x2="26" stroke="{_REJECTED}" stroke-width="0.8" stroke-dasharray="4 4"/>'
        entries.append(("not worth making", dashed))
    ring = f'<circle cx="13" r="9" fill="none" stroke="{_CENTER}" stroke-width="1.5"/>'
    entries.append((center, f'{ring}<circle cx="13" r="5.5" fill="{_CENTER}"/>'))
    entries.append(("around it", f'<circle cx="13" r="5" fill="{_NODE}" stroke="#52606d"/>'))
    left = _GAP
    for name, mark in entries:
        yield f'<g transform="translate({left:g} {top:g})">{mark}<text x="34" y="4">{name}</text></g>'
        left += 34 + _width(name) + 24


def _heading(plan: InsightPlan) -> str:
    names = {ref.id: ref.title for ref in plan.nodes}
    if "query" in plan.asked:
        # A plan that is read again no longer has the words of its question.
        return f"Insight: {_cut(_plain(plan.asked['query']), 100) or 'a question'}"
    if "memo_id" in plan.asked:
        return f"Insight: {_cut(_plain(names.get(plan.asked['memo_id']) or plan.asked['memo_id']), 100)}"
    return "Insight: what is new"


def _caption(plan: InsightPlan, decisions: Sequence[Decision], drawing: _Drawing) -> Iterator[str]:
    measured = [decision.cycles[-1] for decision in decisions if decision.cycles]
    line = f"{_count(len(plan.accepted), 'link')} worth making"
    if plan.rejected:
        line += f", {len(plan.rejected):,} judged and not"
    if len(measured) == 1:
        line += f"; g0 {measured[0].g0:+.3f}, gmin {measured[0].gmin:+.3f} at hop {measured[0].best_h}"
    elif measured:
        g0, gmin = sorted(each.g0 for each in measured), sorted(each.gmin for each in measured)
        line += (
            f"; {_count(len(measured), 'decision')}: g0 {g0[0]:+.3f} to {g0[-1]:+.3f},"
            f" gmin {gmin[0]:+.3f} to {gmin[-1]:+.3f}"
        )
    yield line + " (smaller is better)" if measured else line
    if drawing.nodes_left_out:
        drawn = _count(len(drawing.labels), "node")
        yield f"{drawn} drawn, {drawing.nodes_left_out:,} more left out with their links"


def _ends(link: ProposedLink) -> tuple[str, str]:
    return link.source_id, link.target_id


def _line(places: Sequence[Point], pair: Pair, style: str) -> str:
    (x1, y1), (x2, y2) = places[pair[0]], places[pair[1]]
    return f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" {style}/>'


def _points(start: Point, end: Point) -> list[Point]:
    """Points along a line, close enough to notice a label that lies across it."""
    return [
        (start[0] + (end[0] - start[0]) * step / 24, start[1] + (end[1] - start[1]) * step / 24) for step in range(25)
    ]


def _around(place: Point, radius: float) -> Box:
    return place[0] - radius, place[1] - radius, place[0] + radius, place[1] + radius


def _inside(point: Point, box: Box) -> bool:
    return box[0] <= point[0] <= box[2] and box[1] <= point[1] <= box[3]


def _overlap(one: Box, other: Box) -> float:
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return max(0.0, width) * max(0.0, height)


def _plain(text: str) -> str:
    """Stored text on one line; what XML cannot hold, and what would turn or hide letters, is replaced."""
    return "".join(c if c.isprintable() else "\ufffd" for c in " ".join(text[:1_000].split()))


def _columns(character: str) -> int:
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _cut(text: str, columns: int) -> str:
    if sum(map(_columns, text)) <= columns:
        return text
    kept, room = "", columns - 1
    for character in text:
        room -= _columns(character)
        if room < 0:
            break
        kept += character
    return kept.rstrip() + "…"


def _width(text: str, *, bold: bool = False) -> float:
    """About how wide a label is drawn."""
    return sum(map(_columns, text)) * _FONT * (0.66 if bold else 0.58)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
