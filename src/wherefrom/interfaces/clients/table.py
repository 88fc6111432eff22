"""The programs that `wherefrom setup` knows: where their configuration is, and what an entry of ours looks like.

The formats are those of the pages that docs/how-to/mcp-clients.md names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from platformdirs import user_config_path

from wherefrom import config

Scope = Literal["user", "project"]

SERVER: Final = "wherefrom"
# Events of Claude Code, and the hook of ours that each runs.
HOOKS: Final = {
    "SessionStart": "session-start",
    "UserPromptSubmit": "prompt",
    "PreCompact": "compact",
    "Stop": "end",
}


@dataclass(frozen=True, slots=True)
class Client:
    """A program with MCP servers in a configuration file."""

    title: str
    then: str
    """The sentence that says what to do when the file is written."""
    user_file: Callable[[], Path]
    project_file: str | None
    """Its file inside of a project; None if there is none."""
    servers: str
    """The key under which servers stand."""
    says_stdio: bool = True
    """True if an entry says of which type it is."""
    user_hooks: Callable[[], Path] | None = None
    project_hooks: str = ""

    @property
    def is_toml(self) -> bool:
        """True if the file is TOML, False if it is JSON."""
        return self.servers == "mcp_servers"


def _claude_folder() -> Path:
    return config.folder_of_program("CLAUDE_CONFIG_DIR", ".claude")


def _claude_state() -> Path:
    """Return the file with the servers of a user: beside the folder, unless the folder was moved."""
    folder = _claude_folder()
    return (folder.parent if folder == Path.home() / ".claude" else folder) / ".claude.json"


def _settings_folder(program: str) -> Path:
    return user_config_path(program, appauthor=False, roaming=True)


CLIENTS: Final[Mapping[str, Client]] = {
    "claude-code": Client(
        "Claude Code",
        "Start a new session of Claude Code: /mcp lists the server, /hooks the hooks.",
        _claude_state,
        ".mcp.json",
        "mcpServers",
        user_hooks=lambda: _claude_folder() / "settings.json",
        # Not settings.json, which is shared: the commands have paths of this machine.
        project_hooks=".claude/settings.local.json",
    ),
    "claude-desktop": Client(
        "Claude Desktop",
        "Quit Claude Desktop and start it again: it reads this when it starts.",
        lambda: _settings_folder("Claude") / "claude_desktop_config.json",
        None,
        "mcpServers",
        says_stdio=False,
    ),
    "cursor": Client(
        "Cursor",
        "Restart Cursor: its settings list the server among the MCP servers.",
        lambda: Path.home() / ".cursor" / "mcp.json",
        ".cursor/mcp.json",
        "mcpServers",
    ),
    "vscode": Client(
        "VS Code",
        "In VS Code, run the command MCP: List Servers to start the server, and allow it.",
        lambda: _settings_folder("Code") / "User" / "mcp.json",
        ".vscode/mcp.json",
        "servers",
    ),
    "codex": Client(
        "Codex",
        "Start a new session of Codex: /mcp lists the server.",
        lambda: config.folder_of_program("CODEX_HOME", ".codex") / "config.toml",
        ".codex/config.toml",
        "mcp_servers",
        says_stdio=False,
    ),
}
