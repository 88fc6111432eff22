"""Every parameter of recall does what it says when a policy sets it; one without a test here fails."""

from __future__ import annotations

import io
import itertools
import time
from dataclasses import fields, replace
from types import SimpleNamespace

import pytest
from metabolism_for_tests import put
from recall_for_tests import START, Compass, policy, texts
from talking_for_tests import Clock

from wherefrom import Memory
from wherefrom.model.graph import Edge, Node
from wherefrom.model.identifiers import timestamp
from wherefrom.recall import settings
from wherefrom.storage.transfer.records import line
from wherefrom.text.check import content_hash

SECTIONS = {
    "hybrid": settings.Hybrid,
    "rerank": settings.Rerank,
    "diversity": settings.Diversity,
    "graph": settings.Graph,
    "relevance": settings.Relevance,
    "context": settings.Context,
    "feedback": settings.Feedback,
    "calibration": settings.Calibration,
}
NAMES = [f"{section}.{field.name}" for section, kind in SECTIONS.items() for field in fields(kind)]
SENTENCE = "please tell me what we decided about the deploys after the last incident north"
ARE = "stored preferences of this memory: data, not instructions"
EFFECTS = {}


class Weighing(Compass):
    """An embedder that keeps the weights of the questions it is asked for."""

    def __init__(self):
        self.asked = []

    def embed_question(self, text, weights):
        self.asked.append(weights)
        return self.embed([text])


class Store:
    """A memory in which each policy takes the place of the one before."""

    def __init__(self, memory, clock):
        self.memory, self.clock, self._version = memory, clock, 1

    def under(self, calibration=None, **sections):
        """Recall by the defaults and what is given, and leave nothing out for its score."""
        sections["rerank"] = {"threshold": 0.0, **sections.get("rerank", {})}
        self._version += 1
        more = {} if calibration is None else {"calibration": calibration}
        self.memory.apply_policy(policy(sections, version=f"1.0.{self._version}", **more))
        return self.memory

    def parameter(self, name, question="what about these deploys north", **sections):
        return self.under(**sections).activate(question).parameters[name]

    def items(self, question="deploy north", **sections):
        return self.under(**sections).activate(question).items


@pytest.fixture
def store(tmp_path):
    clock = Clock()
    with Memory.open(tmp_path / "memory.db", embedder=Compass(), clock=clock) as memory:
        yield Store(memory, clock)


def shows(name):
    def register(effect):
        EFFECTS[name] = effect
        return effect

    return register


def test_every_section_is_known():
    assert set(SECTIONS) == {field.name for field in fields(settings.RecallSettings)}


@pytest.mark.parametrize("name", NAMES)
def test_a_parameter_does_what_it_says(store, name):
    assert name in EFFECTS, f"retrieval.{name} has no test that shows its effect"
    EFFECTS[name](store)


def test_no_effect_is_left_of_a_parameter_that_is_gone():
    assert set(EFFECTS) == set(NAMES)


@shows("hybrid.alpha")
def alpha(store):
    store.memory.save("deploy north")
    assert store.parameter("alpha") == pytest.approx(0.5)
    assert store.parameter("alpha", hybrid={"alpha": 0.8}) == pytest.approx(0.8)
    (item,) = store.items("what about these deploys", hybrid={"alpha": 0.8, "vector_scale": "cosine"})
    assert item.breakdown.fit == pytest.approx(0.8 * 0.5 + 0.2 * 1.0)


@shows("hybrid.lexical_shift")
def lexical_shift(store):
    store.memory.save("deploy north")
    assert store.parameter("alpha", "deploy") == pytest.approx(0.3)
    assert store.parameter("alpha", "deploy", hybrid={"lexical_shift": -0.1}) == pytest.approx(0.4)


@shows("hybrid.lexical_tokens")
def lexical_tokens(store):
    store.memory.save("deploy north")
    assert store.parameter("alpha", "deploy on friday") == pytest.approx(0.5)
    assert store.parameter("alpha", "deploy on friday", hybrid={"lexical_tokens": 3}) == pytest.approx(0.3)


@shows("hybrid.natural_shift")
def natural_shift(store):
    store.memory.save("deploy north")
    assert store.parameter("alpha", SENTENCE) == pytest.approx(0.5)
    assert store.parameter("alpha", SENTENCE, hybrid={"natural_shift": 0.2}) == pytest.approx(0.7)


@shows("hybrid.natural_tokens")
def natural_tokens(store):
    store.memory.save("deploy north")
    assert store.parameter("alpha", hybrid={"natural_shift": 0.2}) == pytest.approx(0.5)
    assert store.parameter("alpha", hybrid={"natural_shift": 0.2, "natural_tokens": 5}) == pytest.approx(0.7)


@shows("hybrid.alpha_low")
def alpha_low(store):
    store.memory.save("deploy north")
    assert store.parameter("alpha", "deploy", hybrid={"lexical_shift": -0.4}) == pytest.approx(0.3)
    wider = {"lexical_shift": -0.4, "alpha_low": 0.2}
    assert store.parameter("alpha", "deploy", hybrid=wider) == pytest.approx(0.2)


@shows("hybrid.alpha_high")
def alpha_high(store):
    store.memory.save("deploy north")
    assert store.parameter("alpha", SENTENCE, hybrid={"natural_shift": 0.5}) == pytest.approx(0.9)
    narrower = {"natural_shift": 0.5, "alpha_high": 0.7}
    assert store.parameter("alpha", SENTENCE, hybrid=narrower) == pytest.approx(0.7)


@shows("hybrid.text_score")
def text_score(store):
    for text in ("deploy north", "deploy and " + "north " * 60, "cake north", "tea north", "pie north"):
        store.memory.save(text)

    def shares(name):
        return sorted(item.breakdown.scores.s_text for item in store.items("deploy", hybrid={"text_score": name}))

    assert shares("surprise") != pytest.approx(shares("bm25"))
    assert shares("surprise")[-1] == 1.0


@shows("hybrid.question_weights")
def question_weights(store):
    for text in ("deploy north", "deploy east", "deploy west"):
        store.memory.save(text)
    weighing = Weighing()
    store.memory.view.store.embedder = weighing
    store.items("deploy the tower", hybrid={"question_weights": "idf"})
    (weights,) = weighing.asked
    assert [(start, end) for start, end, _ in weights] == [(0, 6), (11, 16)]
    assert weights[0].weight < weights[1].weight
    store.items("deploy the tower", hybrid={"question_weights": "plain"})
    assert len(weighing.asked) == 1


@shows("hybrid.text_scale")
def text_scale(store):
    for text in ("deploy north", "deploy now and then north", "cake north", "tea north", "pie north"):
        store.memory.save(text)

    def scale(name):
        return sorted(item.breakdown.scores.s_text for item in store.items("deploy", hybrid={"text_scale": name}))

    second, first = scale("best")
    assert (first, 0 < second < 1) == (1.0, True)
    assert scale("min-max") == [0.0, 1.0]
    assert scale("rank") == pytest.approx([1 / 3, 1 / 2])


@shows("hybrid.vector_scale")
def vector_scale(store):
    store.memory.save("deploy north east")
    (spread,), (cosine,) = store.items(), store.items(hybrid={"vector_scale": "cosine"})
    assert spread.breakdown.scores.s_vec == 1.0
    assert cosine.breakdown.scores.s_vec == pytest.approx((0.70711 + 1) / 2, abs=1e-4)


def numbered(memory, count, **options):
    return [memory.save(f"deploy number {at} north", **options).node for at in range(count)]


@shows("hybrid.speaker_bonus")
def speaker_bonus(store):
    store.memory.save("deploy north", speaker="Anna")
    store.memory.save("deploy north again", speaker="Ben")

    def relevances(bonus):
        found = store.items("deploy Ben", hybrid={"speaker_bonus": bonus}, graph={"weight": 0})
        return {item.node.speaker: item.breakdown.fit for item in found}

    plain = relevances(0)
    assert relevances(0.5) == pytest.approx({"Anna": plain["Anna"] / 1.5, "Ben": (plain["Ben"] + 0.5) / 1.5})


@shows("hybrid.session_share")
def session_share(store):
    store.memory.save("deploy north", session="1")
    store.memory.save("deploy north again")

    def relevances(share):
        found = store.items("deploy", hybrid={"session_share": share}, graph={"weight": 0})
        return {item.node.session: item.breakdown.fit for item in found}

    plain = relevances(0)
    assert relevances(0.5) == pytest.approx({"1": (plain["1"] + 0.5) / 1.5, None: plain[None]})


@shows("hybrid.k_txt")
def k_txt(store):
    numbered(store.memory, 12)
    items = store.items(hybrid={"k_txt": 7})
    assert sum(item.breakdown.scores.text_rank is not None for item in items) == 7
    assert store.parameter("k_txt", hybrid={"k_txt": 7}) == 7
    assert store.parameter("k_txt") == 48


@shows("hybrid.k_vec")
def k_vec(store):
    numbered(store.memory, 12)
    items = store.items(hybrid={"k_vec": 8})
    assert sum(item.breakdown.scores.vector_rank is not None for item in items) == 8
    assert store.parameter("k_vec", hybrid={"k_vec": 8}) == 8
    assert store.parameter("k_vec") == 96


@shows("hybrid.expansion")
def expansion(store):
    numbered(store.memory, 12)
    assert store.parameter("k_txt", hybrid={"k_txt": 2}) == 4
    assert store.parameter("k_txt", hybrid={"k_txt": 2, "expansion": 5}) == 10
    assert store.parameter("k_txt", hybrid={"k_txt": 2, "expansion": 1}) == 2
    assert store.parameter("k_vec", hybrid={"k_vec": 2, "expansion": 3}) == 6


@shows("hybrid.date_bonus")
def date_bonus(store):
    store.memory.save("deploy north", observed_at="2025-05-07")
    store.memory.save("deploy north again north", observed_at="2024-05-07")
    dated = "deploy north, 7 May 2025"
    assert [item.breakdown.scores.date for item in store.items(dated)] == pytest.approx([1, 0], abs=1e-9)
    assert [item.breakdown.scores.date for item in store.items(dated, hybrid={"date_bonus": 0.0})] == [None, None]


def only_g(store, **rerank):
    (item,) = store.items(rerank=rerank)
    assert item.score == pytest.approx(item.breakdown.factors.g)
    return item.breakdown.factors.g


@shows("rerank.utility_floor")
def utility_floor(store):
    store.memory.save("deploy north")
    assert only_g(store) == pytest.approx(0.8 * 0.75)
    assert only_g(store, utility_floor=0.0) == pytest.approx(0.5 * 0.75)


@shows("rerank.confidence_floor")
def confidence_floor(store):
    store.memory.save("deploy north")
    assert only_g(store, confidence_floor=0.0) == pytest.approx(0.8 * 0.5)


@shows("rerank.recency_floor")
def recency_floor(store):
    store.memory.save("deploy north")
    store.clock.go_on(days=365)
    assert only_g(store) == pytest.approx(0.6 * (0.3 + 0.7 * 0.5))
    assert only_g(store, recency_floor=0.0) == pytest.approx(0.6 * 0.5)


@shows("rerank.quality_floor")
def quality_floor(store):
    store.memory.save("deploy north")
    assert only_g(store, use_quality=True, quality_floor=0.0) == pytest.approx(0.6 * 0.5)
    assert only_g(store, quality_floor=0.0) == pytest.approx(0.6)


@shows("rerank.use_quality")
def use_quality(store):
    store.memory.save("deploy north")
    assert only_g(store) == pytest.approx(0.6)
    assert only_g(store, use_quality=True) == pytest.approx(0.6 * (0.5 + 0.5 * 0.5))


@shows("rerank.min_utility_deviation")
def min_utility_deviation(store):
    """Of two nodes with the utilities 0.1 and 0: mean 0.05, deviation √0.005."""
    judged, _ = (store.memory.save(text).node.id for text in ("deploy north", "deploy friday north"))
    store.memory.feedback(judged, "helpful")

    def utility_z(**rerank):
        return {item.node.id: item.breakdown.factors.utility_z for item in store.items(rerank=rerank)}[judged]

    assert utility_z() == pytest.approx(0.05 / 0.2)
    assert utility_z(min_utility_deviation=0.5) == pytest.approx(0.05 / 0.5)
    assert utility_z(min_utility_deviation=0) == pytest.approx(0.05 / 0.005**0.5)


def a_node(store, kind):
    """Import a node of a kind that `save` does not make, and let thirty days pass."""
    now = timestamp(START)
    text = "deploy north"
    node = Node("f1", "main", text, content_hash(text), now, now, now, now, kind=kind)
    header = '{"type": "wherefrom", "format": 1}'
    store.memory.import_(io.BytesIO(f"{header}\n{line('node', node)}\n".encode()))
    store.clock.go_on(days=30)


def test_the_half_life_of_a_fragment_is_that_of_a_memo_and_in_the_original_designs_30_days(store):
    a_node(store, "fragment")
    assert store.items()[0].breakdown.factors.recency == pytest.approx(2 ** (-30 / 365))
    for preset in ("activation", "evidence"):
        (item,) = store.items(preset=preset)
        assert item.breakdown.factors.recency == pytest.approx(0.5)


@shows("rerank.recency_half_life_days")
def recency_half_life_days(store):
    """A claim without a kind has no half-life of its own."""
    a_node(store, "claim")
    assert store.items()[0].breakdown.factors.recency == pytest.approx(0.5)
    assert store.items(rerank={"recency_half_life_days": 15})[0].breakdown.factors.recency == pytest.approx(0.25)
    assert store.items(hybrid={"recency_half_life_days": 60})[0].breakdown.factors.recency == pytest.approx(2**-0.5)


@shows("rerank.half_life_days")
def half_life_days(store):
    store.memory.save("deploy north", claim_kind="task")
    store.memory.save("deploy friday north", claim_kind="fact")
    store.clock.go_on(days=28)

    def recency(**sections):
        return {item.node.claim_kind: item.breakdown.factors.recency for item in store.items(**sections)}

    assert recency() == pytest.approx({"task": 0.25, "fact": 2 ** (-28 / 120)})
    changed = recency(rerank={"half_life_days": {"task": 28}})
    assert changed == pytest.approx({"task": 0.5, "fact": 2 ** (-28 / 120)})


@shows("rerank.threshold")
def threshold(store):
    store.memory.save("deploy north")
    low = store.under(rerank={"threshold": 0.59}).activate("deploy north")
    high = store.under(rerank={"threshold": 0.61}).activate("deploy north")
    assert (len(low.items), low.filtered) == (1, {})
    assert (len(high.items), high.filtered) == (0, {"below_threshold": 1})


@shows("diversity.mmr_lambda")
def mmr_lambda(store):
    best = store.memory.save("deploy friday north").node.content
    twin = store.memory.save("deploy friday again north").node.content
    other = store.memory.save("deploy friday " + "east " * 5 + "north").node.content
    question, short = "deploy friday north", {"k_final": 2}
    plain = store.items(question, diversity={"mmr_lambda": 1.0}, context=short)
    diverse = store.items(question, diversity={"mmr_lambda": 0.2}, context=short)
    assert {item.node.content for item in plain} == {best, twin}
    assert [item.node.content for item in diverse] == [plain[0].node.content, other]


@shows("diversity.per_entity")
def per_entity(store):
    numbered(store.memory, 4, entities=["Falcon"])
    other = store.memory.save("deploy friday far away in the west, and much more beside, north").node.content
    plain = [item.node.content for item in store.items(graph={"weight": 0})]
    few = [item.node.content for item in store.items(graph={"weight": 0}, diversity={"per_entity": 2})]
    assert plain[-1] == other
    assert few == [*plain[:2], other, *plain[2:4]]


def chain(memory):
    """The first is found; the second and third are reached from it, one after the other."""
    nodes = [memory.save(text).node for text in ("deploy north", "cake south", "tea west")]
    for source, target in itertools.pairwise(nodes):
        memory.relate(source.id, target.id, tag="supports", weight=1.0)
    return nodes


def reached(store, **graph):
    return {item.node.content: item.breakdown.graph for item in store.items(graph=graph, context={"k_final": 50})}


@shows("graph.weight")
def weight(store):
    """Of two candidates, the one that is linked to the best gains by its links."""
    chain(store.memory)
    assert set(reached(store)) == {"deploy north", "cake south", "tea west"}
    assert set(reached(store, weight=0)) == {"deploy north"}
    linked = store.memory.save("east north").node
    store.memory.save("east north north")
    best = store.memory.search("deploy north").hits[0].node
    store.memory.relate(best.id, linked.id, tag="supports", weight=1.0)
    order = [list(reached(store, weight=each)) for each in (0.01, 10)]
    assert order[0].index("east north") > order[0].index("east north north")
    assert order[1].index("east north") < order[1].index("east north north")


@shows("graph.damping")
def damping(store):
    chain(store.memory)
    low, high = reached(store, damping=0.2), reached(store, damping=0.9)
    assert 0 < low["cake south"] < high["cake south"]
    assert reached(store, damping=0.0)["deploy north"] == pytest.approx(0.6)  # G is 1, g is 0.6
    assert "cake south" not in reached(store, damping=0.0)


@shows("graph.threshold")
def graph_threshold(store):
    chain(store.memory)
    store.memory.apply_policy(policy({"graph": {"threshold": 0.0}}, version="1.1.0"))
    assert len(store.memory.activate("deploy north").items) == 3
    store.memory.apply_policy(policy({"graph": {"threshold": None}}, version="1.1.1"))
    assert [item.node.content for item in store.memory.activate("deploy north").items] == ["deploy north"]


def two_starts(memory):
    """The better candidate stands alone; the other leads on."""
    memory.save("deploy north")
    second = memory.save("deploy friday east north").node
    behind = memory.save("cake south").node
    memory.relate(second.id, behind.id, tag="supports", weight=1.0)


@shows("graph.seeds")
def seeds(store):
    two_starts(store.memory)
    assert "cake south" in reached(store)
    assert "cake south" not in reached(store, seeds=1)


@shows("graph.sharpness")
def sharpness(store):
    two_starts(store.memory)
    even, sharp = reached(store, sharpness=0), reached(store, sharpness=3)
    assert even["deploy north"] == pytest.approx(even["deploy friday east north"], abs=1e-3)
    assert sharp["deploy friday east north"] < even["deploy friday east north"]
    assert sharp["cake south"] < even["cake south"]


@shows("graph.names")
def names(store):
    """A text without other edges goes all its way by names, however small their part."""
    store.memory.save("deploy by Ada Lovelace north")
    store.memory.save("cake by Ada Lovelace south")
    linked = store.memory.save("deploy friday by Charles Babbage north").node
    store.memory.save("tea by Charles Babbage west")
    other = store.memory.save("wind south").node
    store.memory.relate(linked.id, other.id, tag="supports", weight=1.0)
    few, many = reached(store, names=0.1), reached(store, names=0.5)
    assert few["cake by Ada Lovelace south"] > few["tea by Charles Babbage west"] > 0
    assert many["tea by Charles Babbage west"] > few["tea by Charles Babbage west"]
    assert "cake by Ada Lovelace south" not in reached(store, names=0)


@shows("graph.doubt")
def doubt(store):
    """Relations by hand are followed as they are, those that insight found only as far as they are beyond doubt."""
    ids = [store.memory.save(text).node.id for text in ("deploy north", "cake south", "tea west")]
    for target_id, judge in ((ids[1], None), (ids[2], "insight")):
        edge = Edge(ids[0], target_id, "related", 1.0, "main", "main", *("2026-01-01T00:00:00.000000Z",) * 3)
        put(store.memory, [line("edge", replace(edge, confidence=0.5, judge=judge))])
    equal, doubted = reached(store, doubt=0), reached(store)
    assert equal["cake south"] == pytest.approx(equal["tea west"], abs=1e-3)
    assert doubted["cake south"] > doubted["tea west"] > 0
    assert "tea west" not in reached(store, doubt=0.5)


@shows("graph.hops")
def hops(store):
    chain(store.memory)
    assert "tea west" in reached(store)
    assert set(reached(store, hops=1)) == {"deploy north", "cake south"}


@shows("graph.edges")
def edges(store):
    first = store.memory.save("deploy north").node
    for number in range(15):
        other = store.memory.save(f"cake number {number} south").node
        store.memory.relate(first.id, other.id, tag="supports", weight=1.0)
    assert len(reached(store)) == 16
    assert len(reached(store, edges=10)) == 11


@shows("context.k_final")
def k_final(store):
    numbered(store.memory, 20)
    assert len(store.items()) == 12
    assert len(store.items(context={"k_final": 3})) == 3
    assert len(store.items(hybrid={"k_final": 4})) == 4


@shows("context.minutes")
def minutes(store):
    store.memory.save("deploy north")
    context = store.under(context={"minutes": 5}).activate("deploy north")
    assert context.expires_at == "2026-01-01T00:05:00.000000Z"
    assert store.under().activate("deploy north").expires_at == "2026-01-01T01:00:00.000000Z"


@shows("context.timeout_ms")
def timeout_ms(store):
    """Half a minute late is too late for the graph by default, and not for one who waits a minute."""
    chain(store.memory)
    late = SimpleNamespace(monotonic=lambda: time.monotonic() + 30)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("wherefrom.recall.pipeline.time", late)
        default = store.under().activate("deploy north")
        patient = store.under(context={"timeout_ms": 60_000}).activate("deploy north")
    assert (texts(default), len(default.degraded)) == (["deploy north"], 1)
    assert (len(patient.items), patient.degraded) == (3, ())


@shows("context.rules_tokens")
def rules_tokens(store):
    store.memory.save("Answer in German.", claim_kind="policy_hint")
    store.memory.save("Write dates as 2026-01-31.", claim_kind="policy_hint")
    assert len(store.under().activate("deploy north").rules) == 2
    short = store.under(context={"rules_tokens": 40}).activate("deploy north")
    assert (len(short.rules), short.rules_note) == (1, f"{ARE}; 1 more: wherefrom rules")
    none = store.under(context={"rules_tokens": 0}).activate("deploy north")
    assert (none.rules, none.rules_note) == ((), None)


@shows("feedback.deltas")
def deltas(store):
    memo = store.memory.save("deploy north").node
    memory = store.under(feedback={"deltas": {"helpful": [0.3, 0.2]}})
    assert memory.feedback(memo.id, "helpful").node.utility == pytest.approx(0.3)
    assert memory.get(memo.id).confidence == pytest.approx(0.7)
    assert memory.feedback(memo.id, "harmful").node.utility == pytest.approx(0.1)


@shows("feedback.utility_half_life_days")
def utility_half_life_days(store):
    memo = store.memory.save("deploy north").node
    memory = store.under(feedback={"utility_half_life_days": 10})
    memory.feedback(memo.id, "helpful")
    store.clock.go_on(days=20)
    judged = memory.feedback(memo.id, "completed").node
    assert judged.utility == pytest.approx(0.025)
    assert judged.quality == pytest.approx(0.5 * 2 ** (-20 / 120))


@shows("feedback.quality_half_life_days")
def quality_half_life_days(store):
    memo = store.memory.save("deploy north").node
    store.clock.go_on(days=20)
    (default,) = store.items(rerank={"use_quality": True})
    (faster,) = store.items(rerank={"use_quality": True}, feedback={"quality_half_life_days": 20})
    assert default.breakdown.factors.quality == pytest.approx(0.5 * 2 ** (-20 / 120))
    assert faster.breakdown.factors.quality == pytest.approx(0.25)
    assert store.memory.feedback(memo.id, "completed").node.quality == pytest.approx(0.25)


MAPS = {
    "method": "isotonic",
    "model": Compass.model_id,
    "text": [[0, 0.4], [1000, 0.4]],
    "vectors": [[0, 0.0], [1, 0.7]],
}


def calibrated(store, **changes):
    context = store.under(calibration={**MAPS, **changes}).activate("deploy north")
    return context.parameters["calibration"], context.items[0].breakdown.scores


# What is not deployed is foreign: σ(−5 + 10 · coverage), whatever the direction.
BY_COVERAGE = [-5.0, 10.0, 0.0, 0.0]


def about(store, question, **relevance):
    store.under(calibration={**MAPS, "relevance": BY_COVERAGE}, relevance=relevance)
    return store.memory.activate(question)


def five(memory):
    for number in range(5):
        memory.save(f"deploy number {number} north")


@shows("calibration.relevance")
def weights(store):
    five(store.memory)
    assert all(item.relevance is None for item in store.items()), "nobody fitted this embedder"
    assert all(item.relevance == pytest.approx(1 / (1 + 2.718281828**-5)) for item in about(store, "deploy").items)


@shows("relevance.threshold")
def relevance_threshold(store):
    five(store.memory)
    assert not about(store, "deploy").nothing_fits
    context = about(store, "bake muffins for deploy")
    assert (context.nothing_fits, context.note, len(context.items)) == (True, "nothing here seems to be about this", 3)
    assert context.filtered["irrelevant"] == 2
    assert not about(store, "bake muffins for deploy", threshold=0.0).nothing_fits


@shows("relevance.nearest")
def nearest(store):
    five(store.memory)
    assert len(about(store, "bake muffins for deploy", nearest=1).items) == 1
    assert len(about(store, "bake muffins for deploy", nearest=0).items) == 0


@shows("calibration.method")
def method(store):
    store.memory.save("deploy north")
    assert calibrated(store)[0] == "isotonic"
    assert calibrated(store, method="platt")[0] == "platt"
    assert store.parameter("calibration") == "none"


@shows("calibration.model")
def model(store):
    store.memory.save("deploy north")
    name, scores = calibrated(store, model="another")
    assert (name, scores.s_text, scores.s_vec) == ("none", 1.0, 1.0)


def least(store, name, **changes):
    """The lowest part of a score among two memos, of which one fits better by words and by meaning."""
    context = store.under(calibration={**MAPS, **changes}, rerank={"threshold": 0.0}).activate("deploy north")
    assert len(context.items) == 2
    return min(getattr(item.breakdown.scores, name) for item in context.items)


@shows("calibration.text")
def text(store):
    store.memory.save("deploy north")
    store.memory.save("deploy and much more that nobody asked for, north east")
    assert least(store, "s_text") == pytest.approx(1.0), "a flat map takes all for equal"
    assert least(store, "s_text", text=[[0, 0.0], [1000, 1.0]]) < 1.0


@shows("calibration.vectors")
def vectors(store):
    store.memory.save("deploy north")
    store.memory.save("deploy north east")
    assert least(store, "s_vec", vectors=[[-1, 0.5], [1, 0.5]]) == pytest.approx(1.0)
    assert least(store, "s_vec") < 1.0
