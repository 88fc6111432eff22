"""The net under a rebuild: all recorded calls answer as they did, on both databases, but for the listed changes."""

from __future__ import annotations

import os
import re
from fnmatch import fnmatchcase

import pytest

from tests.net import calls, play
from tests.net.changes import CHANGES, RENAMED

ABSENT = "(absent)"
SHOWN = 40
# Scores have six decimals. Another processor adds the same numbers in another order, which may change the last one.
LAST_DIGIT = 1.5e-6
# Verbs, tools and commands that came after the recording.
LATER = {
    "insight_plan", "move", "setup", "history", "memory_get", "claim_evidence", "correct_page", "page set",
    "evidence add", "evidence show", "completion", "config", "config path", "config set", "config unset", "review",
    "settle", "rules", "confirm_rules", "keys", "create_key", "rotate_key", "revoke_key", "key create", "key list",
    "key rotate", "key revoke", "serve", "add_document", "upkeep", "run_upkeep", "undo_upkeep", "plans", "decline_insight",
    "upkeep run", "upkeep undo", "distribute",
}  # fmt: skip
UNORDERED = ("/parameters", "/required", "/enum", "/opts")


@pytest.mark.slow
@pytest.mark.timeout(600)  # half a minute, on a machine that does nothing else
@pytest.mark.parametrize("dialect", ["sqlite", pytest.param("postgres", marks=pytest.mark.long)])
def test_a_replay_answers_as_recorded(dialect, new_url):
    now = play.play(new_url(dialect))
    if os.environ.get(play.WRITE):
        assert not now["missing"], "\n".join(now["missing"])
        play.write(dialect, now)
        return
    found = [each for each in differences(play.read(dialect), now) if not _depends_on_the_run(*each)]
    patterns = dict(holding(dialect))
    left = [each for each in found if not any(fnmatchcase(each[0], pattern) for pattern in patterns)]
    lines = [f"{path}\n    recorded: {shown(was)}\n    now:      {shown(is_)}" for path, was, is_ in left[:SHOWN]]
    assert not left, f"{len(left)} differences on {dialect}:\n" + "\n".join(lines)
    unused = [key for pattern, key in patterns.items() if not any(fnmatchcase(path, pattern) for path, _, _ in found)]
    assert not unused, f"listed changes that change nothing on {dialect}: {unused}"


def test_every_tool_alias_command_and_verb_is_called():
    called = {kind: {step[kind] for step in calls.STEPS if kind in step} for kind in ("tool", "verb")}
    known = play.aliases()
    assert called["tool"] >= {*known, *(alias for names in known.values() for alias in names)} - LATER
    memory = play.memory_class()
    verbs = {name for name in dir(memory) if not name.startswith("_") and callable(getattr(memory, name))}
    assert called["verb"] >= verbs - {"open", "close"} - LATER
    lines = [" ".join(step["command"]) for step in calls.STEPS if "command" in step]
    commands = play.command_options()
    assert {name for name in commands if not any(f"{line} ".startswith(f"{name} ") for line in lines)} <= LATER
    names = [step["step"] for step in calls.STEPS]
    assert len(names) == len(set(names))


def holding(dialect):
    """The patterns that hold on a database, each with its key among the changes."""
    for key in CHANGES:
        first, separator, pattern = key.partition(": ")
        if first not in ("sqlite", "postgres"):
            yield key, key
        elif separator and first == dialect:
            yield pattern, key


def _depends_on_the_run(path, was, is_):
    """True for a count of the demo's events, more of which are written on a machine on which an arm comes too late; and
    for the place of a database, each of which has a name of its own.
    """
    pattern = r"(?:events|wal bytes) +[\d,]+" if path.startswith("command demo: ") else r"location +postgresql://.+"
    return all(re.fullmatch(pattern, str(one)) for one in (was, is_))


def differences(recorded, now):
    """Where two recordings differ: a path, what was, what is."""
    for part in ("tools", "aliases", "commands"):
        yield from _below(f"surface {part}: ", "", recorded["surface"][part], now["surface"][part])
    kinds = {step["step"]: step for step in calls.STEPS}
    for name in {**recorded["steps"], **now["steps"]}:
        step = kinds.get(name, {})
        was, is_ = recorded["steps"].get(name, ABSENT), now["steps"].get(name, ABSENT)
        yield from _below(f"{calls.label(step)}: ", name, was, is_)
    yield from _below("surface missing: ", "", recorded["missing"], now["missing"])


def _below(start, path, was, is_):
    if isinstance(was, dict) and isinstance(is_, dict):
        was = {_name_now(f"{start}{path}/{key}", key): value for key, value in was.items()}
        for key in {**was, **is_}:
            below = f"{path}/{key}" if path else key
            yield from _below(start, below, was.get(key, ABSENT), is_.get(key, ABSENT))
    elif isinstance(was, list) and isinstance(is_, list) and path.endswith(UNORDERED):
        yield from _below(start, path, _named(was), _named(is_))
    elif isinstance(was, list) and isinstance(is_, list):
        for number in range(max(len(was), len(is_))):
            one = was[number] if number < len(was) else ABSENT
            other = is_[number] if number < len(is_) else ABSENT
            yield from _below(start, f"{path}/{number}", one, other)
    elif isinstance(was, float) and isinstance(is_, float):
        if abs(was - is_) > LAST_DIGIT:
            yield f"{start}{path}", was, is_
    elif was != is_ or type(was) is not type(is_):
        yield f"{start}{path}", was, is_


def _name_now(path, key):
    """The name that a recorded key has now."""
    return next((name for pattern, (name, _) in RENAMED.items() if fnmatchcase(path, pattern)), key)


def _named(entries):
    """Entries of a list that has no order, by name: the options of a command, the words of a schema."""
    options = {each["opts"][0]: each for each in entries if isinstance(each, dict) and each["opts"][0].startswith("-")}
    arguments = [each for each in entries if isinstance(each, dict) and not each["opts"][0].startswith("-")]
    words = {each: True for each in entries if isinstance(each, str)}
    return {**options, **words, **{f"argument {number}": each for number, each in enumerate(arguments)}}


def shown(value):
    text = repr(value)
    return text if len(text) <= 300 else text[:299] + "…"
