"""Whether two nearly equal texts state different facts: in a number, a date, a negation or a name.

It errs on one side: what may be a difference is one, as a text is let go only if another says the same. What two texts
say of facts is compared in order, not as sets: "Ann owes Bob 5" is not "Bob owes Ann 5". Names are what has a capital
or stands in katakana; scripts without capitals or spaces do not show them, so there any word exchanged may be one.
What is not seen: an exchanged word of another kind ("a red car", "a fast car"), unless a list here has both, and names
in lower case in a text that has capitals elsewhere.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from typing import Final, Literal

from recollect.text.tokens import STOP_WORDS, UNSPACED, is_unspaced

Difference = Literal["number", "date", "negation", "name"]

# What a word is: the first three are facts whatever the other text says.
_NUMBER, _DATE, _NEGATION, _CAPITAL, _START, _SURE, _COMMON, _NOUN = (1 << bit for bit in range(8))
_FACT: Final = _NUMBER | _DATE | _NEGATION
# How a word is met before its neighbours are known: a date beside a number or after "in", a letter or a verb elsewhere.
_MAYBE: Final = 1 << 8

_MARKED: Final = "[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0970-\u0dff]"
_LETTERS: Final = f"(?:[^\\W\\d_{UNSPACED}]++|{_MARKED})++"
_SOLID: Final = f"[^\\W{UNSPACED}]"
_HAN_DIGITS: Final = "〇零一二三四五六七八九"
_HAN_UNITS: Final = {
    "十": 10,
    "百": 100,
    "千": 1_000,
    "万": 10_000,
    "萬": 10_000,
    "億": 10**8,
    "亿": 10**8,
    "兆": 10**12,
}
_HAN_NUMERALS: Final = f"{_HAN_DIGITS}{''.join(_HAN_UNITS)}两兩半"
_TOKEN: Final = re.compile(
    "([^\\w<>≤≥@#/~+\\-−±$€£¥₩%‰\u20bf\\\\]*)(?:"
    f"({_LETTERS}(?:['’]{_LETTERS})?+)(?![\\w@/\\\\]|[.:][\\w/])"
    "|(https?://[^\\s<>\"'、。]+|[\\w.+-]{1,64}@[\\w-]+(?:\\.[\\w-]+)+|[@#]\\w+|(?<!\\w)[~.]{0,2}(?:/[\\w.@-]+){2,}"
    f"|[A-Za-z]:\\\\\\S+|[A-Za-z][\\w-]{{0,64}}(?:/[\\w.-]{{1,64}}){{1,16}}\\.[a-z]\\w*|[^\\W\\d_{UNSPACED}]{{2,}}(?:\\.[a-z][a-z0-9]+)+"
    f"|[^\\W\\d_{UNSPACED}]{_SOLID}*[\\d_]{_SOLID}*|_+{_SOLID}+)"
    "|((?:(?<![\\w)\\]])[+\\-−±])?\\d+(?:[.,:/⁄]\\d+)*|[<>≤≥]=?(?=\\s?[\\d.])|[$€£¥₩\u20bf](?=\\s?\\d)|[%‰])"
    f"|([ap]\\.\\s?m\\b|{_LETTERS}(?:['’]{_LETTERS})?+)"
    f"|([{_HAN_NUMERALS}]+)|([\u1100-\u11ff\uac00-\ud7af]+)|((?:(?![{_HAN_NUMERALS}\u1100-\u11ff\uac00-\ud7af])[{UNSPACED}])+)"
    "|(.))",
    re.DOTALL,
)
# A sentence begins after these; a title before a name does not end one.
_OPENS: Final = re.compile('[.!?…:;。！？\\n"“”«»„「『([{•*|]|[^\\x00-\u2fff]')
_TITLES: Final = frozenset("mr mrs ms dr prof st jr sr sgt capt gen sen gov rev vs no fig e.g i.e".split())
_THOUSANDS: Final = re.compile(r"[+\-−±]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")

_NUMBERS: Final = {
    word: str(value)
    for value, words in {
        **dict(
            enumerate(
                "zero nil;one first once 하나 첫;two second twice 둘;three third thrice 셋;four fourth 넷;five fifth 다섯;"
                "six sixth 여섯;seven seventh 일곱;eight eighth 여덟;nine ninth 아홉;ten tenth 열;eleven eleventh;"
                "twelve twelfth dozen dozens;thirteen thirteenth;fourteen fourteenth;fifteen fifteenth;"
                "sixteen sixteenth;seventeen seventeenth;eighteen eighteenth;nineteen nineteenth;"
                "twenty twentieth 스물 스무".split(";")
            )
        ),
        30: "thirty thirtieth 서른",
        40: "forty fortieth 마흔",
        50: "fifty fiftieth 쉰",
        60: "sixty 예순",
        70: "seventy 일흔",
        80: "eighty 여든",
        90: "ninety 아흔",
        100: "hundred hundreds hundredth 백",
        1_000: "thousand thousands thousandth 천",
        10_000: "만",
        10**6: "million millions millionth",
        10**9: "billion billions",
        10**12: "trillion trillions",
        "half": "half halves halved 절반 반",
        "quarter": "quarter quarters",
        "double": "double doubled doubles couple pair pairs",
        "triple": "triple tripled",
        "single": "single",
        "%": "percent pct",
    }.items()
    for word in words.split()
}
_KOREAN_COUNT: Final = re.compile(
    "(?:(한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|스무)|([일이삼사오육칠팔구십백천만억]+))"
    "(명|개|번|살|시|시간|마리|권|잔|병|달|가지|사람|장|배|층|년|월|일|원|분|주|대|박)"
)
_DATES: Final = frozenset(
    """
    january february april june july august september october november december jan feb apr jun jul aug sep sept oct nov
    dec monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays
    sundays tue tues thu thur thurs fri today yesterday tomorrow tonight morning mornings afternoon evening evenings
    night nights noon midnight midday weekend weekends weekday weekdays summer winter autumn springtime fortnight
    pm p.m a.m bc ad bce 오늘 어제 내일 모레 그제 그저께 엊그제 글피 지난 다음 이번 지난주 다음주 이번주 작년 올해 내년
    재작년 아침 점심 저녁 새벽 오전 오후 밤 낮 봄 여름 가을 겨울 월요일 화요일 수요일 목요일 금요일 토요일 일요일 주말 평일
    """.split()
)
_MAYBE_DATES: Final = frozenset("may march mar mon wed sat sun fall spring am last next this previous".split())
_BEFORE_DATES: Final = frozenset("in since until till by of on early late mid during last next this every".split())
_AFTER_LAST: Final = _DATES | frozenset("day week month year decade century spring fall time days weeks months".split())
_NEGATIONS: Final = frozenset(
    """
    not no never none nor neither nobody nothing nowhere without hardly barely scarcely rarely seldom unless except non
    fail fails failed failing refuse refuses refused refusing lack lacks lacked lacking unable absence absent nope nah
    nicht kein keine keinen keiner keinem nie niemals ohne pas jamais sans aucun aucune nunca sin ningún ninguna не нет
    без 안 못 아니 아니다 아닌 아니라 없이
    """.split()
)
_SHORT_NOTS: Final = frozenset(
    "dont cant wont isnt arent wasnt werent didnt doesnt couldnt shouldnt wouldnt hasnt havent hadnt aint".split()
)
_KOREAN_NOT: Final = re.compile("않|없|아니|아닌|못하|못했|지 ?말|마세요|말라")
_KOREAN_PARTICLES: Final = re.compile(
    "(?<=.)(?:에게서|으로서|으로써|이라고|에서는|에서도|까지|부터|에서|에게|한테|으로|께서|이나|이랑|처럼|보다|하고|은|는|이|가|을|를|에|의|로|와|과|도|만|께|랑)$"
)

# Words that exclude each other, the sides parted by a bar: one side gone and another come is a difference.
_SIDES: Final = """
negation increase rise grow raise expand enhance|decrease decline reduce shrink diminish
negation higher greater more larger bigger|lower less fewer smaller
negation high large big huge|low small little tiny
negation most maximum|least minimum
negation accept approve agree|reject refuse disagree
negation allow permit|forbid prohibit ban deny prevent
negation enable|disable
negation before earlier prior|after later afterwards
negation early|late
negation always|sometimes|often|never
negation true correct|false wrong incorrect
negation open|close shut
negation up|down
negation left|right
negation win won|lose lost
negation like love enjoy adore|hate dislike loathe
negation buy bought purchase|sell sold
negation start begin began begun|stop end finish quit cease
negation arrive come came|leave depart go went
negation lend lent|borrow
negation teach taught|learn learnt
negation push|pull
negation send sent|receive
negation give gave given|take took taken
negation hot warm|cold cool
negation fast quick quickly|slow slowly
negation old|new young
negation long|short
negation good great nice|bad poor terrible awful
negation better|worse
negation best|worst
negation easy easily simple|hard difficult
negation happy glad|sad unhappy
negation strong|weak
negation cheap|expensive
negation safe|dangerous unsafe
negation same similar|different
negation positive|negative
negation inside indoors|outside outdoors
negation near|far
negation above over|below under beneath
negation alive|dead
negation married|divorced
negation success|failure
negation promote induce stimulate|inhibit suppress
negation gain|loss
negation add|remove delete
negation include|exclude
negation remember|forget forgot
negation acute|chronic
negation benign|malignant
negation agonist|antagonist
negation pro|anti
negation pre|post
negation public|private
negation on|off
negation from|to
negation can could may might|must
negation import|export
number all every each|some|most|many|few several
number second|minute|hour|day|week|month|year|decade|century
number mm millimetre millimeter|cm centimetre centimeter|metre meter|km kilometre kilometer|mile|inch|foot feet
number mg milligram|gram|kg kilogram|pound lb|ounce oz|ton tonne
number dollar usd|euro eur|yen jpy|krw|yuan cny|cent
date ago|later
date daily|weekly|monthly|yearly annually annual
name i me my mine myself|you your yours yourself|he him his himself|she her hers herself|we us our ours|they them their
name mother mom mum|father dad|brother|sister|son|daughter|husband|wife|uncle|aunt|grandmother grandma|grandfather grandpa
name man men male boy|woman women female girl
name north northern|south southern|east eastern|west western
name red|blue|green|yellow|black|white|purple|orange|pink|brown|grey gray
"""
_PREFIXES: Final = tuple(
    "un in im ir il dis non de mis anti over under hyper hypo up down pre post inter intra extra pro out ex".split()
)
_SHORTEST_REST: Final = 4

# Words that begin sentences and are no names, so that a sentence may lose one.
_OPENERS: Final = frozenset(
    """
    absolutely according accordingly additionally agreed aim aims almost along already alright although altogether always
    amazing among analysis another anyone anything anyway anyways apart apparently appreciate approximately aside ask
    aw awesome aww awww back background based beautiful believe besides best bet better beyond big bring btw bye call
    care case catch certainly change check cheers children clearly clinical collectively come coming common compared
    conclusion conclusions congrats congratulations consequently consider considering consistent context control
    conversely cool crazy current currently cute data definitely depending design despite different discussion done dude
    due early effect effects either else enjoy especially even eventually ever every everyone everything evidence exactly
    excited experiments fantastic feel feels finally find finding findings first following food found full fun funding
    furthermore future general generally get getting give given glad go going gonna good gosh got gotta great group
    guess guys haha happy hard haven having health hello help hence here herein hey hi high higher home hope hopefully
    however human huge i'm imagine importantly impressive increased indeed individuals initially instead interesting
    interestingly introduction keep key kids kind know large last lastly late lately later learning least less let lets
    life like likely likewise little live long look looking looks lots love loving low luckily main major make making
    man many materials maybe mean means meanwhile method methods might mine moreover mostly mouse mice much multiple must
    my myself nearly need never nevertheless new next nice nonetheless normally notably novel numerous obviously ok okay
    often oh old omg one oops ooh otherwise others our overall particularly patients people perfect perhaps playing
    please plus possibly previous previously primary probably purpose put quite rather reading ready real really recent
    recently regarding remarkably remember research result results review right role sad seeing seems see self setting
    several show significant similar similarly simply since single small someone something sometimes soon sorry sounds
    specifically spending start starting stay still strikingly studies study subjects subsequently such sudden suddenly
    sum summary super sure surprisingly sweet taken taking take talk talking tell thank thanks therefore thing things
    think though thus till time together too totally treatment trial truly try trying turns two type typically ugh
    ultimately understanding unfortunately unlike unless upon us use used using usually various wait wanna want was
    watching way well whatever whenever whereas wherever whether whoa whole whoever women woah woohoo wonderful wondering
    work working would wow writing wrong yay yeah yep yes yet yo young yup
    """.split()
)
# How words end that no name is a misspelling of.
_ENDINGS: Final = re.compile(
    ".{3,}(?:ions?|ments?|ness|ly|ing|ings|ity|ities|ology|isms?|ed|ical|ional|ular|ive|ous|ics?|able|ible|ful|ances?|ences?|ates?|ases?|ants?|ents?|tal|cts?|res?)"
)

# Japanese and Chinese: only where the runs of two texts differ.
_HAN_DATES: Final = re.compile(
    "(?=[今昨明先来去翌前后後大上下本每毎早朝昼夕夜晩晚午春夏秋冬週周星礼禮月火水木金土日平昭令正きあお])(?:一?昨[日夜年晩天]|今[日朝夜晩晚年週月天]|"
    "明[日朝年天晩晚治]|明?[后後前]天|先[日週月]|来[週月年]|去年|翌[日週月年朝]|前年|[上下本這这]个?個?[周週月]|[毎每][日週月年朝晩天]|早[上朝晨]|[朝昼夕夜晩晚]|[午][前後后]|"
    "[上下中]午|[春夏秋冬]|[周週][日一二三四五六末]|星期|礼拜|禮拜|[月火水木金土日]曜|平成|昭和|令和|大正|おととい|きのう|きょう|あした|あさって)"
)
_HAN_NEGATION: Final = re.compile(
    "な(?:い|かっ|く|けれ|さそ|し)|ませ?ん|ず(?!っ|つ|い)|ぬ|まい|[不没沒无無非未别別勿莫]"
)
_SMALL_KANA: Final = "\u3041-\u309f"
# What Chinese can leave out without saying anything else, as Japanese can with kana.
_FUNCTION: Final = "的了吧吗嗎呢啊呀嘛哦喔地得很也都就还還又再才和与與及是把被着著个個们們這这那"
_FILLING: Final = re.compile(f"[{_SMALL_KANA}{_FUNCTION}]+")
_KEPT: Final = re.compile(f"[^{_SMALL_KANA}{_FUNCTION}]")
_TELLING_KANA: Final = re.compile("さん|くん|ちゃん|さま|から|まで|より|られ|させ|[把被]")
# A name with its particle, where less would be a particle or an ending.
_KANA_NAME: Final = 4


@dataclass(frozen=True, slots=True)
class Facts:
    """What of a text is compared: its words in order, folded, numbers as values, with what each is; which of them are
    names by their form (sure) and which only begin a sentence (openers); the words it has of lists of opposites; its
    runs without spaces, a nought for each number; and whether it has no capital at all.
    """

    words: tuple[str, ...]
    marks: tuple[int, ...]
    sure: frozenset[str]
    openers: frozenset[str]
    sides: tuple[tuple[int, int], ...]
    unspaced: str
    plain: bool


def facts_of(text: str) -> Facts:
    """What a text states, to compare with others."""
    plain = text if text.isascii() else unicodedata.normalize("NFKC", text)
    surely = 0 if plain.isascii() or not is_unspaced(plain) else _SURE
    words: list[str] = []
    marks: list[int] = []
    runs: list[str] = []
    gaps, start = "", True
    for gap, word, identifier, number, part, numeral, hangul, run, other in _TOKEN.findall(plain):
        if other or run:
            gaps += gap + other
            runs.append(run)
            continue
        gap, gaps = gaps + gap, ""
        if number or numeral:
            words.append(_han_value(numeral) if numeral else _value(number, gap))
            marks.append(_NUMBER)
            runs.append("0")
            start = False
            continue
        if gap != " " and words and _OPENS.search(gap):
            start = not (gap[0] == "." and (words[-1] in _TITLES or (len(words[-1]) == 1 and marks[-1] & _CAPITAL)))
        folded, mark = (
            _met(word or part)
            if word or part
            else _hangul(hangul)
            if hangul
            else (identifier.rstrip(".,;:!?)").casefold(), _SURE | _CAPITAL)
        )
        if not words or folded != words[-1]:
            words.append(folded)
            marks.append(mark | surely | (_START if start else 0))
        # "METHODS We asked": the heading is a sentence.
        start = bool(start and mark & _HEADING)
    _settle_dates(words, marks)
    return Facts(
        tuple(words),
        tuple(marks),
        frozenset(word for word, mark in zip(words, marks, strict=True) if _is_sure(word, mark)),
        frozenset(word for word, mark in zip(words, marks, strict=True) if mark & _OPENING == _CAPITAL | _START),
        tuple(sorted(_SIDE_OF[word] for word in words if word in _SIDE_OF)),
        "".join(runs).strip("0"),
        not any(mark & _CAPITAL for mark in marks),
    )


def difference(one: Facts, other: Facts) -> Difference | None:
    """In what two texts differ; None if they say the same, as far as can be seen."""
    if one.words == other.words and one.unspaced == other.unspaced:
        return None
    names = one.sure | other.sure | (one.openers & other.openers)
    names -= _lower(one, names) | _lower(other, names)
    mine, theirs = _sequence(one, names), _sequence(other, names)
    if mine != theirs:
        return _kind_of(mine, theirs)
    gone, come = {*one.words} - {*other.words}, {*other.words} - {*one.words}
    return (
        _opposite(one, other, gone, come)
        or _apart(one.unspaced, other.unspaced)
        or ("name" if _renamed(one, other, gone, come) or _moved(one, other) else None)
    )


def _value(number: str, gap: str) -> str:
    if not number.isascii():
        number = "".join(str(unicodedata.digit(c, c)) for c in number.replace("−", "-").replace("⁄", "/"))
    if _THOUSANDS.fullmatch(number):
        number = number.replace(",", "")
    return f".{number}" if gap.endswith(".") and number[0].isdigit() else number


def _han_value(run: str) -> str:
    """三 is 3, 二〇二四 2024, 一万二千 12000."""
    total = section = digit = 0
    for character in run:
        if character == "半":
            return f"{run[:-1]}half"
        if (value := _HAN_DIGITS.find(character)) >= 0 or character in "两兩":
            digit = digit * 10 + (max(value - 1, 0) if value >= 0 else 2)
        elif (unit := _HAN_UNITS[character]) < 10_000:
            section, digit = section + (digit or 1) * unit, 0
        else:
            total, section, digit = (total + (section + digit or 1)) * unit, 0, 0
    return str(total + section + digit)


@lru_cache(maxsize=65_536)
def _met(word: str) -> tuple[str, int]:
    """A word's folded form, and what it is wherever it stands."""
    folded = word.casefold().replace("’", "'")
    mark = _CAPITAL if word[0].isupper() else 0
    stem, apostrophe, ending = folded.partition("'")
    if apostrophe and ending in ("s", "m", "re", "ve", "ll", "d"):
        folded = stem
    if folded == "cannot" or folded in _SHORT_NOTS or (apostrophe and folded.endswith("n't")):
        return "not", mark | _NEGATION | _COMMON
    if folded in _NUMBERS:
        return _NUMBERS[folded], mark | _NUMBER
    if folded[1:2] == "." and folded[0] in "ap":
        return f"{folded[0]}m", mark | _DATE
    known = (
        (_DATE if folded in _DATES else 0)
        | (_NEGATION if folded in _NEGATIONS else 0)
        | (_MAYBE if folded in _MAYBE_DATES else 0)
        | (_COMMON if folded in STOP_WORDS or folded in _OPENERS else 0)
    )
    upper = len(word) > 1 and word != word.lower() and word[1:] != word[1:].lower()
    if upper and folded in _OPENERS:
        return folded, mark | known | _HEADING
    if folded != stem or not apostrophe:
        upper = upper and not (apostrophe and folded != word.casefold() and len(stem) == 1)
    return folded, mark | known | (_SURE if upper and folded not in STOP_WORDS else 0)
