"""Takes findings out of a whole node, and makes of a node with personal data what others may have of it."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any, Final

from recollect.model import limits
from recollect.model.graph import Node
from recollect.text import check, detect
from recollect.text.detect import KINDS, FindingKind
from recollect.text.tokens import text_of

SECRET: Final[FindingKind] = "secret"  # noqa: S105  # the name of a kind of finding
PERSONAL: Final[tuple[FindingKind, ...]] = tuple(kind for kind in KINDS if kind != SECRET)

# A term that no text has by itself begins with this character, which `terms` takes for no letter.
_LOOKED_UP: Final = "\ue000"
# A telephone is the same with its country's code and without it.
_TELLING_DIGITS: Final = 9


def kinds_in(node: Node) -> set[FindingKind]:
    """The kinds of all findings in a node. Of the address of a page only a secret counts (see `without`)."""
    said, urls = _provenance(node)
    is_page = node.kind == "page"
    texts = [text_of(node.title, "" if is_page else node.content), *node.aliases]
    texts += [*_texts(node.metadata), *_texts(said)]
    return {finding.kind for text in texts for finding in detect.find(text)} | ({SECRET} & kinds_in_url(urls))


def kinds_in_url(urls: Mapping[str, Any]) -> set[FindingKind]:
    """The kinds of findings in addresses."""
    return {finding.kind for text in _texts(urls) for finding in detect.find(text)}


def has_secret_address(node: Node) -> bool:
    """True if the address of a page, or of the page of a fragment, holds a secret."""
    return SECRET in kinds_in_url(_provenance(node)[1])


def without(node: Node, kinds: Collection[str]) -> tuple[Node, Counter[str]]:
    """The node with each finding of these kinds replaced, and how many there were of each.

    A page is known by its URL: with a number taken out it would be another one. So the URL of a page, and where a
    fragment says that it comes from there, stay as they are.
    """
    counts: Counter[str] = Counter()

    def clean(text: str) -> str:
        replaced, taken = detect.redact(text, kinds)
        counts.update(taken)
        return replaced

    said, urls = _provenance(node)
    content = node.content if node.kind == "page" else _checked_size(clean(node.content), node.content)
    cleaned = replace(
        node,
        title=None if node.title is None else clean(node.title)[: limits.TITLE_CHARACTERS],
        aliases=tuple(dict.fromkeys(clean(alias)[: limits.TITLE_CHARACTERS] for alias in node.aliases)),
        content=content,
        content_hash=check.content_hash(content),
        metadata=mapped(node.metadata, clean),
        provenance={**mapped(said, clean), **urls},
    )
    return cleaned, counts


def masked(node: Node) -> Node:
    """What those may have of a node who see its shared class only: the text without personal data."""
    if node.shared_class is None:
        return node
    cleaned, _ = without(node, KINDS)
    return replace(cleaned, boundary_class=node.shared_class, shared_class=None)


def shared_text(title: str | None, content: str, shared_class: str | None) -> str:
    """What is embedded of a node: title and text, without personal data if others see it so. A number means nothing to
    an embedder, and a vector that was made of it would tell of it.
    """
    text = text_of(title, content)
    return text if shared_class is None else detect.redact(text, KINDS)[0]


def lookup_terms(text: str) -> list[str]:
    """A term for each personal finding in a text, however it is written: who knows a whole number finds the memo with
    it, and nobody learns a number from a part of it.
    """
    found = [finding for finding in detect.find(text) if finding.kind != SECRET]
    return [_LOOKED_UP + _fingerprint(finding.kind, text[finding.start : finding.end]) for finding in found]


def mapped(value: Any, clean: Callable[[str], str], key: str = "") -> Any:
    """Some JSON with all texts cleaned, keys too."""
    match value:
        case Mapping():
            cleaned: dict[str, Any] = {}
            for name, item in value.items():
                new = plain = clean(name)
                number = 1
                while new in cleaned:  # two names that are alike when cleaned stay two
                    number += 1
                    new = f"{plain} {number}"
                cleaned[new] = mapped(item, clean, name)
            return cleaned
        case list() | tuple():
            return [mapped(item, clean, key) for item in value]
        case None | bool():
            return value
        case _:
            return _cleaned_value(value, clean, key)


def is_nothing_else(text: str) -> bool:
    """True if nothing is left in a cleaned text beside the labels of what was taken out."""
    return not any(map(str.isalnum, re.sub(detect.LABEL, "", text)))


def _provenance(node: Node) -> tuple[dict[str, Any], dict[str, Any]]:
    """Where a node comes from: what is said about it, and the address that its page is known by."""
    is_known_by_url = node.kind in ("page", "fragment")
    urls = {name: value for name, value in node.provenance.items() if is_known_by_url and name == "url"}
    return {name: value for name, value in node.provenance.items() if name not in urls}, urls


def _checked_size(cleaned: str, given: str) -> str:
    """A cleaned text, which may have grown; one that was too long before is on its way to be split."""
    is_long = len(given.encode()) > limits.MEMO_BYTES
    return check.check_text(cleaned, field="content") if is_long else check.check_content(cleaned)


def _texts(value: Any, key: str = "") -> list[str]:
    """All texts in some JSON, each with its key: "password: …" is one only together."""
    match value:
        case Mapping():
            return [text for name, item in value.items() for text in _texts(item, name)]
        case list() | tuple():
            return [text for item in value for text in _texts(item, key)]
        case None | bool():
            return [key]
        case _:
            return [f"{key}: {value}" if key else str(value)]


def _cleaned_value(value: Any, clean: Callable[[str], str], key: str) -> Any:
    """A text or number, looked at with its key in front of it."""
    before = f"{key}: " if key else ""
    whole = f"{before}{value}"
    cleaned = clean(whole)
    if cleaned == whole:
        return value
    return cleaned.removeprefix(before) if cleaned.startswith(before) else clean(str(value))


def _fingerprint(kind: FindingKind, value: str) -> str:
    plain = detect.plain(value).casefold()
    if kind != "email":
        plain = "".join(filter(str.isalnum, plain))
    if kind == "phone":
        plain = plain[-_TELLING_DIGITS:]
    return hashlib.sha256(f"{kind} {plain}".encode()).hexdigest()[:24]
