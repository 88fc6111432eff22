"""How an answer or an error becomes a response."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from wherefrom.model.errors import WherefromError

# By code; what is not here is the caller's mistake.
_STATUS: Final = {
    "unauthorized": 401, "forbidden": 403, "boundary_denied": 403, "not_found": 404, "method_not_allowed": 405,
    "too_slow": 408, "conflict": 409, "gone": 410, "too_large": 413, "misdirected": 421, "overloaded": 429,
    "cancelled": 499, "store_error": 500, "schema_too_new": 500, "internal_error": 500, "embedder_unavailable": 503,
    "issuer_unavailable": 503, "store_busy": 503, "store_unavailable": 503, "timed_out": 504,
}  # fmt: skip
# The seconds after which it makes sense to try again, by code.
RETRY_AFTER: Final = {
    "overloaded": 1,
    "store_busy": 1,
    "store_unavailable": 2,
    "embedder_unavailable": 5,
    "issuer_unavailable": 5,
}
MCP_PATHS: Final = ("/mcp", "/mcp/")
# What MCP calls all of them, in the range that it leaves to servers; the data of its error has the code.
REFUSED: Final = -32010


class Refusal(JSONResponse):
    """An error as JSON. For clients of MCP it is an error of JSON-RPC: what else comes with a status of an error, they
    show as a failure without a reason.
    """

    def __init__(self, error: Mapping[str, Any], headers: Mapping[str, str], more: Mapping[str, Any]) -> None:
        self._error, self._more = error, more
        super().__init__({"error": error, **more}, status_of(error["code"]), headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] in MCP_PATHS:
            data = {**self._error, **self._more}
            if (code := self._error["code"]) in RETRY_AFTER:
                data["retry_after_seconds"] = RETRY_AFTER[code]
            said = {"code": REFUSED, "message": rpc_message(self._error), "data": data}
            self.body = self.render({"jsonrpc": "2.0", "id": None, "error": said})
            self.headers["Content-Length"] = str(len(self.body))
        await super().__call__(scope, receive, send)


def rpc_message(error: Mapping[str, Any]) -> str:
    """Return an error as one line: whoever uses a client of MCP may see no more of it."""
    return f"{error['code']}: {error['message']}" + (f" ({error['hint']})" if error.get("hint") else "")


def status_of(code: str) -> int:
    """Return the status of an error's code."""
    return _STATUS.get(code, 400)


def retrying(code: str) -> dict[str, str]:
    """Return the header that says when to try again, if that makes sense for a code."""
    return {"Retry-After": str(RETRY_AFTER[code])} if code in RETRY_AFTER else {}


def failure(error: WherefromError, headers: Mapping[str, str] | None = None, **more: Any) -> Refusal:
    """Return the response that an error of ours becomes."""
    return refusal(error.code, error.message, error.hint, headers=headers, **more)


def refusal(
    code: str, message: str, hint: str | None = None, *, headers: Mapping[str, str] | None = None, **more: Any
) -> Refusal:
    """Return the response with an error of this code."""
    said = {"code": code, "message": message, **({"hint": hint} if hint else {})}
    return Refusal(said, {**retrying(code), **(headers or {})}, more)
