"""Compares the facts of two nearly equal texts."""

from wherefrom.text.differences.comparison import Facts, difference, facts_of
from wherefrom.text.differences.wording import told_apart

__all__ = ["Facts", "difference", "facts_of", "told_apart"]
