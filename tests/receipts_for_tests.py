"""A store with something of all that metabolism lets go, and what stands in it, for tests of runs and receipts."""

from __future__ import annotations

import io
import json
import random
import re

from wherefrom import Memory

_WORDS = (
    "walnut river lantern keeper railing spring meadow copper kettle harbour pigeon ladder orchard violin candle barley "
    "glacier teacher bridge pepper cottage falcon marble ferry blanket saffron thunder pillow quarry sailor tulip "
    "engine basket compass dragon feather garden hammer island jacket kitchen lemon mirror needle oyster piano quilt "
    "rabbit saddle temple umbrella valley window yellow zebra anchor button carpet desert elbow forest goblet"
)
WORDS = _WORDS.split()
FILLERS = ("indeed", "really", "actually")


def sentence(number, filler=""):
    """A text unlike those of other numbers; with a filler, a near-copy of it."""
    words = random.Random(number).sample(WORDS, 9)
    said = ["the", *words[:4], "beside", "the", *words[4:]]
    # Each filler has a place of its own, so that none stands in the place of another.
    at = (3, 6, 9)[FILLERS.index(filler)] if filler in FILLERS else 5
    return " ".join([*said[:at], *([filler] if filler else []), *said[at:]])


def fill(memory, clock, *, topics=12):
    """Fill a store whose clock stands still; everything is old enough to be let go in the end. Returns ids by role.

    What is saved first is thin by the end; what is saved last keeps its thickness.
    """
    old = {
        "copies": [_save(memory, number, "actually") for number in range(topics)],
        "claims": [_save(memory, number, "indeed", claim_kind="fact") for number in range(topics, topics + 3)],
        "alike": [_save(memory, 100 + number // 3, FILLERS[number % 3]) for number in range(9)],
        "unique": [_save(memory, 200 + number) for number in range(4)],
    }
    old["mentioning"] = [_save(memory, number, "really", entities=[f"Alder {WORDS[number]}"]) for number in range(4)]
    for number in range(3):
        memory.delete(_save(memory, 300 + number, entities=[f"Quartz {WORDS[number]}"]))
    for number, copy in enumerate(old["copies"]):
        memory.relate(copy, old["unique"][number % 4], tag="near", weight=0.9, reason="once seen together")
        memory.relate(old["copies"][number - 1], copy, tag="then", weight=0.8)
    for each in old["alike"]:
        memory.relate(old["copies"][0], each, tag="like", weight=0.7)
    for claim in old["claims"]:
        memory.relate(claim, old["copies"][1], tag="near", weight=0.5)
        memory.reject_claim(claim, reason="an error")
        memory.restore_claim(claim, reason="none after all")
    memory.feedback(old["copies"][2], signal="helpful")
    clock.go_on(days=300)
    strong = [_save(memory, number) for number in range(topics)]
    strong += [_save(memory, number, claim_kind="fact") for number in range(topics, topics + 3)]
    for number, each in enumerate(strong):
        memory.relate(strong[number - 1], each, tag="then", weight=0.9)
        memory.relate(each, strong[(number + 5) % len(strong)], tag="recalls", weight=0.04)
    for number in range(0, topics, 2):
        memory.relate(strong[number], strong[number - 3], tag="status", weight=0.9)
        memory.relate(strong[number], strong[number - 4], tag="status", weight=0.5)
    memory.feedback(strong[2], signal="helpful")  # as its copy, which else would stay in its place
    clock.go_on(days=10)
    return old | {"strong": strong}


def _save(memory, number, filler="", **given):
    return memory.save(sentence(number, filler), **given).node.id


def exported(memory):
    """The lines of an export, without the header, its time, and the times at which nodes went; what stands for these
    comes last, in an order that no time decides.
    """
    stream = io.StringIO()
    memory.export(stream)
    lines = [re.sub(r'"went_at":"[^"]*"', '"went_at":""', line) for line in stream.getvalue().splitlines()[1:]]
    return sorted(lines, key=lambda line: line if line.startswith('{"type":"standin"') else "")


def nodes_of(lines):
    """The ids of the nodes of an export."""
    return {record["id"] for record in map(json.loads, lines) if record["type"] == "node"}


def opened_at(url, moment, **given):
    """A memory whose clock stands still."""
    return Memory.open(url, clock=lambda: moment, **given)


def payloads(execute, url, topic):
    """What the events of a topic say, the oldest first."""
    rows = execute(url, f"select payload from events where topic = '{topic}' order by seq")
    return [json.loads(row[0]) for row in rows]
