"""The commands that work on a memory."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from wherefrom.interfaces import answers, search_answers
from wherefrom.interfaces.cli import render, render_insight
from wherefrom.interfaces.cli.session import UNHEALTHY, Session, command
from wherefrom.model.errors import InvalidInput, StoreUnavailable
from wherefrom.model.graph import NodeKind
from wherefrom.model.results import Direction, Target

app = typer.Typer(
    name="wherefrom",
    help="A memory for AI agents that can say where every statement comes from.",
    no_args_is_help=True,
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

MemoId = Annotated[str, typer.Argument(metavar="MEMO_ID")]
Namespace = Annotated[str | None, typer.Option("--namespace", "-n", help="Namespace path; omit for the default.")]
Tag = Annotated[str, typer.Option("--tag", "-t", help="Kind of link, e.g. supports, conflicts, explains.")]
Cursor = Annotated[str | None, typer.Option("--cursor", help="next_cursor of the page before.")]


@command(app, "save")
def save(
    session: Session,
    content: Annotated[str, typer.Argument(help="The text; - reads it from standard input.")],
    title: Annotated[str | None, typer.Option("--title", help="A short name; omit to keep the old one.")] = None,
    metadata: Annotated[str | None, typer.Option("--metadata", metavar="JSON", help="Object to merge in.")] = None,
    namespace: Namespace = None,
    memo_id: Annotated[str | None, typer.Option("--id", help="The memo to change.")] = None,
    claim: Annotated[str | None, typer.Option("--claim", help="A claim: fact, preference, task, policy_hint.")] = None,
    scope: Annotated[str | None, typer.Option("--scope", help="session (7 d), project (120 d), principle.")] = None,
    boundary_class: Annotated[str | None, typer.Option("--class", help="public, internal or pii.")] = None,
    confidence: Annotated[float | None, typer.Option("--confidence", help="How sure, 0 to 1.")] = None,
    entity: Annotated[list[str] | None, typer.Option("--entity", help="What it is about; may be repeated.")] = None,
    provenance: Annotated[str | None, typer.Option("--provenance", metavar="JSON", help="Where it is from.")] = None,
    pinned: Annotated[bool | None, typer.Option("--pin/--unpin", help="Never let it go by itself.")] = None,
    link: Annotated[bool, typer.Option("--link", help="Also link it to what it belongs with.")] = False,
) -> None:
    """Save a memo or a claim, or change one with --id."""
    text = sys.stdin.buffer.read().decode(errors="surrogateescape") if content == "-" else content
    words: dict[str, Any] = {"claim_kind": claim, "scope": scope, "boundary_class": boundary_class}
    saved = session.memory.save(
        text,
        title=title,
        metadata=json_object(metadata),
        namespace=namespace,
        memo_id=memo_id,
        confidence=confidence,
        entities=entity or [],
        provenance=json_object(provenance, option="--provenance"),
        pinned=pinned,
        link=link,
        **words,
    )
    note = " (this text was already there)" if saved.status == "duplicate" else ""
    session.show(
        answers.SavedMemo.of(saved, session.memory.root_namespace),
        render.shown(f"{saved.status} {saved.node.id} in {saved.node.namespace}{note}"),
        *([render.shown(saved.note)] if saved.note else ()),
        *(render_insight.saved_lines(saved) if link else ()),
    )


@command(app, "get")
def get(session: Session, memo_id: MemoId) -> None:
    """Show one memo in full."""
    node = session.memory.get(memo_id)
    session.show(answers.Memo.of(node), render.memo_panel(node))


@command(app, "search")
def search(
    session: Session,
    query: Annotated[str | None, typer.Argument(help="A question or some words, in any language.")] = None,
    like: Annotated[str | None, typer.Option("--like", metavar="MEMO_ID", help="Find memos like this one.")] = None,
    metadata: Annotated[str | None, typer.Option("--metadata", metavar="JSON", help="Values a memo must have.")] = None,
    namespace: Namespace = None,
    limit: Annotated[int | None, typer.Option("--limit", help="How many, at most 50; omit: as scores suggest.")] = None,
    scope: Annotated[list[str] | None, typer.Option("--scope", help="Only this scope; may be repeated.")] = None,
    rank: Annotated[str, typer.Option("--rank", help="relevance; or final: useful, sure, fresh.")] = "relevance",
    graph: Annotated[bool, typer.Option("--graph", help="Follow relations and mentions, too.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Show how each score came about.")] = False,
) -> None:
    """Find the memos that fit best, by words and by meaning."""
    words: dict[str, Any] = {"scope": scope or [], "rank": rank}
    found = session.memory.search(
        query, like=like, metadata=json_object(metadata), namespace=namespace, limit=limit, graph=graph, **words
    )
    answer = search_answers.SearchResult.of(found, session.memory.root_namespace, explain=explain)
    session.show(answer, render.hit_table(found, explain=explain), *(f"degraded: {why}" for why in found.degraded))


@command(app, "similar")
def similar(
    session: Session,
    query: Annotated[str, typer.Argument(help="What it should be about.")],
    target: Annotated[str, typer.Option("--target", help="claims, fragments or memos.")] = "claims",
    task: Annotated[str | None, typer.Option("--task", metavar="TASK_ID", help="Only what belongs to it.")] = None,
    top_k: Annotated[int, typer.Option("--top-k", help="How many, at most 50.")] = 10,
    min_similarity: Annotated[float, typer.Option("--min-similarity", help="Cosine similarity, 0 to 1.")] = 0.5,
    namespace: Namespace = None,
) -> None:
    """Find what is near in meaning, by vectors alone."""
    what: Target = target  # type: ignore[assignment]  # vector_search refuses other words
    found = session.memory.vector_search(
        query, target=what, task_id=task, top_k=top_k, min_similarity=min_similarity, namespace=namespace
    )
    session.show(search_answers.VectorSearchResult.of(found), *render.similar_table(found))


@command(app, "list")
def list_memos(
    session: Session,
    namespace: Namespace = None,
    kind: Annotated[str, typer.Option("--kind", help="memo, claim or entity.")] = "memo",
    limit: Annotated[int, typer.Option("--limit", help="How many, at most 100.")] = 20,
    cursor: Cursor = None,
) -> None:
    """List memos, newest first, namespaces below included."""
    what: NodeKind = kind  # type: ignore[assignment]  # list refuses other words
    page = session.memory.list(namespace=namespace, kind=what, limit=limit, cursor=cursor)
    items = [answers.Memo.of(node) for node in page.nodes]
    answer = answers.MemoList(root_namespace=session.memory.root_namespace, items=items, next_cursor=page.next_cursor)
    session.show(answer, render.memo_table(page), *_more(page.next_cursor))


@command(app, "delete")
def delete(session: Session, memo_id: MemoId) -> None:
    """Delete a memo for good, with its relations."""
    deleted = session.memory.delete(memo_id)
    session.show(
        answers.DeletedMemo.of(deleted, session.memory.root_namespace),
        f"deleted {deleted.node.id} and {render.count(deleted.edges_deleted, 'relation')}",
    )


@command(app, "relate")
def relate(
    session: Session,
    source: Annotated[str, typer.Argument(metavar="SOURCE_ID")],
    target: Annotated[str, typer.Argument(metavar="TARGET_ID")],
    tag: Tag,
    weight: Annotated[float, typer.Option("--weight", "-w", help="How strong, 0 to 1.")],
    reason: Annotated[str | None, typer.Option("--reason", "-r", help="Why, in one sentence.")] = None,
) -> None:
    """Link two memos, or update that link."""
    related = session.memory.relate(source, target, tag=tag, weight=weight, reason=reason)
    answer = answers.SavedRelation.of(related, session.memory.root_namespace)
    session.show(answer, related.status, render.relation_line(related.edge))


@command(app, "unrelate")
def unrelate(
    session: Session,
    source: Annotated[str, typer.Argument(metavar="SOURCE_ID")],
    target: Annotated[str, typer.Argument(metavar="TARGET_ID")],
    tag: Tag,
) -> None:
    """Delete one link; the memos stay."""
    edge = session.memory.unrelate(source, target, tag=tag)
    answer = answers.DeletedRelation(root_namespace=session.memory.root_namespace, relation=answers.Relation.of(edge))
    session.show(answer, "deleted", render.relation_line(edge))


@command(app, "relations")
def relations(
    session: Session,
    source: Annotated[str | None, typer.Option("--source", metavar="MEMO_ID", help="Links from this memo.")] = None,
    target: Annotated[str | None, typer.Option("--target", metavar="MEMO_ID", help="Links to this memo.")] = None,
    tag: Annotated[str | None, typer.Option("--tag", "-t", help="Links with this tag.")] = None,
    since: Annotated[str | None, typer.Option("--since", metavar="TIME", help="Created or changed since.")] = None,
    namespace: Namespace = None,
    limit: Annotated[int, typer.Option("--limit", help="How many, at most 500.")] = 100,
    cursor: Cursor = None,
) -> None:
    """List links, newest first."""
    found = session.memory.relations(
        source_id=source, target_id=target, tag=tag, since=since, namespace=namespace, limit=limit, cursor=cursor
    )
    session.show(answers.RelationList.of(found), render.relation_table(found), *_more(found.next_cursor))


@command(app, "walk")
def walk(
    session: Session,
    memo_id: MemoId,
    depth: Annotated[int, typer.Option("--depth", help="How many steps, 1 to 10.")] = 3,
    direction: Annotated[str, typer.Option("--direction", help="forward, backward or both.")] = "both",
    tag: Annotated[str | None, typer.Option("--tag", "-t", help="Follow only links with this tag.")] = None,
    limit: Annotated[int, typer.Option("--limit", help="How many links, at most 1000.")] = 200,
    cursor: Cursor = None,
) -> None:
    """Walk the graph from a memo, nearest and strongest links first."""
    way: Direction = direction  # type: ignore[assignment]  # walk refuses other words
    found = session.memory.walk(memo_id, depth=depth, direction=way, tag=tag, limit=limit, cursor=cursor)
    session.show(answers.RelationList.of(found), render.relation_table(found), *_more(found.next_cursor))


@command(app, "namespaces")
def namespaces(
    session: Session,
    namespace: Annotated[str | None, typer.Argument(help="Where to start; omit for the root.")] = None,
    depth: Annotated[int, typer.Option("--depth", help="How many levels, 1 to 10.")] = 5,
    limit: Annotated[int, typer.Option("--limit", help="How many, at most 500.")] = 100,
    cursor: Cursor = None,
) -> None:
    """List namespaces with the number of nodes in and below each."""
    found = session.memory.namespaces(namespace, depth=depth, limit=limit, cursor=cursor)
    session.show(answers.NamespaceList.of(found), render.namespace_table(found), *_more(found.next_cursor))


@command(app, "rename")
def rename(session: Session, source: str, target: str) -> None:
    """Move a namespace and everything below it."""
    renamed = session.memory.rename_namespace(source, target)
    moved = f"{render.count(renamed.nodes, 'node')}, {render.count(renamed.edges, 'relation')}"
    session.show(
        answers.RenamedNamespace.of(renamed), render.shown(f"{renamed.source} is now {renamed.target}: {moved}")
    )


@command(app, "export")
def export(
    session: Session,
    file: Annotated[Path, typer.Argument(help="Where to; - writes to standard output.")] = Path("-"),
    shared: Annotated[bool, typer.Option("--shared", help="For others: without personal data.")] = False,
) -> None:
    """Write everything this access may see as JSON lines."""
    if str(file) == "-":
        session.memory.export(sys.stdout, shared=shared)
        return
    try:
        with open(file, "x", encoding="utf-8", opener=private) as stream, session.progress("exporting") as report:
            lines = session.memory.export(stream, shared=shared, progress=report)
    except FileExistsError:
        raise InvalidInput(f"{file} is already there", hint="choose a new name") from None
    except OSError as error:
        raise StoreUnavailable(f"cannot write {file}: {error.strerror}") from None
    session.show({"file": str(file), "lines": lines}, render.shown(f"{render.count(lines, 'line')} written to {file}"))


@command(app, "import")
def import_(
    session: Session,
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
    split: Annotated[bool, typer.Option("--split", help="Store memos that are too long in parts.")] = False,
) -> None:
    """Read an export or a memory.jsonl; lines that cannot be stored are left out and reported. Safe to repeat."""
    source = sys.stdin.buffer if str(file) == "-" else file
    with session.progress("importing") as report:
        imported = session.memory.import_(source, split=split, rejects=rejects, progress=report)
    session.show(imported, render.import_line(imported), *render.rejection_lines(imported, rejects))


@command(app, "backup")
def backup(session: Session, file: Annotated[Path, typer.Argument(help="A new file.")]) -> None:
    """Write a consistent copy while the memory is in use."""
    with session.progress("copying") as report:
        path = session.memory.backup(file, progress=report)
    session.show({"file": str(path), "bytes": path.stat().st_size}, render.shown(f"copied to {path}"))


@command(app, "reindex")
def reindex(session: Session) -> None:
    """Make the full-text index anew."""
    count = session.memory.reindex()
    session.show({"texts": count}, f"{render.count(count, 'text')} indexed")


@command(app, "embed")
def embed(session: Session) -> None:
    """Make the vectors that are missing; can be interrupted and repeated."""
    with session.progress("embedding") as report:
        count = session.memory.embed(progress=report)
    session.show({"vectors": count}, f"{render.count(count, 'vector')} made")


@command(app, "reembed")
def reembed(
    session: Session,
    model: Annotated[str | None, typer.Option("--model", help="The model's name; see the settings.")] = None,
    embedder: Annotated[
        str | None, typer.Option("--embedder", help="static, endpoint or sentence-transformers.")
    ] = None,
) -> None:
    """Make all vectors with another model beside the old ones, and switch when all are there."""
    with (
        session.opened(embedder=embedder, embed_model=model) as memory,
        session.progress("embedding") as report,
    ):
        count = memory.reembed(progress=report)
        name = memory.info().embedder
    session.show(
        {"vectors": count, "model": name},
        f"{render.count(count, 'vector')} made; the store is searched with {name} now",
    )


@command(app, "info")
def info(session: Session) -> None:
    """Say where the memory is and what it holds."""
    found = session.memory.info()
    session.show(found, render.info_table(found))


@command(app, "doctor")
def doctor(session: Session) -> None:
    """Check that the memory is whole; exit code 1 if it is not."""
    health = session.memory.doctor()
    session.show(health, render.info_table(health.info), "", render.health_table(health))
    if not health.ok:
        raise typer.Exit(UNHEALTHY)


def json_object(text: str | None, *, option: str = "--metadata") -> dict[str, object] | None:
    """An option that holds a JSON object."""
    if text is None:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidInput(f"{option} is not JSON", hint='for example \'{"source": "meeting"}\'') from None
    if not isinstance(value, dict):
        raise InvalidInput(f"{option} must be a JSON object")
    return value


def private(path: str, flags: int) -> int:
    """Memories are private, and so is a file of them."""
    return os.open(path, flags, 0o600)


def _more(cursor: str | None) -> list[str]:
    return [f"more: --cursor {cursor}"] if cursor else []
