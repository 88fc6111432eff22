"""The facts that nodes state besides their vectors: a node with facts of its own cannot be restored from another."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from wherefrom.storage.metabolism import MeasuredGraph
from wherefrom.text.differences import Facts, difference, facts_of
from wherefrom.text.tokens import text_of

# The keys of a provenance that name a source: nodes of different sources are both worth keeping.
_SOURCE_KEYS: Final = ("url", "source", "doi")


@dataclass(frozen=True, slots=True)
class NodeFacts:
    """The facts of a node's text, its metadata, when it holds, its source, who says it, and its session with the hash
    of the text.
    """

    version: int
    facts: Facts
    metadata: Mapping[str, Any]
    holds: tuple[str | None, str | None]
    source: Mapping[str, Any]
    speaker: str | None
    turn: tuple[str | None, str]


@dataclass(slots=True)
class FactsByNode:
    """The facts of nodes, read as they are needed."""

    graph: MeasuredGraph
    by_id: dict[str, NodeFacts] = field(default_factory=dict)
    disputed: set[frozenset[str]] = field(default_factory=set)

    def read(self, ids: Iterable[str]) -> None:
        """Read the facts of these nodes, and which of them are in dispute with each other."""
        wanted = sorted(set(ids))
        new = [node_id for node_id in wanted if node_id not in self.by_id]
        for row in self.graph.texts(new):
            node_id, version, title, content, metadata, provenance, valid_from, valid_to, speaker, *turn = row
            known = json.loads(provenance)
            self.by_id[node_id] = NodeFacts(
                version=version,
                facts=facts_of(text_of(title, content)),
                metadata=json.loads(metadata),
                holds=(valid_from, valid_to),
                source={name: known[name] for name in _SOURCE_KEYS if name in known},
                speaker=speaker,
                turn=(turn[0], turn[1]),
            )
        self.disputed |= self.graph.disputes(wanted)

    def against(self, one: str, other: str) -> str | None:
        """Return what would be lost if the first node were restored from the other; None if nothing would."""
        if frozenset((one, other)) in self.disputed:
            return "disputed"
        goes, stays = self.by_id[one], self.by_id[other]
        if not goes.metadata.items() <= stays.metadata.items():
            return "metadata"
        if goes.holds != stays.holds:
            return "date"
        if not goes.source.items() <= stays.source.items():
            return "source"
        if goes.speaker not in {None, stays.speaker}:
            return "name"
        # The same words said again, or in another session, have a date of their own.
        if goes.turn[0] is not None and (goes.turn[0] != stays.turn[0] or goes.turn == stays.turn):
            return "date"
        return difference(goes.facts, stays.facts)
