"""Compares the facts of two nearly equal texts."""

from wherefrom.text.differences.comparison import Facts, difference, facts_of

__all__ = ["Facts", "difference", "facts_of"]
