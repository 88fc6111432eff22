"""What an answer costs a model: bytes of the lean answer, of the full one, and of both its copies.

WHEREFROM_BENCH_DATA=… python -m bench.answers

1,000 turns of LoCoMo's conversations are saved as memos, one relation between each and the next; then the first 50
questions are asked. `twice_full` is the full answer as text and as structured content, which clients are sent with
`--schemas` and detail="full"; sizes are means. `frame` is what an answer of activate or search has beside its texts.
"""

from __future__ import annotations

import argparse
import json
import os
from itertools import pairwise
from pathlib import Path

from bench import stores
from bench.measure import keep
from wherefrom import Memory
from wherefrom.interfaces.mcp.server import instructions, listed_verbs
from wherefrom.interfaces.mcp.tools import answer, listed
from wherefrom.interfaces.request_ids import NAMES

MEMOS, QUESTIONS = 1_000, 50
IDS = dict.fromkeys(NAMES, "0" * 36)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, default=os.environ.get("WHEREFROM_BENCH_DATA"))
    given = options.parse_args()
    if given.data is None:
        options.error("say where the data is: --data or WHEREFROM_BENCH_DATA")
    turns, questions = locomo(Path(given.data))
    with stores.sqlite() as path, Memory.open(path) as memory:
        ids = [memory.save(text, provenance={"actor": who}).node.id for who, text in turns]
        for one, other in pairwise(ids):
            memory.relate(one, other, tag="followed_by", weight=0.5)
        asked = {
            "memory_activate": [{"query": question} for question in questions],
            "memory_search": [{"query": question} for question in questions],
            "memory_list": [{}, {"limit": 100}],
            "memory_relation_list": [{"limit": 50}, {"start_memo_id": ids[500], "depth": 2}],
            "get_status": [{}],
        }
        found = {tool: sizes(memory, tool, calls) for tool, calls in asked.items()}
    keep("answers", {"memos": MEMOS, "questions": QUESTIONS, "bytes": found, "tokens_listed": tools()})


def sizes(memory: Memory, tool: str, calls: list[dict[str, object]]) -> dict[str, float]:
    """The mean bytes of the answers to some calls, and for items the greatest frame around their texts."""
    lean, full, items, text, frames = 0, 0, 0, 0, [0.0]
    for arguments in calls:
        short = {**answer(memory, tool, arguments), **IDS}
        lean += size(short)
        full += size({**answer(memory, tool, {**arguments, "detail": "full"}), **IDS})
        some = short.get("items", [])
        items += len(some)
        texts = sum(len(item["content"].encode()) + len(item.get("title", "").encode()) for item in some)
        text += texts
        if some:
            frames.append((size(short) - texts - size({**short, "items": []})) / len(some))
    count = len(calls)
    found = {"lean": round(lean / count), "full": round(full / count), "twice_full": round(2 * full / count)}
    if items:
        found |= {
            "items": round(items / count, 1),
            "text": round(text / count),
            "max_frame_an_item": round(max(frames)),
        }
    return found


def tools() -> dict[str, int]:
    """The tokens of the list of tools with the instructions: bytes / 4."""
    found = {}
    for name, sets, schemas in (
        ("memory", ["memory"], False),
        ("all", ["all"], False),
        ("all, schemas", ["all"], True),
    ):
        shown = [
            listed(verb, schemas=schemas).model_dump(mode="json", by_alias=True, exclude_none=True)
            for verb in listed_verbs(sets)
        ]
        found[name] = round((size(shown) + len(instructions().encode())) / 4)
    return found


def size(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


def locomo(data: Path) -> tuple[list[tuple[str, str]], list[str]]:
    """The first turns of the conversations, each with its speaker, and the questions to the first of them."""
    conversations = json.loads((data / "locomo" / "locomo10.json").read_text(encoding="utf-8"))
    turns = []
    for conversation in conversations:
        sessions = conversation["conversation"]
        for name in sorted((key for key in sessions if key.startswith("session_")), key=_number):
            if isinstance(sessions[name], list):
                turns += [(turn["speaker"], turn["text"]) for turn in sessions[name] if turn["text"].strip()]
    questions = [one["question"] for one in conversations[0]["qa"][:QUESTIONS]]
    return turns[:MEMOS], questions


def _number(session: str) -> tuple[int, str]:
    return int(session.split("_")[1]), session


if __name__ == "__main__":
    main()
