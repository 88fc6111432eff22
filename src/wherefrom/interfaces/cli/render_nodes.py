"""Memos, claims, fragments and relations as people see them: their text, and where each comes from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import repeat
from typing import Any, Final

from rich.console import RenderableType
from rich.text import Text

from wherefrom.interfaces.cli.cells import count, degraded_lines, judge_of, shown, tidy, when
from wherefrom.interfaces.cli.layout import Entry, Prose
from wherefrom.model import results
from wherefrom.model.evidence import ClaimEvidence
from wherefrom.model.graph import Edge, MeasuredEdge, Node, NodeRef, node_at
from wherefrom.model.identifiers import last_day, short_id
from wherefrom.model.neighbourhood import GraphEdge, PathFound
from wherefrom.model.review import Review, ReviewPair
from wherefrom.model.rules import Rules
from wherefrom.model.sources import source_of
from wherefrom.text.check import json_text

# Of a longer text the beginning is shown: enough to fill the lines of an entry on any terminal.
_MAX_CHARACTERS: Final = 1_200
_LINES_IN_LIST: Final = 2
Lines = Iterable[RenderableType]


def listed_lines(page: results.Page) -> Lines:
    """List nodes, newest first."""
    marks = _numbers(len(page.nodes))
    yield from (_entry(mark, node, lines=_LINES_IN_LIST) for mark, node in zip(marks, page.nodes, strict=True))
    if not page.nodes:
        yield "nothing here yet"


def found_lines(found: results.SearchResult, given: Mapping[str, Any]) -> Lines:
    """List the memos that a search found, best first, and say what is lacking."""
    for mark, hit in zip(_numbers(len(found.hits)), found.hits, strict=True):
        why = [_why(hit, found.alpha)] if given.get("explain") else []
        yield _entry(mark, hit.node, _reason(hit), passage=hit.passage, more=[*_changes(hit), *why])
    if not found.hits or found.note:
        yield shown(found.note or "nothing found")
    yield from degraded_lines(found)


def context_lines(context: results.ActiveContext, given: Mapping[str, Any]) -> Lines:
    """List the standing rules, and the recalled memos, best first; say what was left out, and what is lacking."""
    yield from _rule_lines(context)
    for mark, item in zip(_numbers(len(context.items)), context.items, strict=True):
        why = [shown(item.figures, style="dim")] if given.get("explain") and item.figures else []
        more = [*_changes(item), *_disputes(item), *why]
        yield _entry(mark, item.node, _reason(item), passage=item.passage, more=more)
    if not context.items or context.note:
        yield shown(context.note or "nothing that matters")
    yield (
        f"context {short_id(context.id)} until {when(context.expires_at)}, policy {context.policy_version},"
        f" about {count(context.tokens, 'token')}"
    )
    if given.get("explain"):
        left = ", ".join(f"{number} {reason}" for reason, number in sorted(context.filtered.items())) or "nothing"
        yield f"left out: {left}"
        yield "with " + ", ".join(f"{name} {value}" for name, value in context.parameters.items())
    yield from waiting_lines(context.review, context.upkeep)
    yield from degraded_lines(context)


def rules_lines(found: Rules) -> Lines:
    """List the rules that come with every activation, then those that do not, and why."""
    nodes = [*found.rules, *found.left_out, *found.unconfirmed]
    numbers = iter(_numbers(len(nodes)))
    if found.note:
        yield found.note
    for title, some in (
        ("", found.rules),
        ("do not fit into an activation:", found.left_out),
        ("not confirmed (imported, or from a document); to confirm one: --confirm ID", found.unconfirmed),
    ):
        if some and title:
            yield title
        yield from (_entry(next(numbers), node, *_rule_facts(node), lines=_LINES_IN_LIST) for node in some)


def _rule_facts(node: Node) -> Iterator[str]:
    yield from (fact for fact in (node.scope, "pinned" if node.pinned else None) if fact)


def _rule_lines(context: results.ActiveContext) -> Lines:
    """The standing rules of a context, one a line."""
    if context.rules_note:
        yield shown(context.rules_note, style="dim")
    for node in context.rules:
        yield Entry(short_id(node.id), shown(" ".join(node.content.split())))


def waiting_lines(review: str | None, upkeep: str | None) -> Lines:
    """Say how many pairs wait for review, and what upkeep has found, if there is any."""
    if review:
        yield f"{review}: wherefrom review"
    if upkeep:
        yield f"{upkeep}: wherefrom upkeep"


def similar_lines(found: results.SimilarFound) -> Lines:
    """List the nodes that are near in meaning, and say how many were compared."""
    for mark, near in zip(_numbers(len(found.results)), found.results, strict=True):
        known: Any = {"kind": near.kind, "title": near.title, "provenance": near.source}
        node = node_at("", id=near.id, namespace="", content=near.text_preview, **known)
        yield _entry(mark, node, f"similarity {near.similarity:.3f}")
    if not found.results:
        yield shown(found.note or "nothing that similar")
    yield f"searched {count(found.total_searched, 'vector')}"


def node_lines(node: Node) -> Lines:
    """One node in full."""
    yield Entry("", _head(node))
    changed = f", updated {when(node.updated_at)}" if node.updated_at != node.created_at else ""
    facts = [
        f"{node.kind} in {node.namespace}" if node.title else f"in {node.namespace}",
        *_facts(node),
        f"version {node.version}",
    ]
    yield Entry("", shown(", ".join((*facts, f"created {when(node.created_at)}{changed}")), style="dim"))
    source = source_of(node)
    said = {
        "source": None if source is None else source.words(),
        "address": None if source is None else source.url,
        "also called": ", ".join(node.aliases),
        "metadata": json_text(node.metadata) if node.metadata else None,
    }
    width = max((len(name) for name, value in said.items() if value), default=0)
    for name, value in said.items():
        if value:
            yield Entry(name.ljust(width), shown(value))
    yield from ("", Prose(shown(node.content, lines=True)))


def relation_lines(found: results.Relations) -> Lines:
    """Relations with the names of their ends, how sure and thick they are, who judged them and when they were seen."""
    names = {ref.id: ref for ref in found.nodes}
    for edge, step in zip(found.edges, found.depths or repeat(None), strict=False):
        yield _relation_entry("-" if step is None else f"step {step}", edge, names)
    if not found.edges:
        yield "no relations"


def path_lines(found: PathFound) -> Lines:
    """The memos on a path, each with the relation that leads to it from the one before."""
    before: list[GraphEdge | None] = [None, *found.edges]
    for node, edge in zip(found.nodes, before, strict=False):
        known = node_at("", id=node.id, namespace=node.namespace, content=node.text, kind=node.kind, title=node.title)
        facts = [] if node.holds else ["holds no longer"]
        if edge is None:
            yield _entry("from", known, *facts, lines=1)
            continue
        way = (
            f"-[{edge.tag} {edge.weight:.2g}]->" if edge.target_id == node.id else f"<-[{edge.tag} {edge.weight:.2g}]-"
        )
        yield _entry(f"step {node.hops}", known, way, f"thick {edge.thickness:.2g}", *facts, lines=1)
    if found.note:
        yield shown(found.note)


def claim_lines(found: ClaimEvidence) -> Lines:
    """A claim, and what speaks for and against it: its words, who judged it, and where it stands."""
    yield _entry("", found.claim)
    for item in found.evidence:
        edge = item.relation
        yield _entry(edge.tag, item.node, f"confidence {edge.confidence:.2g}", judge_of(edge))
    if not found.evidence:
        yield "nothing speaks for or against it yet"


def review_lines(found: Review) -> Lines:
    """Pairs that contradict each other, each with the command that settles it."""
    for pair in found.pairs:
        yield from (*pair_lines(pair), shown(f"   {_settling(pair)}", style="dim"), "")
    if not found.pairs:
        yield "nothing contradicts"


def pair_lines(pair: ReviewPair) -> Lines:
    """The reason of a pair, and both of its statements: what looks newer comes first."""
    yield shown(pair.reason, style="bold")
    for mark, node, newer in (("1", pair.first, pair.newer), ("2", pair.second, None)):
        yield _entry(mark, node, f"observed {node.observed_at[:10]}", *(["looks newer"] if newer else []))


def relation_line(edge: Edge) -> Text:
    """One relation."""
    sure = "" if edge.confidence == 1 and edge.judge is None else f", confidence {edge.confidence:g}"
    judge = "" if edge.judge is None else f", {judge_of(edge)}"
    ends = short_id(edge.source_id), short_id(edge.target_id)
    return shown(f"{ends[0]} -[{edge.tag} {edge.weight:g}{sure}{judge}]-> {ends[1]}")


def _numbers(count: int) -> list[str]:
    width = len(str(count))
    return [str(number).rjust(width) for number in range(1, count + 1)]


def _entry(
    mark: str,
    node: Node,
    *facts: str,
    lines: int = 3,
    passage: results.Passage | None = None,
    more: Sequence[Text] = (),
) -> Entry:
    """A node as an entry of a list: with a passage or the beginning of its text, its source, namespace and `facts`, and
    `more` on lines of their own.
    """
    source, text = source_of(node), node.content if passage is None else passage.text
    text = f"… {text}" if passage is not None and passage.offset else text
    said = [*([] if source is None else [source.words()]), *([node.namespace] if node.namespace else []), *facts]
    said += _times(node)
    return Entry(
        mark=mark,
        head=_head(node),
        text=shown(" ".join(text[:_MAX_CHARACTERS].split())),
        facts=[shown(fact).plain for fact in said],
        notes=more,
        text_lines=lines,
    )


def _head(node: Node) -> Text:
    """The id, the date and the title of a node; one without a title is named by its kind."""
    kind = f"{node.kind}: {node.claim_kind}" if node.claim_kind else node.kind
    name = shown(node.title, style="bold") if node.title else Text(kind, style="italic")
    date = node.observed_at if node.observed_at < node.created_at else node.updated_at
    known = [Text(short_id(node.id), style="cyan"), *([Text(date[:10])] if date else []), name]
    return Text("  ").join(known)


def _facts(node: Node) -> Iterator[str]:
    yield from (fact for fact in (node.claim_kind, node.scope) if fact)
    if node.expires_at:
        yield f"expires {when(node.expires_at)}"
    if node.pinned:
        yield "pinned"
    yield from _times(node)
    if node.superseded_by:
        yield f"superseded by {short_id(node.superseded_by)}"
    if node.rejected_at:
        yield f"rejected {when(node.rejected_at)}"


def _times(node: Node) -> Iterator[str]:
    """Who wrote and who says a statement, in which session, its slot, and since when and until when it holds."""
    if node.written_by:
        yield f"written by {node.written_by}"
    if node.imported_from:
        yield f"imported from {node.imported_from}"
    if node.speaker:
        yield f"said by {node.speaker}"
    if node.session:
        yield f"session {node.session}"
    if node.slot:
        yield f"slot {node.slot}"
    if node.valid_from:
        yield f"since {node.valid_from[:10]}"
    if node.valid_to and node.kind in ("memo", "claim"):
        yield f"until {last_day(node.valid_to)}"


def _settling(pair: ReviewPair) -> str:
    call = pair.settle
    source = f" --source {short_id(call.source_id)}" if call.source_id else ""
    return f"wherefrom settle {short_id(call.first_id)} {short_id(call.second_id)} {call.keep}{source}"


def _relation_entry(mark: str, edge: MeasuredEdge, names: Mapping[str, NodeRef]) -> Entry:
    ends = [_end(end, names) for end in (edge.source_id, edge.target_id)]
    facts = [f"sure {edge.confidence:.2g}", f"thick {edge.thickness:.2g}", shown(judge_of(edge)).plain]
    return Entry(
        mark=mark,
        head=Text.assemble(ends[0], Text(" -["), shown(edge.tag), Text(f" {edge.weight:.2g}]-> "), ends[1]),
        text=shown(edge.reason) if edge.reason else None,
        facts=[*facts, edge.observed_at[:10]],
    )


def _end(node_id: str, names: Mapping[str, NodeRef]) -> Text:
    known, ref = Text(short_id(node_id), style="cyan"), names.get(node_id)
    return Text.assemble(known, " ", shown(ref.title, style="bold")) if ref is not None and ref.title else known


def _why(hit: results.Hit, alpha: float) -> Text:
    factors = {} if hit.factors is None else {"S": hit.fit, **asdict(hit.factors)}
    scores = {name: value for name, value in asdict(hit.scores).items() if name != "found_through"}
    through = hit.scores.found_through
    parts = {"alpha": alpha, **scores, "found_through": short_id(through) if through else None, **factors}
    return shown(" ".join(f"{name}={tidy(value)};" for name, value in parts.items() if value is not None), style="dim")


def _reason(hit: results.Hit | results.ContextItem) -> str:
    """Why a node was found, and how surely it is about the question, unless that is as likely as usual."""
    word = "likely" if hit.relevance is None else results.relevance_word(hit.relevance)
    return hit.reason if word == "likely" else f"{word}: {hit.reason}"


def _changes(hit: results.Hit | results.ContextItem) -> list[Text]:
    """Lines about what a node took the place of, and about a later one that says another value."""
    until = f", held until {last_day(hit.held_until)}" if hit.held_until else ""
    others = f" and {len(hit.replaces) - 2} more" if len(hit.replaces) > 2 else ""
    parts = [f"replaces {', '.join(map(short_id, hit.replaces[:2]))}{others}{until}"] if hit.replaces else []
    parts += [f"older than {short_id(hit.older_than)}, which has another value"] if hit.older_than else []
    return [shown(part, style="dim") for part in parts]


def _disputes(item: results.ContextItem) -> list[Text]:
    """Lines about what contradicts an item."""
    parts = [f"disputed by {', '.join(map(short_id, item.disputed_by))}"] if item.disputed_by else []
    parts += [f"{edge.tag}, confidence {edge.confidence:g}, {judge_of(edge)}" for edge in item.disputes]
    return [shown(part, style="dim") for part in parts]
