"""Charts as SVG: what metabolism would cut, and how reliable calibrated scores are."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

from wherefrom.model.metabolism import Histogram, MetabolismPlan
from wherefrom.model.policies import CalibrationReport
from wherefrom.pictures.svg import INK, Drawing, count, plain

_WIDTH: Final = 440.0
_HEIGHT: Final = 270.0
_LEFT: Final = 100.0
_PITCH: Final = 560.0
_TOP: Final = 96.0
_FONT: Final = 13.0
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
# Counts that differ by a larger factor are drawn on a log scale.
_MAX_LINEAR_RATIO: Final = 100
# On a log scale a single one is still a bar: the axis starts at half.
_LOG_FLOOR: Final = 0.5


def distributions(plan: MetabolismPlan) -> str:
    """Draw two histograms: the thickness of relations with the threshold, and the restoration difficulty of weak nodes
    with the benefit. What is left of a cut may go, unless another rule spares it.
    """
    done = {"planned": "plan", "applied": "before the run"}[plan.state]
    heading = f"Metabolism of {plain(plan.root_namespace, 60)}, {plan.created_at[:10]} ({done})"
    svg = Drawing(_LEFT + _PITCH + _WIDTH + 28, _TOP + _HEIGHT + 96, heading=heading, at=(_LEFT, 32), font=_FONT)
    with svg.moved(_LEFT, _TOP):
        heads = "Thickness of relations", "relation", "thickness"
        _draw_histogram(svg, plan.thickness, *heads, cut="threshold", empty="no relations")
    with svg.moved(_LEFT + _PITCH, _TOP):
        heads = "Restoration difficulty of weak nodes", "node", "1 − similarity to the nearest"
        _draw_histogram(svg, plan.difficulty, *heads, cut="benefit", empty="no weak nodes were compared")
    left, top, drawn = _LEFT, _TOP + _HEIGHT + 72, str(svg)
    svg.line((left, top - 4.5), (left + 26, top - 4.5), INK, **_DASHES)
    svg.text(left + 33, top, "cut")
    left += 83
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
    svg.axes(_WIDTH, _HEIGHT, (axis, upward_name), {step / 10: f"{step / 10:g}" for step in range(11)}, upward)
    if histogram is None or not total:
        words = empty if histogram else "not measured"
        svg.text(_WIDTH / 2, _HEIGHT / 2, words, text_anchor="middle", font_size=15)
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
    svg.line((x, -8), (x, _HEIGHT), INK, **_DASHES)
    # Near the right edge the words stand left of the line.
    anchor, away = ("end", -6) if x > _WIDTH * 0.7 else ("start", 6)
    svg.text(x + away, -8, f"{cut} {histogram.cut:.4g}", text_anchor=anchor)


def _ticks(highest: int, *, logarithmic: bool) -> list[int]:
    """Round counts from the bottom to the highest."""
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
        svg.axes(_WIDTH, _HEIGHT, names, {x: f"{x:g}" for x in fifths}, {y: f"{high * y:.2f}" for y in fifths})
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
