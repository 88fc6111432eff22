"""Secrets and personal data in texts: what is found, what is not, and what it costs.

WHEREFROM_BENCH_DATA=… python -m bench.detection

`boundary/findings-*.jsonl` are texts that each hold something to be found, `boundary/harmless-*.jsonl` texts that hold
nothing although they may look like it. They were written by people who had not seen the rules. `held` was not looked at
until its figures had been noted (docs/concepts/boundary.md); `later` was written to see how rules that were mended on
`open` fare, and is the hardest.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from bench import retrieval
from bench.measure import keep
from wherefrom.text.sensitive.findings import KINDS, find, redact
from wherefrom.text.tokens import text_of

LISTS: Final = Path(__file__).parent / "boundary"
PARTS: Final = ("open", "held", "later")
SETS: Final = {
    "SciFact": retrieval.scifact,
    "JSQuAD": retrieval.jsquad,
    "LoCoMo": retrieval.locomo,
    "LongMemEval": retrieval.longmemeval,
}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, default=os.environ.get("WHEREFROM_BENCH_DATA"))
    given = options.parse_args()
    keep("detection", measured(None if given.data is None else Path(given.data)))


def measured(data: Path | None) -> dict[str, Any]:
    """The figures of the lists, and with a data folder what is found in real texts and how long that takes."""
    result: dict[str, Any] = {"lists": {part: lists(part) for part in PARTS}}
    if data is not None:
        result["sets"] = {
            name: real(text_of(title, text) for title, text, _ in SETS[name](data).texts.values()) for name in SETS
        }
    return result


def lists(part: str) -> dict[str, Any]:
    """How many texts lose all that they should lose, and how many lose something although they should not."""
    texts: Counter[str] = Counter()
    found: Counter[str] = Counter()
    for each in read("findings", part):
        texts[each["kind"]] += 1
        found[each["kind"]] += not missed(each)
    harmless = read("harmless", part)
    alarms = sum(bool(find(each["text"])) for each in harmless)
    right, total = sum(found.values()), sum(texts.values())
    return {
        "texts with findings": total,
        "recall": round(right / total, 4),
        "recall by kind": {kind: [found[kind], texts[kind]] for kind in KINDS},
        "harmless texts": len(harmless),
        "false alarms": alarms,
        "share of false alarms": round(alarms / len(harmless), 4),
        "precision": round(right / (right + alarms), 4),
    }


def read(name: str, part: str) -> list[dict[str, Any]]:
    """The texts of a list."""
    lines = (LISTS / f"{name}-{part}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def missed(each: dict[str, Any]) -> list[str]:
    """The values of a text that are still in it after everything that is found was taken out."""
    cleaned, _ = redact(each["text"], KINDS)
    return [value for value in each["values"] if value in cleaned]


def real(texts: Iterable[str]) -> dict[str, Any]:
    """What is found in real texts by kind, and the microseconds that looking takes."""
    some = list(texts)
    found: Counter[str] = Counter()
    began = time.process_time()
    for text in some:
        found.update(finding.kind for finding in find(text))
    took = time.process_time() - began
    return {"texts": len(some), "found": dict(found), "us per text": round(took / len(some) * 1e6, 1)}


if __name__ == "__main__":
    main()
