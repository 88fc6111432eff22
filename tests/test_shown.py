"""What a page shows is compared with what was printed: what may differ, what may not, and what is written instead."""

from __future__ import annotations

from datetime import timedelta

import pytest
import shown_json_for_tests as shown_json
from docs_for_tests import Block, blocks_of, commands_of
from shown_for_tests import Likeness, aligned, alike, rewritten, today

SHOWN_ID, RUN_ID = "01a1e134-a688-756b-8f18-36d04d4f69f9", "01a1e9a9-3ba2-74cd-a877-a5e067d07af9"
OTHER_ID = "01a1e9a9-3bc2-73e9-a2fe-b0e3233468cb"


def console(*lines):
    return commands_of(Block("console", 1, 1 + len(lines), lines, None))


def test_a_block_knows_its_lines_and_why_it_is_not_run():
    text = "a\n\n```console\n$ b\nc\n```\n\n<!-- not run: needs d -->\n```python\n# e.py\n```\n"
    first, second = blocks_of(text)
    assert (first.kind, first.start, first.end, first.lines, first.not_run) == ("console", 3, 5, ("$ b", "c"), None)
    assert (second.not_run, second.file_name) == ("needs d", "e.py")


def test_a_block_that_does_not_end_is_found():
    with pytest.raises(AssertionError, match="does not end"):
        blocks_of("```console\n$ a\n")


@pytest.mark.parametrize(
    "lines",
    [
        ("$ cat <<'EOF'", "$ no command", "EOF"),
        ('$ sql "select 1', '    as one"'),
        ("$ save a \\", "    --title b"),
        ("$ save a \\", ">   --title b"),
    ],
)
def test_a_command_goes_on_until_a_shell_would_run_it(lines):
    command, last = console(*lines, "output", "$ next")
    assert command.text.count("\n") == len(lines) - 1
    assert "> " not in command.text
    assert command.shown == ("output",)
    assert last.text == "next"


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        (["created 4d4f69f9 in main"], ["created 67d07af9 in main"]),
        (["3 rows, 23 ms"], ["3 rows, 4 ms"]),
        (["score  0.516   x"], ["score 0.517 x"]),
        (["score 0.7599997352608925"], ["score 0.75999973526089"]),
        (["a … z"], ["a b c z"]),
        (["a", "…", "z"], ["a", "b", "c", "z"]),
        (["a", "…"], ["a"]),
        (["until 2020-02-01 05:44:21"], [f"until {today()} 14:01:02"]),
        (["file bytes   397,312"], ["file bytes   1,024"]),
    ],
)
def test_ids_days_times_and_last_digits_may_differ(shown, printed):
    assert alike(shown, printed, Likeness()) is not None


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        (["created 4d4f69f9 in main"], ["created in main"]),
        (["created 4d4f69f9", "created 4d4f69f9"], [f"created {RUN_ID[-8:]}", f"created {OTHER_ID[-8:]}"]),
        (["created 4d4f69f9", "created 11413432"], [f"created {RUN_ID[-8:]}"] * 2),
        (["created 4d4f69f9"], [f"created {RUN_ID}"]),
        (["3 rows, 23 ms"], ["4 rows, 23 ms"]),
        (["score 0.516"], ["score 0.526"]),
        (["score 1.00"], ["score 1.000"]),
        (["version: 1.1.0"], ["version: 1.2.0"]),
        (["a … z"], ["a b c"]),
        (["a", "…", "z"], ["a", "b"]),
        (["a"], ["a", "b"]),
        (["2020-02-01 2020-02-09"], [f"{today()} {today() + timedelta(days=30)}"]),
    ],
)
def test_everything_else_may_not(shown, printed):
    assert alike(shown, printed, Likeness()) is None


def test_an_id_that_was_shown_stands_for_the_one_of_the_run_in_later_commands():
    known = alike([f"created {SHOWN_ID}"], [f"created {RUN_ID}"], Likeness()).having_printed([RUN_ID])
    assert known.in_this_run(f"get {SHOWN_ID}") == f"get {RUN_ID}"
    assert known.in_this_run(f"get {SHOWN_ID[-8:]}") == f"get {RUN_ID}", "the short one was not printed"
    known = known.having_printed([RUN_ID[-8:]])
    assert known.in_this_run(f"get {SHOWN_ID[-8:]}") == f"get {RUN_ID[-8:]}"
    assert known.in_this_run("get 12345678") == "get 12345678"


def test_an_output_of_another_layout_is_written_with_the_ids_and_the_day_of_the_page():
    shown = [f"created {SHOWN_ID} in main", "main · 2020-02-01"]
    printed = [f"created {RUN_ID[-8:]} in main", f"main · {today()}", f"kept until {today() + timedelta(days=30)}"]
    assert alike(shown, printed, Likeness()) is None
    known = aligned(shown, printed, Likeness()).having_printed(printed)
    new = rewritten(shown, printed, known, {})
    assert new == [f"created {SHOWN_ID[-8:]} in main", "main · 2020-02-01", "kept until 2020-03-02"]
    assert known.as_shown(known.in_this_run(f"get {SHOWN_ID}"), {}) == f"get {SHOWN_ID[-8:]}"


def test_a_day_that_a_command_gives_stays():
    later = (today() + timedelta(days=400)).isoformat()
    known = aligned(["2020-02-01"], [today().isoformat()], Likeness()).having_run(f"save a --expires {later}")
    assert known.as_shown(f"{today()} until {later}", {}) == f"2020-02-01 until {later}"


def test_what_a_page_leaves_out_stays_left_out():
    printed = ["names  figures", "first 1", "second 2", "third 3", "3 rows"]
    assert rewritten(["name", "…"], printed, Likeness(), {}) == ["names  figures", "…"]
    assert rewritten(["name", "…", "second", "…", "2 rows"], printed, Likeness(), {}) == [
        "names  figures", "…", "second 2", "…", "3 rows"
    ]  # fmt: skip
    assert rewritten(["names …", "…"], printed, Likeness(), {}) == ["names …", "…"]


def test_an_answer_is_compared_and_written_without_what_the_page_leaves_out():
    shown = shown_json.read('{"id": "4d4f69f9", "items": [{"a": 1, …}, …], "text": "It …", …}')
    answer = {"id": "67d07af9", "items": [{"a": 1, "b": 2}, {"a": 3}], "text": "It is so", "more": None}
    assert shown_json.alike(shown, answer, Likeness()).ids == {"4d4f69f9": "67d07af9"}
    assert shown_json.alike(shown, {**answer, "text": "Is it"}, Likeness()) is None
    assert shown_json.alike(shown, {**answer, "items": []}, Likeness()) is None
    new = {**answer, "items": [{"a": 2, "b": 2}, {"a": 3}], "status": "new"}
    short = shown_json.written(shown_json.shortened(shown, new))
    assert short == '{"id": "67d07af9", "items": [{"a": 2, …}, …], "text": "It …", …}'
    assert shown_json.bound(shown, new, Likeness()).as_shown(short, {}).startswith('{"id": "4d4f69f9"')


def test_keys_and_items_may_only_be_left_out_where_the_page_says_so():
    assert shown_json.alike({"a": 1}, {"a": 1, "b": 2}, Likeness()) is None
    assert shown_json.alike([1], [1, 2], Likeness()) is None
    assert shown_json.alike({"a": 1, "…": 0}, {"b": 1}, Likeness()) is None
