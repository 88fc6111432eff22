"""What goes over HTTP: every verb's arguments and results come back as they were."""

from __future__ import annotations

import json
import math
from dataclasses import fields, is_dataclass

import jsonschema
import pytest
from every_verb_for_tests import SCRIPT, world

from wherefrom import InvalidInput
from wherefrom.api.memory import VERBS, Verbs
from wherefrom.engine.checking import checked
from wherefrom.interfaces.http import codec
from wherefrom.interfaces.verbs import COMMANDS, TOOLS
from wherefrom.model.param import parameters_of
from wherefrom.model.policies import CalibrationReport
from wherefrom.model.results import SearchResult

# Those whose body is a stream of lines.
STREAMED = {"add_document", "export", "import_"}


def test_every_verb_is_offered_or_not():
    assert set(codec.OFFERED.values()) | codec.NOT_OFFERED == set(VERBS)
    assert codec.OFFERED["import"] == "import_"
    assert {verb for verb, _ in SCRIPT} == set(codec.OFFERED.values()) - STREAMED


def test_every_result_and_every_argument_comes_back_as_it_was(memory):
    made = world(memory)
    for verb, arguments in SCRIPT:
        body = codec.dump_arguments(verb, arguments(made))
        given = codec.load_arguments(verb, json.loads(body))
        declared = parameters_of(getattr(Verbs, verb))
        before = arguments(made)
        before = {name: list(value) if name == "judged" else value for name, value in before.items()}
        assert {name: checked(value, declared[name]) for name, value in given.items()} == {
            name: checked(value, declared[name]) for name, value in before.items()
        }
        result = getattr(memory, verb)(**given)
        back = codec.load(verb, codec.dump(verb, result))
        assert back == result
        assert _kinds(back) == _kinds(result)
        jsonschema.validate(json.loads(codec.dump(verb, result)), codec.answer_schema(verb))


def _kinds(value):
    """The types of a value and of all that is in it."""
    if is_dataclass(value):
        return (type(value), *(_kinds(getattr(value, field.name)) for field in fields(value)))
    if isinstance(value, tuple | list):
        return (type(value), *map(_kinds, value))
    if isinstance(value, dict):
        return (dict, *((type(key), _kinds(inner)) for key, inner in value.items()))
    return float if isinstance(value, int) and not isinstance(value, bool) else type(value)


def test_infinite_numbers_and_nested_values_come_back():
    found = SearchResult((), ("text",), math.inf, 3, 0, filtered={"class": 2})
    assert codec.load("search", codec.dump("search", found)) == found
    assert json.loads(codec.dump("search", found))["alpha"] == "Infinity"
    curves = {"text, before": ((0.0, -math.inf, 3), (1.0, 2.5, 4))}
    report = CalibrationReport("1", "platt", 7, 3, {"text": 0.25}, {"text": math.inf}, curves)
    assert codec.load("calibrate", codec.dump("calibrate", report)) == report


@pytest.mark.parametrize("body", [b"", b"{}", b"[1]", b"<html>", b'{"node": 7, "status": "created"}', b"\xff"])
def test_a_body_that_is_no_result_is_refused(body):
    with pytest.raises(ValueError):  # of Pydantic's, whichever
        codec.load("save", body)


@pytest.mark.parametrize(
    ("verb", "given"),
    [
        ("save", {"content": 7}),
        ("save", {"content": "x", "unknown": 1}),
        ("search", {"query": "x", "limit": True}),
        ("delete", {"dry_run": False}),
        ("add_evidence", {"claims": [{"text": "x", "unknown": 1}]}),
    ],
)
def test_arguments_that_are_none_of_the_verbs_are_refused(verb, given):
    with pytest.raises(InvalidInput):
        codec.load_arguments(verb, given)


def test_what_only_programs_give_is_no_part_of_tools_and_commands():
    for row in (*TOOLS, *COMMANDS):
        assert all(known.param.only != "code" for known in row.parameters.values())
    assert codec.arguments_of("delete").model_fields.keys() == {"memo_id", "namespace", "dry_run"}
