"""Inputs at the edges of what is declared, and far beyond: every verb answers with a result or with a refusal in JSON."""

from __future__ import annotations

import json
import math

import pytest
from calling_for_tests import CLIENT
from every_verb_for_tests import SCRIPT
from references_for_tests import world
from service_for_tests import served

from wherefrom import Store
from wherefrom.api.memory import Verbs
from wherefrom.interfaces.http import codec
from wherefrom.interfaces.http.app import Options, Service
from wherefrom.interfaces.http.workers import Limits
from wherefrom.model.param import parameters_of

# Values of every type that JSON has, and some that it has not.
WRONG = (
    "null", "true", "-1", "9007199254740993", "1e400", "NaN", "1" + "0" * 5000, '""', '"a\\u0000b"', '"\\ud800"',
    '"\\u202eمرحبا\\u202c"', '"橋は九時に開く。한국어 中文 😀"', '"\'; drop table nodes; --"', '"' + "x" * 200_000 + '"', "[]",
    '["\\ud800"]', "[null]", "{}", '{"": null}', "[" * 200 + "]" * 200, '{"a":' * 200 + "1" + "}" * 200,
)  # fmt: skip


@pytest.fixture
def prepared(url):
    """The address of a service, and the ids of what its memory is filled with."""
    with Store.open(url) as store:
        made = world(store.memory())
        options = Options(rate=1e6, keyless=True, limits=Limits(seconds=10))
        with served(Service(store, options).app()) as base:
            yield base, made


def answered(base, verb, body):
    """The status of the response to a body, which is a result, or an error as all are."""
    headers = {"Content-Type": "application/json"}
    sent = body.encode("utf-8", "surrogatepass") if isinstance(body, str) else body
    answer = CLIENT.post(f"{base}/api/{verb.rstrip('_')}", content=sent, headers=headers)
    about = (verb, ascii(sent[:200]), ascii(answer.text[:500]))
    assert answer.status_code < 500, about
    if answer.status_code >= 400:
        said = answer.json()
        assert said["error"]["code"] and said["error"]["message"], about
        assert len(answer.content) < 4_000, about  # what was sent is not sent back
    return answer.status_code


def bodies_of(made):
    """The JSON of a call of each verb that takes one, by verb."""
    found = {}
    for verb, arguments in SCRIPT:
        if verb not in ("delete", "choose_privacy", "revoke_key"):
            found.setdefault(verb, json.loads(codec.dump_arguments(verb, arguments(made))))
    return {**found, "delete": {"memo_id": made.one, "dry_run": True}, "export": {}}


def numbers():
    for verb in codec.OFFERED.values():
        for known in parameters_of(getattr(Verbs, verb)).values():
            if known.param.low is not None and known.param.high is not None:
                yield verb, known


def test_every_number_is_taken_at_both_ends_of_its_range_and_refused_beyond(prepared):
    base, made = prepared
    bodies = bodies_of(made)
    count = 0
    for verb, known in numbers():
        body = bodies[verb]
        step = 1 if known.kind is int else 1e-6
        low, high = known.param.low, known.param.high
        for value, is_inside in (
            (low, not known.param.is_low_open), (high, not known.param.is_high_open), (low - step, False), (high + step, False),
            (10**18, False), (-(10**18), False), (10**400, False),
        ):  # fmt: skip
            value = int(value) if known.kind is int else value
            status = answered(base, verb, json.dumps({**body, known.name: value}))
            about = (verb, known.name, value)
            if not is_inside:
                assert status == 400, about
            elif (verb, known.name) not in NEEDS_MORE:
                assert status in (200, 404, 409, 410), about  # what was there may be gone by now
            count += 1
    assert count > 7 * 30


# These are taken only together with others, or are refused in this call for another reason.
NEEDS_MORE = frozenset(
    (
        ("save", "expected_version"),
        ("feedback", "score"),
        ("restore", "version"),
        ("get", "version"),
        ("neighbourhood", "limit"),
    )
)


@pytest.mark.slow
@pytest.mark.timeout(180)
@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.long)])
def test_every_parameter_refuses_what_it_cannot_use_with_a_reason(prepared, url, step):
    """On every change each parameter gets every fifth value, the next one others; else all get all. Few of them reach
    the database: PostgreSQL gets a third.
    """
    base, made = prepared
    if step > 1 and url.startswith("postgresql"):
        step *= 3
    number = 0
    for verb, body in bodies_of(made).items():
        for name in sorted({known.name for known in parameters_of(getattr(Verbs, verb)).values()}):
            number += 1
            rest = json.dumps({key: value for key, value in body.items() if key != name})[1:-1]
            for value in WRONG[number % step :: step]:
                answered(base, verb, f"{{{rest}{', ' if rest else ''}{json.dumps(name)}: {value}}}")


def test_a_version_that_is_no_text_is_refused_without_being_repeated(prepared):
    base, _ = prepared
    for given in ('"\\ud800"', '"' + "x" * 200_000 + '"'):
        assert answered(base, "apply_policy", f'{{"yaml": "version: 2.0.0", "expected_version": {given}}}') == 409


@pytest.mark.parametrize("url", ["sqlite", pytest.param("postgres", marks=pytest.mark.long)], indirect=True)
def test_bodies_that_are_no_call_are_refused_by_every_verb(prepared):
    """On PostgreSQL, `test_service` tries some of them: none of them reaches the database."""
    base, made = prepared
    bodies = bodies_of(made)
    for verb, body in bodies.items():
        rest = json.dumps(body)[1:-1]
        comma = ", " if rest else ""
        assert answered(base, verb, f'{{{rest}{comma}"nonsense": 1}}') == 400
        assert answered(base, verb, f'{{{rest}{comma}"": 1}}') == 400
        assert answered(base, verb, f'{{{rest}{comma}"\\ud800": 1}}') == 400
        assert answered(base, verb, f'{{{rest}{comma}"__class__": {{}}}}') == 400
        assert answered(base, verb, f'{{{rest}{comma}"owner": "anna"}}') == 400
        assert answered(base, verb, f'{{{rest}{comma}"written_by_key": "anna"}}') == 400
        for wrong in (
            "[]",
            "null",
            "1",
            '"x"',
            "{",
            "{]",
            '{"a"}',
            "\ufeff{",
            "{'a': 1}",
            "// x\n{}",
            '{"a":1}{"b":2}',
        ):
            assert answered(base, verb, wrong) == 400, (verb, wrong)
        for wrong in (b"\xff\xfe{\x00}\x00"[:3], b"\x80", b'{"a": "\xff"}', b"\x1f\x8b\x08\x00" + b"x" * 20):
            assert answered(base, verb, wrong) == 400, (verb, wrong)
        for deep in ("[", '{"a":'):
            assert answered(base, verb, deep * 100_000) == 400
            assert answered(base, verb, deep * 500_000) == 413
        assert answered(base, verb, '{"query": [' + "[]," * 200_000 + "[]]}") == 413


def test_of_a_name_that_is_given_twice_the_last_counts(prepared):
    base, made = prepared
    assert answered(base, "get", f'{{"memo_id": 7, "memo_id": "{made.two}"}}') == 200
    assert answered(base, "get", f'{{"memo_id": "{made.two}", "memo_id": 7}}') == 400


def test_texts_of_all_scripts_come_back_as_they_were(prepared):
    base, _ = prepared
    for text in (
        "橋は九時に開く。",
        "مرحبا \u202e بالعالم",
        "다리는 아홉 시에 열린다",
        "👩‍👩‍👧‍👦 é é",
        "a\u200bb",
        "\u2028x",
    ):
        saved = CLIENT.post(f"{base}/api/save", json={"content": text, "title": "T"})
        assert saved.status_code == 200, saved.text
        got = CLIENT.post(f"{base}/api/get", json={"memo_id": saved.json()["node"]["id"]}).json()
        assert got["content"] == text
        assert math.isfinite(got["confidence"])
