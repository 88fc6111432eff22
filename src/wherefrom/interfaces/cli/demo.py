"""`wherefrom demo`: a small, real example, walked through step by step."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from rich.console import Console, RenderableType
from rich.rule import Rule

from wherefrom.api import Memory
from wherefrom.interfaces.cli import render, render_explore, render_insight, render_metabolism
from wherefrom.interfaces.cli.cells import count, shown
from wherefrom.interfaces.cli.session import output, reported
from wherefrom.model.errors import InvalidInput, NotFound
from wherefrom.model.evidence import NewClaim, NewEvidence, NewFragment, NewPage


@cache
def _example() -> Any:
    """What the example holds. Of its copies the second says the same as the first, and the third does not."""
    return json.loads(files("wherefrom.interfaces.cli").joinpath("demo.json").read_text(encoding="utf-8"))


def run(keep: str | None) -> None:
    """Store the example in a fresh file and show what can be done with it."""
    with reported(as_json=False):
        path = _fresh(keep)
        console = output()
        with Memory.open(path, owner="local", root="main") as memory:
            _walk_through(memory, console)
        console.print(Rule(style="dim"))
        console.print(f"The example is in {path}", soft_wrap=True)
        console.print(f"  look around:  {_program()} list --db {path}", soft_wrap=True)
        console.print("Give your agent a memory of its own:", soft_wrap=True)
        console.print(f"  claude mcp add wherefrom -- {_program()} mcp", soft_wrap=True)


def _walk_through(memory: Memory, console: Console) -> None:
    def step(title: str) -> None:
        console.print(Rule(title, align="left", style="dim"))

    step("1. Save memos, in any language")
    ids = {}
    for memo in _example()["memos"]:
        saved = memory.save(memo["text"], title=memo["title"], metadata=memo["metadata"], namespace=memo["namespace"])
        ids[memo["key"]] = saved.node.id
        console.print(shown(f"  {saved.status}  {memo['title']}"))

    step("2. The same text again is not stored twice")
    known = _example()["memos"][1]
    again = memory.save(known["text"], namespace=known["namespace"])
    console.print(f"  {again.status}: it is still {again.node.id}")

    step("3. Link them: a tag, a weight and a reason")
    for source, target, tag, weight, reason in _example()["relations"]:
        memory.relate(ids[source], ids[target], tag=tag, weight=weight, reason=reason)
    console.print(render.relation_table(memory.relations()))

    step("4. Follow a thought: what is within two steps of the decision?")
    console.print(render.relation_table(memory.walk(ids["choice"], depth=2, direction="both")))

    step("5. Find it again, by words or by meaning, in any language")
    for question in ("Do readers block the writer?", "several people sharing one database", "チーム 共有"):
        console.print(shown(f"  {question}"))
        console.print(render.hit_table(memory.search(question, limit=2)))

    step("6. Recall what matters now, with the reasons; a judgement counts next time")
    memory.save("Ask Kenji (kenji@example.org) before a migration.", claim_kind="policy_hint", scope="project")
    context = memory.activate("We want to move the memory to a server. What should I know?", limit=3)
    _print(console, render.context_lines(context))
    judged = memory.feedback(context.items[0].node.id, "helpful", active_context_id=context.id)
    console.print(f"  {render.judged_line(judged)}")

    step("7. Secrets are refused, addresses are taken out")
    _print(console, render.guarded_lines(memory.validate_boundary("Ask Kenji (kenji@example.org).")))

    step("8. Namespaces keep topics apart")
    memory.rename_namespace("project", "projects/wherefrom")
    console.print(render.namespace_table(memory.namespaces()))

    step("9. Change one: the version rises, the rest stays")
    changed = memory.save("Mika writes Python in Zed and wants four-space indents.", memo_id=ids["editor"])
    console.print(render.memo_panel(changed.node))

    step("10. Delete one: its links go with it, and mistakes are explained")
    console.print(f"  deleted with {memory.delete(ids['network']).edges_deleted} relations")
    try:
        memory.relate(ids["network"], ids["choice"], tag="supports", weight=0.5)
    except NotFound as error:
        console.print(shown(f"  {error.code}: {error}"))

    for engine in (_explore, _link, _let_go):
        engine(memory, console, step)
    step("15. Check that all is whole")
    console.print(render.health_table(memory.doctor()))


def _explore(memory: Memory, console: Console, step: Callable[[str], None]) -> None:
    step("11. Evidence: a source, its words, a claim, and what they say about it")
    task = memory.create_task("Does WAL let readers go on while a writer writes?")
    for url, year, text, relation in _example()["evidence"]:
        memory.add_evidence(
            NewPage(url, year=year),
            fragments=[NewFragment(text)],
            claims=[
                NewClaim(_example()["claim"], evidence=[NewEvidence(relation, fragment=0, confidence=0.9, quote=text)])
            ],
            task_id=task.id,
        )
    _print(console, render_explore.task_lines(memory.update_task(task.id, status="completed")))

    step("12. Explore it: analyses that are ready, and SQL that can only read")
    for sql in (
        "select claim_text, support_count, refute_count, bayesian_confidence from v_claim_evidence_summary",
        "delete from claims",
    ):
        console.print(shown(f"  {sql}"))
        _print(console, render_explore.result_lines(memory.query_graph(sql)))


def _link(memory: Memory, console: Console, step: Callable[[str], None]) -> None:
    step("13. Find the few links that are worth it, and why; make them")
    _print(console, render_insight.plan_lines(memory.find_insight(apply=True), rejected=False))


def _let_go(memory: Memory, console: Console, step: Callable[[str], None]) -> None:
    step("14. Let go of what another memo says as well; for 30 days it can come back")
    for text in _example()["copies"]:
        memory.save(text, namespace="inbox")
    # Without protection: what is younger than three days stays otherwise.
    _print(console, render_metabolism.plan_lines(memory.metabolize("inbox", protection_hours=0)))
    run = memory.metabolize("inbox", protection_hours=0, apply=True)
    console.print(f"  let go: {count(run.nodes_removed, 'node')}, by run {run.run_id}")
    _print(console, render_metabolism.restored_lines(memory.restore(run_id=run.run_id)))


def _print(console: Console, parts: Iterable[RenderableType]) -> None:
    for part in parts:
        console.print(part)


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
