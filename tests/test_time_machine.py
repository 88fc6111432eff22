"""What held when, against a plain model in memory: statements that replace others, in whatever order they come."""

from __future__ import annotations

import inspect
import uuid
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

from wherefrom import Conflict, InvalidInput, Memory, NotFound

WORDS = ("alpha", "beta", "gamma", "delta", "omega")
TEXTS = st.sampled_from(WORDS)
SLOTS = st.none() | st.sampled_from(["city", "team/lead"])
KNOWS_VERSIONS = "known_at" in inspect.signature(Memory.list).parameters


class Times(NamedTuple):
    """When a statement was observed, and since when it says that it holds, in hours before now; None if not stated."""

    earlier: int | None
    since: int | None


# Most do not say since when they hold, and some are about the future.
TIMES = st.builds(Times, st.none() | st.integers(0, 60), st.none() | st.none() | st.integers(-20, 60))


@dataclass
class Statement:
    """A statement as the model has it: it holds from `start` until before `end`, when `heir` took its place.

    since: the time from which it says that it holds.
    """

    text: str
    slot: str | None
    observed: datetime
    since: datetime | None = None
    end: datetime | None = None
    heir: str | None = None

    @property
    def start(self) -> datetime:
        return self.since or self.observed

    def holds(self, moment: datetime) -> bool:
        return self.start <= moment and self.ends_after(moment)

    def ends_after(self, moment: datetime) -> bool:
        return self.end is None or moment < self.end


@dataclass
class Model:
    """Statements by id, who supersedes whom, and for how long each had which state."""

    statements: dict[str, Statement] = field(default_factory=dict)
    superseding: set[tuple[str, str]] = field(default_factory=set)
    states: dict[tuple[str, str], tuple[datetime, datetime | None]] = field(default_factory=dict)

    def known(self, text: str, slot: str | None, at: datetime, besides: str | None = None) -> str | None:
        """The statement with a text, in no other slot, that has not ended by a time: one without an end, if any has."""
        found = {
            key: one
            for key, one in self.statements.items()
            if one.text == text
            and one.ends_after(at)
            and key != besides
            and (None in (slot, one.slot) or one.slot == slot)
        }
        return min(found, key=lambda key: (found[key].end is not None, found[key].slot is None), default=None)

    def in_slot(self, key: str) -> dict[str, Statement]:
        """The other statements in the slot of one."""
        slot = self.statements[key].slot
        return {} if slot is None else {k: one for k, one in self.statements.items() if one.slot == slot and k != key}

    def line_of(self, key: str) -> list[str]:
        """What took the place of a statement, what took the place of that, and so on."""
        line: list[str] = []
        while (one := self.statements.get(key)) is not None and one.heir is not None and one.heir not in line:
            line.append(key := one.heir)
        return line

    def finish(self, old: str, heir: str, at: datetime) -> None:
        one = self.statements[old]
        one.end, one.heir = at if one.end is None else min(at, one.end), heir

    def rename(self, key: str, new: str) -> None:
        """Give a statement the id that it was stored with."""
        statements = self.statements
        if key in statements:
            statements[new] = statements.pop(key)
        for one in statements.values():
            one.heir = new if one.heir == key else one.heir
        self.superseding = {tuple(new if end == key else end for end in pair) for pair in self.superseding}

    def take_place(self, key: str, olds: list[str], begins: datetime, said: datetime) -> set[str] | None:
        """Let a statement replace others, and those of its slot, from a time on; returns those that it ended, or None
        if it cannot, because it has been replaced itself.
        """
        new = self.statements[key]
        if set(self.line_of(key)) & set(olds) or (new.heir is not None and not new.ends_after(begins)):
            return None
        later = {other: one for other, one in self.in_slot(key).items() if begins_later(one, new, begins, said)}
        ever_held = {other: one for other, one in later.items() if one.ends_after(one.start)}
        following = min(ever_held, key=lambda other: later[other].start, default=None)
        before: set[str] = set()
        if following is not None and key in (line := [following, *self.line_of(following)]):
            # It has taken the place of these, and now it begins before them.
            before, following = set(line[: line.index(key)]) & self.in_slot(key).keys(), None
        covered = {
            other
            for other, one in self.in_slot(key).items()
            if other not in later
            and one.ends_after(begins)
            and new.ends_after(begins)
            # What outlasts the beginning of the following one belongs after that.
            and (following is None or not one.ends_after(later[following].start))
        }
        covered |= before
        ended = covered | {old for old in olds if self.statements[old].heir is None}
        for old in ended:
            self.finish(old, key, begins)
        self.superseding |= {(key, old) for old in covered.union(olds)}
        if following is not None and (new.heir is None or new.ends_after(later[following].start)):
            self.finish(key, following, later[following].start)
            self.superseding.add((following, key))
        return ended


def begins_later(one: Statement, new: Statement, begins: datetime, said: datetime) -> bool:
    """True if a statement begins after a new one; if one of the two does not say since when it holds, what was observed
    later counts, too.
    """
    after_end = not new.ends_after(one.start)
    if one.since is None:
        return one.observed > begins and (one.observed > said or after_end)
    return one.since > begins or after_end or (new.since is None and one.observed > said)


class TimeMachine(RuleBasedStateMachine):
    """Calls of one owner, whose clock goes on as the machine says."""

    memory: Memory
    memos = Bundle("memos")

    def __init__(self) -> None:
        super().__init__()
        # A fresh owner for each run: runs share a database and must not see each other.
        store = type(self).memory.view.store
        self.clock = store.clock
        self.store = store.memory(owner=uuid.uuid4().hex, root="main", namespace="main")
        self.model = Model()
        self.known: list[tuple[datetime, dict[str, Statement]]] = []
        self.moments = [self.clock.now]

    def done(self) -> None:
        """Remember what the memory knows from now on."""
        self.known.append((self.clock.now, deepcopy(self.model.statements)))
        self.moments.append(self.clock.now)

    def there(self, keys: list[str]) -> list[str]:
        return [key for key in dict.fromkeys(keys) if key in self.model.statements]

    def say(self, text: str, slot: str | None, olds: list[str], times: Times) -> str | None:
        """Save a text; returns its id, or None if it could not take the place of others."""
        now, olds = self.clock.now, self.there(olds)
        said = now if times.earlier is None else now - timedelta(hours=times.earlier)
        since = None if times.since is None else now - timedelta(hours=times.since)
        given = {"slot": slot, "supersedes": olds, "observed_at": None if times.earlier is None else said.isoformat()}
        given["valid_from"] = since and since.isoformat()
        known = self.model.known(text, slot, since or said)
        if known in olds:
            with pytest.raises(InvalidInput):
                self.store.save(text, **given)
            return None
        after = deepcopy(self.model)
        key = known or "new"
        one = after.statements.setdefault(key, Statement(text, slot, said))
        one.slot, one.since = slot or one.slot, since or one.since
        ended = after.take_place(key, olds, one.since or said, said) if slot or olds or since else set()
        if ended is None:
            with pytest.raises(Conflict):
                self.store.save(text, **given)
            return None
        saved = self.store.save(text, **given)
        assert saved.status == ("created" if known is None else "duplicate")
        assert known in (None, saved.node.id)
        assert set(saved.replaced) == ended
        after.rename("new", saved.node.id)
        self.model = after
        self.done()
        return saved.node.id

    @rule(hours=st.integers(1, 40))
    def wait(self, hours):
        self.clock.go_on(hours=hours)

    @rule(target=memos, text=TEXTS, slot=SLOTS, times=TIMES)
    def save(self, text, slot, times):
        key = self.say(text, slot, [], times)
        return multiple() if key is None else key

    @rule(target=memos, text=TEXTS, slot=SLOTS, olds=st.lists(memos, min_size=1, max_size=2), times=TIMES)
    def replace(self, text, slot, olds, times):
        key = self.say(text, slot, olds, times)
        return multiple() if key is None else key

    @rule(memo=memos)
    def outdate(self, memo):
        if memo not in self.model.statements:
            return
        self.store.feedback(memo, signal="outdated")
        if self.model.statements[memo].ends_after(self.clock.now):
            self.model.statements[memo].end = self.clock.now
        self.done()

    @rule(memo=memos, text=TEXTS, slot=SLOTS)
    def rewrite(self, memo, text, slot):
        if memo not in self.model.statements:
            with pytest.raises(NotFound):
                self.store.save(text, memo_id=memo, slot=slot)
            return
        now, after = self.clock.now, deepcopy(self.model)
        one = after.statements[memo]
        is_new, one.text, one.slot = one.text != text, text, slot or one.slot
        ended = after.take_place(memo, [], one.since or now, now) if slot else set()
        if ended is None or (is_new and after.known(text, one.slot, now, besides=memo) is not None):
            with pytest.raises(Conflict):
                self.store.save(text, memo_id=memo, slot=slot)
            return
        assert set(self.store.save(text, memo_id=memo, slot=slot).replaced) == ended
        self.model = after
        self.done()

    @rule(memo=consumes(memos))
    def delete(self, memo):
        if memo not in self.model.statements:
            with pytest.raises(NotFound):
                self.store.delete(memo)
            return
        self.store.delete(memo)
        del self.model.statements[memo]
        self.model.superseding = {pair for pair in self.model.superseding if memo not in pair}
        self.model.states = {pair: period for pair, period in self.model.states.items() if memo not in pair}
        # Nothing is known of what was deleted, at no time.
        for _, statements in self.known:
            statements.pop(memo, None)
        self.done()

    @rule(heir=memos, old=memos)
    def supersede(self, heir, old):
        if len(self.there([heir, old])) < 2:
            return
        if self.model.statements[old].heir is None and heir != old and old in self.model.line_of(heir):
            with pytest.raises(Conflict):
                self.store.relate(heir, old, tag="supersedes", weight=1.0)
            return
        self.store.relate(heir, old, tag="supersedes", weight=1.0)
        self.model.superseding.add((heir, old))
        if self.model.statements[old].heir is None:
            self.model.finish(old, heir, self.model.statements[heir].start)
        self.done()

    @rule(heir=memos, old=memos)
    def let_hold_again(self, heir, old):
        if (heir, old) not in self.model.superseding:
            with pytest.raises(NotFound):
                self.store.unrelate(heir, old, tag="supersedes")
            return
        one = self.model.statements[old]
        if one.heir == heir:
            beside = self.model.in_slot(old).values()
            if self.model.known(one.text, one.slot, self.clock.now, besides=old) is not None or any(
                other.ends_after(max(self.clock.now, other.start)) for other in beside
            ):
                with pytest.raises(Conflict):
                    self.store.unrelate(heir, old, tag="supersedes")
                return
        self.store.unrelate(heir, old, tag="supersedes")
        self.model.superseding.remove((heir, old))
        if one.heir == heir:
            one.end = one.heir = None
        self.done()

    @rule(memo=memos, other=memos)
    def state(self, memo, other):
        if len(self.there([memo, other])) < 2:
            return
        self.store.relate(memo, other, tag="status", weight=1.0)
        now, states = self.clock.now, self.model.states
        for (source, target), (since, until) in states.items():
            if source == memo and target != other and until is None:
                states[source, target] = since, now
        if states.get((memo, other), (now, now))[1] is not None:
            states[memo, other] = now, None
        self.done()

    @rule(data=st.data(), word=TEXTS)
    def look_back(self, data, word):
        """At a moment at which something happened, or shortly before or after one."""
        chosen = data.draw(st.sampled_from(sorted(set(self.moments))))
        moment = min(chosen + timedelta(hours=data.draw(st.integers(-50, 1))), self.clock.now)
        self.agrees(moment, word, as_of=moment.isoformat())
        if KNOWS_VERSIONS:
            self.agrees_as_known(moment)

    @invariant()
    def agrees_now(self):
        self.agrees(self.clock.now, "alpha")

    def agrees(self, moment: datetime, word: str, **given: str) -> None:
        """Lists, searches and relations have what holds at a moment, and a slot has one statement."""
        held = {key: one for key, one in self.model.statements.items() if one.holds(moment)}
        listed = {node.id: node for node in self.store.list(limit=100, **given).nodes}
        assert {key: node.content for key, node in listed.items()} == {key: one.text for key, one in held.items()}
        found = {hit.node.id for hit in self.store.search(word, limit=50, **given).hits}
        assert {key for key, one in held.items() if one.text == word} <= found <= held.keys()
        states = {(edge.source_id, edge.target_id) for edge in self.relations("status", **given)}
        assert states == {
            (source, target)
            for (source, target), (since, until) in self.model.states.items()
            if since <= moment and (until is None or moment < until)
        }
        if not given:
            self.is_sound(listed.values())
            replaced = {(edge.source_id, edge.target_id) for edge in self.relations("supersedes")}
            assert replaced == self.model.superseding

    def is_sound(self, listed) -> None:
        """A slot has one statement now, and all statements have the slots, the ends and the heirs of the model."""
        slots = [node.slot for node in listed if node.slot is not None]
        assert len(slots) == len(set(slots))
        stored = {
            node.id: (
                node.content,
                node.slot,
                node.valid_to and datetime.fromisoformat(node.valid_to),
                node.superseded_by,
            )
            for node in self.store.list(limit=100, include=["replaced"]).nodes
        }
        known = self.model.statements
        # An heir that was deleted is not named.
        heirs = {key: one.heir if one.heir in known else None for key, one in known.items()}
        assert stored == {key: (one.text, one.slot, one.end, heirs[key]) for key, one in known.items()}

    def agrees_as_known(self, moment: datetime) -> None:
        """A list of what the memory said at a moment has the statements that it knew then, with their texts of then."""
        before = [statements for at, statements in self.known if at <= moment]
        held = {key: one.text for key, one in (before[-1] if before else {}).items() if one.holds(moment)}
        listed = self.store.list(limit=100, known_at=moment.isoformat()).nodes
        assert {node.id: node.content for node in listed} == held

    def relations(self, tag: str, **given: str):
        return self.store.relations(tag=tag, limit=500, **given).edges


def run(memory, examples: int, steps: int) -> None:
    machine = type("Machine", (TimeMachine,), {"memory": memory})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            derandomize=True,
            phases=(Phase.generate,),
        ),
    )
    assert memory.doctor().ok


def test_what_held_when_agrees_with_a_plain_model(open_memory):
    run(open_memory(), examples=5, steps=25)


@pytest.mark.long
@pytest.mark.timeout(1_200)
def test_what_held_when_agrees_with_a_plain_model_over_long_histories(open_memory):
    run(open_memory(), examples=150, steps=60)
