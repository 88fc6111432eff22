"""The user's configuration file: what it may say, in which order it holds, and edits that keep the rest of it."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys

import pytest
from forking_for_tests import wherefrom_command
from hypothesis import given
from hypothesis import strategies as st

from wherefrom import InvalidInput, Memory, config, config_file


@pytest.fixture
def file(tmp_path, monkeypatch):
    """The path of a configuration file that is not there yet."""
    path = tmp_path / "settings" / "config.toml"
    monkeypatch.setenv(config_file.VARIABLE, str(path))
    return path


def write(file, text):
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")


def wherefrom(*arguments, code=0):
    done = subprocess.run(
        [*wherefrom_command(), *arguments], capture_output=True, text=True, timeout=60, check=False, env=os.environ
    )
    assert done.returncode == code, (done.stdout, done.stderr)
    assert "Traceback" not in done.stderr
    return done.stdout if code == 0 else done.stderr


def test_the_call_goes_before_the_environment_that_before_the_file_and_that_before_the_default(file):
    write(file, 'owner = "file"\nroot = "file"\nnamespace = "file"\n')
    found = config.in_force({"owner": "call"}, {"WHEREFROM_OWNER": "env", "WHEREFROM_ROOT": "env"})
    assert found["owner"] == ("call", "call")
    assert found["root"] == ("env", "environment")
    assert found["namespace"] == ("file", "file")
    assert found["pool_size"] == (8, "default")


def test_every_type_of_setting_is_read(file):
    write(file, 'also = ["a", "b"]\nallow = "x, y"\npool_size = 3\nalpha = 0.5\ncutoff_sensitivity = 2\n')
    settings = config.load({}, {})
    assert (settings.also, settings.allow) == (("a", "b"), ("x", "y"))
    assert (settings.pool_size, settings.alpha, settings.cutoff_sensitivity) == (3, 0.5, 2)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('# one\nowner = "x"\nwoner = "y"', "line 3: there is no setting 'woner'"),
        ("[embed]\nkey = 1", "line 1: there is no setting 'embed'"),
        ('also = [\n "a",\n]\npool_size = "many"', "line 4: pool_size must be a positive whole number, not 'many'"),
        ("pool_size = 1.5", "pool_size must be a positive whole number"),
        ("pool_size = true", "pool_size must be a positive whole number"),
        ("pool_size = 0", "pool_size must be a positive whole number"),
        ("owner = 5", "owner must be a text, not 5"),
        ("also = [1]", "also must be a list of texts"),
        ('alpha = "high"', "alpha must be a number from 0 to 1"),
        ("alpha = 7", "alpha 7.0 is outside 0..1"),
        ('embedder = "magic"', "is not one of static"),
        ("owner = ", "is not TOML: Invalid value"),
        ('owner = "x"\nowner = "y"\n', r"is not TOML: .*line 2"),
        ("owner = " + "[" * 5000, "is not TOML"),
    ],
)
def test_what_a_file_may_not_say_is_named_with_its_place(file, text, said):
    write(file, text)
    with pytest.raises(InvalidInput, match=said):
        config.load({}, {})


def test_a_file_that_cannot_be_read_is_said(file):
    file.parent.mkdir()
    file.write_bytes(b"owner = '\xff'")
    with pytest.raises(InvalidInput, match="not UTF-8"):
        config.load({}, {})
    file.unlink()
    file.mkdir()
    with pytest.raises(InvalidInput, match="cannot read the settings"):
        config.load({}, {})


def test_a_file_that_changes_is_read_again(file):
    assert config.load({}, {}).owner == "local"
    for second, owner in enumerate(("one", "two", "six")):
        write(file, f'owner = "{owner}"\n')
        os.utime(file, (second, second))
        assert config.load({}, {}).owner == owner


def test_a_memory_is_opened_as_the_file_says(file, tmp_path):
    write(file, f'db = "{tmp_path / "m.db"}"\nroot = "team"\n')
    with Memory.open() as memory:
        assert memory.save("text").node.namespace == "team"
    assert (tmp_path / "m.db").exists()


def test_setting_keeps_comments_and_all_other_lines(file):
    write(file, '# mine\nowner = "a"  # who # I am\nalso = [ # two\n  "x",\n  "y", # last\n] # end\n\n# end\n')
    config_file.put(file, "owner", 'b "#" c')
    config_file.put(file, "also", ("z",))
    config_file.put(file, "pool_size", 4)
    assert file.read_text() == ('# mine\nowner = "b \\"#\\" c"  # who # I am\nalso = ["z"]\n\n# end\npool_size = 4\n')
    assert config_file.drop(file, "also")
    assert not config_file.drop(file, "also")
    assert file.read_text() == '# mine\nowner = "b \\"#\\" c"  # who # I am\n\n# end\npool_size = 4\n'


def test_a_key_inside_a_long_text_is_none(file):
    write(file, 'owner = """\nroot = "a"\n"""\n')
    assert config_file.line_of(file, "root") == 1
    config_file.put(file, "root", "b")
    assert config_file.read(file) == {"owner": 'root = "a"\n', "root": "b"}


@given(st.text(max_size=30), st.text(st.characters(codec="utf-8"), max_size=30))
def test_any_text_is_written_as_it_is_or_refused(tmp_path_factory, value, comment):
    path = tmp_path_factory.mktemp("config") / "config.toml"
    path.write_text("# " + "".join(c for c in comment if c.isprintable()) + "\n", encoding="utf-8")
    try:
        config_file.put(path, "owner", value)
    except (InvalidInput, config_file.StoreUnavailable):
        return
    assert config_file.read(path) == {"owner": value}


def test_a_new_file_is_private_and_a_link_stays_one(file, tmp_path):
    config_file.put(file, "owner", "a")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    link = tmp_path / "link.toml"
    link.symlink_to(file)
    config_file.put(link, "owner", "b")
    assert link.is_symlink()
    assert config_file.read(file) == {"owner": "b"}
    assert sorted(file.parent.iterdir()) == [file]


def test_what_is_no_file_is_not_replaced(monkeypatch):
    monkeypatch.setenv(config_file.VARIABLE, os.devnull)
    assert config.load({}, {}).owner == "local"
    with pytest.raises(InvalidInput, match="is no file"):
        config_file.put(config_file.path(), "owner", "a")


def test_the_command_shows_every_setting_and_where_it_comes_from(file, monkeypatch):
    write(file, 'owner = "team"\nembed_key = "sk-very-secret"\n')
    monkeypatch.setenv("WHEREFROM_DB", "postgresql://me:hush@host/db?password=hush")
    shown = wherefrom("config")
    told = json.loads(wherefrom("config", "--json"))
    for out in (shown, json.dumps(told)):
        assert "sk-very-secret" not in out
        assert "hush" not in out
    assert told["file"] == str(file)
    rows = {row["setting"]: (row["value"], row["from"]) for row in told["settings"]}
    assert rows.keys() == {setting.name for setting in config.SETTINGS}
    assert rows["owner"] == ("team", "file")
    assert rows["db"] == ("postgresql://me:***@host/db?password=***", "environment (WHEREFROM_DB)")
    assert rows["embed_key"] == ("(hidden)", "file")
    assert rows["pool_size"] == (8, "default")


def test_the_command_changes_the_file_and_refuses_what_is_wrong(file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert wherefrom("config", "path") == f"{file}\n"
    wherefrom("config", "set", "db", "here.db")
    wherefrom("config", "set", "also", "a, b")
    assert config_file.read(file) == {"db": str(tmp_path / "here.db"), "also": ["a", "b"]}
    before = file.read_text()
    for name, value in (
        ("nope", "1"), ("pool_size", "x"), ("cutoff", "maybe"), ("root", "../x"), ("alpha", "2"), ("owner", ""),
        ("embedder", "magic"), ("embed_classes", "secret"), ("owner", "\x7f"),
    ):  # fmt: skip
        assert wherefrom("config", "set", name, value, code=2).startswith(("invalid_input", "invalid_namespace"))
    assert file.read_text() == before
    wherefrom("config", "unset", "db")
    assert "does not set db" in wherefrom("config", "unset", "db", code=3)
    with file.open("a") as stream:
        stream.write('woner = "x"\n')
    assert "`wherefrom config unset woner` takes it out" in wherefrom("config", code=2)
    wherefrom("config", "unset", "woner")
    wherefrom("config")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('[old]\nowner = "someone"\n', ""),
        (
            'root = "r"\n[old] # it\nowner = """\nit\n"""\n# of new\n[new]\nx = 1\n',
            'root = "r"\n# of new\n[new]\nx = 1\n',
        ),
        ('[old.a]\nowner = "a"\n[new]\nold = 1\n[old.b]\nowner = "b"\n', "[new]\nold = 1\n"),
        ('[[old]]\nowner = "a"\n[[old]]\nowner = "b"\n', ""),
        ('old.x = 1\nold.y = 2\nowner = "me"\n', 'owner = "me"\n'),
    ],
)
def test_a_table_goes_with_its_keys_which_do_not_come_into_force(file, text, left):
    write(file, text)
    with pytest.raises(InvalidInput):
        config.load({}, {})
    assert config_file.drop(file, "old")
    assert file.read_text() == left
    assert not config_file.drop(file, "old")


def test_the_hint_of_an_unknown_table_takes_out_the_whole_of_it(file):
    write(file, '[old]\nowner = "someone"\n')
    assert "`wherefrom config unset old` takes it out" in wherefrom("config", code=2)
    wherefrom("config", "unset", "old")
    assert config.load({}, {}).owner == "local"


def test_a_key_of_a_table_is_none_of_the_file(file):
    write(file, '[old]\nowner = "someone"\n')
    assert not config_file.drop(file, "owner")
    assert config_file.line_of(file, "owner") == 1
    with pytest.raises(InvalidInput):
        config_file.put(file, "owner", "me")
    assert file.read_text() == '[old]\nowner = "someone"\n'


@pytest.mark.parametrize("wrong", ["owner = 5 # me\n", '[owner]\nroot = "x"\n', "owner.a = 1\nowner.b = 2\n"])
def test_a_wrong_value_can_be_corrected_by_setting_it_or_taking_it_out(file, wrong):
    write(file, wrong)
    hint = "`wherefrom config unset owner` takes it out"
    assert hint in wherefrom("config", code=2)
    wherefrom("config", "set", "owner", "team")
    assert config_file.read(file) == {"owner": "team"}
    write(file, wrong + "\n")
    wherefrom("config", "unset", "owner")
    assert config_file.read(file) == {}


def test_another_wrong_value_still_refuses_to_set_one(file):
    write(file, "owner = 5\nroot = 6\n")
    assert "root must be a text" in wherefrom("config", "set", "owner", "team", code=2)
    wherefrom("config", "unset", "root")
    wherefrom("config", "set", "owner", "team")


def test_what_a_crash_left_behind_does_not_stop_a_process_of_the_same_number(file):
    write(file, "")
    file.with_name(f".{file.name}.{os.getpid()}").write_text("half")
    config_file.put(file, "owner", "a")
    assert config_file.read(file) == {"owner": "a"}


def test_without_a_file_nothing_is_imported_to_read_one(tmp_path):
    code = "import sys\nfrom wherefrom import config\nconfig.load({})\nprint('tomllib' in sys.modules)"
    for there in (False, True):
        path = tmp_path / "config.toml"
        if there:
            path.write_text('owner = "x"\n')
        environment = {**os.environ, config_file.VARIABLE: str(path)}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        assert done.stdout == f"{there}\n"


def test_a_comment_stays_one_whatever_ends_lines_elsewhere(file):
    write(file, '# hello \x85embed_url = "http://evil.example/v1"\u2028db = "x"\n')
    wherefrom("config", "set", "namespace", "team")
    assert config.load({}).embed_url == ""
    assert config.load({}).db == ""
    assert config.load({}).namespace == "team"


@pytest.mark.parametrize(
    "text", ["embed_key = ['sk-very-secret']", "embed_key.x = 'sk-very-secret'", 'embed_key = "sk-very-secret\\n"']
)
def test_an_error_about_the_key_does_not_print_it(file, text):
    write(file, text)
    for command in (("config",), ("doctor",), ("config", "set", "owner", "me"), ("list", "--json")):
        said = wherefrom(*command, code=2)
        assert "embed_key" in said
        assert "very-secret" not in said
    assert "very-secret" not in wherefrom("config", "set", "embed_key", "sk-very-secret\x7f", code=2)
    assert "very-secret" not in wherefrom("config", "set", "embed_key", "sk-very-secret")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_or_device_as_settings_file_is_refused_and_not_waited_for(file, monkeypatch):
    file.parent.mkdir()
    os.mkfifo(file)
    for command in (("config",), ("config", "set", "owner", "me"), ("list",)):
        assert "it is no regular file" in wherefrom(*command, code=2)
    monkeypatch.setenv(config_file.VARIABLE, "/dev/zero")
    assert "it is no regular file" in wherefrom("config", code=2)


def test_the_default_database_is_shown_with_its_path(file, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("WHEREFROM_DB", raising=False)
    rows = {row["setting"]: row for row in json.loads(wherefrom("config", "--json"))["settings"]}
    assert (rows["db"]["value"], rows["db"]["from"]) == (str(config.new_default()), "default")
    assert not config.new_default().parent.exists()
    former = config.former_default()
    former.parent.mkdir(parents=True)
    former.touch()
    assert str(former) in "".join(wherefrom("config").split())
