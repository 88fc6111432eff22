"""Whether the sentences of a text, or the items of a list, mean the same in any order."""

# ruff: noqa: SIM905
# A list of words is read as words.

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from wherefrom.text.differences.fact_words import DATES, MAYBE_DATES, NEGATIONS

# What stands alone says how something is, by one of these.
_STATES: Final = frozenset(
    """
    is are has have needs need costs cost belongs belong lasts holds owns means weighs measures lives works stays hangs
    stands lies handles covers contains
    """.split()
)
# A sentence with one of these may go on from another one, or begin what another one goes on with.
_BOUND: Final = frozenset(
    """
    then next first second third finally lastly after afterwards later before so therefore thus hence because but
    however instead otherwise else yet still too also again since when once until if unless although though while as
    than only except it he she they him her them its his their theirs hers this that these those such same other others
    another former latter both which who whom whose what there here respectively one ones and or nor all each every even
    just today tomorrow tonight yesterday daily weekly monthly yearly usually always sometimes often now soon already
    says say said thinks think believes hopes knows claims asks tells wants , ; – : ? ( )
    """.split()
)
_OPENING: Final = frozenset("in on at by for from during with without within to under over between through".split())
# Behind one of these stands what is bought or brought, and no order, steps or answers.
_COLLECTED: Final = frozenset("buy bring pack ingredients shopping groceries supplies packing marinade salad".split())


def stand_alone(sentences: Sequence[Sequence[str]]) -> bool:
    """True if each of these sentences says by itself how something is, at no time, and denies nothing."""
    return all(
        words[0] not in _OPENING
        and not _STATES.isdisjoint(words[1:])
        and (_BOUND | DATES | MAYBE_DATES | NEGATIONS).isdisjoint(words)
        for words in ([word.casefold() for word in sentence] for sentence in sentences)
    )


def is_list(items: Sequence[Sequence[str]], before: Sequence[str]) -> bool:
    """True if these items are single words, no names, and stand behind a word of what is bought or brought."""
    return (
        len(items) > 1
        and all(len(item) == 1 and item[0].isalpha() and item[0].islower() for item in items)
        and (_BOUND | NEGATIONS).isdisjoint(word for item in items for word in item)
        and not _COLLECTED.isdisjoint(word.casefold() for word in before)
    )
