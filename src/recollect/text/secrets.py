"""Where secrets stand in a text: keys, tokens, passwords and recovery phrases."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from recollect.text.announced_secrets import announced_spans, may_announce
from recollect.text.secret_forms import formed_spans, may_have_form
from recollect.text.seed_phrases import may_hold_phrases, phrase_spans
from recollect.text.service_tokens import may_hold_tokens, token_spans


def may_hold_secrets(text: str) -> bool:
    """Returns whether a text deserves the slower look; a few microseconds."""
    return may_hold_tokens(text) or may_have_form(text) or may_announce(text) or may_hold_phrases(text)


def secret_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yields the start and end of each secret, in order; those that overlap are one."""
    found = chain(
        token_spans(text),
        formed_spans(text),
        announced_spans(text) if may_announce(text) else (),
        phrase_spans(text) if may_hold_phrases(text) else (),
    )
    first, last = 0, 0
    for start, end in sorted(found):
        if start >= last:
            if last > first:
                yield first, last
            first = start
        last = max(last, end)
    if last > first:
        yield first, last
