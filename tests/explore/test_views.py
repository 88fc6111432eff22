"""The 16 views on one small graph, with rows worked out by hand, on both databases."""

from __future__ import annotations

import hashlib
import io
import itertools
import json
from datetime import UTC, datetime

import pytest

from wherefrom import InvalidInput, Memory, NotFound
from wherefrom.explore.views import all_rendered, list_views, render
from wherefrom.storage.agent.port import Budget, Statement

NOW = "2026-01-01T00:00:00.000000Z"
SHAPES = {shape.name: shape for shape in list_views()}
VIEWS = sorted(SHAPES)

# --- the graph -------------------------------------------------------------------------------------------------------

PAGES = [
    {"id": key, "url": f"https://{domain}/{key}", "domain": domain, "title": f"Page {key}", "year": year}
    for key, domain, year in [
        ("p1", "a.org", 2025),
        ("p2", "a.org", 2025),
        ("p3", "b.org", 2015),
        ("p4", "c.org", 2010),
        ("p5", "d.org", None),
        ("p6", "e.org", 2019),
        ("p7", "f.org", 2001),
        ("p8", "g.org", 2026),
    ]
]
FRAGMENTS = [
    {"id": key, "page_id": page_id}
    for key, page_id in [
        ("f1", "p1"),
        ("f2", "p1"),
        ("f3", "p2"),
        ("f4", "p3"),
        ("f5", "p4"),
        ("f6", "p5"),
        ("f7", "p6"),
        ("f8", "p3"),
        ("f9", "p1"),
        ("f10", "p4"),
        ("f11", "p6"),
        ("f12", None),
    ]
]
CLAIMS = [
    {"id": key, "task_id": task, "claim_text": f"Claim {key}", "claim_adoption_status": status}
    for key, task, status in [
        ("c1", "t1", "adopted"),
        ("c2", "t1", "adopted"),
        ("c3", "t1", "adopted"),
        ("c4", "t1", "adopted"),
        ("c5", "t1", "rejected"),
        ("c6", "t2", "adopted"),
        ("c7", "t2", "adopted"),
        ("c8", None, "adopted"),
        ("c9", "t1", "adopted"),
    ]
]
EVIDENCE = [
    ("f1", "c1", "supports", 0.9),
    ("f4", "c1", "supports", 0.8),
    ("f5", "c1", "refutes", 0.8),
    ("f3", "c2", "supports", 0.9),
    ("f7", "c3", "refutes", 0.95),
    ("f6", "c3", "neutral", 0.5),
    ("f1", "c5", "supports", 0.9),
    ("f1", "c6", "supports", 1.0),
    ("f8", "c6", "supports", 1.0),
    ("f5", "c6", "refutes", 1.0),
    ("f10", "c6", "refutes", 1.0),
    ("f12", "c7", "supports", 0.4),
    ("f6", "c7", "supports", 0.6),
    ("f2", "c7", "supports", 0.6),
    ("f9", "c7", "supports", 0.7),
    ("f11", "c8", "supports", 0.5),
    ("f3", "c8", "neutral", 0.3),
    ("f2", "c9", "supports", 0.6),
    ("f9", "c9", "supports", 0.8),
    ("f9", "c4", "origin", 1.0),  # where a claim was taken from is no judgement
]
INFERENCES = [
    ("c1", "c2", "derives", 0.5),
    ("c2", "c4", "supports", 0.8),
    ("c4", "c3", "supports", 0.5),
    ("c3", "c1", "derives", 1.0),  # closes the circle of four
    ("c6", "c7", "supports", 0.5),
    ("c7", "c6", "refutes", 0.4),  # and one of two
    ("c7", "c7", "supports", 1.0),
    ("c1", "c5", "derives", 0.9),
    ("c2", "c6", "neutral", 0.9),
]
CITATIONS = [
    ("p1", "p2"),
    ("p2", "p1"),
    ("p2", "p3"),
    ("p3", "p2"),
    ("p1", "p3"),
    ("p4", "p1"),
    ("p8", "p4"),
    ("p4", "p7"),
    ("p7", "p4"),
    ("p5", "p5"),
]


GRAPH = {
    "pages": PAGES,
    "fragments": FRAGMENTS,
    "claims": CLAIMS,
    "edges": [*EVIDENCE, *INFERENCES, *((a, b, "cites", 1.0) for a, b in CITATIONS), ("m1", "m2", "cites", 1.0)],
}


def node(key, kind, content, **more):
    """A line of an export."""
    times = dict.fromkeys(("observed_at", "recency_anchor", "created_at", "updated_at"), NOW)
    empty = dict.fromkeys(("claim_kind", "scope", "expires_at", "valid_from", "valid_to", "superseded_by", "title"))
    return {
        "type": "node", "id": key, "namespace": "main", "kind": kind, "content": content,
        "content_hash": hashlib.sha256(content.encode()).hexdigest(), "metadata": {}, "provenance": {},
        "boundary_class": "internal", "utility": 0.0, "confidence": 0.5, "quality": 0.5, "pinned": False, "version": 1,
        **times, **empty, **more,
    }  # fmt: skip


def edge(source, target, tag, confidence):
    judge = "nli" if tag in ("supports", "refutes", "neutral") else "openalex" if tag == "cites" else None
    return {
        "type": "edge", "source_id": source, "target_id": target, "tag": tag, "weight": 1.0, "confidence": confidence,
        "reason": None, "judge": judge, "source_namespace": "main", "target_namespace": "main",
        "boundary_class": "internal", "observed_at": NOW, "created_at": NOW, "updated_at": NOW, "version": 1,
    }  # fmt: skip


def task(key):
    return {
        "type": "task", "id": key, "namespace": "main", "query": f"Question {key}", "status": "exploring",
        "created_at": NOW, "updated_at": NOW, "boundary_class": "internal", "result_summary": None,
        "error_message": None, "started_at": NOW, "completed_at": None,
    }  # fmt: skip


def lines(graph):
    """A graph as an export has it: fragments carry the domain and year of their page."""
    pages = {page["id"]: page for page in graph["pages"]}
    yield {"type": "wherefrom", "format": 1, "exported_at": NOW, "root_namespace": "main"}
    yield from (task(key) for key in sorted({claim["task_id"] for claim in graph["claims"]} - {None}))
    for page in graph["pages"]:
        yield node(page["id"], "page", page["url"], title=page["title"], domain=page["domain"], year=page["year"])
    for at, fragment in enumerate(graph["fragments"]):
        page = pages.get(fragment["page_id"], {"domain": None, "year": None})
        place = {"page_id": fragment["page_id"], "position": at, "domain": page["domain"], "year": page["year"]}
        yield node(fragment["id"], "fragment", f"Fragment {fragment['id']}", **place)
    for claim in graph["claims"]:
        rejected = NOW if claim["claim_adoption_status"] == "rejected" else None
        given = {"claim_kind": "fact", "task_id": claim["task_id"], "rejected_at": rejected}
        yield node(claim["id"], "claim", claim["claim_text"], **given)
    for memo in ("m1", "m2"):
        yield node(memo, "memo", f"Memo {memo}")
    yield from (edge(*given) for given in graph["edges"])


# --- what the views say of it ----------------------------------------------------------------------------------------


def page(task, key):
    """The columns with which views about pages begin."""
    row = next(p for p in PAGES if p["id"] == key)
    return (task, key, row["url"], row["title"], row["domain"], row["year"])


def claim(key):
    row = next(c for c in CLAIMS if c["id"] == key)
    return (row["task_id"], key, row["claim_text"])


def cites(a, b, hops):
    return (a, b, "openalex", 1, NOW) if hops == 1 else (a, b, None, hops, None)


EXPECTED = {
    "v_claim_evidence_summary": [
        (*claim("c6"), 2, 2, 0, 4, 2.0, 2.0, 1.0, 1.0, 3, 3, 0.5, 0.189, 0.5, True),
        (*claim("c7"), 4, 0, 0, 4, 2.3, 0.0, 0.7, 0.575, 3, 2, 0.767, 0.184, 0.0, False),
        (*claim("c1"), 2, 1, 0, 3, 1.7, 0.8, 0.9, 0.833, 3, 3, 0.6, 0.209, 0.32, True),
        (*claim("c3"), 0, 1, 1, 2, 0.0, 0.95, 0.95, 0.725, 1, 1, 0.339, 0.238, 0.0, False),
        (*claim("c8"), 1, 0, 1, 2, 0.5, 0.0, 0.5, 0.4, 1, 1, 0.6, 0.262, 0.0, False),
        (*claim("c9"), 2, 0, 0, 2, 1.4, 0.0, 0.8, 0.7, 1, 1, 0.706, 0.217, 0.0, False),
        (*claim("c2"), 1, 0, 0, 1, 0.9, 0.0, 0.9, 0.9, 1, 1, 0.655, 0.241, 0.0, False),
        (*claim("c4"), 0, 0, 0, 0, 0.0, 0.0, None, None, 0, 0, 0.5, 0.289, 0.0, False),
    ],
    "v_contradictions": [
        (*claim("c6"), 2, 2, 0, 4, "f1, f8", "f10, f5", 0.5),
        (*claim("c1"), 2, 1, 0, 3, "f1, f4", "f5", 0.32),
    ],
    "v_unsupported_claims": [
        (*claim("c4"), 0, 0, 0, 0.289),
        (*claim("c3"), 2, 1, 1, 0.238),
    ],
    "v_hub_pages": [
        (*page("t1", "p1"), 2, 2, 2),
        (*page("t2", "p1"), 2, 2, 2),
    ],
    "v_citation_flow": [
        *(cites(a, b, 1) for a, b in sorted(CITATIONS) if a != b),
        *(
            cites(*pair, 2)
            for pair in [("p3", "p1"), ("p4", "p2"), ("p4", "p3"), ("p7", "p1"), ("p8", "p1"), ("p8", "p7")]
        ),
        *(cites(*pair, 3) for pair in [("p7", "p2"), ("p7", "p3"), ("p8", "p2"), ("p8", "p3")]),
    ],
    "v_citation_clusters": [
        ("p1", "p1, p2, p3", 5, 3),
        ("p4", "p4, p7", 2, 2),
    ],
    "v_orphan_sources": [
        (*page("t2", "p5"), 1, 0),
        (*page(None, "p6"), 1, 0),
        (*page("t1", "p5"), 0, 0),
        (*page("t1", "p6"), 0, 0),
    ],
    "v_evidence_timeline": [
        ("t1", 2025, 4, 3, 2, 4, 0, 0, 0.8),
        ("t2", 2025, 3, 2, 1, 3, 0, 0, 0.767),
        (None, 2025, 1, 1, 1, 0, 0, 1, 0.3),
        ("t1", 2019, 1, 1, 1, 0, 1, 0, 0.95),
        (None, 2019, 1, 1, 1, 1, 0, 0, 0.5),
        ("t1", 2015, 1, 1, 1, 1, 0, 0, 0.8),
        ("t2", 2015, 1, 1, 1, 1, 0, 0, 1.0),
        ("t1", 2010, 1, 1, 1, 0, 1, 0, 0.8),
        ("t2", 2010, 2, 1, 1, 0, 2, 0, 1.0),
        ("t1", None, 1, 1, 1, 0, 0, 1, 0.5),
        ("t2", None, 2, 1, 1, 2, 0, 0, 0.5),
    ],
    "v_claim_temporal_support": [
        (*claim("c1"), 2015, 2025, 10, 2, 2, 0.667),
        (*claim("c6"), 2015, 2025, 10, 2, 2, 0.667),
        (*claim("c2"), 2025, 2025, 0, 1, 1, 1.0),
        (*claim("c7"), 2025, 2025, 0, 1, 2, 1.0),
        (*claim("c9"), 2025, 2025, 0, 1, 2, 1.0),
        (*claim("c8"), 2019, 2019, 0, 1, 1, 1.0),
    ],
    "v_emerging_consensus": [
        (*claim("c9"), 2, 1, 2, 0, 0, 0),
        (*claim("c2"), 1, 1, 1, 0, 0, 0),
    ],
    "v_outdated_evidence": [(*claim("c8"), 2019, 7, 1, None)],
    "v_source_authority": [
        (*page("t1", "p1"), 3.286, 2, 2, 2, 0.933),
        (*page("t2", "p1"), 3.286, 2, 2, 2, 0.933),
        (*page("t1", "p2"), 2.32, 1, 2, 2, 0.933),
        (*page("t1", "p3"), 1.613, 1, 1, 2, 0.467),
        (*page("t2", "p3"), 1.613, 1, 1, 2, 0.467),
        (*page(None, "p2"), 1.353, 0, 2, 2, 0.933),
        (*page("t1", "p4"), 0.931, 0, 2, 2, 0.33),
        (*page("t2", "p4"), 0.931, 0, 2, 2, 0.33),
        (*page(None, "p6"), 0.808, 1, 0, 0, 0.616),
        (*page("t2", "p5"), 0.75, 1, 0, 0, 0.5),
        (*page("t1", "p5"), 0.0, 0, 0, 0, 0.5),
        (*page("t1", "p6"), 0.0, 0, 0, 0, 0.616),
    ],
    "v_controversy_by_era": [
        ("t1", 2020, 0, 3, 0.0, 0.0, True),
        ("t2", 2020, 0, 2, 0.0, 0.0, True),
        ("t1", 2010, 1, 1, 0.5, 0.25, False),
        ("t2", 2010, 1, 0, 1.0, 0.333, False),
        (None, 2010, 0, 1, 0.0, 0.0, False),
    ],
    "v_citation_age_gap": [
        (2026, 2010, 16, 1),
        (2025, 2015, 10, 2),
        (2010, 2001, 9, 1),
        (2025, 2025, 0, 2),
        (2001, 2010, -9, 1),
        (2015, 2025, -10, 1),
        (2010, 2025, -15, 1),
    ],
    "v_evidence_freshness": [
        (*claim("c2"), 1.0, 2025, 1, True, False),
        (*claim("c7"), 1.0, 2025, 2, True, False),
        (*claim("c9"), 1.0, 2025, 2, True, False),
        (*claim("c3"), 7.0, 2019, 1, False, False),
        (*claim("c8"), 7.0, 2019, 1, False, False),
        (*claim("c1"), 9.333, 2025, 3, True, False),
        (*claim("c6"), 11.0, 2025, 4, True, False),
    ],
}

# Fragment, intermediate claim, derived claim, confidence, relations, claims: v_evidence_chain in no order.
CHAINS = [
    *((f, c, None, confidence, relation, c) for f, c, relation, confidence in EVIDENCE if c != "c5" and relation in ("supports", "refutes")),
    ("f1", "c1", "c2", 0.45, "supports, derives", "c1, c2"),
    ("f4", "c1", "c2", 0.4, "supports, derives", "c1, c2"),
    ("f5", "c1", "c2", 0.4, "refutes, derives", "c1, c2"),
    ("f1", "c1", "c4", 0.36, "supports, derives, supports", "c1, c2, c4"),
    ("f4", "c1", "c4", 0.32, "supports, derives, supports", "c1, c2, c4"),
    ("f5", "c1", "c4", 0.32, "refutes, derives, supports", "c1, c2, c4"),
    ("f1", "c1", "c3", 0.18, "supports, derives, supports, supports", "c1, c2, c4, c3"),
    ("f4", "c1", "c3", 0.16, "supports, derives, supports, supports", "c1, c2, c4, c3"),
    ("f5", "c1", "c3", 0.16, "refutes, derives, supports, supports", "c1, c2, c4, c3"),
    ("f3", "c2", "c4", 0.72, "supports, supports", "c2, c4"),
    ("f3", "c2", "c3", 0.36, "supports, supports, supports", "c2, c4, c3"),
    ("f3", "c2", "c1", 0.36, "supports, supports, supports, derives", "c2, c4, c3, c1"),
    ("f7", "c3", "c1", 0.95, "refutes, derives", "c3, c1"),
    ("f7", "c3", "c2", 0.475, "refutes, derives, derives", "c3, c1, c2"),
    ("f7", "c3", "c4", 0.38, "refutes, derives, derives, supports", "c3, c1, c2, c4"),
    ("f1", "c6", "c7", 0.5, "supports, supports", "c6, c7"),
    ("f8", "c6", "c7", 0.5, "supports, supports", "c6, c7"),
    ("f5", "c6", "c7", 0.5, "refutes, supports", "c6, c7"),
    ("f10", "c6", "c7", 0.5, "refutes, supports", "c6, c7"),
    ("f12", "c7", "c6", 0.16, "supports, refutes", "c7, c6"),
    ("f6", "c7", "c6", 0.24, "supports, refutes", "c7, c6"),
    ("f2", "c7", "c6", 0.24, "supports, refutes", "c7, c6"),
    ("f9", "c7", "c6", 0.28, "supports, refutes", "c7, c6"),
]  # fmt: skip

# Pages 1, 3, 4 and 5 belong to t2: only citations between them are left, and no way through page 2.
OF_T2 = {
    "v_citation_flow": [cites("p1", "p3", 1), cites("p4", "p1", 1), cites("p4", "p3", 2)],
    "v_citation_clusters": [],
    "v_citation_age_gap": [(2025, 2015, 10, 1), (2010, 2025, -15, 1)],
}

# --- the two databases -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def load(request, tmp_path_factory):
    """Opens memories of one database, each of an owner of its own, with a graph in them. It is always 2026."""
    if request.param == "sqlite":
        url = str(tmp_path_factory.mktemp("views") / "memory.db")
    else:
        url = request.getfixturevalue("postgres_database")()
    opened = []

    def make(graph):
        owner = f"owner{len(opened)}"
        memory = Memory.open(url, owner=owner, embedder="none", clock=lambda: datetime(2026, 6, 1, tzinfo=UTC))
        opened.append(memory)
        text = "\n".join(json.dumps(line) for line in lines(graph))
        assert memory.import_(io.BytesIO(text.encode())).edges_skipped == 0
        return memory

    make.dialect = request.param
    yield make
    for memory in opened:
        memory.close()


@pytest.fixture(scope="module")
def memory(load):
    return load(GRAPH)


def view(memory, name, task_id=None):
    """The columns and rows of a view."""
    found = memory.query_view(name, task_id=task_id, limit=200)
    assert found.ok, found.error
    assert not found.truncated
    return list(found.columns), list(found.rows)


def ask(memory, sql):
    found = memory.query_graph(sql, limit=200, timeout_ms=2000, max_vm_steps=50_000_000)
    assert found.ok, (found.error, sql)
    return list(found.columns), list(found.rows)


# --- tests -----------------------------------------------------------------------------------------------------------


def test_there_are_sixteen():
    assert len(VIEWS) == 16
    assert {*EXPECTED, "v_evidence_chain"} == set(VIEWS)
    assert set(all_rendered()) == set(all_rendered()) == set(VIEWS)


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_rows_are_as_worked_out_by_hand(memory, name):
    assert view(memory, name)[1] == EXPECTED[name]


def test_chains_are_as_worked_out_by_hand(memory):
    columns, rows = view(memory, "v_evidence_chain")
    found = [dict(zip(columns, row, strict=True)) for row in rows]
    keys = ("source_fragment_id", "intermediate_claim_id", "derived_claim_id", "chain_confidence", "relations", "claim_ids")  # fmt: skip
    assert sorted((tuple(row[key] for key in keys) for row in found), key=str) == sorted(CHAINS, key=str)
    assert [row["chain_confidence"] for row in found] == sorted((c[3] for c in CHAINS), reverse=True)
    _, known = ask(memory, "select id, source_id, target_id, relation, nli_edge_confidence from edges")
    edges = {row[0]: row[1:] for row in known}
    for row in found:
        claims = row["claim_ids"].split(", ")
        assert row["claim_hops"] == len(claims) - 1
        assert (row["task_id"], row["claim_text"]) == (claim(claims[0])[0], claim(claims[-1])[2])
        names = ("source_fragment_id", "intermediate_claim_id", "relation", "nli_edge_confidence")
        assert edges[row["edge_id"]] == tuple(row[name] for name in names)


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("task", ["t1", "t2", "nobodys"])
def test_a_task_sees_its_own_rows(memory, name, task):
    columns, rows = view(memory, name, task)
    if "task_id" in columns:
        assert rows == [row for row in view(memory, name)[1] if row[columns.index("task_id")] == task]
    elif task != "t1":
        assert rows == (OF_T2[name] if task == "t2" else [])


def test_a_cluster_of_a_task_has_its_pages_only(memory):
    assert view(memory, "v_citation_clusters", "t1")[1] == [("p1", "p1, p2, p3", 5, 3)]


@pytest.mark.parametrize("name", VIEWS)
def test_columns_are_as_the_header_says(memory, name):
    shape = SHAPES[name]
    assert shape.question.endswith("?")
    assert len(set(shape.columns)) == len(shape.columns)
    for task_id in (None, "t1"):
        assert view(memory, name, task_id)[0] == list(shape.columns)


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_can_be_selected_from_and_stand_in_a_query(memory, load, name):
    columns, rows = view(memory, name)
    assert ask(memory, f"select * from {name}") == (columns, rows)
    counted = ask(memory, f"with x as (select * from {name}) select count(*) from x")
    assert counted[1] == [(len(rows),)]
    for task_id in (None, "t1"):
        made = render(name, task_id=task_id)
        budget = Budget(rows=200, timeout_ms=2000, steps=50_000_000, answer_bytes=1_000_000)
        asked = Statement(f"with x as ({made.sql}) select * from x", budget, NOW, parameters=made.parameters, ours=True)
        answered = memory.view.store.reader.answer(memory.view.access, asked)
        assert sorted(map(str, plain(answered.rows))) == sorted(map(str, view(memory, name, task_id)[1]))


def plain(rows):
    """Rows with PostgreSQL's decimal numbers as Python's."""
    return [tuple(float(value) if type(value).__name__ == "Decimal" else value for value in row) for row in rows]


@pytest.mark.parametrize("name", VIEWS)
def test_a_task_is_bound_and_never_pasted(name):
    made = render(name, task_id="'; drop table claims --")
    assert ":task_id" in made.sql
    assert "drop" not in made.sql
    assert made.parameters == {"task_id": "'; drop table claims --"}
    assert "task_id = :" not in render(name).sql
    assert render(name).parameters == {}


def test_truth_is_a_boolean_where_there_are_some(memory, load):
    columns, rows = view(memory, "v_claim_evidence_summary")
    kind = bool if load.dialect == "postgres" else int
    assert {type(row[columns.index("is_controversial")]) for row in rows} == {kind}


def test_a_view_has_two_names_a_limit_and_no_others(memory):
    short = memory.query_view("evidence_chain", limit=3)
    assert (len(short.rows), short.truncated) == (3, True)
    assert short.rows == memory.query_view("v_evidence_chain", limit=200).rows[:3]
    assert not memory.query_view("v_outdated_evidence", limit=1).truncated, "there is only one"
    for wrong in ("v_nothing", "macros", "v_", "../views/v_hub_pages", "claims", "V_HUB_PAGES"):
        with pytest.raises(NotFound) as refused:
            memory.query_view(wrong)
        assert "v_hub_pages" in refused.value.hint
    for wrong in ({"limit": 0}, {"limit": 201}, {"limit": True}, {"task_id": "no id!"}, {"task_id": ""}):
        with pytest.raises(InvalidInput):
            memory.query_view("v_hub_pages", **wrong)
    with pytest.raises(InvalidInput):
        memory.query_view("")


@pytest.mark.parametrize(
    ("supports", "refutes", "expected"),
    [
        ([], [], (0.5, 0.289, 0.0, False)),
        ([0.9], [], (0.655, 0.241, 0.0, False)),
        ([0.9, 0.8], [0.8], (0.6, 0.209, 0.32, True)),
        ([1.0, 1.0], [1.0, 1.0], (0.5, 0.189, 0.5, True)),
        ([], [0.95], (0.339, 0.238, 0.0, False)),
        ([0.7], [0.3], (0.567, 0.248, 0.3, True)),  # the least that is controversial
        ([0.9, 0.0], [0.0], (0.655, 0.241, 0.0, False)),  # what has no weight changes nothing
    ],
)
def test_confidence_uncertainty_and_controversy(load, supports, refutes, expected):
    judgements = [("supports", c) for c in supports] + [("refutes", c) for c in refutes]
    edges = [(f"f{n}", "c1", relation, confidence) for n, (relation, confidence) in enumerate(judgements, start=1)]
    memory = load(GRAPH | {"claims": CLAIMS[:1], "edges": edges})
    columns, [row] = view(memory, "v_claim_evidence_summary")
    names = ("bayesian_confidence", "uncertainty", "controversy", "is_controversial")
    assert tuple(row[columns.index(name)] for name in names) == expected


def test_contradictions_name_the_surest_twenty_fragments_a_side(load):
    judgements = [("supports", n / 100) for n in range(1, 31)] + [("refutes", 0.5)]
    edges = [(f"f{n}", "c1", relation, confidence) for n, (relation, confidence) in enumerate(judgements, start=1)]
    fragments = [{"id": f"f{n}", "page_id": "p1"} for n in range(1, 32)]
    memory = load(GRAPH | {"claims": CLAIMS[:1], "fragments": fragments, "edges": edges})
    columns, [row] = view(memory, "v_contradictions")
    found = dict(zip(columns, row, strict=True))
    assert found["supporting_fragments"].split(", ") == [f"f{n}" for n in range(30, 10, -1)]
    assert (found["support_count"], found["refuting_fragments"]) == (30, "f31")


@pytest.mark.parametrize("shape", ["chain", "star", "clique"])
def test_large_clusters_stay_fast(load, shape):
    size = {"chain": 300, "star": 600, "clique": 40}[shape]
    ids = [f"p{n:04}" for n in range(size)]
    pairs = {
        "chain": list(itertools.pairwise(ids)),
        "star": [(leaf, ids[-1]) for leaf in ids[:-1]],
        "clique": list(itertools.combinations(ids, 2)),
    }[shape]
    both = [pair for a, b in pairs for pair in ((a, b), (b, a))]
    pages = [PAGES[0] | {"id": key, "url": f"https://a.org/{key}", "title": None} for key in ids]
    graph = {"pages": pages, "fragments": [], "claims": [], "edges": [(a, b, "cites", 1.0) for a, b in both]}
    [row] = view(load(graph), "v_citation_clusters")[1]
    assert row == ("p0000", ", ".join(ids[:50]), len(both), size)


def test_an_empty_graph_has_no_rows(load):
    memory = load({"pages": [], "fragments": [], "claims": [], "edges": []})
    assert [view(memory, name)[1] for name in VIEWS] == [[]] * 16
