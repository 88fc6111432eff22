"""Which URLs open what."""

from __future__ import annotations

import sys

import pytest

from wherefrom import InvalidInput, InvalidNamespace, Memory, StoreError, StoreUnavailable, config


def test_a_bare_path_and_its_url_are_the_same_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Memory.open("memory.db") as memory:
        memo = memory.save("text").node
    for url in (tmp_path / "memory.db", f"sqlite:///{tmp_path}/memory.db", "sqlite:///memory.db", "./memory.db"):
        with Memory.open(url) as memory:
            assert memory.get(memo.id) == memo


@pytest.mark.parametrize(
    "url", ["mysql://x/y", "sqlite://host/x", "sqlite://", "sqlite:///", ":memory:", "sqlite:///:memory:", "a\0b"]
)
def test_urls_that_name_no_database(url):
    with pytest.raises(InvalidInput):
        Memory.open(url)


@pytest.mark.parametrize(
    "url", ["/nonexistent-folder/x.db", "postgresql://nobody@127.0.0.1:1/none", "postgresql://[broken"]
)
def test_databases_that_cannot_be_reached(url):
    with pytest.raises(StoreUnavailable) as raised:
        Memory.open(url)
    assert raised.value.hint


@pytest.mark.parametrize("url", ["~no-such-user/x.db", "\udcff.db", 5, b"x", ["a"]])
def test_what_is_no_path_at_all(url):
    with pytest.raises(InvalidInput):
        Memory.open(url)


@pytest.mark.parametrize("given", [{"root": ["a"]}, {"root": 5}, {"allow": 5}, {"owner": 5}, {"namespace": []}])
def test_an_access_of_the_wrong_types_is_refused(tmp_path, given):
    with pytest.raises(InvalidInput):
        Memory.open(tmp_path / "m.db", **given)
    assert not (tmp_path / "m.db").exists()


def test_a_device_is_no_database():
    with pytest.raises(StoreError):
        Memory.open("/dev/null")


def test_a_folder_is_no_database(tmp_path):
    with pytest.raises(StoreUnavailable):
        Memory.open(tmp_path)


def test_without_a_url_the_memory_is_in_a_private_folder_of_the_user(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    monkeypatch.setenv("HOME", str(tmp_path))
    if sys.platform != "linux":
        pytest.fail("this test knows where Linux keeps user data; teach it this platform")
    with Memory.open() as memory:
        memory.save("text")
    folder = tmp_path / "share" / "wherefrom"
    assert (folder / "memory.db").exists()
    assert folder.stat().st_mode & 0o077 == 0


def test_settings_come_from_the_call_then_the_environment_then_the_defaults():
    environment = {"WHEREFROM_OWNER": "env", "WHEREFROM_ROOT": "env/root", "WHEREFROM_ALLOW": "a, b,"}
    settings = config.load({"owner": "call", "root": None}, environment)
    assert (settings.owner, settings.root, settings.allow, settings.pool_size) == ("call", "env/root", ("a", "b"), 8)


@pytest.mark.parametrize("text", ["x", "0", "-1", "1.5"])
def test_a_malformed_number_in_the_environment_is_named(text):
    with pytest.raises(InvalidInput, match="WHEREFROM_POOL_SIZE"):
        config.load({}, {"WHEREFROM_POOL_SIZE": text})


def test_a_default_namespace_outside_the_root_is_refused(tmp_path):
    with pytest.raises(InvalidNamespace):
        Memory.open(tmp_path / "x.db", root="a", namespace="../b")


def test_a_closed_memory_says_so(url):
    memory = Memory.open(url)
    memory.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        memory.list()
