"""Standing rules: claims that come with every activation, whatever the question."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Final

from wherefrom.model.graph import Node
from wherefrom.model.param import Param
from wherefrom.model.sources import names_document

# What the provenance of a standing rule may say: who said it, and in which words; an address or a file is none of it.
_SAID_BY: Final = frozenset(("source", "actor", "agent", "user", "client", "tool", "reason"))
_LOCATED: Final = re.compile(r"[/\\]|\bwww\.|\.\w{2,4}\b")
_DOCUMENTS: Final = frozenset(
    ("url", "uri", "link", "href", "doi", "file", "filename", "file_name", "path", "page", "title", "source_title")
)


@dataclass(frozen=True, slots=True)
class Rules:
    """The standing rules of a namespace and of those above it. rules: those that come with every activation there;
    left_out: those that do not fit into its budget; unconfirmed: claims that would be rules if this access had said
    them itself. note: how many others there are, or why there are none.
    """

    rules: tuple[Node, ...]
    left_out: tuple[Node, ...] = ()
    unconfirmed: Annotated[tuple[Node, ...], Param("Not said here: from an import or a document.")] = ()
    note: str | None = None


def is_rule(node: Node) -> bool:
    """Return True for a claim that says how to go about things: a policy hint, or a preference that is pinned or a
    principle.
    """
    is_lasting = node.claim_kind == "preference" and (node.pinned or node.scope == "principle")
    return node.kind == "claim" and (node.claim_kind == "policy_hint" or is_lasting)


def is_own_rule(node: Node) -> bool:
    """Return True for a rule that may come with every activation once this access says it: it names no document, and
    nothing else as its source but who said it.
    """
    said_by = all(
        name.casefold() in _SAID_BY and isinstance(value, str) and not _LOCATED.search(value)
        for name, value in node.provenance.items()
    )
    is_titled = not _DOCUMENTS.isdisjoint(map(str.casefold, node.metadata))
    return is_rule(node) and said_by and not is_titled and not names_document(node)
