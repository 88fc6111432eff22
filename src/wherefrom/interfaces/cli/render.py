"""Tables and panels for people. Stored text is shown as data: no markup, no control characters."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Final

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from wherefrom.model.graph import GUESSING, HUMAN, Edge, Node
from wherefrom.model.results import Found, Health, Hit, Imported, Info, Namespaces, Page, Relations, SimilarFound
from wherefrom.text.check import json_text

_REJECTIONS_SHOWN: Final = 10
# Columns whose entries are copied or compared, and so never broken into lines.
_UNBROKEN: Final = frozenset(("#", "id", "score", "similarity", "step", "weight", "sure", "thick"))


def memo_panel(node: Node) -> RenderableType:
    """One memo in full."""
    facts = Text(f"{node.id}  {node.namespace}  version {node.version}\n", style="dim")
    facts.append(f"created {when(node.created_at)}, updated {when(node.updated_at)}")
    parts: list[RenderableType] = [facts]
    if node.aliases:
        parts.append(shown(f"also called {', '.join(node.aliases)}", style="dim"))
    if node.metadata:
        parts.append(shown(json_text(node.metadata), style="cyan"))
    parts += ["", shown(node.content, lines=True)]
    return Panel(Group(*parts), title=shown(node.title or "(untitled)"), title_align="left")


def memo_table(page: Page) -> RenderableType:
    """Memos, a few lines each."""
    table = new_table("id", "memo")
    for node in page.nodes:
        table.add_row(node.id, memo_cell(node))
    return table if page.nodes else "nothing here yet"


def hit_table(found: Found, *, explain: bool = False) -> RenderableType:
    """What a search found, best first."""
    table = new_table("score", "id", "memo", *(["why"] if explain else []))
    for hit in found.hits:
        why = [_why(hit, found.alpha)] if explain else []
        table.add_row(f"{hit.score:.2f}", hit.node.id, memo_cell(hit.node), *why)
    return table if found.hits else "nothing found"


def similar_table(found: SimilarFound) -> tuple[RenderableType, str]:
    """What is near in meaning, and among how many."""
    table = new_table("similarity", "id", "text")
    for each in found.results:
        table.add_row(f"{each.similarity:.3f}", each.id, first_line(each.text_preview))
    return table if found.results else "nothing that similar", f"searched {count(found.total_searched, 'vector')}"


def relation_table(found: Relations) -> RenderableType:
    """Relations with the names of their ends, how sure and thick they are, who judged them and when they were seen."""
    names = {ref.id: ref.title or ref.id for ref in found.nodes}
    walked = found.depths is not None
    figures = ("weight", "sure", "thick")
    table = new_table(*(["step"] if walked else []), "source", "tag", "target", *figures, "judge", "reason")
    for index, edge in enumerate(found.edges):
        steps = [str(found.depths[index])] if found.depths is not None else []
        source, target = (shown(names.get(end, end)) for end in (edge.source_id, edge.target_id))
        worth = (f"{edge.weight:g}", f"{edge.confidence:.2g}", f"{edge.thickness:.2g}")
        judge = Text("\n").join([shown(judge_of(edge)), shown(edge.observed_at[:10], style="dim")])
        cells: list[RenderableType] = [*steps, source, shown(edge.tag), target, *worth, judge]
        table.add_row(*cells, shown(edge.reason or ""), style="dim" if edge.judge in GUESSING else "")
    return table if found.edges else "no relations"


def namespace_table(found: Namespaces) -> Table:
    """Namespaces as an indented list."""
    table = new_table("namespace", "nodes")
    for item in found.items:
        table.add_row(shown(item.namespace), f"{item.nodes:,}")
    return table


def relation_line(edge: Edge) -> Text:
    """One relation."""
    sure = "" if edge.confidence == 1 and edge.judge is None else f", confidence {edge.confidence:g}"
    judge = "" if edge.judge is None else f", {judge_of(edge)}"
    return shown(f"{edge.source_id} -[{edge.tag} {edge.weight:g}{sure}{judge}]-> {edge.target_id}")


def judge_of(edge: Edge) -> str:
    """Names who judged a relation; a program's guess is marked as one."""
    if edge.judge in GUESSING:
        return f"guess: {edge.judge}"
    return "stated" if edge.judge is None else "person" if edge.judge == HUMAN else edge.judge


def import_line(imported: Imported) -> str:
    """What an import did, in one line."""
    parts = [
        f"{count(imported.nodes_created, 'memo')} created",
        f"{imported.nodes_updated:,} updated",
        f"{imported.nodes_unchanged + imported.nodes_duplicate:,} already there",
        f"{count(imported.edges_created + imported.edges_updated, 'relation')} written",
    ]
    if imported.nodes_refused:
        parts.append(f"{count(imported.nodes_refused, 'change')} left out, because another memo has that text")
    if imported.nodes_denied:
        parts.append(f"{count(imported.nodes_denied, 'memo')} not let in by the policy")
    if imported.edges_skipped:
        parts.append(f"{count(imported.edges_skipped, 'relation')} skipped, for want of an end")
    if imported.nodes_split:
        parts.append(f"{count(imported.nodes_split, 'memo')} stored in parts")
    if imported.redacted:
        taken = (f"{number:,} {kind}" for kind, number in sorted(imported.redacted.items()))
        parts.append(f"taken out of texts: {', '.join(taken)}")
    return ", ".join(parts) + "."


def rejection_lines(imported: Imported, rejects: Path | None) -> list[Text]:
    """The first lines that an import left out, and where to find the others."""
    if not imported.rejected:
        return []
    lines = [f"{count(imported.rejected, 'line')} left out:"]
    lines += [
        f"  line {each.line:,}{f' ({each.id})' if each.id else ''}: {each.reason}"
        for each in imported.rejections[:_REJECTIONS_SHOWN]
    ]
    if rejects is not None:
        lines.append(f"all of them are in {rejects}")
    elif imported.rejected > _REJECTIONS_SHOWN:
        lines.append("see all of them with --rejects FILE, or the first 1,000 with --json")
    return [shown(line) for line in lines]


def info_table(info: Info) -> Table:
    """Where the store is and what it holds."""
    table = Table(show_header=False, box=None)
    table.add_row("version", info.program_version)
    table.add_row("database", shown(f"{info.database} at {info.location}"))
    table.add_row("schema", str(info.schema_version))
    table.add_row("owner", shown(info.owner))
    table.add_row("root", shown(info.root_namespace))
    table.add_row("default namespace", shown(info.default_namespace))
    table.add_row("embedder", shown(info.embedder or "none"))
    table.add_row("privacy", info.privacy)
    for name, count in info.sizes.items():
        table.add_row(name, f"{count:,}")
    for name, value in info.engine.items():
        table.add_row(name.replace("_", " "), f"{value:,}" if isinstance(value, int) else str(value))
    return table


def health_table(health: Health) -> Table:
    """The findings of `doctor`."""
    table = new_table("check", "", "found")
    for check in health.checks:
        mark = Text("ok", style="green") if check.ok else Text("FAILED", style="bold red")
        table.add_row(check.name, mark, shown(check.detail))
    return table


def shown(text: str, *, style: str = "", lines: bool = False) -> Text:
    """Text as data: control characters made visible, nothing interpreted."""
    return Text("".join(_visible(character, lines=lines) for character in text), style=style)


def first_line(text: str, *, width: int = 60) -> Text:
    """The beginning of a text, on one line."""
    flat = " ".join(text[: width * 4].split())
    return shown(flat if len(flat) <= width else flat[: width - 1] + "…")


def count(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def when(timestamp: str) -> str:
    """A stored time, to the second."""
    return timestamp[:19].replace("T", " ")


def memo_cell(node: Node) -> Text:
    """What a memo is called, how it begins, where it is and when it changed."""
    lines = [shown(node.title, style="bold")] if node.title else []
    lines += [first_line(node.content), shown(f"{node.namespace} · {node.updated_at[:10]}", style="dim")]
    return Text("\n").join(lines)


def _why(hit: Hit, alpha: float) -> str:
    scores = hit.scores
    words = (
        "no word" if scores.bm25 is None else f"words {scores.s_text:.2f} (BM25 {scores.bm25:.2f}, #{scores.text_rank})"
    )
    place = f", #{scores.vector_rank}" if scores.vector_rank else ""
    meaning = (
        "no vector"
        if scores.similarity is None
        else f"meaning {scores.s_vec:.2f} (cosine {scores.similarity:.2f}{place})"
    )
    return "\n".join([words, meaning, f"weight of meaning {alpha:g}", *_final_parts(hit)])


def _final_parts(hit: Hit) -> list[str]:
    """The lines about a final score: S and the parts of g, and the duplicate that it was found through."""
    lines = []
    if hit.factors is not None:
        parts = hit.factors
        lines.append(f"S {hit.relevance or 0.0:.2f}, g {parts.g:.2f}")
        lines.append(f"utility {parts.utility:.2f}, confidence {parts.confidence:.2f}, recency {parts.recency:.2f}")
    if hit.scores.found_through is not None:
        lines.append(f"found through {hit.scores.found_through}")
    return lines


def _visible(character: str, *, lines: bool) -> str:
    if lines and character in "\n\t":
        return character
    if unicodedata.category(character) in ("Cc", "Cf") and character not in "\u200c\u200d":
        code = ord(character)
        return chr(0x2400 + code) if code < 0x20 else "\u2421" if code == 0x7F else "\ufffd"
    return character


def new_table(*columns: str) -> Table:
    """A plain table; ids are copied, so they are never cut."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold", no_wrap=column in _UNBROKEN)
    return table
