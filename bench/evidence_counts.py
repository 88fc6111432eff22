"""What three sets of judged claims hold, counted from their files alone: a second opinion on what Wherefrom says.

WHEREFROM_BENCH_DATA=… python -m bench.evidence_counts

Knows nothing of Wherefrom. How the files are read:

- A claim is its text: the same text twice, not one character differing, is one claim.
- A fragment is a text at its place on a page. SciFact: a sentence, by its number, of an abstract that a claim names;
  the page is the abstract. HealthVer names no source: each text of evidence is a page of its own, called after the
  first row that has it. Climate-FEVER: a sentence, by its number, of an article of Wikipedia.
- What a fragment says about a claim is one judgement: of several the last in the file holds, train before dev before
  test. `repeated` says how many came again, `changed` how many of these with another label or confidence.
- SUPPORT and SUPPORTS support, CONTRADICT and REFUTES refute, Neutral and NOT_ENOUGH_INFO are neutral. SciFact has no
  neutral sentences. The confidence is 1; Climate-FEVER: the share of the votes that were cast for the label (0 for a
  label that is a compromise of others).
- No file tells years, nor who cites whom.

Sums are exact fractions. The formulas: a = 1 + sum of the confidences of what supports, b = 1 + that of what refutes;
confidence a / (a + b), uncertainty √(ab / ((a + b)² (a + b + 1))), controversy min(a - 1, b - 1) / (a + b - 2) or 0.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

SUPPORTS, REFUTES, NEUTRAL = "supports", "refutes", "neutral"
LABELS = {
    "SUPPORT": SUPPORTS,
    "CONTRADICT": REFUTES,
    "Supports": SUPPORTS,
    "Refutes": REFUTES,
    "Neutral": NEUTRAL,
    "SUPPORTS": SUPPORTS,
    "REFUTES": REFUTES,
    "NOT_ENOUGH_INFO": NEUTRAL,
}

Fragment = tuple[str, int]  # the name of its page, and its place there
Label = tuple[str, Fraction]  # the relation, and how sure it is


@dataclass
class Claim:
    """What is said about a claim, by which fragments."""

    judged: dict[Fragment, Label] = field(default_factory=dict)

    def by(self, relation: str) -> set[Fragment]:
        return {fragment for fragment, (said, _) in self.judged.items() if said == relation}

    def count(self, relation: str) -> int:
        return len(self.by(relation))

    def weight(self, relation: str) -> Fraction:
        return sum((sure for said, sure in self.judged.values() if said == relation), Fraction(0))

    @property
    def confidences(self) -> list[Fraction]:
        return [sure for _, sure in self.judged.values()]

    @property
    def sources(self) -> set[str]:
        """The pages that take a side."""
        return {page for page, _ in self.by(SUPPORTS) | self.by(REFUTES)}

    @property
    def is_contradicted(self) -> bool:
        return bool(self.by(SUPPORTS) and self.by(REFUTES))

    @property
    def confidence(self) -> float:
        a, b = 1 + self.weight(SUPPORTS), 1 + self.weight(REFUTES)
        return float(a / (a + b))

    @property
    def uncertainty(self) -> float:
        a, b = 1 + self.weight(SUPPORTS), 1 + self.weight(REFUTES)
        return math.sqrt(a * b / ((a + b) ** 2 * (a + b + 1)))

    @property
    def controversy(self) -> Fraction:
        for_it, against = self.weight(SUPPORTS), self.weight(REFUTES)
        return min(for_it, against) / (for_it + against) if for_it + against else Fraction(0)


@dataclass
class Counts:
    """What a set holds: all claims, pages and fragments, with the domain of its pages if they have one."""

    claims: dict[str, Claim]
    texts: dict[Fragment, str]
    domain: str | None
    repeated: int
    changed: int
    disputed: set[str] | None = None
    """The claims that the authors of the set call disputed, where they do."""

    @property
    def pages(self) -> set[str]:
        return {page for page, _ in self.texts}

    @property
    def evidence_fragments(self) -> set[Fragment]:
        return {fragment for claim in self.claims.values() for fragment in claim.judged}

    @property
    def evidence_pages(self) -> set[str]:
        return {page for page, _ in self.evidence_fragments}

    @property
    def confidences(self) -> list[Fraction]:
        return [sure for claim in self.claims.values() for sure in claim.confidences]

    def judgements(self, relation: str) -> int:
        return sum(claim.count(relation) for claim in self.claims.values())

    def supported_by_page(self) -> dict[str, int]:
        """How many claims each page with evidence supports."""
        supported: dict[str, set[str]] = {page: set() for page in self.evidence_pages}
        for text, claim in self.claims.items():
            for page, _ in claim.by(SUPPORTS):
                supported[page].add(text)
        return {page: len(texts) for page, texts in supported.items()}

    def summary(self) -> dict[str, object]:
        claims = self.claims.values()
        return {
            "claims": len(self.claims),
            "pages": len(self.pages),
            "fragments": len(self.texts),
            "evidence_pages": len(self.evidence_pages),
            "evidence_fragments": len(self.evidence_fragments),
            **{relation: self.judgements(relation) for relation in (SUPPORTS, REFUTES, NEUTRAL)},
            "repeated": self.repeated,
            "changed": self.changed,
            "contradicted": sum(claim.is_contradicted for claim in claims),
            "controversial": sum(round(claim.controversy, 3) >= Fraction(3, 10) for claim in claims),
            "unsupported": sum(not claim.by(SUPPORTS) for claim in claims),
            "without_evidence": sum(not claim.judged for claim in claims),
            "hubs": sum(supported >= 2 for supported in self.supported_by_page().values()),
            "domain": self.domain,
            **({} if self.disputed is None else {"disputed_by_authors": len(self.disputed)}),
        }


def scifact(data: Path) -> Counts:
    folder = data / "scifact"
    abstracts = {row["_id"]: row["abstract"] for row in _lines(folder / "corpus.jsonl")}
    rows = [*_lines(folder / "claims_train.jsonl"), *_lines(folder / "claims_dev.jsonl")]
    named = {str(page) for row in rows for page in (*row["cited_doc_ids"], *row["evidence"])}
    said = (
        (row["claim"], (page, number), (LABELS[group["label"]], Fraction(1)))
        for row in rows
        for page, groups in row["evidence"].items()
        for group in groups
        for number in group["sentences"]
    )
    texts = {(page, number): text for page in named for number, text in enumerate(abstracts[page])}
    return _counts((row["claim"] for row in rows), texts, said, "api.semanticscholar.org")


def healthver(data: Path) -> Counts:
    rows = []
    for part in ("dev", "test"):
        with (data / f"healthver/healthver_{part}.csv").open(encoding="utf-8", newline="") as file:
            rows += csv.DictReader(file)
    names: dict[str, str] = {}
    for row in rows:
        names.setdefault(row["evidence"], row["id"])
    said = ((row["claim"], (names[row["evidence"]], 0), (LABELS[row["label"]], Fraction(1))) for row in rows)
    return _counts((row["claim"] for row in rows), {(name, 0): text for text, name in names.items()}, said, None)


def climate_fever(data: Path) -> Counts:
    rows = list(_lines(data / "climate_fever/climate-fever.jsonl"))
    texts, said = {}, []
    for row in rows:
        for each in row["evidences"]:
            fragment = each["article"], int(each["evidence_id"].rpartition(":")[2])
            assert texts.setdefault(fragment, each["evidence"]) == each["evidence"], "two texts in one place"
            cast = [vote for vote in each["votes"] if vote is not None]
            share = Fraction(cast.count(each["evidence_label"]), len(cast))
            said.append((row["claim"], fragment, (LABELS[each["evidence_label"]], share)))
    counts = _counts((row["claim"] for row in rows), texts, said, "en.wikipedia.org")
    counts.disputed = {row["claim"] for row in rows if row["claim_label"] == "DISPUTED"}
    return counts


def _counts(
    claims: Iterable[str],
    texts: dict[Fragment, str],
    said: Iterable[tuple[str, Fragment, Label]],
    domain: str | None,
) -> Counts:
    labels: dict[tuple[str, Fragment], list[Label]] = defaultdict(list)
    for text, fragment, label in said:
        labels[text, fragment].append(label)
    found = {text: Claim() for text in claims}
    for (text, fragment), given in labels.items():
        found[text].judged[fragment] = given[-1]
    return Counts(
        claims=found,
        texts=texts,
        domain=domain,
        repeated=sum(len(given) - 1 for given in labels.values()),
        changed=sum(len(set(given)) > 1 for given in labels.values()),
    )


def _lines(path: Path) -> Iterator[dict]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


SETS = {"scifact": scifact, "healthver": healthver, "climate_fever": climate_fever}

if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=os.environ.get("WHEREFROM_BENCH_DATA"))
    given = options.parse_args()
    if given.data is None:
        options.error("say where the data is: --data or WHEREFROM_BENCH_DATA")
    for name, count in SETS.items():
        print(name, json.dumps(count(Path(given.data)).summary()))
