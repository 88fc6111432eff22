"""Whether the views count right: three sets of judged claims, against a count of the same files by other code.

WHEREFROM_BENCH_DATA=… python -m bench.evidence [--sets scifact healthver climate_fever] [--databases sqlite postgres]

Each set becomes a task of one memory. Then all sixteen views, the summary of the task and what is stored are compared
with `bench/evidence_counts.py`, which reads the files itself and does not know Wherefrom; it says how repeated and
contradicting rows are treated. A difference, or a view that does not answer in time, makes the exit code 1. No set
tells years or citations: the views that need them must be empty, and the timeline has one row of unknown year.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any
from urllib.parse import quote

from bench import evidence_counts, stores
from bench.evidence_counts import NEUTRAL, REFUTES, SUPPORTS, Counts, Fragment
from bench.measure import keep
from wherefrom import Memory, NewClaim, NewEvidence, NewFragment, NewPage

BATCH = 200  # claims of a call
ROWS, TIMEOUT_MS, STEPS = 200, 2_000, 50_000_000
NAMED = 20  # v_contradictions names so many fragments a side
HALF = 0.0005 + 1e-9  # figures are rounded to three decimals
RELATION = {
    "SUPPORT": "supports",
    "CONTRADICT": "refutes",
    "Supports": "supports",
    "Refutes": "refutes",
    "Neutral": "neutral",
    "SUPPORTS": "supports",
    "REFUTES": "refutes",
    "NOT_ENOUGH_INFO": "neutral",
}
EMPTY = (
    "v_citation_flow",
    "v_citation_clusters",
    "v_citation_age_gap",
    "v_claim_temporal_support",
    "v_emerging_consensus",
    "v_outdated_evidence",
    "v_controversy_by_era",
    "v_evidence_freshness",
)


@dataclass
class Source:
    """A page to add: its fragments by position, and what they say (position, claim, relation, confidence)."""

    url: str
    title: str | None = None
    fragments: dict[int, str] = field(default_factory=dict)
    says: list[tuple[int, str, str, float]] = field(default_factory=list)


@dataclass
class Research:
    """A task to import: its question, the claims as they come, and the sources by name."""

    question: str
    claims: list[str] = field(default_factory=list)
    sources: dict[str, Source] = field(default_factory=dict)


@dataclass
class Stored:
    """What the answers said of what was imported: a task, and the ids of claims, pages and fragments."""

    task_id: str
    claims: dict[str, str] = field(default_factory=dict)
    pages: dict[str, str] = field(default_factory=dict)
    fragments: dict[str, Fragment] = field(default_factory=dict)
    claims_given: int = 0
    calls: int = 0
    redacted: int = 0
    claims_s: float = 0.0
    pages_s: float = 0.0


@dataclass
class Comparison:
    """How many figures were compared, and which of them differ."""

    made: int = 0
    differences: list[str] = field(default_factory=list)
    unanswered: list[str] = field(default_factory=list)

    def same(self, what: str, found: object, wanted: object) -> None:
        self.made += 1
        if found != wanted:
            self.differences.append(f"{what}: {found!r}, not {wanted!r}")

    def near(self, what: str, found: float | None, wanted: float | Fraction | None) -> None:
        """For figures that are shown with three decimals."""
        self.made += 1
        if found is None or wanted is None:
            agree = found is None and wanted is None
        else:
            agree = abs(found - float(wanted)) <= HALF
        if not agree:
            self.differences.append(f"{what}: {found!r}, not {wanted!r}")


class Unanswered(Exception):
    """A view or a query over one did not answer within the largest budget that there is."""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=os.environ.get("WHEREFROM_BENCH_DATA"))
    options.add_argument("--sets", nargs="+", choices=sorted(SETS), default=list(SETS))
    options.add_argument("--databases", nargs="+", choices=["sqlite", "postgres"], default=["sqlite", "postgres"])
    options.add_argument("--embedder", help="of the memory; the default one if not given")
    options.add_argument("--into", help="only import, into this database, which is kept")
    given = options.parse_args()
    if given.data is None:
        options.error("say where the data is: --data or WHEREFROM_BENCH_DATA")
    data = Path(given.data)
    if given.into:
        with Memory.open(given.into, embedder=given.embedder) as memory:
            for name in given.sets:
                print(name, fill(memory, SETS[name](data)).task_id)
        return
    result: dict[str, Any] = {"embedder": given.embedder or "default"}
    counted = {name: evidence_counts.SETS[name](data) for name in given.sets}
    result |= {name: {"counts": counts.summary()} for name, counts in counted.items()}
    differences = 0
    for database in given.databases:
        with getattr(stores, database)() as url, Memory.open(url, embedder=given.embedder) as memory:
            stored = {name: fill(memory, SETS[name](data)) for name in given.sets}
            for name, counts in counted.items():
                row = result[name][database] = outcome(memory, stored[name], counts)
                differences += row["different"] + len(row["unanswered"])
                print(database, name, json.dumps(row), flush=True)
    keep("evidence", result)
    sys.exit(1 if differences else 0)


def outcome(memory: Memory, stored: Stored, counts: Counts) -> dict[str, Any]:
    """How long the import took, and what the comparison says."""
    comparison = Comparison()
    begun = time.perf_counter()
    for compare in COMPARED:
        try:
            compare(memory, stored, counts, comparison)
        except Unanswered as failed:
            comparison.unanswered.append(str(failed))
    return {
        "import_s": round(stored.claims_s + stored.pages_s, 2),
        "calls": stored.calls,
        "claims_given": stored.claims_given,
        "claims_per_s": round(stored.claims_given / stored.claims_s),
        "fragments_per_s": round(len(counts.texts) / stored.pages_s),
        "redacted": stored.redacted,
        "compared": comparison.made,
        "different": len(comparison.differences),
        "unanswered": comparison.unanswered,
        "compare_s": round(time.perf_counter() - begun, 2),
        **({"differences": comparison.differences[:20]} if comparison.differences else {}),
    }


def fill(memory: Memory, research: Research) -> Stored:
    """Import a task: its claims, then source by source what is said about them; then it is completed."""
    stored = Stored(memory.create_task(research.question).id, claims_given=len(research.claims))
    begun = time.perf_counter()
    for texts in _batches(research.claims):
        added = memory.add_evidence(claims=[NewClaim(text) for text in texts], task_id=stored.task_id)
        stored.claims |= {text: claim.id for text, claim in zip(texts, added.claims, strict=True)}
        stored.calls += 1
        stored.redacted += sum(added.redacted.values())
    between = time.perf_counter()
    for name, source in research.sources.items():
        _add(memory, stored, name, source)
    memory.update_task(stored.task_id, status="completed")
    stored.claims_s, stored.pages_s = between - begun, time.perf_counter() - between
    return stored


def _add(memory: Memory, stored: Stored, name: str, source: Source) -> None:
    """Add a source with what it says, in several calls if it speaks of many claims."""
    places = {position: at for at, position in enumerate(source.fragments)}
    said: dict[str, list[tuple[int, str, float]]] = {}
    for position, claim, relation, confidence in source.says:
        said.setdefault(claim, []).append((places[position], relation, confidence))
    ids: list[str] = []
    for claims in _batches(list(said)) or [[]]:
        added = memory.add_evidence(
            NewPage(source.url, title=source.title),
            fragments=[] if ids else [NewFragment(text, position=at) for at, text in source.fragments.items()],
            claims=[
                NewClaim(
                    claim_id=stored.claims[claim],
                    evidence=[
                        NewEvidence(relation, fragment=ids[at] if ids else at, confidence=confidence)
                        for at, relation, confidence in said[claim]
                    ],
                )
                for claim in claims
            ],
            task_id=stored.task_id,
            judge="gold",
        )
        ids = ids or [each.id for each in added.fragments]
        stored.calls += 1
        stored.redacted += sum(added.redacted.values())
    stored.pages[name] = added.page.id
    stored.fragments |= {each: (name, position) for each, position in zip(ids, source.fragments, strict=True)}


def _batches(items: Sequence[str]) -> list[Sequence[str]]:
    return [items[at : at + BATCH] for at in range(0, len(items), BATCH)]


def scifact(data: Path) -> Research:
    """Abstracts sentence by sentence; a document's number is its number at Semantic Scholar."""
    folder = data / "scifact"
    found = Research("Which of the claims of SciFact does the literature support?")
    claims = [row for part in ("train", "dev") for row in _rows(folder / f"claims_{part}.jsonl")]
    wanted = {str(number) for row in claims for number in row["cited_doc_ids"]}
    wanted |= {number for row in claims for number in row["evidence"]}
    for row in _rows(folder / "corpus.jsonl"):
        if row["_id"] in wanted:
            url = f"https://api.semanticscholar.org/CorpusID:{row['_id']}"
            found.sources[row["_id"]] = Source(url, row["title"][:300] or None, dict(enumerate(row["abstract"])))
    for row in claims:
        found.claims.append(row["claim"])
        for number, groups in row["evidence"].items():
            for group in groups:
                relation = RELATION[group["label"]]
                found.sources[number].says += [(at, row["claim"], relation, 1.0) for at in group["sentences"]]
    return found


def healthver(data: Path) -> Research:
    """Excerpts of unknown papers: each is a page of its own, named after the first row that has it."""
    found = Research("Which of the claims about COVID-19 of HealthVer does the literature support?")
    names: dict[str, str] = {}
    for part in ("dev", "test"):
        with (data / f"healthver/healthver_{part}.csv").open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                found.claims.append(row["claim"])
                name = names.setdefault(row["evidence"], row["id"])
                source = found.sources.setdefault(name, Source(f"urn:healthver:{name}"))
                source.fragments[0] = row["evidence"]
                source.says.append((0, row["claim"], RELATION[row["label"]], 1.0))
    return found


def climate_fever(data: Path) -> Research:
    """Sentences of Wikipedia; how sure a judgement is, is the share of the votes for it."""
    found = Research("Which of the claims about the climate of Climate-FEVER does Wikipedia support?")
    for row in _rows(data / "climate_fever/climate-fever.jsonl"):
        found.claims.append(row["claim"])
        for each in row["evidences"]:
            title, label = each["article"], each["evidence_label"]
            url = f"https://en.wikipedia.org/wiki/{quote(title.replace(' ', '_'))}"
            source = found.sources.setdefault(title, Source(url, title))
            position = int(each["evidence_id"].rsplit(":", 1)[1])
            source.fragments[position] = each["evidence"]
            votes = [vote for vote in each["votes"] if vote]
            share = sum(vote == label for vote in votes) / len(votes)
            source.says.append((position, row["claim"], RELATION[label], share))
    return found


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def stored_as_given(memory: Memory, stored: Stored, counts: Counts, comparison: Comparison) -> None:
    """Each claim, page and fragment is there once, with its text."""
    same = comparison.same
    same("claims imported", set(stored.claims), set(counts.claims))
    same("pages imported", set(stored.pages), counts.pages)
    same("fragments imported", sorted(stored.fragments.values()), sorted(counts.texts))
    same("distinct claims", len(set(stored.claims.values())), len(counts.claims))
    claims = {row["id"]: row["claim_text"] for row in _all(memory, "claims", "id", stored.task_id)}
    for text, claim_id in stored.claims.items():
        same(f"claim {claim_id}", claims.pop(claim_id, None), text)
    same("other claims", claims, {})
    fragments = {row["id"]: row for row in _all(memory, "fragments", "id")}
    for fragment_id, fragment in stored.fragments.items():
        row = fragments[fragment_id]
        found = row["text_content"], row["position"], row["page_id"]
        same(f"fragment {fragment}", found, (counts.texts[fragment], fragment[1], stored.pages[fragment[0]]))
    on_pages = sum(row["page_id"] in set(stored.pages.values()) for row in fragments.values())
    same("fragments of its pages", on_pages, len(counts.texts))


def claim_figures(memory: Memory, stored: Stored, counts: Counts, comparison: Comparison) -> None:
    """v_claim_evidence_summary: every figure of every claim."""
    rows = {row["claim_id"]: row for row in _all(memory, "v_claim_evidence_summary", "claim_id", stored.task_id)}
    comparison.same("claims of the summary", set(rows), set(stored.claims.values()))
    for text, claim in counts.claims.items():
        row = rows.get(stored.claims[text])
        if row is None:
            continue  # noted above
        sure = claim.confidences
        exact = {
            "claim_text": text,
            "support_count": claim.count(SUPPORTS),
            "refute_count": claim.count(REFUTES),
            "neutral_count": claim.count(NEUTRAL),
            "evidence_count": len(claim.judged),
            "independent_sources": len(claim.sources),
            "independent_domains": int(bool(claim.sources and counts.domain)),
            "is_controversial": round(claim.controversy, 3) >= Fraction(3, 10),
        }
        rounded = {
            "support_weight": claim.weight(SUPPORTS),
            "refute_weight": claim.weight(REFUTES),
            "max_nli_edge_confidence": max(sure, default=None),
            "avg_nli_edge_confidence": sum(sure) / len(sure) if sure else None,
            "bayesian_confidence": claim.confidence,
            "uncertainty": claim.uncertainty,
            "controversy": claim.controversy,
        }
        for name, value in exact.items():
            comparison.same(f"{name} of {text!r}", row[name], value)
        for name, value in rounded.items():
            comparison.near(f"{name} of {text!r}", row[name], value)
    _as_view(memory, "v_claim_evidence_summary", rows, "claim_id", stored, comparison)


def contradictions(memory: Memory, stored: Stored, counts: Counts, comparison: Comparison) -> None:
    """v_contradictions: exactly the claims with both labels, with the fragments of both sides."""
    rows = {row["claim_id"]: row for row in _all(memory, "v_contradictions", "claim_id", stored.task_id)}
    wanted = {text: claim for text, claim in counts.claims.items() if claim.is_contradicted}
    comparison.same("contradicted claims", set(rows), {stored.claims[text] for text in wanted})
    if counts.disputed is not None:
        disputed = {stored.claims[text] for text in counts.disputed}
        comparison.same("claims that the authors call disputed", set(rows), disputed)
    for text, claim in wanted.items():
        row = rows.get(stored.claims[text])
        if row is None:
            continue  # noted above
        for name, relation in (("support", SUPPORTS), ("refute", REFUTES), ("neutral", NEUTRAL)):
            comparison.same(f"{name}_count of {text!r}", row[f"{name}_count"], claim.count(relation))
        comparison.same(f"evidence_count of {text!r}", row["evidence_count"], len(claim.judged))
        comparison.near(f"controversy_score of {text!r}", row["controversy_score"], claim.controversy)
        for name, relation in (("supporting", SUPPORTS), ("refuting", REFUTES)):
            named = [stored.fragments[each] for each in row[f"{name}_fragments"].split(", ")]
            there = claim.by(relation)
            comparison.same(f"{name} of {text!r}", len(set(named)), min(len(there), NAMED))
            comparison.same(f"{name} fragments of {text!r}", set(named) - there, set())
    _as_view(memory, "v_contradictions", rows, "claim_id", stored, comparison)


def unsupported(memory: Memory, stored: Stored, counts: Counts, comparison: Comparison) -> None:
    """v_unsupported_claims: exactly the claims that nothing supports."""
    rows = {row["claim_id"]: row for row in _all(memory, "v_unsupported_claims", "claim_id", stored.task_id)}
    wanted = {text: claim for text, claim in counts.claims.items() if not claim.by(SUPPORTS)}
    comparison.same("unsupported claims", set(rows), {stored.claims[text] for text in wanted})
    for text, claim in wanted.items():
        row = rows.get(stored.claims[text])
        if row is None:
            continue  # noted above
        comparison.same(f"evidence_count of {text!r}", row["evidence_count"], len(claim.judged))
        comparison.same(f"refute_count of {text!r}", row["refute_count"], claim.count(REFUTES))
        comparison.same(f"neutral_count of {text!r}", row["neutral_count"], claim.count(NEUTRAL))
        comparison.near(f"uncertainty of {text!r}", row["uncertainty"], claim.uncertainty)
    _as_view(memory, "v_unsupported_claims", rows, "claim_id", stored, comparison)


def sources(memory: Memory, stored: Stored, counts: Counts, comparison: Comparison) -> None:
    """v_hub_pages, v_orphan_sources and v_source_authority: how many claims each page supports."""
    supported = counts.supported_by_page()
    hubs = {page: claims for page, claims in supported.items() if claims >= 2}
    for view, wanted in (("v_hub_pages", hubs), ("v_orphan_sources", supported), ("v_source_authority", supported)):
        rows = {row["page_id"]: row for row in _all(memory, view, "page_id", stored.task_id)}
        comparison.same(f"pages of {view}", set(rows), {stored.pages[page] for page in wanted})
        for page, claims in wanted.items():
            row = rows.get(stored.pages[page])
            if row is None:
                continue  # noted above
            comparison.same(f"claims_supported by {page!r}", row["claims_supported"], claims)
            comparison.same(f"domain of {page!r}", row["domain"], counts.domain)
            comparison.same(f"year of {page!r}", row["year"], None)
            comparison.same(f"citations of {page!r}", row["citation_count"], 0)
            if view == "v_source_authority":  # without years, recency is 0.5
                comparison.near(f"authority of {page!r}", row["authority_score"], 0.75 * claims)
        _as_view(memory, view, rows, "page_id", stored, comparison)


def task(memory: Memory, stored: Stored, counts: Counts, comparison: Comparison) -> None:
    """The summary of the completed task, the timeline, the chains, and the views that need a year or a citation."""
    (state,) = memory.status(stored.task_id).tasks
    figures = {
        "fragments": len(counts.evidence_fragments),
        "pages": len(counts.evidence_pages),
        **{relation: counts.judgements(relation) for relation in (SUPPORTS, REFUTES, NEUTRAL)},
    }
    summary = state.evidence_summary
    assert summary is not None
    domains = () if counts.domain is None else (counts.domain,)
    for name, value in {
        "total_claims": len(counts.claims),
        "total_fragments": figures["fragments"],
        "total_pages": figures["pages"],
        "supporting_edges": figures[SUPPORTS],
        "refuting_edges": figures[REFUTES],
        "neutral_edges": figures[NEUTRAL],
        "top_domains": domains,
    }.items():
        comparison.same(name, getattr(summary, name), value)
    (year,) = _view(memory, "v_evidence_timeline", stored)
    for name, value in {
        "year": None,
        "fragment_count": figures["fragments"],
        "claim_count": sum(bool(claim.judged) for claim in counts.claims.values()),
        "page_count": figures["pages"],
        "support_count": figures[SUPPORTS],
        "refute_count": figures[REFUTES],
        "neutral_count": figures[NEUTRAL],
    }.items():
        comparison.same(f"{name} of the timeline", year[name], value)
    sure = counts.confidences
    comparison.near("avg_confidence of the timeline", year["avg_confidence"], sum(sure) / len(sure))
    chains = {
        (stored.fragments[row["source_fragment_id"]], row["intermediate_claim_id"], row["relation"])
        for row in _all(memory, "v_evidence_chain", "edge_id", stored.task_id)
    }
    wanted = {
        (fragment, stored.claims[text], relation)
        for text, claim in counts.claims.items()
        for fragment, (relation, _) in claim.judged.items()
        if relation != NEUTRAL
    }
    comparison.same("chains", len(chains), len(wanted))
    comparison.same("other chains", chains ^ wanted, set())
    for view in EMPTY:
        comparison.same(f"rows of {view}", len(_view(memory, view, stored)), 0)


def _as_view(
    memory: Memory, view: str, rows: dict[str, dict[str, Any]], key: str, stored: Stored, comparison: Comparison
) -> None:
    """The view itself says the same of a task as a query over it."""
    shown = _view(memory, view, stored)
    comparison.same(f"rows of {view}", len(shown), min(len(rows), ROWS))
    for row in shown:
        comparison.same(f"{view} and a query over it", row, rows.get(row[key]))


def _view(memory: Memory, view: str, stored: Stored) -> list[dict[str, Any]]:
    answer = memory.query_view(view, task_id=stored.task_id, limit=ROWS)
    if not answer.ok:
        raise Unanswered(f"{view} of a task: {answer.error}")
    return [dict(zip(answer.columns, row, strict=True)) for row in answer.rows]


def _all(memory: Memory, table: str, key: str, task_id: str | None = None) -> Iterator[dict[str, Any]]:
    """All rows of a table or view, of a task if one is given, page by page."""
    last: object = None
    while True:
        where = [f"task_id = '{task_id}'"] if task_id else []
        where += [f"{key} > {last!r}"] if last is not None else []
        condition = f"where {' and '.join(where)}" if where else ""
        answer = memory.query_graph(
            f"select * from {table} {condition} order by {key}", limit=ROWS, timeout_ms=TIMEOUT_MS, max_vm_steps=STEPS
        )
        if not answer.ok:
            raise Unanswered(f"a query over {table}: {answer.error}")
        for row in answer.rows:
            yield dict(zip(answer.columns, row, strict=True))
        if not answer.truncated:
            return
        last = answer.rows[-1][answer.columns.index(key)]


COMPARED: tuple[Callable[[Memory, Stored, Counts, Comparison], None], ...] = (
    stored_as_given,
    claim_figures,
    contradictions,
    unsupported,
    sources,
    task,
)
SETS = {"scifact": scifact, "healthver": healthver, "climate_fever": climate_fever}

if __name__ == "__main__":
    main()
