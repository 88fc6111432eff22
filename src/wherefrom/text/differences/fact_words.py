"""The words by which texts state facts: numbers, dates, negations, opposites; and those that only look like names.

In English, Japanese, Chinese and Korean; of other languages only what negates. `differences` says how they are used.
"""

# ruff: noqa: SIM905
# A list of words is read as words.

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, Literal

from wherefrom.text.tokens import STOP_WORDS

Difference = Literal["number", "date", "negation", "name", "content"]

TITLES: Final = frozenset("mr mrs ms dr prof st jr sr sgt capt gen sen gov rev vs no fig".split())
NUMBERS: Final = {
    word: value
    for value, *words in map(
        str.split,
        """
        0 zero nil; 1 one first once 하나 첫; 2 two second twice 둘; 3 three third thrice 셋; 4 four fourth 넷; 5 five
        fifth 다섯; 6 six sixth 여섯; 7 seven seventh 일곱; 8 eight eighth 여덟; 9 nine ninth 아홉; 10 ten tenth 열; 11
        eleven eleventh; 12 twelve twelfth dozen dozens; 13 thirteen thirteenth; 14 fourteen fourteenth; 15 fifteen
        fifteenth; 16 sixteen sixteenth; 17 seventeen seventeenth; 18 eighteen eighteenth; 19 nineteen nineteenth; 20
        twenty twentieth 스물 스무; 30 thirty thirtieth 서른; 40 forty fortieth 마흔; 50 fifty fiftieth 쉰; 60 sixty
        sixtieth 예순; 70 seventy 일흔; 80 eighty 여든; 90 ninety 아흔; 100 hundred hundreds hundredth 백; 1000 thousand
        thousands thousandth 천; 10000 만; 1000000 million millions millionth; 1000000000 billion billions;
        1000000000000 trillion trillions; half half halves halved 절반 반; quarter quarter quarters; double double
        doubled doubles couple pair pairs; triple triple tripled; single single; % percent pct
        """.split(";"),
    )
    for word in words
}
_HAN_DIGITS: Final = "〇零一二三四五六七八九"
_HAN_UNITS: Final = dict(zip("十百千万萬億亿兆", (10, 100, 1_000, 10**4, 10**4, 10**8, 10**8, 10**12), strict=True))
HAN_NUMERALS: Final = f"{_HAN_DIGITS}{''.join(_HAN_UNITS)}两兩半"
_LONGEST_NUMERAL: Final = 24
DATES: Final = frozenset(
    """
    january february april june july august september october november december jan feb apr jun jul aug sep sept oct nov
    dec monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays
    sundays tue tues thu thur thurs fri today yesterday tomorrow tonight morning mornings afternoon evening evenings
    night nights noon midnight midday weekend weekends weekday weekdays summer winter autumn springtime fortnight pm
    오늘 어제 내일 모레 그제 그저께 엊그제 글피 지난 다음 이번 지난주 다음주 이번주 작년 올해 내년 재작년 아침 점심 저녁
    새벽 오전 오후 밤 낮 봄 여름 가을 겨울 월요일 화요일 수요일 목요일 금요일 토요일 일요일 주말 평일
    """.split()
)
MAYBE_DATES: Final = frozenset("may march mar mon wed sat sun fall spring last next this previous".split())
BEFORE_DATES: Final = frozenset("in since until till by of on early late mid during last next this every".split())
AFTER_LAST: Final = DATES | frozenset("day week month year decade century spring fall time days weeks months".split())
NEGATIONS: Final = frozenset(
    """
    not no never none nor neither nobody nothing nowhere without hardly barely scarcely rarely seldom unless except non
    fail fails failed failing refuse refuses refused refusing lack lacks lacked lacking unable absence absent nope nah
    nicht kein keine keinen keiner keinem nie niemals ohne pas jamais sans aucun aucune nunca sin ningún ninguna не нет
    без 안 못 아니 아니다 아닌 아니라 없이
    """.split()
)
SHORT_NOTS: Final = frozenset(
    "dont cant wont isnt arent wasnt werent didnt doesnt couldnt shouldnt wouldnt hasnt havent hadnt aint".split()
)
KOREAN_NOT: Final = re.compile("않|없|아니|아닌|못하|못했|지 ?말|마세요|말라")
# The part that a word plays by its particle: words play the same part if they have a bit in common. A topic, or a word
# without a particle, may be any of the first four: who acts, what is acted upon, whose it is, where it is.
NO_ROLE: Final = 0b1111
KOREAN_ROLES: Final = dict.fromkeys(("은", "는"), NO_ROLE) | {
    particle: 1 << bit
    for bit, particles in enumerate(
        "이 가 께서|을 를|의|에 에는 로 으로|에서 에서는 부터|까지|에게 한테 께|에게서 한테서|만 에만 에서만 에게만"
        "|도 에도 에서도 에게도|와 과 랑 이랑 하고|보다|으로서 으로써 이라고 이나 처럼".split("|")
    )
    for particle in particles.split()
}
KOREAN_PARTICLES: Final = re.compile(f"(?<=.)(?:{'|'.join(sorted(KOREAN_ROLES, key=len, reverse=True))})$")

# Words that exclude each other, the sides parted by a bar: one side gone and another come is a difference.
_SIDES: Final[dict[Difference, str]] = {
    "negation": """
        increase rise rose risen grow grew grown raise climb expand enhance|decrease decline reduce shrink shrank shrunk
        drop fall fell fallen sink sank sunk diminish; higher greater more larger bigger|lower less fewer smaller; high
        large big huge|low small little tiny; most maximum|least minimum; accept approve agree|reject refuse disagree;
        allow permit|forbid prohibit ban deny prevent; enable|disable; before earlier prior|after later afterwards;
        early|late; always|sometimes|often|never; true correct|false wrong incorrect; open|close shut; up|down;
        left|right; win won|lose lost; like love enjoy adore|hate dislike loathe; buy bought purchase|sell sold; start
        begin began begun|stop end finish quit cease; arrive come came|leave depart go went; lend lent|borrow; teach
        taught|learn learnt; push|pull; send sent|receive; give gave given|take took taken; hot warm|cold cool; fast
        quick quickly|slow slowly; old|new young; long|short; good great nice|bad poor terrible awful; better|worse;
        best|worst; easy easily simple|hard difficult; happy glad|sad unhappy; strong|weak; cheap|expensive;
        safe|dangerous unsafe; same similar|different; positive|negative; inside indoors|outside outdoors; near|far;
        above over|below under beneath; alive|dead; married|divorced; success|failure; promote induce stimulate activate
        activation activator upregulate|inhibit inhibition inhibitor suppress suppression downregulate; gain|loss;
        add|remove delete; include|exclude; remember|forget forgot; acute|chronic; benign|malignant; agonist|antagonist;
        pro|anti; pre|post; public|private; on|off; from|to; can could may might|must|should shall ought; front|back
        rear; import|export
    """,
    "number": """
        all every each|some several many numerous|most|few|only; second|minute|hour|day|week|month|year|decade|century;
        mm millimetre millimeter|cm centimetre centimeter|metre meter|km kilometre kilometer|mile|inch|foot feet; mg
        milligram|gram|kg kilogram|pound lb|ounce oz|ton tonne; dollar usd|euro eur|yen jpy|krw|yuan cny|cent
    """,
    "date": """
        ago|later; daily|weekly|monthly|yearly annually annual
    """,
    "name": """
        i me my mine myself|you your yours yourself|he him his himself|she her hers herself|we us our ours|they them
        their; mother mom mum|father dad|brother|sister|son|daughter|husband|wife|uncle|aunt|grandmother
        grandma|grandfather grandpa; man men male boy|woman women female girl; north northern|south southern|east
        eastern|west western; red|blue|green|yellow|black|white|purple|orange|pink|brown|grey gray
    """,
}


def _forms(word: str) -> tuple[str, ...]:
    """A word as it may be written: rise, rises, rising; not all of these are words."""
    if len(word) < 3:
        return (word,)
    endings = ("", "s", "es", "d", "ed", "ing", "ly", word[-1] + "ed", word[-1] + "ing")
    return (*(word + ending for ending in endings), *(word[:-1] + ending for ending in ("ing", "ies", "ied")))


GROUPS: Final = [(kind, group.split("|")) for kind, text in _SIDES.items() for group in text.split(";")]
QUANTITIES: Final = frozenset("all every each only both most".split())
SIDE_OF: Final = {
    form: (group, side)
    for forms_of in (_forms, lambda word: (word,))  # a word itself before the forms of another
    for group, (_, sides) in enumerate(GROUPS)
    for side, words in enumerate(sides)
    for word in words.split()
    for form in forms_of(word)
}
# With the longest first, so that "inter" is taken off rather than "in"; at least four letters are left.
_PREFIX: Final = re.compile(
    "(?:under|hyper|inter|intra|extra|anti|over|hypo|down|post|dis|non|mis|pre|pro|out|un|in|im|ir|il|de|up|ex)(?=.{4})"
)

# Ordinary words that often begin a sentence, where a name would have its capital, too.
OPENERS: Final = frozenset(
    """
    absolutely according accordingly additionally agreed alright although altogether always among analysis another
    anything anyway appreciate approximately awesome aww background based besides bet btw bye catch certainly check
    cheers children clearly clinical collectively compared conclusion conclusions congrats consequently consistent
    conversely cool current currently data definitely design despite different due early enjoy even every everyone
    evidence fantastic finally finding following furthermore future given glad gonna good got gotta great group guess
    haha happy haven health hence herein hey hi high higher hope however human importantly increased indeed individuals
    instead interestingly keep last lately let life like little look looking looks love low main making many maybe mean
    methods mice moreover mouse multiple must nearly nevertheless new next nice notably numerous oh overall patients
    perhaps please plus previous previously primary purpose quite rather real really recent recently remarkably remember
    research results see seeing seems self several significant similar similarly since small something sometimes sorry
    sounds specifically stay still strikingly studies study subjects subsequently summary super sure surprisingly take
    taken taking talk tell thank thanks therefore things thus time together treatment truly trying understanding
    unfortunately unlike upon use using various wanna way well whereas whether woah women woohoo working wow writing
    yeah yep yes yet yup
    """.split()
)
USUAL: Final = STOP_WORDS | OPENERS
ARTICLES: Final = frozenset(("a", "an", "the"))
# Words that can be added to a sentence without saying anything else.
FILLERS: Final = frozenset(
    """
    a an the and it is are am be that this these there here which who as so of for to in on at by with i we you do does
    have has also always already actually absolutely again basically simply really please normally
    usually generally typically certainly definitely obviously course way btw fyi anyway well indeed though just
    still now currently presently about around roughly approximately circa ca exactly quite pretty rather even very much
    fact usual moment remember note know mind forget reminder own yes ok oh hi hello hey thanks
    thank cheers der die das ein eine und ist sind es dass auch immer schon eigentlich einfach bitte halt eben
    ja mal doch nämlich übrigens natürlich normalerweise ungefähr etwa rund jetzt derzeit aktuell danke hallo
    """.split()
)

# Japanese and Chinese: only where the runs of two texts differ.
HAN_DATES: Final = re.compile(
    "(?=[今昨明先来去翌前后後大上下本每毎早朝昼夕夜晩晚午春夏秋冬週周星礼禮月火水木金土日平昭令正きあお])(?:一?昨[日夜年晩天]|今[日朝夜晩晚年週月天]|"
    "明[日朝年天晩晚治]|明?[后後前]天|先[日週月]|来[週月年]|去年|翌[日週月年朝]|前年|[上下本這这]个?個?[周週月]|[毎每][日週月年朝晩天]|早[上朝晨]|[朝昼夕夜晩晚]|[午][前後后]|"
    "[上下中]午|[春夏秋冬]|[周週][日一二三四五六末]|(?:星期|礼拜|禮拜)[一二三四五六日天]?|[月火水木金土日]曜|平成|昭和|令和|大正|おととい|きのう|きょう|あした|あさって)"
)
HAN_NEGATION: Final = re.compile(
    "な(?:い|かっ|く|けれ|さそ|し)|ませ?ん|ず(?!っ|つ|い)|ぬ|まい(?![すりるっ])|[不没沒无無非未别別勿莫]"
)
_KANA_PAIRS: Final[dict[Difference, str]] = {
    "name": "れ|せ が|を が|に を|に",
    "negation": (
        "え|い け|き げ|ぎ せ|し て|ち べ|び め|み れ|り える|う ける|く げる|ぐ せる|す てる|つ べる|ぶ める|む"
    ),
    "date": "|った",
}
KANA: Final = "\u3041-\u309f"
# Characters that Chinese can leave out and still say the same, as Japanese can with kana.
FUNCTION: Final = "的了吧呢啊呀嘛哦喔地很就和与與及是把被着著个個们們"
TELLING_KANA: Final = re.compile(
    "さん|くん|ちゃん|さま|から|まで|より|だけ|のみ|しか|[かがさたなばまらわ][れせ]|うと[すし]|[把被]"
)
# Kana that say something else in the place of each other: who does it, whether it is done or let be done, or can be.
KANA_SIDES: Final[dict[frozenset[str], Difference]] = {
    frozenset(pair.split("|")): kind for kind, pairs in _KANA_PAIRS.items() for pair in pairs.split()
}
KANA_PAST: Final = re.compile("(?:っ|し|ん|い|かっ)?[ただ]")
KANA_PRESENT: Final = re.compile("[うくぐすつぬぶむるい]")


def han_value(run: str) -> str:
    """三 is 3, 二〇二四 2024, 一万二千 12000."""
    if len(run) > _LONGEST_NUMERAL:
        return run
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


def without_prefixes(words: Iterable[str]) -> set[str]:
    """Words, and what is left of them: "happy" of "unhappy", "useful" of "useless"."""
    full = [f"{word[:-4]}ful" if word.endswith("less") else word for word in words]
    return {form for word in full for form in (word, _PREFIX.sub("", word, count=1) if _PREFIX.match(word) else word)}
