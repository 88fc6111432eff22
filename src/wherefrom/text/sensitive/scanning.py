"""Tools of all rules for secrets: patterns compiled at first use, the places of stems, the end of a secret."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Final

# Stands where something was taken out: a character of no text, which is part of no secret.
TAKEN_OUT: Final = "\uffff"

# Characters that are enough to judge a value; a few secrets are longer.
ENOUGH: Final = 128

# Each opening quote or bracket with the sign that closes it.
CLOSING: Final = dict(zip("\"'`([{<「『“„‘«‹»", "\"'`)]}>」』”“’»›«", strict=True))

# Scripts without spaces and their punctuation, dashes and curly quotes: a word goes on there, a secret does not.
_FOREIGN: Final = "\u2010-\u206f\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\u0e00-\u0eff«»"
_GAP: Final = rf"(?:[\s{TAKEN_OUT}{_FOREIGN}]|\\[nrt]|\Z)"
# Eight closing signs in a row at most, or a row of thousands would be tried from each of its signs.
_STOP: Final = rf"{_GAP}|[&;,][\w.-]{{1,40}}=|[.,:;()\[\]{{}}<>\"'`]{{1,8}}{_GAP}|\\?[\"'`][,;:)\]}}>.\\]|\\[\"'`]|</"


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Returns the compiled pattern: compiling all of them takes longer than the rest of the package's import."""
    return re.compile(pattern)


def lowered(text: str) -> str:
    """Returns the text in lower case, each character where it stood."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    # A few letters become two, which would move every position.
    return re.sub("[A-Z]+", lambda match: match[0].lower(), text)


def places_of(stems: Iterable[str], text: str) -> list[tuple[int, str]]:
    """Returns each place of each stem in a text, with the stem."""
    places = []
    for stem in stems:
        at = -1
        while (at := text.find(stem, at + 1)) >= 0:
            places.append((at, stem))
    return places


def end_of_secret(text: str, start: int, known: int, longest: int | None = None) -> int:
    """Returns the end of the secret that begins at `start` and reaches at least to `known`.

    Rather a few characters too late than with a rest of it left in the text: it goes on to the next white space, except
    that punctuation before a gap, the next parameter of a URL or of a connection string, the sign that closes the quote
    or bracket it began in, and the "@" of a login end it. Whoever only wants to judge it gives the number of characters
    that are enough.
    """
    limit = len(text) if longest is None else min(len(text), start + longest)
    closing = "**" if text.endswith("**", 0, start) else CLOSING.get(text[start - 1 : start])
    # The closing sign is looked for first, because that is quick even in a text that never stops.
    if closing and (closed := text.find(closing, known, limit)) >= 0:
        limit = closed
    stop = compiled(_STOP).search(text, known, limit)
    end = stop.start() if stop else limit
    # Nothing but a user's name stands between "://" and the secret: the host of the URL is still to come.
    scheme = text.rfind("://", max(0, start - 100), start)
    if scheme >= 0 and not compiled(r"[\s/?#]").search(text, scheme + 3, start):
        at = text.find("@", known, end)
        end = at if at >= 0 else end
    return end
