"""Takes greetings and closing words off a text: two texts that differ in them say the same. Names are told apart: they
say whom it is for or from.

A courtesy is a whole phrase of a list: an opening, or a sentence at the end, that is one of these or up to three. Any
other sentence stays, as it may be an order ("Ask everyone."), and so does a label ("Morning: yoga").
"""

# A list of words is read as words.

from __future__ import annotations

import re
from typing import Final

from wherefrom.text.differences.fact_words import DATES, MAYBE_DATES, NEGATIONS, NUMBERS
from wherefrom.text.differences.frames import without_frames

# A courtesy stands within so many characters of the beginning or the end; patterns see no more of a text.
_REACH: Final = 80
# So many follow each other at most: "Hi all, quick reminder: …".
_MAX_COURTESIES: Final = 6

# Whole phrases: of words of courtesy put together freely, some are facts ("Morning: yoga", "Take care of the guests.").
# Festivals are none, as two of them are two dates.
_ALL: Final = (
    "(?: (?:there|all|everyone|everybody|team|folks|guys|both|again|friends|colleagues|neighbou?rs"
    "|ladies and gentlemen"
    "|and welcome|zusammen|an alle|ihr lieben|ihr beiden|liebe alle))?"
)
_HAIL: Final = (
    rf"(?:(?:hi|hello|hey|heya|hiya|hallo|good (?:morning|afternoon|evening)|guten (?:morgen|tag|abend)"
    rf"|welcome){_ALL}"
    "|dear (?:all|everyone|everybody|team|friends|colleagues|neighbou?rs|(?:sir|madam)(?: or (?:sir|madam))?|guests"
    "|members|parents|customers|residents|tenants|volunteers)|liebe (?:alle|leute|kollegen|nachbarn|freunde|gäste)"
    "|ladies and gentlemen|to whom it may concern|folks|greetings)"
)
_HELP: Final = (
    "(?:(?:your|the|all your) )?(?:(?:kind|continued) )?(?:help|understanding|patience|co-?operation|support"
    "|attention"
    "|time|kindness|interest|message|reading|listening|asking|reply)(?: and (?:help|understanding|patience"
    "|co-?operation"
    "|support|time))?"
)
_THANKS: Final = (
    "(?:(?:many|much|lots of|a thousand) )?(?:thanks|thank you|thx|cheers|ta|danke|vielen dank|besten dank"
    "|herzlichen dank)"
    "(?: (?:so much|very much|a lot|a million|all|everyone|everybody|team|folks|guys|again|in advance|and regards"
    f"|for {_HELP}))*"
)
_REGARDS: Final = (
    "(?:(?:with|kind|best|warm|kindest|warmest|many|and) )*(?:regards|wishes)|all the best|(?:with )?(?:lots of"
    "|much) love"
    "|yours (?:sincerely|faithfully|truly)|sincerely(?: yours)?|hugs(?: and kisses)?|x{2,3}|(?:bye|goodbye)"
    f"(?: for now| then)?{_ALL}|take care{_ALL}|(?:(?:viele|liebe|beste|herzliche) )?grüße(?: an alle)?"
    f"|mit freundlichen grüßen"
    "|(?:lieben|schönen) gruß|lg|vg|mfg|tschüss|see you(?: (?:all|both))?(?: (?:there|then|soon|later|around))?"
    f"|(?:speak|talk)(?: to you)? (?:soon|later)|bis (?:dann|bald)|stay safe{_ALL}|keep well{_ALL}"
)
_HOPE: Final = (
    "(?:i |we )?hope (?:that )?(?:this (?:helps|finds you(?: all)? well)|(?:this|my) (?:message|note|email"
    "|mail) finds you(?: all)? well"
    "|you(?: are|'re)(?: all| both)? (?:doing )?(?:well|fine|ok)|all is well|everyone is well"
    "|to (?:see|hear from) you(?: all)? soon)|(?:(?:i am|i'm|we are|we're) )?looking forward to (?:seeing"
    "|hearing from) you(?: all)?(?: soon)?"
)
_SORRY: Final = (
    "(?:(?:so |very )?sorry|(?:my |many |our )?apologies|i apologi[sz]e|we apologi[sz]e)(?: again)?"
    "(?: (?:to (?:bother|disturb|trouble) (?:you|everyone)(?: all)?(?: again| once more)?|for (?:the |any |my "
    "|this )?"
    "(?:inconvenience|trouble|bother|disturbance|short notice|confusion|spam|(?:late|slow|delayed) (?:reply"
    "|answer|response|message)"
    "|late message|another message)))?"
)
_WISH: Final = (
    f"(?:have a|wishing you(?: all)? a) (?:(?:very )?(?:nice|good|great|lovely|wonderful|pleasant|relaxing) )"
    f"(?:day|week|weekend|evening|time|one){_ALL}|enjoy(?: your (?:day|weekend|evening))?|(?:(?:it is|it's|it was) )?"
    "(?:good|nice|great|lovely) to (?:hear from|see) you(?: again)?|congratulations|congrats|(?:much"
    "|greatly) appreciated"
)
_QUESTIONS: Final = (
    "(?:(?:if you have )?any (?:more |further )?questions,? )?(?:please )?(?:just )?(?:let (?:me|us) know"
    "|feel free to (?:ask|get in touch|reach out|contact (?:me|us)))"
    "(?: if (?:you have|there are) (?:any )?(?:more |further )?questions| if anything is unclear"
    "| if you need (?:anything|any help|help))?"
    "|(?:if you have )?any questions,? (?:please )?(?:just )?(?:ask(?: me)?|get in touch|contact (?:me|us))"
)
# What may stand before a colon, too.
_LABEL: Final = (
    "(?:(?:just |only )?(?:an? )?(?:(?:quick|short|brief|small|little|gentle|friendly|kind) )*(?:reminder|note"
    "|memo|info|heads[- ]?up|fyi)"
    "(?: (?:to self|to myself|to all|to everyone|for everyone|for all|again)|,? (?:all|folks|everyone|everybody"
    "|team|guys))?"
    "|p[.]?s[.]?|n[.]?b[.]?|btw|(?:zur |kurze |kurzer |kleine |kleiner |wichtiger )?(?:info|notiz|hinweis|erinnerung)"
    "|for your information|for (?:your )?reference|for the record|(?:please )?(?:do not|don't) forget"
    "|just to let you know|just so you know|please note)"
)
_REMARK: Final = (
    "as (?:already |previously )?(?:mentioned|discussed|said)(?: before| earlier| already)?|before i forget"
    "|übrigens|nebenbei"
    "|wie (?:gesagt|besprochen|erwähnt)"
)
_COMMON: Final = f"{_HAIL}|{_THANKS}|{_REGARDS}|{_HOPE}|{_SORRY}|{_WISH}|{_QUESTIONS}"
_JOIN: Final = "(?:,? (?:and )?)"
_LABELLED: Final = re.compile(_LABEL, re.IGNORECASE)
_OPENED: Final = re.compile(f"(?:{_LABEL}|{_REMARK}|(?:{_COMMON})(?:{_JOIN}(?:{_COMMON})){{0,2}})", re.IGNORECASE)
_CLOSED: Final = re.compile(f"(?:{_COMMON})(?:{_JOIN}(?:{_COMMON})){{0,2}}", re.IGNORECASE)
# Before a name these close a text as well.
_BEFORE_NAME: Final = re.compile(
    f"(?:best|love|with love|yours|{_COMMON})(?:{_JOIN}(?:love|best|{_COMMON})){{0,2}}", re.IGNORECASE
)
_GREETING: Final = (
    "hi|hiya|hello|hey|dear|good (?:morning|afternoon|evening)|hallo|liebe[rs]?|guten (?:morgen|tag|abend)"
)
_FIRST: Final = re.compile(r"(p\.s\.|n\.b\.|[^,:!.\n–—]{1,60})([,:!.]+| [–—-])\s+(?=\w)", re.IGNORECASE)
_LAST: Final = re.compile(r"(?<=[.!?…)\n。])\s*([^.!?…\n。]{1,50})[.!]*$")
_WORD: Final = re.compile(r"[\w.'’-]*\w")

_ASIAN_GREETED: Final = (
    "(?:(?:いつも|本日も)(?:大変)?)?(?:お疲れ(?:様|さま)(?:です|でした)|大?変?お世話になって(?:おり|い)ます"
    "|お世話になります|ありがとうございます)"
    "|(?:お忙しい|ご多忙の?)(?:ところ|中)?、?(?:(?:大変)?(?:恐れ入り|恐縮で|失礼いたし|すみ|申し訳ござい"
    "|申し訳あり)(?:ます|す|ません|ございません)(?:が)?)?"
    "|(?:夜分|夜分遅く|朝早く|突然|度々|たびたび)(?:に|の?(?:ご)?連絡)?(?:で)?、?(?:すみません"
    "|失礼(?:いた)?します|恐れ入ります|申し訳(?:ありません|ございません))"
    "|こんにち[はわ]|こんばん[はわ]|おはよう(?:ございます)?|はじめまして|お?久しぶりです|ご無沙汰して(?:おり"
    "|い)ます|(?:皆(?:さん|様|さま)|みなさん)?お元気ですか"
    "|失礼(?:いた)?します|恐れ入ります|恐縮ですが|すみません|申し訳(?:ありません|ございません)|ごめんなさい"
)
# What opens a text and says that something is told; before a colon only these.
_ASIAN_LABELS: Final = (
    "念のため(?:です)?が?|ちなみに|メモ(?:です)?|再掲(?:です)?|リマインド(?:です)?|覚え?書き?|備忘(?:録)?"
    "|お知らせ(?:です)?"
    "|(?:業務|ご)連絡(?:です)?|(?:関係者)?(?:の)?(?:皆|みな)(?:さん|様|さま)(?:へ)?|(?:みんな|皆)へ|(?:関係者)?各位"
    "|追伸|参考まで(?:に)?|ご参考まで(?:に)?|各位(?:好)?|提醒(?:一下)?|备注|備註|顺便说一下|알림|공지|참고로|메모"
)
_ASIAN_OPENINGS: Final = (
    f"{_ASIAN_GREETED}|{_ASIAN_LABELS}|お願い(?:です)?|ご?案内です|連絡(?:です)?|ご?報告です"
    f"|(?:情報)?共有(?:です)?|忘れずに"
    "|前にも(?:言|書)(?:い|き)(?:た|まし)たが|取り急ぎ|なお|你好|您好|大家好|안녕하세요"
)
_ASIAN_GREETING: Final = re.compile(
    "お疲れ|お世話|こんにちは|こんばんは|おはよう|はじめまして|お久しぶり|失礼|各位|皆様"
)
_SUBJECT: Final = "ご?(?:確認|承知|対応|協力|了承|査収|検討|理解|周知|返信|返事|連絡|注意)(?:おき)?"
_ASKED: Final = "(?:何卒|どうぞ|どうか)?(?:よろしく|宜しく)?(?:お願い|おねがい)(?:いた|致)?(?:します|申し上げます)"
_ASIAN_CLOSED: Final = (
    f"(?:以上、?)?(?:皆(?:さん|様|さま)、?)?(?:{_SUBJECT}(?:の?(?:ほど|程))?(?:を|、)?)?{_ASKED}|(?:どうぞ"
    f"|以上)?、?(?:よろしく|宜しく)(?:です|ね)?"
    "|以上(?:です|になります|となります)?|(?:ご(?:確認|協力|対応|理解|連絡))?(?:どうも|(?:誠|まこと)に"
    "|いつも)?ありがとう(?:ございま(?:す|した))?"
    "|お疲れ(?:様|さま)で(?:す|した)|失礼(?:いた|致)?しま(?:す|した)|(?:取り急ぎ|まずは)?、?(?:ご?(?:連絡|報告"
    "|共有|案内)|お知らせ)(?:まで|です)"
    f"|ご(?:確認|承知|対応|協力|了承|査収|検討)(?:おき)?(?:ください|下さい)|ご参考まで(?:に)?"
    f"|お手数(?:を)?(?:お|御)?(?:かけ|掛け)(?:します|いたします|しますが)(?:が、?{_ASKED})?"
    f"|お手数ですが、?{_ASKED}|(?:では|それでは|じゃあ?|ではでは)、?(?:また|失礼)(?:ね|あとで|後で|今度)?"
    "|(?:念のため|メモ|覚え書き)(?:です)?|(?:ご)?(?:質問|不明(?:な)?点)(?:が|等)?(?:あれば|ございましたら"
    "|がございましたら|がありましたら)、?(?:お気軽に)?(?:どうぞ"
    "|(?:ご連絡|お問い合わせ|お知らせ|聞いて|お聞き)(?:ください|下さい))|(?:良い|よい)(?:一日|週末"
    "|一週間)を(?:お過ごしください)?|助かります|幸いです"
    "|(?:お)?体(?:に)?(?:お)?気をつけて|ご自愛ください|谢谢(?:大家)?|多谢|謝謝|감사합니다|고맙습니다|이상입니다"
    "|수고하세요"
)
_ASIAN_LAST: Final = re.compile(f"(?<=[。！？!?.\\n])\\s?(?:{_ASIAN_CLOSED})[.!。！]*$")
# 中止ですので、よろしくお願いします。
_ASIAN_TAIL: Final = re.compile(f"(?<=[すた])(?:ので|から)、(?:{_ASIAN_CLOSED})[。！!]*$")
# Who writes, behind a greeting: お疲れ様です、佐々木です。 Other words there are facts (中止です。).
_ASIAN_FAMILY: Final = (
    "佐藤|鈴木|高橋|田中|渡辺|渡邊|伊藤|山本|中村|小林|加藤|吉田|山田|佐々木|山口|松本|井上|木村|斎藤|斉藤|清水"
    "|山崎|池田"
    "|橋本|阿部|石川|山下|中島|石井|小川|前田|岡田|長谷川|藤田|近藤|後藤|村上|遠藤|青木|坂本|福田|太田|西村|藤井|岡本"
    "|藤原|中野|三浦|原田|中川|松田|竹内|小野|田村|中山|和田|石田|森田|上田|柴田|酒井|宮崎|横山|高木|安藤|宮本"
    "|大野|小島"
    "|今井|工藤|谷口|高田|丸山|増田|杉山|村田|大塚|新井|小山|平野|河野|藤本|野口|武田|松井|千葉|菅原|岩崎|木下"
    "|久保|佐野"
    "|野村|松尾|菊地|菊池|市川|杉本|古川|大西|島田|水野|桜井|渡部|吉川|山内|西田|西川|北村|安田"
)
_ASIAN_INTRODUCTION: Final = f"(?:{_ASIAN_FAMILY})です。"
_ASIAN_FIRST: Final = re.compile(
    "(?:【(?:重要|お?知らせ|ご?連絡|業務連絡|メモ|リマインド|共有|再掲|注意|ご?案内|お願い|ご?報告)】"
    f"|(?:(?:{_ASIAN_OPENINGS})(?:[、。，,!！.]+ ?|[ 　\\n])"
    f"|(?:{_ASIAN_LABELS})[：:] ?)(?=\\w))(?!{_ASIAN_INTRODUCTION})"
    "|참고로 (?=\\w)"
)

# A name in a greeting or below the text.
_NAME: Final = r"(?!The\b|I\b|We\b|It\b)[^\W\d_a-z][\w'’.-]{0,20}"
_NAMES: Final = rf"{_NAME}(?:(?: and | und | & |, | ){_NAME}){{0,2}}"
_ADDRESS: Final = re.compile(rf"(?i:{_GREETING}) ({_NAMES})(?:[,:!]| [–—-])\s(?=\w)")
_ASIAN_ADDRESS: Final = re.compile(
    r"([^\s、。,はがをにでのも]{1,8}(?:さん|様|さま|先生|くん|ちゃん)(?:へ(?=。)|、お疲れ(?:様|さま)です))[、。,]"
)
_ASIAN_INTRODUCED: Final = re.compile(f"(?:{_ASIAN_GREETED})[、。]({_ASIAN_INTRODUCTION})")
_ASIAN_SIGNATURE: Final = re.compile(rf"(?<=[。！])\s?({_ASIAN_FAMILY})より[。]?$")
# Without より a name stands alone, below a text that greets.
_ASIAN_LONE_NAME: Final = re.compile(f"(?<=[。！])\\s?({_ASIAN_FAMILY})$")
_SIGNED: Final = re.compile(rf"(?:{_NAMES}|[Tt]he \w+|[Yy]our \w+)")
_SIGNED_APART: Final = re.compile(rf"(?<=[.!?…)])\s([^.!?…\n]{{1,40}})[.!]\s({_NAMES})[.!]?$")
# Who writes of "me" says who that is by signing; who writes to "you", by greeting.
_OF_WRITER: Final = re.compile(r"\b(?:i|me|my|mine|myself|ich|mir|mich|mein\w*)\b|私|僕|俺|自分|うち", re.IGNORECASE)
_OF_READER: Final = re.compile(
    r"\b(?:you|your|yours|du|dir|dich|dein\w*|ihr|euch|euer|i|we|us|our|my|me)\b|あなた|君|私|僕|俺", re.IGNORECASE
)


def without_courtesies(text: str) -> str:
    """Return a text without the greetings or remarks that it opens with, and without the thanks that it closes with; a
    text that is nothing else stays as it is.
    """
    plain = text.strip()
    for _ in range(_MAX_COURTESIES):
        shorter = without_frames(_without_one(plain))
        if shorter == plain or not shorter.strip():
            break
        plain = shorter
    return plain


def without_names(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a text without the name of whom it greets and of who signed it, and these names. They stay where the text
    speaks of "me" or to "you".
    """
    plain, names = text, []
    if (
        (signed := _signature(plain))
        and not _is_date(signed[1])
        and _is_telling(shorter := plain[: signed[0]], _OF_WRITER)
    ):
        plain = shorter
        names.append(signed[1].rstrip(".").casefold())
    for pattern in (_ADDRESS, _ASIAN_ADDRESS, _ASIAN_INTRODUCED):
        if (found := pattern.match(plain[:_REACH])) and _is_telling(
            without_courtesies(shorter := plain[found.end() :]), _OF_READER
        ):
            plain = _capitalised(shorter)
            names.append(found[1].rstrip(".。").casefold())
    return plain, tuple(names)


def is_courtesy(words: str) -> bool:
    """True if some words are nothing but a courtesy that closes a text."""
    return bool(_CLOSED.fullmatch(_straight(words)))


def _signature(text: str) -> tuple[int, str] | None:
    """Where the closing words begin with which somebody signs a text, and the name."""
    end = text[-_REACH:]
    before = len(text) - len(end)
    for pattern in (_ASIAN_SIGNATURE, *((_ASIAN_LONE_NAME,) if _greets(text) else ())):
        if found := pattern.search(end):
            return before + found.start(), found[1]
    if (found := _SIGNED_APART.search(end)) and _BEFORE_NAME.fullmatch(_straight(found[1])):
        return before + found.start(), found[2]
    if not (found := _LAST.search(end)):
        return None
    for word in _WORD.finditer(found[1]):
        if (
            found[1][: word.start()].rstrip().endswith((",", "-", "–", "—"))
            and _BEFORE_NAME.fullmatch(_straight(found[1][: word.start()]))
            and _SIGNED.fullmatch(name := found[1][word.start() :].strip())
        ):
            return before + found.start(), name
    return None


def _is_date(name: str) -> bool:
    return not {*re.findall(r"\w+", name.casefold())}.isdisjoint(DATES | MAYBE_DATES | NEGATIONS | NUMBERS.keys())


def _straight(words: str) -> str:
    return words.replace("’", "'").strip(" ,–—-")


def _greets(text: str) -> bool:
    return bool(_ASIAN_GREETING.match(text) or _ASIAN_ADDRESS.match(text))


def _is_telling(text: str, bound: re.Pattern[str]) -> bool:
    """True if a text says something, whoever says it to whomever."""
    return bool(text.strip()) and not bound.search(text)


def _without_one(text: str) -> str:
    """A text without one opening and one closing."""
    end = text[-_REACH:]
    closing = _ASIAN_LAST.search(end) or _ASIAN_TAIL.search(end)
    if not closing and (last := _LAST.search(end)) and is_courtesy(last[1]):
        closing = last
    if closing:
        text = text[: len(text) - len(end) + closing.start()]
    start = text[:_REACH]
    if opening := _ASIAN_FIRST.match(start):
        return text[opening.end() :]
    opening = _FIRST.match(start)
    if not opening or not (_LABELLED if ":" in opening[2] else _OPENED).fullmatch(_straight(opening[1])):
        return text
    return _capitalised(text[opening.end() :].removeprefix("but "))


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]
