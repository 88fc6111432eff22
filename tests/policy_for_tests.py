"""Policies as the tests read them: with the settings of all engines."""

from __future__ import annotations

from functools import partial

from wherefrom.api.opening import ENGINE_SETTINGS
from wherefrom.policy import document
from wherefrom.policy.settings import keys_of

parse = partial(document.parse, settings=ENGINE_SETTINGS)


def dump_with(text, **given):
    """A changed policy, which can be read."""
    written = document.dump_with(text, **given)
    parse(written)
    return written


def numbers_of(kind):
    """The keys of an engine's settings that are numbers, without the name of the section."""
    known = {key.partition(".")[2]: setting for key, setting in keys_of(kind, kind.SECTION).items()}
    return {key: setting for key, setting in known.items() if setting.kind in (int, float)}
