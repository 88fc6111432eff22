"""Calls of verbs and tools of a service, as raw requests whose whole response a test can look at."""

from __future__ import annotations

import io
import json

import httpx2

from wherefrom.interfaces.http import codec

ERAS = ("legacy", "2026-07-28")
# One for all: each makes a context for TLS, which takes longer than a call.
CLIENT = httpx2.Client(trust_env=False, timeout=60)


def bearer(key):
    """The header that shows a key or token."""
    return {"Authorization": f"Bearer {key}"} if key is not None else {}


def call(base, method, arguments=None, *, key=None):
    """The response to a verb, whose arguments have their names in Python; those of `import_` are its lines, and the
    source of `add_document` is its body.
    """
    headers = {**bearer(key), "Content-Type": "application/json"}
    if method == "import_":
        return CLIENT.post(f"{base}/api/import", content=arguments or b"", headers=headers)
    if method == "add_document":
        query = {"name": "notes.md"} | {name: given for name, given in (arguments or {}).items() if name != "source"}
        content = (arguments or {}).get("source", b"# Notes")
        return CLIENT.post(f"{base}/api/add_document", params=query, content=content, headers=headers)
    body = codec.dump_arguments(method, arguments or {})
    return CLIENT.post(f"{base}/api/{method}", content=body, headers=headers)


def ask(base, method, params=None, *, key=None, era="legacy", sets="all"):
    """The response to a request of MCP, in an era of the protocol."""
    params = dict(params or {})
    headers = {**bearer(key), "Accept": "application/json, text/event-stream"}
    if era != "legacy":
        headers |= {"Mcp-Protocol-Version": era, "Mcp-Method": method}
        headers |= {"Mcp-Name": params["name"]} if "name" in params else {}
        headers |= {"Mcp-Name": params["uri"]} if "uri" in params else {}
        about = {"protocolVersion": era, "clientInfo": {"name": "test", "version": "1"}, "clientCapabilities": {}}
        params["_meta"] = {f"io.modelcontextprotocol/{name}": value for name, value in about.items()}
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return CLIENT.post(f"{base}/mcp?tools={sets}", json=message, headers=headers)


def call_tool(base, tool, arguments, *, key=None, era="legacy"):
    """The response to a call of a tool."""
    return ask(base, "tools/call", {"name": tool, "arguments": arguments}, key=key, era=era)


def code_of(response):
    """The code of the error that a verb or tool answered with; None if it answered with a result."""
    said = response.json() if response.headers["content-type"].startswith("application/json") else {}
    if "jsonrpc" not in said:
        return said["error"]["code"] if response.status_code >= 400 else None
    if "error" in said:
        return (said["error"].get("data") or {}).get("code", said["error"]["code"])
    result = said["result"]
    if not result.get("isError"):
        return None
    return json.loads(result["content"][0]["text"])["error"]["code"]


def exported(memory):
    """All that a memory holds, as lines, without the first, which has the time."""
    text = io.StringIO()
    memory.export(text)
    return text.getvalue().splitlines()[1:]
