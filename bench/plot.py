"""Draws results: how the cost of search grows (`docs/reference/search-growth.svg`, called by `bench.table`), and shares
against shares (`docs/reference/insight-hops.svg`, called by `bench.insight_hops`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 720, 400, 70, 30, 230, 50
COLOURS = ("#1b6ca8", "#c8553d", "#3a7d44", "#8e5ea2", "#b8860b", "#444444", "#aaaaaa")
PANEL, GAP, LEGEND = 250, 55, 210


def growth(sizes: Sequence[int], lines: Mapping[str, Sequence[float | None]]) -> str:
    """Milliseconds by number of memos, both axes logarithmic."""
    values = [value for line in lines.values() for value in line if value]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    first, last = math.log10(sizes[0]), math.log10(sizes[-1])

    def x(size: float) -> float:
        return LEFT + (math.log10(size) - first) / max(last - first, 1e-9) * (WIDTH - LEFT - RIGHT)

    def y(value: float) -> float:
        return HEIGHT - BOTTOM - (math.log10(value) - low) / max(high - low, 1) * (HEIGHT - TOP - BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="18" font-size="14">Cost of search by size of the memory (p50, milliseconds)</text>',
    ]
    for power in range(low, high + 1):
        at = y(10.0**power)
        parts.append(f'<line x1="{LEFT}" y1="{at:.1f}" x2="{WIDTH - RIGHT}" y2="{at:.1f}" stroke="#dddddd"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{10.0**power:g} ms</text>')
    parts += [
        f'<text x="{x(size):.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">{size:,}</text>' for size in sizes
    ]
    parts.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{HEIGHT - 8}" text-anchor="middle">memos</text>')
    for line, colour in zip(lines.values(), COLOURS, strict=False):
        points = [(x(size), y(value)) for size, value in zip(sizes, line, strict=True) if value]
        path = " ".join(f"{px:.1f},{py:.1f}" for px, py in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3" fill="{colour}"/>' for px, py in points]
    ends = sorted((y(last), name, colour, last) for (name, last), colour in _last_values(lines))
    floor = 0.0
    for at, name, colour, value in ends:
        floor = max(at, floor + 16)
        parts.append(f'<text x="{WIDTH - RIGHT + 10}" y="{floor + 4:.1f}" fill="{colour}">{name}: {value:g} ms</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def shares(title: str, panels: Mapping[str, Mapping[str, Mapping[float, float]]], *, below: str) -> str:
    """Percentages by percentages, axes linear: a panel for each name, in it a line for each chooser."""
    width = LEFT + len(panels) * (PANEL + GAP) + LEGEND
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="18" font-size="14">{title}</text>',
        f'<text x="{LEFT}" y="{HEIGHT - 8}">{below}</text>',
    ]
    for number, (name, lines) in enumerate(panels.items()):
        parts += _panel(name, lines, left=LEFT + number * (PANEL + GAP))
    for number, (chooser, colour) in enumerate(zip(next(iter(panels.values())), COLOURS, strict=False)):
        left, top = LEFT + len(panels) * (PANEL + GAP) - GAP // 2, TOP + 40 + 20 * number
        parts.append(f'<line x1="{left}" y1="{top}" x2="{left + 20}" y2="{top}" stroke="{colour}" stroke-width="3"/>')
        parts.append(f'<text x="{left + 26}" y="{top + 4}">{chooser}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _panel(name: str, lines: Mapping[str, Mapping[float, float]], *, left: int) -> list[str]:
    values = [value for line in lines.values() for value in line.values()]
    step = 0.05
    low, high = math.floor(min(values) / step) * step, math.ceil(max(values) / step) * step
    far = max(share for line in lines.values() for share in line)
    top, bottom = TOP + 30, HEIGHT - BOTTOM - 10

    def x(share: float) -> float:
        return left + share / far * PANEL

    def y(value: float) -> float:
        return bottom - (value - low) / max(high - low, step) * (bottom - top)

    parts = [f'<text x="{left + PANEL / 2}" y="{top - 10}" text-anchor="middle" font-weight="bold">{name}</text>']
    for number in range(round((high - low) / step) + 1):
        value = low + number * step
        parts.append(
            f'<line x1="{left}" y1="{y(value):.1f}" x2="{left + PANEL}" y2="{y(value):.1f}" stroke="#dddddd"/>'
        )
        parts.append(f'<text x="{left - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{value:.0%}</text>')
    for number in range(5):
        share = far * number / 4
        parts.append(f'<text x="{x(share):.1f}" y="{bottom + 18}" text-anchor="middle">{share:.0%}</text>')
    # The first one on top.
    for line, colour in reversed(list(zip(lines.values(), COLOURS, strict=False))):
        path = " ".join(f"{x(share):.1f},{y(value):.1f}" for share, value in sorted(line.items()))
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x(s):.1f}" cy="{y(v):.1f}" r="2.5" fill="{colour}"/>' for s, v in line.items()]
    return parts


def _last_values(lines: Mapping[str, Sequence[float | None]]) -> list[tuple[tuple[str, float], Any]]:
    return [
        ((name, [value for value in line if value][-1]), colour)
        for (name, line), colour in zip(lines.items(), COLOURS, strict=False)
    ]
