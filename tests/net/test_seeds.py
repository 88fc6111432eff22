"""What the five designs behind the program ask for, as a checklist: it stays as it is while the code is rebuilt.

Everything goes through the doors that users have (MCP tools, verbs of a memory, the command line, policies). What can
only be asked inside is asked in the section "The doors", and nowhere else.
"""

from __future__ import annotations

import importlib
import json
import math
import shutil
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
import yaml
from anyio.from_thread import start_blocking_portal
from mcp import Client
from typer.testing import CliRunner

# --- The doors --------------------------------------------------------------------------------------------------------

PACKAGE = "wherefrom"


def inside(path):
    """A part of the package by its path, such as `model.errors:NotFound`."""
    module, _, name = path.partition(":")
    found = importlib.import_module(".".join(filter(None, (PACKAGE, module))))
    return getattr(found, name) if name else found


def opened(url, **given):
    return inside(":Memory").open(url, **given)


def server_of(memory):
    """An MCP server in this process with all tools of all sets; `memory` is called for the memory of each call."""
    return inside("interfaces.mcp.server:build")(memory, sets=("all",))


def command(*arguments):
    """What a command of the program prints."""
    result = CliRunner().invoke(inside("interfaces.cli.app:app"), arguments)
    assert result.exit_code == 0, result.output
    return result.output


def kneedle(scores, *, least=3, most=50, sensitivity=1.0):
    """How many of these falling scores are left."""
    return inside("recall.selection:kept")(scores, inside("recall.selection:CutOff")(least, most, sensitivity))


def path_gain(engine, size, edges, links):
    """The pairs, the mean length before, and ΔSP of links between nodes that are there already."""
    paths = inside("graph.paths")
    knobs = inside("model.insight:PathKnobs")(engine=engine, pair_samples=0, sources_cap=0)
    graph = inside("graph.local:graph_of")(size, np.array(edges))
    ends = np.unique(np.array(links))
    found = paths.open_paths(graph, np.ones(size, dtype=bool), centers=ends[-1:], endpoints=ends, knobs=knobs)
    return found.pairs, found.before, found.gain(np.array(links))


def link_entropy(count):
    """ΔH of one more among so many equal weights, as a share of the greatest entropy."""
    return inside("graph.entropy:link_set_change")([1.0] * count)


def request_fields():
    """What L3 tells L1 when it asks for more candidates."""
    return set(inside("model.insight:ExpansionRequest").__dataclass_fields__)


def trust():
    """What is known about a model of our own: nothing."""
    return inside("embedding.port:Trust")()


# --- Aids -------------------------------------------------------------------------------------------------------------

START = datetime(2026, 1, 1, tzinfo=UTC)
IDS = ("id", "memo_id", "claim_id", "node_id")


class Clock:
    """Stands still until it is told to go on."""

    def __init__(self):
        self.now = START

    def __call__(self):
        return self.now

    def go_on(self, **time):
        self.now += timedelta(**time)


class Angles:
    """A model of our own: the first word of a text is its direction, and a word like `at26` turns it by degrees."""

    instant, sends, model_id, dimension = True, False, "angles", 64

    def __init__(self):
        self.trust = trust()

    def close(self):
        pass

    def embed(self, texts):
        return np.array([self._vector(text) for text in texts], dtype=np.float32).reshape(-1, self.dimension)

    def _vector(self, text):
        first, *words = text.split()
        there, aside = np.random.default_rng(sum(map(ord, first)) * 7 + len(first)).normal(size=(2, self.dimension))
        there /= np.linalg.norm(there)
        aside -= there * (there @ aside)
        aside /= np.linalg.norm(aside)
        turned = math.radians(TURNED.get(next((word for word in words if word in TURNED), ""), 0.0))
        return there * math.cos(turned) + aside * math.sin(turned)


# The difficulty of restoring is 1 − cos: about 0.03, 0.0998, 0.1002 and 0.2.
TURNED = {"really": 14.0, "actually": 25.82, "basically": 25.86, "indeed": 36.87}


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def memory(sqlite_store, tmp_path, clock):
    with opened(shutil.copy(sqlite_store, tmp_path / "memory.db"), clock=clock) as made:
        yield made


@pytest.fixture
def angled(sqlite_store, tmp_path, clock):
    """A memory whose similarities are known."""
    with opened(shutil.copy(sqlite_store, tmp_path / "angled.db"), clock=clock, embedder=Angles()) as made:
        yield made


class Talk:
    """One client for all tests: what it calls goes to the memory that is set."""

    def __init__(self):
        self.memory = self.portal = self.client = None

    def ask(self, memory, verb, *given):
        self.memory = memory
        return self.portal.call(getattr(self.client, verb), *given)


TALK = Talk()


@pytest.fixture(scope="module", autouse=True)
def talking():
    with start_blocking_portal() as TALK.portal:
        client = Client(server_of(lambda: TALK.memory))
        with TALK.portal.wrap_async_context_manager(client) as TALK.client:
            yield


def answered(memory, tool, **arguments):
    """Whether a call failed, and its answer."""
    result = TALK.ask(memory, "call_tool", tool, {"detail": "full", **arguments})
    return result.is_error, json.loads(result.content[0].text)


def call(memory, tool, **arguments):
    failed, answer = answered(memory, tool, **arguments)
    assert not failed, answer
    return answer


def refusal(memory, tool, **arguments):
    """The code of the error of a call."""
    failed, answer = answered(memory, tool, **arguments)
    assert failed, answer
    return answer["error"]["code"]


def listed(memory):
    return {tool.name: tool for tool in TALK.ask(memory, "list_tools").tools}


def id_of(thing):
    return next(thing[name] for name in IDS if name in thing)


def ends_of(edge):
    return tuple(
        next(edge[name] for name in (f"{side}_memo_id", f"{side}_id") if name in edge) for side in ("source", "target")
    )


def saved(memory, text, **given):
    return memory.save(text, **given).node.id


def policy(version="1.0.1", **sections):
    """A policy as text: JSON is YAML."""
    return json.dumps({"version": version, **sections})


def settings(memory):
    """The policy that holds where none was applied."""
    return yaml.safe_load(memory.policy()[0].yaml)


def rows_of(memory, view, **given):
    found = memory.query_view(view, **given)
    assert found.ok, found.error
    return [dict(zip(found.columns, row, strict=True)) for row in found.rows]


# --- Memos and relations ----------------------------------------------------------------------------------------------


@pytest.fixture
def pair(memory):
    return saved(memory, "The gate opens at nine."), saved(memory, "The gate closes at five.")


# By the name that a design gives a tool: the arguments that it must take, in the form that the design gives them.
ALIASES = {
    "memory.save": {"content": "Another text.", "title": "t", "metadata": {"a": 1}},
    "memory.search": {"query": "gate"},
    "memory.list": {"limit": 5},
    "memory.list_namespaces": {"depth": 2},
    "memory.delete": {"memoId": "{two}"},
    "memory.relation.save": {
        "sourceMemoId": "{one}",
        "targetMemoId": "{two}",
        "tag": "supports",
        "weight": 0.8,
        "reason": "both are about the gate",
        "namespace": "/",
    },
    "memory.relation.list": {"sourceMemoId": "{one}", "tag": "supports", "limit": 5},
    "memory.relation.graph": {"startMemoId": "{one}", "maxDepth": 2, "direction": "forward"},
    "pce.memory.activate": {
        "q": "gate",
        "scope": [],
        "allow": ["answer:task"],
        "top_k": 3,
        "include_meta": True,
    },
    "pce.memory.search": {"query": "gate"},
    "pce.memory.upsert": {
        "text": "One claim.",
        "kind": "fact",
        "scope": "project",
        "boundary_class": "internal",
        "provenance": {"at": "2026-01-01T00:00:00Z", "actor": "me"},
    },
    "pce.memory.feedback": {"claim_id": "{one}", "signal": "helpful", "score": 1},
    "pce.memory.boundary.validate": {
        "payload": "a text",
        "allow": ["answer:task"],
        "scope": "project",
    },
    "pce.memory.policy.apply": {"yaml": "version: 1.0.1\n", "validate_only": True},
}


@pytest.mark.parametrize("name", ALIASES)
def test_a_tool_answers_to_the_name_and_the_inputs_of_its_design(memory, pair, name):
    ids = {"{one}": pair[0], "{two}": pair[1]}
    given = {key: ids.get(value, value) if isinstance(value, str) else value for key, value in ALIASES[name].items()}
    call(memory, name, **given)


def test_the_relation_that_a_design_deletes_is_deleted_by_its_name(memory, pair):
    key = {"sourceMemoId": pair[0], "targetMemoId": pair[1], "tag": "supports"}
    call(memory, "memory.relation.save", **key, weight=1)
    call(memory, "memory.relation.delete", **key)
    assert call(memory, "memory.relation.list")["edges"] == []
    assert refusal(memory, "memory.relation.delete", **key) == "not_found"


def test_tools_are_listed_by_short_plain_names_and_aliases_are_not(memory):
    tools = listed(memory)
    assert {
        *("memory_save", "memory_search", "memory_list", "memory_delete", "memory_activate", "memory_feedback"),
        *("memory_relation_save", "memory_relation_list", "memory_relation_delete", "list_namespaces"),
        *("query_graph", "query_view", "vector_search", "get_status", "add_evidence", "create_task", "update_task"),
        *("find_insight", "metabolize", "restore", "policy_apply", "boundary_validate"),
    } <= tools.keys()
    assert all(name.replace("_", "").isalpha() and name.islower() and len(name) <= 24 for name in tools)
    assert "get_materials" not in tools


@pytest.mark.parametrize(
    ("tool", "required", "others"),
    [
        ("memory_save", {"content"}, {"title", "metadata", "namespace"}),
        ("memory_relation_save", {"tag", "weight"}, {"reason", "namespace"}),
        ("memory_relation_list", set(), {"namespace", "tag", "since", "limit", "cursor", "direction"}),
        ("memory_activate", set(), {"query", "scope", "allow", "top_k"}),
        ("memory_feedback", {"signal"}, {"score"}),
        ("query_graph", {"sql"}, {"options"}),
        ("vector_search", {"query"}, {"target", "task_id", "top_k", "min_similarity"}),
        ("policy_apply", {"yaml"}, {"dry_run", "validate_only", "expected_version", "approver"}),
        ("boundary_validate", {"text"}, {"scope", "allow"}),
    ],
)
def test_a_tool_lists_what_it_takes_and_misses_what_it_needs(memory, tool, required, others):
    schema = listed(memory)[tool].input_schema
    assert required <= set(schema.get("required", ()))
    assert required | others <= set(schema["properties"])
    if required:
        assert refusal(memory, tool) == "invalid_input"
    assert refusal(memory, tool, nobody_knows_this=1) == "invalid_input"


@pytest.mark.parametrize("weight", [-0.01, 1.01, "heavy"])
def test_the_weight_of_a_relation_is_from_0_to_1(memory, pair, weight):
    given = {"sourceMemoId": pair[0], "targetMemoId": pair[1], "tag": "supports"}
    assert refusal(memory, "memory_relation_save", **given, weight=weight) == "invalid_input"


def test_a_relation_saved_again_changes_weight_and_reason_and_counts_versions(memory, pair):
    key = {"sourceMemoId": pair[0], "targetMemoId": pair[1], "tag": "supports"}
    call(memory, "memory_relation_save", **key, weight=0.2, reason="first")
    call(memory, "memory_relation_save", **key, weight=0.9, reason="second")
    answer = call(memory, "memory_relation_list", sourceMemoId=pair[0])
    (edge,) = answer["edges"]
    assert ends_of(edge) == pair
    assert [edge[name] for name in ("tag", "weight", "reason", "version")] == ["supports", 0.9, "second", 2]
    assert {"created_at", "updated_at"} <= edge.keys()
    assert {id_of(node) for node in answer["nodes"]} == set(pair)
    assert answer["root_namespace"] == "main"
    call(memory, "memory_relation_save", **key | {"tag": "explains"}, weight=0.5)
    assert len(call(memory, "memory_relation_list")["edges"]) == 2


def test_a_deleted_memo_takes_its_relations_along_whichever_end_it_is(memory, pair):
    third = saved(memory, "The wall is red.")
    memory.relate(pair[0], pair[1], tag="supports", weight=0.5)
    memory.relate(pair[1], third, tag="supports", weight=0.5)
    memory.relate(pair[0], third, tag="supports", weight=0.5)
    memory.delete(pair[1])
    assert [(edge.source_id, edge.target_id) for edge in memory.relations().edges] == [(pair[0], third)]


def test_relations_need_both_memos_stay_inside_the_root_and_end_a_walk_of_a_circle(memory, pair):
    key = {"sourceMemoId": pair[0], "targetMemoId": "missing", "tag": "supports", "weight": 1}
    assert refusal(memory, "memory_relation_save", **key) == "not_found"
    assert refusal(memory, "memory_relation_list", namespace="../elsewhere") == "invalid_namespace"
    assert refusal(memory, "memory_save", content="a", namespace="../../elsewhere") == "invalid_namespace"
    assert (
        refusal(memory, "memory_relation_save", **key | {"targetMemoId": pair[1], "tag": "x" * 65}) == "invalid_input"
    )
    memory.relate(*pair, tag="supports", weight=0.5)
    memory.relate(*reversed(pair), tag="supports", weight=0.5)
    found = call(memory, "memory_relation_list", startMemoId=pair[0], maxDepth=10, direction="forward")["edges"]
    assert sorted(edge["depth"] for edge in found) == [1, 2]


def test_namespaces_are_resolved_against_the_default_and_the_root(sqlite_store, tmp_path):
    with opened(shutil.copy(sqlite_store, tmp_path / "m.db"), root="acme", namespace="acme/def") as memory:
        found = [
            memory.save(f"Text {at}.", namespace=given).node.namespace
            for at, given in enumerate((None, "A", "../B", "/C"))
        ]
        assert found == ["acme/def", "acme/def/A", "acme/B", "acme/C"]


# --- Boundary and policy ----------------------------------------------------------------------------------------------


def test_the_four_classes_open_to_the_tags_of_the_design(memory):
    classes = settings(memory)["boundary_classes"]
    assert [*classes] == ["public", "internal", "pii", "secret"]
    assert classes["public"]["allow"] == ["*"]
    assert classes["internal"]["allow"] == ["answer:task", "tool:*"]
    assert classes["pii"]["allow"] == ["tool:contact-lookup"]
    assert classes["pii"]["escalation"] == "human_review"
    assert {"email", "phone"} <= set(classes["pii"]["redact"])
    assert classes["secret"]["deny"] is True


@pytest.mark.parametrize(
    ("scope", "days", "tokens"), [("session", 7, 20_000), ("project", 120, 50_000), ("principle", None, 100_000)]
)
def test_a_scope_lives_as_long_as_its_design_says(memory, clock, scope, days, tokens):
    assert settings(memory)["scopes"][scope] == {"ttl_days": days, "max_tokens": tokens}
    node = memory.save("A statement.", claim_kind="fact", scope=scope).node
    ends = None if node.expires_at is None else datetime.fromisoformat(node.expires_at) - START
    assert ends == (None if days is None else timedelta(days=days))
    clock.go_on(days=121)
    assert bool(memory.search("statement").hits) is (days is None)


def test_an_access_sees_the_classes_that_its_tags_open(sqlite_store, tmp_path):
    path = shutil.copy(sqlite_store, tmp_path / "m.db")
    with opened(path, allow=["answer:task", "tool:contact-lookup"]) as everyone:
        for name in ("public", "internal", "pii"):
            everyone.save(f"The {name} gate.", boundary_class=name)
    for allow, seen in (
        (["nothing"], {"public"}),
        (["answer:task"], {"public", "internal"}),
        (["tool:search"], {"public", "internal"}),
        (["tool:contact-lookup"], {"public", "internal", "pii"}),
    ):
        with opened(path, allow=allow) as memory:
            assert {hit.node.boundary_class for hit in memory.search("gate", limit=10).hits} == seen
            assert {item.node.boundary_class for item in memory.activate("gate").items} <= seen


def test_what_is_secret_is_not_stored_and_what_is_personal_is_taken_out_before_it_is_embedded(memory):
    assert refusal(memory, "memory_save", content="anything", boundary_class="secret") in (
        "invalid_input",
        "boundary_denied",
    )
    node = memory.save("Write to yuki.mori@hanako-shop.jp about the key sk-proj-Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z.").node
    assert "[email]" in node.content and "[secret]" in node.content
    assert "yuki" not in node.content and "sk-proj" not in node.content
    answer = call(memory, "boundary_validate", payload="yuki.mori@hanako-shop.jp", scope="project")
    assert answer["allowed"] is True
    assert answer["redacted"] == "[email]"
    assert answer["policy_version"] == "1.0.0"


def test_an_invariant_denies_in_its_scopes_and_when_it_cannot_be_decided(memory):
    rule = {
        "name": "no_destructive_change",
        "applies_to": ["principle", "project"],
        "rule": "api.breaking_change == false",
    }
    memory.apply_policy(policy(invariants=[rule]))
    denied = inside(":BoundaryDenied")
    for metadata in ({"api": {"breaking_change": True}}, {}):
        with pytest.raises(denied, match="no_destructive_change"):
            memory.save("We drop the table.", scope="principle", metadata=metadata)
    assert (
        memory.save("We keep it.", scope="principle", metadata={"api": {"breaking_change": False}}).status == "created"
    )
    assert memory.save("We drop the table.", scope="session").status == "created"


def test_a_policy_is_checked_tried_applied_and_kept_with_its_history(memory):
    assert call(memory, "policy_apply", yaml=policy("1.1.0"), validate_only=True)["status"] == "valid"
    assert call(memory, "policy_apply", yaml=policy("1.1.0"), dry_run=True)["status"] == "dry_run"
    assert [each.version for each in memory.policy()] == ["1.0.0"]
    call(memory, "policy_apply", yaml=policy("1.1.0"), approver="Mika")
    call(memory, "policy_apply", yaml=policy("1.2.0"), expected_version="1.1.0")
    assert refusal(memory, "policy_apply", yaml=policy("1.3.0"), expected_version="1.1.0") == "conflict"
    assert refusal(memory, "policy_apply", yaml="version: [") == "invalid_input"
    assert [each.version for each in memory.policy()] == ["1.2.0", "1.1.0"]


# --- Recall -----------------------------------------------------------------------------------------------------------

FILLER = ("The piano is old.", "Bread rises slowly.", "A hen lays eggs.", "Snow fell in March.")


@pytest.fixture
def filled(memory):
    """A memory with the text that is asked for, and others."""
    for text in FILLER:
        memory.save(text)
    memory.save("The subscription is cancelled by POST /subscriptions/cancel.", title="Cancel")
    return memory


def weighed(memory, question, **given):
    """The parts of g of the best hit."""
    return memory.search(question, rank="final", limit=1, **given).hits[0]


def test_a_context_says_how_it_was_made_and_can_be_read_again_until_it_ends(filled, clock):
    answer = call(filled, "memory_activate", q="How is the subscription cancelled?", include_meta=True)
    assert {
        "active_context_id",
        "policy_version",
        "expires_at",
        "provenance",
        "request_id",
        "trace_id",
    } <= answer.keys()
    (first, *_) = answer["items"]
    assert first["score"] == pytest.approx(0.6)
    assert {"s_text", "s_vec", "S", "g"} <= first["features"].keys()
    parts = dict(part.strip().split("=", 1) for part in first["figures"].strip("; ").split(";"))
    assert {"FTS", "cos", "recent", "util", "conf"} <= parts.keys()
    context = filled.context(answer["active_context_id"])
    assert [item.score for item in context.items] == [item["score"] for item in answer["items"]]
    clock.go_on(minutes=61)
    with pytest.raises(inside(":Gone")):
        filled.context(answer["active_context_id"])


def test_the_parameters_of_a_context_are_those_of_the_design(filled):
    filled.apply_policy(policy(retrieval={"preset": "activation"}))
    context = filled.activate("How is the subscription cancelled?")
    named = {name: context.parameters[name] for name in ("k_txt", "k_vec", "k_final", "threshold", "mmr_lambda")}
    assert named == {"k_txt": 48, "k_vec": 96, "k_final": 12, "threshold": 0.15, "mmr_lambda": 0.85}
    assert all(item.score >= 0.15 for item in context.items)


def test_what_is_below_the_threshold_is_left_out_and_counted(filled):
    filled.apply_policy(policy(retrieval={"rerank": {"threshold": 0.61}}))
    context = filled.activate("How is the subscription cancelled?")
    assert context.items == ()
    assert context.filtered["below_threshold"] >= 1


@pytest.mark.parametrize(
    ("preset", "question", "alpha"),
    [
        ("activation", "How is a subscription cancelled?", 0.65),
        ("activation", "subscription", 0.40),
        ("activation", "What does `POST /subscriptions/cancel` do?", 0.40),
        (
            "activation",
            "Please tell me how somebody who has a subscription that is no longer needed may have it cancelled today",
            0.775,
        ),
        ("evidence", "How is a subscription cancelled?", 0.7),
        ("evidence", "subscription", 0.7),
    ],
)
def test_a_preset_mixes_words_and_meaning_as_its_design_does(filled, preset, question, alpha):
    filled.apply_policy(policy(retrieval={"preset": preset}))
    found = filled.search(question)
    assert found.alpha == pytest.approx(alpha)
    for hit in found.hits:
        scores = hit.scores
        assert hit.score == pytest.approx(alpha * scores.s_vec + (1 - alpha) * scores.s_text)
        assert scores.s_vec == pytest.approx(
            0.0 if scores.similarity is None else (scores.similarity + 1) / 2, abs=1e-6
        )


def test_presets_have_names_and_others_are_refused(memory):
    for name in ("measured", "activation", "evidence"):
        memory.apply_policy(policy(retrieval={"preset": name}), validate_only=True)
    assert refusal(memory, "policy_apply", yaml=policy(retrieval={"preset": "dream"})) == "invalid_input"
    assert refusal(memory, "policy_apply", yaml=policy(retrieval={"hybrid": {"alpha": 1.1}})) == "invalid_input"


def test_g_of_a_fresh_memo_is_0_6(filled):
    hit = weighed(filled, "subscription cancelled")
    factors = hit.factors
    assert [factors.utility, factors.confidence, factors.recency] == pytest.approx([0.5, 0.5, 1.0])
    assert factors.g == pytest.approx((0.6 + 0.4 * 0.5) * (0.5 + 0.5 * 0.5) * (0.3 + 0.7 * 1.0)) == pytest.approx(0.6)
    assert hit.score == pytest.approx(hit.fit * factors.g)


@pytest.mark.parametrize(
    ("kind", "recency"), [("fact", 0.841), ("task", 0.226), ("preference", 0.794), ("policy_hint", 0.945)]
)
def test_recency_halves_by_the_kind_of_a_claim(memory, clock, kind, recency):
    memory.save("The gate opens at nine.", claim_kind=kind)
    clock.go_on(days=30)
    assert weighed(memory, "gate").factors.recency == pytest.approx(recency, abs=5e-4)


def test_a_half_life_and_the_use_of_quality_are_set_by_policy(memory, clock):
    memory.save("The gate opens at nine.")
    rerank = {"half_life_days": {"memo": 30}, "use_quality": True}
    memory.apply_policy(policy(retrieval={"rerank": rerank}))
    clock.go_on(days=30)
    factors = weighed(memory, "gate").factors
    assert factors.recency == pytest.approx(0.5)
    assert factors.g == pytest.approx(0.8 * 0.75 * 0.65 * (0.5 + 0.5 * factors.quality))


@pytest.mark.parametrize(
    ("signal", "utility", "confidence"),
    [
        ("helpful", 0.10, 0.05),
        ("harmful", -0.20, -0.10),
        ("outdated", 0.0, -0.20),
        ("duplicate", -0.05, 0.0),
        ("completed", 0.0, 0.0),
    ],
)
def test_a_signal_changes_utility_and_confidence_by_its_amounts(memory, clock, signal, utility, confidence):
    node = memory.save("The gate opens at nine.", claim_kind="task").node
    more = {"duplicate_of": saved(memory, "The gate opens at 9.", claim_kind="task")} if signal == "duplicate" else {}
    clock.go_on(days=1)
    call(memory, "memory_feedback", claim_id=node.id, signal=signal, request_id="r1", **more)
    judged = memory.get(node.id)
    assert [judged.utility, judged.confidence] == pytest.approx([utility, 0.5 + confidence])
    assert (judged.recency_anchor > node.recency_anchor) is (signal == "helpful")
    call(memory, "memory_feedback", claim_id=node.id, signal=signal, request_id="r1", **more)
    assert memory.get(node.id).utility == judged.utility, "the same request counts once"


def test_another_signal_is_refused(memory, pair):
    assert refusal(memory, "memory_feedback", memo_id=pair[0], signal="lovely") == "invalid_input"


def test_calibration_is_fitted_and_put_in_force_as_the_next_policy(memory):
    topics = ("river", "piano", "bread", "glass", "horse", "cloud", "stone", "apple")
    ids = {topic: saved(memory, f"A text about the {topic} and nothing else but the {topic}.") for topic in topics}
    judged = [{"query": f"text about the {topic}", "relevant": [ids[topic]]} for topic in topics]
    tried = memory.calibrate(judged, dry_run=True)
    assert [each.version for each in memory.policy()] == ["1.0.0"]
    for method in ("isotonic", "quantile", "platt"):
        fitted = memory.calibrate(judged, method=method)
        holds = memory.policy()[0]
        section = yaml.safe_load(holds.yaml)["calibration"]
        assert holds.version == fitted.version > "1.0.0"
        assert section["method"] == method
        for name in ("text", "vectors"):
            xs, ys = zip(*section[name], strict=True)
            assert list(xs) == sorted(xs) and list(ys) == sorted(ys) and 0 <= ys[0] <= ys[-1] <= 1
        assert memory.activate("text about the river").parameters["calibration"] == method
    assert tried.method == "isotonic"


def test_the_cut_off_is_where_kneedle_finds_the_knee():
    assert kneedle([1.0, 0.95, 0.9, 0.88, 0.2, 0.18, 0.15, 0.1, 0.05, 0.0]) == 4
    assert kneedle([1.0, 0.1, 0.09, 0.08, 0.07, 0.06]) == 3, "never fewer than the least"
    assert kneedle([0.9, 0.8]) == 2
    assert kneedle([0.5] * 10) == 3, "without a fall, the least"
    assert kneedle([]) == 0
    assert kneedle([1 - at / 100 for at in range(100)]) <= 50


@pytest.mark.parametrize(
    ("scores", "knee"),
    [
        ([0.66, 0.38, 0.32, 0.25, 0.18, 0.16, 0.11, 0.06, 0.05, 0.02, 0.0, 0.0], 4),
        ([0.39, 0.29, 0.28, 0.28, 0.21, 0.1, 0.1, 0.07, 0.04, 0.01, 0.0, 0.0], 1),
        ([0.64, 0.61, 0.46, 0.24, 0.18, 0.17, 0.05, 0.03, 0.03, 0.01, 0.01, 0.0], 6),
        ([0.24, 0.22, 0.2, 0.18, 0.12, 0.1, 0.07, 0.07, 0.03, 0.01, 0.01, 0.0], 6),
        ([0.72, 0.53, 0.36, 0.31, 0.24, 0.23, 0.17, 0.17, 0.13, 0.1, 0.09, 0.05], 4),
    ],
)
def test_the_cut_off_agrees_with_the_kneed_package(scores, knee):
    """The knees were found by the package; importing it takes seconds."""
    assert kneedle(scores, least=1) == knee
    assert kneedle(scores) == max(knee, 3)


def test_a_search_without_a_limit_is_cut_off_and_one_with_a_limit_is_not(monkeypatch, sqlite_store, tmp_path, clock):
    monkeypatch.setenv("WHEREFROM_CUTOFF", "auto")
    with opened(shutil.copy(sqlite_store, tmp_path / "memory.db"), clock=clock) as memory:
        memory.apply_policy(policy(retrieval={"preset": "activation"}))
        _cut_off(memory)


def _cut_off(memory):
    for thing in ("river", "piano", "bread", "glass", "horse", "cloud", "stone", "apple", "table", "chair", "window"):
        memory.save(f"The {thing} stands near the harbour.")
    for at in range(4):
        memory.save(f"The harbour gate {at} opens at nine in the morning.")
    question = "harbour gate opens at nine in the morning"
    assert len(memory.search(question).hits) == 4
    assert len(memory.search(question, limit=10).hits) == 10


# --- Evidence ---------------------------------------------------------------------------------------------------------

VIEWS = {
    "v_claim_evidence_summary": "claim_id claim_text support_count refute_count neutral_count bayesian_confidence is_controversial",
    "v_contradictions": "claim_id claim_text supporting_fragments refuting_fragments controversy_score",
    "v_unsupported_claims": "claim_id claim_text evidence_count uncertainty",
    "v_evidence_chain": "source_fragment_id intermediate_claim_id derived_claim_id chain_confidence",
    "v_hub_pages": "page_id title domain claims_supported citation_count",
    "v_citation_flow": "citing_page_id cited_page_id citation_source hop_distance",
    "v_citation_clusters": "cluster_id page_ids internal_citations cluster_size",
    "v_orphan_sources": "page_id title domain claims_supported",
    "v_evidence_timeline": "year fragment_count claim_count avg_confidence",
    "v_claim_temporal_support": "claim_id earliest_year latest_year year_span temporal_consistency",
    "v_emerging_consensus": "claim_id claim_text support_trend years_observed",
    "v_outdated_evidence": "claim_id claim_text newest_evidence_year years_since_update",
    "v_source_authority": "page_id title authority_score citation_count cited_by_count year",
    "v_controversy_by_era": "decade controversial_claims consensus_claims shift_detected",
    "v_citation_age_gap": "citing_year cited_year age_gap frequency",
    "v_evidence_freshness": "claim_id claim_text avg_evidence_age has_recent_support has_recent_refutation",
}
TABLES = {
    "claims": "id task_id claim_text llm_claim_confidence claim_adoption_status",
    "fragments": "id page_id fragment_type position text_content heading_context text_hash",
    "pages": "id url domain title year paper_metadata",
    "edges": "source_type source_id target_type target_id relation nli_edge_confidence",
    "tasks": "id query status result_summary",
    "queries": "id task_id query_text query_type depth result_count harvest_rate",
    "embeddings": "target_type target_id model_id dimension embedding_blob",
    "memos": "id title content metadata namespace",
}


def gathered(memory, claim="The drug works.", task_id=None, **confidences):
    """A claim with so many fragments for and against it, each on a page of its own."""
    given = [(relation, each) for relation, listed_ in confidences.items() for each in listed_]
    claim_id = None
    for at, (relation, confidence) in enumerate(given or [(None, None)]):
        evidence = [] if relation is None else [{"relation": relation, "fragment": 0, "confidence": confidence}]
        named = {"text": claim} if claim_id is None else {"claim_id": claim_id}
        answer = call(
            memory,
            "add_evidence",
            page={"url": f"https://{relation}{at}.example.org/", "title": f"Page {at}", "year": 2010 + at},
            fragments=[{"text": f"Fragment {at} which {relation} it: {claim}"}],
            claims=[{**named, "evidence": evidence}],
            **({} if task_id is None else {"task_id": task_id}),
        )
        claim_id = claim_id or id_of(answer["claims"][0])
    return claim_id


@pytest.mark.parametrize(
    ("supports", "refutes", "confidence", "uncertainty", "controversy"),
    [
        ([], [], 0.500, 0.289, 0),
        ([0.9], [], 0.655, 0.241, 0),
        ([0.9, 0.8], [0.8], 0.600, 0.209, 0.32),
        ([1.0, 1.0], [1.0, 1.0], 0.500, 0.189, 0.5),
        ([], [0.95], 0.339, 0.238, 0),
    ],
)
def test_evidence_says_of_a_claim_what_the_beta_posterior_says(
    memory, supports, refutes, confidence, uncertainty, controversy
):
    claim_id = gathered(memory, supports=supports, refutes=refutes)
    (row,) = rows_of(memory, "v_claim_evidence_summary")
    assert row["claim_id"] == claim_id
    measured = [row[name] for name in ("bayesian_confidence", "uncertainty", "controversy")]
    assert measured == pytest.approx([confidence, uncertainty, controversy], abs=6e-4)
    assert bool(row["is_controversial"]) is (controversy >= 0.3)
    assert [row["support_count"], row["refute_count"]] == [len(supports), len(refutes)]


def test_the_tables_and_the_16_views_have_the_columns_of_their_design(memory):
    schema = call(memory, "query_graph", sql="select 1", options={"include_schema": True, "timeout_ms": 2_000})[
        "schema"
    ]
    shapes = {table["name"]: set(table["columns"]) for table in schema["tables"]}
    assert len(VIEWS) == 16 == sum(name.startswith("v_") for name in shapes)
    for name, columns in {**VIEWS, **TABLES}.items():
        assert set(columns.split()) <= shapes[name], name


def test_every_view_answers_with_and_without_a_task(memory):
    task = memory.create_task("Does the drug work?")
    gathered(memory, task_id=task.id, supports=[0.9], refutes=[0.7])
    filled = {name: bool(rows_of(memory, name)) for name in VIEWS}
    assert {"v_contradictions", "v_claim_evidence_summary", "v_source_authority", "v_evidence_timeline"} <= {
        n for n, any_ in filled.items() if any_
    }
    for name in VIEWS:
        answer = call(memory, "query_view", name=name, task_id=task.id, limit=1)
        assert answer["ok"] and len(answer["rows"]) <= 1, name
    (row,) = rows_of(memory, "v_contradictions", task_id=task.id)
    assert 0 < row["controversy_score"] <= 0.5
    assert rows_of(memory, "v_contradictions", task_id="another") == []


FORBIDDEN = (
    "select 1; select 2",
    "attach database 'x.db' as x",
    "pragma query_only = off",
    "create table t (a)",
    "drop table claims",
    "insert into claims (id) values ('x')",
    "update claims set claim_text = 'x'",
    "delete from claims",
    "select load_extension('x')",
    "begin",
    "select * from nodes",
    "select * from sqlite_schema",
    "with memos as (select * from main.nodes) select * from memos",
)


def test_sql_that_is_no_plain_reading_of_the_views_is_refused(memory, pair):
    for sql in FORBIDDEN:
        answer = call(memory, "query_graph", sql=sql)
        assert answer["ok"] is False, sql
        assert answer["error"] and not answer.get("rows"), sql
    assert {node.id for node in memory.list().nodes} == set(pair)


def test_sql_is_limited_in_rows_time_and_steps(memory):
    for at in range(3):
        memory.save(f"Text {at}.")
    answer = call(
        memory, "query_graph", sql="select id from memos order by id", options={"limit": 2, "timeout_ms": 2_000}
    )
    assert [answer["ok"], answer["row_count"], answer["truncated"], answer["columns"]] == [True, 2, True, ["id"]]
    assert isinstance(answer["elapsed_ms"], int)
    endless = "with recursive n(x) as (select 1 union all select x + 1 from n) select count(*) from n"
    for options in ({"timeout_ms": 100}, {"max_vm_steps": 1_000}):
        answer = call(memory, "query_graph", sql=endless, options=options)
        assert answer["ok"] is False and "interrupted" in answer["error"]
    for options in ({"limit": 201}, {"timeout_ms": 2_001}, {"max_vm_steps": 10**9}, {"limit": 0}):
        assert refusal(memory, "query_graph", sql="select 1", options=options) == "invalid_input"


def test_vector_search_has_the_bounds_and_the_answer_of_its_design(memory):
    failed, answer = answered(memory, "vector_search", query="anything")
    assert failed or answer["ok"] is False, "nothing to search is no empty success"
    gathered(memory, "The drug lowers blood sugar. " + "It was seen often. " * 30, supports=[0.9])
    properties = listed(memory)["vector_search"].input_schema["properties"]
    assert [properties[name]["default"] for name in ("target", "top_k")] == ["claims", 10]
    memory.apply_policy(policy(explore={"preset": "evidence"}))
    assert "reaches a similarity of 0.50" in call(memory, "vector_search", query="zebra")["note"]
    answer = call(memory, "vector_search", query="The drug lowers blood sugar. It was seen often.", min_similarity=0.3)
    (result,) = answer["results"]
    assert answer["total_searched"] == 1
    assert 0.3 <= result["similarity"] <= 1 and len(result["text_preview"]) <= 201
    assert call(memory, "vector_search", query="drug", target="fragments", min_similarity=0)["results"]
    for wrong in ({"top_k": 51}, {"top_k": 0}, {"min_similarity": 1.1}, {"target": "pages"}):
        assert refusal(memory, "vector_search", query="drug", **wrong) == "invalid_input"


def test_the_summary_of_evidence_comes_with_the_end_of_a_task(memory):
    task = memory.create_task("Does the drug work?")
    gathered(memory, task_id=task.id, supports=[0.9, 0.8], refutes=[0.7], neutral=[0.5])
    assert not call(memory, "get_status", task_id=task.id)["tasks"][0].get("evidence_summary")
    memory.update_task(task.id, status="completed")
    summary = call(memory, "get_status", task_id=task.id)["tasks"][0]["evidence_summary"]
    assert {name: summary[name] for name in summary if name != "top_domains"} == {
        "total_claims": 1,
        "total_fragments": 4,
        "total_pages": 4,
        "supporting_edges": 2,
        "refuting_edges": 1,
        "neutral_edges": 1,
    }
    assert len(summary["top_domains"]) == 4


# --- Insight ----------------------------------------------------------------------------------------------------------

NILE = (
    "The Nile floods every summer and leaves mud on the fields.",
    "The mud that the Nile floods leave makes the fields fertile.",
    "After the summer flood farmers sow seed in the mud of the Nile.",
    "The Nile mud on the fields dries after the summer flood.",
    "An index makes queries of a database faster.",
    "He scored two goals in the second half of the match.",
)


@pytest.fixture
def nile(memory):
    ids = [saved(memory, text) for text in NILE]
    memory.relate(ids[1], ids[2], tag="explains", weight=0.9)
    memory.relate(ids[2], ids[3], tag="explains", weight=0.9)
    return memory, ids


def decided(memory, node_id, number, **insight):
    """What is decided about a node under these parameters."""
    memory.apply_policy(policy(f"1.0.{number}", insight=insight))
    return memory.find_insight(node_id).decisions[0]


def test_l3_judges_what_l1_chose_over_the_candidate_mask_and_makes_no_candidates(nile):
    memory, (node_id, *_) = nile
    metrics = memory.find_insight(node_id).decisions[0].cycles[0]
    assert [metrics.sp_engine, metrics.h_scope, metrics.input_contract_ok, metrics.autocand_used] == [
        "cached_incr",
        "cand_mask",
        True,
        False,
    ]
    assert metrics.candidates >= 1 and metrics.norm_spec is not None
    for hop in metrics.hops:
        assert hop.delta_h >= 0, "after − before"
    assert metrics.hops[0].delta_sp == 0
    assert metrics.g0 == metrics.hops[0].g and metrics.gmin == min(hop.g for hop in metrics.hops)


def test_the_three_path_engines_decide_alike(nile):
    memory, (node_id, other_id, *_) = nile
    memory.relate(node_id, other_id, tag="explains", weight=0.9)
    paths = {"pair_samples": 0, "sources_cap": 4_096, "gain_epsilon": 0}
    done = [
        decided(memory, node_id, at, paths={"engine": engine, **paths}, gates={"theta_ag": -10})
        for at, engine in enumerate(("core", "cached", "cached_incr"), 1)
    ]
    assert [each.cycles[0].sp_engine for each in done] == ["core", "cached", "cached_incr"]
    first = done[0]
    assert first.accepted and max(hop.delta_sp for hop in first.cycles[0].hops) > 0
    for other in done[1:]:
        assert [(link.target_id, link.accepted) for link in other.links] == [
            (link.target_id, link.accepted) for link in first.links
        ]
        assert [link.figures.g for link in other.links] == pytest.approx([link.figures.g for link in first.links])
        assert [hop.g for hop in other.cycles[0].hops] == pytest.approx([hop.g for hop in first.cycles[0].hops])


@pytest.mark.parametrize("engine", ["core", "cached", "cached_incr"])
def test_an_engine_takes_the_pairs_of_before_in_the_worked_example(engine):
    a, b, c, d, e, f, g, h, q = range(9)
    edges = [(b, c), (c, d), (d, a), (a, e), (b, f), (c, g), (d, h)]
    pairs, before, gain = path_gain(engine, 9, edges, [(q, a), (q, b), (q, c), (q, d)])
    assert [pairs, before] == [28, pytest.approx(68 / 28)]
    assert round(gain, 4) == 0.0588


def test_the_gauge_of_the_worked_example():
    near, far = link_entropy(4), link_entropy(8)
    assert [round(near, 4), round(far, 4)] == [0.1386, 0.0536]
    assert round(1.0 - near, 3) == 0.861
    assert round(1.0 - (far + 0.0588), 3) == 0.888


def test_another_engine_is_refused_and_so_is_a_sign_or_a_scope_of_the_entropy(memory):
    assert refusal(memory, "policy_apply", yaml=policy(insight={"paths": {"engine": "full"}})) == "invalid_input"
    for section in ({"h_scope": "global"}, {"gauge": {"sign": -1}}, {"gauge": {"h_scope": "global"}}):
        assert refusal(memory, "policy_apply", yaml=policy(insight=section)) == "invalid_input"


def test_when_ag_fires_l1_is_asked_for_more_candidates_within_the_budget(nile):
    memory, (node_id, *_) = nile
    few = {"candidates": {"top_k": 1}}
    calm = decided(memory, node_id, 1, **few, gates={"theta_ag": 10})
    assert [(each.ag, each.candidates) for each in calm.cycles] == [(False, 1)]
    fired = decided(memory, node_id, 2, **few, gates={"theta_ag": -10}, cand_expansion={"budget": 2})
    assert [each.ag for each in fired.cycles] == [True, True]
    assert 1 < fired.cycles[1].candidates <= 1 + 2
    wider = decided(memory, node_id, 3, **few, gates={"theta_ag": -10})
    assert fired.cycles[1].candidates <= wider.cycles[1].candidates <= 1 + 16
    assert wider.cycles[1].hops[0].ig > wider.cycles[0].hops[0].ig
    assert not any(each.autocand_used for each in (*calm.cycles, *fired.cycles, *wider.cycles))
    never = decided(memory, node_id, 4, **few, gates={"theta_ag": -10}, cand_expansion={"cycles": 0})
    assert len(never.cycles) == 1


def test_a_request_for_more_says_what_the_design_says():
    assert {"centers", "prev_ecand", "reason", "budget", "radius_hint", "theta_link_hint"} <= request_fields()


def test_l3_may_look_for_candidates_only_where_that_is_allowed(memory):
    for mode in ("l1", "l3", "hybrid"):
        expansion = {"mode": mode, "budget": 16, "near_centers_hop": 1}
        allowed = {"candidates": {"allow_autocand": True}, "cand_expansion": expansion}
        memory.apply_policy(policy(insight=allowed), validate_only=True)
        failed, _ = answered(
            memory, "policy_apply", yaml=policy(insight={"cand_expansion": expansion}), validate_only=True
        )
        assert failed is (mode != "l1")
    assert refusal(memory, "policy_apply", yaml=policy(insight={"cand_expansion": {"mode": "l2"}})) == "invalid_input"


def test_a_plan_changes_nothing_before_it_is_applied_and_can_be_undone(nile):
    memory, (node_id, *_) = nile
    plan = memory.find_insight(node_id)
    assert plan.state == "proposed" and plan.accepted
    assert len(memory.relations().edges) == 2
    assert memory.apply_insight(plan.id).written == len(plan.accepted)
    assert len(memory.relations().edges) == 2 + len(plan.accepted)
    memory.undo_insight(plan.id)
    assert len(memory.relations().edges) == 2
    assert "benefit" not in json.dumps(call(memory, "find_insight", memo_id=node_id))


# --- Metabolism -------------------------------------------------------------------------------------------------------


def says(first, place):
    """A text whose direction is its first word; each says what the one of the long beach says, with one word more."""
    added = "" if place == "long" else f"{place} "
    return f"{first} is often found on a long beach after {added}storms."


@pytest.fixture
def shore(angled, clock):
    """Two strong nodes, one strong text about amber, and whatever weak ones a test adds; all older than protection."""

    def make(*weak, weight=0.05):
        hubs = [saved(angled, f"{name} has a text of its own.") for name in ("Harbour", "Lighthouse")]
        original = saved(angled, says("Amber", "long"))
        angled.relate(*hubs, tag="related", weight=1.0)
        angled.relate(original, hubs[0], tag="related", weight=1.0)
        ids = [saved(angled, text) for text in weak]
        for each in ids:
            angled.relate(each, hubs[0], tag="related", weight=weight)
        clock.go_on(days=10)
        return ids

    return make


@pytest.mark.parametrize(("age", "thickness"), [(0, 1.0), (30, 0.5), (90, 0.125), (99.66, 0.1), (52.11, 0.3)])
def test_a_relation_halves_every_30_days_before_the_newest_of_its_namespace(memory, clock, pair, age, thickness):
    memory.relate(*pair, tag="related", weight=1.0)
    clock.go_on(days=age)
    memory.relate(*reversed(pair), tag="related", weight=1.0)
    clock.go_on(days=1_000)
    (edge,) = memory.relations(source_id=pair[0]).edges
    assert edge.thickness == pytest.approx(thickness, abs=1e-4)


def test_weight_times_confidence_of_0_05_is_0_0025(memory, pair):
    memory.relate(*pair, tag="related", weight=0.5)
    for _ in range(3):
        memory.reinforce(*pair, tag="related", weaken=True)
    (edge,) = memory.relations(source_id=pair[0]).edges
    assert [edge.weight, edge.confidence] == pytest.approx([0.5, 0.1])
    assert edge.thickness == pytest.approx(0.05)
    memory.reinforce(*pair, tag="related")
    (edge,) = memory.relations(source_id=pair[0]).edges
    assert [edge.weight, edge.confidence] == pytest.approx([0.6, 0.3])


@pytest.mark.parametrize(
    ("place", "benefit", "fate"),
    [
        ("really", None, "restorable"),
        ("actually", None, "restorable"),
        ("basically", None, "unique"),
        ("indeed", None, "unique"),
        ("indeed", 0.21, "restorable"),
        ("really", 0.0, "unique"),
    ],
)
def test_a_weak_node_goes_if_the_benefit_is_above_the_difficulty(angled, shore, place, benefit, fate):
    (weak,) = shore(says("Amber", place))
    plan = angled.metabolize(mdl_benefit=benefit)
    fates = {each.node.id: each.rule for each in (*plan.removed, *plan.examples)}
    assert fates == {weak: fate}
    assert [each.node.id for each in plan.removed] == ([weak] if fate == "restorable" else [])


def test_a_singular_node_stays_and_keeps_its_thickest_relation(angled, shore):
    (singular,) = shore("Quartz is another matter altogether.")
    plan = angled.metabolize(apply=True)
    assert plan.removed == ()
    assert plan.spared["unique"] == 1
    assert len(angled.relations(source_id=singular).edges) == 1


def test_a_node_with_a_thick_relation_is_no_candidate(angled, shore):
    shore(says("Amber", "really"), weight=0.11)
    assert not angled.metabolize().removed


def test_what_is_younger_than_72_hours_is_protected(angled, shore, clock):
    shore()
    young = saved(angled, says("Amber", "really"))
    clock.go_on(hours=71)
    plan = angled.metabolize()
    assert {each.node.id: each.rule for each in (*plan.removed, *plan.examples)} == {young: "young"}
    clock.go_on(hours=2)
    assert [each.node.id for each in angled.metabolize().removed] == [young]


def test_an_orphan_goes_untested_if_it_is_an_entity_and_others_where_it_is_asked_for(angled, shore):
    shore()
    memo = saved(angled, "Opal has nothing that is like it.")
    angled.delete(saved(angled, "Jade is named here.", entities=["Jade"]))
    plan = angled.metabolize(protection_hours=0)
    assert [(each.node.kind, each.rule) for each in plan.removed] == [("entity", "orphan")]
    plan = angled.metabolize(protection_hours=0, orphans="all")
    assert {each.node.id for each in plan.removed} > {memo}


def test_a_run_is_a_plan_until_it_is_applied_and_its_receipts_give_everything_back(angled, shore):
    weak = shore(says("Amber", "really"))
    before = {edge.source_id: edge for edge in angled.relations().edges}
    assert angled.metabolize().state == "planned"
    assert angled.get(weak[0])
    plan = angled.metabolize(apply=True)
    assert [plan.state, plan.nodes_removed, plan.links_removed] == ["applied", 1, 1]
    assert angled.get(weak[0]).id != weak[0], "the one that it went for answers"
    restored = angled.restore(run_id=plan.run_id)
    assert restored.node_ids == tuple(weak) and restored.links == 1
    assert {edge.source_id: edge for edge in angled.relations().edges} == before
    assert not angled.metabolize(apply=True).removed, "what came back is not let go again at once"


def test_the_defaults_of_metabolism_are_those_of_the_design(angled, shore):
    shore()
    (found,) = angled.metabolize().settings.values()
    names = ("half_life_days", "prune_threshold", "protection_hours", "mdl_neighbours", "mdl_benefit")
    assert [found[name] for name in names] == [30.0, 0.1, 72.0, 5, 0.1]


# --- The command line -------------------------------------------------------------------------------------------------


def test_the_command_line_has_the_verbs_of_the_designs(tmp_path):
    words = command("--help").split()
    verbs = "save search list delete relate unrelate relations walk activate feedback policy boundary sql view status similar"
    assert {*verbs.split(), "insight", "metabolize", "restore", "export", "import", "calibrate"} <= set(words)


def test_the_command_line_saves_and_finds(tmp_path):
    path = str(tmp_path / "m.db")
    first = json.loads(command("save", "The gate opens at nine.", "--json", "--db", path))
    assert first["status"] == "created"
    found = json.loads(command("search", "gate", "--json", "--db", path))
    assert [item["content"] for item in found["items"]] == ["The gate opens at nine."]
