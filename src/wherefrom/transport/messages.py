"""Reads one line of JSON-RPC: a message that the SDK can take, the error to answer with, or nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, isinf
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
_STRING: Final = r'"(?:[^"\\]++|\\.)*+"?'
_STRUCTURE: Final = re.compile(rf"{_STRING}|[\[\]{{}}]", re.DOTALL)
_STRUCTURE_BYTES: Final = re.compile(_STRUCTURE.pattern.encode(), re.DOTALL)
_ESCAPED_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")
_ID_VALUE: Final = rb'\s*:\s*(-?\d{1,18}(?:\.\d{1,9})?|"(?:[^"\\\x00-\x1f]|\\.){0,200}")\s*'
_ID_IN_HEAD: Final = re.compile(_ID_VALUE + rb"(?:[,}]|\Z)")
_ID_AT_END: Final = re.compile(rb'[,{]\s*"id"' + _ID_VALUE + rb'(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*\Z')

Id = int | float | str | None


@dataclass(frozen=True, slots=True)
class Refusal:
    """The JSON-RPC error that answers a line, with the id of the call if one can be read."""

    code: int
    message: str
    hint: str
    id: Id = None

    def line(self) -> bytes:
        """The answer as it is sent. ASCII, so that an id comes back exactly as it was sent."""
        data = {"code": "invalid_input", "hint": self.hint}
        error = {"code": self.code, "message": f"{self.message} ({self.hint})", "data": data}
        return json.dumps({"jsonrpc": "2.0", "id": self.id, "error": error}).encode() + b"\n"


def read(line: bytes) -> types.JSONRPCMessage | Refusal | None:
    """Reads a line; returns None for an empty line and for a message that wants no answer."""
    line = line.strip().removeprefix(_BYTE_ORDER_MARK).strip()
    if not line:
        return None
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        message = f"byte {error.start + 1} of the line is not UTF-8"
        return Refusal(types.PARSE_ERROR, message, _TEXT_HINT, id_in(line))
    if _is_too_deep(text):
        message = f"the message is nested more than {MAX_DEPTH} levels deep"
        return Refusal(types.INVALID_REQUEST, message, "send flatter values", id_in(line))
    numbers = _Numbers()
    try:
        value = json.loads(text, parse_int=numbers.whole, parse_float=numbers.fraction, parse_constant=numbers.constant)
    except json.JSONDecodeError as error:
        message = f"the line is not JSON: {error.msg} at character {error.pos + 1}"
        return Refusal(types.PARSE_ERROR, message, _TEXT_HINT, id_in(line))
    if not isinstance(value, dict):
        hint = _ONE_HINT if isinstance(value, list) else _TEXT_HINT
        return Refusal(types.INVALID_REQUEST, f"a message is a JSON object, not {_kind(value)}", hint)
    return _message(value, numbers.fault, may_hold_surrogates=_ESCAPED_SURROGATE.search(text) is not None)


def too_long(head: bytes, tail: bytes, *, limit: int) -> Refusal:
    """The answer to a line of which only the beginning and the end were kept."""
    message = f"the line is longer than {limit:,} bytes"
    return Refusal(types.INVALID_REQUEST, message, "send less at a time", id_in(head, tail))


def id_in(head: bytes, tail: bytes = b"") -> Id:
    """The id in a line that cannot be parsed, if it is easily found."""
    depth = 0
    for token in _STRUCTURE_BYTES.finditer(head, 0, HEAD_BYTES):
        match token[0]:
            case b"{" | b"[":
                depth += 1
            case b"}" | b"]":
                depth -= 1
            case b'"id"' if depth == 1:
                if value := _ID_IN_HEAD.match(head, token.end()):
                    return _decoded_id(value[1])
    if not tail and len(head) > HEAD_BYTES:
        tail = head
    at_end = _ID_AT_END.search(tail[-TAIL_BYTES:])
    return _decoded_id(at_end[1]) if at_end else None


class _Numbers:
    """Turns the numbers of a message into Python's, and remembers the first that cannot be one."""

    def __init__(self) -> None:
        self.fault: tuple[int, str] | None = None

    def whole(self, digits: str) -> int | float:
        if len(digits) <= MAX_DIGITS:
            return int(digits)
        self._note(types.INVALID_REQUEST, f"a number has more than {MAX_DIGITS} digits")
        return inf

    def fraction(self, digits: str) -> float:
        value = float(digits)
        if isinf(value):
            self._note(types.INVALID_REQUEST, "a number is too large")
        return value

    def constant(self, name: str) -> None:
        self._note(types.PARSE_ERROR, f"the line is not JSON: {name} is no number")

    def _note(self, code: int, message: str) -> None:
        self.fault = self.fault or (code, message)


def _message(
    value: Mapping[str, Any], fault: tuple[int, str] | None, *, may_hold_surrogates: bool
) -> types.JSONRPCMessage | Refusal | None:
    refusal = _fault_of(value, fault, may_hold_surrogates=may_hold_surrogates)
    is_notification = "id" not in value and isinstance(value.get("method"), str)
    is_answer = "method" not in value and ("result" in value or "error" in value)
    if refusal is not None:
        return None if is_notification or is_answer else refusal
    if is_answer:
        try:
            return types.jsonrpc_message_adapter.validate_python(value, by_name=False)
        except ValidationError:
            return None
    kind = types.JSONRPCNotification if is_notification else types.JSONRPCRequest
    return kind.model_validate(value)


def _fault_of(value: Mapping[str, Any], fault: tuple[int, str] | None, *, may_hold_surrogates: bool) -> Refusal | None:
    """Returns the error that keeps a message from being a request, a notification or an answer, if there is one."""
    given = value.get("id")
    known = _echoed(given)

    def invalid(message: str, hint: str, code: int = types.INVALID_REQUEST) -> Refusal:
        return Refusal(code, message, hint, known)

    if fault is not None:
        return invalid(fault[1], "send a number that fits in 64 bits, or null", fault[0])
    if value.get("jsonrpc") != "2.0":
        return invalid("the message has no jsonrpc of '2.0'", "add it: MCP speaks JSON-RPC 2.0")
    if "id" in value and (isinstance(given, bool) or not isinstance(given, int | str)):
        return invalid(f"an id is a string or a whole number, not {_kind(given)}", "give each request an id of its own")
    if may_hold_surrogates and (where := _lone_surrogate(value)):
        code = types.INVALID_PARAMS if where.startswith("params") else types.INVALID_REQUEST
        return invalid(f"{where} holds a lone surrogate, which is not valid Unicode text", _SURROGATE_HINT, code)
    if "method" not in value and ("result" in value or "error" in value):
        return None
    if not isinstance(value.get("method"), str):
        return invalid("method is missing or no string", "name what to call, for example tools/call")
    if not isinstance(value.get("params"), dict | None):
        return invalid(
            f"params is an object, not {_kind(value['params'])}", "name each parameter", types.INVALID_PARAMS
        )
    return None


def _is_too_deep(text: str) -> bool:
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return False
    depth = 0
    for token in _STRUCTURE.finditer(text):
        if token[0] in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                return True
        elif token[0] in "]}":
            depth -= 1
    return False


def _lone_surrogate(value: Any, path: str = "") -> str | None:
    """Where some JSON holds a lone surrogate, as a path of keys."""
    if isinstance(value, str):
        return None if _is_unicode(value) else path
    if isinstance(value, dict):
        for key, item in value.items():
            if not _is_unicode(key):
                return f"{path}.{shown(key)}" if path else shown(key)
            below = shown(key) if len(key) > MAX_ID_CHARACTERS else key
            if where := _lone_surrogate(item, f"{path}.{below}" if path else below):
                return where
    if isinstance(value, list):
        for number, item in enumerate(value):
            if where := _lone_surrogate(item, f"{path}[{number}]"):
                return where
    return None


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _echoed(given: object) -> Id:
    """The id to answer with; None if it is none, or too long to be repeated."""
    if isinstance(given, bool) or not isinstance(given, int | float | str) or given in (inf, -inf):
        return None
    return given if len(str(given)) <= MAX_ID_CHARACTERS else None


def _decoded_id(value: bytes) -> Id:
    try:
        return _echoed(json.loads(value.decode(errors="replace")))
    except ValueError:
        return None


def _kind(value: object) -> str:
    """Returns the name that JSON has for the kind of a value."""
    names = {dict: "an object", list: "an array", str: "a string", bool: "true or false", float: "a fraction"}
    return "null" if value is None else names.get(type(value), "a number")
