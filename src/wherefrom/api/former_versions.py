"""Former versions of memos and claims, as far as an access sees them: read by number or time, or told in words."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Final

from wherefrom.model.access import Access
from wherefrom.model.graph import Node
from wherefrom.model.history import HistoryVersion
from wherefrom.model.identifiers import last_day
from wherefrom.model.results import Page
from wherefrom.storage import nodes, versions
from wherefrom.storage.port import Times, Transaction

_TEXT_CHARACTERS: Final = 200
# The columns whose changes are told, by the words for them.
_TOLD: Final = {
    "title": "title", "aliases": "aliases", "metadata": "metadata", "provenance": "source", "claim_kind": "kind",
    "scope": "scope", "boundary_class": "class", "confidence": "confidence", "quality": "quality", "pinned": "pinned",
    "valid_from": "valid_from", "valid_to": "valid_to", "superseded_by": "superseded_by", "slot": "slot",
    "speaker": "speaker", "session": "session", "expires_at": "expires_at", "rejected_at": "rejected",
    "confirmed_at": "confirmed",
}  # fmt: skip


def read(tx: Transaction, access: Access, node_id: str, number: int) -> Node:
    """Return a node as it was in a version; raises if the access does not see it, or it is not known."""
    node = versions.numbered(tx, access, nodes.find(tx, access, node_id), number)
    return nodes.seen(access, node) or versions.refuse(node, number)


def as_known(tx: Transaction, access: Access, page: Page, times: Times) -> Page:
    """Return a page with its nodes as they were known at a time, without those that did not hold or are not known."""
    known_at = times.known_at or ""
    were = versions.at(tx, access, [node.id for node in page.nodes if node.updated_at > known_at], known_at)
    found = (nodes.seen(access, were[node.id]) if node.id in were else node for node in page.nodes)
    held = (node for node in found if node is not None and (node.id in were or node.updated_at <= known_at))
    return replace(page, nodes=tuple(node for node in held if times.admit(node) and node.holds_at(times.now)))


def entries(tx: Transaction, access: Access, node: Node) -> tuple[tuple[HistoryVersion, ...], HistoryVersion]:
    """Return the versions of a node as far as the access sees them, the newest first; and the oldest that is known,
    without its text if the access does not see it.

    node: as the access sees it.
    """
    stored = versions.of_node(tx, access, node.id)
    first = (stored[0].node.version, stored[0].known_from) if stored else (node.version, node.updated_at)
    found = [
        (was, former.known_from, former.known_to)
        for former in stored
        if (was := nodes.seen(access, versions.open_as(former.node, node))) is not None
    ]
    every = [*found, (node, node.updated_at, None)]
    texts = [every[0][0].content[:_TEXT_CHARACTERS], *(_change(old, new) for (old, *_), (new, *_) in pairwise(every))]
    told = [
        HistoryVersion(was.version, since, until, text, was.written_by)
        for (was, since, until), text in zip(every, texts, strict=True)
    ]
    return tuple(reversed(told)), HistoryVersion(*first, None, "")


def sentences(node: Node, heir: str | None, *, now: str) -> list[str]:
    """Say for how long a statement holds, and what stands for it."""
    said = []
    has_ended = node.valid_to is not None and node.valid_to <= now
    has_expired = node.expires_at is not None and node.expires_at <= now
    if has_ended:
        end = node.valid_to or now
        began = f"held from {node.holds_from[:10]} to" if node.holds_from < end else "ended"
        said.append(f"{began} {last_day(end)}")
    elif node.valid_from is not None or node.valid_to is not None:
        until = "" if node.valid_to is None else f" until {last_day(node.valid_to)}"
        said.append(f"holds since {node.holds_from[:10]}{until}")
    if heir is not None:
        said.append(f"{heir} stands for it")
    if has_expired:
        said.append(f"expired {(node.expires_at or now)[:10]}")
    return [*said, "restore lets it hold again"] if has_ended or has_expired or heir is not None else said


def _change(old: Node, new: Node) -> str:
    """Return the beginning of a new text; of one that stayed, what else changed."""
    if new.content != old.content:
        return new.content[:_TEXT_CHARACTERS]
    changed = [words for name, words in _TOLD.items() if getattr(old, name) != getattr(new, name)]
    return f"changed: {', '.join(changed) or 'nothing'}"
