"""Lists the test functions of a tree of tests, by reading their source: no test is imported or run.

`python tests/net/list_tests.py` writes the list anew; do that only when the net itself is made.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
LIST = Path(__file__).with_name("test_functions.txt")
_MACHINE = "RuleBasedStateMachine"
_ATTRIBUTE = "TestCase"


def names_in(source: str) -> Iterator[str]:
    """The tests that a module defines: functions, methods of test classes, and state machines with their rules.

    A test that is an attribute of a state machine (`TestThing = Machine.TestCase`) counts by its own name.
    """
    for node in ast.parse(source).body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() if node.name.startswith("test"):
                yield node.name
            case ast.ClassDef() if node.name.startswith("Test") or _is_machine(node):
                yield node.name
                for member in node.body:
                    if isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef) and not member.name.startswith("_"):
                        yield f"{node.name}.{member.name}"
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Attribute(attr=attribute)) if (
                attribute == _ATTRIBUTE
            ):
                yield name


def _is_machine(node: ast.ClassDef) -> bool:
    return any(_MACHINE in ast.unparse(base) for base in node.bases)


def listed(folder: Path = TESTS) -> list[str]:
    """The sorted lines of the list, `path::name`, for all test modules below a folder."""
    return sorted(
        f"{path.relative_to(folder.parent).as_posix()}::{name}"
        for path in folder.rglob("test_*.py")
        for name in set(names_in(path.read_text(encoding="utf-8")))
    )


if __name__ == "__main__":
    LIST.write_text("".join(f"{line}\n" for line in listed() if "tests/net/" not in line), encoding="utf-8")
