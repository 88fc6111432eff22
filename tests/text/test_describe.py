"""What a new statement has that differs from one that is there, and the hint for whoever saves it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wherefrom.embedding import vocabulary
from wherefrom.metabolism.bodies import Bodies
from wherefrom.text.differences.describe import CHANGE_HINT, UPDATE_HINT, WORDING_HINT, compared, describe


def described(existing, new, *titles):
    one, other = titles or (None, None)
    return describe(compared(existing, one), compared(new, other), vocabulary)


def metabolism_loses(existing, new):
    """What metabolism would lose if either text went for the other."""
    bodies = Bodies(vocabulary=vocabulary)
    bodies.add("existing", None, existing)
    bodies.add("new", None, new)
    return {bodies.difference("existing", "new"), bodies.difference("new", "existing")}


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


SAME = [
    ("Buy: milk, eggs, bread.", "Buy: bread, milk, eggs."),
    ("The key is lost. The gate is shut.", "The gate is shut. The key is lost."),
    ("卵は冷蔵庫にある。", "たまごは冷蔵庫にある。"),
    ("申込は金曜日までです。", "申し込みは金曜日までです。"),
    ("会議は六時に終わります。", "会議は六時に終わる。"),
    ("The deploy is on Friday at six.", "Hi all, reminder: the deploy is on Friday at six. Best, Priya"),
    ("The schedule was changed in March.", "The schedule was chnaged in March."),
    ("The favourite colour of the twins is green.", "The favorite color of the twins is green."),
]
APART = [
    ("On Monday we meet at six.", "We meet at six on Monday."),
    ("Every night the boiler is shut down.", "The boiler is shut down every morning."),
    ("On Monday we meet at six.", "We meet at seven on Monday."),
    ("On Monday we meet at six.", "We do not meet at six on Monday."),
    ("Ann pays Ben.", "Ben pays Ann."),
    ("卵は冷蔵庫にある。", "豆腐は冷蔵庫にある。"),
    ("申込は金曜日までです。", "申し込みは木曜日までです。"),
    ("会議は六時に終わります。", "会議は七時に終わる。"),
    ("Hi Tom, the deploy is on Friday at six.", "Hi Priya, the deploy is on Friday at six."),
    ("The deploy is on Friday at six.", "Hi all, reminder: the deploy is on Friday at five. Best, Priya"),
    ("The schedule was changed in March.", "The schedule was chnaged in April."),
    ("Use 2 tbsp of oil.", "Use 2 tsp of oil."),
    ("The contract is signed.", "The contact is signed."),
    ("The deploy is ✅.", "The deploy is ❌."),
    ("Is the door locked?", "The door is locked."),
    ("No, parking is free.", "No parking is free."),
]


@pytest.mark.parametrize(("existing", "new"), SAME)
def test_what_metabolism_takes_for_a_copy_says_the_same(existing, new):
    for one, other in ((existing, new), (new, existing)):
        found = described(one, other)
        assert (found.differs, found.hint) == (("wording",), WORDING_HINT)
    assert metabolism_loses(existing, new) == {None}


@pytest.mark.parametrize(("existing", "new"), APART)
def test_what_metabolism_keeps_apart_differs(existing, new):
    for one, other in ((existing, new), (new, existing)):
        found = described(one, other)
        assert found.differs != ("wording",)
        assert found.hint in (CHANGE_HINT, UPDATE_HINT)
    assert metabolism_loses(existing, new) != {None}


def test_the_same_words_under_titles_of_two_things_differ():
    body, other = "The belt of the press is oiled.", "The belt of the press is actually oiled."
    assert described(body, other, "Press 1", "Press 2").differs != ("wording",)
    assert described(body, other, "Press 1", "Press 1").differs == ("wording",)


TOMATOES = "The tomatoes in bed 3 got blight in August, after two weeks of rain."
POTATOES = "The potatoes in bed 4 died back three weeks before harvest."


@pytest.mark.parametrize("titles", [(None, None), ("Tomatoes 2025", "Potatoes 2025"), ("Garden", None)])
def test_what_became_of_another_thing_is_no_update(titles):
    assert described(TOMATOES, POTATOES, *titles).hint == CHANGE_HINT
    assert described("The tomatoes in bed 3 grow well.", POTATOES, *titles).hint == CHANGE_HINT


@pytest.mark.parametrize(
    ("existing", "new", "titles"),
    [
        ("The bookkeepers work with Kontomat.", "Kontomat was dropped by the bookkeepers.", (None, None)),
        (
            "Die Buchhaltung arbeitet mit Kontomat.",
            "Kontomat ist gekündigt, die Buchhaltung hat Zahlenreich.",
            (None, None),
        ),
        ("We bake the bread in the old oven.", "The bread is now made by Ines.", (None, None)),
        ("Lunch is cooked by Ines.", "Since May a kitchen has replaced her.", ("Canteen", "canteen")),
    ],
)
def test_a_text_about_the_same_that_tells_of_a_change_is_an_update(existing, new, titles):
    assert described(existing, new, *titles).hint == UPDATE_HINT


def test_hints_are_short():
    assert max(len(hint.encode()) for hint in (UPDATE_HINT, CHANGE_HINT, WORDING_HINT)) <= 90


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_two_texts_are_described(one, other):
    assert described(one, other).differs
    assert described(one, one).differs == ("wording",)
