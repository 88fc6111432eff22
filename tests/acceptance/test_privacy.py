"""A memory of one's own keeps personal data for its owner; everyone else gets the texts without them."""

from __future__ import annotations

import io
import json

import pytest
from talking_for_tests import Clock, call, talk, wherefrom

from wherefrom import BoundaryDenied, InvalidInput, Memory, NewClaim, NewEvidence, NewFragment, NewPage, NotFound

PHONE, EMAIL = "090-1234-5678", "kenji@example.org"
TEXTS = (
    f"My phone number is {PHONE}.",
    f"私の携帯は{PHONE}です。",
    "The bridge opens at nine.",
)
OTHERS = ["tool:calendar"]


@pytest.fixture(autouse=True)
def _as_chosen(monkeypatch):
    monkeypatch.delenv("WHEREFROM_PRIVACY")


@pytest.fixture
def personal(url):
    with Memory.open(url) as memory:
        memory.choose_privacy("personal")
        yield memory


@pytest.fixture
def others(url):
    """Opens what others see of it."""
    with Memory.open(url, allow=OTHERS) as memory:
        yield memory


def saved(memory):
    return [memory.save(text).node for text in TEXTS]


def exported(memory, **options):
    stream = io.StringIO()
    memory.export(stream, **options)
    return stream.getvalue()


# --- the choice -------------------------------------------------------------------------------------------------------


def test_a_new_file_is_personal_and_a_new_database_is_shared(empty_url):
    expected = "shared" if empty_url.startswith("postgresql") else "personal"
    wherefrom(empty_url, "save", TEXTS[0])
    assert wherefrom(empty_url, "privacy").startswith(expected)
    kept = TEXTS[0] if expected == "personal" else "My phone number is [phone]."
    assert kept in wherefrom(empty_url, "list")


def test_a_store_from_before_the_choice_is_shared(tmp_path, monkeypatch):
    from wherefrom.storage import migrate

    known = migrate.migrations("sqlite")
    with monkeypatch.context() as before:
        before.setattr(migrate, "migrations", lambda _: tuple(each for each in known if each.version < 17))
        from wherefrom.storage.sqlite import SqliteDatabase

        SqliteDatabase(tmp_path / "memory.db", busy_timeout_ms=1_000).close()
    with Memory.open(tmp_path / "memory.db") as memory:
        assert memory.privacy().mode == "shared"
        assert memory.save(TEXTS[0]).node.content == "My phone number is [phone]."
        memory.choose_privacy("personal")
        assert memory.save(TEXTS[0]).node.content == TEXTS[0]


def test_the_choice_is_one_owners_and_holds_in_other_processes(url):
    with Memory.open(url) as memory, Memory.open(url, owner="kim") as other:
        before = other.privacy().mode
        chosen = memory.choose_privacy("shared" if before == "personal" else "personal")
        assert memory.privacy() == chosen
        assert other.privacy().mode == before
        with Memory.open(url) as again:
            assert again.privacy() == chosen


def test_an_access_that_sees_a_part_does_not_choose(url):
    for narrow in ({"root": "main/low"}, {"root": "team"}, {"allow": OTHERS}, {"allow": []}):
        with Memory.open(url, **narrow) as memory, pytest.raises(BoundaryDenied, match="owner"):
            memory.choose_privacy("personal")
    with Memory.open(url) as memory, pytest.raises(InvalidInput):
        memory.choose_privacy("open")
    with pytest.raises(InvalidInput, match="privacy"):
        Memory.open(url, privacy="personal")


def test_people_choose_it_and_are_told_what_it_means(url):
    assert "personal: " in wherefrom(url, "privacy", "personal")
    told = wherefrom(url, "save", TEXTS[0])
    assert "not kept" not in told.lower()
    assert PHONE in wherefrom(url, "search", "phone number")
    assert json.loads(wherefrom(url, "privacy", "--json"))["mode"] == "personal"
    assert "reclassify" in wherefrom(url, "privacy", "shared")
    told = wherefrom(url, "save", f"Her phone number is {PHONE}.")
    assert "Not kept: 1 phone" in told
    assert "wherefrom privacy personal" in told
    found = wherefrom(url, "search", "phone number")
    assert PHONE not in found
    assert "[phone]" in found
    assert "'open' is not one of personal, shared" in wherefrom(url, "privacy", "open", code=2)


# --- what the owner has -----------------------------------------------------------------------------------------------


def test_the_owner_keeps_and_finds_everything(personal):
    english, japanese, plain = saved(personal)
    assert [english.content, japanese.content] == list(TEXTS[:2])
    assert (english.boundary_class, english.shared_class) == ("pii", "internal")
    assert (plain.boundary_class, plain.shared_class) == ("internal", None)
    assert personal.get(english.id) == english
    assert {node.id for node in personal.list().nodes} == {english.id, japanese.id, plain.id}
    assert personal.search("What is my phone number?").hits[0].node.content == TEXTS[0]
    assert personal.activate("携帯の番号は?").items[0].node.content in TEXTS[:2]
    rows = personal.query_graph("select content from memos where boundary_class = 'pii' order by content").rows
    assert sorted(content for (content,) in rows) == sorted(TEXTS[:2])


@pytest.mark.parametrize(
    ("kept", "asked"),
    [
        (PHONE, PHONE),
        (PHONE, "+81 90 1234 5678"),
        (PHONE, "０９０－１２３４－５６７８"),
        (PHONE, f"whose number is {PHONE}? " + "I have asked so many people. " * 60),
        ("Tel. 030 123456", "+49 30 123456"),
        ("+1 415-555-2671", "(415) 555-2671"),
        (EMAIL, "KENJI%40example.org"),
    ],
)
@pytest.mark.parametrize("boundary_class", [None, "pii"])
def test_the_owner_finds_a_memo_by_the_whole_number_however_it_is_written(personal, kept, asked, boundary_class):
    wanted = personal.save(f"The plumber: {kept}", boundary_class=boundary_class).node.id
    for text in ("whose number is on the door.", "The gardener: 080-1234-5678", "Mobiles begin with 090."):
        personal.save(text)
    assert personal.search(asked).hits[0].node.id == wanted


def test_two_numbers_are_two_memos_and_a_new_one_replaces_the_old(personal):
    first = personal.save(TEXTS[0]).node
    second = personal.save("My phone number is 080-8765-4321.").node
    assert first.id != second.id
    changed = personal.save("My phone number is 070-1111-2222.", memo_id=first.id).node
    assert (changed.content, changed.boundary_class, changed.shared_class) == (
        "My phone number is 070-1111-2222.",
        "pii",
        "internal",
    )
    assert personal.search("070-1111-2222").hits[0].node.id == first.id
    emptied = personal.save("I have no phone any more.", memo_id=first.id).node
    assert (emptied.boundary_class, emptied.shared_class) == ("pii", "internal")


def test_secrets_are_taken_out_of_a_personal_memory_too(personal):
    kept = personal.save(f"Router: {EMAIL}, password: Tr0ub4dor&Zebra9")
    assert kept.node.content == f"Router: {EMAIL}, password: [secret]"
    assert kept.redacted == {"secret": 1}


def test_a_policy_that_states_what_is_taken_out_holds(personal):
    personal.apply_policy("version: 1.1.0\nboundary_classes: {internal: {redact: [email]}}\n")
    assert personal.save(f"Write to {EMAIL}").node.content == "Write to [email]"
    assert personal.save(f"Call {PHONE}").node.content == f"Call {PHONE}"
    personal.apply_policy(
        "version: 1.0.0\nboundary_classes: {pii: {allow: ['tool:contact-lookup']}}\n", namespace="low"
    )
    with pytest.raises(BoundaryDenied):
        personal.save(f"Call {PHONE}", namespace="low")


@pytest.mark.parametrize("options", [{}, {"privacy": "shared"}])
def test_a_title_may_say_what_the_text_is(url, options):
    with Memory.open(url) as memory:
        memory.choose_privacy("personal")
    with Memory.open(url, **options) as memory:
        saved = memory.save("Tr0ub4dor&Zebra9 and call Kim", title="Router password")
        assert (saved.node.content, saved.redacted) == ("[secret] and call Kim", {"secret": 1})
        phone = memory.save("415 555 2671", title="Ann's mobile phone").node
        lines = memory.save(f"Call {PHONE} now", title=f"Two\nlines {EMAIL}").node
    with Memory.open(url, allow=OTHERS) as memory:
        assert (memory.get(phone.id).title, memory.get(phone.id).content) == ("Ann's mobile phone", "[phone]")
        assert (memory.get(lines.id).title, memory.get(lines.id).content) == ("Two\nlines [email]", "Call [phone] now")


def test_what_grows_when_personal_data_are_left_out_can_be_read(personal, others):
    node = personal.save("a@b.io " * 9_300).node
    assert others.get(node.id).content.startswith("[email] [email]")
    assert "[email] [email]" in exported(personal, shared=True)


def test_the_page_of_a_fragment_closes_it(personal, others):
    fragments = [NewFragment(f"Ask {EMAIL} about the bridge."), NewFragment("Dry.")]
    personal.add_evidence(NewPage("https://a.example/"), fragments=fragments)
    personal.add_evidence(NewPage("https://a.example/", f"By {EMAIL}"))
    assert [node.title for node in others.list(kind="page").nodes] == ["By [email]"]
    assert {node.content for node in others.list(kind="fragment").nodes} == {"Ask [email] about the bridge.", "Dry."}
    personal.add_evidence(NewPage("https://a.example/"), boundary_class="pii")
    assert others.list(kind="page").nodes == others.list(kind="fragment").nodes == ()
    assert personal.doctor().ok


def test_who_sees_no_personal_data_in_a_part_tries_no_numbers_there(personal):
    closed = "version: 1.0.0\nboundary_classes: {pii: {allow: ['tool:contact-lookup']}}\n"
    personal.save(f"Ann: {PHONE}", namespace="low")
    personal.save("Bob: 080-8765-4321", namespace="low")
    personal.apply_policy(closed, namespace="low")
    hits = [personal.search(number).hits for number in (PHONE, "080-8765-4321")]
    assert {(hit.node.id, hit.score) for hit in hits[0]} == {(hit.node.id, hit.score) for hit in hits[1]}


def test_a_process_for_others_does_not_choose_and_takes_nothing_from_the_owner(url, personal):
    node = personal.save(TEXTS[0]).node
    with Memory.open(url, privacy="shared") as service:
        for attempt in (lambda: service.choose_privacy("shared"), service.reclassify):
            with pytest.raises(BoundaryDenied, match="personal memory"):
                attempt()
        service.feedback(node.id, "helpful")
        service.import_(io.BytesIO(exported(service).encode()))
    assert personal.get(node.id).content == TEXTS[0]


# --- what others have -------------------------------------------------------------------------------------------------


def told_by(memory, node_id):
    """All that can be asked of a memory with these texts."""
    told = [memory.get(node_id), memory.list(), memory.relations()]
    for question in ("What is my phone number?", "携帯", "bridge", PHONE, "1234", "5678", "34 5678"):
        context = memory.activate(question)
        told += [memory.search(question), memory.search(question, rank="final"), context, memory.context(context.id)]
        told.append(memory.vector_search(question, target="memos", min_similarity=0))
    told.append(memory.search(like=node_id))
    for table in ("memos", "edges", "entities", "embeddings"):
        told.append(memory.query_graph(f"select * from {table}").rows)
    told += [memory.validate_boundary("bridge"), memory.info(), exported(memory)]
    return repr(told)


@pytest.mark.parametrize("how", ["narrow", "service", "shared"])
def test_others_get_the_texts_without_personal_data(url, personal, how):
    english, _, plain = saved(personal)
    titled = personal.save(f"The plumber is {EMAIL}", title=f"Plumber {PHONE}", metadata={"tel": PHONE, "who": "Ann"})
    personal.relate(english.id, plain.id, tag="supports", weight=1, reason=f"ask {PHONE}")
    personal.relate(plain.id, personal.save("Bring oil.").node.id, tag="supports", weight=1, reason=f"ask {EMAIL}")
    options = {"narrow": {"allow": OTHERS}, "service": {"privacy": "shared"}, "shared": {}}[how]
    if how == "shared":
        personal.choose_privacy("shared")
    with Memory.open(url, **options) as memory:
        assert memory.get(english.id).content == "My phone number is [phone]."
        assert (memory.get(english.id).boundary_class, memory.get(english.id).shared_class) == ("internal", None)
        masked = memory.get(titled.node.id)
        assert (masked.title, masked.content, masked.metadata) == (
            "Plumber [phone]",
            "The plumber is [email]",
            {"tel": "[phone]", "who": "Ann"},
        )
        assert memory.search("phone number").hits[0].node.content == "My phone number is [phone]."
        assert "私の携帯は[phone]です。" in [item.node.content for item in memory.activate("携帯の番号は?").items]
        told = told_by(memory, english.id)
        for value in (PHONE, EMAIL, "1234-5678", "kenji", english.content_hash):
            assert value not in told
        assert memory.search("phone number", metadata={"tel": PHONE}).hits == ()
        assert exported(memory).count("[phone]") == 4


def test_a_part_of_a_number_finds_nothing(new_url):
    """Who tries all endings of a number must not see from the order or the scores which one it is."""
    for dialect in ("sqlite", "postgres"):
        found = []
        for number in (PHONE, "080-8765-4321"):
            url = new_url(dialect)
            with Memory.open(url) as memory, Memory.open(url, allow=OTHERS) as narrow:
                memory.choose_privacy("personal")
                for text in (f"Ann: {number}", "Ann comes at nine.", "An ordinary memo with 9999 in it."):
                    memory.save(text)
                hits = [hit for ending in ("5678", "4321", "8765") for hit in narrow.search(f"Ann {ending}").hits]
                found.append([(hit.node.content, hit.score) for hit in hits])
        assert found[0] == found[1]
        assert ("Ann: [phone]", found[0][0][1]) in found[0]


def test_what_others_see_in_part_they_do_not_change(personal, others):
    english, _, plain = saved(personal)
    for change in (
        lambda: others.save("Mine now.", memo_id=english.id),
        lambda: others.delete(english.id),
        lambda: others.relate(english.id, plain.id, tag="supports", weight=1),
    ):
        with pytest.raises(BoundaryDenied, match="personal data"):
            change()
    judged = others.feedback(english.id, "helpful")
    assert PHONE not in repr(judged)
    after = personal.get(english.id)
    assert (after.content, after.utility > 0) == (english.content, True)


@pytest.mark.parametrize("how", [{"allow": OTHERS}, {"privacy": "shared"}])
def test_others_neither_apply_policies_nor_try_them_on_hidden_texts(url, personal, how):
    personal.save(TEXTS[0])
    policies = (
        "version: 1.1.0\ninvariants: [{name: x, rule: \"!text.contains('090-1')\"}]\n",
        "version: 1.1.0\ndetect: {phone: internal, email: internal}\n",
        "version: 1.1.0\nboundary_classes: {internal: {redact: [phone]}}\n",
        "version: 1.1.0\nboundary_classes: {pii: {allow: []}}\n",
    )
    with Memory.open(url, **how) as memory:
        for policy in policies:
            for options in ({"dry_run": True}, {}):
                with pytest.raises(BoundaryDenied, match="personal memory"):
                    memory.apply_policy(policy, **options)
        with pytest.raises(BoundaryDenied, match="personal memory"):
            memory.reclassify(dry_run=True)


def test_reasons_are_cleaned_with_the_class_of_their_links(personal, others):
    one = personal.save(f"Ann: {PHONE}", namespace="low").node
    other = personal.save("Plain").node
    personal.relate(one.id, other.id, tag="supports", weight=1, reason=f"ask {PHONE}")
    personal.choose_privacy("shared")
    personal.reclassify("low")
    assert [edge.reason for edge in others.relations().edges] == ["ask [phone]"]


def test_what_stands_beside_a_finding_is_judged_without_it(personal, url):
    token = "ghp" + "_" + "aB3" * 12
    node = personal.save(f"{token};order 4111 1111 1111 1111 now").node
    assert (token in node.content, "4111" in node.content and node.boundary_class != "pii") == (False, False)
    with Memory.open(url, privacy="shared") as shared:
        assert shared.save("Kenji: kenji@example.org(415) 555-2671").node.content == "Kenji: [email][phone]"


def test_a_key_with_blank_lines_in_a_document_is_taken_out_whole(personal, tmp_path):
    lines = [f"{number:02}" + "mQGiBEXampleKeyMaterialThatIsLong" * 2 for number in range(20)]
    block = "-----BEGIN PGP PRIVATE KEY BLOCK-----", "Version: 1", "", *lines[:10], "", *lines[10:]
    note = tmp_path / "note.txt"
    end = "-----END PGP PRIVATE KEY BLOCK-----"
    note.write_text("\n".join(["Our key, for the release.", "", *block, end, "", "Ask Kim for the other one."]))
    personal.add_documents([note])
    stored = " ".join(text for (text,) in personal.query_graph("select text_content from fragments").rows)
    assert not [line for line in lines if line in stored]
    assert "Ask Kim for the other one." in stored


def test_a_class_that_was_asked_for_stays_closed(personal, others):
    node = personal.save(f"Ann's door: {PHONE}", boundary_class="pii").node
    assert (node.boundary_class, node.shared_class) == ("pii", None)
    with pytest.raises(NotFound):
        others.get(node.id)


def test_evidence_and_entities(personal, others):
    added = personal.add_evidence(
        NewPage("https://a.example/", f"By {EMAIL}"),
        fragments=[NewFragment(f"Ask {EMAIL} about the bridge.", heading=f"Contact {EMAIL}")],
        claims=[NewClaim(f"{EMAIL} knows.", evidence=[NewEvidence("supports", fragment=0, quote=f"Ask {EMAIL}")])],
    )
    assert added.redacted == {}
    personal.save("Ann lives here.", entities=[EMAIL, "Ann"])
    assert EMAIL in repr(personal.query_graph("select * from fragments").rows)
    assert EMAIL in repr(personal.activate("Who knows about the bridge?"))
    recalled = repr(others.activate("Who knows about the bridge?"))
    assert "[email]" in recalled
    assert EMAIL not in recalled
    told = repr([others.list(kind=kind) for kind in ("page", "fragment", "claim", "entity")])
    assert EMAIL not in told
    assert "Ann" in told


def test_an_endpoint_gets_texts_without_personal_data(url, endpoint, monkeypatch):
    monkeypatch.setenv("WHEREFROM_EMBED_URL", endpoint.url)
    with Memory.open(url, embedder="endpoint", embed_model="m") as memory:
        memory.choose_privacy("personal")
        for text in TEXTS:
            memory.save(text, title=f"From {EMAIL}")
        memory.save(f"Closed: {PHONE}", boundary_class="pii")
        memory.embed()
        assert memory.search(f"whose is {PHONE}?").hits
        assert memory.doctor().ok
    sent = json.dumps(endpoint.requests, ensure_ascii=False)
    assert "My phone number is [phone]." in sent
    assert "Closed" not in sent
    for value in (PHONE, EMAIL):
        assert value not in sent


def test_exports_and_imports(personal, new_url):
    english, _, plain = saved(personal)
    personal.relate(english.id, plain.id, tag="supports", weight=1, reason=f"ask {PHONE}")
    whole, for_others = exported(personal), exported(personal, shared=True)
    assert PHONE in whole
    assert PHONE not in for_others
    assert "[phone]" in for_others
    for dialect in ("sqlite", "postgres"):
        with Memory.open(new_url(dialect)) as copy:
            copy.choose_privacy("personal")
            copy.import_(io.BytesIO(whole.encode()))
            assert copy.get(english.id) == english
            assert exported(copy).splitlines()[1:] == whole.splitlines()[1:]
        for stream in (whole, for_others):
            with Memory.open(new_url(dialect)) as copy:
                copy.choose_privacy("shared")
                assert copy.import_(io.BytesIO(stream.encode())).nodes_created == 3
                found = copy.get(english.id)
                assert (found.content, found.boundary_class) == ("My phone number is [phone].", "internal")
                assert len(copy.relations().edges) == 1
                assert PHONE not in exported(copy)
                assert copy.search("phone number").hits[0].node.id == english.id


def test_reclassify_takes_out_for_good_what_was_kept(url, personal, execute):
    english, *_ = saved(personal)
    personal.choose_privacy("shared")
    dry = personal.reclassify(dry_run=True)
    assert len(dry.redacted) == 2
    personal.reclassify()
    found = personal.get(english.id)
    assert (found.content, found.boundary_class, found.shared_class) == (
        "My phone number is [phone].",
        "internal",
        None,
    )
    assert PHONE not in repr(execute(url, "select content, title, metadata from nodes"))
    assert personal.search("phone number").hits[0].node.id == english.id
    assert personal.doctor().ok


def test_what_was_let_go_comes_back_as_it_was(url):
    clock = Clock()
    with Memory.open(url, clock=clock) as memory:
        memory.choose_privacy("personal")
        one = memory.save(f"Write to {EMAIL} about the roof.").node
        other = memory.save(f"Please write to {EMAIL} about the roof.").node
        clock.go_on(days=400)
        before = exported(memory).splitlines()[1:]
        plan = memory.metabolize(apply=True, orphans="all")
        memory.reclassify()
        assert {one.id, other.id} - {node.id for node in memory.list().nodes}
        memory.restore(run_id=plan.run_id)
        assert exported(memory).splitlines()[1:] == before
        memory.reindex()
        memory.delete(other.id)
        assert memory.search(EMAIL).hits[0].node.id == one.id
        assert memory.doctor().ok


def test_an_agent_of_the_owner_remembers_numbers(url):
    with Memory.open(url) as memory:
        memory.choose_privacy("personal")

    async def conversation(client):
        answer = await call(client, "memory_save", content=TEXTS[1])
        assert (answer["boundary_class"], answer["redacted"], answer["note"]) == ("pii", {}, None)
        found = await call(client, "memory_activate", query="私の電話番号は?")
        assert PHONE in json.dumps(found, ensure_ascii=False)
        narrowed = await call(client, "memory_activate", query="私の電話番号は?", allow=OTHERS)
        assert PHONE not in json.dumps(narrowed, ensure_ascii=False)
        assert "[phone]" in json.dumps(narrowed, ensure_ascii=False)
        return answer

    talk(url, conversation, WHEREFROM_ALLOW=f"answer:task,{OTHERS[0]}")
