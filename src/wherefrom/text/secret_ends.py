"""Where a secret ends: rather a few characters too late than with a rest of it left in the text."""

from __future__ import annotations

from typing import Final

from wherefrom.text.patterns import compiled

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
_STOP: Final = (
    rf"{_GAP}|[&;,][\w.-]{{1,40}}=|[.,:;()\[\]{{}}<>\"'`]{{1,8}}{_GAP}"
    r"|\\?[\"'`][,;:)\]}>.\\]|\\[\"'`]|</"
)


def end_of_secret(text: str, start: int, known: int, longest: int | None = None) -> int:
    """Returns where the secret that begins at `start` ends, given that it reaches at least to `known`.

    It goes on to the next white space, except that punctuation before a gap, the next parameter of a URL or of a
    connection string, the sign that closes the quote or bracket it began in, and the "@" of a login end it. Whoever
    only wants to judge it gives the number of characters that are enough.
    """
    limit = len(text) if longest is None else min(len(text), start + longest)
    closing = "**" if text.endswith("**", 0, start) else CLOSING.get(text[start - 1 : start])
    # The closing sign is looked for first, because that is quick even in a text that never stops.
    if closing and (closed := text.find(closing, known, limit)) >= 0:
        limit = closed
    stop = compiled(_STOP).search(text, known, limit)
    end = stop.start() if stop else limit
    if _in_login(text, start) and (at := text.find("@", known, end)) >= 0:
        end = at
    return end


def _in_login(text: str, start: int) -> bool:
    """Whether the host of a URL is still to come: nothing but a user's name stands between "://" and the secret."""
    scheme = text.rfind("://", max(0, start - 100), start)
    return scheme >= 0 and not compiled(r"[\s/?#]").search(text, scheme + 3, start)
