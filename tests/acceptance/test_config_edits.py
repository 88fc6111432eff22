"""Edits of JSON and TOML texts: what is put in can be read, what was there stays, and what is taken out leaves no trace."""

from __future__ import annotations

import json
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wherefrom import Conflict, InvalidInput
from wherefrom.interfaces.clients import json_edit, toml_edit
from wherefrom.interfaces.clients.config_files import ConfigFile
from wherefrom.interfaces.clients.edits import Fault

ENTRY = {"command": "/opt/my tools/wherefrom", "args": ["mcp", "--db", '/tmp/ü "x".db']}
SERVER = ("mcpServers", "wherefrom")
COMMENTED = """\
// my servers
{
\t/* the order matters */
\t"inputs": [], // none yet
\t"mcpServers": {
\t\t// the first
\t\t"docs": { "command": "npx", "args": ["-y", "docs"], }, // with a comma
\t},
}
"""
LAYOUTS = {
    "other servers": '{\n  "mcpServers": {\n    "docs": {\n      "command": "npx"\n    }\n  },\n  "z": 1\n}\n',
    "no servers": '{\n    "theme": "dark",\n    "größe": [1, 2, {"a": null}]\n}',
    "one line": '{"mcpServers":{"docs":{"url":"https://x//y"}},"a":[1,2]}',
    "one line with spaces": '{ "mcpServers": { "docs": {} }, "a": 1 }',
    "CRLF": '{\r\n  "mcpServers": {\r\n    "docs": {}\r\n  }\r\n}\r\n',
    "comments and trailing commas": COMMENTED,
    "comment behind the brace": '{ // all of it\n  "a": 1\n}\n',
    "byte order mark": '\ufeff{\n  "a": 1\n}\n',
    "escapes": '{\n  "a\\"}{": "b\\\\",\n  "mcpServers": {"c/*d": "//e"}\n}',
}


def put(text, path, value):
    edit = json_edit.put(text, path, value)
    return text if edit is None else edit.applied(text)


def taken_out(text, path):
    return json_edit.remove(text, path).applied(text)


def plain(text):
    return json_edit.parse(text).plain


@pytest.mark.parametrize("text", LAYOUTS.values(), ids=LAYOUTS)
def test_a_member_is_put_in_and_taken_out_without_a_trace(text):
    before = plain(text)
    after = put(text, SERVER, ENTRY)
    assert plain(after) == {**before, "mcpServers": {**before.get("mcpServers", {}), "wherefrom": ENTRY}}
    assert put(after, SERVER, ENTRY) == after
    assert taken_out(after, SERVER) == text
    assert ("\r\n" in text) == ("\r\n" in after)
    assert after.count("\n") == after.count("\r\n") or "\r\n" not in text


@pytest.mark.parametrize("text", LAYOUTS.values(), ids=LAYOUTS)
def test_no_line_that_was_there_changes(text):
    edit = json_edit.put(text, SERVER, ENTRY)
    assert edit.removed == ""
    assert all(line.startswith("+ ") for line in edit.lines())


def test_strict_json_stays_strict_json():
    for name in ("other servers", "no servers", "one line", "one line with spaces", "CRLF", "escapes"):
        assert json.loads(put(LAYOUTS[name], SERVER, ENTRY)) == plain(put(LAYOUTS[name], SERVER, ENTRY))


@pytest.mark.parametrize("text", ["", " \n", "\ufeff", "// nothing yet\n", "{}", "{\n}\n", "{ /* nothing */ }"])
def test_an_empty_file_gets_an_object(text):
    assert plain(put(text, SERVER, ENTRY)) == {"mcpServers": {"wherefrom": ENTRY}}


def test_an_entry_that_another_program_moved_to_the_end_is_taken_out():
    text = '{\n  "mcpServers": {\n    "docs": {}, // the docs\n    "wherefrom": {"command": "x"}\n  }\n}\n'
    assert taken_out(text, SERVER) == '{\n  "mcpServers": {\n    "docs": {} // the docs\n  }\n}\n'


def test_an_object_with_a_comment_is_not_taken_out_with_its_last_member():
    text = '{\n  "mcpServers": {\n    // mine\n    "wherefrom": {}\n  }\n}\n'
    assert taken_out(text, SERVER) == '{\n  "mcpServers": {\n    // mine\n  }\n}\n'


def test_of_two_members_with_one_name_the_last_is_changed():
    text = '{"mcpServers": {"a": 1}, "mcpServers": {"b": 2}}'
    assert json.loads(put(text, SERVER, ENTRY)) == {"mcpServers": {"b": 2, "wherefrom": ENTRY}}


def test_an_element_is_put_first_into_a_list():
    text = '{\n  "hooks": {\n    "Stop": [\n      {"hooks": []}\n    ]\n  }\n}'
    after = json_edit.put_first(text, ["hooks", "Stop"], {"hooks": [1]}).applied(text)
    assert json.loads(after)["hooks"]["Stop"] == [{"hooks": [1]}, {"hooks": []}]
    assert taken_out(after, ["hooks", "Stop", 0]) == text


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{\n  "a": 1\n  "b": 2\n}', 3),
        ('{\n  "a": tru\n}', 2),
        ('{"a": 1}\n\nx', 3),
        ('{\n "a": [1, 2\n', 3),
        ("{\n\n 'a': 1}", 3),
        ('{"a": "b\n"}', 1),
        ("[" * 300, 1),
        ('{"a": /* never ends', 1),
    ],
)
def test_a_broken_text_is_refused_with_its_line(text, line):
    with pytest.raises(Fault, match=f"^line {line}: "):
        json_edit.put(text, SERVER, ENTRY)


@pytest.mark.parametrize("text", ["[]", '{"mcpServers": []}', '{"mcpServers": null}', '"x"'])
def test_a_text_of_another_shape_is_refused(text):
    with pytest.raises(Fault, match="not an object"):
        json_edit.put(text, SERVER, ENTRY)


_texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
_values = st.recursive(
    st.none() | st.booleans() | st.integers() | _texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_texts, inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(_texts, _values, min_size=1), st.sampled_from([None, 0, 1, 2, "\t"]), st.booleans())
def test_any_object_in_any_layout_is_changed_and_changed_back(value, indent, ascii_only):
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    after = put(text, ("wherefrom ü", "inner"), ENTRY)
    assert json.loads(after) == {**value, "wherefrom ü": {"inner": ENTRY}}
    assert taken_out(after, ("wherefrom ü", "inner")) == text


TOML = """\
# my settings
model = "gpt-5"   # the best

[mcp_servers.docs]
command = "npx"
args = [
  "-y",
  ["odd"],
]

# notes on profiles
[profiles.fast]
effort = "low"
"""
TABLE = ("mcp_servers", "wherefrom")


@pytest.mark.parametrize("text", ["", "a = 1\n", TOML, TOML.replace("\n", "\r\n")], ids=["empty", "a", "full", "CRLF"])
def test_a_table_is_put_in_and_taken_out_without_a_trace(text):
    after = toml_edit.put(text, TABLE, ENTRY).applied(text)
    before = tomllib.loads(text)
    assert tomllib.loads(after) == {**before, "mcp_servers": {**before.get("mcp_servers", {}), "wherefrom": ENTRY}}
    assert toml_edit.put(after, TABLE, ENTRY) is None
    assert toml_edit.remove(after, TABLE).applied(after) == text
    assert toml_edit.remove(text, TABLE) is None


def test_a_table_is_changed_where_it_stands_and_keeps_what_is_not_ours():
    text = (
        'a = 1\n[mcp_servers.wherefrom]\ncommand = "old"\nstartup_timeout_sec = 20 # slow\nargs = ["mcp"]\n'
        '[mcp_servers.wherefrom.env]\nX = "1"\n\n# next\n[b]\nc = 2\n'
    )
    after = toml_edit.put(text, TABLE, ENTRY).applied(text)
    assert tomllib.loads(after)["mcp_servers"]["wherefrom"] == {**ENTRY, "startup_timeout_sec": 20, "env": {"X": "1"}}
    assert "# slow" in after
    assert toml_edit.remove(after, TABLE).applied(after) == "a = 1\n\n# next\n[b]\nc = 2\n"


@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers = { docs = { command = "x" } }\n',
        'mcp_servers.wherefrom = { command = "x", args = ["mcp"] }\n',
        "mcp_servers = 3\n",
        '[mcp_servers.wherefrom]\ncommand = "x"\nargs = [\n  "mcp",\n]\n',
        'note = """\n[mcp_servers.wherefrom]\n"""\n[mcp_servers]\nwherefrom.command = "x"\n',
    ],
)
def test_a_table_that_is_written_in_another_way_is_left_to_its_owner(text):
    with pytest.raises(Fault, match=r"by hand|not a table"):
        toml_edit.put(text, TABLE, ENTRY)


def test_broken_toml_is_refused_with_its_line():
    with pytest.raises(Fault, match=r"^line 3: "):
        toml_edit.put("a = 1\n\nb = = 2\n", TABLE, ENTRY)


def test_a_file_that_changed_after_it_was_shown_is_not_written(tmp_path):
    path = tmp_path / "mcp.json"
    path.write_text("{}")
    file = ConfigFile(path, is_shared=False)
    file.edit(lambda text: json_edit.put(text, SERVER, ENTRY))
    path.write_text('{"other": 1}')
    with pytest.raises(Conflict, match="was changed in the meantime"):
        file.write()
    assert path.read_text() == '{"other": 1}'
    assert list(tmp_path.iterdir()) == [path]


def test_a_large_file_is_read_once_for_each_text_that_it_has(tmp_path):
    path = tmp_path / "mcp.json"
    path.write_text(
        json.dumps({"history": [{"said": "x" * 80}] * 2_000, "mcpServers": {"wherefrom": {"command": "x"}}})
    )
    json_edit.parse.cache_clear()
    file = ConfigFile(path, is_shared=False)
    for _ in range(10):
        file.look(lambda text: json_edit.at(text, SERVER))
        file.edit(lambda text: json_edit.put(text, SERVER, ENTRY))
    assert json_edit.parse.cache_info().misses == 2


def test_a_file_that_would_take_too_long_is_refused(tmp_path):
    path = tmp_path / "mcp.json"
    path.write_text(json.dumps({"history": "x" * 17_000_000}))
    with pytest.raises(InvalidInput, match="larger than 16,777,216 bytes"):
        ConfigFile(path, is_shared=False)
