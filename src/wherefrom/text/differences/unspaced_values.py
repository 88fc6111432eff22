"""Whether an exchanged piece is the value of a statement in Japanese, Chinese or Korean; see `exchanged`."""

from __future__ import annotations

import re
from typing import Final

from wherefrom.text.differences.statement_words import (
    DATE,
    DAY,
    FUNCTION,
    NUMBER,
    PERIOD,
    UNIT,
    VALUE,
    Exchange,
    Piece,
    Statement,
)

_MANY: Final = {
    "ja": re.compile(
        "好き|嫌い|話|喋|持|飼|食べ|飲|読|買|知|会っ|会う|見|訪|使|遊|聞|歌|書(?!かれ)|弾|得意|でき|欲し|興味|アレルギー|習|学ん|対応|含|応援|集め|好む|必要"
    ),
    "zh": re.compile("喜欢|喜歡|会说|會說|有|认识|吃|喝|买|看|玩|读|养|去|使用|支持|需要|讨厌|爱"),
    "ko": re.compile("좋아|싫어|말하|할 줄|가지|키우|먹|마시|읽|알고|만나|사용|연주|필요|지원"),
}
_STATES: Final = {
    "ja": re.compile(
        "^(?:$|です|住|働|勤|通|暮|所属|在籍|あ(?:る|ります)|行わ|行な|開催|設定|動|稼働|位置|置|引っ越|移|転職|異動|切り替|変|始ま|終わ|開|閉|出発|到着|まで|から|以|期限|"
        "かか|販売|提供|送|保存|デプロイ|ホスト|実行|書かれ|泊|滞在|営業|と(?:呼|言|い)|呼ば|掲載|公開)"
    ),
    "zh": re.compile("^(?:$|工作|上班|上学|居住|举行|开会|开始|结束|元|岁|号|点|分|公司|人|度|米|天|月|年|日|小时|块)"),
    "ko": re.compile(
        "^(?:$|살|산다|삽|근무|일한|일하|일합|다닌|다닙|있|시작|열린|열립|끝|이다|입니다|합니다|한다|걸|이사|옮|바뀌|변경)"
    ),
}
_PAST: Final = re.compile("(?:た|ました)$")
_LASTING_PAST: Final = re.compile("引っ越|移|転職|異動|切り替|変")
_MANY_SUBJECT: Final = re.compile(
    "趣味|友達|友人|特技|好物|兄|弟|姉|妹|息子|娘|子供|子ども|同僚|ペット|犬|猫|資格|特徴|機能|朋友|爱好|친구|취미"
)
_WHEN: Final = re.compile("^(?:$|です|に(?:行|開催|あ|始|です|配信|発行|届)|から|まで)")
_HONORIFICS: Final = ("さん", "くん", "ちゃん", "様", "氏")
_MAX_KOREAN_WORDS: Final = 2
# Values of one kind, of which somebody or something has one at a time.
_ALIKE: Final[dict[tuple[str, ...], int]] = {
    (word,): number
    for number, words in enumerate(
        (
            ("独身", "既婚", "離婚", "婚約中"),
            ("有効", "無効"),
            ("オン", "オフ"),
            ("青", "赤", "緑", "黄色", "黒", "白", "青色", "赤色", "緑色", "茶色", "紫"),
            ("会社員", "医者", "医師", "教師", "先生", "学生", "看護師", "弁護士", "エンジニア", "公務員", "無職"),
        )
    )
    for word in words
}
_PARTICLE: Final = re.compile("(?:입니다|이다|이에요|예요|에서|에게|으로|까지|부터|에|로|은|는|이|가|을|를|의|다)$")


def is_unspaced_value(exchange: Exchange) -> bool:
    """True if an exchanged piece is the value of its statement."""
    earlier, later, script = exchange.earlier, exchange.later, exchange.earlier.script
    mine, theirs = exchange.mine, exchange.theirs
    rest = tuple(word for word in earlier.words[exchange.end :] if word not in _HONORIFICS)
    numeric = _are_numbers(mine)
    if numeric != _are_numbers(theirs) or _has_number(mine) != _has_number(theirs):
        return False
    if _MANY_SUBJECT.search(earlier.head) or _particles(mine) != _particles(theirs):
        return False
    if script == "ko":
        return _is_korean_value(exchange, rest, numeric)
    said = "".join(rest)
    if script == "ja" and not _stands_as_value(rest, said, numeric):
        return False
    if numeric:
        return _is_number(exchange)
    told = (*earlier.words[earlier.behind :], *later.words[later.behind :])
    between = earlier.words[earlier.behind : exchange.start]
    if _MANY[script].search("".join(told)) or any(word not in ("在", "は", "于") for word in between):
        return False
    plain = said[1:] if rest and rest[0] in ("に", "で", "を", "へ", "と", "は") else said
    if not _STATES[script].search(plain):
        return False
    words = tuple(word for word, _ in mine), tuple(word for word, _ in theirs)
    if plain not in ("", "です") or (rest and rest[0] != "です") or _are_alike(*words):
        return True
    return later.changes or earlier.single or not earlier.named or _is_place_in_chinese(earlier)


def has_many_values(statement: Statement) -> bool:
    """True if a statement has a verb or a subject that may have many values."""
    said = "".join(statement.words[statement.behind :])
    return bool(_MANY[statement.script].search(said) or _MANY_SUBJECT.search(statement.head))


def _are_alike(mine: tuple[str, ...], theirs: tuple[str, ...]) -> bool:
    return mine in _ALIKE and _ALIKE[mine] == _ALIKE.get(theirs)


def _has_number(piece: Piece) -> bool:
    return any(mark & NUMBER for _, mark in piece)


def _particles(piece: Piece) -> list[str]:
    return [word for word, mark in piece if mark & FUNCTION]


def _is_place_in_chinese(statement: Statement) -> bool:
    """True if a Chinese statement says where something is, rather than what."""
    return statement.script == "zh" and statement.words[statement.behind - 1] in "在于到叫:"


def _stands_as_value(rest: tuple[str, ...], said: str, numeric: bool) -> bool:
    """True if what follows a piece in Japanese lets it be a value, and the statement tells of no event."""
    if rest and rest[0] in ("は", "では", "には", "も", "や", "が", "とは"):
        return False
    if rest and rest[0] == "の" and not numeric:
        return False
    return not _PAST.search(said) or bool(_LASTING_PAST.search(said))


def _are_numbers(piece: Piece) -> bool:
    told = [mark for _, mark in piece if not mark & (FUNCTION | UNIT)]
    return bool(told) and all(mark & VALUE for mark in told)


def _is_number(exchange: Exchange) -> bool:
    """True if an exchanged number or date is a value, rather than the day or year of which a figure is."""
    earlier, later, marks = exchange.earlier, exchange.later, exchange.marks
    dated = exchange.is_dated
    for at in range(earlier.behind, exchange.start):
        mark = earlier.marks[at]
        if mark & NUMBER and earlier.words[at] == later.words[at] and not (mark & DATE and dated):
            return False
    after = earlier.marks[exchange.end :]
    if dated and any(mark & NUMBER and not mark & DATE for mark in after):
        return False
    if marks & DAY:
        return bool(_WHEN.search("".join(earlier.words[exchange.end :])))
    return not marks & PERIOD or not any(mark & NUMBER for mark in after)


def _is_korean_value(exchange: Exchange, rest: tuple[str, ...], numeric: bool) -> bool:
    mine, theirs = exchange.mine, exchange.theirs
    endings = [match[0] if (match := _PARTICLE.search(piece[-1][0])) else "" for piece in (mine, theirs)]
    said = "".join(rest)
    if max(len(mine), len(theirs)) > _MAX_KOREAN_WORDS or (endings[0] != endings[1] and not numeric):
        return False
    if endings[0] in ("은", "는", "이", "가", "의") or (_MANY["ko"].search(said) and not numeric):
        return False
    return bool(_STATES["ko"].search(rest[-1] if numeric and rest else said))
