"""Secrets that a word announces: "password: …", "the API key is …", 「パスワードは…」."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from wherefrom.text.nearby_secrets import nearby_spans, tabled_spans, window
from wherefrom.text.passphrases import end_of_phrase, is_quoted_phrase, is_random_row
from wherefrom.text.patterns import compiled
from wherefrom.text.secret_ends import CLOSING, ENOUGH, TAKEN_OUT, end_of_secret
from wherefrom.text.secret_values import (
    Announcement,
    Value,
    is_placeholder,
    is_secret,
    looks_like_password,
    may_be_password,
)
from wherefrom.text.secret_words import (
    KEY_WORDS,
    LONG_WORDS,
    OTHER_BEGINS,
    OTHER_ENDS,
    PIN_WORDS,
    SHORT_WORDS,
    announcing_words,
)

# Between the word and its value; a sentence may say first what the password is for.
_JOINTS: Final = (
    r"s?[0-9]{0,2}(?P<rest>(?:[_-][a-z0-9]{1,12}){0,3})(?P<closed>(?:\\?[\"'`\])*]){0,3})(?:[ ][0-9](?=:))?(?:[ "
    r"]?\([^()\n]{1,40}\))?"
    r"(?:(?:(?<=[\w)])(?P<about>,?[ ][^\n.:=;!?\"「、|0-9]{1,64}?))??[^\S\n]{0,12}"
    r"(?::[ ]{0,2}[&a-z\[][a-z0-9_.\[\]|<>&' ]{0,24}?(?:;[ ][0-9]{1,3}\])?[ ]{0,2}(?==[ ]?[^=\s]))?"
    r"(?:(?P<sign>=>|->|→|:=|!?={1,3}|:|>|(?<=\s)\|(?=\s))|(?P<said>[はがを是为為、]|는|은|이|가|를|을"
    r"|(?<=\s)(?:is|was|will be|used to be|ist|lautet|est|es|é|è|e'|to|from|as|jest|är|là|—|–|-)(?=[\s:\"'`])"
    r"(?:\s(?:now|still|just|set to|changed to|currently|actually|simply))?:?))"
    r"|(?P<beside>(?:,[ ]?|\()(?=[\"'])|[^\S\n]{0,2}(?=[「『“\"'`])|(?<=[^\x00-\x7f])(?=\()|[^\S\n]))"
    r"(?P<space>[^\S\n]{0,4})(?:\*\*)?[ ]?(?:(?P<scheme>basic|bearer|token|digest|apikey)\s{1,3})?"
    # the call that decodes it
    r"(?:(?:\w{1,12}\.)?(?:hex!|fromhex|unhexlify|b64decode|buffer\.from|decode|bytes)\((?=[\"']))?"
)
_BEARER: Final = r"bearer\s{1,3}(?=[a-z._~+/=-]{0,80}[0-9])(?=[a-z0-9_.~+/=-]{16})"

# A user's name on the same line says that a password follows.
_LOGIN: Final = (
    r"(?:\b(?:user(?:name)?|log ?in|sign in|account|e-?mail|admin|root|benutzer|usuario|utilisateur|utente)\b"
    r"|ユーザ|アカウント|ログイン|用户|사용자|пользовател)[^\n]{0,60}\Z|(?:^|\s)id\b[^\n]{0,40}\Z"
)
_OPTION: Final = r"(?<!\S)--?[a-z-]{0,20}\Z"
_SQL: Final = r"(?:create|alter)\s+(?:user|role|login)\b[^\n]{0,100}\Z|\bwith\s(?:encrypted\s)?\Z"
# In a program a secret is written in quotes; what is not is the name of something.
_DECLARATION: Final = r"(?:(?:const|let|var|val|final|static|string)\s+[\w$]*|(?:self|this)\.\w*|\$\w*)\Z"
_CODE_AFTER: Final = r"\s?(?:=[^=]|&&|\|\|)|\s\?\s"
_DIGITS: Final = (
    r"[\"'`「]?([0-9]{4,8})(?![A-Za-z0-9_])(?![.,:/-][0-9])(?!\s?(?:桁|文字|位|자리|digit|number|character))"
)
# A word follows, and it is not the name of the next field.
_WORD_AFTER: Final = r"[^\S\n]{1,2}(?![\w-]{1,20}\s?[:=])[a-zA-ZÀ-ӿ]"
# A key that only a space joins to its word has to be as long as keys are.
_KEY_LENGTH: Final = 20
_LONGEST_QUOTED: Final = 512
_SHORTEST_FOREIGN: Final = 5
# A long row of characters on the next line.
_BELOW: Final = r"[^\n=(){}]{0,80}\n\s{0,6}([A-Za-z0-9+/=_.-]{32,})(?=\s|\Z)"
_FOREIGN_KEY: Final = (
    r"(?:[kK][eE][yY]\s?[是为はが는은가]|(?:キー|키|密钥|鍵|ключ|[Ss]chlüssel"
    r"|[Cc]lé)\s?(?:[是为はが는은가:：=—]|ist|est))"
    r"\s{0,2}[\"'「`]?((?=[A-Za-z_-]{0,60}[0-9])[A-Za-z0-9_-]{24,})"
)
# The name of a field, at the beginning of its line.
_LABEL: Final = r"(?:^|\n)[\s>*#|\"'-]*[\w /-]{0,24}\Z"
# "pass" is also a verb, and in the name of a setting it is no word of a sentence.
_SPOKEN_WORDS: Final = rf"{LONG_WORDS}|(?!pass)(?:{SHORT_WORDS})"


def announced_spans(text: str, stems: list[str]) -> Iterator[tuple[int, int]]:
    """Yields the start and end of each secret that a word announces, if it begins with one of these stems."""
    lowered = text.lower()
    if len(lowered) != len(text):  # a few letters become two, which would move every position
        lowered = re.sub("[A-Z]+", lambda match: match[0].lower(), text)
    reached = near = 0
    for start, end in announcing_words(lowered, stems):
        if start >= reached and (span := _announced(text, lowered, start, end)):
            reached = span[1]
            yield span
        if compiled(_SPOKEN_WORDS).match(lowered, start):
            yield from nearby_spans(text, start, end, near)
            near = max(near, window(text, start, end)[1])
        elif compiled(KEY_WORDS).match(lowered, start) and (span := _below(text, end)) and span[0] >= reached:
            reached = span[1]
            yield span
    if not text.isascii():
        yield from (match.span(1) for match in compiled(_FOREIGN_KEY).finditer(text) if not is_placeholder(match[1]))
    if "bearer" in stems:
        reached = 0
        for match in compiled(_BEARER).finditer(lowered):
            start, end, _ = _value_at(text, match.end())
            if start >= reached and not is_placeholder(text[start:end]):
                reached = end_of_secret(text, start, end)
                yield start, reached
    if "|" in text and "--" in text:
        yield from tabled_spans(text, lowered)


def _announced(text: str, lowered: str, start: int, end: int) -> tuple[int, int] | None:
    """The secret that the word between `start` and `end` announces."""
    joint = compiled(_JOINTS).match(lowered, end)
    word, before = lowered[start:end], lowered[max(0, start - 80) : start]
    # In a program, "password, name=…" goes on with something else.
    if joint is None or ((joint["about"] or "").startswith(",") and joint["sign"] != ":"):
        return None
    if compiled(OTHER_ENDS).search(joint["rest"]) or _is_verb(joint, word):
        return None
    if compiled(PIN_WORDS).fullmatch(word):
        pin = compiled(_DIGITS).match(text, joint.end()) if joint["beside"] is None else None
        # In India a "pin code" of six digits is where somebody lives.
        return pin.span(1) if pin and not ("code" in word and len(pin[1]) == 6) else None
    first, last, quoted = _value_at(text, joint.end())
    # "password https://…" is followed by an address, "'password_too_short').max(…" by the rest of a call.
    if first == last or TAKEN_OUT in text[first:last] or text.startswith(("//", ").", "),"), first):
        return None
    if (phrase := _phrase(text, joint, word, first, last, quoted=quoted)) is not None:
        return phrase
    announcement = _announcement(joint, word, before, quoted=quoted)
    if announcement is None or compiled(r"\s").search(text, first, last):
        return None
    compared = joint["sign"] in ("==", "===", "!=", "!==")
    if not quoted and (compared or compiled(_DECLARATION).search(before) or compiled(_CODE_AFTER).match(text, last)):
        return None
    named = compiled(_LOGIN).search(before) is not None
    option = compiled(_OPTION).search(before) is not None
    if (
        joint["beside"] is not None
        and not option
        and not _stands_alone(word, text[first:last], announcement, named=named)
    ):
        return None
    value = Value(
        text[first:last],
        quoted=quoted,
        continues=bool(joint["space"] and compiled(_WORD_AFTER).match(text, last)),
        labelled=not joint["space"] or compiled(_LABEL).search(before) is not None,
    )
    if not is_secret(value, announcement):
        return None
    return first, last if quoted or text.startswith("`", last) else end_of_secret(text, first, last)


def _below(text: str, end: int) -> tuple[int, int] | None:
    """The key or token on the line after the word that ends there."""
    below = compiled(_BELOW).match(text, end)
    if below is None or not is_secret(Value(below[1], quoted=True, continues=False), Announcement.KEY):
        return None
    return below.span(1)


def _phrase(
    text: str, joint: re.Match[str], word: str, first: int, last: int, *, quoted: bool
) -> tuple[int, int] | None:
    """The passphrase that stands there, in quotes or to the end of its clause."""
    named = "phrase" in word or "フレーズ" in word
    if not quoted:
        if not named or joint["beside"] is not None:
            return None
        end = end_of_phrase(text, first)
        return None if end is None else (first, end)
    value = text[first:last]
    if named and not value.isascii() and len(value) >= _SHORTEST_FOREIGN and text[first - 1] in "「『“„«":
        return first, last
    if " " not in value:
        return None
    if compiled(KEY_WORDS).fullmatch(word):
        return (first, last) if is_random_row(value) else None
    assigned = joint["sign"] is not None and not joint["about"]
    constant = assigned and text[joint.start() - len(word) : joint.start()].isupper() and joint["sign"] == "="
    if not (assigned or named):
        return None
    return (first, last) if is_quoted_phrase(value, constant=constant, assigned=not named) else None


def _is_verb(joint: re.Match[str], word: str) -> bool:
    """Whether "pass" says that something is handed over: "pass it to `split`", "pass_context"."""
    if word not in ("pass", "pw", "psk"):
        return False
    handed = joint["said"] is not None and joint["said"].startswith(("to", "from", "as"))
    return handed or bool(joint["rest"]) or bool(joint["about"] and joint["sign"] != ":")


def _stands_alone(word: str, value: str, announcement: Announcement, *, named: bool) -> bool:
    """Whether a value is clear enough for a word that says little, if only a space joins them."""
    if announcement is Announcement.KEY:
        return len(value) >= _KEY_LENGTH
    if named or not compiled(SHORT_WORDS).fullmatch(word) or looks_like_password(value):
        return True
    return word != "pass" and may_be_password(value)


def _announcement(joint: re.Match[str], word: str, before: str, *, quoted: bool) -> Announcement | None:
    """How clearly the value was announced; None if it was not."""
    if joint["scheme"]:
        return Announcement.ASSIGNED
    if compiled(KEY_WORDS).fullmatch(word):
        other = joint["about"] or joint["sign"] in ("|", "->") or joint["beside"] in (", ", ",")
        return None if other or compiled(OTHER_BEGINS).search(before) else Announcement.KEY
    if joint["beside"] in (", ", ","):
        return Announcement.BESIDE
    if joint["beside"] is not None and not compiled(_OPTION).search(before):
        if quoted and compiled(_SQL).search(before):
            return Announcement.ASSIGNED
        named = compiled(_LOGIN).search(before) and not compiled(SHORT_WORDS).fullmatch(word)
        return Announcement.SAID if named else Announcement.BESIDE
    if joint["said"] or joint["about"] or compiled(SHORT_WORDS).fullmatch(word):
        return Announcement.SAID
    return Announcement.ASSIGNED


def _value_at(text: str, at: int) -> tuple[int, int, bool]:
    """The start and end of what stands there, and whether it stands in quotes."""
    start = at + 1 if text.startswith(('\\"', "\\'"), at) else at
    if text.startswith("={", start - 1) and (
        braced := compiled(r"\{([^\s{}\"']{4,64})\}(?=;|\s|\Z)").match(text, start)
    ):
        return *braced.span(1), True
    closing = CLOSING.get(text[start : start + 1])
    # In parentheses it stands after a word of a script without spaces; elsewhere they are those of a program.
    if closing and text[start] not in "[{<" and (text[start] != "(" or not text[start - 1].isascii()):
        start += 1
        line = text.find("\n", start)
        end = text.find(closing, start, min(start + _LONGEST_QUOTED, len(text) if line < 0 else line))
        if end >= 0:
            padded = closing in "»›" and text[start] == text[end - 1] == " " and end - start > 2
            # What stands in backticks is as often code as a value.
            return start + padded, end - (padded or text.endswith("\\", start, end)), closing != "`"
    return start, end_of_secret(text, start, start, ENOUGH), False
