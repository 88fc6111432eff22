from __future__ import annotations

import dataclasses
import subprocess
import sys

import pytest
import yaml
from policy_for_tests import dump_with, parse

from wherefrom import InvalidInput
from wherefrom.api.policy import check_policy
from wherefrom.policy import document
from wherefrom.policy.boundary import Policies
from wherefrom.policy.document import FINDING_KINDS, Invariant, default_values
from wherefrom.policy.settings import keys_of, settings_from
from wherefrom.recall.settings import Calibration, RecallSettings
from wherefrom.text.sensitive.findings import KINDS as DETECTED

PERSONAL = ("email", "phone", "card", "national_id")
SCOPE = ("ttl_days", "max_tokens")
CLASS = ("allow", "redact", "deny", "escalation")


def policy(*lines: str) -> str:
    return "\n".join(("version: 1.0.0", *lines))


def test_the_default_policy_has_the_documented_values():
    default = document.default()
    assert (default.version, default.invariants) == ("1.0.0", ())
    scopes = {"session": (7, 20_000), "project": (120, 50_000), "principle": (None, 100_000)}
    classes = {
        "public": (("*",), PERSONAL, False, None),
        "internal": (("answer:task", "tool:*"), PERSONAL, False, None),
        "pii": (("tool:contact-lookup",), PERSONAL, False, "human_review"),
        "secret": ((), (), True, None),
    }
    assert default_values() == {
        **{
            f"scopes.{name}.{key}": value
            for name, rule in scopes.items()
            for key, value in zip(SCOPE, rule, strict=True)
        },
        **{
            f"boundary_classes.{name}.{key}": value
            for name, rule in classes.items()
            for key, value in zip(CLASS, rule, strict=True)
        },
        **{f"detect.{kind}": "secret" if kind == "secret" else "pii" for kind in (*PERSONAL, "secret")},
        "secrets": "redact",
        "keep_expired_days": None,
    }
    assert default_values().items() >= default.values.items()


def test_the_default_policy_is_a_policy_like_others():
    assert parse(document.default_text()) == document.default()


def test_the_kinds_of_findings_are_those_that_are_detected():
    assert FINDING_KINDS == DETECTED


def test_judging_is_imported_without_yaml_and_cel():
    code = "import sys, wherefrom.policy.boundary; print([m for m in ('yaml', 'cel') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


def test_what_is_left_out_comes_from_the_default():
    read = parse(policy("retrieval: {hybrid: {alpha: 0.5}}"))
    assert (read.version, read.invariants) == ("1.0.0", document.default().invariants)
    assert read.values == {"retrieval.hybrid.alpha": 0.5}


def test_a_key_replaces_its_own_value_only():
    read = parse(
        policy("scopes: {session: {ttl_days: 1}}", "boundary_classes: {pii: {allow: []}}", "detect: {card: secret}")
    )
    assert read.values == {"scopes.session.ttl_days": 1, "boundary_classes.pii.allow": (), "detect.card": "secret"}


def test_sections_with_comments_only():
    assert (
        parse(policy("scopes:", "boundary_classes:", "  pii:", "invariants:", "retrieval:", "calibration:")).invariants
        == ()
    )


def test_invariants():
    read = parse(
        policy(
            "invariants:", "  - {name: calm, applies_to: [session], rule: 'mood != 1'}", "  - {name: all, rule: 'true'}"
        )
    )
    assert read.invariants == (Invariant("calm", ("session",), "mood != 1"), Invariant("all", ("*",), "true"))


def test_each_kind_of_fault_names_its_line_and_what_is_allowed():
    with pytest.raises(InvalidInput) as caught:
        parse(policy("boundary_classes:", "  pii:", "    alow: []"))
    assert caught.value.message == "line 4: unknown key 'alow' of boundary_classes.pii"
    assert caught.value.hint == "allowed: allow, redact, deny, escalation"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["colour: red"], "line 2: unknown key 'colour' of the policy"),
        (["version: 1.0.1"], "line 2: key 'version' of the policy is given twice"),
        (["1: 2"], "line 2: unknown key '1' of the policy"),
        (["? [a]", ": 1"], "line 2: unknown key a list of the policy"),
        (["<<: {}"], "line 2: unknown key something tagged"),
        (["scopes: [session]"], "line 2: scopes must be a mapping, not a list"),
        (["scopes: {team: {}}"], "line 2: unknown key 'team' of scopes"),
        (["scopes:", "  session: {ttl: 7d}"], "line 3: unknown key 'ttl' of scopes.session"),
        (["scopes:", "  session:", "    ttl_days: 0"], "line 4: scopes.session.ttl_days 0 is out of range"),
        (["scopes: {session: {ttl_days: true}}"], "line 2: scopes.session.ttl_days must be a number, not 'true'"),
        (["scopes: {session: {ttl_days: .nan}}"], "line 2: scopes.session.ttl_days '.nan' is not a finite"),
        (["scopes: {session: {ttl_days: .inf}}"], "line 2: scopes.session.ttl_days '.inf' is not a finite"),
        (["scopes: {session: {ttl_days: 010}}"], "line 2: scopes.session.ttl_days '010' is not a finite decimal"),
        (["scopes: {session: {ttl_days: 1:30}}"], "line 2: scopes.session.ttl_days '1:30' is not a finite decimal"),
        ([f"scopes: {{session: {{ttl_days: {'9' * 5000}}}}}"], "line 2: scopes.session.ttl_days"),
        (["scopes: {session: {max_tokens: 1.5}}"], "line 2: scopes.session.max_tokens must be a whole number"),
        (["scopes: {session: {max_tokens: null}}"], "line 2: scopes.session.max_tokens must be a number, not null"),
        (["boundary_classes: {private: {}}"], "line 2: unknown key 'private' of boundary_classes"),
        (["boundary_classes: {pii: {allow: '*'}}"], "line 2: boundary_classes.pii.allow must be a list, not '*'"),
        (["boundary_classes: {pii: {allow: ['']}}"], "line 2: a tag in boundary_classes.pii.allow is empty"),
        (["boundary_classes:", "  pii:", "    allow:", "    - 'a*b'"], "line 5: 'a*b' in boundary_classes.pii.allow"),
        (["boundary_classes: {pii: {allow: ['**']}}"], "line 2: '**' in boundary_classes.pii.allow"),
        (["boundary_classes: {pii: {allow: ['a b']}}"], "line 2: 'a b' in boundary_classes.pii.allow"),
        (["boundary_classes: {pii: {allow: [3]}}"], "line 2: a tag in boundary_classes.pii.allow must be text"),
        (["boundary_classes: {pii: {redact: [name]}}"], "line 2: unknown boundary_classes.pii.redact 'name'"),
        (["boundary_classes: {pii: {deny: 1}}"], "line 2: boundary_classes.pii.deny must be true or false"),
        (["boundary_classes: {pii: {escalation: ' '}}"], "line 2: boundary_classes.pii.escalation is empty"),
        (["boundary_classes:", "  secret: {allow: ['*']}"], "line 3: boundary class secret allows a tag"),
        (["boundary_classes:", "  secret: {deny: false}"], "line 3: boundary class secret must be denied"),
        (["detect: {name: pii}"], "line 2: unknown key 'name' of detect"),
        (["detect: {email: private}"], "line 2: unknown detect.email 'private'"),
        (["detect:", "  secret: pii"], "line 3: detect puts secret into another class"),
        (["invariants: {a: b}"], "line 2: invariants must be a list, not a mapping"),
        (["invariants:", "  - name: a"], "line 3: an invariant has no rule"),
        (["invariants:", "  - rule: 'true'"], "line 3: an invariant has no name"),
        (["invariants:", "  - name: a", "    rule: true"], "line 4: rule of invariant a must be text, not 'true'"),
        (["invariants:", "  - name: a", "    rule: b =="], "line 4: rule of invariant a: it is not CEL"),
        (["invariants:", "  - name: a", "    rule: l.map(x, x) == l"], "line 4: rule of invariant a: +, map"),
        (
            ["invariants:", "  - {name: a, rule: 'true'}", "  - {name: a, rule: 'true'}"],
            "line 4: invariant a is given twice",
        ),
        (["invariants: [{name: a, rule: 'true', applies_to: [team]}]"], "line 2: unknown scope 'team'"),
        (
            ["invariants: [{name: a, rule: 'true', applies_to: ['*', session]}]"],
            "line 2: applies_to of invariant a has *",
        ),
        (["invariants: [{name: a, rule: 'true', applies_to: []}]"], "line 2: applies_to of invariant a has 0 values"),
        ([f"invariants: [{'{name: a, rule: a},' * 51}]"], "line 2: invariants has 51 values"),
        (["retrieval: {fusion: {}}"], "line 2: unknown key 'fusion' of retrieval"),
        (["retrieval:", "  hybrid: {beta: 1}"], "line 3: unknown key 'beta' of retrieval.hybrid"),
        (["retrieval: {preset: best}"], "line 2: unknown retrieval.preset 'best'"),
        (["retrieval: {hybrid: {alpha: 1.5}}"], "line 2: retrieval.hybrid.alpha 1.5 is out of range"),
        (["retrieval: {hybrid: {alpha: yes}}"], "line 2: retrieval.hybrid.alpha must be a number, not 'yes'"),
        (["retrieval: {hybrid: {k_txt: 401}}"], "line 2: retrieval.hybrid.k_txt 401 is out of range"),
        (["retrieval: {hybrid: {text_scale: log}}"], "line 2: unknown retrieval.hybrid.text_scale 'log'"),
        (
            ["retrieval:", "  hybrid: {alpha_low: 0.95}"],
            "line 3: retrieval.hybrid.alpha_low 0.95 is above alpha_high 0.9",
        ),
        (["retrieval: {graph: {damping: 1}}"], "line 2: retrieval.graph.damping 1 is out of range"),
        (["retrieval: {graph: {hops: 4}}"], "line 2: retrieval.graph.hops 4 is out of range"),
        (["retrieval: {context: {k_final: 51}}"], "line 2: retrieval.context.k_final 51 is out of range"),
        (
            ["retrieval: {context: {k_final: 5}, hybrid: {k_final: 5}}"],
            "line 2: retrieval.context.k_final is given twice",
        ),
        (
            ["retrieval: {rerank: {half_life_days: {note: 1}}}"],
            "line 2: unknown key 'note' of retrieval.rerank.half_life",
        ),
        (["retrieval: {rerank: {half_life_days: {fact: 0}}}"], "line 2: retrieval.rerank.half_life_days.fact 0 is out"),
        (["retrieval: {rerank: {use_quality: 1}}"], "line 2: retrieval.rerank.use_quality must be true or false"),
        (
            ["retrieval: {feedback: {deltas: {helpful: [0.1]}}}"],
            "line 2: retrieval.feedback.deltas.helpful has 1 values",
        ),
        (["retrieval: {feedback: {deltas: {helpful: [2, 0]}}}"], "line 2: retrieval.feedback.deltas.helpful 2 is out"),
        (["calibration: {method: isotonic}"], "line 2: calibration has no model"),
        (["calibration: {method: a, model: b, text: [[0, 0]], vectors: []}"], "line 2: calibration.text has 1 values"),
        (
            ["calibration:", "  method: a", "  model: b", "  text: [[0, 0], [0, 1]]", "  vectors: [[0, 0], [1, 1]]"],
            "line 5: calibration.text does not rise",
        ),
        (["calibration: {method: a, model: b, text: [[0, 1], [1, 0]], vectors: [[0, 0], [1, 1]]}"], "does not rise"),
        (
            ["calibration: {method: a, model: b, text: [[0, 0], [1, 2]], vectors: [[0, 0], [1, 1]]}"],
            "2 is out of range",
        ),
        (["scopes: &s {}"], "line 2: anchors and aliases are not allowed"),
        (["scopes: *s"], "line 2: anchors and aliases are not allowed"),
        (["scopes: !thing {}"], "line 2: scopes must be a mapping, not something tagged '!thing'"),
        (["scopes: !!python/object/apply:os.getcwd []"], "line 2: scopes must be a mapping, not something tagged"),
        (["invariants: !!set {}"], "line 2: invariants must be a list"),
        (["---", "version: 1.0.0"], "line 2: found another document"),
        (["scopes: ["], "line 2: "),
        (["scopes: a: b"], "line 2: mapping values are not allowed here"),
        (["# \x00"], "line 2: character 0x0 may not stand in YAML"),
        (["scopes: " + "[" * 5000], "line 2: nested more than 16 levels deep"),
        (["# \ud800"], "line 2: character 0xd800 may not stand in YAML"),
    ],
)
def test_faults_are_refused_with_their_line(lines, message):
    with pytest.raises(InvalidInput) as caught:
        parse(policy(*lines))
    assert message in caught.value.message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the policy is empty"),
        ("# nothing", "the policy is empty"),
        ("retrieval: {}", "line 1: the policy has no version"),
        ("- version: 1.0.0", "line 1: the policy must be a mapping, not a list"),
        ("just words", "line 1: the policy must be a mapping, not 'just words'"),
        ("version: 1", "line 1: version '1' is not a semantic version"),
        ("version: 1.0", "line 1: version '1.0' is not a semantic version"),
        ("version: 01.0.0", "is not a semantic version"),
        ("version: 1.0.0-rc1", "is not a semantic version"),
        ("version: [1, 0, 0]", "line 1: version a list is not a semantic version"),
    ],
)
def test_versions_and_other_texts(text, message):
    with pytest.raises(InvalidInput) as caught:
        parse(text)
    assert message in caught.value.message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# " + "é" * 66_000, "yaml has 132,002 bytes; at most 131,072 are allowed"),
        ("# \ud800", "lone surrogate"),
        (b"version: 1.0.0", "yaml must be text, not bytes"),
        (None, "yaml must be text, not NoneType"),
    ],
)
def test_a_policy_is_checked_as_a_text_where_it_enters(text, message):
    with pytest.raises(InvalidInput, match=message):
        check_policy(text, field="yaml")


def test_each_parameter_of_recall_has_its_range():
    sections = {field.name: getattr(RecallSettings(), field.name) for field in dataclasses.fields(RecallSettings)}
    fields = {
        f"retrieval.{name}.{f.name}" for name, value in sections.items() if value for f in dataclasses.fields(value)
    }
    keys = keys_of(RecallSettings, "retrieval")
    assert {".".join(key.split(".")[:3]) for key in keys} == {*fields, "retrieval.preset"}
    numbers = [setting for setting in keys.values() if setting.kind in (int, float)]
    assert all(setting.param.low < setting.param.high for setting in numbers)
    assert len(numbers) > 30


def test_the_defaults_and_presets_are_within_their_ranges():
    for section in ("hybrid", "rerank", "diversity", "graph", "context", "feedback"):
        value = getattr(RecallSettings(), section)
        given = {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
        read = parse(policy(yaml.safe_dump({"retrieval": {section: given}})))
        assert getattr(settings_from(RecallSettings, read.values), section) == value
    for name, values in RecallSettings.PRESETS.items():
        read = parse(policy(f"retrieval: {{preset: {name}}}")).values
        assert read == {f"retrieval.{key}": value for key, value in values.items()}


def test_the_seeds_spelling_of_parameters():
    read = parse(policy("retrieval: {hybrid: {k_final: 8, recency_half_life_days: 20}, rerank: {use_quality: true}}"))
    built = settings_from(RecallSettings, read.values)
    assert (built.context.k_final, built.rerank.recency_half_life_days, built.rerank.use_quality) == (8, 20.0, True)
    assert built.hybrid == RecallSettings().hybrid


def test_keys_beside_a_preset_win():
    read = parse(policy("retrieval: {preset: activation, hybrid: {alpha: 0.4}}"))
    preset = {f"retrieval.{key}": value for key, value in RecallSettings.PRESETS["activation"].items()}
    assert read.values == {**preset, "retrieval.hybrid.alpha": 0.4}


def test_later_layers_win_by_key_and_tables_merge():
    layers = (
        "retrieval: {hybrid: {alpha: 0.4, expansion: 3}, rerank: {half_life_days: {fact: 10, task: 1}}}",
        "retrieval: {hybrid: {alpha: null}, rerank: {half_life_days: {task: 2}}}",
        "retrieval: {feedback: {deltas: {helpful: [0.2, 0.1]}}}",
    )
    texts = {"main": layers[0], "main/a": layers[1], "main/a/b": layers[2]}
    policies = Policies({path: parse(policy(text)) for path, text in texts.items()})
    built = policies.at("main/a/b").settings(RecallSettings)
    assert (built.hybrid.alpha, built.hybrid.expansion) == (None, 3)
    assert built.rerank.half_life_days == {
        "fact": 10.0,
        "task": 2.0,
        "preference": 90.0,
        "policy_hint": 365.0,
        "memo": 365.0,
        "fragment": 365.0,
    }
    assert (built.feedback.deltas["helpful"], built.feedback.deltas["harmful"]) == ((0.2, 0.1), (-0.2, -0.1))
    assert settings_from(RecallSettings, {}) == RecallSettings()


def test_a_calibration():
    read = parse(
        policy("calibration: {method: isotonic, model: m, text: [[0, 0], [8.5, 1]], vectors: [[-1, 0.2], [1, 0.2]]}")
    )
    fitted = Calibration("isotonic", "m", ((0.0, 0.0), (8.5, 1.0)), ((-1.0, 0.2), (1.0, 0.2)))
    assert settings_from(Calibration, read.values) == fitted


def test_a_policy_is_written_with_a_new_version_and_calibration():
    points = [(0.0, 0.0), (1e-05, 0.5)]
    text = policy("invariants: [{name: 静か, rule: 'mood != 1'}]", "calibration:")
    written = dump_with(
        text, calibration={"method": "m", "model": "n", "text": points, "vectors": points}, version="1.0.1"
    )
    read = parse(written)
    assert (read.version, read.invariants) == ("1.0.1", parse(text).invariants)
    assert settings_from(Calibration, read.values) == Calibration("m", "n", tuple(points), tuple(points))
    assert "静か" in written
    assert parse(dump_with(written, calibration=None, version="1.0.2")).values == {}
    assert parse(dump_with(document.default_text(), calibration=None, version="1.0.0")) == document.default()


@pytest.mark.parametrize("version", ["1", 1.0, None])
def test_a_policy_is_not_written_with_a_bad_version(version):
    with pytest.raises(InvalidInput):
        dump_with(policy(), calibration=None, version=version)


@pytest.mark.parametrize("points", [[[0, 0], [1, float("nan")]], "points"])
def test_a_policy_is_not_written_with_a_bad_calibration(points):
    with pytest.raises(InvalidInput):
        dump_with(
            policy(), calibration={"method": "m", "model": "n", "text": points, "vectors": points}, version="1.0.1"
        )


def test_a_policy_cannot_be_changed():
    read = parse(policy("retrieval: {rerank: {half_life_days: {fact: 3}}}"))
    table = settings_from(RecallSettings, read.values).rerank.half_life_days
    for mapping in (read.values, default_values(), table):
        with pytest.raises(TypeError):
            mapping["fact"] = 1


def plain(value):
    if hasattr(value, "items"):
        return {key: plain(item) for key, item in value.items()}
    return list(value) if isinstance(value, tuple) else value
