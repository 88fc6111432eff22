"""Takes off a text what speaks of the telling and not of what is told: "the thing is that", "as it were".

Such a frame is one of a list that opens a sentence, or is set off by commas. What says how sure something is, or who
says it, is none: "I think", "he says", "in theory"; nor is an order ("to repeat, press 2") or a label ("last word: …").
"""

from __future__ import annotations

import re
from typing import Final

# Before "that": who says it is the writer, who doubts nothing. Hearsay and orders to tell somebody are none.
_THAT: Final = (
    r"(?:the|my|one|another) (?:(?:simple|plain|only|main|honest) )?(?:thing|point|fact|truth)"
    r"(?: of the matter)?(?: (?:here|i want to make|to note|to remember|is))*? is"
    r"|(?:it|this) (?:should|must|may|might|can|has to|ought to) (?:also |again )?be (?:mentioned|noted|said"
    r"|added|remembered"
    r"|pointed out|emphasi[sz]ed|stressed)"
    r"|(?:(?:it|this) is |it's )?(?:also )?worth (?:mentioning|noting|knowing|remembering|saying|adding)"
    r"|what (?:you|we|everyone) (?:should|must|need to) (?:know|remember) is|(?:you"
    r"|we) should (?:also )?(?:know|remember|note)"
    r"|(?:please )?(?:just )?(?:also )?(?:note|remember|be aware|bear in mind|keep in mind|do(?: not"
    r"|n't) forget|let'?s not forget)"
    r"|(?:i|we) (?:just |also |only )?(?:want|wanted|would like|'d like) to (?:say|mention|add|note|point out"
    r"|let you know|remind you"
    r"|stress)|i'd (?:just |also )?like to (?:say|mention|add|note|point out|let you know|remind you)"
    r"|(?:i|we) (?:should|must|might|may) (?:also |just |quickly )?(?:say|mention|add|note|point out|stress)"
    r"|let me (?:just |also )?(?:say|mention"
    r"|add|remind you|point out)|(?:just )?(?:a )?(?:quick |short |small |friendly |gentle )?(?:note|reminder"
    r"|word) to say"
    r"|(?:just )?(?:a )?(?:quick |short |small |friendly |gentle )?reminder|it goes without saying"
    r"|needless to say|suffice it to say"
    r"|there is no need to say"
)
# Before a comma or a dash, or between two of these.
_IDIOM: Final = (
    "by the way|of course|in fact|as a matter of fact|after all|all in all|all things considered|to be fair"
    "|to be (?:perfectly |quite |completely |brutally )?(?:honest|frank|clear|exact|precise)"
    "|to put it (?:simply|plainly|briefly|bluntly)"
    "|put simply|simply put|believe it or not|truth be told|to tell (?:you )?the truth"
    "|as (?:you|we|everyone|everybody) (?:all )?(?:may |might |probably )?(?:already )?knows?"
    "|(?:as )?(?:i|we) (?:have |'ve )?(?:already )?(?:said|mentioned|noted|explained)(?: before| earlier| above"
    "| already)?"
    "|as (?:already |previously )?(?:mentioned|noted|said|stated)(?: before| earlier| above| already)?|as i say"
    "|for that matter|not to forget|in other words|when all is said and done|if you must know"
    "|in case you(?: are|'re)? wonder(?:ing)?|it goes without saying|that being said|having said that|that said"
    "|strange to say|funnily enough|interestingly enough|surprisingly enough|oddly enough|sad to say"
    "|for the record|for your information|for (?:your )?reference"
    "|you see|you know|mind you|i mean|as it were|so to speak|(?:to (?:make|cut) a )?long story short"
    "|in a nutshell|to sum up"
    "|to summari[sz]e|in sum|to cut it short|on a side note|on another note|as a side note|just so (?:you"
    "|everyone|everybody) knows?"
    "|just to let you know|so you know|one more thing|one last thing|another thing|just another thing"
    "|while i(?:'m| am) at it|while i think of it|before i forget"
    "|(?:lest|so that) (?:we|you|i) (?:do not |don't )?forget|just to (?:mention|add|note|say|clarify|be clear"
    "|be sure|remind you|mention it)|to clarify"
    "|just in case|don'?t forget|do not forget|mind you|(?:it'?s|it is)? ?no surprise(?: there| here)?"
    "|not surprisingly|needless to say|(?:it'?s|it is) worth (?:mentioning|noting)"
    "|speaking of which|frankly speaking|honestly speaking|übrigens|wie gesagt|ehrlich gesagt|im grunde"
    "|nebenbei gesagt|kurz gesagt"
)
# Single words: at the beginning, before a comma. Elsewhere they may be one of several that say how ("slowly, clearly").
_WORD: Final = (
    "well|oh|ah|er|um|hmm|anyway|anyhow|actually|honestly|frankly|basically|essentially|incidentally|surprisingly"
    "|interestingly|importantly|obviously|admittedly|understandably|indeed|btw|fyi|ps|nb|remember|so"
)
_ASIDE_WORD: Final = "anyway|anyhow|actually|basically|incidentally|obviously|indeed|btw|fyi|mind"
_OPENING: Final = re.compile(
    rf"(?P<before>^|[.!?;…。]\s+)(?:(?:(?:{_IDIOM})(?:, (?:that )?(?:but )?| [–—-] )|(?:{_WORD}), "
    rf"|(?:{_THAT})(?:,? that |, (?=\w)))(?=\S))",
    re.IGNORECASE,
)
_ASIDE: Final = re.compile(
    rf"(?:,| [–—-]) (?:{_IDIOM}|{_ASIDE_WORD})(?P<end>, | [–—-] |(?=[.!?…]*\s*$))", re.IGNORECASE
)
# "Make sure to", "note that": what follows is what is told.
_ORDER: Final = re.compile(r"(?P<before>^|[.!?]\s+)(?:please )?(?:make|be) sure to (?=\w)", re.IGNORECASE)
_MAX_FRAMES: Final = 3

_ASIAN: Final = re.compile(
    "(?:(?<=^)|(?<=[。！？!?\\n]))(?:"
    "(?:結論|結果|要点)から(?:先に)?(?:言|申し?|述べ|お伝え)(?:うと|えば|いますと|上げると|上げますと|ると"
    "|ますと|すると|しますと)"
    "|(?:結論を?先に|念のため(?:に)?|念のため先に|一応|繰り返しに?|補足(?:で|として)?|ついでに|先に"
    "|改めて)(?:言|申し?)(?:うと|えば|いますと|上げますと|上げると|いますが|うが|上げますが|いうなら|うなら)"
    "|念のため(?:に)?(?:お伝えして?おきますが|お伝えしますが|お知らせしますが|申し添えますと?が?|申し添えると)"
    "|繰り返しになり?ますが|繰り返すと|補足(?:すると|しますと|ですが)|言い(?:忘れ|そびれ)(?:ました"
    "|てい(?:ました|ます|た)|た)(?:が|けど|けれど)"
    "|(?:前|先|先程|先ほど|以前|前回|何度|既|すで)(?:に|にも|も|から)?(?:言い|申し|申し上げ|述べ|お伝えし|伝え"
    "|書き|触れ|お話しし|話し)(?:てい)?(?:ました|ています|ております|ます|た|ている)"
    "(?:が|けど|けれど|通り|とおり|ように)"
    "|(?:前|先|以前|上|前述)[にもの]?(?:述べ|書い|言っ|伝え|触れ)た(?:が|とおり|通り|ように)"
    "|(?:皆(?:さん|様)?も?)?ご?(?:存知|存じ|承知)(?:の|かと思い|だと思い|とは思い|とは存じ|かと存じ"
    "|でしょう)(?:とおり|通り|ますが|が)"
    "|念のため(?:です)?が|余談(?:です|だ)?(?:が|けど)|蛇足(?:です|だ)?が"
    "|(?:簡単|正直|率直|端的|手短)に(?:言うと|言えば|言って|申しますと|言いますと)|要は|正直(?:な話|なところ"
    "|言って)?|ぶっちゃけ|早い話が?"
    "|何しろ|なにしろ|というのも|一言で(?:言えば|言うと)|言ってみれば|いわば|話は変わりますが|話は変わるが|さて"
    "|ところで"
    ")、(?=\\w)"
)
_ASIAN_ASIDE: Final = re.compile(
    "(?<=[はがをにで])(?:ですね|まあ?その|まあ|その|ええと|えっと|えー|あの|なんというか)、"
    "|(?<=[はがをにで])、(?:まあその|まあ|ええと|えっと|えー|あのー?|なんというか)、"
)


def without_frames(text: str) -> str:
    """A text without what speaks of the telling alone; one that is nothing else stays as it is."""
    plain = text
    if not text.isascii():
        plain = _ASIAN_ASIDE.sub("", _ASIAN.sub("", plain))
    if "," in plain or " that " in plain or " sure " in plain or " – " in plain or " - " in plain or "—" in plain:
        for _ in range(_MAX_FRAMES):
            shorter = _ORDER.sub(r"\g<before>", _ASIDE.sub(_aside, _OPENING.sub(r"\g<before>", plain)))
            if shorter == plain:
                break
            plain = shorter
    if plain == text or not plain.strip(" .,!?"):
        return text
    return plain[:1].upper() + plain[1:]


def _aside(match: re.Match[str]) -> str:
    return " " if match["end"] else ""
