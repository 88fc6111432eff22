"""What a policy may set for metabolism, what holds where policies meet, and what a call may set over it."""

from __future__ import annotations

import dataclasses
import json
import math
import sys
import unicodedata

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from policy_for_tests import dump_with, numbers_of, parse

from wherefrom import InvalidInput, Memory
from wherefrom.metabolism.settings import EXCLUSIVE, MetabolismSettings, normal_tag
from wherefrom.model.metabolism import EVIDENCE_TAGS
from wherefrom.policy import document
from wherefrom.policy.boundary import Policies
from wherefrom.policy.settings import keys_of, settings_from
from wherefrom.text.check import check_tag, normalised_tag

DEFAULT = MetabolismSettings()

NUMBERS = numbers_of(MetabolismSettings)
BOUNDS = {key: (setting.param.low, setting.param.high) for key, setting in NUMBERS.items()}
WHOLE = [key for key, setting in NUMBERS.items() if setting.kind is int]


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    with Memory.open(tmp_path_factory.mktemp("metabolism") / "memory.db", embedder="none") as opened:
        yield opened


def policy(*lines: str) -> str:
    return "\n".join(("version: 1.0.0", *lines))


def written(**metabolism) -> str:
    return json.dumps({"version": "1.0.0", "metabolism": metabolism}, ensure_ascii=False)  # JSON is YAML


def held(*texts: str) -> MetabolismSettings:
    """What holds at the end of a chain of policies."""
    paths = ["/".join("main" for _ in range(depth + 1)) for depth in range(len(texts))]
    return (
        Policies({path: parse(text) for path, text in zip(paths, texts, strict=True)})
        .at(paths[-1])
        .settings(MetabolismSettings)
    )


def refused(text: str) -> InvalidInput:
    with pytest.raises(InvalidInput) as caught:
        parse(text)
    return caught.value


def refused_call(memory, **given) -> InvalidInput:
    with pytest.raises(InvalidInput) as caught:
        memory.metabolize(**given)
    return caught.value


def exclusive(*tags: str) -> tuple[str, ...]:
    return held(written(exclusive=tags)).exclusive


def test_the_defaults():
    assert dataclasses.astuple(DEFAULT)[:-1] == (30.0, 0.1, 72.0, 5, 0.1, "entities")
    assert DEFAULT.exclusive is EXCLUSIVE


def test_without_a_word_the_defaults_hold():
    assert not [key for key in document.default().values if key.startswith("metabolism")]
    assert parse(policy()).values == parse(policy("metabolism:")).values == {}
    assert parse(policy("metabolism: {}")).values == {}
    assert held(policy()) == Policies({}).at("").settings(MetabolismSettings) == DEFAULT


def test_each_parameter_of_metabolism_has_its_kind():
    keys = [f"metabolism.{field.name}" for field in dataclasses.fields(MetabolismSettings)]
    assert keys == list(keys_of(MetabolismSettings, "metabolism"))
    assert {f"metabolism.{key}" for key in NUMBERS} == set(keys) - {"metabolism.orphans", "metabolism.exclusive"}


def test_the_defaults_are_within_their_ranges():
    defaults = {**dataclasses.asdict(DEFAULT), "exclusive": list(EXCLUSIVE)}
    read = parse(policy(yaml.safe_dump({"metabolism": defaults})))
    assert read.values == {f"metabolism.{key}": value for key, value in {**defaults, "exclusive": EXCLUSIVE}.items()}
    assert settings_from(MetabolismSettings, read.values) == DEFAULT


@pytest.mark.parametrize(("key", "bounds"), BOUNDS.items())
def test_the_bounds_of_numbers(memory, key, bounds):
    step = 1 if key in WHOLE else 0.001
    for bound, outside in zip(bounds, (bounds[0] - step, bounds[1] + step), strict=True):
        planned = memory.metabolize(**{key: bound}).settings["main"]
        for value in (getattr(held(written(**{key: bound})), key), planned[key]):
            assert value == bound
            assert isinstance(value, int if key in WHOLE else float)
        error = refused(written(**{key: outside}))
        assert f"{key} {outside!r} is out of range" in error.message
        assert error.hint == NUMBERS[key].range
        assert f"{key} {outside!r} is outside" in refused_call(memory, **{key: outside}).message


def test_the_hints_say_the_ranges():
    assert {key: setting.range for key, setting in NUMBERS.items()} == {
        "half_life_days": "a number from 0 to 36,500",
        "prune_threshold": "a number from 0 to 1",
        "protection_hours": "a number from 0 to 876,000",
        "mdl_neighbours": "a whole number from 0 to 100",
        "mdl_benefit": "a number from 0 to 1",
    }


@pytest.mark.parametrize("key", WHOLE)
@pytest.mark.parametrize("value", [4.5, 5.0])
def test_a_count_is_whole(memory, key, value):
    error = refused(written(**{key: value}))
    assert f"{key} must be a whole number, not {value}" in error.message
    assert error.hint == "a whole number from 0 to 100"
    assert refused_call(memory, **{key: value}).message == f"{key} must be a whole number, not float"


def test_fractions_of_hours_and_days_count():
    assert held(written(protection_hours=0.25)).protection_hours == 0.25
    assert held(written(half_life_days=1.5)).half_life_days == 1.5


@pytest.mark.parametrize("key", NUMBERS)
@pytest.mark.parametrize("value", [None, True, "1", [1], {"a": 1}])
def test_a_number_in_a_policy_is_nothing_else(key, value):
    assert f"metabolism.{key} must be a number" in refused(written(**{key: value})).message


@pytest.mark.parametrize("key", NUMBERS)
@pytest.mark.parametrize("value", [True, False, "0.1", b"1", [1], {}, 1j, object()])
def test_a_number_in_a_call_is_nothing_else(memory, key, value):
    number = "a whole number" if key in WHOLE else "a number"
    message = refused_call(memory, **{key: value}).message
    assert message == f"{key} must be {number}, not {type(value).__name__}"


@pytest.mark.parametrize("key", NUMBERS)
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_number_in_a_call_is_finite(memory, key, value):
    message = refused_call(memory, **{key: value}).message
    assert message.startswith(f"{key} must be a whole number" if key in WHOLE else f"{key} {value} is outside")


@pytest.mark.parametrize("key", NUMBERS)
def test_a_huge_number_in_a_call_is_out_of_range(memory, key):
    assert "is outside" in refused_call(memory, **{key: 10**400}).message
    assert "a huge int is outside" in refused_call(memory, **{key: 10**5000}).message


@pytest.mark.parametrize("key", NUMBERS)
def test_zero_is_zero_and_not_the_default(key):
    assert getattr(held(written(**{key: 0})), key) == 0
    assert getattr(held(written(**{key: 0.5 if key not in WHOLE else 3}), written(**{key: 0})), key) == 0
    assert getattr(held(written(**{key: 0}), policy()), key) == 0


def test_orphans_are_one_of_two_words(memory):
    for word in ("entities", "all"):
        assert held(written(orphans=word)).orphans == word
    error = refused(policy("metabolism:", "  orphans: none"))
    assert (error.message, error.hint) == (
        "line 3: unknown metabolism.orphans 'none'",
        "allowed: entities, all",
    )
    for value in ("none", "", "All", True, 1, ["all"]):
        assert refused_call(memory, orphans=value).message == f"orphans {value!r} is not one of entities, all"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["metabolism: [orphans]"], "line 2: metabolism must be a mapping, not a list"),
        (["metabolism: 30"], "line 2: metabolism must be a mapping, not '30'"),
        (["metabolism:", "  half_life: 30"], "line 3: unknown key 'half_life' of metabolism"),
        (["metabolism:", "  mdl: {benefit: 0.1}"], "line 3: unknown key 'mdl' of metabolism"),
        (["half_life_days: 30"], "line 2: unknown key 'half_life_days' of the policy"),
        (
            ["metabolism:", "  orphans: all", "", "  orphans: all"],
            "line 5: key 'orphans' of metabolism is given twice",
        ),
        (["metabolism:", "", "  mdl_benefit: 1.5"], "line 4: metabolism.mdl_benefit 1.5 is out of range"),
        (["metabolism:", "  half_life_days: -1"], "line 3: metabolism.half_life_days -1 is out of range"),
        (["metabolism: {half_life_days: .nan}"], "line 2: metabolism.half_life_days '.nan' is not a finite"),
        (["metabolism: {protection_hours: .inf}"], "line 2: metabolism.protection_hours '.inf' is not a finite"),
        (["metabolism: {protection_hours: 1:30}"], "line 2: metabolism.protection_hours '1:30' is not a finite"),
        (["metabolism:", "  orphans: true"], "line 3: metabolism.orphans must be text, not 'true'"),
        (["metabolism:", "  exclusive: status"], "line 3: metabolism.exclusive must be a list, not 'status'"),
        (["metabolism:", "  exclusive:"], "line 3: metabolism.exclusive must be a list, not null"),
        (
            ["metabolism:", "  exclusive:", "    - status", "    - 2024"],
            "line 5: a tag in metabolism.exclusive must be text, not '2024'",
        ),
        (
            ["metabolism:", "  exclusive:", "    - status", "    - ' '"],
            "line 5: a tag in metabolism.exclusive is empty",
        ),
        (
            ["metabolism:", "  exclusive:", "    - status", "    - works@home"],
            "line 5: 'works@home' in metabolism.exclusive is not a tag",
        ),
        (
            ["metabolism:", "  exclusive:", "    - status", "    - Supports"],
            "line 5: 'Supports' in metabolism.exclusive is evidence",
        ),
        (["metabolism: &m {}"], "line 2: anchors and aliases are not allowed"),
    ],
)
def test_faults_are_refused_with_their_line(lines, message):
    error = refused(policy(*lines))
    assert message in error.message
    assert error.hint


def test_a_fault_says_which_keys_there_are():
    assert refused(policy("metabolism: {gates: {}}")).hint == (
        "allowed: half_life_days, prune_threshold, protection_hours, mdl_neighbours, mdl_benefit, orphans, exclusive"
    )


def test_the_lower_levels_parameters_of_metabolism_win_by_key():
    upper = written(half_life_days=60, orphans="all", exclusive=["a", "b"])
    middle = written(half_life_days=0, mdl_neighbours=7)
    assert held(upper, middle, written(mdl_benefit=0.2)) == MetabolismSettings(
        half_life_days=0, orphans="all", exclusive=("a", "b"), mdl_neighbours=7, mdl_benefit=0.2
    )


def test_policies_of_metabolism_hold_in_their_namespace_and_below():
    policies = Policies({"main/a": parse(written(prune_threshold=0))})
    found = {
        place: policies.at(place).settings(MetabolismSettings) for place in ("main", "main/ab", "main/a", "main/a/b")
    }
    assert found["main"] == found["main/ab"] == DEFAULT
    assert found["main/a"].prune_threshold == found["main/a/b"].prune_threshold == 0


def test_the_parameters_are_set_beside_the_others_and_stay_when_a_calibration_is_written():
    text = policy("metabolism: {half_life_days: 7, exclusive: [Works At]}", "insight: {gauge: {hops: 1}}")
    read = parse(text)
    assert read.values == {
        "metabolism.half_life_days": 7,
        "metabolism.exclusive": ("works_at",),
        "insight.gauge.hops": 1,
    }
    assert parse(dump_with(text, calibration=None, version="1.0.1")).values == read.values


def test_what_a_policy_says_of_metabolism_cannot_be_changed():
    with pytest.raises(TypeError):
        parse(written(half_life_days=7)).values["metabolism.half_life_days"] = 8


def test_exclusive_tags_replace_those_above():
    assert exclusive("seat") == ("seat",)
    assert held(written(exclusive=["seat"]), written(exclusive=["desk"])).exclusive == ("desk",)
    assert held(written(exclusive=["seat"]), policy()).exclusive == ("seat",)


def test_an_empty_list_makes_no_tag_exclusive():
    assert exclusive() == ()
    assert held(written(exclusive=["seat"]), written(exclusive=[])).exclusive == ()


def test_the_list_of_exclusive_tags_is_bounded():
    many = [f"tag_{number}" for number in range(501)]
    assert len(exclusive(*many[:500])) == 500
    error = refused(written(exclusive=many))
    assert "metabolism.exclusive has 501 values" in error.message
    assert error.hint == "a list of 0 to 500 values"
    assert exclusive("x" * 64) == ("x" * 64,)
    assert "has 65 characters" in refused(written(exclusive=["x" * 65])).message


@pytest.mark.parametrize(
    ("spelling", "normal"),
    [
        ("Works At", "works_at"),
        ("works-at", "works_at"),
        ("WORKS_AT", "works_at"),
        ("  works -_ at ", "works_at"),
        ("works\u2011at", "works_at"),
        ("works \u2013 at", "works_at"),
        ("works\u00a0at", "works_at"),
        ("ｗｏｒｋｓ　ａｔ", "works_at"),
        ("ﬁrst-release", "first_release"),
        ("dc:Title", "dc:title"),
        ("v1.Status", "v1.status"),
        ("Größe", "grösse"),
        ("GRÖSSE", "grösse"),
        ("Gro\u0308ße", "grösse"),
        ("ΙΔΙΟΚΤΉΤΗΣ", "ιδιοκτήτησ"),
        ("ιδιοκτήτης", "ιδιοκτήτησ"),
        ("Место Работы", "место_работы"),
        ("勤務先", "勤務先"),
        ("現在の　状態", "現在の_状態"),
        ("ｽﾃｰﾀｽ", "ステータス"),
        ("\u30af\u3099\u30eb\u30fc\u30d5\u309a", "\u30b0\u30eb\u30fc\u30d7"),
        ("상태", "상태"),
        (unicodedata.normalize("NFD", "상태"), "상태"),
        ("يعمل في", "يعمل_في"),
        ("काम-की जगह", "काम_की_जगह"),
        ("ทำงาน ที่", unicodedata.normalize("NFKC", "ทำงาน_ที่")),
        ("İŞVEREN", "i\u0307şveren"),
    ],
)
def test_exclusive_tags_are_kept_in_normal_form_in_any_script(spelling, normal):
    assert normal_tag(spelling) == normal
    assert exclusive(spelling) == (normal,)
    assert normal_tag(check_tag(normalised_tag(spelling.strip()))) == normal, "a saved tag is compared alike"


def test_spellings_of_one_tag_count_once():
    assert exclusive("works-at", "seat", "Works At", "works_at") == ("works_at", "seat")


@pytest.mark.parametrize("tag", ["_", "-", ".", ":", "a/b", "a,b", "*", "💡", ".status", "status:", "a\u200bb"])
def test_what_is_no_tag_is_refused(tag):
    error = refused(written(exclusive=["status", tag]))
    assert "in metabolism.exclusive is not a tag" in error.message
    assert error.hint == "words joined by '_', for example works_at"


@pytest.mark.parametrize("tag", EVIDENCE_TAGS)
def test_evidence_is_never_exclusive(tag):
    assert normal_tag(tag) == tag
    assert tag not in EXCLUSIVE
    error = refused(written(exclusive=[tag.upper()]))
    assert "is evidence" in error.message
    assert error.hint == "leave out supports, refutes, neutral, cites, origin, supersedes, contradicts, compatible"


def test_the_default_tags_are_in_normal_form_and_follow_the_convention():
    assert 85 <= len(EXCLUSIVE) <= 95
    assert len(set(EXCLUSIVE)) == len(EXCLUSIVE)
    assert [tag for tag in EXCLUSIVE if normal_tag(tag) != tag or check_tag(tag) != tag] == []


def test_the_normal_form_of_every_character_is_its_own():
    assigned = (c for c in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(c) not in ("Cn", "Co", "Cs"))
    assert [c for c in assigned if normal_tag(normal_tag(c)) != normal_tag(c)] == []


@given(st.text(max_size=20))
def test_the_normal_form_is_stable(text):
    normal = normal_tag(text)
    assert normal_tag(normal) == normal
    assert normal_tag(text.upper()) == normal_tag(text.upper().lower())


@given(st.text(max_size=40))
def test_every_tag_that_can_be_saved_can_be_made_exclusive(text):
    saved = normalised_tag(text)
    if saved and saved not in EVIDENCE_TAGS and saved == normalised_tag(saved):
        assert exclusive(saved) == (normal_tag(saved),)


def test_what_a_call_does_not_give_stays_as_the_policy_says(memory):
    memory.apply_policy(written(half_life_days=7, mdl_neighbours=0, orphans="all", exclusive=["seat"]))
    ((_, settings),) = memory.metabolize().settings.items()
    assert (settings["half_life_days"], settings["mdl_neighbours"], settings["orphans"]) == (7, 0, "all")
    ((_, changed),) = memory.metabolize(mdl_neighbours=3).settings.items()
    assert changed == {**settings, "mdl_neighbours": 3}


def test_a_call_may_set_all_but_the_exclusive_tags(memory):
    given = {
        "half_life_days": 0,
        "prune_threshold": 1,
        "protection_hours": 0,
        "mdl_neighbours": 1,
        "mdl_benefit": 0.5,
        "orphans": "all",
    }
    assert list(memory.metabolize(**given).settings.values()) == [given]
    for key in ("exclusive", "half_life"):
        with pytest.raises(TypeError, match=key):
            memory.metabolize(**{key: None})
