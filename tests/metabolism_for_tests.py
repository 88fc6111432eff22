"""What the tests of metabolism share: graphs with given figures and times, and a model with given similarities."""

from __future__ import annotations

import io
import json
import math
import zlib
from datetime import UTC, datetime, timedelta

import numpy as np

from wherefrom import Trust
from wherefrom.model.graph import Edge, Node
from wherefrom.model.identifiers import timestamp
from wherefrom.storage.transfer.records import line
from wherefrom.text.check import content_hash

NOW = datetime(2026, 1, 1, tzinfo=UTC)
# Each may be left out, as none says anything.
FILLERS = ("really", "actually", "basically", "indeed", "really", "actually", "basically")


class Placed:
    """A model of our own: the first word of a text is its direction, and `apart` says by which difficulty it is away
    from there. Texts that begin with different words are far apart.
    """

    instant = True
    sends = False
    trust = Trust()
    model_id = "placed"
    dimension = 64

    def __init__(self, **apart):
        self.apart = {said.replace("_", " "): difficulty for said, difficulty in apart.items()}

    def close(self):
        pass

    def embed(self, texts):
        return np.array([self._vector(text) for text in texts], dtype=np.float32).reshape(-1, self.dimension)

    def _vector(self, text):
        first = text.split()[0]
        there, aside = np.random.default_rng(zlib.crc32(first.encode())).normal(size=(2, self.dimension))
        there /= np.linalg.norm(there)
        aside -= there * (there @ aside)
        aside /= np.linalg.norm(aside)
        difficulty = next((value for said, value in self.apart.items() if said in text), 0.0)
        angle = math.acos(1.0 - difficulty)
        return there * math.cos(angle) + aside * math.sin(angle)


def says(topic, number=0):
    """One of a hundred texts about a topic that differ in fillers alone."""
    said = (f"{word} " if number >> bit & 1 else "" for bit, word in enumerate(FILLERS))
    return (
        "{} is {}often found by {}people who walk {}along the shore {}of a quiet {}beach after storms {}when the sea "
        "{}lies calm again."
    ).format(topic, *said)


def ago(*, days=0.0, hours=0.0):
    return timestamp(NOW - timedelta(days=days, hours=hours))


class Graph:
    """Nodes and edges with given figures and times, as an export has them. A node's name is its id."""

    def __init__(self):
        self.nodes = {}
        self.edges = []

    def __repr__(self):
        return "\n".join(self.records())

    def node(self, name, text=None, *, namespace="main", kind="memo", days=200.0, **given):
        text = f"Topic{name} has a text of its own." if text is None else text
        at = ago(days=days)
        times = {"observed_at": at, "recency_anchor": at, "created_at": at, "updated_at": at}
        self.nodes[name] = Node(
            id=name, namespace=namespace, content=text, content_hash=content_hash(text), kind=kind, **times, **given
        )
        return name

    def edge(self, source, target, tag="related", *, weight=1.0, days=0.0, **given):
        at = ago(days=days)
        places = {"source_namespace": "main", "target_namespace": "main"}
        times = {"observed_at": at, "created_at": at, "updated_at": at}
        self.edges.append(Edge(source, target, tag, weight, **places, **times, **given))

    def hubs(self, namespace="main", *, days=0.0):
        """Two strong nodes, joined by an edge of full weight that is the newest of the namespace."""
        first, second = (self.node(f"{namespace.replace('/', '.')}.hub{side}", namespace=namespace) for side in "ab")
        self.edge(first, second, days=days)
        return first, second

    def weak(self, name, text=None, *, to, weight=0.05, tag="related", aged=10.0, **given):
        """A node whose only edge is thin."""
        self.node(name, text, **given)
        self.edge(name, to, tag, weight=weight, days=aged)
        return name

    def strong(self, name, text=None, *, to, **given):
        """A node with an edge that is not thin."""
        self.node(name, text, **given)
        self.edge(name, to, days=1)
        return name

    def records(self):
        return [*(line("node", node) for node in self.nodes.values()), *(line("edge", edge) for edge in self.edges)]

    def put(self, memory):
        return put(memory, self.records())


def put(memory, records):
    header = json.dumps({"type": "wherefrom", "format": 1, "exported_at": ago(), "root_namespace": "main"})
    imported = memory.import_(io.BytesIO("\n".join((header, *records)).encode()))
    assert not imported.rejections
    return imported


def exported(memory):
    """The lines of an export but for its header."""
    stream = io.StringIO()
    memory.export(stream)
    return stream.getvalue().splitlines()[1:]


def removed(plan):
    return {each.node.id: each.rule for each in plan.removed}


def fates(plan):
    """What becomes of the weak nodes that a plan shows: the rule of each."""
    return {each.node.id: each.rule for each in (*plan.removed, *plan.examples)}


def pruned(plan):
    return {(each.source_id, each.target_id, each.tag): each.rule for each in plan.thinnest}


def kept_edges(memory):
    """The relations that there are, as (source, target, tag)."""
    return {(each["source_id"], each["target_id"], each["tag"]) for each in records_of(memory, "edge")}


def kept_nodes(memory):
    return {each["id"] for each in records_of(memory, "node")}


def records_of(memory, kind):
    return [record for record in map(json.loads, exported(memory)) if record["type"] == kind]
