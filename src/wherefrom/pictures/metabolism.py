"""A picture of a metabolism plan as SVG: how thick relations are, how hard weak nodes are to restore, and the cuts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Final

from wherefrom.model.metabolism import Histogram, MetabolismPlan

_PANEL: Final = (440.0, 270.0)
_LEFT: Final = 100.0
_GAP: Final = 120.0
_RIGHT: Final = 28.0
_TOP: Final = 96.0
_BOTTOM: Final = 96.0
_FONT: Final = 13.0

# Told apart by lightness as well as by hue.
_BELOW: Final = "#c2410c"
_ABOVE: Final = "#8fbbd9"
_BOTH: Final = "#d9a520"
_INK: Final = "#1f2933"
_GRID: Final = "#e3e8ed"

# Counts that differ by more are drawn on a log scale.
_RANGE: Final = 100
# On a log scale a single one is still a bar: the axis starts at half.
_LOG_FLOOR: Final = 0.5


@dataclass(frozen=True, slots=True)
class _Panel:
    """One histogram and what is said about it."""

    histogram: Histogram | None
    head: str
    noun: str
    axis: str
    cut: str

    @property
    def counts(self) -> tuple[int, ...]:
        return self.histogram.counts if self.histogram else ()

    @property
    def logarithmic(self) -> bool:
        some = [number for number in self.counts if number]
        return bool(some) and max(some) > _RANGE * min(some)

    def colour(self, part: int) -> str:
        """Of one of the equal parts of [0, 1]: below the cut, above it, or with the cut inside."""
        assert self.histogram is not None
        cut, size = self.histogram.cut * len(self.counts), 1e-9
        if part + 1 <= cut + size:
            return _BELOW
        return _ABOVE if part >= cut - size else _BOTH


def distributions(plan: MetabolismPlan) -> str:
    """Two histograms side by side: thickness of relations with the threshold, and restoration difficulty of weak
    nodes with the benefit. What is left of a cut may go, unless another rule spares it.
    """
    panels = (
        _Panel(plan.thickness, "Thickness of relations", "relation", "thickness", "threshold"),
        _Panel(
            plan.difficulty, "Restoration difficulty of weak nodes", "node", "1 − similarity to the nearest", "benefit"
        ),
    )
    width, height = _LEFT + 2 * _PANEL[0] + _GAP + _RIGHT, _TOP + _PANEL[1] + _BOTTOM
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}"'
        f' height="{height:g}" font-family="sans-serif" font-size="{_FONT:g}" fill="{_INK}" role="img">',
        f"<title>{escape(_heading(plan))}</title>",
        f'<rect width="{width:g}" height="{height:g}" fill="white"/>',
        f'<text x="{_LEFT:g}" y="32" font-size="17">{escape(_heading(plan))}</text>',
    ]
    for number, panel in enumerate(panels):
        parts.append(f'<g transform="translate({_LEFT + number * (_PANEL[0] + _GAP):g} {_TOP:g})">')
        parts += _drawn(panel)
        parts.append("</g>")
    parts += _legend(panels, top=height - 24)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _drawn(panel: _Panel) -> Iterator[str]:
    (width, height), total = _PANEL, sum(panel.counts)
    number = f": {total:,} {panel.noun}{'' if total == 1 else 's'}" if total else ""
    yield f'<text y="-28" font-size="15" font-weight="bold">{panel.head}{number}</text>'
    yield f'<rect width="{width:g}" height="{height:g}" fill="none" stroke="{_GRID}"/>'
    for step in range(11):
        x = width * step / 10
        yield f'<line x1="{x:g}" y1="{height:g}" x2="{x:g}" y2="{height + 5:g}" stroke="{_INK}"/>'
        yield f'<text x="{x:g}" y="{height + 20:g}" text-anchor="middle">{step / 10:g}</text>'
    yield f'<text x="{width / 2:g}" y="{height + 42:g}" text-anchor="middle">{panel.axis}</text>'
    if not total:
        why = "no weak nodes were compared" if panel.noun == "node" else "no relations"
        yield (
            f'<text x="{width / 2:g}" y="{height / 2:g}" text-anchor="middle" font-size="15">'
            f"{why if panel.histogram else 'not measured'}</text>"
        )
    else:
        yield from _scale(panel)
        yield from _bars(panel)
    if panel.histogram:
        yield from _cut(panel, panel.histogram.cut)


def _scale(panel: _Panel) -> Iterator[str]:
    """Lines and numbers of the counts."""
    width, height = _PANEL
    for tick in _ticks(max(panel.counts), logarithmic=panel.logarithmic):
        y = height - _height(tick, panel)
        yield f'<line x1="0" y1="{y:.1f}" x2="{width:g}" y2="{y:.1f}" stroke="{_GRID}"/>'
        yield f'<text x="-8" y="{y + 4.5:.1f}" text-anchor="end">{tick:,}</text>'
    scale = ", log scale" if panel.logarithmic else ""
    yield (
        f'<text transform="translate(-84 {height / 2:g}) rotate(-90)" text-anchor="middle">'
        f"number of {panel.noun}s{scale}</text>"
    )


def _bars(panel: _Panel) -> Iterator[str]:
    width, height = _PANEL
    size = width / len(panel.counts)
    for part, number in enumerate(panel.counts):
        if not number:
            continue
        tall = _height(number, panel)
        low, high = part / len(panel.counts), (part + 1) / len(panel.counts)
        yield (
            f'<rect x="{part * size + 0.75:.2f}" y="{height - tall:.2f}" width="{size - 1.5:.2f}" height="{tall:.2f}"'
            f' fill="{panel.colour(part)}"><title>{low:.3g} to {high:.3g}: {number:,}</title></rect>'
        )


def _cut(panel: _Panel, cut: float) -> Iterator[str]:
    width, height = _PANEL
    x = width * max(0.0, min(1.0, cut))
    yield (
        f'<line x1="{x:.1f}" y1="-8" x2="{x:.1f}" y2="{height:g}" stroke="{_INK}" stroke-width="2"'
        ' stroke-dasharray="6 4"/>'
    )
    # Near the right edge the words stand left of the line.
    anchor, away = ("end", -6) if x > width * 0.7 else ("start", 6)
    yield f'<text x="{x + away:.1f}" y="-8" text-anchor="{anchor}">{panel.cut} {cut:.4g}</text>'


def _legend(panels: tuple[_Panel, ...], *, top: float) -> Iterator[str]:
    drawn = {panel.colour(part) for panel in panels for part, number in enumerate(panel.counts) if number}
    entries = [
        ("below the cut: may go, unless a rule spares it", _BELOW, True),
        ("above the cut", _ABOVE, True),
        ("the cut is inside this bar", _BOTH, _BOTH in drawn),
    ]
    left = _LEFT
    yield (
        f'<line x1="{left:g}" y1="{top - 4.5:g}" x2="{left + 26:g}" y2="{top - 4.5:g}" stroke="{_INK}"'
        ' stroke-width="2" stroke-dasharray="6 4"/>'
    )
    yield f'<text x="{left + 33:g}" y="{top:g}">cut</text>'
    left += 33 + 50
    for name, colour, wanted in entries:
        if wanted:
            yield f'<rect x="{left:g}" y="{top - 11:g}" width="13" height="13" fill="{colour}"/>'
            yield f'<text x="{left + 20:g}" y="{top:g}">{name}</text>'
            left += 20 + len(name) * _FONT * 0.5 + 28


def _height(number: int, panel: _Panel) -> float:
    """Of a bar; the highest leaves some room above it."""
    highest, room = max(panel.counts), _PANEL[1] * 0.94
    if panel.logarithmic:
        return room * math.log(number / _LOG_FLOOR) / math.log(highest / _LOG_FLOOR)
    return room * number / highest


def _ticks(highest: int, *, logarithmic: bool) -> list[int]:
    """Round counts from the bottom to the highest."""
    if logarithmic:
        return [10**power for power in range(len(str(highest)))]
    step = 10 ** (len(str(highest)) - 1)
    step = next(each for each in (step // 5, step // 2, step, 2 * step) if each and highest / each <= 6)
    return list(range(0, highest + 1, step))


def _heading(plan: MetabolismPlan) -> str:
    done = {"planned": "plan", "applied": "before the run"}[plan.state]
    where = "".join(c if c.isprintable() else "\ufffd" for c in plan.root_namespace)
    return f"Metabolism of {where if len(where) <= 60 else where[:59] + '…'}, {plan.created_at[:10]} ({done})"
