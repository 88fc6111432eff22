"""Small drawings as SVG, without a plotting library."""

from __future__ import annotations

from html import escape
from typing import Final

from wherefrom.model.policies import Fitted

_WIDTH: Final = 640
_HEIGHT: Final = 420
_LEFT: Final = 60
_TOP: Final = 40
_RIGHT: Final = 180
_BOTTOM: Final = 50
_COLOURS: Final = ("#9ecae1", "#1b6ca8", "#fdae6b", "#c8553d")


def reliability(fitted: Fitted) -> str:
    """Share of relevant candidates by score: a score that means what it says lies on the diagonal."""
    high = max((share for curve in fitted.curves.values() for _, share, _ in curve), default=1.0) or 1.0

    def x(score: float) -> float:
        return _LEFT + score * (_WIDTH - _LEFT - _RIGHT)

    def y(share: float) -> float:
        return _HEIGHT - _BOTTOM - share / high * (_HEIGHT - _TOP - _BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif"'
        ' font-size="12">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
        f'<text x="{_LEFT}" y="22" font-size="14">Reliability, {escape(fitted.method)}:'
        f" {fitted.candidates:,} judged candidates</text>",
        f'<line x1="{x(0):.1f}" y1="{y(0):.1f}" x2="{x(min(high, 1)):.1f}" y2="{y(min(high, 1)):.1f}"'
        ' stroke="#999999" stroke-dasharray="4 4"/>',
    ]
    for step in range(6):
        score, share = step / 5, high * step / 5
        parts.append(f'<text x="{x(score):.1f}" y="{_HEIGHT - _BOTTOM + 18}" text-anchor="middle">{score:g}</text>')
        parts.append(f'<text x="{_LEFT - 8}" y="{y(share) + 4:.1f}" text-anchor="end">{share:.2f}</text>')
        parts.append(
            f'<line x1="{_LEFT}" y1="{y(share):.1f}" x2="{_WIDTH - _RIGHT}" y2="{y(share):.1f}" stroke="#eeeeee"/>'
        )
    parts.append(
        f'<text x="{(_LEFT + _WIDTH - _RIGHT) / 2:.0f}" y="{_HEIGHT - 10}" text-anchor="middle">score</text>'
        f'<text x="{_LEFT + 6}" y="{_TOP + 2}">share of relevant</text>'
    )
    for number, (name, curve) in enumerate(fitted.curves.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        points = " ".join(f"{x(score):.1f},{y(share):.1f}" for score, share, _ in curve)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [
            f'<circle cx="{x(score):.1f}" cy="{y(share):.1f}" r="3" fill="{colour}"/>' for score, share, _ in curve
        ]
        at = _TOP + 20 * number
        parts.append(f'<rect x="{_WIDTH - _RIGHT + 16}" y="{at}" width="12" height="12" fill="{colour}"/>')
        parts.append(f'<text x="{_WIDTH - _RIGHT + 34}" y="{at + 10}">{escape(name)}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"
