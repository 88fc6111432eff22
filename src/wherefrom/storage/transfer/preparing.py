"""Prepares the lines of an import: everything that can be done with them before the database is asked. It needs neither
the database nor the file, so that another process may do it.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from wherefrom.embedding.port import Embedder
from wherefrom.model.access import Access
from wherefrom.model.errors import InvalidInput, WherefromError
from wherefrom.model.graph import Edge, Node
from wherefrom.storage import embeddings, node_texts
from wherefrom.storage.embeddings import Made
from wherefrom.storage.node_texts import NodeText
from wherefrom.storage.transfer import records, reference_server
from wherefrom.storage.transfer.admission import Admission, Guard
from wherefrom.storage.transfer.reading import json_of
from wherefrom.storage.transfer.records import Record

_NOT_JSON: Final = "the line is not JSON"
_NO_OBJECT: Final = "the line is not a JSON object"


@dataclass(frozen=True, slots=True)
class Prepared:
    """The result of preparing some lines; `place` is a line's index in the block.

    reads: their records, as they may be stored. texts: what the indexes hold of the nodes among them, by their ids.
    links: the edges between the parts of split memos, each with the id of its memo. redacted: how many findings of each
    kind were taken out. made: the vectors; None if there is no embedder, or if they are still to be made.
    """

    reads: list[tuple[int, Record]] = field(default_factory=list)
    texts: dict[str, NodeText] = field(default_factory=dict)
    rejected: list[tuple[int, WherefromError]] = field(default_factory=list)
    links: list[tuple[int, str, Edge]] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    redacted: Counter[str] = field(default_factory=Counter)
    made: Made | None = None


class Preparer:
    """Prepares the lines of one import. is_ours: they are of our own format, and not a reference memory server's."""

    def __init__(
        self, access: Access, guard: Guard, embedder: Embedder | None, *, is_ours: bool, split: bool, now: str
    ) -> None:
        self.embedder = embedder
        self._access = access
        self._guard = guard
        self._parse = partial(records.parse, last={}) if is_ours else reference_server.parse
        self._split = split
        self._now = now

    def for_another_process(self) -> Preparer:
        """Return what can be sent to another process: without the embedder, if that works in this one alone."""
        portable = copy.copy(self)
        if portable.embedder is not None and not portable.embedder.portable:
            portable.embedder = None
        return portable

    def prepare(self, lines: Sequence[bytes]) -> Prepared:
        """Return what is made of some lines, vectors included."""
        return self.embedded(self.read(lines))

    def read(self, lines: Sequence[bytes]) -> Prepared:
        """Return what is made of some lines, without vectors."""
        prepared = Prepared()
        admission = Admission(self._access, self._guard, now=self._now)
        for place, text in enumerate(lines):
            try:
                record = self._record(text)
                if record is None:
                    continue
                for admitted in admission.admitted(place, record):
                    prepared.reads.append((place, admitted))
                    if isinstance(admitted, Node):
                        prepared.texts[admitted.id] = node_texts.of_node(admitted)
            except WherefromError as error:
                prepared.rejected.append((place, error))
        return replace(prepared, links=admission.links, counts=admission.counts, redacted=self._guard.taken_out())

    def embedded(self, prepared: Prepared) -> Prepared:
        """Return the same with vectors, if there is an embedder and they were not made yet."""
        if self.embedder is None or prepared.made is not None:
            return prepared
        texts = [embeddings.embedded_text(record) for _, record in prepared.reads if isinstance(record, Node)]
        return replace(prepared, made=embeddings.made(self.embedder, texts))

    def _record(self, text: bytes) -> Record | None:
        """Return the checked record of a line; None if it has none."""
        try:
            value: Any = json_of(text)
        except (ValueError, RecursionError):
            if text.strip():
                raise InvalidInput(_NOT_JSON) from None
            return None
        if not isinstance(value, dict):
            raise InvalidInput(_NO_OBJECT)
        return self._parse(value, self._access, split=self._split, now=self._now)
