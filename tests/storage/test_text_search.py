"""Conformance: full text finds the same on both databases, in every language."""

from __future__ import annotations

import io

import pytest

from wherefrom import InvalidInput, Memory, NewFragment, NewPage

TEXTS = {
    "cat": "The cat sat on the mat.",
    "dog": "A dog chased the cats across the road.",
    "tokyo": "東京都の猫カフェへ行きました。",
    "kyoto": "京都の寺を訪ねる。",
    "kana": "ﾃﾞｰﾀﾍﾞｰｽの設計",
    "korean": "한국어 텍스트를 검색합니다",
    "chinese": "我喜欢在上海喝咖啡",
    "mixed": "GPT-4oとClaudeを比較した結果",
    "umlaut": "Die Äpfel liegen in Zürich.",
}


@pytest.fixture
def memory(url):
    """A memory that searches by words alone."""
    with Memory.open(url, embedder="none") as opened:
        yield opened


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def filled(request, tmp_path_factory):
    """A memory of each dialect for all tests that only search."""
    if request.param == "sqlite":
        url = tmp_path_factory.mktemp("filled") / "memory.db"
    else:
        url = request.getfixturevalue("postgres_database")()
    with Memory.open(url, embedder="none") as memory:
        for key, text in TEXTS.items():
            memory.save(text, title=key)
        for number in range(30):
            memory.save(f"filler {number} about nothing")
        yield memory


def titles(memory, query, **given):
    return [hit.node.title for hit in memory.search(query, **given).hits]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("cat", "cat"),
        ("What did the dogs chase?", "dog"),
        ("猫", "tokyo"),
        ("京都 寺", "kyoto"),
        ("東京", "tokyo"),
        ("データベース", "kana"),
        ("ベース", "kana"),
        ("텍스트", "korean"),
        ("한국", "korean"),
        ("上海", "chinese"),
        ("咖啡", "chinese"),
        ("claude", "mixed"),
        ("比較", "mixed"),
        ("apfel zurich", "umlaut"),
    ],
)
def test_the_right_text_comes_first(filled, query, first):
    assert titles(filled, query)[0] == first


def test_scores_fall_and_say_how_it_was_searched(filled):
    found = filled.search("cat mat")
    scores = [hit.score for hit in found.hits]
    assert scores == sorted(scores, reverse=True)
    assert all(score > 0 for score in scores)
    assert found.arms == ("text",)


def test_both_databases_give_the_same_scores(new_url):
    answers = []
    for dialect in ("sqlite", "postgres"):
        with Memory.open(new_url(dialect)) as memory:
            for text in TEXTS.values():
                memory.save(text)
            answers.append(
                [
                    (hit.node.content, round(hit.score, 6))
                    for query in ("cat road", "東京 京都", "コーヒー 上海 咖啡", "the")
                    for hit in memory.search(query).hits
                ]
            )
    assert answers[0] == answers[1]
    assert answers[0]


def test_the_index_follows_changes_and_deletes(memory):
    memo = memory.save("about whales", title="Sea").node.id
    assert titles(memory, "whale") == ["Sea"]
    assert titles(memory, "sea") == ["Sea"]
    memory.save("about dolphins", memo_id=memo)
    assert titles(memory, "whale") == []
    assert titles(memory, "dolphins") == ["Sea"]
    memory.delete(memo)
    assert titles(memory, "dolphins") == []
    assert memory.doctor().ok


def test_imported_texts_are_found(memory, new_url):
    with Memory.open(new_url("sqlite")) as other:
        other.save("a rare wombat", title="W")
        stream = io.StringIO()
        other.export(stream)
    memory.import_(io.BytesIO(stream.getvalue().encode()))
    assert titles(memory, "wombats") == ["W"]


def test_namespaces_and_owners_do_not_mix(url):
    with Memory.open(url, owner="alice") as alice, Memory.open(url, owner="bob") as bob:
        for number in range(40):
            alice.save(f"zebra {number}", title="hers")
        bob.save("one zebra among many other animals in a long text", title="his")
        bob.save("zebra", title="elsewhere", namespace="x")
        assert titles(bob, "zebra", limit=5) == ["elsewhere", "his"]
        assert titles(bob, "zebra", namespace="x") == ["elsewhere"]
        assert set(titles(alice, "zebra", limit=50)) == {"hers"}


def test_reindexing_brings_back_a_lost_index(memory, url, execute):
    memory.save("about whales")
    if url.startswith("postgresql"):
        execute(url, "truncate node_texts, node_terms")
    else:
        execute(url, "delete from node_terms")
    assert [check.name for check in memory.doctor().checks if not check.ok] == ["pending work"]
    assert memory.reindex() == 1
    assert memory.doctor().ok
    assert len(memory.search("whales").hits) == 1


@pytest.mark.parametrize("query", ["", "  ", "\0", 5, None, "x" * 9_000])
def test_queries_that_are_none(sqlite_memory, query):
    with pytest.raises(InvalidInput):
        sqlite_memory.search(query)


@pytest.mark.parametrize(
    "query", ['" OR *', "NEAR(a b)", "terms : x", "a AND NOT b", "'; drop table nodes", "!!!", "^a*", "{x} -y"]
)
def test_a_query_is_never_syntax(filled, query):
    filled.search(query)


def test_no_term_outlives_its_text_on_postgresql(postgres_store, postgres_database):
    """No foreign key deletes terms: a deletion, a new text, and a page that takes its fragments with it do."""
    with Memory.open(postgres_database(postgres_store)) as memory:
        rewritten = memory.save("an old text about copper").node
        memory.save("a new text about tin", memo_id=rewritten.id)
        memory.delete(memory.save("a text that goes").node.id)
        fragments = [NewFragment("The heron stands in the reeds."), NewFragment("The otter swims.")]
        added = memory.add_evidence(NewPage("https://example.com/reeds"), fragments=fragments)
        memory.delete(added.page.id)
        orphans, terms = memory.view.store.database.read(
            lambda tx: tx._connection.execute(
                "select count(*) filter (where n.seq is null), array_agg(t.term) from node_terms t"
                " left join nodes n on n.owner_id = t.owner_id and n.seq = t.node_seq"
            ).fetchone()
        )
        assert (orphans, {"copper", "heron"} & {*terms}) == (0, set())
