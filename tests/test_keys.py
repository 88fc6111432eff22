"""Keys of a service: whom a secret lets in, as what, and that a key can do no more than its maker."""

from __future__ import annotations

import hashlib
import json
import threading
from datetime import timedelta

import pytest
from talking_for_tests import wherefrom

from wherefrom import Conflict, Forbidden, InvalidInput, InvalidNamespace, NotFound, Store
from wherefrom.model import cancellation
from wherefrom.model.cancellation import Cancellation
from wherefrom.storage import keys as stored_keys


@pytest.fixture
def store(url, clock):
    with Store.open(url, embedder="none", clock=clock) as opened:
        yield opened


@pytest.fixture
def team(store):
    return store.memory(owner="acme", root="team", also=["shared"], allow=["answer:task", "tool:*"])


def test_a_secret_stands_for_what_its_key_was_made_with(store, team):
    given = {"root": "北/a", "also": ["shared/x"], "namespace": "今日", "allow": ["answer:task"], "tools": ["graph"]}
    made = team.create_key("アンナ", role="read", **given)
    caller = store.caller_of(made.secret)
    assert (caller.name, caller.owner, caller.role, caller.key_id) == ("アンナ", "acme", "read", made.key.id)
    assert (caller.root, caller.also, caller.namespace) == ("team/北/a", ("shared/x",), "team/北/a/今日")
    assert (caller.allow, caller.tools) == (("answer:task",), ("graph",))
    view = store.memory_of(caller).view
    assert (view.access.owner, view.access.root, view.access.namespace) == ("acme", caller.root, caller.namespace)
    assert (view.access.also, view.access.tags, view.access.role) == (caller.also, caller.allow, "read")
    assert (view.access.written_by, view.tools) == ("アンナ", ("graph",))


def test_what_is_not_given_is_that_of_the_maker(store, team):
    caller = store.caller_of(team.create_key("bob").secret)
    assert (caller.root, caller.also, caller.namespace) == ("team", ("shared",), None)
    assert (caller.allow, caller.role, caller.tools) == (("answer:task", "tool:*"), "write", ("all",))
    assert store.memory_of(caller).view.access.namespace == "team"


def test_a_maker_with_few_tools_makes_keys_with_these_if_none_are_given(store, team):
    maker = store.memory_of(store.caller_of(team.create_key("maker", role="admin", tools=["memory", "upkeep"]).secret))
    made = maker.create_key("bob", role="read")
    assert made.key.tools == ("memory", "upkeep")
    assert maker.create_key("eve", role="read", tools=["memory"]).key.tools == ("memory",)
    with pytest.raises(Forbidden, match="tools that this access may not"):
        maker.create_key("kim", role="read", tools=["all"])


def test_a_default_namespace_of_the_settings_is_not_the_default_of_a_key(url, clock, monkeypatch):
    monkeypatch.setenv("WHEREFROM_NAMESPACE", "notes")
    with Store.open(url, embedder="none", clock=clock) as store:
        caller = store.caller_of(store.memory().create_key("bob").secret)
        assert store.memory_of(caller).view.access.namespace == "main"


def test_only_a_hash_of_the_secret_is_stored(url, execute, team):
    made = team.create_key("bob")
    rows = execute(url, "select * from keys")
    assert len(rows) == 1
    assert hashlib.sha256(made.secret.encode()).hexdigest() in rows[0]
    random_part = made.secret.rpartition("_")[2]
    assert len(random_part) == 32
    assert not any(random_part in str(value) for value in rows[0])
    assert random_part not in repr(team.keys())


def test_a_wrong_secret_lets_nobody_in(store, team):
    secret = team.create_key("bob").secret
    other = team.create_key("eve").secret
    mixed = secret.rpartition("_")[0] + "_" + other.rpartition("_")[2]
    unknown = "wf_0192f3a0-7c1e-7d3a-8000-000000000000_" + secret.rpartition("_")[2]
    for wrong in (mixed, unknown, secret[:-1], secret + "a", secret.upper(), " " + secret, secret + "\n", "", "wf_",
                  "wf_\0_" + "a" * 32, "\ud800", "wf_" + "x" * 10_000, secret.rpartition("_")[2]):  # fmt: skip
        assert store.caller_of(wrong) is None, wrong
    assert store.caller_of(secret).name == "bob"


def test_an_unknown_key_costs_the_same_comparisons(store, team, monkeypatch):
    secret, compared = team.create_key("bob").secret, []
    compare = stored_keys.hmac.compare_digest
    monkeypatch.setattr(stored_keys.hmac, "compare_digest", lambda *both: compared.append(both) or compare(*both))
    for given in (secret, secret[:-1] + ("a" if secret[-1] != "a" else "b"), "wf_unknown_" + "a" * 32, "nothing"):
        compared.clear()
        store.caller_of(given)
        assert [len(one) == len(other) == 64 for one, other in compared] == [True, True]


def test_an_expired_key_lets_nobody_in(store, team, clock):
    made = team.create_key("bob", expires="12h")
    assert made.key.expires_at == "2026-01-01T12:00:00.000000Z"
    clock.now += timedelta(hours=12) - timedelta(microseconds=1)
    assert store.caller_of(made.secret) is not None
    assert store.has_keys()
    clock.now += timedelta(microseconds=1)
    assert store.caller_of(made.secret) is None
    assert not store.has_keys()
    assert store.wants_keys()
    assert [key.state for key in team.keys().keys] == ["expired"]
    with pytest.raises(Conflict, match="has expired"):
        team.rotate_key(made.key.id)
    assert store.caller_of(team.rotate_key(made.key.id, expires="1d").secret) is not None


@pytest.mark.parametrize("given", ["2020-01-01", "0d", "soon", "-1d", "1.5h", "100000d", 90, "1٣d"])
def test_an_expiry_is_a_time_to_come(team, given):
    with pytest.raises(InvalidInput, match="expires"):
        team.create_key("bob", expires=given)


def test_a_date_counts_to_its_end(team):
    assert team.create_key("bob", expires="2999-12-31").key.expires_at == "2999-12-31T23:59:59.999999Z"


def test_a_revoked_key_lets_nobody_in_from_the_next_call_on(url, clock, store, team):
    made = team.create_key("bob")
    with Store.open(url, embedder="none", clock=clock) as replica:
        assert replica.caller_of(made.secret) is not None
        assert team.revoke_key(made.key.id).state == "revoked"
        assert replica.caller_of(made.secret) is None
        assert not replica.has_keys()
        assert replica.wants_keys()
    before = team.keys().keys[0].revoked_at
    clock.now += timedelta(days=1)
    assert team.revoke_key(made.key.id).revoked_at == before
    with pytest.raises(Conflict, match="was revoked"):
        team.rotate_key(made.key.id)
    assert team.create_key("bob").key.id != made.key.id


def test_a_former_secret_stops_at_once_or_after_its_grace(store, team, clock):
    first = team.create_key("bob")
    second = team.rotate_key(first.key.id)
    assert store.caller_of(first.secret) is None
    third = team.rotate_key(first.key.id[-8:], grace="1h")
    assert third.key.id == first.key.id
    assert store.caller_of(first.secret) is None
    assert store.caller_of(second.secret) == store.caller_of(third.secret)
    clock.now += timedelta(hours=1)
    assert store.caller_of(second.secret) is None
    assert store.caller_of(third.secret) is not None
    fourth = team.rotate_key(first.key.id, grace="1h")
    team.revoke_key(first.key.id)
    assert store.caller_of(third.secret) is store.caller_of(fourth.secret) is None
    with pytest.raises(InvalidInput, match="grace"):
        team.rotate_key(first.key.id, grace="31d")


def test_the_last_use_is_stored_once_a_minute_and_not_by_the_call(url, execute, store, team, clock):
    made = team.create_key("bob")

    def last():
        store.journal.write()
        return team.keys().keys[0].last_used_at

    assert last() is None
    store.caller_of(made.secret)
    assert execute(url, "select last_used_at from keys") == [(None,)]
    used = last()
    assert used is not None
    clock.now += timedelta(seconds=59)
    store.caller_of(made.secret)
    assert last() == used
    clock.now += timedelta(seconds=2)
    store.caller_of(made.secret)
    assert last() > used
    store.caller_of(made.secret[:-1])
    assert team.keys().keys[0].last_used_at == last()


def test_a_use_that_waits_is_written_when_the_store_is_closed(url, clock, store, team):
    made = team.create_key("bob")
    with Store.open(url, embedder="none", clock=clock) as replica:
        replica.caller_of(made.secret)
    assert team.keys().keys[0].last_used_at is not None


def test_names_in_use_are_unique_for_an_owner(store, team):
    made = team.create_key("bob")
    with pytest.raises(Conflict, match="named 'bob'"):
        team.create_key("bob")
    assert store.memory(owner="other").create_key("bob").key.name == "bob"
    team.revoke_key(made.key.id)
    team.create_key("bob")


def test_keys_made_at_once_do_not_share_a_name(store, team):
    done = []

    def make():
        try:
            done.append(team.create_key("bob").key.name)
        except Conflict:
            done.append(None)

    threads = [threading.Thread(target=make) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done, key=str) == [None, None, None, "bob"]


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "a" * 129, "sk-ant-api03-" + "a1B2" * 10, 7, "\ud800"])
def test_a_name_is_a_line_without_secrets(team, name):
    with pytest.raises(InvalidInput, match="name"):
        team.create_key(name)


def test_a_key_is_found_by_its_owner_alone(store, team):
    made = team.create_key("bob")
    for other in (store.memory(owner="other", root="team"), store.memory(owner="acme", root="team/b")):
        assert other.keys().keys == ()
        for end in (other.rotate_key, other.revoke_key):
            for given in (made.key.id, made.key.id[-8:]):
                with pytest.raises(NotFound):
                    end(given)
    assert store.caller_of(made.secret) is not None


def test_a_key_can_do_no_more_than_its_maker(store, team):
    maker = store.memory_of(store.caller_of(team.create_key("ada", role="admin", root="a", also=[]).secret))
    assert maker.create_key("bea", role="admin", root="b").key.root == "team/a/b"
    assert maker.create_key("cec").key.created_by == "ada"
    with pytest.raises(InvalidNamespace):
        maker.create_key("eve", root="..")
    with pytest.raises(InvalidNamespace):
        maker.create_key("eve", also=["../b"])
    assert maker.create_key("dan", also=["shared"]).key.also == (), "a path that it may not read is one of its own"
    with pytest.raises(Forbidden, match="'tool:x'"):
        maker.create_key("eve", allow=["tool:x"])
    with pytest.raises(InvalidNamespace):
        maker.create_key("eve", namespace="..")
    for role in ("read", "write"):
        caller = store.caller_of(team.create_key(f"{role}r", role=role).secret)
        with pytest.raises(Forbidden, match="create_key"):
            store.memory_of(caller).create_key("eve", role="read")


def test_a_key_with_some_tools_makes_none_with_others(store, team):
    maker = store.memory_of(store.caller_of(team.create_key("ada", role="admin", tools=["memory", "graph"]).secret))
    assert maker.create_key("bea", tools=["graph"]).key.tools == ("graph",)
    for tools in (["all"], ["upkeep"], ["graph", "upkeep"]):
        with pytest.raises(Forbidden, match="tools"):
            maker.create_key("eve", tools=tools)
    for wrong in ([], ["web"], "everything"):
        with pytest.raises(InvalidInput, match="tools"):
            team.create_key("eve", tools=wrong)


def test_who_rotates_a_key_must_be_able_to_do_what_it_can(store, team):
    wide = team.create_key("wide", root="a")
    tagged = team.create_key("tagged", root="a", also=[])
    plain = team.create_key("plain", root="a", also=[], allow=["answer:task"])
    admin = store.memory(owner="acme", root="team/a", allow=["answer:task"])
    assert [(key.name, key.also) for key in admin.keys().keys] == [("plain", ()), ("tagged", ()), ("wide", ())]
    with pytest.raises(Forbidden, match="tool"):
        admin.rotate_key(tagged.key.id)
    with pytest.raises(Forbidden, match="may not read"):
        store.memory(owner="acme", root="team/a", allow=["answer:task", "tool:*"]).rotate_key(wide.key.id)
    assert store.caller_of(admin.rotate_key(plain.key.id).secret) is not None
    assert admin.revoke_key(wide.key.id).also == ()
    assert store.caller_of(tagged.secret) is not None


def test_keys_are_listed_in_pages(team):
    names = [team.create_key(f"key {number}").key.name for number in range(5)]
    first = team.keys(limit=2)
    second = team.keys(limit=2, cursor=first.next_cursor)
    third = team.keys(limit=2, cursor=second.next_cursor)
    assert [key.name for page in (first, second, third) for key in page.keys] == names[::-1]
    assert third.next_cursor is None


def test_a_use_is_written_also_by_a_call_that_was_cancelled(store, team):
    made = team.create_key("bob")
    assert store.caller_of(made.secret) is not None
    call = Cancellation()
    call.cancel()
    with cancellation.running(call):
        store.journal.write()
    assert team.keys().keys[0].last_used_at is not None


def test_keys_follow_a_renamed_namespace(store, team):
    team.save("in a", namespace="a/b")
    made = team.create_key("bob", root="a", namespace="b", also=[])
    reader = team.create_key("eve", root="c", also=["team/a/b"])
    team.rename_namespace("a", "z")
    caller = store.caller_of(made.secret)
    assert (caller.root, caller.namespace) == ("team/z", "team/z/b")
    assert store.caller_of(reader.secret).also == ("team/z/b",)
    assert [node.content for node in store.memory_of(caller).list().nodes] == ["in a"]


def test_a_store_without_keys_lets_nobody_in(store):
    assert not store.has_keys()
    assert not store.wants_keys()
    assert store.caller_of("wf_n-1_" + "a" * 32) is None


def test_agents_do_not_read_keys_in_sql(team):
    team.create_key("bob")
    for table in ("keys", "public.keys", "main.keys"):
        found = team.query_graph(f"select * from {table}")
        assert found.rows == ()
        assert found.error is not None


def test_people_make_and_end_keys(url):
    made = wherefrom(url, "key", "create", "アンナ", "--role", "read", "--expires", "90d", "--root", "team/ci")
    (secret,) = [line for line in made.splitlines() if line.startswith("wf_")]
    assert "role read in team/ci" in made
    with Store.open(url, embedder="none") as store:
        assert store.caller_of(secret).root == "team/ci"
        assert "アンナ" not in wherefrom(url, "key", "list")
        listed = wherefrom(url, "key", "list", "--root", "team")
        assert "アンナ" in listed
        assert secret.rpartition("_")[2] not in listed
        key_id = secret.split("_")[1][-8:]
        assert "works until" in wherefrom(url, "key", "rotate", key_id, "--grace", "1h", "--root", "team")
        assert store.caller_of(secret) is not None
        assert "is revoked" in wherefrom(url, "key", "revoke", key_id, "--root", "team")
        assert store.caller_of(secret) is None
        wherefrom(url, "key", "revoke", key_id, "--owner", "other", "--root", "team", code=3)
        wherefrom(url, "key", "create", "eve", "--allow", "tool:x", "--root", "team/ci")
        eve = wherefrom(url, "key", "list", "--root", "team/ci", "--json")
        wherefrom(url, "key", "rotate", json.loads(eve)["keys"][0]["id"], "--root", "team", code=7)
