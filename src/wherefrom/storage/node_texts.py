"""What the indexes hold of a node's text: made before the transaction that stores the node, in whichever process."""

from __future__ import annotations

from typing import Final, NamedTuple

from wherefrom.model.graph import BoundaryClass, Node
from wherefrom.storage import embeddings
from wherefrom.text.check import content_hash
from wherefrom.text.found_names import FoundName, names_in
from wherefrom.text.sensitive.findings import lookup_terms
from wherefrom.text.sensitive.redaction import shared_text
from wherefrom.text.tokens import names_of, searched_text, terms

# The kinds of nodes whose texts are looked through for names.
_NAMING: Final = ("memo", "claim", "fragment")


class NodeText(NamedTuple):
    """A node and what is made of its text: its terms, the names that stand in it, and the hash of what its vector is
    made of; None if its kind has no vector.
    """

    node: Node
    terms: list[str]
    names: list[FoundName]
    embedded_hash: str | None


def of_node(node: Node) -> NodeText:
    """Make what the indexes hold of a node."""
    text = searched_text(node.title, names_of(node.aliases, node.metadata, node.speaker), node.content)
    embedded = embeddings.embedded_text(node)
    # A name must not tell that a text has a number to somebody who may not see the number.
    named = node.content if node.shared_class is None else embedded
    return NodeText(
        node,
        indexed_terms(text, node.boundary_class, node.shared_class),
        names_in(named) if node.kind in _NAMING else [],
        content_hash(embedded) if node.kind in embeddings.KINDS else None,
    )


def fitting(made: NodeText | None, node: Node) -> NodeText:
    """What was made of a node, if it still has the same text; else it is made anew."""
    if made is None:
        return of_node(node)
    if made.node is node:
        return made
    return made._replace(node=node) if _decide_all(made.node) == _decide_all(node) else of_node(node)


def decide_vector(node: Node) -> tuple[object, ...]:
    """The values that decide the vector of a node, and which names stand in it."""
    return node.title, node.content, node.shared_class is None


def decide_terms(node: Node) -> tuple[object, ...]:
    """The values that decide how a node stands in the text index."""
    return *decide_vector(node), names_of(node.aliases, node.metadata, node.speaker)


def indexed_terms(text: str, boundary_class: str, shared_class: BoundaryClass | None) -> list[str]:
    """The terms of a text in the index. Each piece of personal data is one term, for those who may see it."""
    found = terms(shared_text(text, shared_class))
    if boundary_class == "pii":
        found += lookup_terms(text)
    return found


def _decide_all(node: Node) -> tuple[object, ...]:
    """The values that decide what is made of a node's text."""
    return *decide_terms(node), node.kind, node.boundary_class, node.shared_class
