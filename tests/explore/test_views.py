"""The 16 views on one small graph, with rows worked out by hand, on both databases."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import apsw
import jinja2
import psycopg
import pytest

import recollect.explore

FOLDER = Path(recollect.explore.__file__).parent / "views"
VIEWS = sorted(file.name.removesuffix(".sql.j2") for file in FOLDER.glob("v_*.sql.j2"))
TEMPLATES = jinja2.Environment(
    loader=jinja2.FileSystemLoader(FOLDER), trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
)
THIS_YEAR = 2026

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
    {"id": key, "page_id": page_id, "heading_context": None}
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


def edge(source_type, source, target_type, target, relation, confidence):
    judged = relation in ("supports", "refutes", "neutral")
    return {
        "source_type": source_type,
        "source_id": source,
        "target_type": target_type,
        "target_id": target,
        "relation": relation,
        "nli_edge_confidence": confidence if judged else None,
        "confidence": confidence,
        "judge": "nli" if judged else None,
        "citation_source": "openalex" if relation == "cites" else None,
        "created_at": "2026-01-01T00:00:00.000000Z",
    }


EDGES = [
    {"id": number, **row}
    for number, row in enumerate(
        [edge("fragment", f, "claim", c, relation, confidence) for f, c, relation, confidence in EVIDENCE]
        + [edge("claim", a, "claim", b, relation, confidence) for a, b, relation, confidence in INFERENCES]
        + [edge("page", a, "page", b, "cites", 1.0) for a, b in CITATIONS]
        + [edge("memo", "m1", "memo", "m2", "cites", 1.0)],
        start=1,
    )
]

TABLES = {
    "pages": "id text primary key, url text, domain text, title text, year integer",
    "fragments": "id text primary key, page_id text, heading_context text",
    "claims": "id text primary key, task_id text, claim_text text, claim_adoption_status text",
    "edges": "id integer primary key, source_type text, source_id text, target_type text, target_id text, relation text,"
    " nli_edge_confidence double precision, confidence double precision, judge text, citation_source text,"
    " created_at text",
    "clock": "this_year integer",
}
EVIDENCE_VIEW = """
    create view evidence as
    select e.id as edge_id, e.relation, e.nli_edge_confidence, e.judge, e.source_id as fragment_id,
        e.target_id as claim_id, c.task_id, c.claim_text, p.id as page_id, p.domain, p.year
    from edges e
    join claims c on c.id = e.target_id
    left join fragments f on f.id = e.source_id
    left join pages p on p.id = f.page_id
    where e.source_type = 'fragment' and e.target_type = 'claim' and e.relation in ('supports', 'refutes', 'neutral')
        and c.claim_adoption_status = 'adopted'
"""


def load(execute, graph):
    """Makes the tables of the contract; `execute` takes SQL and named values."""
    for table, columns in TABLES.items():
        execute(f"create table {table} ({columns})", {})
        for row in graph[table]:
            names = list(row)
            execute(f"insert into {table} ({', '.join(names)}) values ({', '.join(':' + n for n in names)})", row)
    execute(EVIDENCE_VIEW, {})


GRAPH = {"pages": PAGES, "fragments": FRAGMENTS, "claims": CLAIMS, "edges": EDGES, "clock": [{"this_year": THIS_YEAR}]}

# --- what the views say of it ----------------------------------------------------------------------------------------


def page(task, key):
    """The columns with which views about pages begin."""
    row = next(p for p in PAGES if p["id"] == key)
    return (task, key, row["url"], row["title"], row["domain"], row["year"])


def claim(key):
    row = next(c for c in CLAIMS if c["id"] == key)
    return (row["task_id"], key, row["claim_text"])


def cites(a, b, hops):
    return (a, b, "openalex", 1, "2026-01-01T00:00:00.000000Z") if hops == 1 else (a, b, None, hops, None)


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


def plain(row):
    return tuple(float(value) if isinstance(value, Decimal) else value for value in row)


class Database:
    """One of the two, with one way to ask: SQL with :names in, columns and plain rows out."""

    def __init__(self, dialect, connection):
        self.dialect, self.connection = dialect, connection

    def ask(self, sql, values=None):
        values = values or {}
        if self.dialect == "sqlite":
            cursor = self.connection.cursor()
            columns = []
            cursor.exec_trace = lambda c, *_: not columns.extend(d[0] for d in c.get_description())
            rows = cursor.execute(sql, values).fetchall()
        else:
            for name in values:
                sql = sql.replace(f":{name}", f"%({name})s")
            cursor = self.connection.execute(sql, values or None)
            columns = [d.name for d in cursor.description or ()]
            rows = cursor.fetchall() if cursor.description else []
        return columns, [plain(row) for row in rows]

    def view(self, name, task_id=None):
        return self.ask(render(name, self.dialect, task_id), {"task_id": task_id} if task_id else {})


def render(name, dialect, task_id=None):
    return TEMPLATES.get_template(f"{name}.sql.j2").render(dialect=dialect, task_id=task_id)


def header(name):
    """The question and the columns that a view's comments promise."""
    lines = (FOLDER / f"{name}.sql.j2").read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("-- question: ")
    assert lines[1].startswith("-- columns: ")
    columns = lines[1].removeprefix("-- columns: ")
    for line in lines[2:]:
        if not line.startswith("--   "):
            break
        columns += " " + line.removeprefix("--   ")
    return lines[0].removeprefix("-- question: "), [column.strip() for column in columns.split(",")]


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def open_database(request):
    """Makes databases of one dialect with a graph in them."""
    opened = []

    def make(graph):
        if request.param == "sqlite":
            connection = apsw.Connection(":memory:")
        else:
            url = request.getfixturevalue("postgres_database")()
            connection = psycopg.connect(url, autocommit=True)
        opened.append(connection)
        database = Database(request.param, connection)
        load(database.ask, graph)
        return database

    yield make
    for connection in opened:
        connection.close()


@pytest.fixture(scope="module")
def database(open_database):
    return open_database(GRAPH)


# --- tests -----------------------------------------------------------------------------------------------------------


def test_there_are_sixteen():
    assert len(VIEWS) == 16
    assert {*EXPECTED, "v_evidence_chain"} == set(VIEWS)


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_rows_are_as_worked_out_by_hand(database, name):
    assert database.view(name)[1] == EXPECTED[name]


def test_chains_are_as_worked_out_by_hand(database):
    columns, rows = database.view("v_evidence_chain")
    found = [dict(zip(columns, row, strict=True)) for row in rows]
    keys = ("source_fragment_id", "intermediate_claim_id", "derived_claim_id", "chain_confidence", "relations", "claim_ids")  # fmt: skip
    assert sorted((tuple(row[key] for key in keys) for row in found), key=str) == sorted(CHAINS, key=str)
    assert [row["chain_confidence"] for row in found] == sorted((c[3] for c in CHAINS), reverse=True)
    for row in found:
        claims = row["claim_ids"].split(", ")
        assert row["claim_hops"] == len(claims) - 1
        assert (row["task_id"], row["claim_text"]) == (claim(claims[0])[0], claim(claims[-1])[2])
        source, target, relation, confidence = EVIDENCE[row["edge_id"] - 1]
        assert (source, target) == (row["source_fragment_id"], row["intermediate_claim_id"])
        assert (relation, confidence) == (row["relation"], row["nli_edge_confidence"])


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("task", ["t1", "t2", "nobody's"])
def test_a_task_sees_its_own_rows(database, name, task):
    columns, rows = database.view(name, task)
    if "task_id" in columns:
        assert rows == [row for row in database.view(name)[1] if row[columns.index("task_id")] == task]
    elif task != "t1":
        assert rows == (OF_T2[name] if task == "t2" else [])


def test_a_cluster_of_a_task_has_its_pages_only(database):
    assert database.view("v_citation_clusters", "t1")[1] == [("p1", "p1, p2, p3", 5, 3)]


@pytest.mark.parametrize("name", VIEWS)
def test_columns_are_as_the_header_says(database, name):
    question, columns = header(name)
    assert question.endswith("?")
    assert database.view(name)[0] == columns
    assert database.view(name, "t1")[0] == columns


@pytest.mark.parametrize("name", VIEWS)
def test_works_as_a_table_of_a_query_and_as_a_view(database, name):
    rows = sorted(database.view(name)[1], key=str)
    assert sorted(database.ask(f"with x as ({render(name, database.dialect)}) select * from x")[1], key=str) == rows
    task = database.ask(f"with x as ({render(name, database.dialect, 't1')}) select * from x", {"task_id": "t1"})[1]
    assert sorted(task, key=str) == sorted(database.view(name, "t1")[1], key=str)
    database.ask(f"create view {name} as {render(name, database.dialect)}")
    assert sorted(database.ask(f"select * from {name}")[1], key=str) == rows
    database.ask(f"drop view {name}")


@pytest.mark.parametrize("name", VIEWS)
def test_a_task_is_bound_and_never_pasted(name):
    text = render(name, "sqlite", "'; drop table claims --")
    assert ":task_id" in text
    assert "drop" not in text
    assert "task_id = :" not in render(name, "sqlite")


def test_truth_is_a_boolean_where_there_are_some(database):
    columns, rows = database.view("v_claim_evidence_summary")
    kind = bool if database.dialect == "postgres" else int
    assert {type(row[columns.index("is_controversial")]) for row in rows} == {kind}


@pytest.mark.parametrize(
    ("supports", "refutes", "expected"),
    [
        ([], [], (0.5, 0.289, 0.0, False)),
        ([0.9], [], (0.655, 0.241, 0.0, False)),
        ([0.9, 0.8], [0.8], (0.6, 0.209, 0.32, True)),
        ([1.0, 1.0], [1.0, 1.0], (0.5, 0.189, 0.5, True)),
        ([], [0.95], (0.339, 0.238, 0.0, False)),
        ([0.7], [0.3], (0.567, 0.248, 0.3, True)),  # the least that is controversial
        ([0.9, None, 0.0], [None], (0.655, 0.241, 0.0, False)),  # what has no weight changes nothing
    ],
)
def test_confidence_uncertainty_and_controversy(open_database, supports, refutes, expected):
    judgements = [("supports", c) for c in supports] + [("refutes", c) for c in refutes]
    edges = [
        {"id": n, **edge("fragment", f"f{n}", "claim", "c1", relation, confidence)}
        for n, (relation, confidence) in enumerate(judgements)
    ]
    columns, [row] = open_database(GRAPH | {"claims": CLAIMS[:1], "edges": edges}).view("v_claim_evidence_summary")
    names = ("bayesian_confidence", "uncertainty", "controversy", "is_controversial")
    assert tuple(row[columns.index(name)] for name in names) == expected


def test_contradictions_name_the_surest_twenty_fragments_a_side(open_database):
    judgements = [("supports", n / 100) for n in range(1, 31)] + [("refutes", 0.5)]
    edges = [
        {"id": n, **edge("fragment", f"f{n}", "claim", "c1", relation, confidence)}
        for n, (relation, confidence) in enumerate(judgements, start=1)
    ]
    columns, [row] = open_database(GRAPH | {"claims": CLAIMS[:1], "edges": edges}).view("v_contradictions")
    found = dict(zip(columns, row, strict=True))
    assert found["supporting_fragments"].split(", ") == [f"f{n}" for n in range(30, 10, -1)]
    assert (found["support_count"], found["refuting_fragments"]) == (30, "f31")


@pytest.mark.parametrize("shape", ["chain", "star", "clique"])
def test_large_clusters_stay_fast(open_database, shape):
    size = {"chain": 300, "star": 1000, "clique": 60}[shape]
    ids = [f"p{n:04}" for n in range(size)]
    pairs = {
        "chain": list(pairwise(ids)),
        "star": [(leaf, ids[-1]) for leaf in ids[:-1]],
        "clique": [(a, b) for a in ids for b in ids if a < b],
    }[shape]
    both = [pair for a, b in pairs for pair in ((a, b), (b, a))]
    edges = [{"id": n, **edge("page", a, "page", b, "cites", 1.0)} for n, (a, b) in enumerate(both)]
    [row] = open_database(GRAPH | {"edges": edges}).view("v_citation_clusters")[1]
    assert row == ("p0000", ", ".join(ids[:50]), len(both), size)


def test_an_empty_graph_has_no_rows(open_database):
    database = open_database({table: [] for table in TABLES} | {"clock": GRAPH["clock"]})
    assert [database.view(name)[1] for name in VIEWS] == [[]] * 16
