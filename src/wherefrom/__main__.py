"""The `wherefrom` command."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line. The MCP server skips the imports of the other commands: clients wait for it."""
    if sys.argv[1:2] == ["mcp"]:
        from wherefrom.interfaces.mcp.command import main as serve

        sys.exit(serve(sys.argv[2:]))
    from wherefrom.interfaces.cli.app import main as run

    run()


if __name__ == "__main__":
    main()
