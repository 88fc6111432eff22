"""Graphs whose links are known, and part of them hidden; with words on the nodes, or links alone.

Cora and Citeseer (planetoid) have words; the networks of SEAL have none. A node's text is its words ("w12 w955"), or
"node 17". The vectors of such texts are tf-idf (ln n/df, each word once) by the 512 strongest singular directions.
"""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wherefrom import Memory, Trust

Numbers = NDArray[np.float32]
Places = NDArray[np.int64]

WORDED = ("cora", "citeseer")
HALVES = {
    "tuning": ("cora", "USAir", "NS", "Yeast", "Celegans"),
    "shown": ("citeseer", "PB", "Power", "Router", "Ecoli"),
}
# Of the nodes this share is asked about; where there are only links, at most so many.
SHARE, MOST_WORDLESS = 0.2, 300
SEED = 0
DIMENSIONS = 512


@dataclass(frozen=True, slots=True, eq=False)
class LinkedSet:
    """links: pairs u < v. words: of each node the numbers of its words; None where there are only links."""

    name: str
    size: int
    links: Places
    words: tuple[Places, ...] | None = None

    def texts(self) -> list[str]:
        """The texts, no two the same: a memory keeps the same text once. The dots are no words."""
        if self.words is None:
            return [f"n{number}" for number in range(self.size)]
        plain = [" ".join(f"w{word}" for word in some) or f"none{at}" for at, some in enumerate(self.words)]
        seen: Counter[str] = Counter()
        different = []
        for text in plain:
            different.append(text + " ." * seen[text])
            seen[text] += 1
        return different


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """The nodes that are asked about, the links that are stored, and those that are hidden."""

    asked: Places
    stored: Places
    hidden: Places


class Projected:
    """Embeds texts of known words; a text without any gets a direction of its own."""

    instant, sends, trust = True, False, Trust()

    def __init__(self, known: LinkedSet) -> None:
        rows = tf_idf(known)
        self.model_id = f"bench-svd{DIMENSIONS}-{known.name}"
        self._idf = _idf(known)
        self._directions = _strongest(rows, DIMENSIONS)

    def embed(self, texts: Sequence[str]) -> Numbers:
        found = np.zeros((len(texts), self._directions.shape[1]), dtype=np.float32)
        for at, text in enumerate(texts):
            words = [int(word[1:]) for word in text.split() if word[1:].isdigit()]
            found[at] = self._idf[words] @ self._directions[words]
            if not found[at].any():
                own = np.random.default_rng(list(text.encode()))
                found[at] = own.standard_normal(found.shape[1])
        return found

    def close(self) -> None:
        pass


def read(data: Path, name: str) -> LinkedSet | None:
    """The set of this name; None if it takes SciPy to read and that is not there."""
    if name in WORDED:
        with np.load(data / f"planetoid/{name}.npz") as file:
            starts, listed = file["features_indptr"], file["features_indices"].astype(np.int64)
            words = tuple(np.sort(listed[start:end]) for start, end in pairwise(starts))
            return LinkedSet(name, len(words), _pairs(file["edges"]), words)
    try:
        from scipy.io import loadmat  # type: ignore[import-untyped]
    except ImportError:
        print(f"{name} left out: it takes SciPy to read")
        return None
    net = loadmat(data / f"seal_linkpred/{name}.mat")["net"].tocoo()
    return LinkedSet(name, net.shape[0], _pairs(np.stack([net.row, net.col], axis=1)))


def split(known: LinkedSet, protocol: str) -> Split:
    """Asked are nodes with links; of the links that touch one, `warm` hides half and `cold` all."""
    numbers = np.random.default_rng(SEED)
    linked = np.unique(known.links)
    count = round(SHARE * known.size)
    if known.words is None:
        count = min(count, MOST_WORDLESS)
    asked = np.sort(numbers.permutation(linked)[:count])
    touching = numbers.permutation(np.flatnonzero(np.isin(known.links, asked).any(axis=1)))
    hidden = np.zeros(len(known.links), dtype=bool)
    hidden[touching if protocol == "cold" else touching[: len(touching) // 2]] = True
    return Split(asked, known.links[~hidden], known.links[hidden])


def store(memory: Memory, known: LinkedSet, *, stored: Places) -> list[str]:
    """Put the nodes and links into an empty memory; the ids of the nodes in order."""
    sample = memory.save("the row that all others are made from").node.id
    memory.export(file := io.StringIO())
    head, template = file.getvalue().splitlines()[:2]
    memory.delete(sample)
    row: dict[str, Any] = json.loads(template)
    ids = [f"01900000-0000-7000-8000-{number:012x}" for number in range(known.size)]
    lines = [head]
    for node_id, text in zip(ids, known.texts(), strict=True):
        same = sha256(text.encode()).hexdigest()
        lines.append(json.dumps({**row, "id": node_id, "content": text, "content_hash": same}))
    lines += [
        json.dumps(_edge(row, source_id=ids[source], target_id=ids[target])) for source, target in stored.tolist()
    ]
    imported = memory.import_(io.BytesIO("\n".join(lines).encode() + b"\n"))
    if (imported.nodes_created, imported.edges_created) != (known.size, len(stored)):
        raise RuntimeError(f"{known.name}: not everything was imported: {imported}")
    return ids


def tf_idf(known: LinkedSet) -> Numbers:
    """The words of each node as a row of length 1; zeros where a node has none."""
    assert known.words is not None
    idf = _idf(known)
    rows = np.zeros((known.size, len(idf)), dtype=np.float32)
    for at, some in enumerate(known.words):
        rows[at, some] = idf[some]
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-10)
    return rows


def _idf(known: LinkedSet) -> Numbers:
    assert known.words is not None
    counts = np.bincount(np.concatenate(known.words))
    return np.log(known.size / np.maximum(counts, 1)).astype(np.float32)


def _strongest(rows: Numbers, count: int) -> Numbers:
    """The directions (columns) that keep most of the rows, by the smaller of the two products of the rows."""
    found: Numbers
    if rows.shape[1] <= rows.shape[0]:
        _, found = np.linalg.eigh(rows.T @ rows)
        return found[:, -count:]
    strengths, found = np.linalg.eigh(rows @ rows.T)
    return np.asarray(rows.T @ found[:, -count:] / np.sqrt(strengths[-count:]), dtype=np.float32)


def _pairs(ends: NDArray[Any]) -> Places:
    """Each link once, u < v, without loops."""
    ordered = np.sort(ends.astype(np.int64), axis=1)
    return np.unique(ordered[ordered[:, 0] < ordered[:, 1]], axis=0)


def _edge(template: dict[str, Any], *, source_id: str, target_id: str) -> dict[str, Any]:
    times = {name: template[name] for name in ("observed_at", "created_at", "updated_at", "boundary_class")}
    return {
        "type": "edge",
        "source_id": source_id,
        "target_id": target_id,
        "tag": "cites",
        "weight": 1.0,
        "confidence": 1.0,
        "reason": None,
        "source_namespace": "main",
        "target_namespace": "main",
        "version": 1,
        **times,
    }
