"""Memos and relations against a plain model in memory: whatever the order of calls, both agree."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule, run_state_machine_as_test

from wherefrom import Conflict, InvalidNamespace, Memory, NotFound, Store

TEXTS = st.sampled_from(["alpha", "beta", "gamma", "日本", "텍스트", " padded ", "new\nline"])
SPACES = st.sampled_from(["main", "main/a", "main/a/b", "main/c"])
TAGS = st.sampled_from(["supports", "conflicts", "根拠"])
WEIGHTS = st.floats(0, 1)
METADATA = st.dictionaries(
    st.sampled_from("xyz"),
    st.one_of(st.none(), st.integers(-5, 5), st.text(max_size=3).filter(lambda t: "\0" not in t)),
    max_size=2,
)


class MemoryMachine(RuleBasedStateMachine):
    """The model: memos by id, edges by (source, target, tag)."""

    memory: Memory
    memos = Bundle("memos")

    def __init__(self) -> None:
        super().__init__()
        # A fresh owner for each run: runs share a database and must not see each other.
        store = Store(type(self).memory.view.store.database)
        self.store = store.memory(owner=uuid.uuid4().hex, root="main", namespace="main")
        self.nodes: dict[str, dict[str, Any]] = {}
        self.edges: dict[tuple[str, str, str], dict[str, Any]] = {}

    def holder(self, namespace: str, content: str) -> str | None:
        return next((i for i, n in self.nodes.items() if (n["namespace"], n["content"]) == (namespace, content)), None)

    def merge(self, memo_id: str, **news: Any) -> None:
        node = self.nodes[memo_id]
        merged = {**node, **{key: value for key, value in news.items() if value is not None and key != "metadata"}}
        joined = {**node["metadata"], **news.get("metadata", {})}
        merged["metadata"] = {key: value for key, value in joined.items() if value is not None}
        if merged != node:
            merged["version"] += 1
        self.nodes[memo_id] = merged

    @rule(target=memos, content=TEXTS, namespace=SPACES, title=st.none() | st.just("T"), metadata=METADATA)
    def save(self, content, namespace, title, metadata):
        saved = self.store.save(content, namespace=namespace, title=title, metadata=metadata)
        known = self.holder(namespace, content)
        assert saved.status == ("created" if known is None else "duplicate")
        if known is None:
            kept = {key: value for key, value in metadata.items() if value is not None}
            self.nodes[saved.node.id] = {
                "namespace": namespace,
                "content": content,
                "title": title,
                "metadata": kept,
                "aliases": (),
                "version": 1,
            }
        else:
            assert saved.node.id == known
            first, aliases = self.nodes[known]["title"], self.nodes[known]["aliases"]
            if first is not None and title not in (None, first, *aliases):
                aliases = (*aliases, title)
            self.merge(known, title=first or title, metadata=metadata, aliases=aliases)
        return saved.node.id

    @rule(memo=memos, content=TEXTS, title=st.none() | st.just("U"))
    def update(self, memo, content, title):
        if memo not in self.nodes:
            with pytest.raises(NotFound):
                self.store.save(content, memo_id=memo)
            return
        other = self.holder(self.nodes[memo]["namespace"], content)
        if other not in (None, memo):
            with pytest.raises(Conflict):
                self.store.save(content, memo_id=memo, title=title)
            return
        self.store.save(content, memo_id=memo, title=title)
        self.merge(memo, content=content, title=title)

    @rule(memo=consumes(memos))
    def delete(self, memo):
        if memo not in self.nodes:
            with pytest.raises(NotFound):
                self.store.delete(memo)
            return
        gone = [key for key in self.edges if memo in key[:2]]
        assert self.store.delete(memo).edges_deleted == len(gone)
        del self.nodes[memo]
        for key in gone:
            del self.edges[key]

    @rule(first=memos, second=memos, tag=TAGS, weight=WEIGHTS, reason=st.none() | st.sampled_from(["", "r1", "r2"]))
    def relate(self, first, second, tag, weight, reason):
        if first not in self.nodes or second not in self.nodes:
            with pytest.raises(NotFound):
                self.store.relate(first, second, tag=tag, weight=weight, reason=reason)
            return
        self.store.relate(first, second, tag=tag, weight=weight, reason=reason)
        old = self.edges.get((first, second, tag))
        kept = (old or {"reason": None})["reason"] if reason is None else reason or None
        new = {"weight": weight, "reason": kept, "version": (old or {"version": 0})["version"]}
        if old is None or (old["weight"], old["reason"]) != (weight, kept):
            new["version"] += 1
        self.edges[first, second, tag] = new

    @rule(first=memos, second=memos, tag=TAGS)
    def unrelate(self, first, second, tag):
        if (first, second, tag) in self.edges:
            self.store.unrelate(first, second, tag=tag)
            del self.edges[first, second, tag]
        else:
            with pytest.raises(NotFound):
                self.store.unrelate(first, second, tag=tag)

    @rule(first=SPACES, second=SPACES)
    def rename(self, first, second):
        moved = {i: n for i, n in self.nodes.items() if (n["namespace"] + "/").startswith(first + "/")}
        places = {i: second + n["namespace"][len(first) :] for i, n in moved.items()}
        if (second + "/").startswith(first + "/"):
            expected: type[Exception] | None = InvalidNamespace
        elif not moved:
            expected = NotFound
        elif any(self.holder(place, self.nodes[i]["content"]) is not None for i, place in places.items()):
            expected = Conflict
        else:
            expected = None
        if expected is not None:
            with pytest.raises(expected):
                self.store.rename_namespace("/" + first.removeprefix("main"), "/" + second.removeprefix("main"))
            return
        self.store.rename_namespace("/" + first.removeprefix("main"), "/" + second.removeprefix("main"))
        for memo, place in places.items():
            self.nodes[memo] = {**self.nodes[memo], "namespace": place, "version": self.nodes[memo]["version"] + 1}
        for key, edge in self.edges.items():
            if key[0] in places or key[1] in places:
                self.edges[key] = {**edge, "version": edge["version"] + 1}

    @rule(start=memos, depth=st.integers(1, 4), direction=st.sampled_from(["forward", "backward", "both"]))
    def walk(self, start, depth, direction):
        if start not in self.nodes:
            with pytest.raises(NotFound):
                self.store.walk(start)
            return
        reached, seen, frontier = set(), {start}, {start}
        for _ in range(depth):
            step = {
                key
                for key in self.edges
                if (direction != "backward" and key[0] in frontier) or (direction != "forward" and key[1] in frontier)
            }
            reached |= step
            frontier = {end for key in step for end in key[:2]} - seen
            seen |= frontier
        found = self.store.walk(start, depth=depth, direction=direction)
        assert {(edge.source_id, edge.target_id, edge.tag) for edge in found.edges} == reached

    @invariant()
    def both_agree(self):
        stored = {
            node.id: {
                name: getattr(node, name)
                for name in ("namespace", "content", "title", "metadata", "aliases", "version")
            }
            for node in self.store.list(namespace="/", limit=100).nodes
        }
        assert stored == self.nodes
        edges = {
            (edge.source_id, edge.target_id, edge.tag): {
                name: getattr(edge, name) for name in ("weight", "reason", "version")
            }
            for edge in self.store.relations(limit=500).edges
        }
        assert edges == self.edges


@pytest.mark.slow
@pytest.mark.parametrize("examples", [10, pytest.param(40, marks=pytest.mark.long)])
def test_the_store_agrees_with_a_plain_model(memory, examples):
    machine = type("Machine", (MemoryMachine,), {"memory": memory})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=30,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            derandomize=True,
            phases=(Phase.generate,),
        ),
    )
    assert memory.doctor().ok
