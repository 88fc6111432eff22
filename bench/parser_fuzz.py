"""Nested SQL made of every word that sqlglot's PostgreSQL grammar knows: does any of it take long to read?

A parser that tries one reading and then another takes twice as long for each level of nesting. Each statement repeats
one or two words of the grammar 18 times, in places where a word may begin a type, a call, a join, a clause or a query.

python -m bench.parser_fuzz [--pairs 20000] [--seed 1]
"""

from __future__ import annotations

import argparse
import inspect
import json
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from bench.measure import percentiles
from wherefrom.model.errors import InvalidInput
from wherefrom.storage.agent.postgres_guard import checked

DEPTH = 18
LONG_MS = 300
# What is repeated, what stands in the middle, and what closes each repetition. {0} and {1} are words.
ONE_WORD = (
    ("select ", "{0}(", "1", ")"),
    ("select ", "{0} (", "select 1", ")"),
    ("select ", "{0}(select ", "1", ")"),
    ("select ", "{0} ", "1", ""),
    ("select ", "{0} 1 ", "", ""),
    ("select 1 from claims ", "{0} claims ", "", ""),
    ("select 1 from ", "{0} (claims ", "", ")"),
    ("select 1 from ", "(claims {0} ", "claims", ")"),
    ("select 1 from ", "(select 1 from claims {0} ", "claims", ")"),
    ("", "select 1 {0} (", "1", ")"),
    ("", "select 1 from claims {0} (", "1", ")"),
    ("select ", "(1 {0} ", "1", ")"),
    ("select 1 ", "{0} 1 ", "", ""),
    ("select cast(1 as ", "{0}(", "1", ")"),
    ("select 1::", "{0}(", "1", ")"),
    ('select 1::"', "{0}(", "1", ")"),
    ("select ", "sum(1) {0} (", "1", ")"),
    ("select ", "sum(1 {0} ", "1", ")"),
    ("select ", "lower({0} ", "1", ")"),
    ("select ", "case {0} ", "1", " end"),
    ("select ", "case when 1 then 1 {0} ", "1", " end"),
    ("", "with a as ({0} ", "select 1", ") select 1"),
    ("", "{0} (", "select 1", ")"),
    ("", "{0} ", "select 1", ""),
    ("select ", "x in ({0} ", "1", ")"),
    ("select ", "x {0} any(", "1", ")"),
    ("select 1 ", "union {0} select 1 ", "", ""),
)
TWO_WORDS = (
    ("select ", "{0} {1}(", "1", ")"),
    ("select ", "{0}({1} ", "1", ")"),
    ("select ", "{0}(1 {1} ", "1", ")"),
    ("select ", "{0}(1) {1} (", "1", ")"),
    ("select ", "{0} {1} ", "1", ""),
    ("select ", "(1 {0} {1} ", "1", ")"),
    ("", "select 1 {0} {1} (", "1", ")"),
    ("select 1 from claims ", "{0} {1} claims ", "", ""),
    ("select 1 from claims ", "{0} claims {1} ", "", ""),
    ("select 1 from ", "{0} {1} (", "claims", ")"),
    ("select 1 from ", "(claims {0} {1} ", "claims", ")"),
)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--pairs", type=int, default=20_000)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    found = fuzzed(read, statements(words(), pairs=given.pairs, seed=given.seed))
    print(json.dumps(found, indent=2, ensure_ascii=False))


def words() -> list[str]:
    """The keywords of sqlglot's tokenizer, types among them, and the words that its parser looks for by their text."""
    from sqlglot import parser
    from sqlglot.dialects.postgres import Postgres

    keywords = {word for word in Postgres.tokenizer_class.KEYWORDS if re.fullmatch(r"[A-Z_ ]+", word)}
    sources = inspect.getsource(parser) + Path(inspect.getfile(Postgres.Parser)).read_text(encoding="utf-8")
    return sorted(word.lower() for word in keywords | set(re.findall(r'"([A-Z][A-Z_ ]+)"', sources)))


def statements(vocabulary: list[str], *, pairs: int, seed: int) -> Iterator[str]:
    """Each word in each place for one word, then pairs drawn by chance."""
    for word in vocabulary:
        for shape in ONE_WORD:
            yield nested(shape, word)
    chance = random.Random(seed)
    for _ in range(pairs):
        yield nested(chance.choice(TWO_WORDS), chance.choice(vocabulary), chance.choice(vocabulary))


def nested(shape: tuple[str, str, str, str], *chosen: str) -> str:
    """One statement, its middle nested DEPTH deep."""
    start, opening, middle, closing = shape
    end = '"' if start.endswith('"') else ")" if start.startswith("select cast(") else ""
    return start + opening.format(*chosen) * DEPTH + middle + closing * DEPTH + end


def read(sql: str) -> str:
    """What the guard of PostgreSQL says of a statement."""
    try:
        checked(sql, ("claims",))
    except InvalidInput as error:
        return "cut short" if "too long to read" in error.message else "refused"
    except Exception as error:
        return f"FAULT {type(error).__name__}"
    return "read"


def fuzzed(ask: Callable[[str], str], asked: Iterable[str]) -> dict[str, Any]:
    """How many statements came out how, the processor time that they took, and the ones to look at."""
    read("select 1")  # sqlglot is imported
    counts: Counter[str] = Counter()
    times: list[tuple[float, str]] = []
    odd: list[str] = []
    for sql in asked:
        begun = time.thread_time()
        outcome = ask(sql)
        times.append((time.thread_time() - begun, sql))
        counts[outcome] += 1
        if outcome == "cut short" or outcome.startswith("FAULT"):
            odd.append(sql)
    slowest = sorted(times, reverse=True)[:5]
    return {
        "statements": len(times),
        **counts,
        "ms": percentiles([seconds for seconds, _ in times]),
        "slowest": {sql[:80]: round(seconds * 1000, 1) for seconds, sql in slowest},
        "longer than 300 ms": sum(seconds * 1000 > LONG_MS for seconds, _ in times),
        "to look at": odd[:20],
    }


if __name__ == "__main__":
    main()
