"""Reads one line of JSON-RPC: a message that the SDK can take, the error to answer with, or nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf, isfinite
from typing import Any, Final

import mcp_types as types
from pydantic import ValidationError

from wherefrom.model.errors import shown

# Metadata may be 32 levels deep, and stands some levels deep itself.
MAX_DEPTH: Final = 64
# The largest number that other JSON readers take has 309 digits.
MAX_DIGITS: Final = 300
# An id is repeated in the answer; a longer one is not repeated in an error.
MAX_ID_CHARACTERS: Final = 200
# Where an id is looked for in a line that cannot be parsed: its beginning and its end.
HEAD_BYTES: Final = 64 * 1024
TAIL_BYTES: Final = 1024

_TEXT_HINT: Final = "each line is one JSON-RPC message in UTF-8"
_SURROGATE_HINT: Final = "a text was cut inside of an emoji or another long character: leave that character out"
_ONE_HINT: Final = "MCP has no batches: send each message on a line of its own"
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_STRUCTURE: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|[\[\]{}]', re.DOTALL)
_ESCAPED_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")
_ID_VALUE: Final = rb'\s*:\s*(-?\d{1,18}(?:\.\d{1,9})?|"(?:[^"\\\x00-\x1f]|\\.){0,200}")\s*'
_ID_IN_HEAD: Final = re.compile(_ID_VALUE + rb"(?:[,}]|\Z)")
_ID_AT_END: Final = re.compile(rb'[,{]\s*"id"' + _ID_VALUE + rb'(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*\Z')

_LONE_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")

Id = int | float | str | None


@dataclass(frozen=True, slots=True)
class Refusal:
    """The JSON-RPC error that answers a line, with the id of the call if one can be read."""

    code: int
    message: str
    hint: str
    id: Id = None

    def line(self) -> bytes:
        """Return the answer as it is sent: in ASCII, so that an id comes back exactly as it came."""
        data = {"code": "invalid_input", "hint": self.hint}
        error = {"code": self.code, "message": f"{self.message} ({self.hint})", "data": data}
        return json.dumps({"jsonrpc": "2.0", "id": self.id, "error": error}).encode() + b"\n"


_TOO_DEEP: Final = Refusal(
    types.INVALID_REQUEST, f"the message is nested more than {MAX_DEPTH} levels deep", "send flatter values"
)


def read(line: bytes) -> types.JSONRPCMessage | Refusal | None:
    """Read a line; return None for an empty line, and for a broken message that wants no answer."""
    line = line.strip().removeprefix(_BYTE_ORDER_MARK).strip()
    if not line:
        return None
    try:
        text = line.decode()
        value, fault = _parsed(text)
        # Most messages can be neither too deep nor hold a lone surrogate, and need no closer look.
        if text.count("[") + text.count("{") > MAX_DEPTH or _ESCAPED_SURROGATE.search(text):
            fault = fault or _fault_within(value, "", 1)
    except UnicodeDecodeError as error:
        message = f"byte {error.start + 1} of the line is not UTF-8"
        return Refusal(types.PARSE_ERROR, message, _TEXT_HINT, id_in(line))
    except json.JSONDecodeError as error:
        message = f"the line is not JSON: {error.msg} at character {error.pos + 1}"
        return Refusal(types.PARSE_ERROR, message, _TEXT_HINT, id_in(line))
    except RecursionError:
        return replace(_TOO_DEEP, id=id_in(line))
    if not isinstance(value, dict):
        hint = _ONE_HINT if isinstance(value, list) else _TEXT_HINT
        return Refusal(types.INVALID_REQUEST, f"a message is a JSON object, not {_kind(value)}", hint)
    return _message(value, fault)


def id_in(line: bytes) -> Id:
    """Return the id in a line that cannot be parsed, if it is easily found: at its beginning, or at its end."""
    depth = 0
    for token in _STRUCTURE.finditer(line, 0, HEAD_BYTES):
        match token[0]:
            case b"{" | b"[":
                depth += 1
            case b"}" | b"]":
                depth -= 1
            case b'"id"' if depth == 1:
                if value := _ID_IN_HEAD.match(line, token.end()):
                    return _decoded_id(value[1])
    at_end = _ID_AT_END.search(line[-TAIL_BYTES:]) if len(line) > HEAD_BYTES else None
    return _decoded_id(at_end[1]) if at_end else None


def _parsed(text: str) -> tuple[Any, Refusal | None]:
    """Return the value of some JSON, and the fault of the first number in it that Python cannot hold."""
    faults: list[Refusal] = []

    def unreadable(message: str, code: int = types.INVALID_REQUEST) -> float:
        faults.append(Refusal(code, message, "send a number that fits in 64 bits, or null"))
        return inf

    def whole(digits: str) -> float:
        is_long = len(digits) > MAX_DIGITS
        return unreadable(f"a number has more than {MAX_DIGITS} digits") if is_long else int(digits)

    def fraction(digits: str) -> float:
        number = float(digits)
        return number if isfinite(number) else unreadable("a number is too large")

    def constant(name: str) -> float:
        return unreadable(f"the line is not JSON: {name} is no number", types.PARSE_ERROR)

    value = json.loads(text, parse_int=whole, parse_float=fraction, parse_constant=constant)
    return value, faults[0] if faults else None


def _fault_within(value: Any, path: str, depth: int) -> Refusal | None:
    """Return the first fault of some JSON: a text or key with a lone surrogate, or more open brackets than allowed."""
    if isinstance(value, str) and _LONE_SURROGATE.search(value):
        code = types.INVALID_PARAMS if path.startswith("params") else types.INVALID_REQUEST
        return Refusal(code, f"{path} holds a lone surrogate, which is not valid Unicode text", _SURROGATE_HINT)
    if not isinstance(value, dict | list):
        return None
    if depth > MAX_DEPTH:
        return _TOO_DEEP
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(key, int):
            below = f"{path}[{key}]"
        else:
            name = shown(key) if len(key) > MAX_ID_CHARACTERS or _LONE_SURROGATE.search(key) else key
            below = f"{path}.{name}" if path else name
        if fault := _fault_within(key, below, depth) or _fault_within(item, below, depth + 1):
            return fault
    return None


def _message(value: Mapping[str, Any], fault: Refusal | None) -> types.JSONRPCMessage | Refusal | None:
    is_notification = "id" not in value and isinstance(value.get("method"), str)
    is_answer = "method" not in value and ("result" in value or "error" in value)
    fault = fault or _fault_of(value, is_answer=is_answer)
    if fault is not None:
        return None if is_notification or is_answer else replace(fault, id=_echoed(value.get("id")))
    if is_answer:
        try:
            return types.jsonrpc_message_adapter.validate_python(value, by_name=False)
        except ValidationError:
            return None
    kind = types.JSONRPCNotification if is_notification else types.JSONRPCRequest
    return kind.model_validate(value)


def _fault_of(value: Mapping[str, Any], *, is_answer: bool) -> Refusal | None:
    """Return the fault that keeps a message from being a request, a notification or an answer."""
    code, given, params = types.INVALID_REQUEST, value.get("id"), value.get("params")
    if value.get("jsonrpc") != "2.0":
        return Refusal(code, "the message has no jsonrpc of '2.0'", "add it: MCP speaks JSON-RPC 2.0")
    if "id" in value and (isinstance(given, bool) or not isinstance(given, int | str)):
        message = f"an id is a string or a whole number, not {_kind(given)}"
        return Refusal(code, message, "give each request an id of its own")
    if is_answer:
        return None
    if not isinstance(value.get("method"), str):
        return Refusal(code, "method is missing or no string", "name what to call, for example tools/call")
    if not isinstance(params, dict | None):
        return Refusal(types.INVALID_PARAMS, f"params is an object, not {_kind(params)}", "name each parameter")
    return None


def _echoed(given: object) -> Id:
    """Return the id to answer with; None if what was given is no id, or too long to be repeated."""
    if isinstance(given, bool) or not isinstance(given, int | float | str) or given in (inf, -inf):
        return None
    return given if len(str(given)) <= MAX_ID_CHARACTERS else None


def _decoded_id(value: bytes) -> Id:
    try:
        return _echoed(json.loads(value.decode(errors="replace")))
    except ValueError:
        return None


def _kind(value: object) -> str:
    """Return JSON's name for the kind of a value."""
    names = {dict: "an object", list: "an array", str: "a string", bool: "true or false", float: "a fraction"}
    return "null" if value is None else names.get(type(value), "a number")
