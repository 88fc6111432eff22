"""Whether hybrid search is as good as the better of its arms, also where short statements stand among long texts.

WHEREFROM_BENCH_DATA=… python -m bench.mixed --as after [--sets mixed scifact …] [--databases sqlite]

`mixed` is one namespace of real texts of both lengths. Short: turns of LoCoMo's even-numbered conversations and what
LongMemEval's users say. Long: stretches of LoCoMo's odd-numbered conversations, LongMemEval's assistants, abstracts of
SciFact and passages of HotpotQA. `beside` has a long text on the same matter beside each short one: a turn of LoCoMo
that is evidence, and as one text the turns around it that are not; two conversations are there in long stretches alone.
The questions are those of the collections; 77 % of them seek short texts. The other sets are checked as they are. Each
is searched by both arms, by words alone and by meaning alone.
"""

from __future__ import annotations

import os
import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from bench import retrieval, stores
from bench.calibrate import cranfield
from bench.measure import command, keep, options_of
from bench.recall_sets import Passages, hotpot, locomo, longmemeval, musique, two_wiki
from bench.retrieval import ALPHAS, Collection, evaluate
from wherefrom import Memory

# Characters: a short text has at most so many, a long one at least.
SHORT, LONG = 300, 600
STRETCH = 1_400
ABSTRACTS = 1_000
# Questions by what they seek: 480 of 625 seek short texts.
SOUGHT = {"short talk": 300, "short memory": 180, "long talk": 50, "long memory": 25, "abstracts": 45, "passages": 25}
# In `beside`, the conversations from this one on are there in stretches alone; so many questions seek short texts, and
# so many seek stretches. Around a short text so many turns before and after it are taken.
STRETCHED, BESIDE_SHORT, BESIDE_LONG, AROUND = 8, 400, 120, 10
OWN = ("mixed", "beside")
FIRST = 5


def main() -> None:
    given = options_of(__doc__, sets=list(SETS), databases=["sqlite"]).parse_args()
    for name in given.sets:
        collection = SETS[name](Path(given.data))
        for database in given.databases:
            row = {"command": command("mixed"), **compared(collection, database)}
            if name in OWN:
                row |= {"short_sought": share_of_short(collection)}
            keep("mixed", {given.label: {f"{name} {database}": row}})


def compared(collection: Collection, database: str) -> dict[str, object]:
    """Recall and nDCG at 10 of each arm, and how far the hybrid is above the better one; below zero: it loses."""
    with getattr(stores, database)() as url:
        with Memory.open(url) as memory:
            ids = stores.import_texts(memory, collection.texts)
        arms = {arm: evaluate(url, collection, ids, alpha) for arm, alpha in ALPHAS[database].items()}
        long_in_first = dict(_long_in_first(url, collection, ALPHAS[database]))
    alone = [figures for arm, figures in arms.items() if arm != "hybrid"]
    return {
        "texts": len(collection.texts),
        "questions": len(collection.questions),
        "arms": arms,
        "long_in_first_five": long_in_first,
        **{
            f"{measure}_above_better_arm": round(arms["hybrid"][measure] - max(arm[measure] for arm in alone), 4)
            for measure in ("recall", "ndcg")
        },
    }


def share_of_short(collection: Collection) -> float:
    """The share of the questions that seek short texts and nothing else."""
    longest = [max(len(collection.texts[each][1]) for each in relevant) for _, _, relevant in collection.questions]
    return round(sum(length <= SHORT for length in longest) / len(longest), 3)


def mixed(data: Path, seed: int = 11) -> Collection:
    """Short statements and long texts in one namespace, with questions about either."""
    chance = random.Random(seed)
    talk, memory = locomo(data), longmemeval(data)
    parts = {
        "short talk": _short_talk(talk),
        "short memory": _of_length(memory, lambda characters: characters <= SHORT),
        "long talk": stretches(talk),
        "long memory": _of_length(memory, lambda characters: characters >= LONG),
        "abstracts": _sampled(retrieval.scifact(data), ABSTRACTS, chance),
        "passages": _collection(hotpot(data)),
    }
    found = Collection()
    for name, part in parts.items():
        found.texts |= {f"{name} {text_id}": (*text[:2], "main") for text_id, text in part.texts.items()}
        asked = [(text, "main", {f"{name} {text_id}" for text_id in ids}) for text, _, ids in part.questions]
        found.questions += chance.sample(asked, min(SOUGHT[name], len(asked)))
    return found


def beside(data: Path, seed: int = 12) -> Collection:
    """Short statements with a long text on the same matter beside each, which does not say it."""
    chance, talk = random.Random(seed), locomo(data)
    evidence = {turn for _, _, relevant, _ in talk.questions for turn in relevant}
    short = {turn for turn in evidence if len(talk.texts[turn][1]) <= SHORT and _conversation(turn) < STRETCHED}
    found = stretches(talk, lambda conversation: conversation >= STRETCHED)
    found.questions = chance.sample(found.questions, min(BESIDE_LONG, len(found.questions)))
    asked = [(question, "main", ids) for question, _, ids, _ in talk.questions if ids <= short]
    found.questions += chance.sample(asked, min(BESIDE_SHORT, len(asked)))
    for turns in _by_session(talk, lambda conversation: conversation < STRETCHED).values():
        for number, turn in enumerate(turns):
            if turn in short:
                found.texts[turn] = (*talk.texts[turn][:2], "main")
                near = turns[max(0, number - AROUND) : number + AROUND + 1]
                around = "\n".join(talk.texts[each][1] for each in near if each not in evidence)
                if len(around) >= LONG:
                    found.texts[f"around {turn}"] = (None, around, "main")
    return found


def stretches(
    talk: Passages, is_taken: Callable[[int], bool] = lambda conversation: conversation % 2 == 1
) -> Collection:
    """Some conversations, without more the odd-numbered ones, in stretches of turns of one session, each a long text."""
    found, place = Collection(), {}
    for session, turns in _by_session(talk, is_taken).items():
        for number, stretch in enumerate(_cut(turns, lambda each: len(talk.texts[each][1]))):
            text = "\n".join(talk.texts[each][1] for each in stretch)
            if len(text) >= LONG:
                found.texts[f"{session} {number}"] = (None, text, "main")
                place |= dict.fromkeys(stretch, f"{session} {number}")
    for question, _, relevant, _ in talk.questions:
        if relevant <= place.keys():
            found.questions.append((question, "main", {place[each] for each in relevant}))
    return found


def _by_session(talk: Passages, is_taken: Callable[[int], bool]) -> dict[str, list[str]]:
    """The turns of each session of some conversations, in their order."""
    found: dict[str, list[str]] = defaultdict(list)
    for text_id, session in talk.sessions.items():
        if is_taken(_conversation(text_id)):
            found[session].append(text_id)
    return found


def _cut(turns: Sequence[str], length: Callable[[str], int]) -> Iterator[list[str]]:
    """The turns in order, in lists that are as long as a stretch; a short rest is the last."""
    stretch: list[str] = []
    for turn in turns:
        stretch.append(turn)
        if sum(map(length, stretch)) >= STRETCH:
            yield stretch
            stretch = []
    if stretch:
        yield stretch


def _short_talk(talk: Passages) -> Collection:
    """The turns of even-numbered conversations, with the questions whose evidence is short."""
    texts = {each: text for each, text in talk.texts.items() if not _conversation(each) % 2 and len(text[1]) <= SHORT}
    return _asked_of(texts, talk)


def _of_length(passages: Passages, fits: Callable[[int], bool]) -> Collection:
    """The texts of a length, with the questions that all evidence of has it."""
    return _asked_of({each: text for each, text in passages.texts.items() if fits(len(text[1]))}, passages)


def _asked_of(texts: dict[str, tuple[str | None, str, str]], passages: Passages) -> Collection:
    asked = [(question, "main", ids) for question, _, ids, _ in passages.questions if ids <= texts.keys()]
    return Collection(texts, asked)


def _sampled(known: Collection, count: int, chance: random.Random) -> Collection:
    """Some of the texts, and the questions that they answer."""
    kept = set(chance.sample(sorted(known.texts), min(count, len(known.texts))))
    texts = {each: text for each, text in known.texts.items() if each in kept}
    return Collection(texts, [row for row in known.questions if row[2] <= kept])


def _collection(passages: Passages) -> Collection:
    return Collection(passages.texts, [(text, namespace, ids) for text, namespace, ids, _ in passages.questions])


def _conversation(text_id: str) -> int:
    return int(text_id.split()[0])


def _long_in_first(url: str, collection: Collection, alphas: dict[str, str]) -> Iterator[tuple[str, float]]:
    """For each arm the share of long texts among the first five hits, of every tenth question."""
    for arm, alpha in alphas.items():
        os.environ["WHEREFROM_ALPHA"] = alpha
        with Memory.open(url) as memory:
            lengths = [
                len(hit.node.content)
                for question, namespace, _ in collection.questions[::10]
                for hit in memory.search(question, namespace=namespace, limit=FIRST).hits
            ]
        yield arm, round(sum(length >= LONG for length in lengths) / max(1, len(lengths)), 3)


def _every_fourth(make: Callable[[Path], Collection]) -> Callable[[Path], Collection]:
    def made(data: Path) -> Collection:
        known = make(data)
        return Collection(known.texts, known.questions[::4])

    return made


SETS: dict[str, Callable[[Path], Collection]] = {
    "mixed": mixed,
    "beside": beside,
    "scifact": retrieval.scifact,
    "cranfield": cranfield,
    "jsquad": _every_fourth(retrieval.jsquad),
    "locomo": retrieval.locomo,
    "longmemeval": retrieval.longmemeval,
    "hotpotqa": lambda data: _collection(hotpot(data)),
    "2wiki": lambda data: _collection(two_wiki(data)),
    "musique": lambda data: _collection(musique(data)),
}

if __name__ == "__main__":
    main()
