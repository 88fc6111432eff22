"""The leak test: personal data and secrets, planted in thousands of texts, are found nowhere that the policy forbids."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import logging
import random
import re
import string
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import apsw
import phonenumbers
import psycopg
import pytest
from stdnum.cn import ric
from stdnum.fr import nir
from stdnum.jp import in_
from talking_for_tests import call, refusal, talk, wherefrom

from wherefrom import BoundaryDenied, Conflict, InvalidInput, Memory, WherefromError
from wherefrom.embedding.static import StaticEmbedder
from wherefrom.text.check import content_hash

# PostgreSQL looks at the tables anew after an import of a thousand; its servers in tests never do by themselves.
AMOUNTS = {"sqlite": 400, "postgres": 400}
LARGE = 10_000
SAVED = 300
ASKED = 25

# A place for the value, {v}; none of them has a digit. A few kinds are known only by the word beside them.
SENTENCES = {
    "email": (
        "Please write to {v} about the bridge.",
        "担当者の連絡先は{v}です。橋の件。",
        "请发邮件到{v}，关于桥梁。",
        "다리에 관해서는 {v}로 연락하세요.",
        "See <{v}>, and thank you.",
    ),
    "phone": (
        "Call {v} about the bridge.",
        "電話は{v}まで。橋の件。",
        "请打电话{v}询问桥梁。",
        "다리 문의 전화 {v} 입니다.",
        "Her number: {v}; ask for the bridge.",
    ),
    "card": (
        "Paid with {v} for the bridge.",
        "カード番号は{v}です。",
        "卡号：{v}，用于桥梁。",
        "카드 번호 {v} 로 결제했습니다.",
    ),
    "national_id": (
        "Her number is {v}, for the bridge.",
        "本人の番号は{v}です。",
        "号码是{v}，用于桥梁。",
        "번호는 {v} 입니다.",
    ),
    "secret": (
        "The key for the bridge is {v} by the way.",
        "橋の鍵は {v} です。",
        "桥梁的密钥： {v} 。",
        "다리의 열쇠는 {v} 입니다.",
    ),
}
LETTERS = "ghjkmnpqrstuvwxyz"  # none of a hexadecimal number


@dataclass(frozen=True)
class Planted:
    """A value, of which kind, and the letters or digits by which it is known wherever it turns up."""

    kind: str
    form: str
    value: str
    core: str


class Sower:
    """Makes values that look real, each only once; built from parts, so that no scanner takes this file for a leak."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.planted: list[Planted] = []
        self._cores: set[str] = set()

    def one(self, kind):
        """A value that was not there before."""
        makers = {
            "email": self._email,
            "phone": self._phone,
            "card": self._card,
            "national_id": self._national_id,
            "secret": self._secret,
        }
        while True:
            form, value, core = makers[kind]()
            if core not in self._cores:
                self._cores.add(core)
                self.planted.append(Planted(kind, form, value, core))
                return value

    def text(self, kind):
        return self.random.choice(SENTENCES[kind]).format(v=self.one(kind))

    def digits(self, count):
        return "".join(self.random.choices(string.digits, k=count))

    def letters(self, count):
        return "".join(self.random.choices(LETTERS, k=count))

    def _email(self):
        local = self.letters(10)
        mailbox = self.random.choice([local, f"{local}.{self.letters(4)}", f"{local}+{self.letters(3)}"])
        domain = self.random.choice(["example.org", "mail.example.co.jp", "example.cn", "example.kr", "example.com"])
        value = f"{mailbox}@{domain}"
        return "email", self.random.choice([value, value.upper(), value.title()]), local

    def _phone(self):
        digits = self.digits
        while True:
            region, value = self.random.choice(
                [
                    (None, f"+81 90-{digits(4)}-{digits(4)}"),
                    (None, f"+81-3-{digits(4)}-{digits(4)}"),
                    (None, f"+44 7911 {digits(6)}"),
                    (None, f"+49 151 {digits(8)}"),
                    (None, f"+1 (415) {digits(3)}-{digits(4)}"),
                    (None, f"+86 138 {digits(4)} {digits(4)}"),
                    (None, f"+82 10-{digits(4)}-{digits(4)}"),
                    ("JP", f"090-{digits(4)}-{digits(4)}"),
                    ("JP", f"080{self.random.choice('123456789')}{digits(7)}"),  # 0800 is free of charge
                    ("JP", f"03-{digits(4)}-{digits(4)}"),
                    ("JP", f"(06){digits(4)}-{digits(4)}"),
                    ("US", f"(212) {digits(3)}-{digits(4)}"),
                    ("US", f"415-{digits(3)}-{digits(4)}"),
                    ("US", f"650.{digits(3)}.{digits(4)}"),
                    ("KR", f"010-{digits(4)}-{digits(4)}"),
                    ("KR", f"02-{digits(4)}-{digits(4)}"),
                    ("CN", f"手机138{digits(8)}"),
                    ("CN", f"mobile 159-{digits(4)}-{digits(4)}"),
                    ("DE", f"Handy 0151 {digits(8)}"),
                    ("FR", f"tél. 06 {digits(2)} {digits(2)} {digits(2)} {digits(2)}"),
                ]
            )
            if phonenumbers.is_valid_number(phonenumbers.parse(value, region)):
                return f"phone {re.sub('[0-9]', '0', value)}", value, re.sub("[^0-9]", "", value)

    def _card(self):
        issuer, length, groups = self.random.choice(
            [("4", 16, (4, 4, 4, 4)), ("52", 16, (4, 4, 4, 4)), ("34", 15, (4, 6, 5)), ("6011", 16, (4, 4, 4, 4))]
        )
        body = issuer + self.digits(length - len(issuer) - 1)
        doubled = [int(digit) * (2 - at % 2) for at, digit in enumerate(reversed(body))]
        number = body + str(-sum(value // 10 + value % 10 for value in doubled) % 10)
        gap = self.random.choice(["", " ", "-"])
        rest = iter(number)
        value = gap.join("".join(next(rest) for _ in range(size)) for size in groups)
        return f"card {len(number)} {gap!r}", value, number

    def _national_id(self):
        digits = self.digits
        year, month, day = self.random.randint(1950, 1999), self.random.randint(1, 12), self.random.randint(1, 28)
        born = f"{year}{month:02}{day:02}"
        match self.random.choice(["us", "jp", "kr", "cn", "fr"]):
            case "us":
                area = self.random.choice("12345") + digits(2)
                value = f"{area}-{self.random.randint(10, 99)}-{self.random.randint(1000, 9999)}"
            case "jp":
                body = self.random.choice("123456789") + digits(10)
                number = body + in_.calc_check_digit(body)
                grouped = f"{number[:4]}-{number[4:8]}-{number[8:]}"
                # Twelve digits without such a word are as often those of a parcel.
                word = self.random.choice(["マイナンバー ", "個人番号：", "My Number "])
                return "national_id jp", word + self.random.choice([grouped, number]), number
            case "kr":
                value = f"{born[2:]}-{self.random.choice('12')}{digits(6)}"
            case "cn":
                body = self.random.choice(["110101", "310104", "440305"]) + born + digits(3)
                value = body + ric.calc_check_digit(body + "0")
                return "national_id cn", value, value[:17]
            case _:
                body = f"{self.random.choice('12')}{born[2:4]}{month:02}75{digits(6)}"
                value = body + nir.calc_check_digits(body)
        return f"national_id {re.sub('[0-9]', '0', value)}", value, re.sub("[^0-9]", "", value)

    def _secret(self):
        body = "".join(self.random.choices(string.ascii_letters + string.digits, k=36)) + "4Z"
        upper = body.upper()
        jwt = ".".join(
            base64.urlsafe_b64encode(part).decode().rstrip("=")
            for part in (b'{"alg":"HS256"}', f'{{"sub":"{body[:12]}"}}'.encode(), body.encode())
        )
        bar = "-" * 5
        lines = base64.b64encode(self.random.randbytes(192)).decode()
        begin, end = (f"{bar}{word} RSA PRIVATE KEY{bar}" for word in ("BEGIN", "END"))
        block = "\n".join([begin, lines[:64], lines[64:128], lines[128:192], lines[192:], end])
        form, value, core = self.random.choice(
            [
                ("github", "gh" + "p_" + body, body),
                ("openai", "sk" + "-1" + body, body),
                ("anthropic", "sk" + "-ant-" + "api03-" + body, body),
                ("aws", "AK" + "IA" + upper[:16], upper[:16]),
                ("slack", "xo" + "xb-" + body, body),
                ("stripe", "sk" + "_live_" + body, body),
                ("google", "AI" + "za" + body, body),
                ("jwt", jwt, jwt.rpartition(".")[2]),
                ("block", block, lines[:64]),
                ("password", "pass" + "word=" + body[:14] + "7!", body[:14]),
                ("bearer", "Authorization: Bea" + "rer " + body, body),
                ("url", "postgres" + "ql://kim:" + body[:16] + "@db.example.org/x", body[:16]),
            ]
        )
        return form, value, core


# --- looking for them -------------------------------------------------------------------------------------------------


class Search:
    """Looks for planted values in bytes: as they are, in lower case, and their digits without what is between them."""

    def __init__(self, planted):
        self.by_digits = {each.core.encode(): each for each in planted if each.core.isdigit()}
        self.lengths = sorted({len(core) for core in self.by_digits})
        words = [each for each in planted if not each.core.isdigit()]
        self.by_start = {each.core[:8].lower().encode(): each for each in words}
        assert all(len(start) == 8 for start in self.by_start)
        hidden = [each for each in planted if each.kind == "secret"]
        self.digests = {
            hashlib.sha256(text.encode()).digest(): each for each in hidden for text in (each.value, each.core)
        }

    def in_(self, data):
        """What was found in some text or bytes."""
        data = data.encode() if isinstance(data, str) else data
        hashes = {bytes.fromhex(each.decode()) for each in re.findall(rb"[0-9a-f]{64}", data)}
        found = {each for digest, each in self.digests.items() if digest in hashes}
        # As they are they are looked for one by one, which takes 10 ms in a large file.
        found |= {each for digest, each in islice(self.digests.items(), 40) if digest in data}
        # Hashes and ids have digits enough to look like any short number.
        data = re.sub(rb"[0-9a-f]{64,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", b"|", data)
        found |= {self.by_digits[window] for window in self._numbers(data) if window in self.by_digits}
        for word in set(re.findall(rb"[a-z0-9+/_-]{8,}", data.lower())):
            found |= {
                self.by_start[word[at : at + 8]] for at in range(len(word) - 7) if word[at : at + 8] in self.by_start
            }
        return found

    def _numbers(self, data):
        joined = data.translate(None, b" -.()+")
        for run in re.findall(rb"[0-9]{9,}", joined):
            for size in self.lengths:
                for at in range(len(run) - size + 1):
                    yield run[at : at + size]


def described(found):
    """What leaked, by kind and form, with a few examples."""
    forms: dict[str, list[str]] = {}
    for each in found:
        forms.setdefault(f"{each.kind}: {each.form}", []).append(each.value)
    return {form: (len(values), values[:2]) for form, values in forms.items()}


def dump(url):
    """All that a database holds: the files of SQLite as they are, every text column of PostgreSQL."""
    if not url.startswith("postgresql"):
        file = Path(url)
        parts = [path.read_bytes() for path in file.parent.iterdir() if path.name.startswith(file.stem)]
        with closing(apsw.Connection(url)) as connection:
            terms = connection.execute("select term from node_vocabulary").fetchall()
        return b"\n".join([*parts, *(term.encode() for (term,) in terms)])
    with psycopg.connect(url) as connection:
        columns = connection.execute(
            "select table_name, column_name from information_schema.columns where table_schema = 'public'"
            " and data_type in ('text', 'character varying', 'json', 'jsonb', 'bytea', 'ARRAY')"
        ).fetchall()
        assert {("nodes", "content"), ("events", "payload"), ("node_terms", "term"), ("retired", "content")} <= {
            *columns
        }
        values = []
        for table, column in columns:
            rows = connection.execute(f'select distinct "{column}"::text from "{table}" where "{column}" is not null')
            values += [value for (value,) in rows]
        return "\n".join(values).encode()


class Recording:
    """The packaged vectors behind an embedder that would send texts away, and remembers what it was given."""

    instant = False
    sends = True
    model_id = "recording"

    def __init__(self):
        self._static = StaticEmbedder()
        self.trust = self._static.trust
        self.texts: list[str] = []

    def embed(self, texts):
        self.texts += texts
        return self._static.embed(texts)

    def close(self):
        pass


# --- sowing -----------------------------------------------------------------------------------------------------------


def record(number, **values):
    """A memo as an export has it."""
    now = "2026-01-01T00:00:00.000000Z"
    node = {
        "type": "node", "id": f"n{number}", "namespace": "main", "kind": "memo", "title": None, "metadata": {},
        "provenance": {}, "claim_kind": None, "scope": None, "boundary_class": "internal", "utility": 0,
        "confidence": 0.5, "quality": 0.5, "pinned": False, "observed_at": now, "recency_anchor": now,
        "expires_at": None, "valid_from": None, "valid_to": None, "superseded_by": None, "created_at": now,
        "updated_at": now, "version": 1, **values,
    }  # fmt: skip
    return {**node, "content_hash": content_hash(node["content"])}


def link(number, reason):
    now = "2026-01-01T00:00:00.000000Z"
    return {
        "type": "edge", "source_id": f"n{number}", "target_id": f"n{number - 1}", "tag": "supports", "weight": 1,
        "confidence": 1, "reason": reason, "source_namespace": "main", "target_namespace": "main",
        "boundary_class": "internal", "observed_at": now, "created_at": now, "updated_at": now, "version": 1,
    }  # fmt: skip


PERSONAL = ("email", "phone", "card", "national_id")


def imported_records(sower, count):
    """Personal data in every field in turn, secrets in every hundredth record, and in reasons."""
    records, links = [], []
    for number in range(count):
        kind = PERSONAL[number % 4]
        words = f"{sower.letters(6)} {sower.letters(6)}"
        values = {"content": f"{words}: {sower.text(kind)}"}
        match number % 10:
            case 0:
                values = {"content": words, "title": sower.text(kind)}
            case 1:
                values = {"content": words, "metadata": {"a": [{"b": sower.text(kind)}], sower.one("email"): 1}}
            case 2:
                values = {"content": words, "provenance": {"by": sower.one(kind), "note": sower.text(kind)}}
            case 3:
                values |= {"kind": "claim", "claim_kind": "fact", "boundary_class": "public"}
            case 4:
                values |= {"content": f"{words}\n{sower.text('email')}\n{sower.text('phone')}\n{sower.text('card')}"}
        if number % 100 == 99:
            field = ("content", "title", "metadata", "provenance")[number // 100 % 4]
            text = sower.text("secret")
            values[field] = {"note": text} if field in ("metadata", "provenance") else text[:300]
        records.append(record(number, **values))
        if number % 10 == 5 and number % 100 != 99:
            links.append(link(number, sower.text("secret" if number % 20 == 5 else kind)[:1000]))
    return [*records, *links]


def save_some(memory, sower, answers, *, count=SAVED):
    """The same through `save` and `relate`; what holds nothing but a secret is refused."""
    before = None
    for number in range(count):
        kind = PERSONAL[number % 4]
        text = f"{sower.letters(6)} {sower.text(kind)}"
        given = [
            {"title": sower.text(kind)},
            {"metadata": {sower.one("email"): [sower.text(kind)]}},
            {"provenance": {"by": {"mail": sower.one("email")}}},
            {"entities": [sower.one(kind)[:200], "the bridge"]},
            {"boundary_class": "pii", "claim_kind": "fact", "scope": "project"},
        ][number % 5]
        saved = memory.save(text, **given)
        answers.append(repr(saved))
        if before is not None:
            reason = sower.text("secret" if number % 3 == 0 else kind)
            answers.append(repr(memory.relate(saved.node.id, before, tag="supports", weight=1, reason=reason)))
        before = saved.node.id
        if number % 3 == 0:
            secret = sower.text("secret")
            given = [
                {"content": secret},
                {"content": "a text", "title": secret[:300]},
                {"content": "a text", "metadata": {"deep": [{"er": secret}]}},
                {"content": "a text", "metadata": {secret: 1}},
                {"content": "a text", "provenance": {"note": secret}},
                {"content": "a text", "entities": ["x " + secret[:190]]},
                {"content": secret, "memo_id": before},
            ][number // 3 % 7]
            try:
                answers.append(repr(memory.save(**given)))
            except (BoundaryDenied, Conflict) as refused:
                answers.append(str(refused))


def ask_much(memory, sower, answers, *, count=ASKED):
    """Questions with planted values in them, and everything that can be read."""
    kinds = (*PERSONAL, "secret")
    for number in range(count):
        question = sower.text(kinds[number % 5])
        answers.append(repr(memory.search(question, request_id=f"r{number}")))
        context = memory.activate(question, provenance={"by": sower.text(kinds[number % 5])}, metadata=None)
        answers += [repr(context), repr(memory.context(context.id))]
        answers.append(repr(memory.validate_boundary(sower.text(kinds[number % 5]), metadata={"note": question})))
        answers.append(repr(memory.vector_search(question, target="memos", min_similarity=0)))
        answers.append(repr(memory.search("the bridge", metadata={"note": sower.one("email")})))
    for wrong in ({"limit": 0}, {"rank": "best"}, {"scope": ["forever"]}):
        with pytest.raises(WherefromError) as error:
            memory.search(sower.text("secret"), **wrong)
        answers.append(str(error.value))
    for kind in ("memo", "claim", "entity"):
        cursor = None
        while True:
            page = memory.list(kind=kind, limit=100, cursor=cursor)
            answers.append(repr(page.nodes))
            cursor = page.next_cursor
            if cursor is None:
                break
    answers.append(repr(memory.relations(limit=500)))
    stream = io.StringIO()
    memory.export(stream)
    answers.append(stream.getvalue())


@pytest.mark.slow
@pytest.mark.timeout(600)  # the large one on tables in parts takes eight times as long as on others
@pytest.mark.parametrize(
    ("dialect", "amount"),
    [*AMOUNTS.items(), *(pytest.param(dialect, LARGE, marks=pytest.mark.long) for dialect in AMOUNTS)],
)
def test_nothing_that_was_planted_is_found_anywhere(new_url, dialect, amount, caplog, capfd):
    url, sower, embedder, answers = new_url(dialect), Sower(4), Recording(), []
    caplog.set_level(logging.DEBUG)
    tags = ["answer:task", "tool:contact-lookup"]
    records = imported_records(sower, amount)
    lines = "\n".join(json.dumps(each) for each in ({"type": "wherefrom", "format": 1}, *records))
    with Memory.open(url, embedder=embedder, allow=tags) as memory:
        imported = memory.import_(io.BytesIO(lines.encode()))
        answers.append(repr(imported))
        # Without their secrets some texts are the same, and some are nothing.
        apart = imported.nodes_duplicate + imported.nodes_denied
        assert imported.nodes_created == amount - apart
        assert apart <= amount // 100 <= imported.redacted["secret"] + imported.nodes_denied
        save_some(memory, sower, answers, count=SAVED if amount == LARGE else SAVED // 3)
        memory.embed()
        ask_much(memory, sower, answers, count=ASKED if amount == LARGE else ASKED // 2)
        answers.append(repr((memory.info(), memory.doctor())))
        search = Search(sower.planted)
        assert len(sower.planted) > amount
        # While it is open, too: the write-ahead log and the cache of vectors.
        assert described(search.in_(dump(url))) == {}
    assert len(embedder.texts) > amount
    logged = "\n".join([caplog.text, *capfd.readouterr()])
    for name, text in (
        ("the embedder", "\n".join(embedder.texts)),
        ("the logs", logged),
        ("the answers", "\n".join(answers)),
        ("the database", dump(url)),
    ):
        assert described(search.in_(text)) == {}, name


@pytest.mark.slow
@pytest.mark.parametrize("dialect", AMOUNTS)
def test_of_a_personal_memory_nothing_reaches_others(new_url, dialect, monkeypatch, caplog, capfd):
    """Its owner sees what was planted but the secrets; others, their export and the embedder see nothing of it."""
    monkeypatch.delenv("WHEREFROM_PRIVACY")
    url, sower, embedder, seen, told = new_url(dialect), Sower(40), Recording(), [], []
    caplog.set_level(logging.DEBUG)
    records = imported_records(sower, AMOUNTS[dialect] // 4)
    lines = "\n".join(json.dumps(each) for each in ({"type": "wherefrom", "format": 1}, *records))
    with Memory.open(url, embedder=embedder) as memory:
        memory.choose_privacy("personal")
        memory.import_(io.BytesIO(lines.encode()))
        save_some(memory, sower, seen, count=60)
        ask_much(memory, sower, seen, count=5)
        stream = io.StringIO()
        memory.export(stream, shared=True)
    personal = [each for each in sower.planted if each.kind != "secret"]
    assert len(Search(personal).in_("\n".join(seen))) > len(personal) // 3, "the owner has them"
    for narrow in ({"allow": ["tool:calendar"]}, {"privacy": "shared"}):
        with Memory.open(url, embedder=embedder, **narrow) as memory:
            ask_much(memory, sower, told, count=5)
            told += [repr(memory.query_graph(f"select * from {table}").rows) for table in ("memos", "claims", "edges")]
    search = Search(sower.planted)
    secrets = Search([each for each in sower.planted if each.kind == "secret"])
    for name, text in (
        ("others", "\n".join(told)),
        ("the export for others", stream.getvalue()),
        ("the embedder", "\n".join(embedder.texts)),
        ("the logs", "\n".join([caplog.text, *capfd.readouterr()])),
    ):
        assert described(search.in_(text)) == {}, name
    assert described(secrets.in_(dump(url) + "\n".join(seen).encode())) == {}


def test_the_search_itself_finds_what_is_planted():
    """A test of the test: whatever is sown is found, also in other forms."""
    sower = Sower(5)
    texts = [sower.text(kind) for kind in (*PERSONAL, "secret") for _ in range(100)]
    search = Search(sower.planted)
    for text in texts:
        assert search.in_(text), text
        assert search.in_(text.lower().encode()), text
        assert search.in_("x" + re.sub("[ ().-]", "", text)), text
    assert {each.kind for each in search.in_("\n".join(texts))} == {*PERSONAL, "secret"}
    assert len(search.in_("\n".join(texts))) == 500
    secret = next(each for each in sower.planted if each.kind == "secret")
    assert search.in_(hashlib.sha256(secret.value.encode()).hexdigest()) == {secret}
    assert search.in_(b"\0" + hashlib.sha256(secret.value.encode()).digest()) == {secret}
    assert search.in_(json.dumps({"id": "01a1e2af-d2a7-7a16-90be-6be7e5a59365", "at": "2026-01-01"})) == set()


@pytest.mark.parametrize("url", ["sqlite", pytest.param("postgres", marks=pytest.mark.slow)], indirect=True)
def test_nothing_is_sent_to_an_endpoint_or_told_through_the_interfaces(url, endpoint, monkeypatch, caplog, capfd):
    monkeypatch.setenv("WHEREFROM_EMBED_URL", endpoint.url)
    sower, answers = Sower(6), []
    kinds = (*PERSONAL, "secret")
    environment = {
        "WHEREFROM_EMBEDDER": "endpoint",
        "WHEREFROM_EMBED_URL": endpoint.url,
        "WHEREFROM_EMBED_MODEL": "m",
    }

    async def conversation(client):
        saved = []
        for kind in PERSONAL:
            saved.append(
                await call(
                    client,
                    "memory_save",
                    content=sower.text(kind),
                    title=sower.text(kind),
                    metadata={"note": sower.text(kind)},
                    provenance={"by": sower.one(kind)},
                    entities=[sower.one(kind)],
                )
            )
        for field in ("content", "title", "metadata", "provenance", "entities"):
            text = sower.text("secret")[:190]
            value = {"metadata": {"x": text}, "provenance": {"x": text}, "entities": [text]}.get(field, text)
            answers.append(await call(client, "memory_save", **{"content": "text", field: value}))
            assert answers[-1]["redacted"] == {"secret": 1}
        ids = [each["memo"]["id"] for each in saved]
        for kind in kinds:
            reason = {"source_memo_id": ids[0], "target_memo_id": ids[1], "reason": sower.text(kind)}
            answers.append(await call(client, "memory_relation_save", tag=kind, weight=1, **reason))
            answers.append(await call(client, "memory_search", query=sower.text(kind), explain=True))
            answers.append(await call(client, "memory_activate", query=sower.text(kind), explain=True))
            answers.append(await call(client, "boundary_validate", text=sower.text(kind)))
            answers.append(await refusal(client, "memory_search", query=sower.text(kind), limit=0))
            answers.append(await refusal(client, "memory_save", content={"x": sower.text(kind)}))
        answers.append(await call(client, "memory_list"))
        answers.append(await call(client, "memory_list", kind="entity"))
        answers.append(await call(client, "memory_relation_list"))
        answers.extend(saved)

    talk(url, conversation, **environment)
    every = " ".join(map(sower.text, PERSONAL))
    answers.append(wherefrom(url, "save", every, "--title", sower.text("email"), **environment))
    answers.append(wherefrom(url, "search", every, **environment))
    answers.append(wherefrom(url, "save", f"text {sower.text('secret')}", **environment))
    answers.append(wherefrom(url, "save", "sk-" + "ant-api03-" + sower.letters(40), code=6, **environment))
    wherefrom(url, "embed", **environment)
    answers.append(wherefrom(url, "export", "-", **environment))
    search = Search(sower.planted)
    logged = "\n".join([caplog.text, *capfd.readouterr()])
    for name, text in (
        ("the endpoint", json.dumps(endpoint.requests, ensure_ascii=False)),
        ("the logs", logged),
        ("the answers", json.dumps(answers, ensure_ascii=False)),
        ("the database", dump(url)),
    ):
        assert described(search.in_(text)) == {}, name
    assert endpoint.requests


# --- where else a value can stand -------------------------------------------------------------------------------------


def card(sower):
    """A card's number, without anything between its digits."""
    return next(value for value in iter(lambda: sower.one("card"), None) if value.isdigit())


def left_over(url, sower):
    return described(Search(sower.planted).in_(dump(url)))


def test_a_number_in_metadata_is_a_number_all_the_same(url):
    sower = Sower(7)
    with Memory.open(url) as memory:
        memory.save("paid", metadata={"card": int(card(sower))}, provenance={"card": [int(card(sower))]})
    assert left_over(url, sower) == {}


def test_the_approver_of_a_policy(url):
    sower = Sower(8)
    with Memory.open(url) as memory:
        memory.apply_policy("version: 1.1.0", approver=f"Kim <{sower.one('email')}>")
    assert left_over(url, sower) == {}


@pytest.mark.parametrize(
    "place",
    [
        "tag",
        "request_id",
        "trace_id",
        "namespace",
    ],
)
def test_names_that_callers_give(url, place):
    sower = Sower(10)
    value = next(
        each for each in iter(lambda: sower.one("secret"), None) if re.fullmatch("sk-[A-Za-z0-9-]{30,60}", each)
    )
    with Memory.open(url) as memory:
        try:
            if place == "tag":
                a, b = (memory.save(text).node.id for text in ("one", "two"))
                memory.relate(a, b, tag=value.lower(), weight=1)
            else:
                memory.save("a text", **{place: value})
        except (BoundaryDenied, InvalidInput):
            return
    assert left_over(url, sower) == {}


def test_settings_of_an_import(url):
    sower = Sower(11)
    setting = {"type": "setting", "namespace": "main", "name": "note", "value": sower.text("email")}
    lines = [{"type": "wherefrom", "format": 1}, {**setting, "updated_at": "2026-01-01T00:00:00Z"}]
    with Memory.open(url) as memory:
        memory.import_(io.BytesIO("\n".join(map(json.dumps, lines)).encode()))
    assert left_over(url, sower) == {}


@pytest.mark.parametrize(
    "ask",
    [
        pytest.param(lambda memory, value: memory.relate("a", "b", tag=value, weight=1), id="tag"),
        pytest.param(lambda memory, value: memory.apply_policy(f"version: {value}"), id="policy"),
    ],
)
def test_errors_do_not_repeat_a_secret(sqlite_memory, ask):
    sower = Sower(12)
    value = next(each for each in iter(lambda: sower.one("secret"), None) if re.fullmatch(r"[\w-]{30,60}", each))
    with pytest.raises(WherefromError) as error:
        ask(sqlite_memory, value)
    assert Search(sower.planted).in_(str(error.value)) == set()


def test_a_reference_servers_file_leaks_nothing(url):
    sower = Sower(13)
    lines = [
        {
            "type": "entity",
            "name": f"{sower.letters(8)} {sower.text(kind)}",
            "entityType": sower.one("email"),
            "observations": [sower.text(kind), sower.text("phone")],
        }
        for kind in PERSONAL
        for _ in range(10)
    ]
    lines.append({"type": "entity", "name": "x", "observations": [sower.text("secret")]})
    with Memory.open(url) as memory:
        imported = memory.import_(io.BytesIO("\n".join(json.dumps(line) for line in lines).encode()))
        assert (imported.nodes_created, imported.redacted["secret"]) == (41, 1)
    assert left_over(url, sower) == {}


def test_a_reference_servers_relation_leaks_nothing(url):
    sower = Sower(14)
    lines = [
        {"type": "entity", "name": "a", "observations": []},
        {"type": "entity", "name": "b", "observations": []},
        {"type": "relation", "from": "a", "to": "b", "relationType": f"writes to {sower.one('email')}"},
    ]
    with Memory.open(url) as memory:
        assert memory.import_(io.BytesIO("\n".join(map(json.dumps, lines)).encode())).edges_created == 1
    assert left_over(url, sower) == {}
