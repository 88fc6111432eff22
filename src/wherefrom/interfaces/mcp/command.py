"""`wherefrom mcp`: read the options, serve on stdio. Kept apart from the other commands so that it starts fast."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence

from wherefrom.api import Memory, access_of, dialect_of
from wherefrom.interfaces.mcp.server import serve_stdio
from wherefrom.model.errors import WherefromError


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    options = argparse.ArgumentParser(
        prog="wherefrom mcp",
        description="Serve the memory to an MCP client over stdin and stdout, until the input ends.",
    )
    options.add_argument("--db", metavar="URL", help="path, sqlite:///… or postgresql://… (WHEREFROM_DB)")
    options.add_argument("--owner", help="whose memory it is (WHEREFROM_OWNER)")
    options.add_argument("--root", help="namespace that this access may not leave (WHEREFROM_ROOT)")
    options.add_argument("--also", action="append", metavar="NAMESPACE", help="further one to read (WHEREFROM_ALSO)")
    options.add_argument("--namespace", help="default namespace inside the root (WHEREFROM_NAMESPACE)")
    options.add_argument("--allow", action="append", metavar="TAG", help="tag that this access holds (WHEREFROM_ALLOW)")
    return options


def main(arguments: Sequence[str]) -> int:
    """Serve until the client hangs up, which ends the process; returns only if the options are wrong."""
    given = parser().parse_args(arguments)
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    access = {name: getattr(given, name) for name in ("owner", "root", "also", "namespace", "allow")}
    try:
        access_of(**access)
    except WherefromError as error:
        sys.stderr.write(f"{error.code}: {error}\n")
        return 2
    return serve_stdio(
        lambda: Memory.open(given.db, **access),
        dialect=dialect_of(given.db),
    )
