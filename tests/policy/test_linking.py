"""What a policy may set for insight, and what holds where policies meet."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path
from typing import Literal, get_args, get_origin

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from policy_for_tests import dump_with, numbers_of, parse

from wherefrom import InvalidInput
from wherefrom.insight.settings import InsightSettings
from wherefrom.policy import document
from wherefrom.policy.boundary import Policies
from wherefrom.policy.settings import keys_of, settings_from

HOW_TO = Path(__file__).parents[2] / "docs" / "how-to" / "policies.md"
DEFAULT = InsightSettings()
AUTOCAND = {"candidates": {"allow_autocand": True}}

NUMBERS = numbers_of(InsightSettings)
WHOLE = {key: setting.param for key, setting in NUMBERS.items() if setting.kind is int}
OPEN = {key: setting.param for key, setting in NUMBERS.items() if setting.param.is_low_open}
CLOSED = {key: setting.param for key, setting in NUMBERS.items() if key not in {*WHOLE, *OPEN}}
# What has to stand beside a bound for the document to go together.
BESIDE = {
    "candidates.theta_cand": {"theta_link": 1},
    "candidates.theta_link": {"theta_cand": 0},
    "gates.window": {"warm_up": 1},
    "gates.warm_up": {"window": 4096},
}


def policy(*lines: str) -> str:
    return "\n".join(("version: 1.0.0", *lines))


def written(**insight) -> str:
    return json.dumps({"version": "1.0.0", "insight": insight})  # JSON is YAML


def held(*texts: str) -> InsightSettings:
    """What holds at the end of a chain of policies."""
    paths = ["/".join("main" for _ in range(depth + 1)) for depth in range(len(texts))]
    return (
        Policies({path: parse(text) for path, text in zip(paths, texts, strict=True)})
        .at(paths[-1])
        .settings(InsightSettings)
    )


def set_to(name: str, value) -> object:
    """What becomes of a value, next to what it needs beside it."""
    section, key = name.split(".")
    read = parse(written(**{section: {**BESIDE.get(name, {}), key: value}}))
    assert read.values[f"insight.{name}"] == value
    return getattr(getattr(settings_from(InsightSettings, read.values), section), key)


def refused(name: str, value) -> str:
    section, key = name.split(".")
    with pytest.raises(InvalidInput) as caught:
        parse(written(**{section: {key: value}}))
    assert f"insight.{name}" in caught.value.message
    return caught.value.message


def test_without_a_word_the_defaults_hold():
    assert not [key for key in document.default().values if key.startswith("insight")]
    assert parse(policy()).values == parse(policy("insight:")).values == {}
    assert parse(policy("insight:", "  gates:")).values == {}
    assert held(policy()) == Policies({}).at("").settings(InsightSettings) == InsightSettings()


def test_each_parameter_of_insight_has_its_kind():
    fields = [f"{name}.{f.name}" for name, value in sections().items() for f in dataclasses.fields(value)]
    assert fields == list(flat())
    assert all(setting.kind in (int, float, bool) or get_origin(setting.kind) is Literal for setting in flat().values())
    assert (len(WHOLE), len(CLOSED), len(OPEN)) == (15, 15, 2)


def test_the_defaults_are_within_their_ranges():
    given = {name: dataclasses.asdict(value) for name, value in sections().items()}
    read = parse(policy(yaml.safe_dump({"insight": given})))
    assert read.values == {f"insight.{a}.{b}": value for a, values in given.items() for b, value in values.items()}
    assert settings_from(InsightSettings, read.values) == InsightSettings()


@pytest.mark.parametrize(("name", "param"), WHOLE.items())
def test_the_bounds_of_whole_numbers(name, param):
    bounds = (param.low, param.high)
    for bound, outside in zip(bounds, (bounds[0] - 1, bounds[1] + 1), strict=True):
        assert set_to(name, bound) == bound
        assert "is out of range" in refused(name, outside)
    assert "must be a whole number" in refused(name, bounds[1] - 0.5)


@pytest.mark.parametrize(("name", "param"), CLOSED.items())
def test_the_bounds_of_numbers(name, param):
    bounds = (param.low, param.high)
    for bound, outside in zip(bounds, (bounds[0] - 0.001, bounds[1] + 0.001), strict=True):
        assert isinstance(set_to(name, bound), float)
        assert "is out of range" in refused(name, outside)


@pytest.mark.parametrize(("name", "param"), OPEN.items())
def test_quantiles_lie_between_their_bounds(name, param):
    for bound, inside in zip((param.low, param.high), (0.001, 0.999), strict=True):
        assert set_to(name, inside) == inside
        assert "is out of range" in refused(name, bound)


@pytest.mark.parametrize("name", [*WHOLE, *CLOSED, *OPEN])
@pytest.mark.parametrize("value", [None, True, "1", [1], {"a": 1}])
def test_a_number_is_nothing_else(name, value):
    assert "must be a number" in refused(name, value)


def flat():
    return {key.partition(".")[2]: setting for key, setting in keys_of(InsightSettings, "insight").items()}


def choices():
    return [(name, setting.kind) for name, setting in flat().items() if get_origin(setting.kind) is Literal]


@pytest.mark.parametrize(
    ("name", "words"), [(name, get_args(kind)) for name, kind in choices() if name.startswith("paths.")]
)
def test_each_word_of_a_choice_is_taken(name, words):
    assert [set_to(name, word) for word in words] == list(words)
    assert "unknown insight.paths" in refused(name, "full")


def test_off_is_a_word_without_quotes_and_no_flag():
    text = policy("insight: {paths: {sources_focus: off}, candidates: {allow_autocand: True}}")
    assert parse(text).values == {"insight.paths.sources_focus": "off", "insight.candidates.allow_autocand": True}
    assert parse(dump_with(text, calibration=None, version="1.0.1")).values == parse(text).values


def test_flags_are_true_or_false():
    assert [name for name, setting in flat().items() if setting.kind is bool] == ["candidates.allow_autocand"]
    assert [set_to("candidates.allow_autocand", value) for value in (True, False)] == [True, False]
    assert "must be true or false" in refused("candidates.allow_autocand", 1)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["insight: [gauge]"], "line 2: insight must be a mapping, not a list"),
        (["insight: {preset: measured}"], "line 2: unknown key 'preset' of insight"),
        (["insight:", "  h_scope: global"], "line 3: unknown key 'h_scope' of insight"),
        (["insight:", "  gauge:", "    h_scope: cand_mask"], "line 4: unknown key 'h_scope' of insight.gauge"),
        (["insight:", "  allow_autocand: true"], "line 3: unknown key 'allow_autocand' of insight"),
        (
            ["insight:", "  cand_expansion:", "    mode: l3", "    allow_autocand: true"],
            "line 5: unknown key 'allow_autocand' of insight.cand_expansion",
        ),
        (["allow_autocand: true"], "line 2: unknown key 'allow_autocand' of the policy"),
        (["retrieval: {gauge: {}}"], "line 2: unknown key 'gauge' of retrieval"),
        (["insight: {hybrid: {}}"], "line 2: unknown key 'hybrid' of insight"),
        (["insight: {gates: 1}"], "line 2: insight.gates must be a mapping, not '1'"),
        (["insight:", "  gates: {mode: fixed}", "  gates: {}"], "line 4: key 'gates' of insight is given twice"),
        (["insight:", "  gauge:", "    hops: 2", "    hops: 2"], "line 5: key 'hops' of insight.gauge is given twice"),
        (["insight:", "  gauge:", "", "    hops: 5"], "line 5: insight.gauge.hops 5 is out of range"),
        (["insight: {gates: {theta_ag: .inf}}"], "line 2: insight.gates.theta_ag '.inf' is not a finite"),
        (["insight:", "  gates:", "    mode: auto"], "line 4: unknown insight.gates.mode 'auto'"),
        (["insight: {cand_expansion: {mode: l2}}"], "line 2: unknown insight.cand_expansion.mode 'l2'"),
        (["insight: {paths: {engine: full}}"], "line 2: unknown insight.paths.engine 'full'"),
        (
            ["insight: {candidates: {allow_autocand: on}}"],
            "line 2: insight.candidates.allow_autocand must be true or false, not 'on'",
        ),
        (["insight: &i {}"], "line 2: anchors and aliases are not allowed"),
    ],
)
def test_faults_are_refused_with_their_line(lines, message):
    with pytest.raises(InvalidInput) as caught:
        parse(policy(*lines))
    assert message in caught.value.message


def test_a_fault_says_what_is_allowed():
    with pytest.raises(InvalidInput) as caught:
        parse(policy("insight: {gates: {ag_quantile: 1}}"))
    assert caught.value.hint == "a number above 0 below 1"
    with pytest.raises(InvalidInput) as caught:
        parse(policy("insight: {links: {}}"))
    assert caught.value.hint == "allowed: gauge, candidates, cand_expansion, again, gates, paths"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            ["  candidates:", "    theta_cand: 0.99"],
            f"line 4: insight.candidates.theta_cand 0.99 is above theta_link {DEFAULT.candidates.theta_link:g}",
        ),
        (
            ["  candidates:", "    theta_link: 0.01"],
            f"line 4: insight.candidates.theta_cand {DEFAULT.candidates.theta_cand:g} is above theta_link 0.01",
        ),
        (
            ["  candidates:", "    theta_link: 0.5", "    links: 3", "    theta_cand: 0.6"],
            "line 6: insight.candidates.theta_cand 0.6 is above theta_link 0.5",
        ),
        (["  gates:", "    window: 8"], f"line 4: insight.gates.warm_up {DEFAULT.gates.warm_up} is above window 8"),
        (["  gates:", "    warm_up: 999"], f"line 4: insight.gates.warm_up 999 is above window {DEFAULT.gates.window}"),
        (["  gates:", "    warm_up: 20", "    window: 10"], "line 5: insight.gates.warm_up 20 is above window 10"),
    ],
)
def test_crossed_bounds_are_refused_at_the_key_that_crosses_them(lines, message):
    with pytest.raises(InvalidInput) as caught:
        parse(policy("insight:", *lines))
    assert caught.value.message == message
    assert "may be at most" in caught.value.hint


def test_bounds_may_meet():
    linking = held(written(candidates={"theta_cand": 0.4, "theta_link": 0.4}, gates={"window": 8, "warm_up": 8}))
    assert (linking.candidates.theta_cand, linking.candidates.theta_link) == (0.4, 0.4)
    assert (linking.gates.window, linking.gates.warm_up) == (8, 8)


@pytest.mark.parametrize("mode", ["l3", "hybrid"])
@pytest.mark.parametrize("candidates", [[], ["  candidates: {links: 3}"], ["  candidates: {allow_autocand: false}"]])
def test_l3_makes_no_candidates_unless_it_is_allowed_to(mode, candidates):
    with pytest.raises(InvalidInput) as caught:
        parse(policy("insight:", "  cand_expansion:", "    budget: 4", f"    mode: {mode}", *candidates))
    assert caught.value.message == f"line 5: insight.cand_expansion.mode {mode} needs insight.candidates.allow_autocand"
    assert caught.value.hint == "allow_autocand: true in the same policy, or mode: l1"


@pytest.mark.parametrize("mode", ["l1", "l3", "hybrid"])
def test_with_the_flag_each_mode_holds(mode):
    linking = held(written(**AUTOCAND, cand_expansion={"mode": mode}))
    assert (linking.cand_expansion.mode, linking.candidates.allow_autocand) == (mode, True)


@pytest.mark.parametrize("mode", ["l3", "hybrid"])
def test_a_policy_below_that_takes_the_flag_back_is_at_l1(mode):
    upper = written(**AUTOCAND, cand_expansion={"mode": mode, "budget": 9})
    linking = held(upper, written(candidates={"allow_autocand": False}))
    assert (linking.cand_expansion.mode, linking.cand_expansion.budget) == ("l1", 9)
    assert held(upper, written(gauge={"hops": 1})).cand_expansion.mode == mode
    back = held(upper, written(candidates={"allow_autocand": False}), written(**AUTOCAND))
    assert back.cand_expansion.mode == mode, "the flag alone closes it"


def test_the_flag_alone_changes_no_mode():
    assert held(written(**AUTOCAND)).cand_expansion.mode == "l1"


def test_the_lower_levels_parameters_of_insight_win_by_key():
    upper = written(gauge={"temperature": 0.5, "hops": 1}, paths={"engine": "core", "budget": 2})
    linking = held(upper, written(gauge={"hops": 3}, gates={"theta_ag": -0.5}), written(paths={"budget": 4}))
    assert linking.gauge == dataclasses.replace(DEFAULT.gauge, temperature=0.5, hops=3)
    assert (linking.paths.engine, linking.paths.budget) == ("core", 4)
    assert (linking.gates.theta_ag, linking.cand_expansion) == (-0.5, DEFAULT.cand_expansion)


def test_policies_of_insight_hold_in_their_namespace_and_below():
    policies = Policies({"main/a": parse(written(gauge={"hops": 0}))})
    assert policies.at("main").settings(InsightSettings) == policies.at("main/ab").settings(InsightSettings) == DEFAULT
    assert [policies.at(place).settings(InsightSettings).gauge.hops for place in ("main/a", "main/a/b")] == [0, 0]


def test_bounds_that_cross_between_policies_are_put_right():
    upper = written(candidates={"theta_cand": 0.6, "theta_link": 0.8}, gates={"window": 1000, "warm_up": 500})
    linking = held(upper, written(candidates={"theta_link": 0.4}, gates={"window": 100}))
    assert (linking.candidates.theta_cand, linking.candidates.theta_link) == (0.6, 0.6)
    assert (linking.gates.window, linking.gates.warm_up) == (100, 100)


SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "candidates": st.fixed_dictionaries(
            {},
            optional={
                "theta_cand": st.floats(0, 1),
                "theta_link": st.floats(0, 1),
                "allow_autocand": st.booleans(),
            },
        ),
        "cand_expansion": st.fixed_dictionaries({}, optional={"mode": st.sampled_from(("l1", "l3", "hybrid"))}),
        "gates": st.fixed_dictionaries({}, optional={"window": st.integers(8, 4096), "warm_up": st.integers(1, 1024)}),
    },
)


@given(st.lists(SETTINGS, max_size=4))
def test_what_holds_goes_together_whatever_the_layers(layers):
    values = {f"insight.{a}.{b}": value for layer in layers for a, keys in layer.items() for b, value in keys.items()}
    linking = settings_from(InsightSettings, values).reconciled()
    assert linking.candidates.theta_cand <= linking.candidates.theta_link
    assert linking.gates.warm_up <= linking.gates.window
    assert linking.cand_expansion.mode == "l1" or linking.candidates.allow_autocand


def test_insight_and_recall_are_set_side_by_side():
    read = parse(policy("insight: {gauge: {hops: 1}}", "retrieval: {graph: {hops: 3}}"))
    assert read.values == {"insight.gauge.hops": 1, "retrieval.graph.hops": 3}


def test_insight_stays_when_a_calibration_is_written():
    text = written(gauge={"hops": 1})
    assert parse(dump_with(text, calibration=None, version="1.0.1")).values == parse(text).values


def test_what_a_policy_says_of_insight_cannot_be_changed():
    read = parse(written(gauge={"hops": 1}))
    with pytest.raises(TypeError):
        read.values["insight.gauge.hops"] = 2


def test_the_example_of_the_how_to_is_a_policy():
    examples = re.findall(r"```yaml\n(.*?)```", HOW_TO.read_text(encoding="utf-8"), flags=re.DOTALL)
    read = [parse(text).values for text in examples]
    (values,) = (values for values in read if any(key.startswith("insight.") for key in values))
    linking = settings_from(InsightSettings, values)
    assert linking.candidates.theta_cand > DEFAULT.candidates.theta_cand, "as the comment there says"
    assert linking.candidates.links < DEFAULT.candidates.links
    assert linking.gates.mode == "running"


def sections():
    """The sections of the parameters of insight with their defaults."""
    built = InsightSettings()
    return {f.name: getattr(built, f.name) for f in dataclasses.fields(built)}
