"""Texts to plant beside real ones: near-copies, paraphrases and copies with one fact changed.

What counts as a number, date, negation or name is decided here by lists and capitals, and by nothing of Wherefrom.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

NEAR_SHARE, PARAPHRASE_SHARE = 0.05, 0.3
TRIES = 8


def listed(text: str, between: str | None = None) -> list[str]:
    """The words of a text, or what stands between signs and line ends."""
    return (
        text.split()
        if between is None
        else [part.strip() for part in text.strip().replace("\n", between).split(between)]
    )


MONTHS = listed("January February March April May June July August September October November December")
WEEKDAYS = listed("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
DAYS = listed("yesterday today tomorrow tonight")
UNITS = listed("minute hour day week month year")
SEASONS = listed("spring summer autumn winter")
NUMBERS = listed(
    "two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred thousand"
)
ORDINALS = listed("first second third fourth fifth")
NEGATIONS = frozenset(
    listed(
        "not no never none nobody nothing nowhere neither nor cannot without unable lack lacks lacking lacked fail fails "
        "failed hardly rarely barely except absence absent"
    )
)
_NUMBER_WORDS = frozenset(
    listed(
        "one once twice single half quarter double triple dozen pair couple zero both million billion thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen sixty seventy eighty ninety"
    )
).union(NUMBERS, ORDINALS)
_DATE_WORDS = frozenset(
    [
        *map(str.lower, (*MONTHS, *WEEKDAYS)),
        *(*DAYS, *UNITS, *(f"{unit}s" for unit in UNITS), *SEASONS, "fall"),
        *listed("ago last next previous weekend weekends morning evening afternoon night nights daily weekly monthly"),
        *listed("yearly annual now then since until before after early late earlier later decade decades century"),
    ]
)
_AUXILIARIES = frozenset(listed("is are was were can could will would should did does do has have had"))
_SHORT_FORMS = {"can't": "can", "won't": "will", "shan't": "shall"}
_PARTS = re.compile(r"(\W*)(.*?)(\W*)", re.DOTALL)
_ENDS = re.compile(r"[.!?:;][\"'”’)\]]*$")
# Pairs that may stand for each other in most places; each way.
_PAIRS = """
great wonderful, really truly, awesome fantastic, love adore, amazing astonishing, new fresh, people folks, good fine
help assist, helps assists, helping assisting, lot bunch, way manner, cool neat, fun enjoyable, tough difficult
always constantly, together jointly, looks appears, sounds seems, sure certain, definitely certainly, hard challenging
important crucial, joy delight, happy glad, pic picture, photo photograph, special unique, appreciate value, soon shortly
nice pleasant, inspiring uplifting, big large, excited thrilled, favorite preferred, enjoy relish, also additionally
little small, incredible unbelievable, kind sort, stuff things, journey voyage, started began, trying attempting
rewarding fulfilling, peace calm, spot place, happened occurred, progress headway, proud pleased, chat talk, exciting thrilling
learn study, totally completely, advice guidance, ideas thoughts, cute adorable, relax unwind, create build, skills abilities
beauty splendour, calming soothing, plan scheme, worries concerns, strong powerful, story tale, view scenery, busy occupied
beautiful gorgeous, reminder cue, bond connection, encouragement backing, happiness bliss, event occasion, many numerous
huge enormous, stress pressure, perfect ideal, problem issue, pretty fairly, passionate enthusiastic, furry fluffy
creative imaginative, challenges obstacles, chance opportunity, kids children, but yet, because as, maybe perhaps, job post
friend pal, friends pals, think believe, want wish, need require, get obtain, dog hound, dogs hounds, car automobile
home house, road street, store shop, city town, woman lady, keep retain, find discover, show demonstrate, shows demonstrates
showed demonstrated, investigation research, studies investigations, results outcomes, levels concentrations, using employing
used employed, suggest indicate, suggests indicates, however nevertheless, identify detect, identified detected
found discovered, observed seen, reduced diminished, required needed, major main, novel original, common frequent
several various, involved implicated, highly strongly, revealed disclosed, whereas while, report describe, determine ascertain
critical vital, via through, conditions circumstances, examined inspected, assessed evaluated, performed conducted
severe serious, methods techniques, measured quantified, evidence proof, effect impact, effects impacts, potential possible
mechanism process, mechanisms processes, within inside, among amongst, changes alterations, provide supply
provides supplies, known recognised, therapy treatment, disease illness, risk hazard, associated linked, specific particular
including comprising, different distinct, growth expansion, whether if, multiple manifold, similar comparable
further additional, understanding comprehension, greater larger, current present, ability capacity, approach strategy
enhanced boosted, likely probable, damage harm, aim goal, aimed intended, thus hence, therefore consequently
although though, mainly chiefly, often frequently, total entire, make produce, made produced, makes produces, see notice
about regarding, all every, much plenty, got received, something anything, know realise, game match
feel sense, take grab, care concern, family relatives, give offer, try attempt, bring carry, working labouring, book volume
man gentleman, music songs, feeling sensation, getting becoming, moments instants, share split, world globe, better superior
memories recollections, impact influence, person individual, picture image, long lengthy, part portion, role part
expression production, function operation, activity action, response reaction, data figures, group set, system network
formation creation, population community, regulation control, loss decline, cases instances, high elevated
increased raised, during throughout, significantly markedly, compared contrasted, based founded, related tied
well properly, only just, such similar, clinical medical, development maturation, factors elements, factor element
model design, type class, analysis examination, induced triggered, mediated conveyed, dependent reliant, that which
with alongside, these those, from out, this that, more extra, other another, into inside, than versus
"""
_OPPOSITES = """
increased decreased, increase decrease, increases decreases, increasing decreasing, higher lower, high low, more less
positive negative, love hate, loved hated, best worst, good bad, happy sad, old new, big small, large small
activation inhibition, upregulated downregulated, gain loss, better worse, easy hard, long short
"""


def _both_ways(pairs: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for one, other in map(str.split, listed(pairs, ",")):
        found.setdefault(one, other)
        found.setdefault(other, one)
    return found


SYNONYMS, OPPOSITES = _both_ways(_PAIRS), _both_ways(_OPPOSITES)


@dataclass(frozen=True, slots=True)
class Language:
    """What the texts of a set write in small letters, and which names they hold."""

    common: frozenset[str]
    names: tuple[str, ...]


def language_of(texts: Iterable[str]) -> Language:
    """Common: seen three times in small letters. Names: seen twice with a capital inside a sentence, and not common."""
    small: Counter[str] = Counter()
    capital: Counter[str] = Counter()
    for text in texts:
        words = text.split()
        for place, word in enumerate(words):
            core = parts(word)[1]
            if core.islower():
                small[core] += 1
            elif _is_capital(core) and not _starts(words, place):
                capital[_without_s(core)] += 1
    common = frozenset(word for word, count in small.items() if count >= 3)
    return Language(common, tuple(sorted(n for n, count in capital.items() if count >= 2 and _is_name(n, common))))


def near_copy(text: str, language: Language, chance: random.Random) -> str | None:
    """Up to 5 % of the words changed, at least one; no word that says a number, date, negation or name is touched."""
    words = text.split()
    touchable = [at for at in range(len(words)) if not is_fact(words, at, language.common)]
    known = facts(words, language)
    for _ in range(TRIES):
        changed = _changed(words, touchable, chance)
        if changed != words and facts(changed, language) == known:
            return " ".join(changed)
    return None


def _changed(words: Sequence[str], touchable: Sequence[int], chance: random.Random) -> list[str]:
    left = chance.randint(1, max(1, int(len(words) * NEAR_SHARE)))
    copy, free = list(words), set(touchable)
    while left and free:
        at = chance.choice(sorted(free))
        free.remove(at)
        # Two words that change places are two words changed.
        if left > 1 and at + 1 in free and chance.random() < 1 / 6:
            copy[at], copy[at + 1] = words[at + 1], words[at]
            free.remove(at + 1)
            left -= 2
        else:
            copy[at] = chance.choice(_CHANGES)(words, at, chance)
            left -= 1
    return " ".join(copy).split()


def paraphrase(text: str, language: Language, chance: random.Random) -> str | None:
    """The clauses of each sentence in another order, and other words for up to 30 % of them."""
    # Who speaks comes first.
    speaker = re.match(r"\w+: |", text)
    assert speaker is not None
    sentences = re.split(r"(?<=[.!?])\s+", text[speaker.end() :])
    turned = [speaker.group()]
    for sentence in sentences:
        end = re.search(r"[.!?\])]*$", sentence)
        cut = end.start() if end else len(sentence)
        clauses = re.split(r"[,;]\s+", sentence[:cut])
        at = chance.randrange(1, len(clauses)) if len(clauses) > 1 else 0
        turned.append(", ".join(clauses[at:] + clauses[:at]) + sentence[cut:])
    words = " ".join(turned).split()
    places = [
        at for at in range(len(words)) if not is_fact(words, at, language.common) and _lower(words[at]) in SYNONYMS
    ]
    chance.shuffle(places)
    for at in places[: round(len(words) * PARAPHRASE_SHARE)]:
        words[at] = _synonym(words, at, chance)
    changed = " ".join(words)
    return changed if places and changed != " ".join(text.split()) else None


def changed_number(text: str, _language: Language, chance: random.Random) -> str | None:
    """Another number: one digit of it, or its word."""
    found = list(re.finditer(rf"\d+|\b(?:{'|'.join([*NUMBERS, *ORDINALS])})\b", text))
    if not found:
        return None
    match = chance.choice(found)
    old = match.group()
    if old.isdigit():
        at = chance.randrange(len(old))
        digit = chance.choice([d for d in "123456789" if d != old[at]])
        return _put(text, match, old[:at] + digit + old[at + 1 :])
    return _put(text, match, _other(old, NUMBERS if old in NUMBERS else ORDINALS, chance))


def changed_name(text: str, language: Language, chance: random.Random) -> str | None:
    """Another name of the same set, not yet in the text, in one place."""
    known = set(language.names)
    found = [match for match in re.finditer(r"\b[^\W\d_]+\b", text) if match.group() in known]
    others = sorted(known - {match.group() for match in found})
    return _put(text, chance.choice(found), chance.choice(others)) if found and others else None


def changed_negation(text: str, _language: Language, chance: random.Random) -> str | None:
    """One "not" more or one negation less."""
    more = [m for m in re.finditer(r"\b[a-z]+\b(?= [a-z])", text) if m.group() in _AUXILIARIES]
    more = [m for m in more if not re.match(r" (?:not|never|no)\b", text[m.end() :])]
    less = list(re.finditer(r"\b(?:not|never|no) |\bcannot\b|\b[a-z]+n['’]t\b|\bwithout\b", text))
    if not more and not less:
        return None
    if not less or (more and chance.random() < 0.5):
        match = chance.choice(more)
        short = match.group() not in ("can", "will") and chance.random() < 0.5
        return _put(text, match, match.group() + ("n't" if short else " not"))
    match = chance.choice(less)
    old = match.group().replace("’", "'")
    if old.endswith("n't"):
        return _put(text, match, _SHORT_FORMS.get(old, old[:-3]))
    return _put(text, match, {"cannot": "can", "without": "with"}.get(old, ""))


def changed_date(text: str, _language: Language, chance: random.Random) -> str | None:
    """Another month, day of the week, day, or time span in "last week" or "two weeks ago"."""
    unit, season = "|".join(UNITS), "|".join(SEASONS)
    months = "|".join(month for month in MONTHS if month != "May")
    found = list(
        re.finditer(
            rf"\b(?:{months}|{'|'.join(WEEKDAYS)})\b|\b(?:{'|'.join(DAYS)})\b|\bMay(?= \d)"
            rf"|(?<=\blast )(?:{unit}|{season})\b|(?<=\bnext )(?:{unit}|{season})\b|\b(?:{unit})s?(?= ago\b)",
            text,
        )
    )
    if not found:
        return None
    match = chance.choice(found)
    old = match.group()
    plural = "s" if old.endswith("s") and old[:-1] in UNITS else ""
    old = old.removesuffix("s") if plural else old
    among = next(words for words in (MONTHS, WEEKDAYS, DAYS, SEASONS, UNITS) if old in words)
    return _put(text, match, _other(old, among, chance) + plural)


def changed_duration(text: str, _language: Language, chance: random.Random) -> str | None:
    """Another unit after a number: "3 weeks" for "3 months"."""
    unit = "|".join(UNITS)
    found = list(re.finditer(rf"(?<=\d[ -])(?:{unit})(?=s?\b)|(?<=\b(?:two|six|ten) )(?:{unit})(?=s\b)", text))
    if not found:
        return None
    match = chance.choice(found)
    return _put(text, match, _other(match.group(), UNITS, chance))


def changed_opposite(text: str, _language: Language, chance: random.Random) -> str | None:
    """The opposite of one word: "lower" for "higher"."""
    found = [match for match in re.finditer(r"\b[a-z]+\b", text) if match.group() in OPPOSITES]
    if not found:
        return None
    match = chance.choice(found)
    return _put(text, match, OPPOSITES[match.group()])


CHANGED: Mapping[str, Callable[[str, Language, random.Random], str | None]] = {
    "number": changed_number,
    "name": changed_name,
    "negation": changed_negation,
    "date": changed_date,
    "duration": changed_duration,
    "opposite": changed_opposite,
}


def is_fact(words: Sequence[str], at: int, common: frozenset[str]) -> bool:
    """Whether a word says a number, date, negation or name, or what is counted or denied: the word after such a one."""
    core = parts(words[at])[1]
    before = parts(words[at - 1])[1] if at else ""
    return (
        not core
        or _is_hard(core, common)
        or _is_number(before)
        or _is_negation(before)
        or (core[0].isupper() and not _starts(words, at))
    )


def facts(words: Sequence[str], language: Language) -> list[str]:
    """The words that say a number, date, negation or name, in their order."""
    return [core for word in words if (core := parts(word)[1]) and _is_hard(core, language.common)]


@cache
def parts(word: str) -> tuple[str, str, str]:
    """What stands before a word, the word, and what stands after it."""
    match = _PARTS.fullmatch(word)
    assert match is not None
    return match[1], match[2], match[3]


@cache
def _is_hard(core: str, common: frozenset[str]) -> bool:
    if _is_number(core) or _is_negation(core) or _without_s(core).lower() in _DATE_WORDS or not core.isascii():
        return True
    if "." in core or "/" in core or (len(core) == 1 and core not in "aAI"):
        return True
    return any(sign.isupper() for sign in core[1:]) or _is_name(core, common)


@cache
def _is_number(core: str) -> bool:
    words = core.lower().split("-")
    return any(sign.isdigit() for sign in core) or any({word, word.removesuffix("s")} & _NUMBER_WORDS for word in words)


@cache
def _is_negation(core: str) -> bool:
    lower = core.lower().replace("’", "'")
    return lower in NEGATIONS or lower.endswith("n't") or lower.startswith(("non", "un"))


def _is_name(core: str, common: frozenset[str]) -> bool:
    lower = _without_s(core).lower()
    return _is_capital(core) and lower not in common and lower not in _DATE_WORDS and not _is_number(core)


def _is_capital(core: str) -> bool:
    return len(core) > 2 and core[0].isupper() and _without_s(core).replace("-", "").isalpha()


def _without_s(core: str) -> str:
    return core[:-2] if core.endswith(("'s", "’s")) else core


def _starts(words: Sequence[str], at: int) -> bool:
    return at == 0 or bool(_ENDS.search(words[at - 1]))


def _lower(word: str) -> str:
    return parts(word)[1].lower()


def _put(text: str, match: re.Match[str], new: str) -> str:
    return text[: match.start()] + new + text[match.end() :]


def _other(old: str, among: Sequence[str], chance: random.Random) -> str:
    return chance.choice([word for word in among if word != old])


def _dropped(words: Sequence[str], at: int, chance: random.Random) -> str:
    before, _, after = parts(words[at])
    return "" if not before and after in ("", ",") else _doubled(words, at, chance)


def _doubled(words: Sequence[str], at: int, _chance: random.Random) -> str:
    before, core, after = parts(words[at])
    return f"{before}{core} {core.lower()}{after}"


def _synonym(words: Sequence[str], at: int, chance: random.Random) -> str:
    before, core, after = parts(words[at])
    other = SYNONYMS.get(core.lower())
    if other is None:
        return _mistyped(words, at, chance)
    return f"{before}{other.capitalize() if core[0].isupper() else other}{after}"


def _mistyped(words: Sequence[str], at: int, chance: random.Random) -> str:
    """Two letters inside the word change places, or one is missing or there twice."""
    before, core, after = parts(words[at])
    if len(core) < 5:
        return _doubled(words, at, chance)
    inside = chance.randrange(1, len(core) - 2)
    one, other = core[inside], core[inside + 1]
    letters = chance.choice((other + one, one, one + one + other))
    return f"{before}{core[:inside]}{letters}{core[inside + 2 :]}{after}"


def _repunctuated(words: Sequence[str], at: int, chance: random.Random) -> str:
    """Another sign after the word, or a small letter where a sentence begins."""
    before, core, after = parts(words[at])
    if core[0].isupper() and not after:
        return f"{before}{core[0].lower()}{core[1:]}"
    return f"{before}{core}" + chance.choice([sign for sign in _SIGNS.get(after, (",",)) if sign != after])


_SIGNS = {".": ("!", ";", ""), "!": (".", ""), "?": ("??", "."), ",": ("", ";"), ":": (" -", ","), "": (",",)}
_CHANGES = (_dropped, _doubled, _synonym, _mistyped, _repunctuated)
