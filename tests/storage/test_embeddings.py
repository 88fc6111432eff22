"""Conformance: vectors are written with the node, follow its text, wait when they must, and change models whole."""

from __future__ import annotations

import io

import numpy as np
import pytest
from embedders_for_tests import Numbered
from import_for_tests import put

from wherefrom import Conflict, EmbedderUnavailable, InvalidInput, Memory, NotFound
from wherefrom.embedding.static import StaticEmbedder


def counts(execute, url):
    (vectors,), (waiting,) = (
        execute(url, f"select count(*) from {t}")[0] for t in ("embeddings", "pending_embeddings")
    )
    return vectors, waiting


def test_a_vector_is_written_with_its_memo_and_follows_its_text(memory, url, execute):
    memo = memory.save("about whales", title="Sea").node.id
    assert counts(execute, url) == (1, 0)
    before = execute(url, "select content_hash from embeddings")
    memory.save("about whales", memo_id=memo, metadata={"n": 1})
    assert execute(url, "select content_hash from embeddings") == before
    memory.save("about dolphins", memo_id=memo)
    assert execute(url, "select content_hash from embeddings") != before
    memory.save("about dolphins", memo_id=memo, title="Ocean")
    assert counts(execute, url) == (1, 0)
    memory.delete(memo)
    assert counts(execute, url) == (0, 0)


def test_meaning_finds_what_words_do_not(memory):
    memory.save("The kitten was napping on the sofa.")
    memory.save("Interest rates rose again.")
    found = memory.search("a sleeping cat", limit=1)
    assert found.hits[0].node.content.startswith("The kitten")
    assert found.arms == ("text", "vectors")
    assert (found.alpha, found.vectors_searched, found.degraded) == (0.45, 2, ())
    assert found.hits[0].scores.bm25 is None
    assert 0 < found.hits[0].scores.similarity < 1


def test_an_imported_memo_has_its_vector(memory, url, execute, new_url):
    with Memory.open(new_url("sqlite")) as other:
        other.save("a rare wombat")
        other.export(stream := io.StringIO())
    memory.import_(io.BytesIO(stream.getvalue().encode()))
    memory.import_(io.BytesIO(stream.getvalue().encode()))
    assert counts(execute, url) == (1, 0)
    assert memory.doctor().ok


def test_a_memory_without_an_embedder_wants_no_vectors(url, execute):
    with Memory.open(url, embedder="none") as memory:
        memory.save("one")
        assert memory.search("one").degraded == ()
        assert memory.doctor().ok
        with pytest.raises(EmbedderUnavailable, match="no embedder"):
            memory.vector_search("one")
        with pytest.raises(InvalidInput, match="no embedder"):
            memory.embed()
    assert counts(execute, url) == (0, 0)
    with Memory.open(url) as memory:
        assert memory.embed() == 1
        assert memory.embed() == 0
        assert memory.vector_search("one", target="memos").total_searched == 1


def test_a_process_with_another_model_searches_by_words_and_says_so(memory, url, execute):
    memory.save("memo 1")
    other = Numbered()
    with Memory.open(url, embedder=other) as stranger:
        stranger.save("memo 2")
        found = stranger.search("memo")
        assert len(found.hits) == 2
        assert found.arms == ("text",)
        assert "wordllama" in found.degraded[0]
        assert "wait" in found.degraded[1]
        with pytest.raises(EmbedderUnavailable, match="wordllama"):
            stranger.vector_search("memo", target="memos")
        assert {check.name for check in stranger.doctor().checks if not check.ok} == {"vectors", "embedder"}
    assert counts(execute, url) == (1, 1)
    assert memory.embed() == 1
    assert counts(execute, url) == (2, 0)
    assert memory.doctor().ok


def test_changing_the_model_keeps_the_old_vectors_until_the_new_are_complete(memory, url, execute):
    put(memory, [f"memo {number}" for number in range(600)])
    fails = Numbered("halfway")
    calls = []

    def embed(texts, embed=fails.embed):
        calls.append(len(texts))
        if len(calls) == 3:
            raise EmbedderUnavailable("gone")
        return embed(texts)

    fails.embed = embed
    with Memory.open(url, embedder=fails) as other:
        with pytest.raises(EmbedderUnavailable):
            other.reembed()
        assert memory.search("memo 7").arms == ("text", "vectors")
        assert counts(execute, url) == (600 + 256, 0)
        reported = []
        assert other.reembed(progress=lambda done, total: reported.append((done, total))) == 344
        assert reported[-1] == (344, 344)
        assert other.vector_search("7", target="memos").total_searched == 600
        assert other.doctor().ok
    assert counts(execute, url) == (600, 0)
    assert execute(url, "select model_id, state from embedding_models") == [("halfway", "active")]
    assert memory.search("memo 7").arms == ("text",)
    assert memory.reembed() == 600


def test_a_model_whose_dimension_changed_is_refused(url, execute):
    with Memory.open(url, embedder=Numbered()) as memory:
        memory.save("memo 1")
    with Memory.open(url, embedder=Numbered(dimension=9)) as memory:
        assert memory.save("memo 2").status == "created"
        assert "9 dimensions" in memory.search("memo").degraded[0]
        with pytest.raises(EmbedderUnavailable, match="9 dimensions"):
            memory.embed()
    assert counts(execute, url) == (1, 1)


def test_two_workers_do_not_do_the_same_work(url, execute):
    slow = Numbered()
    slow.instant = False
    with Memory.open(url, embedder="none") as memory:
        put(memory, [f"memo {number}" for number in range(300)])
    with Memory.open(url, embedder=slow) as one, Memory.open(url, embedder=slow) as two:

        def embed(texts, embed=slow.embed):
            if len(texts) == 256:
                slow.embed = embed
                assert two.embed() == 44
            return embed(texts)

        slow.embed = embed
        assert one.embed() == 256
        assert slow.embedded == 300
    assert counts(execute, url) == (300, 0)


def test_a_failing_endpoint_costs_nothing_but_the_meaning(url, execute, endpoint, monkeypatch):
    for name, value in (("EMBEDDER", "endpoint"), ("EMBED_MODEL", "m"), ("EMBED_URL", endpoint.url)):
        monkeypatch.setenv(f"WHEREFROM_{name}", value)
    with Memory.open(url) as memory:
        memory.save("the kitten naps")
    assert counts(execute, url) == (1, 0), "completed in the background before it was closed"
    for mode in ("broken", "refused", "garbage", "short", "slow"):
        endpoint.mode = mode
        monkeypatch.setenv("WHEREFROM_EMBED_TIMEOUT_MS", "400")
        with Memory.open(url) as memory:
            assert memory.save(f"about {mode} dogs").status == "created"
            found = memory.search("kitten dogs")
            assert found.arms == ("text",)
            assert len(found.hits) >= 2
            assert found.degraded[0].startswith("searched by words only")
        with Memory.open(url) as memory:
            failing = {check.name: check.detail for check in memory.doctor().checks if not check.ok}
            assert "wait for their vectors" in failing["vectors"]
            assert "last failure" in failing["vectors"]
    endpoint.mode = "good"
    with Memory.open(url) as memory:
        assert memory.embed() == 5
        assert memory.doctor().ok
        assert memory.search("a sleeping cat").degraded == ()


def test_what_the_boundary_forbids_is_not_sent(memory, url, execute, endpoint, monkeypatch):
    memory.save("public knowledge")
    memory.save("phone number of Mika")
    memory.export(stream := io.StringIO())
    lines = stream.getvalue().replace('"content":"phone number of Mika"', '"content":"phone number of Mika"')
    lines = "\n".join(
        line.replace('"boundary_class":"internal"', '"boundary_class":"pii"') if "Mika" in line else line
        for line in lines.splitlines()
    )
    for name, value in (("EMBEDDER", "endpoint"), ("EMBED_MODEL", "m"), ("EMBED_URL", endpoint.url)):
        monkeypatch.setenv(f"WHEREFROM_{name}", value)
    other = f"{url}2" if not url.startswith("postgresql") else url
    if other == url:
        for table in ("embeddings", "nodes", "embedding_models"):
            execute(url, f"delete from {table}")
    with Memory.open(other, allow=["answer:task", "tool:contact-lookup"]) as careful:
        careful.import_(io.BytesIO(lines.encode()))
        careful.embed()
        sent = [text for request in endpoint.requests for text in request["input"]]
        assert "public knowledge" in sent
        assert not any("Mika" in text for text in sent)
        assert [h.node.content for h in careful.search("phone number", limit=1).hits] == ["phone number of Mika"]
        (vectors,) = (check for check in careful.doctor().checks if check.name == "vectors")
        assert vectors.ok
        assert "1 may not be sent" in vectors.detail
    assert counts(execute, other) == (1, 1)


def test_filters_come_before_the_choice(url):
    with Memory.open(url, embedder=Numbered()) as memory, Memory.open(url, owner="bob", embedder=Numbered()) as bob:
        put(memory, [f"3 here {number}" for number in range(60)], namespace="main/crowd")
        put(bob, [f"3 his {number}" for number in range(60)])
        memory.save("3 in a corner", namespace="corner", metadata={"colour": "red", "n": 3, "ok": True})
        memory.save("3 in the dark", namespace="corner", metadata={"colour": "blue"})
        found = memory.vector_search("3", target="memos", namespace="corner")
        assert {each.text_preview for each in found.results} == {"3 in a corner", "3 in the dark"}
        assert found.total_searched == 2
        assert memory.vector_search("3", target="memos").total_searched == 62
        assert bob.vector_search("3", target="memos", top_k=50).total_searched == 60
        for wanted in ({"colour": "red"}, {"n": 3}, {"n": 3.0, "ok": True}):
            assert [h.node.content for h in memory.search("nothing 3", metadata=wanted).hits] == ["3 in a corner"]
        for nowhere in ({"colour": "green"}, {"ok": 1}, {"n": "3"}, {"colour": "red", "n": 4}):
            assert memory.search("corner 3", metadata=nowhere).hits == ()


def test_like_this_memo(memory):
    cat = memory.save("The cat sleeps on the sofa all day.", title="cat").node.id
    memory.save("A kitten naps on a cushion.", title="kitten")
    memory.save("Interest rates rose by a point.", title="rates")
    found = memory.search(like=cat)
    assert found.hits[0].node.title == "kitten"
    assert cat not in {hit.node.id for hit in found.hits}
    with pytest.raises(NotFound):
        memory.search(like="01900000-0000-7000-8000-000000000000")
    for wrong in ({}, {"query": "x", "like": cat}):
        with pytest.raises(InvalidInput, match="either query or like"):
            memory.search(**wrong)


def test_vector_search_as_the_design_specifies_it(memory):
    long = "The kitten naps. " * 40
    memory.save(long)
    found = memory.vector_search("The kitten naps.", target="memos", min_similarity=0.5)
    assert found.results[0].text_preview == long[:200]
    assert memory.vector_search("zzz", target="memos", min_similarity=1.0).results == ()
    with pytest.raises(NotFound, match="no embeddings of claims"):
        memory.vector_search("anything")
    for wrong in ({"top_k": 0}, {"top_k": 51}, {"min_similarity": 1.1}, {"target": "pages"}, {"task_id": ""}):
        with pytest.raises(InvalidInput):
            memory.vector_search("x", **wrong)


def test_a_task_confines_claims_and_through_edges_fragments(memory):
    memory.save("template")
    memory.export(stream := io.StringIO())
    header, row = stream.getvalue().splitlines()
    from wherefrom.text.check import content_hash

    def node(number, kind, text, task=None):
        import json

        values = {**json.loads(row), "id": f"n{number}", "kind": kind, "content": text, "task_id": task}
        return json.dumps({**values, "content_hash": content_hash(text)})

    def edge(source, target):
        import json

        times = {name: json.loads(row)[name] for name in ("created_at", "updated_at", "observed_at")}
        names = {"source_namespace": "main", "target_namespace": "main", "boundary_class": "internal", "reason": None}
        return json.dumps({"type": "edge", "source_id": source, "target_id": target, "tag": "supports",
                           "weight": 1.0, "confidence": 1.0, "version": 1, **times, **names})  # fmt: skip

    def task(task_id):
        import json

        times = {name: json.loads(row)[name] for name in ("created_at", "updated_at")}
        named = {
            "id": task_id,
            "namespace": "main",
            "query": "whales",
            "status": "created",
            "boundary_class": "internal",
        }
        empty = dict.fromkeys(("result_summary", "error_message", "started_at", "completed_at"))
        return json.dumps({"type": "task", **named, **empty, **times})

    lines = [
        header,
        task("t1"),
        task("t2"),
        node(1, "claim", "whales are mammals", "t1"),
        node(2, "claim", "whales are fish", "t2"),
        node(3, "fragment", "whales suckle their young"),
        node(4, "fragment", "whales live in the sea"),
        edge("n3", "n1"),
        edge("n4", "n2"),
    ]
    memory.import_(io.BytesIO("\n".join(lines).encode()))

    def ids(**given):
        found = memory.vector_search("whales", min_similarity=0, **given)
        return {each.id for each in found.results}, found.total_searched

    assert ids() == ({"n1", "n2"}, 2)
    assert ids(task_id="t1") == ({"n1"}, 1)
    assert ids(target="fragments", task_id="t2") == ({"n4"}, 1)
    assert ids(target="fragments") == ({"n3", "n4"}, 2)
    with pytest.raises(NotFound, match="task t3"):
        ids(task_id="t3")


def test_without_a_limit_the_scores_decide_how_many(url, monkeypatch):
    with Memory.open(url) as memory:
        for number in range(30):
            memory.save(
                f"whale number {number} sings"
                if number < 5
                else f"whale watching tour {number} of the harbour, with lunch"
            )
        everything = memory.search("whale sings", limit=50)
        found = memory.search("whale sings")
        assert len(everything.hits) == 30
        assert 3 <= len(found.hits) < 30
        assert found.candidates == 30
    monkeypatch.setenv("WHEREFROM_CUTOFF", "off")
    with Memory.open(url) as memory:
        assert len(memory.search("whale sings").hits) == 10


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("EMBEDDER", "magic"),
        ("EMBEDDER", "endpoint"),
        ("EMBED_CLASSES", "secret"),
        ("ALPHA", "2"),
        ("ALPHA", "x"),
        ("CUTOFF", "maybe"),
        ("CUTOFF_MIN", "60"),
        ("CUTOFF_SENSITIVITY", "-1"),
    ],
)
def test_settings_that_make_no_sense_are_refused(tmp_path, monkeypatch, name, value):
    monkeypatch.setenv(f"WHEREFROM_{name}", value)
    with pytest.raises(InvalidInput):
        Memory.open(tmp_path / "memory.db")


def test_both_databases_rank_alike(new_url):
    texts = ["cats nap", "dogs bark at cats", "猫は寝る", "犬は吠える", "the bank raised its rates", "a kitten asleep"]
    answers = []
    for dialect in ("sqlite", "postgres"):
        with Memory.open(new_url(dialect)) as memory:
            for text in texts:
                memory.save(text)
            answers.append(
                [
                    (hit.node.content, round(hit.score, 5), round(hit.scores.similarity, 5))
                    for query in ("sleeping cat", "猫 寝る", "interest")
                    for hit in memory.search(query, limit=6).hits
                ]
            )
    assert answers[0] == answers[1]


def test_a_conflict_is_not_swallowed(memory):
    """A save that fails leaves no vector behind."""
    memory.save("one")
    two = memory.save("two").node.id
    with pytest.raises(Conflict):
        memory.save("one", memo_id=two)
    assert memory.doctor().ok
    assert StaticEmbedder().embed(["x"]).shape == (1, 256)


def test_a_text_that_the_embedder_refuses_does_not_hold_up_the_others(url, execute, endpoint, monkeypatch):
    with Memory.open(url, embedder="none") as memory:
        for text in ("one", "a long text", "two", "three"):
            memory.save(text)
    for name, value in (("EMBEDDER", "endpoint"), ("EMBED_MODEL", "m"), ("EMBED_URL", endpoint.url)):
        monkeypatch.setenv(f"WHEREFROM_{name}", value)
    endpoint.mode = "too long"
    with Memory.open(url) as memory:
        assert memory.embed() == 3
        assert memory.embed() == 0
        (vectors,) = (check for check in memory.doctor().checks if check.name == "vectors")
        assert "maximum context length" in vectors.detail
        assert memory.search("two").degraded == ("some texts wait for their vectors",)
    assert counts(execute, url) == (3, 1)
    with Memory.open(url, embedder="static") as memory:
        assert memory.reembed() == 4


def test_a_worker_sends_only_what_is_its_own_to_send(url, endpoint, monkeypatch):
    with Memory.open(url, owner="bob", embedder="none") as bob:
        bob.save("private to bob")
    for name, value in (("EMBEDDER", "endpoint"), ("EMBED_MODEL", "m"), ("EMBED_URL", endpoint.url)):
        monkeypatch.setenv(f"WHEREFROM_{name}", value)
    with Memory.open(url, owner="bob", embedder=Numbered("other")) as bob:
        bob.view.store.embedder.instant = False
        bob.view.store.worker.close()
        bob.save("also private to bob")
    with Memory.open(url, owner="alice") as alice:
        alice.save("hers")
    sent = [text for request in endpoint.requests for text in request["input"]]
    assert sent == ["hers"]


def test_an_interrupted_run_can_be_repeated_at_once(url, execute):
    with Memory.open(url, embedder="none") as memory:
        for number in range(5):
            memory.save(f"memo {number}")
    once = Numbered()

    def interrupted(texts):
        once.embed = Numbered.embed.__get__(once)
        raise KeyboardInterrupt

    once.embed = interrupted
    with Memory.open(url, embedder=once) as memory:
        with pytest.raises(KeyboardInterrupt):
            memory.embed()
        assert memory.embed() == 5


def test_two_changes_of_the_model_at_once_lose_no_vector(url, execute):
    with Memory.open(url) as memory:
        for number in range(3):
            memory.save(f"memo {number}")
    first, second = Numbered("first"), Numbered("second")
    with Memory.open(url, embedder=first) as one, Memory.open(url, embedder=second) as two:

        def embed(texts, embed=first.embed):
            first.embed = embed
            assert two.reembed() == 3
            return embed(texts)

        first.embed = embed
        assert one.reembed() == 3
        assert one.doctor().ok
    assert execute(url, "select model_id, state from embedding_models") == [("first", "active")]
    assert counts(execute, url) == (3, 0)


def test_a_process_with_another_model_embeds_nothing_in_vain(memory, url):
    memory.save("memo 1")
    other = Numbered()
    with Memory.open(url, embedder=other) as stranger:
        stranger.save("memo 2")
        other.embedded = 0
        for _ in range(5):
            stranger.search("memo")
        stranger.view.store.worker.wait()
        assert other.embedded == 0


def test_what_an_interrupted_change_of_model_made_does_not_count_as_done(url, execute):
    with Memory.open(url) as memory:
        memory.save("memo 0")
    slow = Numbered("late")
    with Memory.open(url, embedder=slow) as stranger:
        put(stranger, [f"memo {number}" for number in range(1, 300)])
        calls = []

        def embed(texts, embed=slow.embed):
            calls.append(texts)
            if len(calls) == 3:
                raise EmbedderUnavailable("gone")
            return embed(texts)

        slow.embed = embed
        with pytest.raises(EmbedderUnavailable):
            stranger.reembed()
    assert execute(url, "select count(*) from pending_embeddings") == [(299,)]


def test_a_search_soon_after_the_first_knows_what_came_since(url):
    """The first search of an empty store must not decide for the next two minutes what is common."""
    with Memory.open(url, embedder="none") as memory, Memory.open(url, owner="other", embedder="none") as other:
        other.save("elsewhere")
        memory.search("budget zebra kilogram")
        put(memory, [f"budget meeting {number}" for number in range(60)])
        memory.search("budget zebra kilogram")
        memory.save("zebra kilogram discussion")
        put(memory, [f"another topic {number}" for number in range(340)])
        found = memory.search("budget zebra kilogram", limit=3)
        assert found.hits[0].node.content == "zebra kilogram discussion"
        assert found.hits[0].scores.bm25 < 50


def test_an_embedder_of_ones_own_is_checked(url, execute):
    class Odd(Numbered):
        def embed(self, texts):
            return super().embed(texts).astype(np.float64) * 3

    class Wrong(Numbered):
        def embed(self, _):
            return [["no", "numbers"]]

    with Memory.open(url, embedder=Odd("odd")) as memory:
        memory.save("memo 1")
        assert memory.vector_search("1", target="memos").results[0].similarity == pytest.approx(1, abs=1e-4)
    with Memory.open(url, embedder=Wrong("odd")) as memory:
        assert memory.save("memo 2").status == "created"
        assert memory.search("memo").arms == ("text",)


def test_a_task_is_not_reached_through_what_cannot_be_seen(url, execute):
    with Memory.open(url) as memory:
        claim = memory.save("hidden claim", namespace="hidden").node.id
        memo = memory.save("open memo", namespace="open").node.id
        memory.relate(memo, claim, tag="supports", weight=1)
    execute(url, f"update nodes set kind = 'claim', task_id = 't1' where id = '{claim}'")
    with Memory.open(url, root="main/open") as memory, pytest.raises(NotFound):
        memory.vector_search("memo", target="memos", task_id="t1")


def test_searching_an_emptied_store(url):
    with Memory.open(url) as memory:
        memory.delete(memory.save("gone").node.id)
    with Memory.open(url) as memory:
        assert memory.search("gone", metadata={"a": 1}).hits == ()
        assert memory.search("gone").hits == ()
        with pytest.raises(NotFound):
            memory.vector_search("gone", target="memos")
