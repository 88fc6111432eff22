"""The `wherefrom` command."""

from __future__ import annotations

import sys

from wherefrom import interfaces
from wherefrom.lazy import metadata


def main() -> None:
    """Run the command line. Each kind of command imports only what it needs: clients wait for the MCP server
    and for hooks.
    """
    match sys.argv[1:]:
        case ["--version"]:
            sys.stdout.write(f"{metadata.version('wherefrom')}\n")
        case ["mcp", *options]:
            interfaces.server.serve(options)
        case ["serve", *options]:
            interfaces.serving.serve(options)
        case ["hook", *options]:
            interfaces.hooks.run(options)
        case _:
            interfaces.app.run_command_line()


if __name__ == "__main__":
    main()
