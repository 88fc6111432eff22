"""Compares the facts of two nearly equal texts."""

from wherefrom.text.differences.added_content import exchanges, narrows
from wherefrom.text.differences.comparison import Facts, difference, facts_of
from wherefrom.text.differences.courtesies import without_courtesies, without_names
from wherefrom.text.differences.evened import evened
from wherefrom.text.differences.reordered import is_restated
from wherefrom.text.differences.slips import CountPieces
from wherefrom.text.differences.titled import body_difference, is_retitled, titles_difference, word_share
from wherefrom.text.differences.unspaced_order import exchanges_kana
from wherefrom.text.differences.wording import told_apart

__all__ = [
    "CountPieces",
    "Facts",
    "body_difference",
    "difference",
    "evened",
    "exchanges",
    "exchanges_kana",
    "facts_of",
    "is_restated",
    "is_retitled",
    "narrows",
    "titles_difference",
    "told_apart",
    "without_courtesies",
    "without_names",
    "word_share",
]
