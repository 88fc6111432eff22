"""Upper bounds of similarities by the first numbers of vectors, which tell of most pairs that they are not near.

The numbers are rounded to whole ones, and two vectors are written into one, as two digits of base `_BASE`: each product
has two sums, so that half as many are computed. All of them are whole and less than 2**24, which single precision has
exactly, in whatever order they are added.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from wherefrom.embedding.port import Matrix
from wherefrom.graph.local import Places
from wherefrom.lazy import np

ROUNDING_ERROR: Final = 2e-6
_BASE: Final = 5_792
# The product of two vectors of this squared length is less than half the base.
_MAX_SQUARE: Final = _BASE / 2 - 8
# A vector of length 1 has this length when it is rounded, and at most a little more.
_SCALE: Final = 50.0
# Of so many others at a time, so that what is computed stays in the processor's cache.
_COLUMNS_AT_ONCE: Final = 1_024


@dataclass(frozen=True, slots=True)
class Rounded:
    """Vectors by their first numbers, rounded, and the length of the rest. heads: the lengths of what was rounded;
    errors: those of the differences.
    """

    numbers: Matrix
    heads: Matrix
    errors: Matrix


@dataclass(frozen=True, slots=True)
class Pairs:
    """Rounded vectors, and the same in pairs: those of the first half with, as a second digit, the others."""

    each: Rounded
    numbers: Matrix


def rounded(vectors: Matrix, dimensions: int) -> Rounded:
    """Round the first numbers of vectors of length 1."""
    head = vectors[:, :dimensions] * np.float32(_SCALE)
    squares = _squares(head)
    numbers: Matrix = np.empty((len(head), dimensions + 1), dtype=np.float32)
    np.rint(head, out=numbers[:, :dimensions])
    # The product of two of these is at least that of the rests.
    numbers[:, dimensions] = np.ceil(np.sqrt(np.maximum(0.0, _SCALE**2 - squares)) + _SCALE * ROUNDING_ERROR)
    too_long = np.flatnonzero(_squares(numbers) > _MAX_SQUARE)
    numbers[too_long, :dimensions] = np.trunc(head[too_long])
    errors = _squares(head - numbers[:, :dimensions])
    return Rounded(numbers, np.sqrt(squares), np.sqrt(errors))


def in_pairs(each: Rounded) -> Pairs:
    """Write two vectors into one."""
    half = -(-len(each.numbers) // 2)
    numbers: Matrix = each.numbers[:half] * np.float32(_BASE)
    numbers[: len(each.numbers) - half] += each.numbers[half:]
    return Pairs(each, numbers)


def above(pairs: Pairs, others: Rounded, floors: Matrix, most: int) -> tuple[Places, Places] | None:
    """The vectors in pairs, and the others, that may be more similar than the floors of the former; None if these are
    more than `most`.
    """
    # How far a product may be from that of the rounded vectors: by the error of one, and by that of the other.
    error = pairs.each.errors * others.heads.max() + (pairs.each.heads + pairs.each.errors) * others.errors.max()
    limits = floors * np.float32(_SCALE**2) - error - np.float32(1.0)
    half = len(pairs.numbers)
    found: list[tuple[Places, Places]] = []
    # In parts that stay in the processor's cache.
    for start in range(0, len(others.numbers), _COLUMNS_AT_ONCE):
        second = pairs.numbers @ others.numbers[start : start + _COLUMNS_AT_ONCE].T
        first = second * np.float32(1 / _BASE)
        np.rint(first, out=first)
        high = _places_above(first, limits[:half])
        first *= np.float32(_BASE)
        second -= first
        low = _places_above(second[: len(floors) - half], limits[half:])
        found += (high[0], high[1] + start), (low[0] + half, low[1] + start)
        if (most := most - len(high[0]) - len(low[0])) < 0:
            return None
    return np.concatenate([places for places, _ in found]), np.concatenate([columns for _, columns in found])


def _places_above(sums: Matrix, limits: Matrix) -> tuple[Places, Places]:
    """The places of all sums above the limit of their row; most rows have none."""
    some = np.flatnonzero(sums.max(axis=1) > limits)
    rows, columns = np.nonzero(sums[some] > limits[some, None])
    return some[rows], columns


def _squares(rows: Matrix) -> Matrix:
    squares: Matrix = np.einsum("ij,ij->i", rows, rows)
    return squares
