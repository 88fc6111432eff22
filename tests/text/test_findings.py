from __future__ import annotations

import itertools
import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wherefrom.text.sensitive.findings import KINDS, Finding, find, redact

KEY = "MIIEpAIBAAKCAQEA7bq1c0Xo2vD3\nq9YxR4n8sL0pTzWbVfGhJkQmNe5u\nAbCdEf=="
JWT = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiI5MDg3MTIzNCJ9.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
AWS_SECRET = "kT4vQx9LzPm2/Rw7NbYc1HsJd8Fg5+UaEo3iXpZr"
LETTERS = "aB3dE5gH7jK9mN1pQ4sT6vW8yZ0cF2xR5uL"

# Each value is found alone, whole and as this kind.
VALUES = {
    "email": [
        "john.doe+tag@example.co.uk",
        "o'brien@example.org",
        "用户@例子.广告",
        "josé.garcía@münchen.de",
        "संपर्क@डाटामेल.भारत",
        "taro@xn--r8jz45g.jp",
        "taro＠example．com",
        "ｔａｒｏ@ｅｘａｍｐｌｅ.ｃｏｍ",
        "john%40example.com",
    ],
    "phone": [
        "+81 90-1234-5678",
        "+1 (415) 555-2671",
        "+44 (0)20 7946 0958",
        "+49 30/123456",
        "+33 1 23 45 67 89",
        "03-1234-5678",
        "090-1234-5678",
        "090 1234 5678",
        "09012345678",
        "（03）1234-5678",
        "03(1234)5678",
        "０９０－１２３４－５６７８",
        "090ー1234ー5678",
        "090‐1234‐5678",
        "٠٩٠-١٢٣٤-٥٦٧٨",
        "(415) 555-2671",
        "415-555-2671",
        "415.555.2671",
        "1-415-555-2671",
        "555-123-4567",
        "010-1234-5678",
        "080.1234.5678",
        "+1 (555) 123-4567",
        "+81(0)90-1234-5678",
    ],
    "card": [
        "4111111111111111",
        "4111 1111 1111 1111",
        "4111-1111-1111-1111",
        "４１１１　１１１１　１１１１　１１１１",
        "5555555555554444",
        "2223003122003222",
        "378282246310005",
        "3782 822463 10005",
        "6011111111111117",
        "3530111333300000",
        "30569309025904",
        "6200000000000005",
    ],
    "national_id": [
        "536-90-4399",
        "900101-1234567",
        "11010519491231002X",
        "AB 12 34 56 C",
        "2 95 10 99 126 111 93",
        "295109912611193",
        "GB82 WEST 1234 5698 7654 32",
        "DE89370400440532013000",
    ],
    "secret": [
        f"-----BEGIN RSA PRIVATE KEY-----\n{KEY}\n-----END RSA PRIVATE KEY-----",
        f"-----BEGIN OPENSSH PRIVATE KEY-----\n{KEY}\n-----END OPENSSH PRIVATE KEY-----",
        f"-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{KEY}\n-----END PGP PRIVATE KEY BLOCK-----",
        f"-----BEGIN PRIVATE KEY-----\n{KEY}",
        "-----BEGIN PRIVATE KEY-----\\n" + KEY.replace("\n", "\\n"),
        JWT,
        "AKIAQ3EGRZ7VNH2KD5TM",
        f"ghp_{LETTERS}0",
        f"gho_{LETTERS}0",
        f"ghs_{LETTERS}0",
        f"ghu_{LETTERS}0",
        f"ghr_{LETTERS}0",
        f"github_pat_{LETTERS}_{LETTERS}",
        f"glpat-{LETTERS[:20]}",
        f"xoxb-123456789012-1234567890123-{LETTERS[:24]}",
        f"sk_live_{LETTERS[:24]}",
        f"rk_live_{LETTERS[:24]}",
        f"sk-{LETTERS}",
        f"sk-ant-api03-{LETTERS}",
        f"sk-proj-{LETTERS}",
        f"AIza{LETTERS}",
        f"npm_{LETTERS}0",
        f"pypi-AgEIcHlwaS5vcmc{LETTERS}",
        f"hf_{LETTERS}",
        f"SG.{LETTERS[:22]}.{LETTERS}12345678",
        "SK" + "0123456789abcdef" * 2,
        f"AccountKey={LETTERS}{LETTERS}+/{LETTERS[:14]}==",
        f"123456789:AA{LETTERS}",
        "0123456789abcdef" * 2 + "-us12",
    ],
}
ALL_VALUES = [(kind, value) for kind, values in VALUES.items() for value in values]

# (text, what of it is found): the rest of the text says what it is.
IN_CONTEXT = [
    ("Write to <jane@example.com>, please", "jane@example.com"),
    ('{"email": "a@b.io"}', "a@b.io"),
    ("mailto:bob@localhost?subject=x", "bob@localhost"),
    ("連絡先はtaro@example.comです", "taro@example.com"),
    ("電話は09012345678まで", "09012345678"),
    ("call me at 4155552671", "4155552671"),
    ("電話 0312345678", "0312345678"),
    ("+81 90 1234 5678 2024", "+81 90 1234 5678"),
    ("4111 1111 1111 1111 123", "4111 1111 1111 1111"),
    ("4111 1111 1111 1111 12/27", "4111 1111 1111 1111"),
    ("SSN 536 90 4399", "536 90 4399"),
    ("マイナンバー123456789018", "123456789018"),
    ("my number: 123456789018", "123456789018"),
    ("Aadhaar 234123412346", "234123412346"),
    ("DNI 12345678Z", "12345678Z"),
    ("NIE X1234567L", "X1234567L"),
    ("Steuer-ID 36 574 261 809", "36 574 261 809"),
    ("National Insurance AB123456C", "AB123456C"),
    ("IBAN GB82 WEST 1234 5698 7654 32 BIC X", "GB82 WEST 1234 5698 7654 32"),
    ("https://user:swordfish@host/x", "swordfish"),
    ("postgres://u:p@ss@db.example/x", "p@ss"),
    ("Authorization: Bearer abc123def456", "abc123def456"),
    ("Authorization: Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"),
    ("curl -H 'x-api-key: 0a1b2c3d4e5f'", "0a1b2c3d4e5f"),
    ("password = hunter2hunter", "hunter2hunter"),
    ('{"password": "correcthorse"}', "correcthorse"),
    ('{\\"password\\": \\"correcthorse1\\"}', "correcthorse1"),
    ("password: str = 'hunter2hunter'", "hunter2hunter"),
    ("DB_PASSWORD=hunter2hunter\n", "hunter2hunter"),
    ("mysql --password hunter2hunter", "hunter2hunter"),
    ("<password>hunter2hunter</password>", "hunter2hunter"),
    ("the wifi password is Blue42Sky!", "Blue42Sky!"),
    ("https://x.example/?token=abcd12345&page=2", "abcd12345"),
    ("api_key: abcd1234efgh", "abcd1234efgh"),
    ('secret="abcd1234efgh"', "abcd1234efgh"),
    ("clientSecret: 'abcd1234efgh'", "abcd1234efgh"),
    ("パスワード：abcd1234です", "abcd1234"),
    ("パスワードはabcd1234です", "abcd1234"),
    ("ﾊﾟｽﾜｰﾄﾞ: abcd1234", "abcd1234"),
    ("비밀번호: abcd1234", "abcd1234"),
    ("密码：abcd1234", "abcd1234"),
    (f"aws_secret_access_key = {AWS_SECRET}", AWS_SECRET),
]

NOTHING = [
    "user@host",
    "@mention and @app.route('/x')",
    "git@github.com:org/repo",
    "a@b.dot(c), logo@2x.png, lodash@4.17.21, react@18.2.0/umd/react.js",
    "2023-05-14 10:30:00, 20230514103000, 01-02-2023, 1684060200, 1684060200000",
    "1999-2000, 1990 1991 1992, pp. 123-145",
    "ISBN 978-3-16-148410-0, ISBN 0-306-40615-2, JAN 4901234567894",
    "doi:10.1016/j.cell.2010.09.012 and 10.1000/13812345678",
    "1.2.3.4, 192.168.100.200, v10.11.12-rc.13",
    "550e8400-e29b-41d4-a716-446655440000 12345678-1234-1234-1234-123456789012",
    "order 112-1234567-1234567, #13812345678, 123456789018",
    "p = 0.00012345678, 95% CI 1.02-1.35, 6.02214076e23, $13812345678",
    "4111 1111 1111 1112, 0.4111111111111111",
    "000-12-3456, 666-12-3456, 900-12-3456",
    "901301-1234567",
    "the antagonist SR141716A",
    "+12, +1234, a+1234567890",
    "risk-assessment-of-something-long, sk-learn-contrib-and-more",
    "-----BEGIN CERTIFICATE-----\nMIIEpAIBAAKCAQEA7bq1c0Xo2vD3\n-----END CERTIFICATE-----",
    "A key starts with -----BEGIN PRIVATE KEY----- and a line break",
    "http://host:8080/a@b",
    "password=${PASSWORD} password=$PASSWORD password={{ password }} password: <password>",
    "password: xxxxxxxxxx, password: **********, password: ..........",
    "api_key='your-api-key' token=YOUR_TOKEN_HERE password: [secret] https://u:[secret]@host",
    "password = os.environ['PASSWORD'], password=self.password, token = get_token(user, 12345678)",
    "password: required, password: something else, Password:\nForgotten it again",
    "the password is required, the secret: patience and time, token: Optional[str]",
    "the bearer of this letter; secretory: hormones; key: B-flat",
    "",
    "🙂 ❤️ 👨‍👩‍👧",
]


@pytest.mark.parametrize(("kind", "value"), ALL_VALUES)
def test_each_value_is_found_whole(kind, value):
    assert find(value) == (Finding(kind, 0, len(value)),)
    assert redact(value, KINDS) == (f"[{kind}]", {kind: 1})


@pytest.mark.parametrize(("text", "value"), IN_CONTEXT)
def test_values_among_words(text, value):
    assert [text[finding.start : finding.end] for finding in find(text)] == [value]


def test_the_secret_of_an_aws_pair_needs_no_name():
    assert redact(f"AKIAQ3EGRZ7VNH2KD5TM {AWS_SECRET}", KINDS) == ("[secret] [secret]", {"secret": 2})


@pytest.mark.parametrize("text", NOTHING)
def test_what_only_looks_like_it(text):
    assert find(text) == ()
    assert redact(text, KINDS) == (text, {})


def test_findings_are_in_order_and_apart():
    text = "password=john1@example.com, 4111 1111 1111 1111 or a@b.io"
    assert [finding.kind for finding in find(text)] == ["secret", "card", "email"]
    assert redact(text, ["email"])[0] == "password=[email], 4111 1111 1111 1111 or [email]"
    assert redact(text, []) == (text, {})


def test_a_key_that_is_cut_off_goes_to_the_end_of_the_text():
    text = f"Its key: -----BEGIN PRIVATE KEY-----\n{KEY[:50]}\n\nand it goes on AbCdEf=="
    assert redact(text, KINDS)[0] == "Its key: [secret]"


@pytest.mark.parametrize("hidden", ["\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u200b\u200d"])
def test_characters_that_show_nothing_hide_nothing(hidden):
    for kind, value in ALL_VALUES:
        middle = len(value) // 2
        split = value[:middle] + hidden + value[middle:]
        assert redact(split, KINDS) == (f"[{kind}]", {kind: 1}), value


def test_a_character_that_shows_nothing_before_a_value():
    assert redact("x\u200b4111111111111111\u200by", KINDS)[0] == "x\u200b[card]\u200by"


def full_width(text):
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)


@pytest.mark.parametrize(("kind", "value"), [pair for pair in ALL_VALUES if pair[1].isascii()])
def test_full_width_forms(kind, value):
    assert redact(full_width(value), KINDS) == (f"[{kind}]", {kind: 1})


WORDS = st.sampled_from(
    [*"abzŁžдя猫の語한글ไทยहि🙂@.:=+-/\"'[]()<>09１\u200b\u00ad\n ", "[secret]", "password=", "://", "token: "]
)
SURROUNDINGS = st.lists(WORDS, max_size=12).map("".join)
PLANTED = st.sampled_from([value for _, value in ALL_VALUES])
PIECES = st.lists(st.one_of(WORDS, PLANTED, PLANTED.map(lambda value: value[: len(value) // 2])), max_size=12)


@given(SURROUNDINGS, st.sampled_from(ALL_VALUES), SURROUNDINGS)
@settings(max_examples=3 * settings.default.max_examples, deadline=None)
def test_planted_values_are_found_and_gone(before, planted, after):
    _, value = planted
    text = f"{before}\n{value}\n{after}"
    start = len(before) + 1
    assert any(finding.start < start + len(value) and finding.end > start for finding in find(text))
    redacted, counts = redact(text, KINDS)
    assert value not in redacted
    assert counts


@given(st.one_of(st.text(max_size=80), PIECES.map("".join)), st.sets(st.sampled_from(KINDS)))
@settings(max_examples=5 * settings.default.max_examples, deadline=None)
def test_redaction_leaves_nothing_to_find(text, kinds):
    redacted, counts = redact(text, kinds)
    assert redact(redacted, kinds) == (redacted, {})
    assert not any(finding.kind in kinds for finding in find(redacted))
    assert set(counts) <= kinds


@given(st.one_of(st.text(max_size=80), PIECES.map("".join)))
@settings(max_examples=3 * settings.default.max_examples, deadline=None)
def test_positions_are_of_the_text_given(text):
    found = find(text)
    assert all(0 <= finding.start < finding.end <= len(text) for finding in found)
    assert all(first.end <= second.start for first, second in itertools.pairwise(found))


SIZE = 65_536


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        *(
            "a" * SIZE,
            "@" * SIZE,
            "1" * SIZE,
            "1-" * (SIZE // 2),
            "+1 " * 20_000,
            "sk-" * 20_000,
            "-----BEGIN " * 5_000,
        ),
        *("a@" * 30_000, "%40" * 20_000, "x@" + "a." * 30_000, "é@é." * 16_000, "1\u200b" * 30_000, "1 " * 30_000),
        *("-----BEGIN PRIVATE KEY-----" * 2_400, "-----BEGIN PRIVATE KEY-----" + " " * SIZE, "eyJ" * 20_000),
        *("password" * 8_000 + ":", "password=" * 7_000, "password" + " " * SIZE, "secret" + "_a" * 30_000 + "="),
        *("://a:" * 13_000 + "@", "://" + ":" * SIZE + "@", "AKIAQ3EGRZ7VNH2KD5TM" * 3_000, "GB82" * 16_000),
        *("4444 " * 13_000, "+1-1-1-1-1-1-1-1 " * 3_500, "090-" * 16_000, "[secret]" * 8_000, '="' * 30_000),
        *("hf_" * 20_000, "eyJ-" * 16_000, "password=a" + "_" * 400 + "1", ("." * 63 + "@b.cc") * 900),
    ],
    ids=lambda text: text[:12],
)
def test_hostile_texts_take_no_time(text):
    started = time.process_time()
    redact(text, KINDS)
    assert time.process_time() - started < 5


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "value"), ALL_VALUES)
def test_rows_of_one_value_take_no_time(kind, value):
    # Were each finding to uncover only the next one, this would take as many passes as there are values.
    started = time.process_time()
    for joint in ("", " ", "-", ",", "\n", "x"):
        redact(joint.join([value] * 200), KINDS)
    assert time.process_time() - started < 5


def test_importing_loads_no_library():
    code = (
        "import sys, wherefrom.text.sensitive.findings; "
        "print([name for name in ('phonenumbers', 'stdnum', 'detect_secrets') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
