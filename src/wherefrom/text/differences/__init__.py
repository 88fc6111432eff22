"""Compares the facts of two nearly equal texts."""

from wherefrom.text.differences.added_content import exchanges, leaves_out, narrows
from wherefrom.text.differences.comparison import Facts, difference, facts_of
from wherefrom.text.differences.courtesies import without_courtesies, without_names
from wherefrom.text.differences.evened import evened
from wherefrom.text.differences.reordered import is_restated
from wherefrom.text.differences.scope import reads_otherwise
from wherefrom.text.differences.slips import Vocabulary
from wherefrom.text.differences.spellings import spelled
from wherefrom.text.differences.titled import body_difference, is_retitled, titles_difference, word_share
from wherefrom.text.differences.unspaced_order import exchanges_kana
from wherefrom.text.differences.wording import told_apart

__all__ = [
    "Facts",
    "Vocabulary",
    "body_difference",
    "difference",
    "evened",
    "exchanges",
    "exchanges_kana",
    "facts_of",
    "is_restated",
    "is_retitled",
    "leaves_out",
    "narrows",
    "reads_otherwise",
    "spelled",
    "titles_difference",
    "told_apart",
    "without_courtesies",
    "without_names",
    "word_share",
]
