"""`wherefrom demo`: a small, real example, walked through step by step."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import is_dataclass
from functools import partial
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import Any, Final

import typer
from rich.rule import Rule

from wherefrom import interfaces
from wherefrom.api import Memory
from wherefrom.evidence.input import NewClaim, NewEvidence, NewFragment, NewPage
from wherefrom.interfaces.cli.cells import shown
from wherefrom.interfaces.cli.render import lines_of
from wherefrom.interfaces.cli.session import output, print_parts, reported
from wherefrom.model.errors import InvalidInput, NotFound
from wherefrom.model.identifiers import short_id

# Of its copies the second says the same as the first, and the third does not.
_EXAMPLE: Final = json.loads(files("wherefrom.interfaces.cli").joinpath("demo.json").read_text(encoding="utf-8"))
_step = partial(Rule, align="left", style="dim")


def run_demo(keep: str | None) -> None:
    """Store the example in a fresh file and show what can be done with it."""
    with reported(as_json=False):
        path = _fresh(keep)
        console = output()
        with Memory.open(path, owner="local", root="main") as memory:
            ids: dict[str, str] = {}
            for part in chain(_remember(memory, ids), _recall(memory), _tidy(memory, ids), _explore(memory)):
                print_parts(console, lines_of(part) if is_dataclass(part) else [part])
        print_parts(
            console,
            [
                Rule(style="dim"),
                f"The example is in {path}",
                f"  look around:  {_program()} list --db {path}",
                "Give your agent a memory of its own:",
                f"  {_program()} setup claude-code    (or claude-desktop, cursor, vscode, codex)",
                "Look around in a larger example, in a browser:",
                f"  {'make serve' if _is_in_checkout() else f'{_program()} serve --demo'}",
            ],
        )
    if sys.stdin.isatty() and sys.stdout.isatty() and typer.confirm("Open it now?", default=False):
        interfaces.serving.serve(["--demo", "--open"])


def _remember(memory: Memory, ids: dict[str, str]) -> Iterator[Any]:
    yield _step("1. Save memos, in any language")
    for memo in _EXAMPLE["memos"]:
        saved = memory.save(memo["text"], title=memo["title"], metadata=memo["metadata"], namespace=memo["namespace"])
        ids[memo["key"]] = saved.node.id
        yield shown(f"  {saved.status}  {memo['title']}")

    yield _step("2. The same text again is not stored twice")
    known = _EXAMPLE["memos"][1]
    yield memory.save(known["text"], namespace=known["namespace"])

    yield _step("3. Link them: a tag, a weight and a reason")
    for source, target, tag, weight, reason in _EXAMPLE["relations"]:
        memory.relate(ids[source], ids[target], tag=tag, weight=weight, reason=reason)
    yield memory.relations()

    yield _step("4. Follow a thought: what is within two steps of the decision?")
    yield memory.walk(ids["choice"], depth=2, direction="both")


def _recall(memory: Memory) -> Iterator[Any]:
    yield _step("5. Find it again, by words or by meaning, in any language")
    for question in ("Do readers block the writer?", "several people sharing one database", "チーム 共有"):
        yield shown(f"  {question}")
        yield memory.search(question, limit=2)

    yield _step("6. Recall what matters now, with the reasons; a judgement counts next time")
    memory.save("Ask Kenji (kenji@example.org) before a migration.", claim_kind="policy_hint", scope="project")
    context = memory.activate("We want to move the memory to a server. What should I know?", limit=3)
    yield context
    yield memory.feedback(context.items[0].node.id, "helpful", active_context_id=context.id)

    yield _step("7. Secrets are taken out; addresses are kept, for the owner of the memory alone")
    yield memory.validate_boundary("Ask Kenji (kenji@example.org); the password is Tr0ub4dor&Zebra9.")


def _tidy(memory: Memory, ids: dict[str, str]) -> Iterator[Any]:
    yield _step("8. Namespaces keep topics apart, and can be moved: project becomes projects/wherefrom")
    memory.rename_namespace("project", "projects/wherefrom")
    yield memory.namespaces()

    yield _step("9. Change one: the version rises, the rest stays")
    yield memory.save("Mika writes Python in Zed and wants four-space indents.", memo_id=ids["editor"]).node

    yield _step("10. Delete one: its relations go with it, and mistakes are explained")
    yield memory.delete(ids["network"])
    try:
        memory.relate(ids["network"], ids["choice"], tag="supports", weight=0.5)
    except NotFound as error:
        yield shown(f"{error.code}: {error}")


def _explore(memory: Memory) -> Iterator[Any]:
    yield _step("11. Evidence: a source, its words, a claim, and what they say about it")
    task = memory.create_task("Does WAL let readers go on while a writer writes?")
    for url, year, text, relation in _EXAMPLE["evidence"]:
        memory.add_evidence(
            NewPage(url, year=year),
            fragments=[NewFragment(text)],
            claims=[
                NewClaim(_EXAMPLE["claim"], evidence=[NewEvidence(relation, fragment=0, confidence=0.9, quote=text)])
            ],
            task_id=task.id,
        )
    yield memory.update_task(task.id, status="completed")

    yield _step("12. Explore it: analyses that are ready, and SQL that can only read")
    for sql in (
        "select claim_text, support_count, refute_count, bayesian_confidence from v_claim_evidence_summary",
        "delete from claims",
    ):
        yield shown(f"  {sql}")
        yield memory.query_graph(sql)

    yield _step("13. Find the few relations that are worth it, and why; make them")
    yield memory.find_insight(apply=True)

    yield _step("14. Let go of what another memo says as well; for 30 days it can come back")
    for text in _EXAMPLE["copies"]:
        memory.save(text, namespace="inbox")
    # Without protection: what is younger than three days stays otherwise.
    yield memory.metabolize("inbox", protection_hours=0)
    run = memory.metabolize("inbox", protection_hours=0, apply=True)
    yield f"let go by run {short_id(run.run_id or '')}; brought back:"
    yield memory.restore(run_id=run.run_id)

    yield _step("15. Check that all is whole")
    yield memory.doctor()


def _fresh(keep: str | None) -> Path:
    if keep is None:
        return Path(tempfile.mkdtemp(prefix="wherefrom-demo-")) / "memory.db"
    path = Path(keep).expanduser()
    if path.exists():
        raise InvalidInput(f"{path} is already there", hint="choose a new name")
    return path


def _program() -> str:
    """How to call this program from anywhere."""
    name = Path(sys.argv[0])
    return name.name if shutil.which(name.name) else str(name.absolute())


def _is_in_checkout() -> bool:
    """Return True if this program is run from the folder of its own source, whose Makefile knows how to serve."""
    folder = Path(__file__).parents[4]
    return Path.cwd() == folder and (folder / "Makefile").is_file()
