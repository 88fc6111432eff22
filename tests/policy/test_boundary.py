from __future__ import annotations

import json
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from policy_for_tests import parse

from wherefrom import InvalidInput
from wherefrom.model.graph import BOUNDARY_CLASSES, FINDING_KINDS
from wherefrom.policy.boundary import DEFAULT_ALLOW, Policies, visible_classes
from wherefrom.recall.settings import Calibration, RecallSettings

SCOPES = ("session", "project", "principle")
TAGS = ("answer:task", "answer:other", "tool:a", "tool:b", "tool:contact-lookup")
NO_DESTRUCTIVE_CHANGE = """
version: 1.0.0
invariants:
  - name: no_destructive_change
    applies_to: [principle, project]
    rule: api.breaking_change == false
"""


def held(*texts: str):
    """What holds at the end of a chain of policies."""
    paths = ["/".join("main" for _ in range(depth + 1)) for depth in range(len(texts))]
    return Policies({path: parse(text) for path, text in zip(paths, texts, strict=True)}).at("main/main/main/main")


def written(**sections) -> str:
    return json.dumps({"version": "1.0.0", **sections})  # JSON is YAML


@pytest.mark.parametrize(
    ("allow", "classes"),
    [
        (DEFAULT_ALLOW, ("public", "internal")),
        (("tool:search",), ("public", "internal")),
        (("tool:contact-lookup",), ("public", "internal", "pii")),
        (("anything",), ("public",)),
        ((), ("public",)),
        (("*",), ("public",)),
        (("secret", "tool:*"), ("public", "internal")),
    ],
)
def test_tags_open_classes_and_nothing_opens_secret(allow, classes):
    assert visible_classes(allow) == classes
    assert held(written()).visible_classes(allow) == classes


@pytest.mark.parametrize("allow", ["answer:task", [""], [3], None])
def test_malformed_tags(allow):
    with pytest.raises(InvalidInput):
        visible_classes(allow)


def test_a_trailing_star_matches_any_ending():
    rules = held(written(boundary_classes={"internal": {"allow": ["tool:crm-*"]}}))
    assert rules.visible_classes(["tool:crm-"]) == rules.visible_classes(["tool:crm-read"]) == ("public", "internal")
    assert rules.visible_classes(["tool:crm"]) == rules.visible_classes(["a-tool:crm-read"]) == ("public",)


def test_a_class_that_stays_closed_closes_the_stricter_ones():
    rules = held(written(boundary_classes={"internal": {"allow": []}, "pii": {"allow": ["*"]}}))
    assert rules.visible_classes(["answer:task"]) == ("public",)


def test_a_denied_class_is_never_visible():
    rules = held(written(boundary_classes={"pii": {"allow": ["*"], "deny": True}}))
    assert rules.visible_classes(["answer:task"]) == ("public", "internal")


def test_an_address_in_a_personal_text_is_redacted_and_the_text_allowed():
    rules = held(written())
    verdict = rules.judge("pii", {"email"})
    assert (verdict.denied, verdict.redact, verdict.boundary_class) == ("", ("email",), "pii")
    assert rules.escalation["pii"] == "human_review"


def test_a_breaking_change_violates_an_invariant_at_principle_scope():
    rules = held(NO_DESTRUCTIVE_CHANGE)
    breaking = {"api": {"breaking_change": True}, "text": "A breaking change of the API"}
    assert rules.violated("principle", breaking) == ("no_destructive_change",)
    assert rules.violated("project", {"api": {"breaking_change": False}}) == ()
    assert rules.violated("session", breaking) == rules.violated(None, breaking) == ()


def test_what_cannot_be_decided_is_violated():
    rules = held(NO_DESTRUCTIVE_CHANGE)
    assert rules.violated("principle", {"text": "nothing said about the API"}) == ("no_destructive_change",)
    assert rules.violated("principle", {"api": "broken"}) == ("no_destructive_change",)


def test_an_invariant_for_everything_holds_without_a_scope():
    rules = held(written(invariants=[{"name": "named", "applies_to": ["*"], "rule": "title != ''"}]))
    assert rules.violated(None, {"title": ""}) == rules.violated("session", {"title": ""}) == ("named",)


def test_invariants_of_one_name_at_two_levels_both_hold():
    upper = written(invariants=[{"name": "short", "rule": "size(text) < 9"}])
    lower = written(invariants=[{"name": "short", "rule": "size(text) < 5"}])
    assert held(upper, lower).violated(None, {"text": "x" * 7}) == ("short",)
    assert held(upper, lower).violated(None, {"text": "x" * 10}) == ("short",)
    assert held(upper, lower).violated(None, {"text": "x"}) == ()


def test_a_secret_is_denied_before_anything_is_redacted():
    verdict = held(written()).judge("public", {"email", "secret"})
    assert (verdict.denied, verdict.redact, verdict.boundary_class) == ("found: secret", (), "secret")


def test_a_text_of_a_denied_class_is_denied_without_findings():
    assert held(written()).judge("secret", ()).denied
    assert held(written(boundary_classes={"pii": {"deny": True}})).judge("pii", ()).denied
    assert held(written(boundary_classes={"pii": {"deny": True}})).judge("public", {"phone"}).denied


def test_a_kind_that_nobody_knows_is_denied():
    assert held(written()).judge("public", {"fingerprint"}).denied


def test_what_is_redacted_does_not_raise_the_class():
    verdict = held(written()).judge("public", {"phone", "email"})
    assert (verdict.boundary_class, verdict.redact) == ("public", ("email", "phone"))


def test_what_is_not_redacted_raises_the_class_and_its_list_then_holds():
    rules = held(written(boundary_classes={"public": {"redact": ["email"]}, "pii": {"redact": ["phone"]}}))
    verdict = rules.judge("public", {"email", "phone"})
    assert (verdict.boundary_class, verdict.redact) == ("pii", ("phone",))
    assert rules.judge("public", {"email"}).boundary_class == "public"


def test_a_class_is_raised_step_by_step():
    rules = held(
        written(
            detect={"email": "internal", "phone": "pii"},
            boundary_classes={"public": {"redact": ["phone"]}, "internal": {"redact": []}, "pii": {"redact": ["card"]}},
        )
    )
    assert rules.judge("public", {"email", "phone"}).boundary_class == "pii"
    assert rules.judge("public", {"phone"}).boundary_class == "public"


def test_a_class_never_goes_down():
    rules = held(written(detect={"email": "public"}, boundary_classes={"pii": {"redact": []}}))
    assert rules.judge("pii", {"email"}).boundary_class == "pii"
    assert rules.judge("pii", ()).boundary_class == "pii"


def test_how_long_memories_live():
    rules = held(written())
    assert rules.expiry("session") == timedelta(days=7)
    assert rules.expiry("principle") is rules.expiry(None) is None
    assert rules.max_tokens["project"] == 50_000


def test_the_topmost_policy_replaces_the_default_and_may_be_looser():
    upper = written(scopes={"session": {"ttl_days": 30}}, boundary_classes={"pii": {"allow": ["*"], "redact": []}})
    rules = held(upper)
    assert rules.expiry("session") == timedelta(days=30)
    assert rules.visible_classes(["answer:task"]) == ("public", "internal", "pii")
    assert rules.judge("pii", {"email"}).redact == ()


def test_a_policy_below_counts_only_with_what_it_states():
    upper = written(scopes={"session": {"ttl_days": 30}}, boundary_classes={"pii": {"allow": ["*"], "redact": []}})
    lower = written(scopes={"session": {"max_tokens": 100}}, retrieval={"hybrid": {"alpha": 0.3}})
    rules = held(upper, lower)
    assert rules.expiry("session") == timedelta(days=30)
    assert rules.max_tokens["session"] == 100
    assert rules.visible_classes(["answer:task"]) == ("public", "internal", "pii")
    assert rules.redact["pii"] == ()


def test_every_level_has_to_allow_a_tag():
    upper = written(boundary_classes={"internal": {"allow": ["tool:*"]}})
    lower = written(boundary_classes={"internal": {"allow": ["answer:task"]}})
    assert held(upper, lower).visible_classes(["tool:a"]) == ("public",)
    assert held(upper, lower).visible_classes(["answer:task"]) == ("public",)
    assert held(upper, lower).visible_classes(["tool:a", "answer:task"]) == ("public", "internal")


def test_policies_hold_in_their_namespace_and_below():
    policies = Policies({"main/a": parse(written(scopes={"session": {"ttl_days": 1}}))})
    assert policies.at("main").expiry("session") == policies.at("main/ab").expiry("session") == timedelta(days=7)
    assert policies.at("main/a").expiry("session") == policies.at("main/a/b").expiry("session") == timedelta(days=1)
    assert policies.at("main/a") is policies.at("main/a/b")


def test_another_policy_in_a_namespace_leaves_the_first_ones_as_they_were():
    before = Policies({})
    after = before.with_policy("main", parse(written(scopes={"session": {"ttl_days": 1}})))
    assert (before.at("main").expiry("session"), after.at("main").expiry("session")) == (
        timedelta(days=7),
        timedelta(days=1),
    )


def test_the_version_names_the_whole_chain():
    assert held("version: 1.2.0", "version: 1.0.1").version == "1.2.0 > 1.0.1"
    assert Policies({}).at("main").version == "1.0.0"


def test_the_lower_levels_parameters_of_recall_win_by_key():
    points = [[0, 0], [1, 1]]
    calibration = {"method": "m", "model": "upper", "text": points, "vectors": points}
    upper = written(retrieval={"hybrid": {"alpha": 0.4, "k_txt": 9}}, calibration=calibration)
    rules = held(upper, written(retrieval={"hybrid": {"alpha": 0.6}}))
    hybrid = rules.settings(RecallSettings).hybrid
    assert (hybrid.alpha, hybrid.k_txt) == (0.6, 9)
    assert rules.settings(Calibration) == Calibration("m", "upper", ((0, 0), (1, 1)), ((0, 0), (1, 1)))
    nearer = held(upper, written(calibration={**calibration, "model": "lower"}))
    assert nearer.settings(Calibration).model == "lower"


def some(strategy):
    """A mapping that leaves some of its keys out."""
    return st.fixed_dictionaries({}, optional=strategy)


patterns = st.lists(st.sampled_from((*TAGS, "*", "tool:*", "answer:*")), max_size=3, unique=True)
kinds = st.lists(st.sampled_from(FINDING_KINDS), max_size=5, unique=True)
open_classes = BOUNDARY_CLASSES[:-1]
texts = some(
    {
        "scopes": some(
            {
                scope: some({"ttl_days": st.none() | st.integers(1, 400), "max_tokens": st.integers(1, 9_000)})
                for scope in SCOPES
            }
        ),
        "boundary_classes": some(
            {
                **{name: some({"allow": patterns, "redact": kinds, "deny": st.booleans()}) for name in open_classes},
                "secret": some({"redact": kinds, "deny": st.just(True)}),
            }
        ),
        "detect": some({kind: st.sampled_from(BOUNDARY_CLASSES) for kind in FINDING_KINDS[:-1]}),
    }
).map(lambda sections: written(**sections))


@given(upper=texts, lower=texts, allow=st.lists(st.sampled_from(TAGS), max_size=3))
def test_a_policy_below_never_loosens_one_above(upper, lower, allow):
    alone, chain = held(upper), held(upper, lower)
    assert set(chain.visible_classes(allow)) <= set(alone.visible_classes(allow))
    for scope in SCOPES:
        assert (chain.expiry(scope) or timedelta.max) <= (alone.expiry(scope) or timedelta.max)
        assert chain.max_tokens[scope] <= alone.max_tokens[scope]
    for name in BOUNDARY_CLASSES:
        assert set(chain.redact[name]) >= set(alone.redact[name])
    assert chain.denied >= alone.denied
    for kind in FINDING_KINDS:
        assert BOUNDARY_CLASSES.index(chain.detect[kind]) >= BOUNDARY_CLASSES.index(alone.detect[kind])


@pytest.mark.parametrize("name", BOUNDARY_CLASSES)
def test_a_denial_above_holds_although_a_policy_below_detects_a_stricter_class(name):
    upper = written(detect={"phone": "public"}, boundary_classes={"public": {"deny": True}})
    lower = written(detect={"phone": "internal"})
    alone, chain = held(upper).judge(name, ["phone"]), held(upper, lower).judge(name, ["phone"])
    assert (chain.denied, chain.redact) == (alone.denied, ()) == ("found: phone", ())


@given(upper=texts, lower=texts, name=st.sampled_from(BOUNDARY_CLASSES), found=kinds)
def test_verdicts_are_stable_and_what_is_denied_above_is_denied_below(upper, lower, name, found):
    alone, chain = held(upper), held(upper, lower)
    verdict = chain.judge(name, found)
    assert BOUNDARY_CLASSES.index(verdict.boundary_class) >= BOUNDARY_CLASSES.index(name)
    again = chain.judge(verdict.boundary_class, found)
    assert (again.boundary_class, again.redact, again.denied) == (
        verdict.boundary_class,
        verdict.redact,
        verdict.denied,
    )
    assert verdict.denied or not alone.judge(name, found).denied
    assert set(verdict.redact) <= set(found)


@given(text=texts, fewer=st.lists(st.sampled_from(TAGS), max_size=2), more=st.lists(st.sampled_from(TAGS), max_size=2))
def test_more_tags_never_show_less_and_the_visible_classes_have_no_gap(text, fewer, more):
    rules = held(text)
    visible = rules.visible_classes([*fewer, *more])
    assert set(rules.visible_classes(fewer)) <= set(visible)
    assert visible == BOUNDARY_CLASSES[: len(visible)]
    assert "secret" not in visible
