"""What held when, against a plain model in memory: statements that replace others, in whatever order they come."""

from __future__ import annotations

import inspect
import uuid
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule, run_state_machine_as_test

from wherefrom import Conflict, InvalidInput, Memory, NotFound

WORDS = ("alpha", "beta", "gamma", "delta", "omega")
TEXTS = st.sampled_from(WORDS)
SLOTS = st.none() | st.sampled_from(["city", "team/lead"])
# Hours before now at which a statement was observed.
EARLIER = st.none() | st.integers(0, 60)
KNOWS_VERSIONS = "known_at" in inspect.signature(Memory.list).parameters


@dataclass
class Statement:
    """A statement as the model has it: it holds from `start` until before `end`."""

    text: str
    slot: str | None
    start: datetime
    end: datetime | None = None
    heir: str | None = None

    def holds(self, moment: datetime) -> bool:
        return self.start <= moment and (self.end is None or moment < self.end)

    def over(self, moment: datetime) -> bool:
        return self.end is not None and self.end <= moment


@dataclass
class Model:
    """Statements by id, who supersedes whom, and for how long each had which state."""

    statements: dict[str, Statement] = field(default_factory=dict)
    superseding: set[tuple[str, str]] = field(default_factory=set)
    states: list[tuple[str, str, datetime, datetime | None]] = field(default_factory=list)

    def holder(self, text: str, now: datetime, besides: str | None = None) -> str | None:
        """The statement with a text that is not over."""
        found = (key for key, one in self.statements.items() if one.text == text and not one.over(now))
        return next((key for key in found if key != besides), None)

    def in_slot(self, slot: str, besides: str | None = None) -> dict[str, Statement]:
        return {key: one for key, one in self.statements.items() if one.slot == slot and key != besides}

    def finish(self, old: str, heir: str, at: datetime) -> None:
        one = self.statements[old]
        one.end, one.heir = at if one.end is None else min(at, one.end), heir

    def has_twin(self, key: str, heir: str | None, at: datetime) -> bool:
        """True if another statement with its text has ended then and has that heir, too."""
        one = self.statements[key]
        end = at if one.end is None else min(at, one.end)
        return any(
            (other.text, other.end, other.heir) == (one.text, end, heir)
            for twin, other in self.statements.items()
            if twin != key
        )

    def line_of(self, key: str) -> list[str]:
        """A statement, what took its place, what took the place of that, and so on."""
        line = [key]
        while (one := self.statements.get(line[-1])) is not None and one.heir is not None and one.heir not in line:
            line.append(one.heir)
        return line

    def add(self, key: str, new: Statement) -> None:
        """A new statement, which takes its turn in its slot."""
        if new.slot is not None:
            following = self.following(new)
            for old, one in self.in_slot(new.slot).items():
                if one.start <= new.start and (one.end is None or one.end > new.start):
                    self.finish(old, key, new.start)
                    self.superseding.add((key, old))
            if following is not None:
                new.end, new.heir = self.statements[following].start, following
                self.superseding.add((following, key))
        self.statements[key] = new

    def following(self, new: Statement) -> str | None:
        """The next statement in the slot of a new one."""
        later = {key: one for key, one in self.in_slot(new.slot).items() if one.start > new.start}
        return min(later, key=lambda key: later[key].start, default=None)

    def was_said(self, new: Statement) -> bool:
        """True if its text had its turn in its slot before the same next one."""
        following = None if new.slot is None else self.following(new)
        if following is None:
            return False
        end = self.statements[following].start
        said = ((one.text, one.end, one.heir) for one in self.statements.values())
        return (new.text, end, following) in said


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

    def ask_for(self, keys: list[str]) -> list[str]:
        return [key for key in dict.fromkeys(keys) if key in self.model.statements]

    @rule(hours=st.integers(1, 40))
    def wait(self, hours):
        self.clock.go_on(hours=hours)

    @rule(target=memos, text=TEXTS, slot=SLOTS, earlier=EARLIER)
    def save(self, text, slot, earlier):
        now = self.clock.now
        start = now - timedelta(hours=earlier or 0)
        given = {} if earlier is None else {"observed_at": start.isoformat()}
        holder = self.model.holder(text, now)
        if holder is not None and self.model.statements[holder].slot != slot:
            slot = None  # what becomes of a text that is said again for another slot: test_replacing_defects.py
        elif holder is None and self.model.was_said(Statement(text, slot, start)):
            slot = None  # an old note that is saved once more: test_replacing_defects.py
        saved = self.store.save(text, slot=slot, **given)
        assert saved.status == ("created" if holder is None else "duplicate")
        assert holder in (None, saved.node.id)
        if holder is None:
            self.model.add(saved.node.id, Statement(text, slot, start))
        self.done()
        return saved.node.id

    @rule(target=memos, text=TEXTS, olds=st.lists(memos, min_size=1, max_size=2), earlier=EARLIER)
    def replace(self, text, olds, earlier):
        now, olds = self.clock.now, self.ask_for(olds)
        start = now - timedelta(hours=earlier or 0)
        given = {} if earlier is None else {"observed_at": start.isoformat()}
        heir = self.model.holder(text, now)
        if heir in olds:
            with pytest.raises(InvalidInput):
                self.store.save(text, supersedes=olds, **given)
            return heir
        if heir is not None and set(self.model.line_of(heir)) & set(olds):
            return heir  # each would replace the other: test_replacing_defects.py
        if heir is not None and any(self.model.has_twin(old, heir, self.model.statements[heir].start) for old in olds):
            return heir  # it replaced another with that text before: test_replacing_defects.py
        saved = self.store.save(text, supersedes=olds, **given)
        if heir is None:
            self.model.add(saved.node.id, Statement(text, None, start))
        else:
            assert saved.node.id == heir
        ended = [old for old in olds if self.model.statements[old].heir is None]
        assert set(saved.replaced) == set(ended)
        for old in ended:
            self.model.finish(old, saved.node.id, self.model.statements[saved.node.id].start)
        self.model.superseding |= {(saved.node.id, old) for old in olds}
        self.done()
        return saved.node.id

    @rule(memo=memos)
    def outdate(self, memo):
        if memo not in self.model.statements:
            return
        if self.model.has_twin(memo, self.model.statements[memo].heir, self.clock.now):
            # Two with the same text that end at one moment could not be told apart; real clocks do not stand still.
            self.clock.go_on(seconds=1)
        self.store.feedback(memo, signal="outdated")
        if self.model.statements[memo].holds(self.clock.now):
            self.model.statements[memo].end = self.clock.now
        self.done()

    @rule(memo=memos, text=TEXTS)
    def rewrite(self, memo, text):
        if memo not in self.model.statements:
            with pytest.raises(NotFound):
                self.store.save(text, memo_id=memo)
            return
        one = self.model.statements[memo]
        twins = [other for key, other in self.model.statements.items() if key != memo and other.text == text]
        same_end = one.end is not None and any((other.end, other.heir) == (one.end, one.heir) for other in twins)
        if text != one.text and (self.model.holder(text, self.clock.now, besides=memo) is not None or same_end):
            with pytest.raises(Conflict):
                self.store.save(text, memo_id=memo)
            return
        self.store.save(text, memo_id=memo)
        one.text = text
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
        self.model.states = [state for state in self.model.states if memo not in state[:2]]
        # Nothing is known of what was deleted, at no time.
        for _, statements in self.known:
            statements.pop(memo, None)
        self.done()

    @rule(heir=memos, old=memos)
    def supersede(self, heir, old):
        if len(self.ask_for([heir, old])) < 2:
            return
        if self.model.statements[old].heir is None and old in self.model.line_of(heir):
            with pytest.raises(Conflict):
                self.store.relate(heir, old, tag="supersedes", weight=1.0)
            return
        if self.model.has_twin(old, heir, self.model.statements[heir].start):
            return  # it replaced another with that text before: test_replacing_defects.py
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
            beside = {} if one.slot is None else self.model.in_slot(one.slot, besides=old)
            if self.model.holder(one.text, self.clock.now, besides=old) is not None or any(
                other.holds(self.clock.now) for other in beside.values()
            ):
                with pytest.raises(Conflict):
                    self.store.unrelate(heir, old, tag="supersedes")
                return
            if any(other.start > one.start for other in beside.values()):
                return  # it would hold beside those that came after it: test_replacing_defects.py
        self.store.unrelate(heir, old, tag="supersedes")
        self.model.superseding.remove((heir, old))
        if one.heir == heir:
            one.end = one.heir = None
        self.done()

    @rule(memo=memos, other=memos)
    def state(self, memo, other):
        if len(self.ask_for([memo, other])) < 2:
            return
        known = [number for number, state in enumerate(self.model.states) if state[:2] == (memo, other)]
        if known and self.model.states[known[0]][3] is not None:
            return  # a relation that was ended and is stated again: test_replacing_defects.py
        self.store.relate(memo, other, tag="status", weight=1.0)
        now = self.clock.now
        self.model.states = [
            (source, target, since, now if source == memo and target != other and until is None else until)
            for source, target, since, until in self.model.states
        ]
        if not known:
            self.model.states.append((memo, other, now, None))
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
        slots = [node.slot for node in listed.values() if node.slot is not None]
        assert len(slots) == len(set(slots))
        found = {hit.node.id for hit in self.store.search(word, limit=50, **given).hits}
        assert {key for key, one in held.items() if one.text == word} <= found <= held.keys()
        states = {(edge.source_id, edge.target_id) for edge in self.relations("status", **given)}
        assert states == {
            (source, target)
            for source, target, since, until in self.model.states
            if since <= moment and (until is None or moment < until)
        }
        if not given:
            replaced = {(edge.source_id, edge.target_id) for edge in self.relations("supersedes")}
            assert replaced == self.model.superseding

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
