"""What nodes say besides their vectors, and what therefore speaks against restoring one from another."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from wherefrom.model.access import Access
from wherefrom.storage import metabolism
from wherefrom.storage.port import Transaction
from wherefrom.text.check import json_text
from wherefrom.text.differences import Facts, difference, facts_of
from wherefrom.text.tokens import text_of

# What in a provenance names a source: where one says another, both are worth keeping.
_SOURCES: Final = ("url", "source", "doi")


@dataclass(frozen=True, slots=True)
class Said:
    """What a node says: the facts of its text, its metadata, when it holds, and from which source it is."""

    version: int
    facts: Facts
    metadata: Mapping[str, Any]
    holds: tuple[str | None, str | None]
    source: Mapping[str, Any]


@dataclass(slots=True)
class Sayings:
    """What some nodes say, read as it is needed."""

    tx: Transaction
    access: Access
    by_id: dict[str, Said] = field(default_factory=dict)
    disputed: set[frozenset[str]] = field(default_factory=set)

    def read(self, ids: Iterable[str]) -> None:
        """Read what these nodes say, and which of them are in dispute with each other."""
        wanted = sorted(set(ids))
        new = [node_id for node_id in wanted if node_id not in self.by_id]
        for row in metabolism.texts(self.tx, self.access, new):
            node_id, version, title, content, metadata, provenance, valid_from, valid_to = row
            known = json.loads(provenance)
            self.by_id[node_id] = Said(
                version=version,
                facts=facts_of(text_of(title, content)),
                metadata=json.loads(metadata),
                holds=(valid_from, valid_to),
                source={name: known[name] for name in _SOURCES if name in known},
            )
        if wanted:
            rows = self.tx.rows("disputes_of_all", {"owner": self.access.owner, "ids": json_text(wanted)})
            self.disputed |= {frozenset(row) for row in rows}

    def against(self, one: str, other: str) -> str | None:
        """What the first says and the other does not; None if nothing is lost with it."""
        if frozenset((one, other)) in self.disputed:
            return "disputed"
        goes, stays = self.by_id[one], self.by_id[other]
        if not _has(stays.metadata, goes.metadata):
            return "metadata"
        if goes.holds != stays.holds:
            return "date"
        if not _has(stays.source, goes.source):
            return "source"
        return difference(goes.facts, stays.facts)


def _has(all_of_it: Mapping[str, Any], some: Mapping[str, Any]) -> bool:
    return all(name in all_of_it and all_of_it[name] == value for name, value in some.items())
