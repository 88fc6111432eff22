"""How people and agents reach the verbs: tools, commands, and what both share. No logic.

These modules are imported when they are first used: a command does not wait for the MCP SDK, a server not for answers.
"""

from __future__ import annotations

from wherefrom.lazy import lazy_modules

answering, example, inputs, opening = lazy_modules("wherefrom.interfaces", "answering", "example", "inputs", "opening")
app, commands, completion, configuration = lazy_modules(
    "wherefrom.interfaces.cli", "app", "commands", "completion", "configuration"
)
client, codec = lazy_modules("wherefrom.interfaces.http", "client", "codec")
hooks, setup = lazy_modules("wherefrom.interfaces.clients", "hooks", "setup")
demo, moving, render, special = lazy_modules("wherefrom.interfaces.cli", "demo", "moving", "render", "special")
apps, prompts, resources, server, tools = lazy_modules(
    "wherefrom.interfaces.mcp", "apps", "prompts", "resources", "server", "tools"
)
serving, traces = lazy_modules("wherefrom.interfaces.http", "serve", "traces")
