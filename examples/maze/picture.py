"""The picture of a walk: the maze with the graph's links, and what the gates saw, step by step."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import Any, Final

from maze import DIRECTIONS, Maze

Record = Mapping[str, Any]

_CELL: Final = 30
_MARGIN: Final = 24
_CHART_WIDTH: Final = 620
_PANEL_HEIGHT: Final = 150
_BEND: Final = 0.18
# Colours of Okabe and Ito, which people who see colours differently can tell apart too.
_BLUE, _ORANGE, _GREEN, _RED, _GREY = "#0072b2", "#e69f00", "#009e73", "#d55e00", "#999999"

_SCRIPT: Final = """
const said = JSON.parse(document.getElementById("steps").textContent);
const slider = document.getElementById("slider"), agent = document.getElementById("agent");
const cursors = document.querySelectorAll(".cursor"), parts = document.querySelectorAll("[data-from]");
function show() {
  const at = Number(slider.value), now = said[at];
  parts.forEach(part => { part.style.display = Math.max(at, part.dataset.from) === at ? "" : "none"; });
  agent.setAttribute("cx", now.x);
  agent.setAttribute("cy", now.y);
  cursors.forEach(line => { line.setAttribute("x1", now.t); line.setAttribute("x2", now.t); });
  document.getElementById("said").textContent = now.text;
}
function move(by) { slider.value = Number(slider.value) + by; show(); }
slider.addEventListener("input", show);
document.getElementById("back").addEventListener("click", () => move(-1));
document.getElementById("on").addEventListener("click", () => move(1));
show();
"""

_STYLE: Final = """
body { font: 15px/1.4 system-ui, sans-serif; margin: 1.5rem; color: #222; background: #fff; }
svg { max-width: 100%; height: auto; }
input[type=range] { width: 30rem; max-width: 60vw; vertical-align: middle; }
#said { min-height: 2.8em; max-width: 70rem; }
"""


def page(maze: Maze, records: Sequence[Record], *, title: str) -> str:
    """The picture as a page of its own, with a slider to step through; well-formed XML, nothing from elsewhere."""
    x = _across(len(records))
    steps = [
        {"x": _middle(each["position"][1]), "y": _middle(each["position"][0]), "t": x(each["step"]), "text": said(each)}
        for each in records
    ]
    data = json.dumps(steps, ensure_ascii=False).replace("<", "\\u003c").replace("&", "\\u0026")
    last = len(records) - 1
    return f"""<!DOCTYPE html>
<html lang="en" xmlns="http://www.w3.org/1999/xhtml">
<head><meta charset="utf-8" /><title>{escape(title)}</title><style>{_STYLE}</style></head>
<body>
<h1>{escape(title)}</h1>
<p><button id="back" type="button">back</button>
<input id="slider" type="range" min="0" max="{last}" value="{last}" aria-label="step" />
<button id="on" type="button">on</button></p>
<p id="said"></p>
{drawing(maze, records)}
<script id="steps" type="application/json">{data}</script>
<script>
//<![CDATA[
{_SCRIPT}
//]]>
</script>
</body>
</html>
"""


def drawing(maze: Maze, records: Sequence[Record]) -> str:
    """The end state as SVG: the maze on the left, two strip charts and what the marks mean on the right."""
    side = maze.size * _CELL + 2 * _MARGIN
    width, height = side + _CHART_WIDTH + _MARGIN, max(side, 610)
    parts = [
        *_ground(maze),
        *_walk(records),
        *_links(records),
        *_agent(records),
        f'<g transform="translate({side} {_MARGIN})">',
        *_chart(records),
        *_legend(405),
        "</g>",
    ]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    style = 'font-family="system-ui, sans-serif" font-size="12" fill="none"'
    return f'{head} {style}><rect width="{width}" height="{height}" fill="#ffffff" />{"".join(parts)}</svg>'


def said(record: Record) -> str:
    """What happened in a step, in words."""
    why = {
        "new": "takes a direction here that it never took",
        "seen": "walks to an opening that the graph shows",
        "plan": "goes on towards that opening",
        "least taken": "sees no opening, and takes the way it took least",
        "end": "ends here",
    }[record["why"]]
    parts = [f"Step {record['step']}, at row {record['position'][0]}, column {record['position'][1]}: {why}."]
    cycles = " → ".join(str(count) for count in record["candidates"])
    parts.append(f"Candidates: {cycles}; g0 {record['g0']:.3f}, gmin {record['gmin']:.3f} at hop {record['best_h']}.")
    if record["ag"]:
        more = f"L1 gave {record['expanded']} more" if record["expanded"] else "L1 had no more"
        parts.append(f"AG: g0 is above {record['theta_ag']:.3f}; {more}.")
    parts += [
        f"DG: g {link['g']:.3f} is at most {record['theta_dg']:.3f}: linked with the opening "
        f"{link['direction']} of row {link['to'][0]}, column {link['to'][1]}."
        for link in record["accepted"]
    ]
    return " ".join(parts)


def _ground(maze: Maze) -> Iterable[str]:
    """Start, goal, and the walls as one path."""
    for cell, colour, name in ((maze.start, "#dcecf7", "S"), (maze.goal, "#d5f0e6", "G")):
        left, top = _edge(cell[1]), _edge(cell[0])
        yield f'<rect x="{left}" y="{top}" width="{_CELL}" height="{_CELL}" fill="{colour}" />'
        yield f'<text x="{left + 3}" y="{top + 11}" font-size="10" fill="#555555">{name}</text>'
    walls = []
    for cell in maze.passages:
        left, top = _edge(cell[1]), _edge(cell[0])
        walls += [f"M{left} {top}h{_CELL}"] if not maze.is_open(cell, "N") else []
        walls += [f"M{left} {top}v{_CELL}"] if not maze.is_open(cell, "W") else []
    end = _edge(maze.size)
    walls.append(f"M{_MARGIN} {end}H{end}V{_MARGIN}")
    yield f'<path d="{"".join(walls)}" stroke="#222222" stroke-width="2" stroke-linecap="square" />'


def _walk(records: Sequence[Record]) -> Iterable[str]:
    """Each step of the walk, drawn over the ones before: what was walked often is dark."""
    for before, after in itertools.pairwise(records):
        one, other = _center(before["position"]), _center(after["position"])
        yield _line(one, other, f'stroke="{_BLUE}" stroke-width="5" stroke-opacity="0.25"', since=after["step"])
    for record in records:
        if record["ag"]:
            x, y = _center(record["position"])
            since = f'data-from="{record["step"]}"'
            yield f'<circle cx="{x}" cy="{y}" r="8" stroke="{_RED}" stroke-width="1.5" {since} />'


def _links(records: Sequence[Record]) -> Iterable[str]:
    """Accepted links as arcs, from the cell to the opening: a dot at the side of its cell.

    Those that were accepted for the ways they shorten are thick.
    """
    for record in records:
        for link in record["accepted"]:
            (x1, y1), (x2, y2) = _center(link["from"]), _opening(link["to"], link["direction"])
            x, y = (x1 + x2) / 2 - _BEND * (y2 - y1), (y1 + y2) / 2 + _BEND * (x2 - x1)
            since, wide = f'data-from="{record["step"]}"', 2.6 if link["delta_sp"] > 0 else 1.1
            yield (
                f'<path d="M{x1} {y1}Q{x:.1f} {y:.1f} {x2} {y2}" stroke="{_ORANGE}" stroke-width="{wide}" {since} />'
                f'<circle cx="{x2}" cy="{y2}" r="2.6" fill="{_ORANGE}" {since} />'
            )


def _agent(records: Sequence[Record]) -> Iterable[str]:
    x, y = _center(records[-1]["position"])
    yield f'<circle id="agent" cx="{x}" cy="{y}" r="6" fill="{_BLUE}" stroke="#ffffff" stroke-width="1.5" />'


def _chart(records: Sequence[Record]) -> Iterable[str]:
    """Above what AG looks at, below what DG looks at: they are measured on different scales."""
    # Without candidates g0 is taken over the whole graph, and the gates do not look at it.
    judged = [each for each in records if each["candidates"][0]]
    above = {"gmin": _GREEN, "g0": _BLUE, "theta_ag": _RED}
    below = {"best_link_g": _BLUE, "theta_dg": _RED}
    for top, title, lines, gate, colour in (
        (20, "g0, gmin and θ_AG: AG fires above", above, "ag", _RED),
        (215, "the least g of a link and θ_DG: DG accepts below", below, "dg", _ORANGE),
    ):
        x, bottom = _across(len(records)), top + _PANEL_HEIGHT
        yield f'<text x="0" y="{top - 8}" fill="#222222">{escape(title)}</text>'
        yield from _curves(judged, lines, x=x, top=top)
        for record in judged:
            if record[gate]:
                yield f'<path d="M{x(record["step"])} {bottom + 2}l-4 8h8z" fill="{colour}" />'
        ends = f'x1="{x(len(records) - 1)}" y1="{top}" x2="{x(len(records) - 1)}" y2="{bottom}"'
        yield f'<line class="cursor" {ends} stroke="{_GREY}" />'


def _curves(
    records: Sequence[Record], lines: Mapping[str, str], *, x: Callable[[int], float], top: int
) -> Iterable[str]:
    """The lines of a chart. One value in fifty may be cut off at either end, or a single one would flatten the rest."""
    values: list[float] = sorted(each[name] for name in lines for each in records) or [0.0]
    low, high = min(values[len(values) // 50], -0.1), max(values[-1 - len(values) // 50], 0.1)

    def y(value: float) -> float:
        return round(top + _PANEL_HEIGHT * (high - min(max(value, low), high)) / (high - low), 1)

    for value in (low, 0.0, high):
        yield f'<path d="M40 {y(value)}H{_CHART_WIDTH}" stroke="#dddddd" />'
        if value == 0.0 or abs(y(value) - y(0.0)) > 12:
            yield f'<text x="36" y="{y(value) + 4}" text-anchor="end" fill="#555555">{value:.2f}</text>'
    for name, colour in lines.items():
        points = " ".join(f"{x(each['step'])},{y(each[name])}" for each in records)
        style = {"gmin": ' stroke-width="3" stroke-opacity="0.6"'}.get(name, ' stroke-width="1.2"')
        dashes = ' stroke-dasharray="5 3"' if name.startswith("theta") else ""
        yield f'<polyline points="{points}" stroke="{colour}"{style}{dashes} />'


def _legend(top: int) -> Iterable[str]:
    stroke = '<path d="M0 -4h24" stroke="{}" stroke-width="{}" {}/>'.format
    dot = f'<circle cx="24" cy="-4" r="2.6" fill="{_ORANGE}" />'
    marks = f'<path d="M4 0l4 -8l4 8z" fill="{_RED}" /><path d="M16 0l4 -8l4 8z" fill="{_ORANGE}" />'
    entries = (
        (stroke(_BLUE, 5, 'stroke-opacity="0.5" '), "the walk, darker where it went often"),
        (stroke(_ORANGE, 2.6, "") + dot, "a link to an opening, accepted for the ways it shortens"),
        (stroke(_ORANGE, 1.1, "") + dot, "a link accepted without that"),
        (f'<circle cx="12" cy="-4" r="8" stroke="{_RED}" stroke-width="1.5" />', "a cell where AG fired"),
        (marks, "steps at which AG fired, and at which DG accepted a link"),
        (stroke(_BLUE, 1.2, ""), "g0 above, the least g of a link below"),
        (stroke(_GREEN, 3, 'stroke-opacity="0.6" '), "gmin; where it is not seen it is g0"),
        (stroke(_RED, 1.2, 'stroke-dasharray="5 3" '), "the thresholds θ_AG and θ_DG"),
    )
    for number, (sign, text) in enumerate(entries):
        place = f'transform="translate(40 {top + 22 * number})"'
        yield f'<g {place}>{sign}<text x="36" fill="#222222">{escape(text)}</text></g>'


def _line(one: Sequence[float], other: Sequence[float], style: str, *, since: int) -> str:
    ends = f'x1="{one[0]}" y1="{one[1]}" x2="{other[0]}" y2="{other[1]}"'
    return f'<line {ends} {style} stroke-linecap="round" data-from="{since}" />'


def _across(total: int) -> Callable[[int], float]:
    return lambda step: round(40 + (_CHART_WIDTH - 40) * step / max(total - 1, 1), 1)


def _edge(index: int) -> int:
    return _MARGIN + index * _CELL


def _middle(index: int) -> int:
    return _edge(index) + _CELL // 2


def _center(position: Sequence[int]) -> tuple[int, int]:
    return _middle(position[1]), _middle(position[0])


def _opening(position: Sequence[int], direction: str) -> tuple[int, int]:
    x, y = _center(position)
    down, right = DIRECTIONS[direction]
    return x + right * _CELL // 3, y + down * _CELL // 3
