"""Performs a verb for a view: with whole ids, and where a node went, with the one that stands for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from wherefrom.engine.checking import referring
from wherefrom.lazy import lazy_modules
from wherefrom.model import stand_ins
from wherefrom.model.errors import Conflict, NotFound, WherefromError
from wherefrom.model.identifiers import is_whole
from wherefrom.model.param import Param, Parameter, parameters_of

if TYPE_CHECKING:
    from wherefrom.engine import references
    from wherefrom.engine.view import Engine, View
else:
    (references,) = lazy_modules("wherefrom.engine", "references")


def done(view: View, engine: type[Engine], function: Callable[..., Any], values: Mapping[str, Any]) -> Any:
    """Return what an engine's method returns for a view, with the whole ids of what the arguments name. A node that
    went is answered for by the one that stands for it, and that is noted (`stand_ins.noting`).
    """
    declared = parameters_of(function)
    values = referring(values, declared, partial(_whole_id, view))
    try:
        return function(engine(view), **values)
    except NotFound as error:
        if error.code != NotFound.code:
            raise
        # A former version is one of the very node that was asked for.
        refused = values.get("version") is not None
        with stand_ins.noting() as notes:
            asked, values = values, referring(values, declared, partial(_answering_id, view, is_refused=refused))
        if not notes:
            raise
    for answered in notes:
        stand_ins.note(answered)
    try:
        _refuse_one_for_two(asked, values, declared)
        return function(engine(view), **values)
    except WherefromError as error:
        told = (answered.sentence(whole_ids=False) for answered in notes)
        error.hint = "; ".join(filter(None, (*told, error.hint)))
        raise


def _refuse_one_for_two(asked: Mapping[str, Any], values: Mapping[str, Any], declared: Mapping[str, Parameter]) -> None:
    """Raise an error if two nodes that a call names are one by now: it would relate a node with itself."""
    ends = {
        name for name, known in declared.items() if known.param.refers == "node" and isinstance(values.get(name), str)
    }
    if len({values[name] for name in ends}) < len({asked[name] for name in ends}):
        raise Conflict("the nodes that the call names are one by now")


def _whole_id(view: View, param: Param, given: str, field: str) -> str:
    """Return the id that is meant; one that is given whole is not looked up, unless the verb would not say that there
    is no such node.
    """
    whole = given if is_whole(given) else references.whole_id(view, param, given, field)
    return references.answering_id(view, param, whole, field) if param.gone == "ahead" else whole


def _answering_id(view: View, param: Param, given: str, field: str, *, is_refused: bool) -> str:
    """Return the id of the node that answers for one that went; raises if none does, or may."""
    if param.refers not in ("node", "retired"):
        return given
    return references.answering_id(view, param, given, field, is_refused=is_refused)
