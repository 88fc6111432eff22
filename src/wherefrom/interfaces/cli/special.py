"""Commands that do more than their verb: they read files and standard input, write files, show progress, or draw."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import IO, Annotated, Any, Final, Literal, NoReturn

import typer

from wherefrom import interfaces
from wherefrom.api import Memory
from wherefrom.evidence.input import NewClaim, NewEvidence, NewFragment, NewPage
from wherefrom.interfaces.cli import following, last_list, pair_by_pair, render_history
from wherefrom.interfaces.cli.cells import count, first_line, shown
from wherefrom.interfaces.cli.session import UNHEALTHY, Call, output, print_json, print_parts
from wherefrom.model.errors import InvalidInput, StoreUnavailable
from wherefrom.model.identifiers import short_id
from wherefrom.text.check import json_text

_INTERRUPTED: Final = 130
_STOPPED: Final = "stopped: what went until now can be restored"
_AGAIN: Final = "the same command again completes it"
_IMPORT_STOPPED: Final = "stopped: what was stored until now is whole"
_IMPORT_AGAIN: Final = "the same command again goes on"
_REFUSED: Final = 2
_NAME_CHARACTERS: Final = 72


def save(call: Call) -> None:
    """Save a memo or a claim, or change one with --id. The text - reads standard input."""
    if call.given["content"] == "-":
        call.given["content"] = sys.stdin.buffer.read().decode(errors="surrogateescape")
    call.show(call.run())


def delete(
    call: Call,
    yes: Annotated[
        bool,
        typer.Option("--yes", "-y", help="Delete without asking. Where there is no terminal, it never asks."),
    ] = False,
) -> None:
    """Delete a memo for good; its relations go with it. On a terminal it is shown first, and asked about."""
    if not (yes or call.as_json) and sys.stdin.isatty() and sys.stdout.isatty():
        would = call.memory.delete(call.given["memo_id"], dry_run=True)
        node, relations = would.node, count(would.edges_deleted, "relation")
        call.say(None, shown(f"{node.kind} {short_id(node.id)} in {node.namespace}, with {relations}:"))
        call.say(None, first_line(node.title or node.content, width=_NAME_CHARACTERS))
        if not typer.confirm("Delete it for good?"):
            call.say(None, "nothing was deleted")
            raise typer.Exit(UNHEALTHY)
        call.given["memo_id"] = node.id  # what was shown, whatever has this title by now
    call.show(call.run())


def evidence_add(
    call: Call,
    claim: Annotated[
        str | None, typer.Option("--claim", metavar="TEXT", help="The statement, or give --claim-id.")
    ] = None,
    claim_id: Annotated[str | None, typer.Option("--claim-id", metavar="CLAIM_ID", help="A stored claim.")] = None,
    fragment: Annotated[
        str | None, typer.Option("--fragment", metavar="FRAGMENT_ID", help="A stored fragment that speaks about it.")
    ] = None,
    page: Annotated[
        str | None,
        typer.Option("--page", metavar="URL", help="Or the source of --quote, which becomes a fragment of it."),
    ] = None,
    title: Annotated[str | None, typer.Option("--title", metavar="TEXT", help="The title of the --page.")] = None,
    year: Annotated[int | None, typer.Option("--year", metavar="YEAR", help="When the --page was published.")] = None,
    quote: Annotated[
        str | None,
        typer.Option("--quote", metavar="TEXT", help="The words that say so; they must stand in the fragment."),
    ] = None,
    supports: Annotated[bool, typer.Option("--supports", help="It speaks for the claim.")] = False,
    refutes: Annotated[bool, typer.Option("--refutes", help="It speaks against the claim.")] = False,
    neutral: Annotated[
        bool, typer.Option("--neutral", help="It is about the claim, and speaks for neither side.")
    ] = False,
    confidence: Annotated[
        float, typer.Option("--confidence", metavar="NUMBER", help="How sure you are of that, 0 to 1.")
    ] = 1.0,
    reason: Annotated[str | None, typer.Option("--reason", metavar="TEXT", help="Why, in one plain sentence.")] = None,
) -> None:
    """Put a claim into a task, with what a fragment says about it, and say how the claim stands then."""
    sides = {"supports": supports, "refutes": refutes, "neutral": neutral}
    said = [relation for relation, given in sides.items() if given]
    if fragment is not None and page is not None:
        raise InvalidInput("--fragment and --page exclude each other", hint="a stored fragment has its page already")
    if page is None and (title is not None or year is not None):
        raise InvalidInput("--title and --year belong to a --page", hint="`wherefrom page set` corrects a stored one")
    if page is not None and quote is None:
        raise InvalidInput("nothing of the page is quoted", hint="copy the words that matter into --quote")
    judges = fragment is not None or page is not None
    if len(said) != judges:
        what = "what it says about the claim" if judges else "who says so"
        hint = "one of --supports, --refutes and --neutral" if judges else "--fragment, or --page with --quote"
        raise InvalidInput(f"it is not clear {what}", hint=f"give {hint}")
    source: int | str | None = 0 if page is not None else fragment
    if isinstance(source, str):
        source = last_list.meant_by(source)
    judgements = [
        NewEvidence(relation, fragment=source, confidence=confidence, quote=quote, reason=reason)  # type: ignore[arg-type]
        for relation in said
    ]
    call.show(
        call.run(
            page=None if page is None else NewPage(page, title, year),
            fragments=() if page is None else [NewFragment(str(quote), type="quote")],
            claims=[NewClaim(claim, claim_id and last_list.meant_by(claim_id), judgements)],
        )
    )


def export(
    call: Call, file: Annotated[Path, typer.Argument(help="Where to; - writes to standard output.")] = Path("-")
) -> None:
    if str(file) == "-":
        call.run(target=sys.stdout)
        return
    with _written(file, "x") as stream:
        lines = call.run(target=stream)
    call.say({"file": str(file), "lines": lines}, f"{count(lines, 'line')} written to {file}")


def import_(
    call: Call,
    file: Annotated[Path, typer.Argument(help="An export, or a reference memory server's memory.jsonl; - for stdin.")],
    rejects: Annotated[
        Path | None,
        typer.Option(
            "--rejects",
            metavar="FILE",
            help="New file for the lines that are left out, each with the reason and with all that it said, secrets "
            "too; mended, it can be imported.",
        ),
    ] = None,
) -> None:
    """Read an export or a memory.jsonl; lines that cannot be stored are left out and reported. Safe to repeat."""
    source = sys.stdin.buffer if str(file) == "-" else file
    try:
        imported = call.run(source=source, rejects=rejects)
    except KeyboardInterrupt:
        _end_stopped(call, _IMPORT_STOPPED, _IMPORT_AGAIN)
    call.given["rejects"] = rejects
    call.show(imported)
    if imported.is_refused:
        raise typer.Exit(_REFUSED)


def reembed(
    call: Call,
    model: Annotated[str | None, typer.Option("--model", help="The model's name; see the settings.")] = None,
    embedder: Annotated[
        str | None, typer.Option("--embedder", help="static, endpoint or sentence-transformers.")
    ] = None,
) -> None:
    """Make all vectors with another model beside the old ones, and switch when all are there."""
    opening = {**call.opening, "embedder": embedder, "embed_model": model}
    with Memory.open(**opening) as memory, call.progress("embedding") as report:
        number = memory.reembed(progress=report)
        name = memory.info().embedder
    made = f"{count(number, 'vector')} made; the store is searched with {name} now"
    call.say({"vectors": number, "model": name}, made)


def add(
    call: Call,
    urls: Annotated[Path | None, typer.Option("--urls", metavar="FILE", help="A file with one URL a line.")] = None,
) -> None:
    """Add documents as evidence: Markdown, HTML, PDF, text; BibTeX, CSL-JSON, JSONL for papers."""
    lines = [] if urls is None else _read(urls).splitlines()
    named = [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
    call.given["sources"] = [*(call.given.get("sources") or []), *named]
    if not call.given["sources"]:
        raise InvalidInput("there is nothing to add", hint="name files, folders or URLs, or give --urls")
    call.show(call.run())


def reject(
    call: Call, restore: Annotated[bool, typer.Option("--restore", help="Adopt a rejected claim again.")] = False
) -> None:
    """Take a claim out of recall and of the analyses, or with --restore back in."""
    call.show((call.of("restore_claim") if restore else call).run())


def sql(call: Call) -> None:
    """Ask the evidence graph in read-only SQL. The statement - is read from standard input."""
    if "sql" not in call.given and not call.given.get("include_schema"):
        raise InvalidInput("there is no statement", hint="give one SELECT, or --schema to see the tables")
    statement = call.given.get("sql", "select this_year from clock")
    call.given["sql"] = sys.stdin.read() if statement == "-" else statement
    call.show(call.run())


def view(call: Call, show_sql: Annotated[bool, typer.Option("--sql", help="Print its SQL instead.")] = False) -> None:
    """Run one of the analyses, or without a name list them."""
    if show_sql and "name" in call.given:
        call.given.pop("limit", None)
        call = call.of("render_view")
    call.show(call.run())


def insight(call: Call) -> None:
    """Find relations worth making, of a memo, a question or everything new; make them, or take them back."""
    call.show(call.run())


def metabolize(call: Call) -> None:
    """Show what has become redundant; with --apply let it go, with receipts to restore it from. What is not given is as
    the policy of each namespace says.
    """
    try:
        with _terminable():
            result = call.run()
    except KeyboardInterrupt:
        if not call.given.get("apply"):
            raise
        _end_stopped(call, _STOPPED, _AGAIN)
    call.show(result)


def _end_stopped(call: Call, said: str, hint: str) -> NoReturn:
    """End a command that was interrupted, and say what it leaves and how to go on."""
    if call.as_json:
        print_json({"error": {"code": "interrupted", "message": said, "hint": hint}}, sys.stderr)
    else:
        sys.stderr.write(f"{said}; {hint}\n")
    raise typer.Exit(_INTERRUPTED) from None


def forget(
    call: Call,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Forget it without asking. Where there is no terminal, it never asks.")
    ] = False,
) -> None:
    """Show what is known of a thing; on a terminal, ask then whether to forget it. Elsewhere --yes forgets it, or
    --plan with the plan that was shown. It can be restored for 30 days, unless it is --for-good.
    """
    if "plan" in call.given:
        call.show(call.run(apply=True))
        return
    would = call.run()
    asks = not (yes or call.as_json) and bool(would.nodes) and sys.stdin.isatty() and sys.stdout.isatty()
    if asks:
        call.say(None, *interfaces.render.render_plans.to_forget_lines(would))
        if not typer.confirm(_erase_question(call) if would.for_good else "Forget these?"):
            raise typer.Exit(UNHEALTHY)
    if not (yes or asks):
        call.show(would)
        return
    call.given["plan"] = would.plan
    call.show(call.run(apply=True))


def _erase_question(call: Call) -> str:
    if not call.given.get("vacuum", True):
        return "Erase these for good? Nothing brings them back."
    locks = " and locks its tables" if call.memory.info().database == "postgres" else ""
    return f"Erase these for good? Nothing brings them back. It rewrites the database{locks}, which may take long."


def policy(
    call: Call,
    file: Annotated[Path | None, typer.Argument(help="A policy in YAML to apply; omit to read it.")] = None,
    history: Annotated[bool, typer.Option("--history", help="List all versions instead.")] = False,
) -> None:
    """Show the policy of a namespace, or apply one."""
    if file is not None:
        call.show(call.run(yaml=_read(file)))
        return
    known = call.memory.policy(call.given.get("namespace"))
    call.show(known if history else known[0])


def calibrate(
    call: Call,
    file: Annotated[Path, typer.Argument(help='JSON lines: {"query": "…", "relevant": ["memo_id", …]}.')],
) -> None:
    """Fit the scales of words and meaning to judged questions, as the next version of the policy."""
    call.show(call.run(judged=_judged(file)))


def history(
    call: Call,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Go on and print what happens as it comes; Ctrl-C ends it.")
    ] = False,
) -> None:
    """Say what happened, newest first; with an id what happened to that node, run, plan or task, and what it is now."""
    if not follow:
        call.show(call.run())
        return
    if barred := [name for name in ("until", "cursor") if name in call.given]:
        raise InvalidInput(f"--follow and --{barred[0]} exclude each other", hint="give --since to begin earlier")
    since, limit = call.given.pop("since", None), call.given.pop("limit", 20)
    console, root = output(), call.memory.root_namespace
    for entries in following.followed(call.run, time.sleep, since=since, limit=limit):
        for entry in entries:
            if call.as_json:
                sys.stdout.write(json_text(interfaces.answering.value_of(entry, root)) + "\n")
            else:
                print_parts(console, [render_history.entry_line(entry, root)])
        sys.stdout.flush()


def review(call: Call) -> None:
    """Go through what contradicts: on a terminal pair by pair, with a key for each decision; elsewhere as a list."""
    if call.as_json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        call.show(call.run())
    else:
        pair_by_pair.go_through(call.run, call.given, call.memory)


def upkeep(
    call: Call,
    action: Annotated[
        Literal["run", "undo"] | None,
        typer.Argument(help="run: look now; undo: take back a run.", metavar="[run|undo]"),
    ] = None,
    run: Annotated[
        str | None, typer.Argument(help="The run to undo; the last 6 characters do.", metavar="[RUN]")
    ] = None,
    apply: Annotated[
        bool, typer.Option("--apply", help="With run: do what waits, or if nothing waits, what a look finds.")
    ] = False,
) -> None:
    """Show what upkeep has found and waits, when it ran and what it did; or run it now, or undo a run as a whole."""
    if (run is None) != (action != "undo") or (apply and action != "run"):
        raise InvalidInput("it is not clear what to do", hint="upkeep, upkeep run [--apply], or upkeep undo RUN")
    call.given.update({"run": "apply" if apply else "propose"} if action == "run" else {})
    call.given.update({"undo_run_id": run} if action == "undo" else {})
    call.show(call.run())


SPECIALS: Final = {
    function.__name__.removesuffix("_").replace("_", " "): function
    for function in (
        *(save, delete, insight, add, evidence_add, reject, sql, view),
        *(metabolize, forget, export, import_, reembed, policy, calibrate, history, review, upkeep),
    )
}


def _judged(file: Path) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(_read(file).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            raise InvalidInput(f"line {number} of {file} is not JSON") from None
        yield row


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"cannot read {file}: {error}") from None


@contextmanager
def _written(file: Path, mode: str = "w") -> Iterator[IO[str]]:
    """Open a file to write to; with the mode x it must be new."""
    try:
        # Memories are private: only the owner of a new file may read it.
        with open(file, mode, encoding="utf-8", opener=partial(os.open, mode=0o600)) as stream:
            yield stream
    except FileExistsError:
        raise InvalidInput(f"{file} is already there", hint="choose a new name") from None
    except OSError as error:
        raise StoreUnavailable(f"cannot write {file}: {error.strerror}") from None


@contextmanager
def _terminable() -> Iterator[None]:
    """Let a request to end (SIGTERM, as from cron or a service manager) stop the work as Ctrl-C does, once."""

    def stop(number: int, frame: FrameType | None) -> None:
        del frame
        signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
