"""Tells passphrases of several words from messages, labels and sentences that stand in the same place."""

from __future__ import annotations

from typing import Final

from wherefrom.text.patterns import compiled
from wherefrom.text.secret_values import is_placeholder, is_stand_in

_LONGEST: Final = 100
# In quotes: what forms and programs say to their users about passwords.
_MESSAGE: Final = (
    r"(?i)\b(?:pass(?:word|phrase|wort|code)s?|pwd?|kennwort|mot de passe|contraseña|senha|your|please|enter"
    r"|must|should|can(?:not|'t)?"
    r"|required?|optional|invalid|incorrect|wrong|forgot(?:ten)?|reset|confirm|current|least|characters?"
    r"|match(?:es)?|set"
    r"|string|value|field|secret|token|key|user|login|account|type|default|empty|hidden|strength|show|hide|change"
    r"|bitte|vergessen|oublié|olvid\w+|saisir|obligatoire)\b|[?!]\Z|%[sd]|パスワード|入力|密码|비밀번호"
)
# Words that hold sentences together, in the languages in which passphrases are spoken of.
_SENTENCE: Final = (
    r"(?i)\b(?:the|an?|is|are|was|be|been|to|of|for|by|with|from|that|this|it|not|stored|saved|kept|used|which"
    r"|you|i|we|in|on|at|or"
    r"|if|when|will|has|have|dans|le|la|les|est|pour|im|der|die|das|den|ist|nicht|gespeichert|hinterlegt|nel"
    r"|nella|di|el|en"
    r"|est[áa]|guardad[ao]|no|same|only|never|always)\b"
)
_WORDS: Final = r"[^\W_]{2,16}(?:[ -][^\W_]{1,16}){2,9}"
_CLAUSE: Final = r"[^\n,.;:()\"「」|=<>{}]{8,100}(?=[,.;(\n]|\Z)"
_GROUPS: Final = r"[a-z]{4}(?: [a-z]{4}){3}"


def is_quoted_phrase(text: str, *, constant: bool, assigned: bool) -> bool:
    """Returns whether words in quotes are a passphrase; `constant` says that the variable's name is in capitals."""
    if not _may_be_phrase(text) or compiled(_MESSAGE).search(text):
        return False
    if compiled(_GROUPS).fullmatch(text) or constant:
        return True
    words = text.split()
    if not assigned:
        return compiled(_WORDS).fullmatch(text) is not None
    return text.islower() and (len(words) > 2 or compiled("[0-9]{2}").search(text) is not None)


def is_random_row(text: str) -> bool:
    """Returns whether chance made a long row of characters, of which some are spaces: the salts of WordPress."""
    if len(text) < 32 or is_stand_in(text):
        return False
    return len(compiled("[0-9]").findall(text)) > 3 and len(compiled(r"[^\w\s]").findall(text)) > 7


def end_of_phrase(text: str, start: int) -> int | None:
    """Returns where the passphrase that begins at `start` ends, at the end of its clause; None if it is a sentence."""
    clause = compiled(_CLAUSE).match(text, start)
    if clause is None or not (phrase := clause[0].rstrip()).islower() or not _may_be_phrase(phrase):
        return None
    if (
        not compiled(_WORDS).fullmatch(phrase)
        or compiled(_MESSAGE).search(phrase)
        or compiled(_SENTENCE).search(phrase)
    ):
        return None
    return start + len(phrase)


def _may_be_phrase(text: str) -> bool:
    return len(text) <= _LONGEST and not is_stand_in(text) and (not text.isascii() or not is_placeholder(text))
