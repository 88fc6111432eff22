"""`query_graph`: what SQL sees, how answers look, what ends a statement, and hints, on both databases."""

from __future__ import annotations

import io
import json
import re
from datetime import UTC, datetime

import pytest

from wherefrom import InvalidInput, Memory
from wherefrom.evidence.input import NewClaim, NewEvidence, NewFragment, NewPage, NewQuery

# The contract: what agents can rely on.
COLUMNS = {
    "tasks": "id query status result_summary error_message namespace created_at started_at completed_at",
    "queries": "id task_id query_text query_type language parent_query_id depth executed_at result_count harvest_rate",
    "pages": "id url domain title year paper_metadata content_type fetched_at namespace boundary_class created_at updated_at",
    "fragments": "id page_id fragment_type position text_content heading_context char_start char_end text_hash namespace"
    " boundary_class created_at updated_at",
    "claims": "id task_id claim_text claim_kind claim_type llm_claim_confidence claim_adoption_status rejected_at scope"
    " namespace boundary_class confidence utility quality superseded_by slot valid_from valid_to holds_now speaker"
    " session observed_at expires_at created_at updated_at",
    "memos": "id title content metadata namespace boundary_class scope confidence utility quality superseded_by slot"
    " valid_from valid_to holds_now speaker session observed_at expires_at created_at updated_at",
    "entities": "id name namespace created_at",
    "edges": "id source_type source_id target_type target_id relation nli_label nli_edge_confidence citation_source"
    " citation_context edge_human_corrected weight confidence reason judge namespace boundary_class observed_at valid_from"
    " valid_to holds_now created_at updated_at",
    "embeddings": "id target_type target_id model_id dimension content_hash embedding_blob created_at",
    "evidence": "edge_id relation nli_edge_confidence judge fragment_id claim_id task_id claim_text page_id domain year",
    "history": "id at topic node_id other_id part_of namespace request_id trace_id payload",
    "clock": "this_year",
}
BUDGET = {"limit": 200, "timeout_ms": 2000, "max_vm_steps": 50_000_000}
ENDLESS = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 100000000) select count(*) from n"


def fill(memory):
    task = memory.create_task("Does the Nile flood?").id
    for at, (domain, year) in enumerate([("a.example", 2020), ("a.example", 2001), ("b.example", None)]):
        page = NewPage(
            f"https://{domain}/{at}",
            f"Report {at}",
            year,
            {"doi": f"10.1/{at}", "authors": ["Kim", "李"]} if at else {},
            cites=[f"https://{domain}/{at + 1}"],
        )
        fragments = [NewFragment(f"Fragment {at}{part}: 血糖 and the Nile.", heading="川") for part in range(8)]
        claims = [
            NewClaim(
                f"Claim {number}",
                confidence=number / 4,
                evidence=[
                    NewEvidence("supports", number, confidence=0.5 + number / 10),
                    NewEvidence("refutes" if number % 2 else "neutral", number + 4, confidence=0.25, reason="so"),
                ],
            )
            for number in range(4)
        ]
        query = NewQuery(text=f"nile {at}", result_count=16)
        added = memory.add_evidence(page, fragments=fragments, claims=claims, task_id=task, query=query, judge="m-1")
    memory.add_evidence(claims=[NewClaim("Derived", evidence=[NewEvidence("supports", claim=added.claims[0].id)])])
    memory.save("A memo about the Nile", title="Memo", metadata={"n": [1, {"a": None}]}, entities=["Nile"])
    memory.reject_claim(added.claims[3].id, reason="nonsense")
    memory.correct_edge(added.fragments[0].id, added.claims[0].id, relation="refutes", reason="read it")
    memory.update_task(task, status="completed", result_summary="It does.")


@pytest.fixture(scope="module")
def both(request, tmp_path_factory):
    """The same graph in both databases; nothing here writes into it."""

    def clock():
        return datetime(2026, 6, 1, tzinfo=UTC)

    postgres = request.getfixturevalue("postgres_database")()
    with (
        Memory.open(tmp_path_factory.mktemp("sql") / "memory.db", clock=clock) as one,
        Memory.open(postgres, clock=clock) as other,
    ):
        fill(one)
        stream = io.StringIO()
        one.export(stream)
        other.import_(io.BytesIO(stream.getvalue().encode()))
        yield {"sqlite": one, "postgres": other}


@pytest.fixture(params=["sqlite", "postgres"])
def memory(both, request):
    return both[request.param]


@pytest.fixture
def sqlite(both):
    return both["sqlite"]


@pytest.fixture
def postgres(both):
    return both["postgres"]


def answer(memory, sql, **given):
    found = memory.query_graph(sql, **{**BUDGET, **given})
    assert found.ok, (found.error, sql)
    assert (found.error, found.hint) == (None, None)
    return found


def failure(memory, sql, **given):
    found = memory.query_graph(sql, **{**BUDGET, **given})
    assert not found.ok, found.rows
    assert (found.rows, found.columns, found.truncated) == ((), (), False)
    assert found.error
    return found


# --- the same on both -------------------------------------------------------------------------------------------------

SAME = [
    "select id, claim_text, claim_adoption_status, llm_claim_confidence from claims order by id",
    "select * from tasks",
    "select * from queries order by query_text",
    "select id, url, domain, title, year, namespace, boundary_class from pages order by url",
    "select * from fragments order by page_id, position",
    "select source_id, target_id, relation, nli_label, nli_edge_confidence, judge, reason from edges order by 1, 2, 3",
    "select citation_source, count(*) as n from edges where relation = 'cites' group by citation_source",
    "select target_type, count(*) as n, max(dimension) as d from embeddings group by target_type order by 1",
    "select fragment_id, claim_id, relation, nli_edge_confidence, page_id, domain, year from evidence order by 1, 2",
    "select relation, count(*) as n, round(avg(nli_edge_confidence), 2) as a from evidence group by relation order by 1",
    "select domain, count(distinct page_id) as p from evidence group by domain having count(*) > 2 order by p desc, domain",
    "select c.claim_text, e.relation, f.text_content, p.url from claims c join edges e on e.target_id = c.id"
    " join fragments f on f.id = e.source_id join pages p on p.id = f.page_id order by 1, 3, 2",
    "select c.id, count(e.claim_id) as n from claims c left join evidence e on e.claim_id = c.id group by c.id order by c.id",
    "select id from claims where id not in (select claim_id from evidence) order by id",
    "select id from claims c where exists (select 1 from evidence e where e.claim_id = c.id and e.year > 2010) order by id",
    "with s as (select claim_id, sum(nli_edge_confidence) as w from evidence where relation = 'supports' group by claim_id)"
    " select claim_id, round(w, 3) as w from s order by w desc, claim_id",
    "with recursive n(i) as (select 1 union all select i + 1 from n where i < 20) select sum(i) as s from n",
    "select claim_id, relation, row_number() over (partition by claim_id order by fragment_id) as n from evidence"
    " order by claim_id, n",
    "select distinct relation from evidence order by relation",
    "select case when year > 2010 then 'new' when year is null then 'unknown' else 'old' end as era, count(*) as n"
    " from pages group by 1 order by 1",
    "select 'a' as x union select 'b' union all select 'a' order by x",
    "select paper_metadata ->> 'doi' as doi from pages where paper_metadata is not null order by 1",
    "select length(text_content) as n, substr(text_content, 1, 8) as s, upper('x') as u from fragments order by id limit 3",
    "select 7 / 2 as whole, 7 / 2.0 as broken, round(2.567, 1) as r, abs(-3) as a, coalesce(null, 5) as c",
    "select this_year, this_year - 2 as before from clock",
    "select text_content from fragments where text_content like '%血糖%' order by text_content limit 2 offset 1",
    "select claim_id, support_count, bayesian_confidence from v_claim_evidence_summary order by claim_id",
    "SELECT ID FROM Claims ORDER BY Id DESC LIMIT 2 -- the newest",
    "select e.claim_id from evidence e, clock where e.year = clock.this_year - 6 order by 1",
]  # fmt: skip


@pytest.mark.parametrize("sql", SAME)
def test_ordinary_statements_have_the_same_rows_on_both(both, sql):
    one, other = answer(both["sqlite"], sql), answer(both["postgres"], sql)
    assert one.columns == other.columns
    assert one.rows == other.rows
    assert one.rows
    assert json.loads(json.dumps(one.rows)) == [list(row) for row in one.rows], "it is JSON"


def test_tables_and_columns_are_the_same_on_both(both):
    schemas = [{shape.name: shape.columns for shape in answer(m, "select 1", include_schema=True).schema} for m in both.values()]  # fmt: skip
    assert schemas[0] == schemas[1]
    assert answer(both["sqlite"], "select 1").schema is None
    for table, columns in COLUMNS.items():
        assert set(columns.split()) <= set(schemas[0][table]), table
    assert {name for name in schemas[0] if name.startswith("v_")} == {shape.name for shape in both["sqlite"].views()}
    for shape in both["sqlite"].views():
        assert schemas[0][shape.name] == shape.columns
    assert not [name for name in schemas[0] if name not in COLUMNS and not name.startswith("v_")]


def test_what_cannot_run_has_a_schema_too(memory):
    found = failure(memory, "select nowhere from claims", include_schema=True)
    assert {shape.name for shape in found.schema} >= set(COLUMNS)


SEED = [
    "SELECT * FROM claims WHERE task_id = '{task}' LIMIT 10",
    "SELECT c.*, e.relation FROM claims c JOIN edges e ON c.id = e.source_id",
    "SELECT * FROM pages WHERE paper_metadata IS NOT NULL",
    "SELECT * FROM v_contradictions ORDER BY controversy_score DESC LIMIT 5;",
    "SELECT * FROM v_hub_pages ORDER BY claims_supported DESC LIMIT 10;",
    "SELECT * FROM v_evidence_timeline WHERE year >= 2015;",
    "SELECT * FROM v_outdated_evidence WHERE years_since_update > 1;",
    "SELECT * FROM fragments WHERE text_content LIKE '%血糖%'",
    "WITH task_fragments AS (SELECT DISTINCT e.source_id AS fragment_id FROM edges e JOIN claims c"
    " ON e.target_type = 'claim' AND e.target_id = c.id WHERE e.source_type = 'fragment' AND c.task_id = '{task}')"
    " SELECT emb.target_id, emb.embedding_blob FROM embeddings emb JOIN task_fragments tf"
    " ON emb.target_type = 'fragment' AND emb.target_id = tf.fragment_id",
    "SELECT e.target_id, CASE WHEN e.target_type = 'fragment' THEN f.text_content WHEN e.target_type = 'claim'"
    " THEN c.claim_text END AS text_content FROM embeddings e"
    " LEFT JOIN fragments f ON e.target_type = 'fragment' AND e.target_id = f.id"
    " LEFT JOIN claims c ON e.target_type = 'claim' AND e.target_id = c.id WHERE e.target_type = 'claim'",
]  # fmt: skip


@pytest.mark.parametrize("sql", SEED)
def test_the_examples_of_the_seed_run(memory, sql):
    task = memory.status().tasks[0].task.id
    assert answer(memory, sql.replace("{task}", task)).rows or "outdated" in sql


# --- answers ----------------------------------------------------------------------------------------------------------


def test_a_limit_is_kept_and_says_whether_there_is_more(memory):
    total = answer(memory, "select count(*) from fragments").rows[0][0]
    assert total == 24
    for limit, truncated in ((1, True), (23, True), (24, False), (25, False), (200, False)):
        found = answer(memory, "select id from fragments", limit=limit)
        assert (len(found.rows), found.truncated) == (min(limit, 24), truncated)
    shorter = answer(memory, "select id from fragments limit 5", limit=10)
    assert (len(shorter.rows), shorter.truncated) == (5, False)
    longer = answer(memory, "select id from fragments limit 1000", limit=10)
    assert (len(longer.rows), longer.truncated) == (10, True)
    found = memory.query_graph("select a.id from fragments a, fragments b")
    assert (len(found.rows), found.truncated) == (50, True), "fifty is the default"


def test_a_megabyte_is_enough_for_one_answer(memory):
    together = "with w as (select string_agg(text_content || text_hash, '') as t from fragments)"
    found = answer(memory, f"{together} select t || t || t || t as x from w, fragments a, fragments b")
    assert found.truncated
    assert 900_000 < sum(len(row[0].encode()) for row in found.rows) < 1_200_000


def test_no_two_columns_have_the_same_name(memory):
    found = answer(memory, "select c.id, e.id, f.id, 1 as id_2 from claims c, evidence x, edges e, fragments f limit 1")
    assert found.columns == ("id", "id_2", "id_3", "id_2_2")
    assert len(set(answer(memory, "select 1, 1, 'a', 'a'").columns)) == 4


def test_values_are_what_json_has(sqlite, postgres):
    blob = answer(sqlite, "select x'0aff00' as b, cast('abc' as blob) as c").rows[0]
    assert blob == ("0aff00", "616263")
    vector = answer(sqlite, "select embedding_blob, dimension from embeddings limit 1").rows[0]
    assert re.fullmatch(r"[0-9a-f]+", vector[0])
    assert len(vector[0]) == vector[1] * 8
    assert answer(sqlite, "select 9e999, -9e999, 1e308 * 10 - 9e999").rows[0] == ("inf", "-inf", None)
    given = "cast('{0}' as double precision)"
    numbers = ", ".join(f"{given.format(word)} as n{at}" for at, word in enumerate(("Infinity", "-Infinity", "NaN")))
    assert answer(postgres, f"select {numbers}").rows[0] == ("inf", "-inf", "nan")
    decimal = answer(postgres, "select cast(1 as numeric) / 4 as d, sum(1.5) as s, avg(position) as a from fragments")
    assert decimal.rows[0] == (0.25, 36.0, 3.5)
    assert all(type(value) is float for value in decimal.rows[0])
    assert answer(postgres, "select true as t, current_date as d").rows[0][0] is True
    assert answer(sqlite, "select true, null").rows[0] == (1, None)
    for memory in (sqlite, postgres):
        assert answer(memory, "select 123456789012345678901234567890 as n").rows[0] == (1.2345678901234568e29,)


def test_json_columns_are_json(sqlite, postgres):
    sql = "select metadata from memos"
    assert json.loads(answer(sqlite, sql).rows[0][0]) == answer(postgres, sql).rows[0][0] == {"n": [1, {"a": None}]}
    sql = "select paper_metadata from pages where url = 'https://a.example/1'"
    expected = {"doi": "10.1/1", "authors": ["Kim", "李"]}
    assert json.loads(answer(sqlite, sql).rows[0][0]) == answer(postgres, sql).rows[0][0] == expected


def test_the_time_taken_is_told(memory):
    for found in (answer(memory, "select 1"), failure(memory, "select nowhere")):
        assert isinstance(found.elapsed_ms, int)
        assert 0 <= found.elapsed_ms < 60_000


def test_steps_are_noted_to_mean_nothing_on_postgresql(sqlite, postgres):
    assert answer(sqlite, "select 1").notes == ()
    for found in (answer(postgres, "select 1", max_vm_steps=1), failure(postgres, "select nowhere")):
        assert "max_vm_steps" in found.notes[0]


def test_comments_and_a_last_semicolon_do_no_harm(memory):
    for sql in ("select 1 as a;", "select 1 as a ; ;", "-- first\nselect 1 as a", "/* ; */ select 1 as a -- ; last"):
        assert answer(memory, sql).rows == ((1,),)


def test_a_table_of_which_no_column_is_read_can_be_counted_and_joined(memory):
    assert answer(memory, "select 1 as a from clock").rows == ((1,),)
    assert answer(memory, "select count(*) from fragments join clock on true").rows == ((24,),)
    assert answer(memory, "select 1 as a where exists (select 1 from clock)").rows == ((1,),)
    for table in COLUMNS:
        counted = answer(memory, f"select count(*) from {table}").rows
        assert answer(memory, f"select count(*) from (select 1 as a from {table}) as t").rows == counted


def test_no_message_names_what_is_hidden(sqlite):
    """Whoever learned the names of the inner views could name a CTE like one, and read every owner's rows."""
    tried = [f"select 1 from {table}, clock where nowhere" for table in COLUMNS]
    tried += [f"select nowhere.{table} from {table}" for table in COLUMNS]
    tried += [
        "select 1 from clock",
        "select count(*) from clock",
        "select * from temp.nodes",
        "select max(rowid) from clock",
    ]
    for sql in tried:
        found = sqlite.query_graph(sql)
        assert "inner" not in f"{found.error} {found.hint} {found.columns}", sql


# --- mistakes ---------------------------------------------------------------------------------------------------------

HINTS = [
    ("select task_id from fragments", "use evidence"),
    ("select * from pages where task_id = 'x'", "join to claims"),
    ("select * from edges e where e.task_id = 'x'", "use evidence"),
    ("select * from nodes", "tables of their own"),
    ("select * from authors", "paper_metadata"),
    ("select authors from pages", "paper_metadata ->> 'authors'"),
    ("select p.authors from pages p", "paper_metadata ->> 'authors'"),
    ("select * from works", "paper_metadata"),
    ("select * from relations", "edges"),
    ("select * from sqlite_master", "include_schema"),
    ("select * from information_schema.tables", "include_schema"),
    ("select tag from edges", "edges has id, source_type"),
    ("select claim_id from claims", "claim_id is a column of evidence"),
    ("select c.year from claims c", "year is a column of pages, evidence"),
    ("select url from fragments", "url is a column of pages"),
    ("select support_count from claims", "v_claim_evidence_summary"),
    ("select * from papers", "the tables are tasks, queries, pages"),
    ("select nowhere from claims", "claims has id, task_id, claim_text"),
    ("select * from claims where claim_text = 'it''s", "quoted|SELECT"),
    ("selec * from claims", "SELECT"),
    ("select * from claims where", "SELECT"),
    ("select pg_sleep(1)", "SELECT|function"),
    ("select load_extension('x')", "SELECT|function"),
    ("select 1; select 2", "one S|one s"),
    ("update claims set claim_text = 'x'", "SELECT"),
    ("delete from claims", "SELECT"),
    ("insert into claims (id) values ('x')", "SELECT"),
    ("drop table claims", "SELECT"),
    ("create table x (a integer)", "SELECT"),
    ("pragma table_info(claims)", "SELECT|include_schema"),
    ("attach 'x' as y", "SELECT"),
    ("explain select 1", "SELECT"),
    ("begin", "SELECT"),
    ("-- nothing", "SELECT|statement"),
    ("select * from tasks where id = :task_id", "SELECT|value|literal|allows"),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "hint"), HINTS, ids=[sql for sql, _ in HINTS])
def test_a_mistake_has_a_message_and_a_hint(memory, sql, hint):
    found = failure(memory, sql)
    assert len(found.error) < 400
    assert found.hint is not None, found.error
    assert re.search(hint, found.hint), (found.error, found.hint)


def test_nothing_of_what_was_tried_changed_anything(memory):
    assert answer(memory, "select count(*) from claims").rows == ((5,),)


@pytest.mark.parametrize(
    "wrong",
    [
        {"limit": 0},
        {"limit": 201},
        {"limit": -1},
        {"limit": 1.5},
        {"limit": True},
        {"limit": "50"},
        {"timeout_ms": 0},
        {"timeout_ms": 2001},
        {"max_vm_steps": 0},
        {"max_vm_steps": 50_000_001},
        {"sql": ""},
        {"sql": "  \n"},
        {"sql": None},
        {"sql": "select 1\0"},
        {"sql": "select '\ud800'"},
        {"sql": "select " + "1," * 10_000 + "1"},
    ],
    ids=lambda wrong: ascii(wrong)[:40],
)
def test_parameters_out_of_their_range_are_refused(memory, wrong):
    with pytest.raises(InvalidInput) as refused:
        memory.query_graph(**{"sql": "select 1", **wrong})
    assert refused.value.code == "invalid_input"
    assert next(iter(wrong)) in refused.value.message


# --- budgets ----------------------------------------------------------------------------------------------------------


def test_steps_end_a_statement_on_sqlite(sqlite):
    found = failure(sqlite, ENDLESS, max_vm_steps=10_000)
    assert found.error == "interrupted (step budget)"
    assert "max_vm_steps" in found.hint
    assert sqlite.query_graph(ENDLESS).error == "interrupted (step budget)", "by default, too"
    assert answer(sqlite, "select 1", max_vm_steps=1000).rows == ((1,),)


def test_time_ends_a_statement(memory):
    found = failure(memory, ENDLESS, timeout_ms=30)
    assert found.error == "interrupted (timeout)"
    assert "timeout_ms" in found.hint
    assert answer(memory, "select 1 as a").rows == ((1,),), "the next one is not interrupted"


def test_rows_that_came_before_a_statement_was_ended_are_not_given(memory):
    rows = "select i from n where i < 5 or i > 99999999"
    found = failure(memory, ENDLESS.replace("select count(*) from n", rows), timeout_ms=30)
    assert found.rows == ()


def test_one_value_cannot_be_as_long_as_it_likes(memory):
    doubled = "with recursive d(i, t) as (select 1, 'xxxxxxxx' union all select i + 1, t || t from d where i < 40) select max(length(t)) from d"
    found = failure(memory, doubled)
    assert found.hint
