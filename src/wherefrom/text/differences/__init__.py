"""Compares the facts of two nearly equal texts."""

from wherefrom.text.differences.added_content import exchanges
from wherefrom.text.differences.comparison import Facts, difference, facts_of
from wherefrom.text.differences.courtesies import without_courtesies
from wherefrom.text.differences.titled import body_difference, titles_difference, word_share
from wherefrom.text.differences.wording import told_apart

__all__ = [
    "Facts",
    "body_difference",
    "difference",
    "exchanges",
    "facts_of",
    "titles_difference",
    "told_apart",
    "without_courtesies",
    "word_share",
]
