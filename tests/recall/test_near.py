"""The memos and claims near to one that is about to be saved, on both databases."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest

from wherefrom import Memory
from wherefrom.evidence.input import NewClaim, NewEvidence, NewFragment, NewPage
from wherefrom.model.graph import node_at
from wherefrom.model.identifiers import timestamp
from wherefrom.recall.near import MAX_NEAR, _most_likely, find_likely, nearest_of
from wherefrom.storage import embeddings, nodes
from wherefrom.storage.candidates import Candidate
from wherefrom.text.check import content_hash
from wherefrom.text.differences.describe import UPDATE_HINT

CHANGES = [
    ("Anna lives in Hamburg.", "Anna lives in Munich now."),
    ("The team meeting is on Monday at 10:00.", "We hold the team meeting on Wednesdays from now on."),
    ("Die Miete beträgt 900 Euro.", "Der Vermieter hat die Miete auf 980 Euro erhöht."),
    ("田中さんはソニーで働いている。", "田中さんはソニーを辞めて任天堂に転職しました。"),
]
OTHERS = [
    "Basalt columns form when thick lava cools slowly.",
    "The oboe solo in the second movement is played muted.",
    "Der Kompressor im Keller verliert Öl.",
    "消費税の申告は四半期ごとに行う。",
    "Ben lives on a boat.",
    "Mitochondria have their own circular DNA.",
]


def near(memory: Memory, text: str, *, with_vector: bool = True, **values):
    view = memory.view
    store = view.store
    now = timestamp(store.clock())
    node = node_at(
        now, **{"id": "new", "namespace": "main", "content": text, "content_hash": content_hash(text), **values}
    )
    made = embeddings.made(store.embedder, [text]) if with_vector and store.embedder is not None else None

    def work(tx):
        likely = find_likely(tx, view.access, store, node, made, now=now)
        return nearest_of(likely, nodes.read_by_ids(tx, view.access, likely.ids), node)

    return store.database.read(work)


def contents(found):
    return [statement.node.content for statement in found]


@pytest.fixture
def filled(memory):
    for text in (*OTHERS, *(old for old, _ in CHANGES)):
        memory.save(text)
    return memory


def test_the_old_statement_of_a_change_is_near(filled):
    for old, new in CHANGES:
        found = near(filled, new)
        assert found[0].node.content == old
        assert found[0].hint == UPDATE_HINT
        assert len(found) <= MAX_NEAR
        assert all(0 < statement.similarity <= 1 for statement in found)
        assert [statement.similarity for statement in found] == sorted(
            (statement.similarity for statement in found), reverse=True
        )


def test_what_has_one_rare_word_of_a_text_does_not_crowd_out_what_is_similar():
    node = node_at(timestamp(datetime(2030, 1, 1, tzinfo=UTC)), id="new", namespace="main", content="a text")
    vector, weights = np.array([1.0, 0.0]), {"rare": 3.0, "one": 2.0, "two": 2.0, "three": 2.0}
    others = [Candidate(f"word{n}", text_score=3.0, vector=np.array([0.5, 0.5])) for n in range(8)]
    similar = Candidate("similar", vector=np.array([0.8, 0.6]))
    assert similar in _most_likely((*others, similar), vector, weights, node)


def test_without_a_vector_the_words_decide(filled):
    assert contents(near(filled, "Anna lives in Munich now.", with_vector=False))[0] == "Anna lives in Hamburg."
    assert near(filled, "Quarterly returns are filed by the accountant.", with_vector=False) == ()


def test_what_has_nothing_to_do_with_it_is_not_near(filled):
    for text in (
        "Our supplier for titanium screws is Nordfix.",
        "Das Gutachten liegt vor.",
        "橋の鑑定書は役所に提出済みだ。",
    ):
        assert near(filled, text) == ()


def test_neither_the_node_itself_nor_the_same_text_is_near(filled):
    known = filled.search("Anna lives in Hamburg").hits[0].node
    assert known.content not in contents(near(filled, known.content))
    assert known.content not in contents(near(filled, "Anna lives in Kiel.", id=known.id))


def test_nothing_that_is_over_is_near(timed, clock):
    timed.save("Anna lives in Hamburg.", scope="session")
    old = timed.save("Anna lives in Bremen.").node
    new = timed.save("Anna lives in Kiel.").node
    assert len(near(timed, "Anna lives in Munich.")) == MAX_NEAR
    timed.feedback(old.id, "duplicate", duplicate_of=new.id)
    assert sorted(contents(near(timed, "Anna lives in Munich."))) == ["Anna lives in Hamburg.", "Anna lives in Kiel."]
    clock.go_on(days=7)
    assert contents(near(timed, "Anna lives in Munich.")) == ["Anna lives in Kiel."]


def test_claims_are_near_unless_they_were_rejected_or_belong_to_a_research_task(memory):
    claim = memory.save("Anna lives in Hamburg.", claim_kind="fact").node
    task = memory.create_task("Where does Anna live?").id
    memory.add_evidence(
        NewPage("https://example.org/anna", "Anna", 2020),
        fragments=[NewFragment("She was seen in Bremen.")],
        claims=[NewClaim("Anna lives in Bremen.", evidence=[NewEvidence("supports", fragment=0, confidence=1.0)])],
        task_id=task,
    )
    assert contents(near(memory, "Anna lives in Munich.")) == [claim.content]
    memory.reject_claim(claim.id, reason="nonsense")
    assert near(memory, "Anna lives in Munich.") == ()


def test_an_access_is_near_only_to_what_it_sees(url):
    with Memory.open(url, root="team") as team, Memory.open(url, root="other") as other:
        team.save("Anna lives in Hamburg.")
        assert contents(near(team, "Anna lives in Munich.")) == ["Anna lives in Hamburg."]
        assert near(other, "Anna lives in Munich.") == ()
