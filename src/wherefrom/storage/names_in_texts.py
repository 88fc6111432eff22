"""The names that stand in texts, whether or not a node goes by them: kept with each text, and read as edges of a walk.

Two texts with the same rare name have something to do with each other. And the name that a text without a title begins
with is what that text is about: where it stands in other texts, they mean this one. Both are decided when they are
read, from what the access sees, so nothing has to be kept in step when texts come and go.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from wherefrom.model.access import Access
from wherefrom.storage.node_texts import NodeText
from wherefrom.storage.port import Statement, Transaction
from wherefrom.storage.sql import scope_parameters
from wherefrom.text.check import json_text
from wherefrom.text.found_names import MAX_WORDS, is_one_word
from wherefrom.text.names import CAPITAL, Words
from wherefrom.text.tokens import STOP_WORDS

# A name that more texts have says little of each; trials with 10, 20 and 50 measure the same.
MAX_TEXTS_PER_NAME: Final = 20
# If more texts begin with a name, it is what none of them is about: "Caroline: Hi!" is a turn of a conversation.
MAX_TEXTS_BEGUN: Final = 5
# The names that one step of a walk looks up.
_MAX_NAMES_LOOKED_UP: Final = 1_000
# Of a long question only the beginning is looked through, as every place in it may begin a name.
_MAX_WORDS_ASKED: Final = 100
_BEGINS, _INSIDE = 0, 1

Standing = tuple[str, int]
"""A text in which a name stands: its id, and the place of the name (0: it begins with it)."""


def write(tx: Transaction, access: Access, written: Iterable[NodeText]) -> None:
    """Store the names that stand in new texts."""
    rows = [
        {"id": text.node.id, "name": name, "place": _BEGINS if begins and text.node.title is None else _INSIDE}
        for text in written
        for name, begins in text.names
    ]
    if rows:
        tx.many("names_in_texts_add", rows, {"owner": access.owner})


def rewrite(tx: Transaction, access: Access, changed: Sequence[NodeText]) -> None:
    """Store the names in texts in place of those that were found before."""
    tx.run("names_in_texts_forget", {"owner": access.owner, "ids": json_text([text.node.id for text in changed])})
    write(tx, access, changed)


def of_texts(tx: Transaction, access: Access, ids: Sequence[str]) -> dict[str, list[Standing]]:
    """The names in these texts, each with those of the texts in which it stands."""
    found: dict[str, list[Standing]] = defaultdict(list)
    for node_id, name, place in tx.rows("names_in_texts_of", {**scope_parameters(access), "ids": json_text(ids)}):
        if name in found or len(found) < _MAX_NAMES_LOOKED_UP:
            found[name].append((node_id, place))
    return found


def standing(
    tx: Transaction, access: Access, names: Collection[str], *, most: int, only_begun: bool = False
) -> dict[str, list[Standing]]:
    """The texts in which each of these names stands, at most `most`, those that begin with it first."""
    query = _standing_query(access, names, most=most, only_begun=only_begun)
    listed = {name: json.loads(texts) for name, texts in (tx.rows(*query) if names else ())}
    return {name: [(text[1:], int(text[0])) for text in texts] for name, texts in listed.items() if texts}


def _standing_query(access: Access, names: Iterable[str], *, most: int, only_begun: bool = False) -> Statement:
    where = {**scope_parameters(access), "names": json_text(sorted(names)), "each": most}
    return "texts_with_names", {**where, "only_begun": True if only_begun else None}


def around(
    tx: Transaction, access: Access, ids: Sequence[str], *, shares: bool
) -> tuple[dict[str, list[Standing]], dict[str, list[Standing]]]:
    """The names in these texts, as in `of_texts`; and the texts in which they stand: all of a rare name if `shares`,
    and of one that such a text begins with; of others, which are most, only the texts that begin with them.
    """
    if tx.dialect.is_far:
        return _around_at_once(tx, access, ids, shares=shares)
    own = of_texts(tx, access, ids)
    shared_names = {name for name in own if shares and not is_one_word(name)}
    found = standing(tx, access, own.keys() - shared_names, most=MAX_TEXTS_BEGUN + 1, only_begun=True)
    # Many texts begin with the name of a speaker: nothing is read of the others that have it.
    wide = shared_names | (_wide(own, shares=False) & _begun(found).keys())
    return own, found | standing(tx, access, wide, most=MAX_TEXTS_PER_NAME + 1)


def _around_at_once(
    tx: Transaction, access: Access, ids: Sequence[str], *, shares: bool
) -> tuple[dict[str, list[Standing]], dict[str, list[Standing]]]:
    """The same by one statement, which may tell more of a name than is wanted."""
    where = {**scope_parameters(access), "ids": json_text(ids), "shares": shares or None}
    where |= {"names": _MAX_NAMES_LOOKED_UP, "each": MAX_TEXTS_PER_NAME + 1, "begun": MAX_TEXTS_BEGUN + 1}
    own: dict[str, list[Standing]] = defaultdict(list)
    others: dict[str, list[Standing]] = defaultdict(list)
    for name, node_id, place, is_own in tx.rows("names_around", where):
        (own if is_own else others)[name].append((node_id, place))
    own = {name: own[name] for name in others}
    wide = _wide(own, shares=shares)
    narrow = {name: [text for text in others[name] if text[1] == _BEGINS] for name in sorted(own.keys() - wide)}
    found = {name: texts[: MAX_TEXTS_BEGUN + 1] for name, texts in narrow.items() if texts}
    return own, found | {name: others[name] for name in sorted(wide)}


def _wide(own: Mapping[str, Sequence[Standing]], *, shares: bool) -> set[str]:
    """The names of which all texts count, and not only those that begin with them."""
    return {
        name
        for name, texts in own.items()
        if (shares and not is_one_word(name)) or any(place == _BEGINS for _, place in texts)
    }


def asked(tx: Transaction, access: Access, words: Words) -> dict[str, tuple[str, ...]]:
    """The names in a question that texts begin with, and those texts; one word only with a capital, and if it stands
    inside a text, too.
    """
    telling = [at for at, word in enumerate(words.folded[:_MAX_WORDS_ASKED]) if word not in STOP_WORDS]
    some = {" ".join(words.folded[at:end]) for at in telling for end in _ends(words, at)}
    some |= {CAPITAL + words.folded[at] for at in telling if words.capital[at]}
    most = MAX_TEXTS_BEGUN + 1
    if tx.dialect.is_far:  # then it is not waited for which of them are found
        tx.expect([_standing_query(access, filter(is_one_word, some), most=most)])
    found = standing(tx, access, some, most=most, only_begun=True)
    single = standing(tx, access, list(filter(is_one_word, some if tx.dialect.is_far else found)), most=most)
    titles = _begun(found)
    return {name: ids for name, ids in titles.items() if not is_one_word(name) or len(single.get(name, ())) > len(ids)}


def meant(own: Mapping[str, Sequence[Standing]], others: Mapping[str, Sequence[Standing]]) -> list[tuple[str, str]]:
    """The pairs of a text and a text that it means by a name; one of the two is among the `own`."""
    titles = _begun(others)
    pairs: dict[tuple[str, str], None] = {}
    for name in own.keys() & titles.keys():
        for node_id, place in own[name]:
            if place == _INSIDE:
                pairs |= dict.fromkeys((node_id, target) for target in titles[name])
            else:
                pairs |= dict.fromkeys((source, node_id) for source, other in others[name] if other == _INSIDE)
    return sorted(pairs)


def shared(standings: Mapping[str, Sequence[Standing]]) -> list[tuple[str, str]]:
    """The pairs of a text and a rare name of two words or more in it, which another text has as well."""
    return [
        (node_id, name)
        for name, texts in standings.items()
        if 1 < len(texts) <= MAX_TEXTS_PER_NAME and not is_one_word(name)
        for node_id, _ in texts
    ]


def _ends(words: Words, at: int) -> range:
    """The places where a name of two words or more that begins here may end."""
    return range(at + 2, min(at + MAX_WORDS, len(words.folded)) + 1)


def _begun(standings: Mapping[str, Sequence[Standing]]) -> dict[str, tuple[str, ...]]:
    """The texts that each name is the title of, as it were."""
    begun = {name: tuple(one for one, place in texts if place == _BEGINS) for name, texts in standings.items()}
    return {name: ids for name, ids in begun.items() if 0 < len(ids) <= MAX_TEXTS_BEGUN}
