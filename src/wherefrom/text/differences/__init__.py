"""Compares the facts of two nearly equal texts."""

from wherefrom.text.differences.comparison import Facts, difference, facts_of
from wherefrom.text.differences.courtesies import without_courtesies, without_names
from wherefrom.text.differences.restated import says_the_same
from wherefrom.text.differences.slips import Vocabulary
from wherefrom.text.differences.spellings import spelled
from wherefrom.text.differences.titled import are_apart, titles_difference, word_share
from wherefrom.text.differences.wording import told_apart

__all__ = [
    "Facts",
    "Vocabulary",
    "are_apart",
    "difference",
    "facts_of",
    "says_the_same",
    "spelled",
    "titles_difference",
    "told_apart",
    "without_courtesies",
    "without_names",
    "word_share",
]
