"""The history: which events it tells, in which words, to whom, and that it is read by its indexes."""

from __future__ import annotations

import json

import pytest
from receipts_for_tests import fill, sentence

from wherefrom import BoundaryDenied, InvalidInput, Memory, NotFound
from wherefrom.evidence.input import NewClaim, NewEvidence, NewFragment, NewPage
from wherefrom.storage.sql import Statements, reference_parameters, scope_parameters

LOOKUP = ("answer:task", "tool:contact-lookup")
NOWHERE = "01900000-0000-7000-8000-000000000000"
RULE = "Releases go out on Friday."


def texts(memory, *args, **given):
    return [entry.text for entry in memory.history(*args, **given).items]


def topics(memory, *args, **given):
    return [entry.topic for entry in memory.history(*args, **given).items]


# --- what is told -----------------------------------------------------------------------------------------------------


def test_an_empty_memory_has_no_history(memory):
    found = memory.history()
    assert (found.items, found.about, found.next_cursor, found.owner) == ((), None, None, "local")


def test_the_story_of_a_memo_is_told_newest_first(timed, clock):
    rule = timed.save(RULE, title="Release rule", request_id="r1", trace_id="t1").node
    clock.go_on(hours=1)
    timed.save(RULE + " Mira signs off.", memo_id=rule.id)
    timed.save(RULE + " Mira signs off.")
    other = timed.save("Mira is away in May.", title="五月のミラ").node
    timed.relate(rule.id, other.id, tag="explains", weight=0.5)
    timed.feedback(rule.id, "helpful")
    timed.unrelate(rule.id, other.id, tag="explains")
    clock.go_on(hours=1)
    found = timed.history(rule.id)
    assert [entry.text for entry in found.items] == [
        "deleted the relation 'Release rule' -explains-> '五月のミラ'",
        "strengthened the relations of 'Release rule'",
        "judged 'Release rule': helpful",
        "related 'Release rule' -explains-> '五月のミラ'",
        "saved 'Release rule' again: the text was there already",
        "saved 'Release rule' (version 2)",
        "saved 'Release rule'",
    ]
    first = found.items[-1]
    assert (first.node_id, first.request_id, first.trace_id, first.namespace) == (rule.id, "r1", "t1", "main")
    assert first.at == rule.created_at
    assert (found.about.kind, found.about.state, found.about.title) == ("memo", "here", "Release rule")
    assert found.about.text == "memo 'Release rule', version 2, saved 2026-01-01, changed 2026-01-01"
    assert texts(timed, other.id)[-1] == "saved '五月のミラ'"
    assert len(timed.history(other.id).items) == 3, "a relation is told at both of its ends"


def test_a_deleted_memo_keeps_its_history_without_its_title(memory):
    node = memory.save(RULE, title="Release rule").node
    memory.delete(node.id)
    found = memory.history(node.id)
    assert found.about.state == "deleted"
    assert [entry.text for entry in found.items] == [f"deleted {node.id[-8:]}", f"saved {node.id[-8:]}"]
    assert "Release" not in str(found)


def test_a_refusal_is_told_with_its_reason(open_memory):
    memory = open_memory()
    with pytest.raises(BoundaryDenied):
        memory.save("for those who look people up", boundary_class="pii")
    (entry,) = memory.history().items
    assert entry.topic == "filter"
    assert entry.text.startswith("refused (save): this access may not")


def test_searches_are_told_only_if_they_are_asked_for(memory):
    memory.save(RULE)
    memory.search("release")
    memory.activate("release")
    memory.activate("something else entirely")
    assert topics(memory) == ["ingest"]
    assert texts(memory, topic=["search", "activate"])[1:] == ["recalled 1 item", "searched: 1 hit"]


def test_a_memo_without_a_title_is_named_by_its_beginning(memory):
    memory.save("a " * 100)
    (text,) = texts(memory)
    assert text.startswith("saved 'a a a")
    assert len(text) < 60


def test_what_is_about_no_single_memo_is_told_too(timed):
    timed.save(RULE)
    timed.apply_policy("version: 1.1.0", approver="Kim")
    timed.save("one", namespace="old/place")
    timed.rename_namespace("old", "new")
    timed.import_([json.dumps({"type": "entity", "name": "Mira", "entityType": "person", "observations": ["away"]})])
    timed.reclassify()
    lines = texts(timed)
    assert "policy 1.1.0 put in force, approved by Kim" in lines
    assert "moved main/old to main/new: 1 node" in lines
    assert any(line.startswith("imported 1 node") for line in lines), lines
    assert any(line.startswith("brought what was stored in line with the policy") for line in lines)


def test_evidence_is_told_of_its_page_its_claims_and_its_task(timed, clock):
    task = timed.create_task("Does it ship?")
    link = NewEvidence("supports", fragment=0)
    given = {"fragments": [NewFragment("It ships on Friday.")], "claims": [NewClaim("It ships.", evidence=[link])]}
    added = timed.add_evidence(NewPage("https://example.org/a", "発売日"), **given, task_id=task.id)
    claim = added.claims[0].id
    assert texts(timed, added.page.id) == ["added '発売日' as evidence"]
    assert texts(timed, claim) == ["added the claim 'It ships.'"]
    timed.reject_claim(claim, reason="it does not")
    assert texts(timed, claim)[0] == "rejected the claim 'It ships.'"
    found = timed.history(task.id)
    assert (found.about.kind, found.about.state, found.about.title) == ("task", "exploring", "Does it ship?")
    assert sorted(entry.topic for entry in found.items) == ["evidence", "evidence", "task"]
    clock.go_on(hours=1)
    timed.add_evidence(NewPage("https://example.org/a", "発売日"), **given, task_id=task.id)
    assert len(timed.history(task.id).items) == 3, "the same again is no news"


# --- filters and pages ------------------------------------------------------------------------------------------------


def test_times_bound_it(timed, clock):
    for number in range(3):
        timed.save(f"note {number}")
        clock.go_on(days=1)
    assert texts(timed, since="2026-01-02") == ["saved 'note 2'", "saved 'note 1'"]
    assert texts(timed, until="2026-01-02") == ["saved 'note 0'"]
    assert texts(timed, since="2026-01-02", until="2026-01-03") == ["saved 'note 1'"]
    for bad in ("yesterday", "2026-13-01", 5):
        with pytest.raises(InvalidInput):
            timed.history(since=bad)


def test_pages_follow_each_other_while_events_arrive(timed, clock):
    for number in range(10):
        timed.save(f"note {number}")
        clock.go_on(seconds=number % 2)  # some at the same time
    found, cursor = [], None
    while True:
        page = timed.history(limit=3, cursor=cursor)
        found += [entry.text for entry in page.items]
        timed.save(f"meanwhile {len(found)}")
        if (cursor := page.next_cursor) is None:
            break
    assert found == [f"saved 'note {number}'" for number in reversed(range(10))]


def test_only_cursors_and_topics_of_its_own_are_taken(memory):
    memory.save(RULE)
    for given in ({"cursor": "x"}, {"cursor": memory.list(limit=1).next_cursor or "bm9kZXM6MQ"}, {"topic": ["sweep"]}):
        with pytest.raises(InvalidInput):
            memory.history(**given)
    with pytest.raises(NotFound, match="no history"):
        memory.history(NOWHERE)


# --- runs, receipts and plans -----------------------------------------------------------------------------------------


@pytest.fixture
def run(timed, clock):
    """A store of which a run has let go something."""
    fill(timed, clock)
    return timed.metabolize(apply=True)


def test_runs_are_listed_and_read(timed, clock, run):
    (entry,) = timed.history(topic=["metabolism"]).items
    gone = f"{run.nodes_removed:,} nodes and {run.links_removed:,} relations"
    assert (entry.text, entry.part_of) == (f"run {run.run_id[-8:]} let go {gone}", run.run_id)
    found = timed.history(run.run_id, limit=100)
    assert (found.about.kind, found.about.state) == ("run", "applied")
    assert f"let go {run.nodes_removed} nodes" in found.about.text
    assert found.about.restorable_until is not None
    let_go = {entry.node_id: entry for entry in found.items if entry.topic == "retire"}
    assert let_go.keys() == {verdict.node.id for verdict in run.removed}
    for verdict in run.removed:
        entry = let_go[verdict.node.id]
        assert entry.restorable_until is not None
        if verdict.rule == "restorable":
            assert "says nearly the same" in entry.text


def test_what_was_let_go_says_what_stands_for_it_and_until_when_it_comes_back(timed, clock, run):
    verdict = next(verdict for verdict in run.removed if verdict.rule == "restorable")
    about = timed.history(verdict.node.id).about
    assert (about.state, about.stand_in) == ("let_go", verdict.neighbour.id)
    assert about.restorable_until[:10] in about.text
    timed.restore(verdict.node.id)
    found = timed.history(verdict.node.id)
    assert found.about.state == "here"
    assert found.items[0].topic == "return"
    assert found.items[1].restorable_until is None, "it is here again"
    assert "1 came back" in timed.history(run.run_id).about.text
    clock.go_on(days=31)
    timed.sweep()
    late = timed.history(next(each.node.id for each in run.removed if each.node.id != verdict.node.id)).about
    assert (late.state, late.restorable_until) == ("let_go", None)
    assert timed.history(run.run_id).about.restorable_until is None


def test_a_sweep_is_a_run(timed, clock):
    timed.apply_policy("version: 1.1.0\nkeep_expired_days: 0")
    node = timed.save("for a week", scope="session").node
    clock.go_on(days=8)
    swept = timed.sweep()
    assert texts(timed, swept.run_id) == [f"let go 'for a week': its time was over; run {swept.run_id[-8:]}"]
    assert timed.history(swept.run_id).about.kind == "run"
    about = timed.history(node.id).about
    assert about.state == "let_go"
    assert about.restorable_until[:10] in about.text


def test_plans_are_listed_with_their_state_and_read_with_what_they_hold(timed, clock):
    for number in range(3):
        timed.save(sentence(number), title=f"題 {number}")
        timed.save(sentence(number, "quite"), title=f"題 {number} again")
    plan = timed.find_insight()
    assert plan.accepted
    links = f"{len(plan.accepted)} relation{'s' * (len(plan.accepted) > 1)}"
    assert texts(timed, topic=["plan"]) == [f"plan {plan.id[-8:]} proposes {links}; not applied yet"]
    about = timed.history(plan.id).about
    assert (about.kind, about.state, len(about.holds)) == ("plan", "proposed", len(plan.accepted))
    assert "題" in about.holds[0]
    timed.apply_insight(plan.id)
    found = timed.history(plan.id)
    assert found.about.state == "applied"
    assert sorted(entry.topic for entry in found.items) == sorted(
        ["plan", "insight", *["integrate"] * len(plan.accepted)]
    )
    link = plan.accepted[0]
    assert f"(plan {plan.id[-8:]})" in " ".join(texts(timed, link.source_id))
    timed.undo_insight(plan.id)
    assert texts(timed, topic=["plan"]) == [f"plan {plan.id[-8:]} proposes {links}; undone 2026-01-01"]
    assert topics(timed, link.target_id)[0] == "delete"


# --- who sees what ----------------------------------------------------------------------------------------------------


def test_an_owner_or_a_root_sees_nothing_of_another(open_memory):
    memory = open_memory()
    one, two = memory.save("one", namespace="a").node, memory.save("two", namespace="b").node
    memory.relate(one.id, two.id, tag="explains", weight=0.5)
    inner, stranger = open_memory(root="main/a"), open_memory(owner="other")
    assert topics(memory) == ["integrate", "ingest", "ingest"]
    assert topics(inner) == ["ingest"], "not the relation, which leads out of its root"
    assert [entry.node_id for entry in inner.history().items] == [one.id]
    assert stranger.history().items == ()
    for other, hidden in ((inner, two.id), (stranger, one.id), (stranger, two.id)):
        with pytest.raises(NotFound):
            other.history(hidden)
    assert topics(open_memory(root="main/a", also=["main/b"])) == ["integrate", "ingest", "ingest"]
    assert topics(memory, namespace="b") == ["ingest"]


def test_a_class_that_may_not_be_seen_leaves_no_trace(open_memory):
    keeper, other = open_memory(allow=LOOKUP), open_memory()
    open_one = keeper.save("open").node
    secret = keeper.save("Mira's number", boundary_class="pii").node
    keeper.relate(open_one.id, secret.id, tag="explains", weight=0.5)
    keeper.feedback(secret.id, "helpful")
    keeper.delete(secret.id)
    assert len(keeper.history(secret.id).items) >= 3
    with pytest.raises(NotFound):
        other.history(secret.id)
    everything = other.history(limit=100), other.history(open_one.id)
    assert secret.id not in str(everything)
    assert topics(other) == ["ingest"]


def test_what_becomes_stricter_takes_its_history_along_also_when_it_is_gone(open_memory):
    keeper, other = open_memory(allow=LOOKUP), open_memory()
    node, friend = keeper.save("open at first").node, keeper.save("open").node
    keeper.relate(friend.id, node.id, tag="explains", weight=0.5)
    assert len(other.history(node.id).items) == 2
    keeper.save("open at first", memo_id=node.id, boundary_class="pii")
    for go_on in (lambda: keeper.delete(node.id), lambda: None):
        with pytest.raises(NotFound):
            other.history(node.id)
        assert topics(other) == ["ingest"]
        go_on()
    assert topics(keeper, node.id) == ["delete", "ingest", "integrate", "ingest"]


def test_a_renamed_namespace_takes_its_history_along(open_memory):
    memory = open_memory()
    node = memory.save("one", namespace="a").node
    memory.rename_namespace("a", "b/c")
    assert topics(open_memory(root="main/b"), node.id) == ["ingest"]
    with pytest.raises(NotFound):
        open_memory(root="main/a").history(node.id)
    assert "rename" not in topics(open_memory(root="main/b")), "it names a place outside of that root"
    assert "rename" in topics(memory)


def test_what_a_policy_hides_below_is_not_counted_for_those_it_hides_it_from(open_memory):
    memory, trusted = open_memory(), open_memory(allow=("answer:task", "vault"))
    memory.apply_policy("version: 2.0.0\nboundary_classes: {internal: {allow: [vault]}}", namespace="quiet")
    hidden = trusted.save("The bridge is open.", namespace="quiet").node
    trusted.activate("bridge")
    assert [entry.payload["items"] for entry in trusted.history(topic=["activate"]).items] == [1]
    assert memory.history(topic=["activate"]).items == ()
    assert hidden.id not in str(memory.history())
    with pytest.raises(NotFound):
        memory.history(hidden.id)


def test_the_stand_in_is_named_only_to_those_who_see_it(open_memory, clock, url):
    with Memory.open(url, clock=clock) as memory:
        fill(memory, clock)
        run = memory.metabolize(apply=True)
        verdict = next(verdict for verdict in run.removed if verdict.rule == "restorable")
    with Memory.open(url, clock=clock, allow=LOOKUP) as keeper:
        text = keeper.get(verdict.neighbour.id).content
        keeper.save(text, memo_id=verdict.neighbour.id, boundary_class="pii")
        assert keeper.history(verdict.node.id).about.stand_in == verdict.neighbour.id
    other = open_memory()
    about = other.history(verdict.node.id).about
    assert (about.state, about.stand_in) == ("let_go", None)
    assert verdict.neighbour.id not in str(other.history(verdict.node.id))


def test_a_plan_with_hidden_relations_is_not_read(open_memory):
    keeper, other = open_memory(allow=LOOKUP), open_memory()
    for text in ("Owen Pascoe is allergic to walnuts.", "Owen Pascoe comes to the birthday dinner, with walnut cake."):
        keeper.save(text, boundary_class="pii")
    plan = keeper.find_insight()
    assert plan.nodes, "there is a relation to hide"
    with pytest.raises(NotFound):
        other.history(plan.id)
    assert keeper.history(plan.id).about.kind == "plan"


# --- how it is stored -------------------------------------------------------------------------------------------------


def test_a_save_writes_one_event_and_nothing_beside_it(memory, url, execute):
    memory.save(RULE)
    assert execute(url, "select count(*) from events") == [(1,)]


def test_no_event_keeps_a_text(memory, url, execute):
    node = memory.save("the walnut lantern", title="a copper kettle").node
    memory.delete(node.id)
    memory.history()
    assert "walnut" not in str(execute(url, "select * from events"))
    assert "kettle" not in str(execute(url, "select * from events"))


@pytest.mark.slow
def test_fifty_thousand_events_are_read_by_indexes(url, execute):
    with Memory.open(url, embedder="none") as memory:
        node = memory.save(RULE).node
        minute = "lpad((i / 1000)::text, 2, '0')" if url.startswith("postgresql") else "printf('%02d', i / 1000)"
        execute(
            url,
            "insert into events (owner_id, at, topic, namespace, payload, node_id, other_namespace, boundary_class)"
            " with recursive n(i) as (select 1 union all select i + 1 from n where i < 50000)"
            f" select 'local', '2025-01-01T00:' || {minute} || ':00.000000Z', 'ingest', 'main', '{{}}',"
            " 'node-' || (i / 5), 'main', 'internal' from n",
        )
        execute(url, "analyze")
        assert topics(memory, node.id) == ["ingest"]
        assert len(memory.history(limit=100).items) == 100
        database = memory.view.store.database
        asked = {"id": node.id, "topics": None, "since": None, "until": None}
        for filters in (asked, {**asked, "id": None}, {**asked, "id": None, "since": "2025-01-01T00:48:00.000000Z"}):
            plan = explained(database, "history_page", {**scope_parameters(memory.view.access), **filters})
            assert "events_of_node" in plan if filters["id"] else "events_in_time" in plan, plan
            assert not any(word in plan for word in ("Seq Scan on events", "SCAN e\n", "SCAN a")), plan


def explained(database, statement, parameters):
    """The plan of a statement."""
    seen = []

    class Explaining(Statements):
        def sql(self, name, parameters):
            text = super().sql(name, parameters)
            if name != statement:
                return text
            seen.append(name)
            return ("explain " if database.name == "postgres" else "explain query plan ") + text

    def work(tx):
        tx._statements = Explaining(tx.dialect)
        return tx.rows(statement, {**parameters, "limit": 20})

    plan = "\n".join(str(row[-1]) for row in database.read(work)) + "\n"
    assert seen
    if database.name == "postgres":  # with `--partitioned`, indexes of parts have names of their own
        parts = "select c.relname, p.relname from pg_inherits h join pg_class c on c.oid = h.inhrelid join pg_class p on p.oid = h.inhparent where c.relkind = 'i'"
        for part, whole in database.read(lambda tx: tx._connection.execute(parts).fetchall()):
            plan = plan.replace(f" {part} ", f" {whole} ")
    return plan


def test_the_end_of_a_runs_or_a_contexts_id_is_looked_up_by_indexes(url, execute):
    with Memory.open(url, embedder="none") as memory:
        memory.save(RULE)
        context = memory.activate("release").id
        numbers = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 30000)"
        at = "'2025-01-01T00:00:00.000000Z'"
        execute(
            url,
            "insert into retired (owner_id, run_id, kind, node_id, namespace, content, reason, retired_at)"
            f" {numbers} select 'local', 'run-of-' || (100000 + i % 3000), 'node', 'node-' || i, 'main', '{{}}', '{{}}', {at} from n",
        )
        execute(
            url,
            "insert into events (owner_id, at, topic, namespace, payload, node_id, other_namespace, part_of, boundary_class)"
            f" {numbers} select 'local', {at}, 'retire', 'main', '{{}}', 'node-' || i, 'main',"
            " 'run-of-' || (100000 + i % 3000), 'internal' from n",
        )
        execute(url, "analyze")
        view = memory.view
        assert memory.history("100007").about.id == "run-of-100007"
        assert memory.context(context[-6:]).id == context
        asked = {**scope_parameters(view.access), **reference_parameters("100007")}
        plan = explained(view.store.database, "runs_referred", asked)
        assert "retired_by_run" in plan
        assert "events_of_part" in plan
        assert not any(
            word in plan for word in ("Seq Scan on events", "Seq Scan on retired", "SCAN e\n", "SCAN f\n")
        ), plan
        plan = explained(view.store.database, "contexts_referred", asked)
        assert "SCAN i\n" not in plan
        assert "SCAN c\n" not in plan


def test_a_refusal_does_not_tell_of_another_root(open_memory):
    hidden = open_memory(root="main/team").save("Only for the team.").node
    with pytest.raises(BoundaryDenied):
        open_memory(root="main/guest", also=["main/team"]).save("Changed.", memo_id=hidden.id)
    (entry,) = open_memory(root="main/guest").history(topic=["filter"]).items
    assert "team" not in entry.text
    assert "it may only be read" in entry.text


def test_the_number_of_hidden_relations_is_not_told(memory):
    one, other = (memory.save(text).node.id for text in ("The gate.", "The moat."))
    memory.relate(one, other, tag="near", weight=0.5)
    memory.feedback(one, "helpful")
    memory.delete(one)
    assert not any("1 relation" in entry.text for entry in memory.history().items)
    assert not any({"edges", "links"} & entry.payload.keys() for entry in memory.history().items)
