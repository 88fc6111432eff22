"""What keeps two bodies apart besides their words."""

from wherefrom.embedding import vocabulary
from wherefrom.metabolism.bodies import Bodies

APART = """
Blood type of Ben is A+. | Blood type of Ben is A-.
Grade B+ in maths. | Grade B in maths.
The tool is written in C++. | The tool is written in C#.
It needs x = y to pass. | It needs x != y to pass.
The limit is a < b. | The limit is a > b.
Ann > Ben at chess. | Ben > Ann at chess.
The train to Leeds is ↑ late. | The train to Leeds is ↓ late.
By train from Leeds → Bath. | By train from Bath → Leeds.
○佐藤が来る。 | ×佐藤が来る。
父：○、母：× | 父：×、母：○
Mood of today: 😀 | Mood of today: 😡
Rating of the film: ★★★★★ | Rating of the film: ★★
~~Call the bank on Monday.~~ | Call the bank on Monday.
[x] call the bank | [ ] call the bank
The plant makes 5 MW of power. | The plant makes 5 mW of power.
The disk holds 5 GB at most. | The disk holds 5 Gb at most.
"""
SAME = """
Call Ann on Monday - she knows. | Call Ann on Monday – she knows.
- call Ann, then pay Ben | call Ann, then pay Ben
"""


def test_signs_and_the_case_of_units_keep_bodies_apart():
    assert [pair for pair in _pairs(APART) if _is_same(*pair)] == []


def test_marks_that_say_nothing_do_not():
    assert [pair for pair in _pairs(SAME) if not _is_same(*pair)] == []


def _pairs(lines: str) -> list[list[str]]:
    return [line.split(" | ") for line in lines.strip().splitlines()]


def _is_same(one: str, other: str) -> bool:
    bodies = Bodies(vocabulary=vocabulary)
    bodies.add("one", None, one)
    bodies.add("other", None, other)
    return bodies.difference("one", "other") is None and bodies.difference("other", "one") is None
