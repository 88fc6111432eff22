"""Takes findings out of a whole node, and makes of a node with personal data what others may have of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from wherefrom.model import limits
from wherefrom.model.graph import SECRET, FindingKind, Node
from wherefrom.text import check
from wherefrom.text.sensitive.findings import KINDS, LABEL, find, redact
from wherefrom.text.tokens import text_of

# Hashes of a text before anything was taken out of it: a number can be tried against them.
_HASHES: Final = frozenset(("imported_hash", "file_hash"))


def kinds_in(node: Node) -> set[FindingKind]:
    """The kinds of all findings in a node, but for the address of a page (see `without`)."""
    said, _ = _provenance(node)
    texts = [text_of(node.title, "" if node.kind == "page" else node.content), *node.aliases]
    texts += [node.speaker] if node.speaker else []
    for values in filter(None, (node.metadata, said)):
        texts += _texts(values)
    return {finding.kind for text in texts for finding in find(text)}


def has_secret_address(node: Node) -> bool:
    """True if the address of a page, or of the page of a fragment, holds a secret."""
    _, urls = _provenance(node)
    return bool(urls) and any(finding.kind == SECRET for text in _texts(urls) for finding in find(text))


def without(node: Node, kinds: Collection[str]) -> tuple[Node, Counter[str]]:
    """The node with each finding of these kinds replaced, and how many there were of each.

    A page is known by its URL: with a number taken out it would be another one. So the URL of a page, and where a
    fragment says that it comes from there, stay as they are.
    """
    counts: Counter[str] = Counter()

    def clean(text: str) -> str:
        replaced, taken = redact(text, kinds)
        counts.update(taken)
        return replaced

    said, urls = _provenance(node)
    title, content, taken_out = _cleaned_text(node, kinds)
    counts.update(taken_out)
    cleaned = replace(
        node,
        title=None if title is None else title[: limits.TITLE_CHARACTERS],
        aliases=tuple(dict.fromkeys(clean(alias)[: limits.TITLE_CHARACTERS] for alias in node.aliases)),
        content=content,
        content_hash=check.content_hash(content),
        speaker=node.speaker and clean(node.speaker)[: limits.SPEAKER_CHARACTERS],
        metadata=mapped(node.metadata, clean),
        provenance={**mapped(said, clean), **urls},
    )
    return cleaned, counts


def masked(node: Node) -> Node | None:
    """The node without personal data, for those who see its shared class only; None if nothing is found in it."""
    cleaned, counts = without(node, KINDS)
    if node.shared_class is None or not counts:
        return None
    return without_hashes(replace(cleaned, boundary_class=node.shared_class, shared_class=None))


def without_hashes(node: Node) -> Node:
    """A node without hashes of what may have personal data in it, such as the file that a page was made of."""
    if _HASHES.isdisjoint(node.metadata) and _HASHES.isdisjoint(node.provenance):
        return node
    metadata, provenance = (
        {name: value for name, value in values.items() if name not in _HASHES}
        for values in (node.metadata, node.provenance)
    )
    return replace(node, metadata=metadata, provenance=provenance)


def shared_text(text: str, shared_class: str | None) -> str:
    """The text to embed and index: without findings if others see it so, as vectors and scores would tell a number."""
    return text if shared_class is None else redact(text, KINDS)[0]


def without_split_secrets(pieces: Sequence[str]) -> list[str]:
    """The pieces of a document without the secrets that span several of them, such as a private key with blank lines.

    A secret within one piece is left to whoever stores the piece.
    """
    joined = "\n\n".join(pieces)
    spans = [(found.start, found.end) for found in find(joined) if found.kind == SECRET]
    cleaned: list[str] = []
    start = at = 0
    for piece in pieces:
        end = start + len(piece)
        while at < len(spans) and spans[at][1] <= start:  # spans are in order, and do not overlap
            at += 1
        beyond = next((place for place in range(at, len(spans)) if spans[place][0] >= end), len(spans))
        for first, last in reversed(spans[at:beyond]):
            if first < start or end < last:
                piece = piece[: max(0, first - start)] + f"[{SECRET}]" + piece[last - start :]
        cleaned.append(piece)
        start = end + 2
    return cleaned


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
                cleaned[new] = mapped(item, clean, plain)
            return cleaned
        case list() | tuple():
            return [mapped(item, clean, key) for item in value]
        case None | bool():
            return value
        case _:
            # Looked at with its key in front of it.
            before = f"{key}: " if key else ""
            whole = f"{before}{value}"
            cleaned_whole = clean(whole)
            if cleaned_whole == whole:
                return value
            return cleaned_whole.removeprefix(before) if cleaned_whole.startswith(before) else clean(str(value))


def has_only_labels(text: str) -> bool:
    """True if nothing is left in a cleaned text beside the labels of what was taken out."""
    return not any(map(str.isalnum, re.sub(LABEL, "", text)))


def _cleaned_text(node: Node, kinds: Collection[str]) -> tuple[str | None, str, Counter[str]]:
    """Title and text without findings, and their counts; cleaned together, as a title may announce what the text is."""
    content = "" if node.kind == "page" else node.content
    if node.title is None:
        cleaned, counts = redact(content, kinds)
        return None, cleaned or node.content, counts
    title, in_title = redact(node.title, kinds)
    if not content:
        return title, node.content, in_title
    both, counts = redact(text_of(node.title, content), kinds)
    if both.startswith(f"{title}\n") and len(both) > len(title) + 1:
        return title, both[len(title) + 1 :], counts
    # The finding begins in the title and ends in the text.
    cleaned, in_content = redact(content, kinds)
    return title, cleaned, in_title + in_content


def _provenance(node: Node) -> tuple[dict[str, Any], dict[str, Any]]:
    """A node's provenance in two parts: what is said there, and the address that its page is known by."""
    said = dict(node.provenance)
    urls = {"url": said.pop("url")} if node.kind in ("page", "fragment") and "url" in said else {}
    return said, urls


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
