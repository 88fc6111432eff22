"""How people and agents reach the verbs: tools, commands, and what both share. No logic.

These names are imported when they are first used: a command does not wait for the MCP SDK, a server not for answers.
"""

from __future__ import annotations

from wherefrom.lazy import exported

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wherefrom.interfaces.answering import answer_of as answer_of
    from wherefrom.interfaces.answering import value_of as value_of
    from wherefrom.interfaces.cli.app import run_command_line as run_command_line
    from wherefrom.interfaces.cli.commands import command_of as command_of
    from wherefrom.interfaces.cli.demo import run_demo as run_demo
    from wherefrom.interfaces.cli.render import lines_of as lines_of
    from wherefrom.interfaces.cli.special import run_move as run_move
    from wherefrom.interfaces.inputs import Input as Input
    from wherefrom.interfaces.inputs import input_of as input_of
    from wherefrom.interfaces.mcp.server import serve as serve
    from wherefrom.interfaces.mcp.tools import answer_call as answer_call
    from wherefrom.interfaces.mcp.tools import listed as listed
    from wherefrom.interfaces.shape import Answer as Answer

__getattr__ = exported(
    globals(),
    {
        "answering": "answer_of value_of",
        "cli.app": "run_command_line",
        "cli.commands": "command_of",
        "cli.demo": "run_demo",
        "cli.special": "run_move",
        "cli.render": "lines_of",
        "inputs": "Input input_of",
        "mcp.server": "serve",
        "mcp.tools": "answer_call listed",
        "shape": "Answer",
    },
)
