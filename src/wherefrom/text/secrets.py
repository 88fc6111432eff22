"""Where secrets stand in a text: keys, tokens, passwords and recovery phrases."""

from __future__ import annotations

from collections.abc import Iterator

from wherefrom.text.announced_secrets import announced_spans
from wherefrom.text.secret_codes import code_spans, may_hold_codes
from wherefrom.text.secret_forms import formed_spans, may_have_form
from wherefrom.text.secret_words import stems_in
from wherefrom.text.seed_phrases import may_hold_phrases, phrase_spans
from wherefrom.text.service_tokens import may_hold_tokens, token_spans


def may_hold_secrets(text: str) -> bool:
    """Returns whether a text deserves the slower look; a few microseconds."""
    if may_have_form(text):
        return True
    latin = text.encode("latin-1", "replace")
    plain = latin.lower().decode("latin-1")
    return (
        may_hold_tokens(latin)
        or bool(stems_in(text, plain))
        or may_hold_phrases(text, plain)
        or may_hold_codes(text, plain)
    )


def secret_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yields the start and end of each secret, in order; those that overlap are one."""
    # A text of one byte for each character is searched faster than one of two or four.
    latin = text.encode("latin-1", "replace")
    plain = latin.lower().decode("latin-1")
    found: list[tuple[int, int]] = []
    if may_hold_tokens(latin):
        found += token_spans(text, latin)
    if may_have_form(text):
        found += formed_spans(text)
    if stems := stems_in(text, plain):
        found += announced_spans(text, stems)
    if may_hold_phrases(text, plain):
        found += phrase_spans(text)
    if may_hold_codes(text, plain):
        found += code_spans(text, plain)
    if not found:
        return
    first = last = 0
    for start, end in sorted(found):
        if start >= last:
            if last > first:
                yield first, last
            first = start
        last = max(last, end)
    if last > first:
        yield first, last
