"""Policies: applied, kept, per namespace, and what they do to every verb, on both databases."""

from __future__ import annotations

import io
import json

import pytest
from import_for_tests import exported, stream
from policies_for_tests import LAX
from talking_for_tests import Clock, call, refusal, talk, wherefrom

from wherefrom import BoundaryDenied, Conflict, InvalidInput, Memory, NotFound
from wherefrom.text.check import content_hash

EMAIL = "kim.lee" + "@" + "example.org"
PHONE = "+81 90-" + "1234-5678"
SECRET = "ghp" + "_" + "aB3" * 12
STRICT = """
version: 1.0.0
boundary_classes:
  internal: {allow: ["tool:vault"]}
"""
NO_BREAKING = """
version: 2.0.0
invariants:
  - name: no_destructive_change
    applies_to: [principle, project]
    rule: api.breaking_change == false
"""


def written(**sections):
    return json.dumps({"version": "1.0.0", **sections})  # JSON is YAML


# --- applying ---------------------------------------------------------------------------------------------------------


def test_a_policy_is_validated_tried_applied_and_kept(memory, url, execute):
    assert [each.namespace for each in memory.policy()] == [""], "the default policy holds"
    valid = memory.apply_policy(written(), validate_only=True)
    assert (valid.status, valid.version, valid.previous_version, valid.reclassify) == ("valid", "1.0.0", None, {})
    tried = memory.apply_policy(written(), dry_run=True)
    assert (tried.status, tried.reclassify["checked"]) == ("dry_run", 0)
    assert memory.policy()[0].namespace == ""
    assert execute(url, "select count(*) from policies")[0][0] == 0
    applied = memory.apply_policy(written(), expected_version="none", approver="Kim", request_id="r1")
    assert (applied.status, applied.namespace, applied.previous_version) == ("applied", "main", None)
    assert memory.apply_policy(written()).status == "unchanged"
    again = memory.apply_policy(written(version="1.1.0"), expected_version="1.0.0")
    assert (again.status, again.previous_version) == ("applied", "1.0.0")
    history = memory.policy()
    assert [(each.version, each.approver) for each in history] == [("1.1.0", None), ("1.0.0", "Kim")]
    assert history[1].yaml == written()
    rows = execute(url, "select payload, request_id from events where topic = 'policy' order by seq")
    assert [(json.loads(payload)["version"], request) for payload, request in rows] == [
        ("1.0.0", "r1"),
        ("1.1.0", None),
    ]
    for given in ({"expected_version": "1.0.0"}, {"expected_version": "none"}):
        with pytest.raises(Conflict, match=r"1\.1\.0"):
            memory.apply_policy(written(version="1.2.0"), **given)
    with pytest.raises(Conflict, match="already used"):
        memory.apply_policy(written(detect={"email": "internal"}))
    assert len(memory.policy()) == 2
    assert memory.activate("anything").policy_version == memory.search("anything").policy_version == "1.1.0"


@pytest.mark.parametrize("given", [{"validate_only": True}, {"dry_run": True}, {}])
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("version: 1.0.0\nscopes: {session: {ttl_days: -1}}", 2),
        ("version: 1.0.0\n\nsurprise: 1", 3),
        ("version: one", 1),
        ("scopes: {}", 1),
        ("version: 1.0.0\nboundary_classes:\n  internal: {allow: everyone}", 3),
        ("version: 1.0.0\ninvariants:\n  - name: x\n    rule: 'a =='", 4),
        ("version: 1.0.0\n  bad: [", 2),
        ("version: 1.0.0\nretrieval:\n  rerank: {threshold: 2}", 3),
        ("version: 1.0.0\nversion: 1.0.1", 2),
        ("version: 1.0.0\nx: !!python/object/apply:os.system ['true']", 2),
    ],
)
def test_bad_yaml_is_refused_with_its_line(sqlite_memory, text, line, given):
    with pytest.raises(InvalidInput, match=rf"\bline {line}\b"):
        sqlite_memory.apply_policy(text, **given)
    assert sqlite_memory.policy()[0].namespace == ""


def test_too_large_or_no_text_is_refused(sqlite_memory):
    for text in ("version: 1.0.0\n# " + "x" * 131_072, "", 5, None):
        with pytest.raises(InvalidInput):
            sqlite_memory.apply_policy(text)


def test_an_agent_applies_policies(url):
    async def conversation(client):
        assert (await call(client, "policy_apply", yaml=written(), validate_only=True))["status"] == "valid"
        await call(client, "memory_save", content="The bridge is open.")
        tried = await call(client, "policy_apply", yaml=NO_BREAKING, dry_run=True)
        assert (tried["status"], tried["reclassify"]["checked"]) == ("dry_run", 1)
        applied = await call(client, "policy_apply", yaml=written(), expected_version="none", approver="Kim")
        assert (applied["status"], applied["namespace"]) == ("applied", "main")
        error = await refusal(client, "policy_apply", yaml=written(version="1.1.0"), expected_version="none")
        assert error["code"] == "conflict"
        error = await refusal(client, "policy_apply", yaml="version: 1.0.0\nscopes: {session: {ttl_days: -1}}")
        assert error["code"] == "invalid_input"
        assert "line 2" in error["message"]
        assert error["hint"]
        strict = written(boundary_classes={"internal": {"deny": True}})
        await call(client, "pce.memory.policy.apply", yaml=strict, namespace="closed")
        denied = await refusal(client, "memory_save", content="no more", namespace="closed")
        assert denied["code"] == "boundary_denied"

    talk(url, conversation)


def test_people_apply_policies(url, tmp_path):
    file = tmp_path / "policy.yaml"
    assert "boundary_classes:" in wherefrom(url, "policy")
    file.write_text(written())
    assert json.loads(wherefrom(url, "policy", str(file), "--validate", "--json"))["status"] == "valid"
    assert json.loads(wherefrom(url, "policy", str(file), "--dry-run", "--json"))["status"] == "dry_run"
    assert "applied: 1.0.0 in main" in wherefrom(url, "policy", str(file), "--approver", "Kim")
    file.write_text(written(version="1.1.0"))
    assert "conflict" in wherefrom(url, "policy", str(file), "--expect", "none", code=4)
    assert json.loads(wherefrom(url, "policy", str(file), "--expect", "1.0.0", "--json"))["status"] == "applied"
    history = json.loads(wherefrom(url, "policy", "--history", "--json"))
    assert [(each["version"], each["approver"]) for each in history] == [("1.1.0", None), ("1.0.0", "Kim")]
    file.write_text("version: 1.0.0\nscopes: 5")
    assert "line 2" in wherefrom(url, "policy", str(file), code=2)
    assert "cannot read" in wherefrom(url, "policy", str(tmp_path / "none.yaml"), code=2)
    file.write_bytes(b"\xff\xfe")
    assert "cannot read" in wherefrom(url, "policy", str(file), code=2)


def test_another_process_sees_a_new_policy(url):
    with Memory.open(url) as one, Memory.open(url) as other:
        node = one.save("The bridge is open.").node
        assert other.get(node.id) == node
        one.apply_policy(STRICT)
        with pytest.raises(NotFound):
            one.get(node.id)
        other.view.boundary.forget()
        with pytest.raises(NotFound):
            other.get(node.id)


# --- per namespace ----------------------------------------------------------------------------------------------------


@pytest.fixture
def layered(url):
    """A bridge above, one in a vault below with a link to it, and one in a namespace whose name only begins alike."""
    with Memory.open(url, allow=["answer:task", "tool:vault"]) as memory:
        above = memory.save("The open bridge stands above.", metadata={"at": "above"}).node.id
        inside = memory.save("The open bridge stands in the vault.", title="Hidden", namespace="vault").node.id
        deeper = memory.save("The open bridge stands deep in the vault.", namespace="vault/deep").node.id
        beside = memory.save("The open bridge stands beside the vault.", namespace="vault2").node.id
        public = memory.save("The open bridge of the public.", namespace="vault", boundary_class="public").node.id
        memory.relate(above, inside, tag="supports", weight=1, reason="a link into the vault")
        memory.relate(above, beside, tag="supports", weight=1)
        memory.relate(inside, deeper, tag="supports", weight=1)
        memory.apply_policy(STRICT, namespace="vault")
    return {"above": above, "inside": inside, "deeper": deeper, "beside": beside, "public": public}


def get_all(memory, ids):
    found = set()
    for node_id in ids.values():
        try:
            found.add(memory.get(node_id).id)
        except NotFound:
            continue
    return found


def namespace_counts(memory, ids):
    return {each.namespace: each.nodes for each in memory.namespaces().items}


def exported_ids(memory, ids):
    rows = exported(memory)
    nodes = {row["id"] for row in rows if row["type"] == "node"}
    ends = {row[end] for row in rows if row["type"] == "edge" for end in ("source_id", "target_id")}
    assert ends <= nodes
    return nodes


def related(memory, ids):
    found = memory.relations()
    return {node.id for node in found.nodes} | {edge.target_id for edge in found.edges}


def like_above(memory, ids):
    return {hit.node.id for hit in memory.search(like=ids["above"], limit=50).hits} | {ids["above"]}


SEEN = {"above", "beside", "public"}
VERBS = {
    "get": (get_all, SEEN),
    "list": (lambda memory, _: {node.id for node in memory.list(limit=100).nodes}, SEEN),
    "search": (lambda memory, _: {hit.node.id for hit in memory.search("open bridge", limit=50).hits}, SEEN),
    "search by final score": (
        lambda memory, _: {hit.node.id for hit in memory.search("open bridge", limit=50, rank="final").hits},
        SEEN,
    ),
    "search in the graph": (
        lambda memory, _: {hit.node.id for hit in memory.search("open bridge", limit=50, graph=True).hits},
        SEEN,
    ),
    "search for the like": (like_above, SEEN),
    "vector_search": (
        lambda memory, _: {
            each.id for each in memory.vector_search("open bridge", target="memos", min_similarity=0).results
        },
        SEEN,
    ),
    "activate": (lambda memory, _: {item.node.id for item in memory.activate("open bridge").items}, SEEN),
    "activate below": (
        lambda memory, _: {item.node.id for item in memory.activate("open bridge", namespace="vault").items},
        {"public"},
    ),
    "relations": (related, {"above", "beside"}),
    "walk": (lambda memory, ids: {node.id for node in memory.walk(ids["above"]).nodes}, {"above", "beside"}),
    "neighbourhood": (
        lambda memory, ids: {node.id for node in memory.neighbourhood([ids["above"]], hops=3).nodes},
        {"above", "beside"},
    ),
    "export": (exported_ids, SEEN),
}


@pytest.mark.parametrize("verb", VERBS)
def test_a_stricter_policy_below_hides_from_an_access_above(url, layered, verb):
    ask, expected = VERBS[verb]
    with Memory.open(url) as memory:
        assert ask(memory, layered) == {layered[name] for name in expected}
    # Whoever holds the tag that the lower policy asks for sees everything.
    with Memory.open(url, allow=["answer:task", "tool:vault"]) as memory:
        assert ask(memory, layered) > {layered[name] for name in expected}
    # The same from inside, and for every class that a looser access would see.
    with Memory.open(url, root="main/vault", allow=["answer:task"]) as memory:
        assert get_all(memory, layered) == {layered["public"]}


def test_namespaces_count_only_what_is_seen(url, layered):
    with Memory.open(url) as memory:
        assert namespace_counts(memory, layered) == {"main": 3, "main/vault": 1, "main/vault2": 1}
    with Memory.open(url, allow=["answer:task", "tool:vault"]) as memory:
        assert namespace_counts(memory, layered)["main"] == 5


def test_what_is_hidden_can_be_neither_changed_nor_judged(url, layered):
    inside = layered["inside"]
    with Memory.open(url) as memory:
        for attempt in (
            lambda: memory.save("changed", memo_id=inside),
            lambda: memory.delete(inside),
            lambda: memory.feedback(inside, "harmful"),
            lambda: memory.feedback(layered["above"], "duplicate", duplicate_of=inside),
            lambda: memory.relate(layered["above"], inside, tag="explains", weight=1),
            lambda: memory.unrelate(layered["above"], inside, tag="supports"),
            lambda: memory.walk(inside),
            lambda: memory.neighbourhood([layered["above"], inside]),
            lambda: memory.path(layered["above"], inside),
            lambda: memory.search(like=inside),
        ):
            with pytest.raises(NotFound):
                attempt()
        kept = [record for record in exported(memory) if record.get("id") == layered["public"]]
        text = "Imported under the id of a hidden memo."
        copy = {**kept[0], "id": inside, "version": 9, "content": text, "content_hash": content_hash(text)}
        assert memory.import_(stream(*[copy])).nodes_created == 1
        with pytest.raises(NotFound):
            memory.get(inside)


def test_saving_a_hidden_text_again_does_not_show_it(url, layered):
    with Memory.open(url) as memory, pytest.raises((Conflict, BoundaryDenied)):
        memory.save("The open bridge stands in the vault.", namespace="vault")


def test_nothing_is_saved_where_it_could_not_be_seen(url, layered):
    with Memory.open(url) as memory, pytest.raises(BoundaryDenied):
        memory.save("A new bridge.", namespace="vault")


def test_a_context_made_before_shows_no_more_than_may_be_seen_now(url):
    with Memory.open(url) as memory:
        memory.save("The bridge is open.", namespace="vault")
        memory.save("The bridge is closed.")
        context = memory.activate("bridge")
        assert len(context.items) == 2
        memory.apply_policy(STRICT, namespace="vault")
        assert [item.node.namespace for item in memory.context(context.id).items] == ["main"]


def test_a_looser_policy_below_loosens_nothing(url):
    loose = written(
        scopes={"session": {"ttl_days": 99, "max_tokens": 99_000}},
        boundary_classes={
            "public": {"redact": []},
            "internal": {"allow": ["*"], "redact": []},
            "pii": {"allow": ["*"], "redact": []},
        },
        detect={"email": "public"},
    )
    with Memory.open(url) as memory:
        memory.apply_policy(written())
        memory.apply_policy(loose, namespace="low")
        saved = memory.save(f"write to {EMAIL}", namespace="low", scope="session").node
        assert saved.content == "write to [email]"
        assert saved.expires_at == memory.save("above", scope="session").node.expires_at[:10] + saved.expires_at[10:]
        assert memory.save(f"the token is {SECRET}", namespace="low").node.content == "the token is [secret]"
        guarded = memory.validate_boundary(f"write to {EMAIL}", namespace="low", boundary_class="pii")
        assert (guarded.allowed, guarded.redacted) == (False, {"email": 1})
        assert guarded.policy_version == "1.0.0 > 1.0.0"
        memory.save("The bridge is open.", namespace="low")
        context = memory.activate("bridge", namespace="low")
        assert context.policy_version == "1.0.0 > 1.0.0"
    with Memory.open(url, root="main/low", allow=["anything"]) as memory:
        assert memory.list().nodes == ()


def test_nobody_opens_to_themselves_what_they_may_not_see(url, layered):
    opening = written(version="1.1.0", boundary_classes={"pii": {"allow": ["answer:task"]}})
    with Memory.open(url, allow=["answer:task", "tool:contact-lookup"]) as memory:
        memory.save("Somebody lives here.", boundary_class="pii")
    with Memory.open(url) as memory:
        with pytest.raises(BoundaryDenied, match="pii"):
            memory.apply_policy(opening)
        with pytest.raises(BoundaryDenied):
            memory.apply_policy(written(version="1.1.0"), namespace="vault")
        assert len(memory.list().nodes) == len(SEEN)
    with Memory.open(url, allow=["answer:task", "tool:contact-lookup"]) as memory:
        assert memory.apply_policy(opening).status == "applied"


def test_a_policy_outside_the_root_cannot_be_applied(url):
    with Memory.open(url, root="main/mine") as memory:
        for outside in ("../other", "/../x"):
            with pytest.raises(InvalidInput):
                memory.apply_policy(written(), namespace=outside)


def test_a_policy_above_the_root_holds_inside_it(url):
    with Memory.open(url) as memory:
        memory.apply_policy(STRICT)
    with Memory.open(url, root="main/mine") as memory:
        with pytest.raises(BoundaryDenied):
            memory.save("The bridge is open.")
        assert memory.save("The bridge is public.", boundary_class="public").status == "created"
    with Memory.open(url, root="main/mine", owner="other") as memory:
        assert memory.save("The bridge is open.").status == "created"


def test_a_renamed_namespace_takes_its_policies_along(url):
    with Memory.open(url, allow=["answer:task", "tool:vault"]) as holder, Memory.open(url) as memory:
        holder.save("The open bridge.", namespace="vault/deep")
        holder.save("The other bridge.", namespace="taken")
        holder.apply_policy(STRICT, namespace="vault")
        holder.apply_policy(written(version="3.0.0"), namespace="vault/deep")
        holder.apply_policy(written(), namespace="taken")
        assert [node.namespace for node in memory.list().nodes] == ["main/taken"]
        with pytest.raises(BoundaryDenied):
            memory.rename_namespace("vault", "safe")
        with pytest.raises(Conflict):
            holder.rename_namespace("vault", "taken")
        holder.rename_namespace("vault", "safe")
        assert [each.version for each in holder.policy("safe")] == ["1.0.0"]
        assert [each.version for each in holder.policy("safe/deep")] == ["3.0.0"]
        assert holder.policy("vault")[0].namespace == ""
        memory.view.boundary.forget()
        assert [node.namespace for node in memory.list().nodes] == ["main/taken"], "still hidden"


def test_a_renamed_namespace_is_judged_by_its_new_place_at_once(url):
    with Memory.open(url) as memory:
        memory.apply_policy(written(boundary_classes={"internal": {"deny": True}}), namespace="vault")
        memory.save("A public bridge.", namespace="vault", boundary_class="public")
        memory.rename_namespace("vault", "safe")
        with pytest.raises(BoundaryDenied):
            memory.save("The open bridge.", namespace="safe")
        assert memory.save("The open bridge.", namespace="vault").status == "created"


# --- invariants and boundary_validate ---------------------------------------------------------------------------------


def test_invariants_refuse_what_breaks_them(memory):
    memory.apply_policy(NO_BREAKING)
    good, bad = {"api": {"breaking_change": False}}, {"api": {"breaking_change": True}}
    for scope in ("principle", "project"):
        with pytest.raises(BoundaryDenied, match="invariant violation: no_destructive_change"):
            memory.save("Drop the column.", scope=scope, metadata=bad)
        with pytest.raises(BoundaryDenied):
            memory.save("Who knows.", scope=scope)
        assert memory.save(f"Add a column to {scope}.", scope=scope, metadata=good).status == "created"
    assert memory.save("Drop the column.", scope="session", metadata=bad).status == "created"
    assert memory.save("Drop the column, sometime.", metadata=bad).status == "created"
    node = memory.save("Rename the column.", scope="project", metadata=good).node
    with pytest.raises(BoundaryDenied):
        memory.save("Rename the table.", memo_id=node.id, metadata=bad)
    assert memory.get(node.id).content == "Rename the column."


def test_an_update_that_says_nothing_about_it_keeps_the_invariant(sqlite_memory):
    sqlite_memory.apply_policy(NO_BREAKING)
    node = sqlite_memory.save("Add one.", scope="project", metadata={"api": {"breaking_change": False}}).node
    assert sqlite_memory.save("Add two.", memo_id=node.id).status == "updated"


def test_what_cannot_be_decided_is_denied(memory):
    memory.apply_policy(
        written(invariants=[{"name": "small", "rule": "size(text) < 10"}, {"name": "n", "rule": "count > 3"}])
    )
    assert memory.save("short", metadata={"count": 4}).status == "created"
    for text, metadata in (("short!", {"count": 3}), ("short?", {"count": "many"}), ("far too long", {"count": 4})):
        with pytest.raises(BoundaryDenied):
            memory.save(text, metadata=metadata)


def test_stored_violators_are_not_recalled(memory):
    memory.save("The bridge is broken.", metadata={"api": {"breaking_change": True}}, scope="project")
    memory.save("The bridge is whole.", metadata={"api": {"breaking_change": False}}, scope="project")
    memory.save("The bridge is there.")
    memory.apply_policy(NO_BREAKING)
    context = memory.activate("bridge")
    assert {item.node.content for item in context.items} == {"The bridge is whole.", "The bridge is there."}
    assert context.filtered["invariant"] == 1


def test_stored_violators_of_a_policy_below_are_not_recalled(memory):
    memory.save("The bridge is broken.", namespace="low", metadata={"api": {"breaking_change": True}}, scope="project")
    memory.apply_policy(NO_BREAKING, namespace="low")
    assert memory.activate("bridge").items == ()


def test_the_vectors_of_the_seed(url):
    """facts.md §3.3: an e-mail in a project's pii text is redacted; a breaking change at principle scope is denied."""
    with Memory.open(url, allow=["answer:task", "tool:contact-lookup"]) as memory:
        guarded = memory.validate_boundary(f"Contact: {EMAIL}", scope="project", boundary_class="pii")
        assert (guarded.allowed, guarded.text) == (True, "Contact: [email]")
        assert (guarded.redacted, guarded.boundary_class) == ({"email": 1}, "pii")
        assert guarded.escalation == "human_review"
        narrowed = memory.validate_boundary("Contact", boundary_class="pii", allow=["answer:task"])
        assert (narrowed.allowed, narrowed.text) == (False, None)
        assert "pii" in narrowed.reason
        memory.apply_policy(NO_BREAKING)
        breaking, safe = ({"api": {"breaking_change": value}} for value in (True, False))
        denied = memory.validate_boundary("Drop the table.", scope="principle", metadata=breaking)
        assert (denied.allowed, denied.text) == (False, None)
        assert "invariant violation" in denied.reason
        fine = memory.validate_boundary("Add a table.", scope="principle", metadata=safe)
        assert (fine.allowed, fine.reason, fine.text) == (True, "allowed", "Add a table.")
        secret = memory.validate_boundary(f"the token is {SECRET}")
        assert (secret.allowed, secret.text) == (False, None)
        assert SECRET not in repr(secret)
        assert memory.list().nodes == ()
    with Memory.open(url) as memory:
        assert memory.validate_boundary(f"Contact: {EMAIL}", boundary_class="pii").allowed is False


def test_validate_knows_what_is_hidden_below(url, layered):
    with Memory.open(url) as memory:
        assert memory.validate_boundary("A new bridge.", namespace="vault").allowed is False


@pytest.mark.parametrize(
    "wrong",
    [{"scope": "forever"}, {"boundary_class": "private"}, {"allow": "tag"}, {"metadata": []}, {"text": " "}],
    ids=str,
)
def test_wrong_words_are_refused(sqlite_memory, wrong):
    with pytest.raises(InvalidInput):
        sqlite_memory.validate_boundary(**{"text": "x", **wrong})


def test_validation_through_the_interfaces(url):
    async def conversation(client):
        answer = await call(client, "boundary_validate", text=f"Call {PHONE} or {EMAIL}", scope="project")
        assert (answer["allowed"], answer["redacted"]) == (True, "Call [phone] or [email]")
        assert answer["findings"] == {"phone": 1, "email": 1}
        assert answer["policy_version"] == "1.0.0"
        secret = await call(client, "pce.memory.boundary.validate", payload=f"the token is {SECRET}")
        assert (secret["allowed"], secret["redacted"]) == (False, None)
        assert SECRET not in json.dumps(secret)
        assert (await refusal(client, "boundary_validate", text="x", scope="forever"))["code"] == "invalid_input"
        kept = await call(client, "memory_save", content=f"the token is {SECRET}")
        assert (kept["status"], kept["redacted"]) == ("created", {"secret": 1})
        assert "A secret was taken out" in kept["note"]
        denied = await refusal(client, "memory_save", content=SECRET)
        assert denied["code"] == "boundary_denied"
        assert SECRET not in json.dumps([kept, denied])
        assert denied["hint"]

    talk(url, conversation)
    shown = json.loads(wherefrom(url, "boundary", f"Call {PHONE}", "--json"))
    assert shown["redacted"] == "Call [phone]"
    assert "principle" in wherefrom(url, "boundary", "x", "--scope", "forever", code=2)
    told = wherefrom(url, "save", f"the new token is {SECRET}")
    assert "A secret was taken out and not kept" in told
    assert SECRET not in told + wherefrom(url, "save", SECRET, code=6)


# --- rows that were there before --------------------------------------------------------------------------------------


@pytest.fixture
def before(url, execute):
    """Rows saved under a lax policy, and a secret written behind the program's back."""
    with Memory.open(url) as memory:
        memory.apply_policy(LAX)
        ids = {
            "mail": memory.save(f"Write to {EMAIL} today", title=f"For {EMAIL}", metadata={"to": [EMAIL]}).node.id,
            "plain": memory.save("Nothing to see here").node.id,
            "secret": memory.save("A placeholder").node.id,
            "low": memory.save(f"Call {PHONE}", namespace="low").node.id,
            "twin": memory.save("Write to [email] soon").node.id,
            "twinned": memory.save(f"Write to {EMAIL} soon").node.id,
        }
    execute(url, f"update nodes set content = '{SECRET}' where id = '{ids['secret']}'")
    return ids


TIGHT = written(version="2.0.0")


def test_a_dry_run_says_what_would_change(url, before):
    with Memory.open(url) as memory:
        tried = memory.apply_policy(TIGHT, dry_run=True)
        assert tried.reclassify == {"checked": 6, "raised": 0, "redacted": 3, "merged": 0, "denied": 1, "violating": 0}
        memory.apply_policy(TIGHT)
        report = memory.reclassify(dry_run=True)
        assert report.dry_run
        assert (report.checked, report.denied) == (6, (before["secret"],))
        assert set(report.redacted) == {before["mail"], before["low"], before["twinned"]}
        assert memory.get(before["mail"]).content == f"Write to {EMAIL} today"
        assert memory.get(before["secret"])


def test_old_rows_are_brought_in_line(url, before, execute):
    with Memory.open(url) as memory:
        memory.apply_policy(TIGHT)
        version = memory.get(before["mail"]).version
        report = memory.reclassify()
        assert set(report.redacted) == {before["mail"], before["low"], before["twinned"]}
        mail = memory.get(before["mail"])
        assert (mail.content, mail.title, mail.metadata) == (
            "Write to [email] today",
            "For [email]",
            {"to": ["[email]"]},
        )
        assert mail.version == version + 1
        assert memory.get(before["low"]).content == "Call [phone]"
        assert memory.get(before["plain"]).version == 1
        with pytest.raises(NotFound):
            memory.get(before["secret"])
        assert memory.get(before["twinned"]).id != before["twinned"], "the one that says the same answers"
        assert [hit.node.id for hit in memory.search("kim lee example org").hits if EMAIL in hit.node.content] == []
        again = memory.reclassify()
        assert (again.redacted, again.denied, again.raised) == ((), (), ())
        assert memory.doctor().ok
    events = [json.loads(row[0]) for row in execute(url, "select payload from events where topic = 'policy'")]
    counts = {"checked": 6, "raised": 0, "redacted": 3, "merged": 1, "denied": 1, "violating": 0}
    assert counts in [event.get("reclassified") for event in events]
    for table, column in (("nodes", "content"), ("nodes", "title"), ("nodes", "metadata"), ("retired", "content")):
        stored = " ".join(str(row[0]) for row in execute(url, f"select {column} from {table}"))
        assert EMAIL not in stored
        assert SECRET not in stored


@pytest.mark.parametrize(
    ("table", "column"),
    [
        ("edges", "reason"),
        ("active_contexts", "question"),
        ("retired", "content"),
    ],
)
def test_what_else_was_stored_is_brought_in_line(url, execute, table, column):
    clock = Clock()
    with Memory.open(url, clock=clock) as memory:
        memory.apply_policy(f"{LAX}\nkeep_expired_days: 0\n")
        a, b = (memory.save(text).node.id for text in ("one", "two"))
        memory.relate(a, b, tag="supports", weight=1, reason=f"says {EMAIL}")
        memory.save(f"Write to {EMAIL}", scope="session")
        clock.go_on(days=8)
        memory.activate(f"what does {EMAIL} want?")
        memory.sweep()
        memory.apply_policy(TIGHT)
        memory.reclassify()
    rows = execute(url, f"select {column} from {table}")
    assert rows or table == "active_contexts", "contexts are disposable"
    assert EMAIL not in repr(rows)


def test_nothing_is_left_in_the_file_after_reclassifying(tmp_path, new_url):
    url = new_url("sqlite")
    with Memory.open(url) as memory:
        memory.apply_policy(LAX)
        for number in range(50):
            memory.save(f"Number {number}: write to {EMAIL} today. " + "And a long text follows. " * number)
        memory.apply_policy(TIGHT)
        memory.reclassify()
    assert EMAIL.encode() not in b"".join(path.read_bytes() for path in tmp_path.iterdir())


def test_a_class_is_raised_where_nothing_is_redacted(url):
    raising = written(
        version="2.0.0",
        boundary_classes={"internal": {"redact": []}, "pii": {"redact": []}},
    )
    with Memory.open(url, allow=["answer:task", "tool:contact-lookup"]) as memory:
        memory.apply_policy(LAX)
        node = memory.save(f"Write to {EMAIL}").node
        assert node.boundary_class == "internal"
        memory.apply_policy(raising)
        report = memory.reclassify()
        assert (report.raised, report.redacted) == ((node.id,), ())
        assert memory.get(node.id).boundary_class == "pii"
        assert memory.get(node.id).content == f"Write to {EMAIL}"
        assert memory.save(f"Also write to {EMAIL}").node.boundary_class == "pii"
    with Memory.open(url) as memory, pytest.raises(NotFound):
        memory.get(node.id)


def test_an_entity_whose_name_is_personal_gets_the_class_for_it(url):
    raising = written(boundary_classes={"internal": {"redact": []}, "pii": {"redact": []}})
    with Memory.open(url, allow=["answer:task", "tool:contact-lookup"]) as memory:
        memory.apply_policy(raising)
        memory.save("Somebody wrote.", entities=[EMAIL])
    with Memory.open(url) as memory:
        assert EMAIL not in repr(memory.list(kind="entity"))


def test_a_reason_is_judged_where_it_is_stored(url):
    with Memory.open(url) as memory:
        memory.apply_policy(LAX)
        memory.apply_policy(written(boundary_classes={"internal": {"redact": ["email"]}}), namespace="low")
        a, b = (memory.save(text, namespace="low").node.id for text in ("one", "two"))
        assert memory.relate(a, b, tag="supports", weight=1, reason=f"says {EMAIL}").edge.reason == "says [email]"


def test_violators_are_named_and_stay(memory):
    node = memory.save("Drop it.", scope="project", metadata={"api": {"breaking_change": True}}).node
    memory.apply_policy(NO_BREAKING)
    report = memory.reclassify()
    assert (report.violating, report.denied) == ((node.id,), ())
    assert memory.get(node.id) == node


def test_reclassifying_a_part(url, before):
    with Memory.open(url) as memory:
        memory.apply_policy(TIGHT)
        report = memory.reclassify("low")
        assert (report.checked, report.redacted) == (1, (before["low"],))
        assert EMAIL in memory.get(before["mail"]).content


def test_people_reclassify(url, before, tmp_path):
    file = tmp_path / "policy.yaml"
    file.write_text(TIGHT)
    assert "reclassify" in wherefrom(url, "policy", str(file))
    dry = json.loads(wherefrom(url, "reclassify", "--dry-run", "--json"))
    assert (dry["dry_run"], dry["checked"], dry["denied"]) == (True, 6, [before["secret"]])
    shown = wherefrom(url, "reclassify")
    assert shown.split()[:2] == ["checked", "6"]
    assert (len(dry["raised"]), len(dry["redacted"]), len(dry["violating"])) == (0, 3, 0)
    merged = shown.split()[shown.split().index("merged") + 1]
    assert merged in {node_id[-8:] for node_id in before.values()}, "one of them is now the same as another"
    for node_id in (*dry["redacted"], *dry["denied"]):
        assert node_id[-8:] in shown


# --- import and export ------------------------------------------------------------------------------------------------


def test_imports_pass_the_policies(new_url):
    for source, target in (("sqlite", "postgres"), ("postgres", "sqlite")):
        with Memory.open(new_url(source)) as original, Memory.open(new_url(target)) as copy:
            original.apply_policy(LAX)
            a = original.save(f"Write to {EMAIL}", title=f"For {EMAIL}", provenance={"by": EMAIL}).node.id
            b = original.save("Drop it.", metadata={"api": {"breaking_change": True}}, scope="project").node.id
            c = original.save("Plain.").node.id
            original.relate(a, c, tag="supports", weight=1, reason=f"says {EMAIL}, token {SECRET}")
            original.relate(a, b, tag="supports", weight=1)
            records = exported(original)
            assert any(EMAIL in json.dumps(record) for record in records)
            copy.apply_policy(NO_BREAKING)
            imported = copy.import_(stream(*records))
            assert (imported.nodes_created, imported.nodes_denied) == (2, 1)
            assert (imported.edges_created, imported.edges_skipped) == (1, 1)
            node = copy.get(a)
            assert (node.content, node.title, node.provenance) == ("Write to [email]", "For [email]", {"by": "[email]"})
            (edge,) = copy.relations().edges
            assert edge.reason == "says [email], token [secret]"
            with pytest.raises(NotFound):
                copy.get(b)
            again = copy.import_(stream(*records))
            assert (again.nodes_created, again.nodes_updated, again.nodes_denied) == (0, 0, 1)
            assert (again.edges_created, again.edges_updated) == (0, 0)


def test_an_export_imported_again_changes_nothing(memory):
    memory.apply_policy(written(boundary_classes={"internal": {"redact": ["email"]}}))
    memory.save(f"Write to {EMAIL}", claim_kind="fact", scope="project", entities=["Kim"], confidence=0.7)
    a, b = (memory.save(text).node.id for text in ("one", "two"))
    memory.relate(a, b, tag="supports", weight=0.5, reason="a reason")
    memory.feedback(a, "helpful")
    memory.feedback(b, "duplicate", duplicate_of=a)
    records = exported(memory)
    imported = memory.import_(stream(*records))
    assert (imported.nodes_created, imported.nodes_updated, imported.nodes_duplicate) == (0, 0, 0)
    assert (imported.edges_created, imported.edges_updated) == (0, 0)
    assert exported(memory) == records


@pytest.mark.parametrize(
    ("text", "policy", "kept"),
    [
        (f"the token is {SECRET}", written(), ["the token is [secret]"]),
        (f"the token is {SECRET}", written(secrets="deny"), []),
        (f"{SECRET}!", written(), []),
    ],
    ids=["taken_out", "denied", "nothing_else"],
)
def test_secrets_are_taken_out_or_denied_at_import(memory, text, policy, kept):
    memory.save("A placeholder.")
    (record,) = exported(memory)
    memory.delete(record["id"])
    memory.apply_policy(policy)
    imported = memory.import_(stream(*[{**record, "content": text, "content_hash": content_hash(text)}]))
    assert (imported.nodes_created, imported.nodes_denied) == (len(kept), 1 - len(kept))
    assert imported.redacted == ({"secret": 1} if kept else {})
    assert [node.content for node in memory.list().nodes] == kept


def reference(*observations):
    return io.BytesIO(json.dumps({"type": "entity", "name": "Kim", "observations": observations}).encode())


def test_a_reference_servers_file_passes_the_policies(memory):
    assert memory.import_(reference(f"writes from {EMAIL}")).nodes_created == 1
    assert memory.list().nodes[0].content == "Kim\n- writes from [email]"
    assert memory.import_(reference(f"the token is {SECRET}")).nodes_updated == 1
    assert memory.list().nodes[0].content == "Kim\n- the token is [secret]"


def test_a_changed_reference_file_changes_what_was_redacted(memory):
    memory.import_(reference(f"writes from {EMAIL}"))
    assert memory.import_(reference(f"writes from {EMAIL}", "likes tea")).nodes_updated == 1
