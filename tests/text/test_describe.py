"""What a new statement has that differs from one that is there, and the hint for whoever saves it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wherefrom.text.differences.describe import CHANGE_HINT, UPDATE_HINT, WORDING_HINT, compared, describe


def described(existing, new):
    return describe(compared(existing), compared(new))


@pytest.mark.parametrize(
    ("existing", "new", "differs", "hint"),
    [
        ("Anna has two cats.", "Anna has three cats.", ("number",), UPDATE_HINT),
        ("The deadline is in May.", "The deadline is in June.", ("date",), UPDATE_HINT),
        ("Anna eats meat.", "Anna no longer eats meat.", ("negation",), UPDATE_HINT),
        ("Anna lives in Hamburg.", "Anna lives in Munich.", ("name",), UPDATE_HINT),
        ("Anna lives in Hamburg.", "Anna moved to Munich in May.", ("date", "name"), UPDATE_HINT),
        ("Anna wohnt in Hamburg.", "Anna ist nach Kiel umgezogen.", ("name",), UPDATE_HINT),
        ("アンナは東京に住んでいる。", "アンナは大阪に引っ越した。", ("name",), UPDATE_HINT),
        ("Anna lives in Hamburg.", "Ben lives in Hamburg.", ("name",), CHANGE_HINT),
        ("Anna speaks German.", "Anna speaks French.", ("name",), CHANGE_HINT),
        ("Our port is open.", "Our port is, on the whole, open.", ("more",), CHANGE_HINT),
        ("Anna likes to walk.", "Anna likes walking.", ("wording",), WORDING_HINT),
        ("The soup is hot.", "The soup is salty.", ("content",), UPDATE_HINT),
    ],
)
def test_what_differs_is_named_with_a_hint(existing, new, differs, hint):
    found = described(existing, new)
    assert (found.differs, found.hint) == (differs, hint)


def test_hints_are_short():
    assert max(len(hint.encode()) for hint in (UPDATE_HINT, CHANGE_HINT, WORDING_HINT)) <= 90


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_two_texts_are_described(one, other):
    assert described(one, other).differs
    assert described(one, one).differs == ("wording",)
