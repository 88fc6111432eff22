"""Evidence: what is kept once, what belongs together, who sees it, and what becomes of it, on both databases."""

from __future__ import annotations

import itertools
import json
import math
import threading
import uuid
from dataclasses import replace

import pytest
from import_for_tests import exported, stream

from wherefrom import BoundaryDenied, Conflict, InvalidInput, Memory, NotFound
from wherefrom.evidence.input import NewClaim, NewEvidence, NewFragment, NewPage, NewQuery
from wherefrom.model import limits
from wherefrom.model.evidence import Correction, EvidenceSummary

# No text names its title: that would make mentions, which are edges, too.
NILE = NewPage("https://rivers.example/nile", "Annual report", 2020)
FLOODS = NewFragment("The Nile floods every summer,\n  and leaves mud behind.")
DRY = NewFragment("In 1984 the Nile did not flood.")
CLAIM = "The Nile floods every year."
EMAIL = "kim.lee" + "@" + "example.org"
SECRET = "ghp" + "_" + "aB3" * 12
LOOKUP = "tool:contact-lookup"


def says(relation, fragment=0, confidence=1.0, **more):
    return NewEvidence(relation, fragment=fragment, confidence=confidence, **more)


def claims(*sayings, text=CLAIM, **more):
    return [NewClaim(text, evidence=sayings, **more)]


def add(memory, *sayings, page=NILE, fragments=(FLOODS, DRY), text=CLAIM, **more):
    """A page with two fragments, and one claim about which they say this."""
    return memory.add_evidence(page, fragments=fragments, claims=claims(*sayings, text=text), **more)


def rows(memory, sql):
    result = memory.query_graph(sql, limit=200, timeout_ms=2000, max_vm_steps=50_000_000)
    assert result.ok, (result.error, sql)
    return list(result.rows)


def number(memory, table, where="1 = 1"):
    return rows(memory, f"select count(*) from {table} where {where}")[0][0]


@pytest.fixture(scope="module")
def urls(request, tmp_path_factory):
    """A database of each dialect, for all tests here: each has an owner of its own."""
    return {
        "sqlite": str(tmp_path_factory.mktemp("evidence") / "memory.db"),
        "postgres": request.getfixturevalue("postgres_database")(),
    }


@pytest.fixture(params=["sqlite", "postgres"])
def url(request, urls):
    return urls[request.param]


@pytest.fixture
def owner():
    return uuid.uuid4().hex


@pytest.fixture
def memory(url, owner):
    with Memory.open(url, owner=owner) as opened:
        yield opened


@pytest.fixture
def other(urls):
    """Another memory, elsewhere."""
    with Memory.open(urls["sqlite"], owner=uuid.uuid4().hex) as opened:
        yield opened


@pytest.fixture
def timed(url, owner, clock):
    """A memory whose time is ours."""
    with Memory.open(url, owner=owner, clock=clock) as opened:
        yield opened


@pytest.fixture
def stored(url, owner, execute):
    """The rows of a table behind the program's back."""

    def read(table, what="*"):
        return execute(url, f"select {what} from {table} where owner_id = '{owner}'")

    return read


@pytest.fixture
def everything(stored):
    """All rows that evidence touches, to see that nothing has changed."""

    def read():
        tables = ("nodes", "edges", "tasks", "queries", "corrections", "events", "embeddings")
        # That something was refused is noted.
        return {table: sorted(row for row in map(repr, stored(table)) if "'filter'" not in row) for table in tables}

    return read


# --- what is kept once ------------------------------------------------------------------------------------------------


def test_a_page_is_kept_once_for_its_url(memory):
    first = memory.add_evidence(NewPage("https://Rivers.example:443/nile#top"))
    again = memory.add_evidence(NewPage("https://rivers.example/nile", "Annual report", 2020))
    other = memory.add_evidence(NewPage("https://rivers.example/nile?page=2"))
    assert (first.page.status, again.page.status, other.page.status) == ("created", "updated", "created")
    assert first.page.id == again.page.id != other.page.id
    assert rows(memory, "select url, title, year, domain from pages order by url") == [
        ("https://rivers.example/nile", "Annual report", 2020, "rivers.example"),
        ("https://rivers.example/nile?page=2", None, None, "rivers.example"),
    ]


def test_a_page_is_kept_once_in_each_namespace_and_for_each_owner(url, owner):
    with Memory.open(url, owner=owner) as kim, Memory.open(url, owner=f"{owner}-lee") as lee:
        ids = [
            kim.add_evidence(NILE, namespace="a").page.id,
            kim.add_evidence(NILE, namespace="b").page.id,
            lee.add_evidence(NILE, namespace="a").page.id,
        ]
        assert len(set(ids)) == 3
        assert rows(kim, "select namespace from pages order by 1") == [("main/a",), ("main/b",)]
        assert rows(lee, "select namespace, id from pages") == [("main/a", ids[2])]


def test_what_is_new_about_a_page_is_merged_and_what_is_not_said_stays(memory):
    memory.add_evidence(NewPage(NILE.url, "Annual report", 2020, {"doi": "10.1/nile", "venue": "Rivers"}))
    added = memory.add_evidence(NewPage(NILE.url))
    assert added.page.status == "unchanged"
    memory.add_evidence(NewPage(NILE.url, "Yearly report"))
    ((title, year, paper),) = rows(memory, "select title, year, paper_metadata from pages")
    paper = json.loads(paper) if isinstance(paper, str) else paper
    assert (title, year, paper) == ("Yearly report", 2020, {"doi": "10.1/nile", "venue": "Rivers"})


def test_a_year_in_the_metadata_of_a_paper_is_its_year(memory):
    memory.add_evidence(NewPage("https://a.example/1", paper_metadata={"year": 1999}))
    memory.add_evidence(NewPage("https://a.example/2", year=2001, paper_metadata={"year": 1999}))
    assert rows(memory, "select year from pages order by url") == [(1999,), (2001,)]


def test_a_fragment_is_kept_once_for_its_page_position_and_text(memory):
    same = [NewFragment("It flows.", position=at) for at in (0, 0, 1)]
    first = memory.add_evidence(NILE, fragments=same)
    assert [each.status for each in first.fragments] == ["created", "unchanged", "created"]
    assert first.fragments[0].id == first.fragments[1].id
    elsewhere = memory.add_evidence(NewPage("https://rivers.example/rhine"), fragments=same[:1])
    assert elsewhere.fragments[0].status == "created"
    other = memory.add_evidence(NILE, fragments=[NewFragment("It stands.", position=0)])
    assert other.fragments[0].status == "created", "another text at the same place is another fragment"
    assert number(memory, "fragments") == 4


def test_fragments_without_a_position_come_after_the_others_or_where_they_are(memory):
    memory.add_evidence(NILE, fragments=[NewFragment("one", position=4), NewFragment("two")])
    memory.add_evidence(NILE, fragments=[NewFragment("three"), NewFragment("one"), NewFragment("three")])
    assert rows(memory, "select text_content, position from fragments order by position") == [
        ("one", 4),
        ("two", 5),
        ("three", 6),
    ]


def test_a_claim_is_kept_once_in_each_task(memory):
    one, other = memory.create_task("Does it flood?").id, memory.create_task("Did it flood?").id
    ids = [add(memory, says("supports"), task_id=task).claims[0].id for task in (one, other, None, one, None)]
    assert ids[0] == ids[3]
    assert ids[2] == ids[4]
    assert len(set(ids)) == 3
    assert rows(memory, "select task_id from claims order by task_id nulls last") == [
        *sorted([(one,), (other,)]),
        (None,),
    ]


def test_the_same_again_changes_nothing(memory, everything):
    task = memory.create_task("Does it flood?").id

    def adding():
        return add(
            memory,
            says("supports", 0, 0.9, quote="floods every summer", reason="it says so"),
            says("refutes", 1, 0.4),
            says("origin", 0),
            page=NewPage(NILE.url, NILE.title, NILE.year, {"doi": "10.1/nile"}, ["https://rivers.example/rhine"]),
            task_id=task,
            query=NewQuery(text="nile flood", result_count=4),
            judge="model-1",
        )

    first = adding()
    assert first.edges == {"created": 3}
    before = everything()
    again = adding()
    assert everything() == before, "not a row, version, time or event is another one"
    assert again.page.id == first.page.id
    assert [each.id for each in again.fragments] == [each.id for each in first.fragments]
    assert [each.id for each in again.claims] == [each.id for each in first.claims]
    statuses = {again.page.status, *(each.status for each in (*again.fragments, *again.claims))}
    assert (statuses, again.edges, again.cites) == ({"unchanged"}, {"unchanged": 3}, 0)
    assert (again.query_id, again.claims[0].posterior) == (first.query_id, first.claims[0].posterior)


# --- all or nothing ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ({"evidence": [says("supports", 0, quote="the Nile never floods")]}, InvalidInput),
        ({"evidence": [says("supports", "no-such-fragment")]}, NotFound),
        ({"evidence": [NewEvidence("supports", claim="no-such-claim")]}, NotFound),
        ({"text": None, "claim_id": "no-such-claim"}, NotFound),
        ({"text": f"{SECRET}!"}, BoundaryDenied),
    ],
    ids=["quote", "fragment", "claim", "claim_id", "secret"],
)
def test_a_fault_in_the_last_claim_leaves_nothing_behind(memory, everything, fault, error):
    task = memory.create_task("Does it flood?").id
    before = everything()
    with pytest.raises(error):
        memory.add_evidence(
            NewPage(NILE.url, cites=["https://rivers.example/rhine"]),
            fragments=[FLOODS, DRY],
            claims=[*claims(says("supports")), NewClaim(**{"text": "It is so.", **fault})],
            task_id=task,
            query=NewQuery(text="nile"),
        )
    assert everything() == before
    assert memory.status(task).tasks[0].task.status == "created"


def test_a_query_that_another_task_has_leaves_nothing_behind(memory, everything):
    one, other = memory.create_task("one").id, memory.create_task("two").id
    query = add(memory, says("supports"), task_id=one, query=NewQuery(text="nile")).query_id
    before = everything()
    with pytest.raises(NotFound, match="has no query"):
        add(memory, says("supports"), text="Another.", task_id=other, query_id=query)
    with pytest.raises(NotFound, match="has no query"):
        add(memory, says("supports"), text="Another.", task_id=other, query=NewQuery(text="x", parent_id=query))
    assert everything() == before


# --- quotes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "quote", "stands"),
    [
        (FLOODS.text, "The Nile floods every summer, and leaves mud behind.", True),
        (FLOODS.text, "floods   every\n\tsummer", True),
        (FLOODS.text, FLOODS.text, True),
        (FLOODS.text, "the nile floods", False),
        (FLOODS.text, "floods each summer", False),
        (FLOODS.text, "The Nile … mud", False),
        ("ナイル川は毎年　夏に氾濫する。泥を残す。", "毎年 夏に氾濫する", True),
        ("ナイル川は毎年夏に氾濫する。\n泥を残す。", "氾濫する。 泥を残す", True),
        ("ナイル川は毎年夏に氾濫する。", "ナイル川は毎年冬に氾濫する", False),
    ],
)
def test_a_quote_stands_in_its_fragment_word_for_word(sqlite_memory, text, quote, stands):
    given = {"fragments": [NewFragment(text)]}
    if stands:
        assert add(sqlite_memory, says("supports", quote=quote), **given).edges == {"created": 1}
        return
    with pytest.raises(InvalidInput, match=r"claims\.0\.evidence\.0: the quote does not stand") as refused:
        add(sqlite_memory, says("supports", quote=quote), **given)
    assert refused.value.hint


def test_a_quote_is_compared_with_a_fragment_that_is_stored(memory):
    fragment = add(memory, says("neutral")).fragments[0].id
    sure = says("supports", fragment, quote="leaves mud behind")
    assert memory.add_evidence(claims=claims(sure, text="It is muddy.")).edges == {"created": 1}
    with pytest.raises(InvalidInput, match="does not stand"):
        memory.add_evidence(claims=claims(says("supports", fragment, quote="leaves sand behind"), text="It is sandy."))
    assert number(memory, "claims") == 2


SET_OTHERWISE = {
    "Japanese": ("ナイル川は毎年夏に\n氾濫する。", "毎年夏に氾濫する"),
    "Chinese": ("尼罗河每年夏天泛\n滥，留下淤泥。", "夏天泛滥，留下"),
    "hyphenation": ("It floods in sum-\nmer, which is well-\nknown.", "floods in summer, which is well-known"),
    "ligatures": ("The ﬁrst ﬂood is the largest.", "The first flood is"),
    "typographic quotes": ("It “isn’t dry” – ever.", '"isn\'t dry" - ever'),
}


@pytest.mark.parametrize(("text", "quote"), SET_OTHERWISE.values(), ids=SET_OTHERWISE)
def test_a_quote_stands_where_the_source_is_set_otherwise(memory, text, quote):
    added = add(memory, says("supports", quote=quote), fragments=[NewFragment(text)])
    assert added.edges == {"created": 1}
    assert rows(memory, "select text_content from fragments") == [(text,)]
    with pytest.raises(InvalidInput, match="does not stand"):
        memory.add_evidence(claims=claims(says("supports", added.fragments[0].id, quote=quote + "!"), text="Other."))


def test_the_first_misquote_of_a_call_is_named(sqlite_memory):
    right, wrong = says("supports", 1, quote="floods"), says("neutral", 0, quote="never")
    with pytest.raises(InvalidInput, match=r"claims\.0\.evidence\.1: the quote does not stand"):
        add(sqlite_memory, right, wrong, replace(wrong, fragment=1), fragments=[DRY, FLOODS])


def test_a_quote_of_what_was_redacted_stands_where_the_fragment_does(memory):
    fragment = NewFragment(f"Ask {EMAIL} about the flood.")
    added = add(memory, says("supports", quote=f"Ask {EMAIL} about"), fragments=[fragment])
    assert added.redacted == {"email": 1}
    assert rows(memory, "select text_content from fragments") == [("Ask [email] about the flood.",)]


# --- judgements -------------------------------------------------------------------------------------------------------


def test_a_pair_has_one_judgement_and_a_later_one_replaces_it(timed, clock):
    first = add(timed, says("supports", confidence=0.9), judge="model-1")
    key, fragment = first.claims[0].id, first.fragments[0].id
    clock.go_on(days=1)
    again = timed.add_evidence(claims=[NewClaim(claim_id=key, evidence=[says("refutes", fragment, 0.4, reason="no")])])
    assert again.edges == {"updated": 1}
    wanted = "select relation, nli_edge_confidence, judge, reason, created_at < updated_at from edges"
    ((*said, later),) = rows(timed, wanted)
    assert (said, bool(later)) == (["refutes", 0.4, None, "no"], True)
    posterior = again.claims[0].posterior
    assert (posterior.supports, posterior.refutes, posterior.confidence) == (0, 1, round(1 / 2.4, 3))
    surer = timed.add_evidence(claims=[NewClaim(claim_id=key, evidence=[says("refutes", fragment, 0.8)])])
    assert surer.edges == {"updated": 1}
    assert number(timed, "edges") == 1


def test_the_last_of_two_judgements_of_one_call_holds(memory):
    added = add(memory, says("supports", 0, 0.9), says("neutral", 0, 0.2))
    assert added.edges == {"created": 1, "updated": 1}
    assert rows(memory, "select relation, nli_edge_confidence from evidence") == [("neutral", 0.2)]


def test_an_origin_stands_beside_a_judgement_and_is_none(memory):
    added = add(memory, says("origin"), says("supports", confidence=0.7))
    assert added.edges == {"created": 2}
    wanted = "select relation, nli_label, nli_edge_confidence from edges order by 1"
    assert rows(memory, wanted) == [("origin", None, None), ("supports", "supports", 0.7)]
    assert number(memory, "evidence") == 1
    assert (added.claims[0].posterior.supports, added.claims[0].posterior.confidence) == (1, round(1.7 / 2.7, 3))


def test_one_claim_speaks_for_another(memory):
    given = [
        NewClaim("The Nile floods.", evidence=[says("supports")]),
        NewClaim("Mud is left behind.", evidence=[NewEvidence("supports", claim=0, confidence=0.8)]),
    ]
    added = memory.add_evidence(NILE, fragments=[FLOODS], claims=given)
    premise, derived = (each.id for each in added.claims)
    assert rows(memory, "select source_id, target_id, relation from edges where source_type = 'claim'") == [
        (premise, derived, "supports")
    ]
    assert added.claims[1].posterior.supports == 0, "only fragments count in the posterior"
    more = NewClaim(claim_id=premise, evidence=[NewEvidence("refutes", claim=derived)])
    assert memory.add_evidence(claims=[more]).edges == {"created": 1}
    for itself in (NewEvidence("supports", claim=0), NewEvidence("supports", claim=premise)):
        with pytest.raises(InvalidInput, match="speak for itself"):
            memory.add_evidence(claims=[NewClaim(claim_id=premise, evidence=[itself])])
    with pytest.raises(InvalidInput, match="origin"):
        memory.add_evidence(claims=claims(NewEvidence("origin", claim=derived), text="Another."))


def test_a_posterior_counts_pages_domains_and_years(memory):
    for url, year in (("https://a.example/1", 2001), ("https://a.example/2", 2010), ("https://b.example/1", None)):
        fragments = [NewFragment("one"), NewFragment("two")]
        said = [says("supports", 0, 0.5), says("refutes" if year == 2010 else "neutral", 1, 0.8)]
        added = add(memory, *said, page=NewPage(url, year=year), fragments=fragments)
    posterior = added.claims[0].posterior
    assert (posterior.supports, posterior.refutes, posterior.neutral) == (3, 1, 2)
    assert (posterior.pages, posterior.domains) == (3, 2)
    assert (posterior.oldest_year, posterior.newest_year) == (2001, 2010)
    assert (posterior.confidence, posterior.controversy) == (round(2.5 / 4.3, 3), round(0.8 / 2.3, 3))


def test_a_fragment_cannot_be_judged_by_the_id_of_something_else(memory):
    added = add(memory, says("supports"))
    for wrong in (says("supports", added.page.id), says("supports", added.claims[0].id)):
        with pytest.raises(NotFound, match="there is no fragment"):
            memory.add_evidence(claims=claims(wrong, text="Another."))
    with pytest.raises(NotFound, match="there is no claim"):
        memory.add_evidence(claims=claims(NewEvidence("supports", claim=added.fragments[0].id), text="Another."))
    with pytest.raises(InvalidInput, match="no claim"):
        memory.add_evidence(claims=[NewClaim(claim_id=added.page.id)])


def test_citations_are_kept_once_and_make_pages(memory):
    rhine, ob = "https://rivers.example/rhine", NewPage("https://rivers.example/ob", "The Ob", 2001)
    page = NewPage(NILE.url, cites=[rhine, ob, f"{rhine}#top", NILE.url], citation_source="openalex")
    added = memory.add_evidence(page)
    assert (added.cites, memory.add_evidence(page).cites) == (2, 0)
    wanted = (
        "select c.url, c.title, c.year, e.citation_source from edges e join pages c on c.id = e.target_id"
        " where e.relation = 'cites' and e.source_type = 'page' and e.target_type = 'page' order by 1"
    )
    assert rows(memory, wanted) == [(ob.url, "The Ob", 2001, "openalex"), (rhine, None, None, "openalex")]
    assert memory.add_evidence(NewPage(rhine, cites=[NILE.url])).cites == 1
    assert rows(memory, "select citation_source, count(*) from edges group by 1 order by 1") == [
        ("extraction", 1),
        ("openalex", 2),
    ]


# --- tasks and queries ------------------------------------------------------------------------------------------------


def test_a_task_explores_from_its_first_evidence_and_ends_when_it_is_completed(timed, clock):
    task = timed.create_task("Does it flood?", namespace="rivers")
    assert (task.status, task.namespace, task.started_at, task.completed_at) == ("created", "main/rivers", None, None)
    clock.go_on(hours=1)
    add(timed, says("supports"), task_id=task.id)
    begun = timed.status(task.id).tasks[0]
    assert (begun.task.status, begun.task.started_at > task.created_at, begun.evidence_summary) == (
        "exploring",
        True,
        None,
    )
    assert rows(timed, "select namespace from claims") == [("main/rivers",)], "evidence goes where its task is"
    clock.go_on(hours=1)
    done = timed.update_task(task.id, status="completed", result_summary="It does.")
    assert (done.task.status, done.task.result_summary, done.claims) == ("completed", "It does.", 1)
    assert done.task.completed_at > done.task.started_at == begun.task.started_at
    assert done.evidence_summary is not None
    with pytest.raises(Conflict, match="completed") as refused:
        add(timed, says("refutes", 1), task_id=task.id)
    assert "exploring" in refused.value.hint
    again = timed.update_task(task.id, status="exploring")
    assert (again.task.completed_at, again.evidence_summary) == (None, None)
    assert add(timed, says("refutes", 1), task_id=task.id).edges == {"created": 1}


@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_nothing_is_added_to_a_task_that_is_over(memory, status):
    task = memory.create_task("Does it flood?").id
    over = memory.update_task(task, status=status, error_message="no sources")
    assert (over.task.status, over.task.error_message, over.evidence_summary) == (status, "no sources", None)
    with pytest.raises(Conflict, match=status):
        add(memory, says("supports"), task_id=task)
    assert memory.status().tasks_by_status == {status: 1}


def test_a_summary_is_what_can_be_counted_by_hand(memory):
    task = memory.create_task("Does it flood?").id
    other = memory.create_task("Is it long?").id
    texts = [NewFragment(f"fragment {at}") for at in range(3)]
    for url in ("https://b.example/1", "https://b.example/2", "https://c.example/1", "https://a.example/1"):
        add(memory, says("supports", 0), says("refutes", 1), page=NewPage(url), fragments=texts, task_id=task)
    add(memory, says("neutral", 2), says("origin", 1), page=NewPage("file:///tmp/a.md"), fragments=texts, task_id=task)
    add(memory, says("supports", 2), page=NewPage("https://d.example/1"), fragments=texts, task_id=other)
    rejected = add(
        memory,
        says("supports", 2),
        page=NewPage("https://e.example/1"),
        fragments=texts,
        text="It is red.",
        task_id=task,
    )
    memory.add_evidence(claims=[NewClaim("Nobody knows.")], task_id=task)
    memory.reject_claim(rejected.claims[0].id, reason="nonsense")
    assert memory.update_task(task, status="completed").evidence_summary == EvidenceSummary(
        total_claims=2,
        total_fragments=9,
        total_pages=5,
        supporting_edges=4,
        refuting_edges=4,
        neutral_edges=1,
        top_domains=("b.example", "a.example", "c.example"),
    )
    assert memory.status(other).tasks[0].evidence_summary is None
    assert memory.update_task(other, status="completed").evidence_summary.top_domains == ("d.example",)


def test_the_ten_domains_with_the_most_pages_are_named(memory):
    task = memory.create_task("Does it flood?").id
    for at in range(12):
        for page in range(2 if at == 11 else 1):
            add(memory, says("supports"), page=NewPage(f"https://{at:02}.example/{page}"), task_id=task)
    domains = memory.update_task(task, status="completed").evidence_summary.top_domains
    assert domains == ("11.example", *(f"{at:02}.example" for at in range(9)))


def test_a_query_is_kept_once_for_its_task_and_text_with_what_it_was_good_for(memory):
    task, other = memory.create_task("one").id, memory.create_task("two").id
    first = add(memory, says("supports"), task_id=task, query=NewQuery(text="nile flood", result_count=8))
    more = add(
        memory,
        says("supports"),
        fragments=[FLOODS, NewFragment("The Nile is long.")],
        task_id=task,
        query=NewQuery(text="nile flood"),
    )
    assert first.query_id == more.query_id
    wanted = (
        "select query_text, query_type, depth, parent_query_id, language, result_count, harvest_rate"
        " from queries order by depth"
    )
    assert rows(memory, wanted) == [("nile flood", "initial", 0, None, None, 8, 3 / 8)]
    child = NewQuery(text="ナイル川", type="mirror", language="ja", parent_id=first.query_id, result_count=0)
    second = add(memory, says("supports"), task_id=task, query=child)
    assert rows(memory, wanted)[1] == ("ナイル川", "mirror", 1, first.query_id, "ja", 0, None)
    by_id = add(memory, says("supports"), fragments=[NewFragment("By id.")], task_id=task, query_id=first.query_id)
    assert by_id.query_id == first.query_id
    assert rows(memory, wanted)[0][-1] == 4 / 8
    elsewhere = add(memory, says("supports"), task_id=other, query=NewQuery(text="nile flood"))
    assert elsewhere.query_id not in (first.query_id, second.query_id)
    counts = {state.task.id: state.queries for state in memory.status().tasks}
    assert counts == {task: 2, other: 1}
    with pytest.raises(InvalidInput, match="task"):
        add(memory, says("supports"), query=NewQuery(text="nile flood"))


def test_status_shows_the_newest_twenty_tasks_and_counts_all(timed, clock):
    ids = []
    for at in range(22):
        clock.go_on(minutes=1)
        ids.append(timed.create_task(f"question {at}").id)
    add(timed, says("supports"), task_id=ids[3])
    status = timed.status()
    assert [state.task.id for state in status.tasks] == ids[:1:-1]
    assert status.tasks_by_status == {"created": 21, "exploring": 1}
    assert {kind: status.counts[kind] for kind in ("page", "fragment", "claim", "edge", "memo")} == {
        "page": 1,
        "fragment": 2,
        "claim": 1,
        "edge": 1,
        "memo": 0,
    }
    assert [state.task.id for state in timed.status(ids[3]).tasks] == [ids[3]]
    with pytest.raises(NotFound, match="no task"):
        timed.status("no-such-task")


# --- corrections ------------------------------------------------------------------------------------------------------


def test_what_a_person_corrected_stays(memory):
    added = add(memory, says("supports", 0, 0.9), says("supports", 1, 0.6), judge="model-1")
    key, fragment = added.claims[0].id, added.fragments[0].id
    corrected = memory.correct_edge(fragment, key, relation="refutes", reason="read it again")
    assert (corrected.changed, corrected.posterior.supports, corrected.posterior.refutes) == (True, 1, 1)
    wanted = (
        f"select relation, nli_edge_confidence, judge, edge_human_corrected from edges where source_id = '{fragment}'"
    )
    ((*said, human),) = rows(memory, wanted)
    assert (said, bool(human)) == (["refutes", 1.0, "human"], True)
    again = add(memory, says("supports", 0, 0.9), says("supports", 1, 0.7), judge="model-2")
    assert again.edges == {"kept": 1, "updated": 1}
    ((*said, human),) = rows(memory, wanted)
    assert (said, bool(human)) == (["refutes", 1.0, "human"], True)


def test_a_person_is_kept_against_two_judgements_of_one_call(memory):
    added = add(memory, says("supports"))
    memory.correct_edge(added.fragments[0].id, added.claims[0].id, relation="refutes", reason="read it again")
    again = add(memory, says("supports", 0, 0.9), says("neutral", 0, 0.2), says("refutes", 0, 0.3))
    assert again.edges == {"kept": 3}
    wanted = "select relation, nli_edge_confidence, judge from edges"
    assert rows(memory, wanted) == [("refutes", 1.0, "human")]


def test_a_person_who_agrees_is_noted_and_it_stays_as_sure_as_it_was(memory):
    added = add(memory, says("supports", confidence=0.6), judge="model-1")
    key, fragment = added.claims[0].id, added.fragments[0].id
    agreed = memory.correct_edge(fragment, key, relation="supports", reason="yes")
    assert agreed.changed
    assert rows(memory, "select relation, nli_edge_confidence, judge from edges") == [("supports", 0.6, "human")]
    again = memory.correct_edge(fragment, key, relation="supports", reason="still yes")
    assert (again.changed, len(again.history)) == (False, 1)
    assert add(memory, says("neutral")).edges == {"kept": 1}


def test_the_history_of_corrections_is_newest_first(timed, clock):
    added = add(timed, says("supports", confidence=0.6))
    key, fragment = added.claims[0].id, added.fragments[0].id
    times = []

    def at():
        clock.go_on(hours=1)
        times.append(clock.now.strftime("%Y-%m-%dT%H:%M:%S.%fZ"))

    at()
    timed.correct_edge(fragment, key, relation="refutes", reason="first")
    at()
    timed.correct_edge(fragment, key, relation="neutral", reason="second")
    at()
    timed.reject_claim(key, reason="third")
    at()
    assert timed.reject_claim(key, reason="again").changed is False
    times.pop()
    at()
    assert timed.restore_claim(key, reason=f"fourth, says {EMAIL}").history == (
        Correction("claim_restore", key, "fourth, says [email]", times[3]),
        Correction("claim_reject", key, "third", times[2]),
        Correction("edge_correct", key, "second", times[1], fragment, "refutes", "neutral", 1.0),
        Correction("edge_correct", key, "first", times[0], fragment, "supports", "refutes", 0.6),
    )


def test_a_correction_needs_a_judgement_a_relation_and_a_reason(memory):
    added = add(memory, says("supports"))
    key, fragment, other = added.claims[0].id, added.fragments[0].id, added.fragments[1].id
    with pytest.raises(NotFound, match="no judgement"):
        memory.correct_edge(other, key, relation="refutes", reason="why")
    with pytest.raises(NotFound, match="no claim"):
        memory.correct_edge(fragment, "no-such-claim", relation="refutes", reason="why")
    with pytest.raises(NotFound, match="no source"):
        memory.correct_edge("no-such-fragment", key, relation="refutes", reason="why")
    for wrong in ({"relation": "origin"}, {"reason": " "}, {"reason": "x" * 1001}):
        with pytest.raises(InvalidInput):
            memory.correct_edge(fragment, key, **{"relation": "refutes", "reason": "why", **wrong})
    with pytest.raises(InvalidInput, match="no claim"):
        memory.reject_claim(fragment, reason="why")
    assert memory.restore_claim(key, reason="why").history == ()


def test_a_rejected_claim_leaves_recall_and_analyses_until_it_is_restored(memory):
    task = memory.create_task("Does it flood?").id
    added = add(memory, says("supports", confidence=0.9), says("refutes", 1, 0.9), task_id=task)
    key = added.claims[0].id

    def near():
        try:
            return any(each.id == key for each in memory.vector_search(CLAIM, task_id=task).results)
        except NotFound:  # no claim of the task is left to compare with
            return False

    def seen():
        return {
            "search": any(hit.node.id == key for hit in memory.search(CLAIM).hits),
            "activate": any(item.node.id == key for item in memory.activate(CLAIM).items),
            "vectors": near(),
            "evidence": number(memory, "evidence") == 2,
            "contradictions": [row[1] for row in memory.query_view("contradictions").rows] == [key],
            "summary": [row[1] for row in memory.query_view("claim_evidence_summary", task_id=task).rows] == [key],
            "in SQL": rows(memory, "select claim_id from v_contradictions") == [(key,)],
            "status": memory.status(task).tasks[0].claims == 1,
        }

    assert set(seen().values()) == {True}
    assert memory.reject_claim(key, reason="nonsense").rejected
    assert set(seen().values()) == {False}
    for name in ("contradictions", "claim_evidence_summary", "evidence_timeline", "unsupported_claims", "hub_pages"):
        assert memory.query_view(name).rows == memory.query_view(name, task_id=task).rows == ()
    assert rows(memory, "select id, claim_adoption_status from claims") == [(key, "rejected")]
    assert number(memory, "claims", "rejected_at is not null") == 1
    assert number(memory, "edges") == 2, "its evidence stays stored"
    again = add(memory, says("supports", confidence=0.9), task_id=task).claims[0]
    assert (again.id, again.status, again.rejected) == (key, "unchanged", True)
    assert not memory.restore_claim(key, reason="it was right").rejected
    assert set(seen().values()) == {True}
    assert rows(memory, "select claim_adoption_status, rejected_at from claims") == [("adopted", None)]


# --- only through their own verbs -----------------------------------------------------------------------------------


def test_what_was_read_stays_as_its_source_has_it(memory, everything):
    added = add(memory, says("supports"))
    before = everything()
    for key in (added.page.id, added.fragments[0].id):
        with pytest.raises(InvalidInput, match="stays"):
            memory.save("Other words.", memo_id=key)
    for tag in ("supports", "refutes"):
        with pytest.raises(InvalidInput, match="judgement"):
            memory.relate(added.fragments[0].id, added.claims[0].id, tag=tag, weight=0.5)
    assert everything() == before


def test_many_who_add_the_same_at_once_add_it_once(memory):
    task = memory.create_task("Does it flood?").id
    failures = []

    def work(number):
        try:
            add(memory, says("supports"), task_id=task, query=NewQuery(text="nile"), judge=f"model-{number}")
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    tables = ("pages", "fragments", "claims", "edges", "queries")
    assert [number(memory, table) for table in tables] == [1, 2, 1, 1, 1]
    assert memory.doctor().ok


# --- what changes and goes --------------------------------------------------------------------------------------------


def test_another_year_of_a_page_reaches_its_evidence(memory):
    added = add(memory, says("supports"), says("refutes", 1), page=NewPage(NILE.url))
    assert rows(memory, "select distinct year from evidence") == [(None,)]
    changed = memory.add_evidence(NewPage(NILE.url, year=1984))
    assert changed.page.status == "updated"
    assert rows(memory, "select year, count(*) from evidence group by year") == [(1984, 2)]
    assert [row[1] for row in memory.query_view("evidence_timeline").rows] == [1984]
    more = memory.add_evidence(
        claims=[NewClaim(claim_id=added.claims[0].id, evidence=[says("neutral", added.fragments[1].id)])]
    )
    assert (more.claims[0].posterior.oldest_year, more.claims[0].posterior.newest_year) == (1984, 1984)
    with pytest.raises(AssertionError, match="year"):
        rows(memory, "select year from fragments")
    assert memory.doctor().ok


def test_a_deleted_page_takes_its_fragments_and_what_they_say(memory, stored):
    kept = add(memory, says("supports"), page=NewPage("https://rivers.example/kept", cites=[NILE.url]))
    added = add(memory, says("refutes"), says("neutral", 1))
    memory.delete(added.page.id)
    assert (number(memory, "pages"), number(memory, "fragments"), number(memory, "edges")) == (1, 2, 1)
    assert rows(memory, "select fragment_id from evidence") == [(kept.fragments[0].id,)]
    assert number(memory, "claims") == 1, "claims are not the page's"
    for gone in (*added.fragments, added.page):
        with pytest.raises(NotFound):
            memory.get(gone.id)
    assert {each.id for each in memory.vector_search(DRY.text, target="fragments").results} == {
        each.id for each in kept.fragments
    }
    assert number(memory, "embeddings") == 3
    assert stored("nodes", "count(*)") == [(4,)]
    assert memory.doctor().ok
    assert add(memory, says("refutes")).page.status == "created"


def test_a_deleted_claim_takes_what_was_said_about_it(memory, stored):
    added = add(memory, says("supports"), says("origin"))
    memory.correct_edge(added.fragments[0].id, added.claims[0].id, relation="neutral", reason="why")
    memory.delete(added.claims[0].id)
    assert (number(memory, "claims"), number(memory, "edges"), number(memory, "fragments")) == (0, 0, 2)
    assert stored("corrections", "count(*)") == [(0,)]
    assert memory.doctor().ok
    anew = add(memory, says("supports")).claims[0]
    assert (anew.status, anew.id != added.claims[0].id) == ("created", True)


# --- the boundary -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ({"page": NewPage(NILE.url, f"Key {SECRET}")}, "page"),
        ({"page": NewPage(NILE.url, paper_metadata={"note": SECRET})}, "page"),
        ({"page": NewPage(NILE.url, cites=["https://a.example/", NewPage("https://b.example/", SECRET)])}, "cites.1"),
        ({"page": NewPage(f"https://a.example/?key={SECRET}")}, "page|url"),
        ({"fragments": [FLOODS, NewFragment(f"Key {SECRET}")]}, "fragments.1"),
        ({"fragments": [NewFragment("Fine.", heading=f"Key {SECRET}")]}, "fragments.0"),
        ({"claims": [NewClaim("Fine."), NewClaim(f"Key {SECRET}")]}, "claims.1"),
        ({"namespace": SECRET.replace("_", "-") + SECRET}, "namespace"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_policy_that_denies_refuses_a_secret_with_its_place(memory, everything, given, place):
    memory.apply_policy("version: 1.0.1\nsecrets: deny\n")
    before = everything()
    with pytest.raises((BoundaryDenied, InvalidInput), match=place) as refused:
        memory.add_evidence(**{"page": NILE, "fragments": [FLOODS], **given})
    assert refused.value.hint
    assert SECRET not in str(refused.value)
    assert everything() == before


def test_a_secret_is_taken_out_of_everything_and_the_rest_is_kept(memory, stored):
    added = memory.add_evidence(
        NewPage(
            NILE.url, f"Key {SECRET}", paper_metadata={"note": SECRET}, cites=[NewPage("https://b.example/", SECRET)]
        ),
        fragments=[FLOODS, NewFragment(f"Key {SECRET}", heading=f"The key {SECRET}"), NewFragment(SECRET)],
        claims=[NewClaim(f"{SECRET} is the key.", evidence=[says("supports", 1, quote=f"Key {SECRET}")])],
    )
    assert added.redacted == {"secret": added.redacted["secret"]}
    assert rows(memory, "select title from pages order by title") == [("Key [secret]",), ("[secret]",)]
    assert rows(memory, "select text_content from fragments where position > 0 order by position") == [
        ("Key [secret]",),
        ("[secret]",),
    ]
    assert rows(memory, "select claim_text from claims") == [("[secret] is the key.",)]
    for table in ("edges", "events", "nodes"):
        assert SECRET not in repr(stored(table))


def test_the_address_of_a_page_with_a_secret_is_refused(memory, everything):
    before = everything()
    with pytest.raises((BoundaryDenied, InvalidInput), match=r"page|url"):
        memory.add_evidence(NewPage(f"https://a.example/?key={SECRET}"), fragments=[FLOODS])
    assert everything() == before


def test_secrets_in_reasons_queries_and_tasks_are_taken_out(memory, stored):
    task = memory.create_task(f"Is {SECRET} a key?").id
    add(
        memory,
        says("supports", reason=f"says {SECRET}"),
        task_id=task,
        query=NewQuery(text=f"who has {SECRET}"),
    )
    memory.update_task(task, status="failed", result_summary=f"{SECRET}!", error_message=f"{EMAIL} said no")
    memory.correct_edge(
        *rows(memory, "select fragment_id, claim_id from evidence")[0], relation="neutral", reason=f"{SECRET}?"
    )
    for table in ("tasks", "queries", "edges", "corrections", "events", "nodes"):
        assert SECRET not in repr(stored(table))
        assert EMAIL not in repr(stored(table))
    assert memory.status(task).tasks[0].task.error_message == "[email] said no"


def test_personal_data_is_redacted_in_everything_that_is_kept(memory):
    added = memory.add_evidence(
        NewPage(NILE.url, f"By {EMAIL}"),
        fragments=[NewFragment(f"Ask {EMAIL}.", heading=f"Contact {EMAIL}")],
        claims=claims(says("supports", reason=f"{EMAIL} says so"), text=f"{EMAIL} knows."),
    )
    assert added.redacted == {"email": added.redacted["email"]}
    assert rows(memory, "select title from pages") == [("By [email]",)]
    assert rows(memory, "select text_content, heading_context from fragments") == [("Ask [email].", "Contact [email]")]
    assert rows(memory, "select claim_text from claims") == [("[email] knows.",)]
    assert rows(memory, "select reason from edges") == [("[email] says so",)]
    assert EMAIL not in json.dumps(exported(memory))


def test_what_an_access_may_not_see_it_sees_nowhere(url, owner):
    with (
        Memory.open(url, owner=owner, allow=["answer:task", LOOKUP]) as insider,
        Memory.open(url, owner=owner) as outsider,
    ):
        task = insider.create_task("Who is Kim?", boundary_class="pii").id
        hidden = add(
            insider, says("supports"), page=NILE, task_id=task, boundary_class="pii", query=NewQuery(text="kim")
        )
        seen = add(outsider, says("supports"), page=NewPage("https://rivers.example/seen"), text="It is seen.")
        # A hidden fragment speaks for a claim that everybody sees.
        key = seen.claims[0].id
        both = insider.add_evidence(
            claims=[NewClaim(claim_id=key, evidence=[says("refutes", hidden.fragments[0].id)])]
        ).claims[0]
        assert (both.posterior.supports, both.posterior.refutes) == (1, 1)
        assert insider.status().counts["edge"] == 3
        status = outsider.status()
        assert (status.counts["page"], status.counts["fragment"], status.counts["claim"]) == (1, 2, 1)
        assert (status.counts["edge"], status.tasks, status.tasks_by_status) == (1, (), {})
        tables = ("pages", "fragments", "claims", "edges", "evidence", "tasks", "queries", "embeddings")
        assert [number(outsider, table) for table in tables] == [1, 2, 1, 1, 1, 0, 0, 3]
        assert [number(insider, table) for table in tables] == [2, 4, 2, 3, 3, 1, 1, 6]
        again = outsider.add_evidence(claims=[NewClaim(claim_id=key)]).claims[0]
        assert (again.posterior.supports, again.posterior.refutes, again.posterior.pages) == (1, 0, 1)
        for name in ("claim_evidence_summary", "source_authority", "evidence_timeline", "evidence_chain"):
            assert len(outsider.query_view(name).rows) == 1
            assert hidden.page.id not in repr(outsider.query_view(name).rows)
        for view in ("v_contradictions", "v_citation_flow"):
            assert rows(outsider, f"select * from {view}") == []
        assert outsider.query_view("claim_evidence_summary", task_id=task).rows == ()
        for call in (
            lambda: outsider.status(task),
            lambda: outsider.update_task(task, status="completed"),
            lambda: add(outsider, says("supports"), text="New.", task_id=task),
            lambda: outsider.reject_claim(hidden.claims[0].id, reason="why"),
            lambda: outsider.correct_edge(hidden.fragments[0].id, key, relation="neutral", reason="why"),
            lambda: outsider.add_evidence(claims=claims(says("supports", hidden.fragments[0].id), text="New.")),
            lambda: outsider.add_evidence(claims=[NewClaim(claim_id=hidden.claims[0].id)]),
        ):
            with pytest.raises(NotFound):
                call()
        again = outsider.add_evidence(NILE).page
        assert (again.status, again.id != hidden.page.id) == ("created", True)
        assert number(insider, "claims") == 2


def test_an_edge_is_as_restricted_as_the_stricter_of_its_ends(url, owner):
    with Memory.open(url, owner=owner, allow=["answer:task", LOOKUP]) as memory:
        open_page = memory.add_evidence(NILE, fragments=[FLOODS], boundary_class="public")
        closed = memory.add_evidence(
            claims=claims(says("supports", open_page.fragments[0].id), text="Kim floods it."), boundary_class="pii"
        )
        assert rows(memory, "select boundary_class from edges") == [("pii",)]
        assert rows(memory, "select boundary_class from pages") == [("public",)]
        assert memory.get(closed.claims[0].id).boundary_class == "pii"
    with Memory.open(url, owner=owner) as outsider:
        assert [number(outsider, table) for table in ("fragments", "edges", "evidence", "claims")] == [1, 0, 0, 0]


def test_fragments_are_as_restricted_as_their_page(url, owner):
    with Memory.open(url, owner=owner, allow=["answer:task", LOOKUP]) as memory:
        memory.add_evidence(NILE, fragments=[DRY], boundary_class="internal")
        memory.add_evidence(NILE, boundary_class="pii")
        memory.add_evidence(NILE, fragments=[FLOODS], boundary_class="internal")
        assert rows(memory, "select boundary_class from pages") == [("pii",)]
        assert rows(memory, "select distinct boundary_class from fragments") == [("pii",)]
    with Memory.open(url, owner=owner) as outsider:
        assert number(outsider, "fragments") == 0


@pytest.mark.parametrize("boundary_class", ["pii", "secret"])
def test_nobody_saves_in_a_class_that_they_may_not_see(memory, everything, boundary_class):
    before = everything()
    with pytest.raises(BoundaryDenied):
        memory.add_evidence(NILE, fragments=[FLOODS], boundary_class=boundary_class)
    with pytest.raises(BoundaryDenied):
        memory.add_evidence(claims=[NewClaim("It is so.")], boundary_class=boundary_class)
    with pytest.raises(BoundaryDenied):
        memory.create_task("Is it so?", boundary_class=boundary_class)
    assert everything() == before


def test_the_same_text_in_a_stricter_class_becomes_as_strict(url, owner):
    with Memory.open(url, owner=owner, allow=["answer:task", LOOKUP]) as memory:
        for boundary_class, kept in (("internal", "internal"), ("pii", "pii"), ("public", "pii")):
            add(memory, says("supports"), boundary_class=boundary_class)
            for table in ("pages", "fragments", "claims", "edges"):
                assert rows(memory, f"select distinct boundary_class from {table}") == [(kept,)], table
        assert memory.doctor().ok


def test_a_quote_stands_in_a_class_that_keeps_what_others_redact(url, owner):
    with Memory.open(url, owner=owner, allow=["answer:task", LOOKUP]) as memory:
        memory.apply_policy(json.dumps({"version": "1.0.0", "boundary_classes": {"pii": {"redact": []}}}))
        fragment = NewFragment(f"Ask {EMAIL} about the flood.")
        said = says("supports", quote=f"Ask {EMAIL}")
        assert add(memory, said, fragments=[fragment], boundary_class="pii").edges == {"created": 1}
        assert rows(memory, "select text_content from fragments") == [(fragment.text,)]


# --- namespaces and owners --------------------------------------------------------------------------------------------


def test_evidence_stays_inside_the_root(url, owner):
    with Memory.open(url, owner=owner) as whole:
        ids = {}
        for place in ("a", "b"):
            task = whole.create_task(f"Question {place}", namespace=place).id
            added = add(whole, says("supports"), says("refutes", 1), task_id=task, query=NewQuery(text=place))
            ids[place] = (task, added)
        whole.add_evidence(
            claims=[
                NewClaim(claim_id=ids["a"][1].claims[0].id, evidence=[says("supports", ids["b"][1].fragments[0].id)])
            ]
        )
        assert number(whole, "evidence") == 5
    with Memory.open(url, owner=owner, root="main/a") as inside:
        task, added = ids["a"]
        tables = ("tasks", "queries", "pages", "fragments", "claims", "edges", "evidence")
        assert [number(inside, table) for table in tables] == [1, 1, 1, 2, 1, 2, 2]
        assert [row[1] for row in inside.query_view("contradictions").rows] == [added.claims[0].id]
        assert rows(inside, "select support_count, refute_count from v_claim_evidence_summary") == [(1, 1)]
        assert inside.query_view("contradictions", task_id=ids["b"][0]).rows == ()
        assert [state.task.id for state in inside.status().tasks] == [task]
        for other in (
            lambda: inside.status(ids["b"][0]),
            lambda: inside.reject_claim(ids["b"][1].claims[0].id, reason="x"),
        ):
            with pytest.raises(NotFound):
                other()
        with pytest.raises(InvalidInput):
            inside.add_evidence(NILE, namespace="../b")


def test_a_renamed_namespace_takes_its_tasks_and_evidence_along(memory):
    task = memory.create_task("Does it flood?", namespace="old/rivers").id
    add(memory, says("supports"), says("refutes", 1), task_id=task, query=NewQuery(text="nile"))
    before = {view: memory.query_view(view, task_id=task).rows for view in ("contradictions", "source_authority")}
    memory.rename_namespace("old", "new")
    assert memory.status(task).tasks[0].task.namespace == "main/new/rivers"
    for table in ("tasks", "pages", "fragments", "claims", "edges"):
        assert rows(memory, f"select distinct namespace from {table}") == [("main/new/rivers",)]
    assert {view: memory.query_view(view, task_id=task).rows for view in before} == before
    assert add(memory, says("supports"), says("refutes", 1), task_id=task).edges == {"unchanged": 2}
    assert memory.doctor().ok


def test_a_namespace_that_has_only_tasks_can_be_renamed(memory):
    task = memory.create_task("Does it flood?", namespace="old").id
    memory.rename_namespace("old", "new")
    assert memory.status(task).tasks[0].task.namespace == "main/new"


def test_owners_see_nothing_of_each_other(url, owner):
    with Memory.open(url, owner=owner) as kim, Memory.open(url, owner=f"{owner}-lee") as lee:
        task = kim.create_task("Does it flood?").id
        added = add(kim, says("supports"), task_id=task, query=NewQuery(text="nile"))
        tables = ("tasks", "queries", "pages", "fragments", "claims", "edges", "evidence", "embeddings")
        assert [number(lee, table) for table in tables] == [0] * 8
        assert lee.status().tasks == ()
        assert [lee.query_view(shape.name).rows for shape in lee.views()] == [()] * 16
        for call in (
            lambda: lee.status(task),
            lambda: add(lee, says("supports"), task_id=task),
            lambda: lee.reject_claim(added.claims[0].id, reason="why"),
            lambda: lee.add_evidence(claims=claims(says("supports", added.fragments[0].id))),
        ):
            with pytest.raises(NotFound):
                call()
        add(lee, says("refutes"))
        assert rows(kim, "select relation from evidence") == [("supports",)]


# --- export and import ------------------------------------------------------------------------------------------------


def fill(memory):
    """Something of everything."""
    task = memory.create_task("Does it flood?", namespace="rivers").id
    page = NewPage(NILE.url, NILE.title, NILE.year, {"doi": "10.1/nile"}, ["https://rivers.example/rhine"])
    fragments = [NewFragment("ナイル川は氾濫する。", heading="川", type="quote", start=3, end=13), DRY]
    said = [says("supports", 0, 0.9, reason="it says so"), says("refutes", 1, 0.4), says("origin", 0)]
    query = NewQuery(text="nile", result_count=3, language="en")
    added = add(memory, *said, page=page, fragments=fragments, task_id=task, query=query, judge="model-1")
    derived = [NewClaim("There is mud.", evidence=[NewEvidence("supports", claim=added.claims[0].id)])]
    memory.add_evidence(claims=derived, task_id=task)
    rejected = add(memory, says("supports"), text="It is red.").claims[0].id
    memory.reject_claim(rejected, reason="nonsense")
    memory.correct_edge(added.fragments[1].id, added.claims[0].id, relation="neutral", reason="no")
    memory.update_task(task, status="completed", result_summary="It does.")
    return task


@pytest.mark.parametrize(("source", "target"), list(itertools.product(("sqlite", "postgres"), repeat=2)))
def test_a_round_trip_equals_the_original(urls, owner, source, target):
    with (
        Memory.open(urls[source], owner=owner) as original,
        Memory.open(urls[target], owner=f"{owner}-copy") as copy,
    ):
        task = fill(original)
        imported = copy.import_(stream(*exported(original)))
        assert (imported.nodes_created, imported.edges_skipped) == (number(original, "pages") + 7, 0)
        assert exported(copy) == exported(original)
        assert copy.status(task) == original.status(task)
        for shape in original.views():
            found = [memory.query_view(shape.name) for memory in (original, copy)]
            named = [[dict(zip(one.columns, row, strict=True)) for row in one.rows] for one in found]
            for row in itertools.chain.from_iterable(named):
                row.pop("edge_id", None)
                row.update({name: bool(value) for name, value in row.items() if isinstance(value, bool)})
            assert named[0] == named[1], shape.name
        assert copy.doctor().ok
        before = exported(copy)
        again = copy.import_(stream(*exported(original)))
        assert (again.nodes_created, again.nodes_updated, again.edges_created, again.edges_updated) == (0, 0, 0, 0)
        assert exported(copy) == before


def test_fragments_follow_a_page_that_is_known_under_another_id(memory, other):
    mine = add(memory, says("supports"), fragments=[FLOODS])
    theirs = add(other, says("refutes", 1), fragments=[FLOODS, DRY])
    memory.import_(stream(*exported(other)))
    assert theirs.page.id != mine.page.id
    assert rows(memory, "select id from pages") == [(mine.page.id,)]
    assert rows(memory, "select distinct page_id from fragments") == [(mine.page.id,)]
    assert number(memory, "fragments") == 2
    assert rows(memory, "select relation, page_id, claim_id from evidence order by 1") == [
        ("refutes", mine.page.id, mine.claims[0].id),
        ("supports", mine.page.id, mine.claims[0].id),
    ]
    assert memory.doctor().ok


def test_an_imported_judgement_takes_the_place_of_the_one_that_is_there(memory, other):
    added = add(other, says("supports"))
    memory.import_(stream(*exported(other)))
    other.correct_edge(added.fragments[0].id, added.claims[0].id, relation="refutes", reason="read it again")
    memory.import_(stream(*exported(other)))
    assert rows(memory, "select relation, judge from evidence") == [("refutes", "human")]


def test_an_imported_year_reaches_the_evidence_that_is_there(memory, other):
    add(other, says("supports"), page=NewPage(NILE.url))
    memory.import_(stream(*exported(other)))
    other.add_evidence(NewPage(NILE.url, year=1984))
    memory.import_(stream(*exported(other)))
    assert rows(memory, "select year from pages") == [(1984,)]
    assert rows(memory, "select year from evidence") == [(1984,)]


@pytest.mark.parametrize("boundary_class", ["pii", "secret"])
def test_an_imported_task_is_of_a_class_that_may_be_saved(memory, other, everything, boundary_class):
    other.create_task("Who is Kim?")
    records = [{**record, "boundary_class": boundary_class} for record in exported(other)]
    before = everything()
    try:
        memory.import_(stream(*records))
    except (InvalidInput, BoundaryDenied, Conflict):
        assert everything() == before
    assert everything()["tasks"] == []


def test_an_import_of_a_task_keeps_the_later_change(timed, clock, urls, owner):
    with Memory.open(urls["sqlite"], owner=f"{owner}-other", clock=clock) as other:
        task = other.create_task("Does it flood?").id
        early = exported(other)
        clock.go_on(days=1)
        other.update_task(task, status="completed", result_summary="It does.")
        timed.import_(stream(*exported(other)))
        timed.import_(stream(*early))
    assert timed.status(task).tasks[0].task.status == "completed"


# --- bad input --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """A memory for what is refused before a database is asked."""
    with Memory.open(tmp_path_factory.mktemp("shared") / "memory.db") as opened:
        yield opened


def evidence(**given):
    return {"claims": [NewClaim("It is so.", evidence=[NewEvidence(**{"relation": "supports", **given})])]}


BAD = {
    "nothing": {"page": None},
    "fragments without a page": {"page": None, "fragments": [FLOODS]},
    "no list of fragments": {"fragments": "text"},
    "no list of claims": {"claims": "text"},
    "no list of evidence": {"claims": [NewClaim("It is so.", evidence="text")]},
    "no list of citations": {"page": NewPage(NILE.url, cites="https://a.example/")},
    "501 fragments": {"fragments": [FLOODS] * (limits.FRAGMENTS + 1)},
    "201 claims": {"claims": [NewClaim("It is so.")] * (limits.CLAIMS + 1)},
    "501 judgements": {"claims": claims(*[says("supports")] * (limits.EVIDENCE + 1))},
    "1,001 citations": {"page": NewPage(NILE.url, cites=["https://a.example/"] * (limits.CITATIONS + 1))},
    "an empty fragment": {"fragments": [NewFragment(" ")]},
    "a fragment of 17 KB": {"fragments": [NewFragment("x" * 17_000)]},
    "a fragment of 16 KB and a byte": {"fragments": [NewFragment("é" * 8 * 1024 + "x")]},
    "a fragment that is no text": {"fragments": [NewFragment(7)]},
    "a fragment with NUL": {"fragments": [NewFragment("a\0b")]},
    "an unknown type of fragment": {"fragments": [NewFragment("x", type="poem")]},
    "a negative position": {"fragments": [NewFragment("x", position=-1)]},
    "a position that is no number": {"fragments": [NewFragment("x", position="first")]},
    "a true position": {"fragments": [NewFragment("x", position=True)]},
    "a position beyond all": {"fragments": [NewFragment("x", position=2**31)]},
    "a heading that is no text": {"fragments": [NewFragment("x", heading=7)]},
    "an offset that is no number": {"fragments": [NewFragment("x", start="first")]},
    "a negative offset": {"fragments": [NewFragment("x", end=-1)]},
    "an empty claim": {"claims": [NewClaim("")]},
    "a claim of 5 KB": {"claims": [NewClaim("x" * 5_000)]},
    "a claim without text or id": {"claims": [NewClaim()]},
    "a claim with text and id": {"claims": [NewClaim("It is so.", claim_id="c1")]},
    "a claim_id that is none": {"claims": [NewClaim(claim_id=" ")]},
    "an unknown kind of claim": {"claims": [NewClaim("It is so.", kind="rumour")]},
    "a claim of confidence 2": {"claims": [NewClaim("It is so.", confidence=2)]},
    "an unknown relation": evidence(fragment=0, relation="proves"),
    "no relation": evidence(fragment=0, relation=None),
    "fragment and claim": evidence(fragment=0, claim="c1"),
    "neither fragment nor claim": evidence(),
    "an index out of range": evidence(fragment=1),
    "a negative index": evidence(fragment=-1),
    "a true index": evidence(fragment=True),
    "an index of a claim out of range": evidence(claim=7),
    "a fragment id that is none": evidence(fragment=" "),
    "confidence 2": evidence(fragment=0, confidence=2),
    "confidence below 0": evidence(fragment=0, confidence=-0.1),
    "confidence NaN": evidence(fragment=0, confidence=math.nan),
    "confidence infinite": evidence(fragment=0, confidence=math.inf),
    "confidence in words": evidence(fragment=0, confidence="high"),
    "an empty quote": evidence(fragment=0, quote=" "),
    "a quote of a claim": evidence(claim="c1", quote="It is so."),
    "a reason of 1,001 characters": evidence(fragment=0, reason="x" * 1001),
    "a relative URL": {"page": NewPage("rivers/nile")},
    "a cited page without a URL": {"page": NewPage(NILE.url, cites=[""])},
    "a title of 301 characters": {"page": NewPage(NILE.url, "x" * 301)},
    "a year beyond all": {"page": NewPage(NILE.url, year=20200)},
    "a year in words": {"page": NewPage(NILE.url, year="last year")},
    "metadata that is no object": {"page": NewPage(NILE.url, paper_metadata=["doi"])},
    "metadata with NaN": {"page": NewPage(NILE.url, paper_metadata={"score": math.nan})},
    "metadata of 17 KB": {"page": NewPage(NILE.url, paper_metadata={"abstract": "x" * 17_000})},
    "a judge that is no tag": {"judge": "GPT 5!"},
    "a task_id that is none": {"task_id": "no id!"},
    "an unknown class": {"boundary_class": "private"},
    "a namespace outside": {"namespace": "../x"},
    "a request_id with spaces": {"request_id": "a b"},
}


@pytest.mark.parametrize("wrong", BAD.values(), ids=BAD)
def test_what_is_wrong_is_refused_and_nothing_is_written(shared, wrong):
    before = shared.status()
    with pytest.raises(InvalidInput) as refused:
        shared.add_evidence(**{"page": NILE, "fragments": [FLOODS] if wrong.get("page", 1) else [], **wrong})
    assert refused.value.code in ("invalid_input", "invalid_namespace")
    assert len(refused.value.message) < 300
    assert shared.status() == before


@pytest.mark.parametrize(
    "wrong",
    [
        {"query": ""},
        {"query": "x" * 9000},
        {"query": 7},
        {"query": "x", "boundary_class": "private"},
        {"query": "x", "namespace": "../x"},
    ],
    ids=lambda wrong: repr(wrong)[:40],
)
def test_a_task_needs_a_question(shared, wrong):
    with pytest.raises(InvalidInput):
        shared.create_task(**wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        {"text": ""},
        {"text": "x", "type": "guess"},
        {"text": "x", "result_count": -1},
        {"text": "x", "result_count": 1.5},
        {"text": "x", "language": "in English"},
        {"text": "x", "parent_id": "no id!"},
    ],
    ids=repr,
)
def test_a_query_that_is_wrong_is_refused(sqlite_memory, wrong):
    task = sqlite_memory.create_task("Does it flood?").id
    with pytest.raises(InvalidInput):
        add(sqlite_memory, says("supports"), task_id=task, query=NewQuery(**wrong))
    assert sqlite_memory.status(task).tasks[0].task.status == "created"


def test_a_task_is_changed_only_as_it_can_be(memory):
    task = memory.create_task("Does it flood?").id
    for wrong in ({}, {"status": "done"}, {"result_summary": ""}, {"error_message": "x" * 9000}):
        with pytest.raises(InvalidInput):
            memory.update_task(task, **wrong)
    with pytest.raises(NotFound):
        memory.update_task("no-such-task", status="completed")
    assert memory.status(task).tasks[0].task.status == "created"


def test_the_largest_call_is_taken(memory):
    """500 fragments, 200 claims and 1,000 citations."""
    added = memory.add_evidence(
        NewPage(NILE.url, cites=[f"https://rivers.example/{at}" for at in range(limits.CITATIONS)]),
        fragments=[NewFragment(f"fragment {at}") for at in range(limits.FRAGMENTS)],
        claims=[
            NewClaim(f"claim {at}", evidence=[says("supports", at), says("refutes", at + 200)])
            for at in range(limits.CLAIMS)
        ],
    )
    assert (len(added.fragments), len(added.claims), added.cites) == (500, 200, 1000)
    assert added.edges == {"created": 400}
    assert memory.status().counts == {"memo": 0, "claim": 200, "fragment": 500, "page": 1001, "entity": 0, "edge": 1400}
    memory.add_evidence(NILE, fragments=[NewFragment("é" * 8 * 1024, position=9)], claims=[NewClaim("é" * 2048)])
    assert memory.doctor().ok
