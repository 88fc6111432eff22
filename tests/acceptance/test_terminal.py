"""What people see in a terminal: texts that fit its width in any script, ids by their last characters, and sources."""

from __future__ import annotations

import os
import pty
import re
import subprocess
from dataclasses import replace
from io import StringIO

import pytest
from forking_for_tests import wherefrom_command
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from wherefrom import Memory, NewFragment, NewPage
from wherefrom.evidence.input import NewClaim, NewEvidence
from wherefrom.interfaces.cli.layout import Entry, Prose, sentence, shortened, spans, wrapped
from wherefrom.interfaces.cli.render import lines_of
from wherefrom.interfaces.cli.session import print_parts
from wherefrom.model.identifiers import short_id
from wherefrom.model.policies import PolicyVersion
from wherefrom.model.results import Imported, Rejection

WHOLE_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
ENGLISH = (
    "We ship on Fridays only after the soak test has run for nine days without a fault, and never before a holiday."
)
JAPANESE = (
    "チームの共有データベースは毎週金曜日に更新する。更新の前に必ず長時間試験を九日間行い、承認を得てから出荷する。"
)
URL = "https://example.org/soak"


def printed(*parts, width=80, terminal=True):
    console = Console(file=StringIO(), width=width, force_terminal=terminal, color_system=None)
    print_parts(console, parts)
    return console.file.getvalue().splitlines()


def seen(result, *, width=80, terminal=True, **given):
    return printed(*lines_of(result, given), width=width, terminal=terminal)


def assert_fits(lines, width=80):
    assert lines
    assert [line for line in lines if cell_len(line) > width] == []
    assert [line for line in lines if WHOLE_ID.search(line)] == []


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    """Memos in two scripts, a claim, and a page with two fragments; relations between them."""
    with Memory.open(str(tmp_path_factory.mktemp("seen") / "memory.db")) as opened:
        page = NewPage(URL, "Soak tests at scale", 2024)
        fragments = [NewFragment("Memory grew by two percent.", heading="page 3"), NewFragment(JAPANESE)]
        claim = NewClaim("Memory grows during a soak test.", evidence=[NewEvidence("supports", fragment=0)])
        opened.add_evidence(page, fragments=fragments, claims=[claim])
        rule = opened.save(ENGLISH, title="Release rule", metadata={"tags": ["release"]}).node
        opened.save(ENGLISH, title="Friday policy")
        steps = opened.save(JAPANESE, title="更新の手順", provenance={"source": "週次の会議", "actor": "Aiko"}).node
        opened.relate(steps.id, rule.id, tag="elaborates", weight=0.8, reason=f"{ENGLISH} {JAPANESE}")
        opened.relate(rule.id, opened.list(kind="claim").nodes[0].id, tag="relies_on", weight=0.6)
        yield opened


@given(st.text(), st.integers(16, 60))
def test_lines_lose_nothing_and_fit(text, width):
    lines = [text[start:end] for start, end in spans(text, width)]
    assert "".join("".join(lines).split()) == "".join(text.split())
    # A character with a hundred marks is as wide as it is.
    assert all(cell_len(line) <= width or len(line) <= 2 or not line.isprintable() for line in lines)


def test_words_and_closing_brackets_stay_whole():
    lines = [line.plain for line in wrapped(Text("一二三四五六七八九十「一二三四五六七八」。終 data base"), 20)]
    assert lines == ["一二三四五六七八九十", "「一二三四五六七", "八」。終 data base"]
    assert [line.plain for line in wrapped(Text("deploy after lunch on Friday"), 16)] == [
        "deploy after",
        "lunch on Friday",
    ]


def test_what_is_too_long_ends_in_an_ellipsis_between_words():
    assert [line.plain for line in wrapped(Text(ENGLISH), 30, lines=2)] == [
        "We ship on Fridays only after",
        "the soak test has run for…",
    ]
    assert shortened(Text("長時間試験"), 7).plain == "長時間…"
    assert shortened(Text("cafe\u0301s are"), 5).plain == "cafe\u0301…"
    assert shortened(Text("short"), 5).plain == "short"


def test_a_sentence_keeps_what_can_be_copied_whole():
    cursor = "x" * 40
    lines = [line.plain for line in sentence(Text(f"  more of it: --cursor {cursor}"), 24)]
    assert lines == ["  more of it: --cursor", f"  {cursor}"]


def test_an_entry_hangs_below_its_head():
    facts = ["from a source with a name", "score 0.5"]
    entry = Entry("12", Text("head"), Text(ENGLISH), facts, [Text("note")], text_lines=1)
    begin = ["12  head", "    We ship on Fridays only after the…"]
    assert printed(entry, width=40) == [*begin, "    from a source with a name", "    score 0.5", "    note"]
    wide = replace(entry, text=None)
    assert printed(wide) == ["12  head", "    from a source with a name · score 0.5", "    note"]


def test_a_whole_text_is_wrapped_in_a_terminal_only():
    assert len(printed(Prose(Text(f"{ENGLISH}\n\n{ENGLISH}")), width=60)) == 5
    assert printed(Prose(Text(f"{ENGLISH}\n\n{ENGLISH}")), width=60, terminal=False) == [ENGLISH, "", ENGLISH]


@pytest.mark.parametrize("width", [40, 80, 132])
def test_all_that_shows_nodes_fits_the_terminal(memory, width):
    rule = memory.search("Release rule", limit=1).hits[0].node
    results = [
        memory.search("soak test", rank="final"),
        memory.activate("When do we ship?"),
        memory.list(),
        memory.list(kind="fragment"),
        memory.list(kind="page"),
        memory.vector_search("soak test", target="fragments"),
        rule,
        memory.get(memory.list(kind="page").nodes[0].id),
        memory.relations(),
        memory.walk(rule.id, depth=2, direction="both"),
        memory.find_insight(),
        memory.metabolize(),
        memory.namespaces(),
        memory.status(),
    ]
    for result in results:
        for explain in (False, True):
            assert_fits(seen(result, width=width, explain=explain), width)


def test_a_search_says_where_each_hit_comes_from(memory):
    lines = seen(memory.search("memory grew percent", limit=1))
    hit = memory.search("memory grew percent", limit=1).hits[0].node
    assert lines == [
        f"1  {short_id(hit.id)}  {hit.updated_at[:10]}  fragment",
        "   Memory grew by two percent.",
        "   Soak tests at scale, example.org, p. 3, 2024 · main",
        "   strong: says 'memory', 'grew' and 'percent'; from today",
    ]


def test_a_list_has_claims_and_sources(memory):
    text = "\n".join(seen(memory.list()))
    assert "claim: fact" in text
    assert "Soak tests at scale, example.org, 2024 · main" in text
    assert "週次の会議, by Aiko · main" in text
    assert "verbatim" not in text


def test_similar_nodes_and_contexts_name_their_sources(memory):
    words = "Soak tests at scale, example.org, p. 3, 2024"
    assert any(words in line for line in seen(memory.vector_search("Memory grew by two percent.", target="fragments")))
    assert any(words in line for line in seen(memory.activate("Memory grew by two percent.")))


def test_get_shows_the_whole_with_its_source_and_address(memory):
    fragment = next(node for node in memory.list(kind="fragment").nodes if node.content.startswith("Memory"))
    lines = seen(fragment)
    assert lines[0] == f"{short_id(fragment.id)}  {fragment.updated_at[:10]}  fragment"
    assert "source    Soak tests at scale, example.org, p. 3, 2024" in lines
    assert f"address   {URL}" in lines
    assert lines[-1] == fragment.content
    memo = memory.search("Release rule", limit=1).hits[0].node
    assert "also called  Friday policy" in seen(memo)


def test_relations_name_their_ends_and_a_walk_its_steps(memory):
    rule = memory.search("Release rule", limit=1).hits[0].node
    steps = memory.search("更新の手順", limit=1).hits[0].node
    lines = seen(memory.walk(steps.id, depth=2), width=160)
    assert lines[0] == (f"step 1  {short_id(steps.id)} 更新の手順 -[elaborates 0.8]-> {short_id(rule.id)} Release rule")
    assert any(line.startswith("step 2  ") for line in lines)


def test_stored_text_cannot_take_over_the_terminal(memory, tmp_path):
    with Memory.open(str(tmp_path / "m.db")) as other:
        said = {"url": "https://example.org/\x1b[2J", "title": "\x1b]0;x\x07[bold]t[/bold]"}
        saved = other.save("a\x1b[31mb [red]c", title="t\x1b[0m\nu", provenance=said)
        for result in (saved, other.list(), saved.node, other.search("c"), other.activate("c")):
            text = "\n".join(seen(result))
            assert "\x1b" not in text
            assert "\x07" not in text
        assert "[red]c" in "\n".join(seen(other.list()))


def test_ids_are_shown_by_their_last_characters(tmp_path):
    with Memory.open(str(tmp_path / "m.db")) as other:
        first, second = (other.save(text) for text in ("one thing", "another thing"))
        related = other.relate(first.node.id, second.node.id, tag="supports", weight=0.5)
        task = other.create_task("why?")
        judged = other.feedback(first.node.id, "outdated")
        results = [
            first,
            related,
            task,
            other.update_task(task.id, status="completed"),
            judged,
            other.status(),
            other.sweep(),
        ]
        results += [other.metabolize(protection_hours=0, apply=True), other.find_insight(), other.delete(first.node.id)]
        for result in results:
            assert_fits(seen(result))
        assert seen(first) == [f"created {short_id(first.node.id)} in main"]
        assert seen(related)[1] == f"{short_id(first.node.id)} -[supports 0.5]-> {short_id(second.node.id)}"


def test_a_policy_is_not_wrapped():
    yaml = f"version: 1.0.0  # {ENGLISH}\n# {JAPANESE}\n"
    policy = PolicyVersion("main", "1.0.0", yaml, None, "2026-01-01")
    for terminal in (True, False):
        assert seen(policy, width=40, terminal=terminal) == yaml.splitlines()


def test_an_import_that_left_out_everything_says_so():
    assert seen(Imported()) == ["nothing to import"]
    lines = seen(Imported(rejected=1, rejections=(Rejection(2, None, "x", "no JSON"),)))
    assert lines == ["nothing was imported", "1 line left out:", "  line 2: no JSON"]


def test_what_was_shown_is_deleted_though_its_title_is_anothers_by_now(tmp_path):
    terminal, end = pty.openpty()
    with Memory.open(tmp_path / "m.db") as memory:
        shown = memory.save("the first", title="Plan").node
        command = [*wherefrom_command(), "delete", "Plan", "--db", str(tmp_path / "m.db")]
        with subprocess.Popen(command, stdin=end, stdout=end) as process:
            os.close(end)
            said = b""
            while b"Delete it for good?" not in said:
                said += os.read(terminal, 1024)
            memory.save("the first", memo_id=shown.id, title="Old plan")
            other = memory.save("the second", title="Plan").node
            os.write(terminal, b"y\n")
            assert process.wait(60) == 0
        os.close(terminal)
        assert [node.id for node in memory.list().nodes] == [other.id]


def test_the_walk_offers_the_page_on_a_terminal_and_enter_is_no(tmp_path):
    terminal, end = pty.openpty()
    command = [*wherefrom_command(), "demo", "--keep", str(tmp_path / "m.db")]
    with subprocess.Popen(command, stdin=end, stdout=end, cwd=tmp_path) as process:
        os.close(end)
        said = b""
        while b"Open it now? [y/N]" not in said:
            said += os.read(terminal, 1024)
        os.write(terminal, b"\n")
        assert process.wait(60) == 0
    os.close(terminal)
    assert b" serve --demo\r\n" in said
    assert b"make serve" not in said


def test_control_characters_in_the_names_of_columns_are_made_visible(tmp_path):
    url = str(tmp_path / "memory.db")
    with Memory.open(url) as memory:
        memory.save("text")
    names = ['"a\x1b[31m\x9b2J"', '"[bold]b\u202e"']
    many = ", ".join(f"1 as {name}" for name in [*names, *(f"c{number}" for number in range(20))])
    for sql in (f"select 1 as {names[0]}, 2 as {names[1]}", f"select {many}", f"select {names[0]} from nowhere\x1b[2J"):
        done = subprocess.run(
            [*wherefrom_command(), "sql", sql, "--db", url], capture_output=True, text=True, timeout=60, check=False
        )
        assert not set(done.stdout + done.stderr) & set("\x1b\x9b\u202e")
        assert "␛" in done.stdout + done.stderr
        assert "[bold]b" in done.stdout or done.returncode
