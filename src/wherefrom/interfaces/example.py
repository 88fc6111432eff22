"""The example that `wherefrom serve --demo` shows: a team, a home and two questions, told as calls of verbs."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from importlib.resources import files
from typing import Any, Final

from wherefrom.api import Store
from wherefrom.config import Settings
from wherefrom.interfaces.http.codec import load_arguments
from wherefrom.model.evidence import EvidenceAdded
from wherefrom.model.forgetting import ForgetPlan
from wherefrom.model.results import Saved

# A call is an object: how many days ago it was made, by whom, under which name later calls find what it made, and the
# verb with its arguments as the API takes them. In these, "@name" is an id and "@-2" the year two years ago.
_CALLS: Final = json.loads(files("wherefrom.interfaces").joinpath("example.json").read_text(encoding="utf-8"))
_ABOUT_CALL: Final = ("ago", "by", "as")


def fill(settings: Settings, *, now: datetime) -> None:
    """Make the calls of the example in the empty store that the settings name, each at its time before `now`."""
    calls = sorted(_CALLS, key=lambda call: -call["ago"])
    moments = [
        now - timedelta(days=call["ago"], minutes=len(calls) - number) for number, call in enumerate(calls, start=1)
    ]
    at = moments[0]
    made: dict[str, str] = {}
    with Store.from_settings(settings, clock=lambda: at) as store:
        for call, at in zip(calls, moments, strict=True):  # noqa: B007  # the store's clock reads it
            (verb,) = call.keys() - set(_ABOUT_CALL)
            memory = store.memory(written_by=call.get("by"))
            arguments = load_arguments(verb, _resolved(call[verb], made, now.year))
            result = getattr(memory, verb)(**arguments)
            if "as" in call:
                made |= _ids(call["as"], result)


def _resolved(value: Any, made: dict[str, str], this_year: int) -> Any:
    """Return an argument with ids and years in place of what stands for them."""
    if isinstance(value, dict):
        return {name: _resolved(inner, made, this_year) for name, inner in value.items()}
    if isinstance(value, list):
        return [_resolved(inner, made, this_year) for inner in value]
    if not isinstance(value, str) or not value.startswith("@"):
        return value
    return this_year + int(value[1:]) if value.startswith("@-") else made[value[1:]]


def _ids(name: str, result: Any) -> dict[str, str]:
    """Return what later calls need of a result: "name" for an id, "name.0" for the first of several fragments or
    claims.
    """
    if isinstance(result, EvidenceAdded):
        parts = {f"{name}.{number}": part.id for number, part in enumerate(result.fragments or result.claims)}
        return parts if result.page is None else {name: result.page.id, **parts}
    if isinstance(result, Saved):
        return {name: result.node.id}
    return {name: result.plan if isinstance(result, ForgetPlan) else result.id}
