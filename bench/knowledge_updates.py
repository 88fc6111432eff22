"""Knowledge that was updated in long conversations: does the newest evidence stand above the older?

WHEREFROM_BENCH_DATA=… python -m bench.knowledge_updates [--databases sqlite postgres]

LongMemEval's questions on knowledge updates that have evidence of at least two days, among all evidence turns, each
saved when it was said: by an agent that only saves (`saved`), by one that does what the answers to its saves tell it
where they name older evidence of the same question (`hints`), and by one that names that evidence (`supersedes`).
`yardstick` has no older evidence of these questions. The newest day need not have the answer: of some questions the
update is spread over turns.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench import stores
from bench.changes import VERBS, Tally
from bench.changes_worlds import DEPTH, knows, near, says_update
from bench.measure import keep
from bench.recall import Clock
from wherefrom import Conflict, Memory

STYLES = ("saved", "hints", "supersedes", "yardstick")


@dataclass(frozen=True, slots=True)
class Update:
    """A question, when it was put, and its evidence: what was said on the newest day, and before."""

    question: str
    asked: datetime
    newest: Sequence[str]
    older: Sequence[str]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, default=os.environ.get("WHEREFROM_BENCH_DATA"))
    options.add_argument("--databases", nargs="+", choices=["sqlite", "postgres"], default=["sqlite"])
    options.add_argument("--name", default="knowledge_updates", help="name of the file of results")
    given = options.parse_args()
    if given.data is None:
        options.error("say where the data is: --data or WHEREFROM_BENCH_DATA")
    turns, updates = read(Path(given.data))
    result: dict[str, Any] = {"command": f"python -m bench.knowledge_updates {' '.join(sys.argv[1:])}"}
    result |= {"turns": len(turns), "questions": len(updates)}
    for database in given.databases:
        result[database] = measure(database, turns, updates)
    keep(given.name, result)


def read(data: Path) -> tuple[dict[str, tuple[datetime, str]], list[Update]]:
    """All turns by id, with their times; and the questions on knowledge updates."""
    folder = data / "longmemeval_evidence"
    rows = json.loads((folder / "evidence_turns.json").read_text(encoding="utf-8"))
    turns = {row["id"]: (_time(row["session_date"]), row["content"]) for row in rows}
    found = []
    for row in json.loads((folder / "questions.json").read_text(encoding="utf-8")):
        evidence = row["evidence_turn_ids"]
        times = {turns[turn][0] for turn in evidence}
        if row["question_type"] == "knowledge-update" and len(times) > 1:
            last = max(times)
            newest = [turn for turn in evidence if turns[turn][0] == last]
            older = [turn for turn in evidence if turns[turn][0] < last]
            asked = max(_time(row["question_date"]), last) + timedelta(hours=1)
            found.append(Update(row["question"], asked, newest, older))
    return turns, found


def measure(
    database: str, turns: dict[str, tuple[datetime, str]], updates: Sequence[Update]
) -> dict[str, dict[str, str]]:
    """By style, the shares of questions whose newest evidence stands where it should."""
    tally, ideal = Tally(), {}
    styles = STYLES if knows("save", "supersedes") else ("saved", "yardstick")
    for style in sorted(styles, key=lambda style: style != "yardstick"):
        with getattr(stores, database)() as url:
            clock = Clock()
            with Memory.open(url, clock=clock) as memory:
                ids = fill(memory, clock, turns, updates, style, tally)
                for number, update in enumerate(updates):
                    clock.moment = update.asked
                    for verb in VERBS:
                        ranks = ranked(memory, verb, update, ids)
                        if style == "yardstick":
                            ideal[number, verb] = ranks[0]
                        count(tally, style, verb, ranks, ideal[number, verb])
    return tally.figures()


def fill(
    memory: Memory,
    clock: Clock,
    turns: dict[str, tuple[datetime, str]],
    updates: Sequence[Update],
    style: str,
    tally: Tally,
) -> dict[str, str]:
    """Save the turns in the order in which they were said; the memo of each."""
    older = {turn: update.older for update in updates for turn in update.newest}
    left_out = {turn for update in updates for turn in update.older} if style == "yardstick" else set()
    ids: dict[str, str] = {}
    refused = 0
    for turn, (said, text) in sorted(turns.items(), key=lambda item: item[1][0]):
        if turn in left_out:
            continue
        clock.moment = said
        wanted = [ids[each] for each in older.get(turn, ()) if each in ids]
        given: dict[str, Any] = {"supersedes": wanted} if style == "supersedes" and wanted else {}
        try:
            saved = memory.save(text, **given)
        except Conflict:
            refused += 1
            saved = memory.save(text)
        ids[turn] = saved.node.id
        if style == "hints" and wanted:
            tally.add([style], "near: older evidence is among three", bool(_near(saved) & set(wanted)))
            hinted = {each.node.id for each in near(saved) if says_update(each)}
            tally.add([style], "near: said to be an update", bool(hinted & set(wanted)))
            if hinted & set(wanted):
                memory.save(text, supersedes=sorted(hinted & set(wanted)))
    tally.add([style], "saves refused", refused, len(ids))
    return ids


def ranked(memory: Memory, verb: str, update: Update, ids: dict[str, str]) -> tuple[int, int]:
    """The best places of the newest and of the older evidence in an answer; one after the last if it has none."""
    answer: Any = getattr(memory, verb)(update.question, limit=DEPTH)
    found = [item.node.id for item in (answer.hits if verb == "search" else answer.items)]
    places = {node_id: place for place, node_id in enumerate(found, start=1)}

    def best(turns: Sequence[str]) -> int:
        return min((places.get(ids.get(turn, ""), DEPTH + 1) for turn in turns), default=DEPTH + 1)

    return best(update.newest), best(update.older)


def count(tally: Tally, style: str, verb: str, ranks: tuple[int, int], ideal: int) -> None:
    newest, older = ranks
    if min(ranks) <= DEPTH:
        tally.add([style], f"{verb}: newest above older", newest < older)
    tally.add([style], f"{verb}: newest found", newest <= DEPTH)
    tally.add([style], f"{verb}: newest first", newest == 1)
    if ideal == 1:
        tally.add([style], f"{verb}: first where it is in the yardstick", newest == 1)
    tally.add([style], f"{verb}: not below its place in the yardstick", newest <= ideal)


def _near(saved: Any) -> set[str]:
    return {each.node.id for each in near(saved)}


def _time(text: str) -> datetime:
    return datetime.strptime(re.sub(r" \(\w+\)", "", text), "%Y/%m/%d %H:%M").replace(tzinfo=UTC)


if __name__ == "__main__":
    main()
