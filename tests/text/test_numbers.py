from __future__ import annotations

import random
import time

import pytest

from wherefrom.text.sensitive.findings import KINDS, find, redact

# (text, what of it is found): the word near the number, or its usual grouping, says what it is.
FOUND = [
    ("TEL:0312345678", "0312345678"),
    ("TEL0312345678", "0312345678"),
    ("tel 03 1234 5678", "03 1234 5678"),
    ("（090）1234-5678", "（090）1234-5678"),
    ("お問い合わせ 03-3456-7890", "03-3456-7890"),
    ("ご注文は03-3456-7890まで", "03-3456-7890"),
    ("0422-12-3456", "0422-12-3456"),
    ("0081 90 1234 5678", "0081 90 1234 5678"),
    ("+82-10-1234-5678", "+82-10-1234-5678"),
    ("(02) 1234-5678", "(02) 1234-5678"),
    ("연락처 031-8001-1234", "031-8001-1234"),
    ("手机13812345678", "13812345678"),
    ("请联系138 1234 5678", "138 1234 5678"),
    ("Her number: 13812345678", "13812345678"),
    ("(415)555-2671", "(415)555-2671"),
    ("call me on 415 555 2671", "415 555 2671"),
    ("415 555 2671 (cell)", "415 555 2671"),
    ("+1.415.555.2671", "+1.415.555.2671"),
    ("call +1 (555) 123-4567 now", "+1 (555) 123-4567"),
    ("Order by phone: 415-555-2671", "415-555-2671"),
    ("Bookings: 415-555-2671", "415-555-2671"),
    ("Order 12345 of Kim Smith, 415-555-2671", "415-555-2671"),
    ("fax: +31-20-914-738", "+31-20-914-738"),
    ("il répond au +33 6 39 15 91 20", "+33 6 39 15 91 20"),
    ("Handy: 0151 23456789", "0151 23456789"),
    ("Tel. 030 / 1234567", "030 / 1234567"),
    ("Portable : 06 12 34 56 78", "06 12 34 56 78"),
    ("tél. 06.12.34.56.78", "06.12.34.56.78"),
    ("mobile 07700 900123", "07700 900123"),
    ("phone 020 7946 0958", "020 7946 0958"),
    ("móvil 612 34 56 78", "612 34 56 78"),
    ("cellulare 347 123 4567", "347 123 4567"),
    ("celular (11) 91234-5678", "(11) 91234-5678"),
    ("mobile 98765 43210", "98765 43210"),
    ("マイナンバー 1234-5678-9018", "1234-5678-9018"),
    ("個人番号は１２３４　５６７８　９０１８です", "１２３４　５６７８　９０１８"),
    ("Aadhaar no. 2341 2341 2346", "2341 2341 2346"),
    ("आधार 2341-2341-2346", "2341-2341-2346"),
    ("1234 5678 9018 (My Number)", "1234 5678 9018"),
    ("SSN: 536904399", "536904399"),
    ("주민등록번호 9001011234567", "9001011234567"),
    ("4111 1111 1111 1111 1227", "4111 1111 1111 1111"),
    ("1,4111111111111111,12/27,123", "4111111111111111"),
    ("taro@example.com(代表)", "taro@example.com"),
    ("mail bob@163.com: hello", "bob@163.com"),
]

# What has the shape of such a number or address, and is nobody's.
NOBODYS = [
    *("+1-800-555-0199", "1-888-555-1234", "(800) 555-1234", "call 1-800-273-8255"),
    *("0120-123-456", "0800-123-4567", "電話 0570-000-911", "080-123-4567", "전화 1588-1234", "400-812-3456"),
    *("call 0808 157 0192", "Tel 0800 1234567", "call 911 or 112"),
    *("138-1234-5678", "13812345678", "031-8001-1234", "1234-5678-9018", "2341 2341 2346", "123456789018"),
    *(
        "Order 415-555-2671 shipped",
        "注文番号は090-1234-5678です",
        "お問い合わせ番号 090-1234-5678",
        "phone order: 415-555-2671",
    ),
    *(
        "订单号：13812345678",
        "주문번호 240115-1234567",
        "Bestellnummer 030-1234-5678",
        "numéro de suivi : 06 12 34 56 78",
    ),
    *(
        "número de pedido 415-555-2671",
        "415-555-2671 is your order number",
        "受付番号【09012345678】",
        "orderId=09012345678",
    ),
    *("call on 2024-01-15 10:30", "Telefonat am 12.03.2024 10:30", "call at 1684060200", "tel 1684060200000"),
    *('"order_id": "4111111111111111"', "Invoice no. 4111 1111 1111 1111", "Reference for the claim: 375590565305411"),
    *("4111 1111 1111 1111 5555 1234", "1234 4111 1111 1111 1111", "4539578763621486, 1234567890123456"),
    *("17,4111111111111111,2024-01-01", "4222222222222", "serial 4111111111111111"),
    *("<user>@<host>", "name@version", "@scope/pkg@1.2.3", "pkg@1.2.3-rc.next", "icon@3x.webp", "{name}@{domain}.com"),
    *(
        "git@github.com:org/repo.git",
        "deploy@www.example.com:site/x",
        "ssh://kim@host.example.com/x",
        "@kim@example.social",
    ),
]


@pytest.mark.parametrize(("text", "value"), FOUND)
def test_the_word_or_the_grouping_says_what_it_is(text, value):
    assert [text[finding.start : finding.end] for finding in find(text)] == [value]


@pytest.mark.parametrize("text", NOBODYS)
def test_numbers_and_addresses_of_nobody(text):
    assert find(text) == ()


def test_two_cards_in_a_row_are_both_found():
    assert redact("4111 1111 1111 1111 5555 5555 5555 4444", KINDS)[0] == "[card] [card]"
    assert redact("4111111111111111, 5555555555554444", KINDS)[0] == "[card], [card]"


def test_the_code_of_a_card_goes_with_it():
    assert redact("card 4111 1111 1111 1111 04/29, CVV: 784", KINDS)[0] == "card [card] 04/29, CVV: [card]"
    assert redact("CVV: 784", KINDS) == ("CVV: 784", {})


RANDOM = random.Random(20261117)


def digits(count):
    return "".join(RANDOM.choices("0123456789", k=count))


def barcode(count):
    body = digits(count - 1)
    odd, even = sum(map(int, body[::-2])), sum(map(int, body[-2::-2]))
    return body + str(-(3 * odd + even) % 10)


def american():
    return f"{digits(3)}-{digits(3)}-{digits(4)}"


ORDINARY = {
    "parcel": lambda: f"{digits(4)}-{digits(4)}-{digits(4)}",
    "spaced parcel": lambda: f"{digits(4)} {digits(4)} {digits(4)}",
    "row": lambda: " ".join(digits(4) for _ in range(RANDOM.randint(3, 9))),
    "order": lambda: f"{digits(3)}-{digits(4)}-{digits(4)}",
    "long order": lambda: f"{digits(3)}-{digits(7)}-{digits(7)}",
    "ten digits": lambda: digits(10),
    "eleven digits": lambda: digits(11),
    "UPC": lambda: barcode(12),
    "EAN": lambda: barcode(13),
    "GTIN": lambda: barcode(14),
    "cells": lambda: (
        f"{RANDOM.randint(1, 999)},{digits(16)},2024-01-15,{digits(4)}-{digits(4)}-{digits(4)},{digits(10)}"
    ),
    "table": lambda: f"| {digits(5)} | {digits(3)}-{digits(4)}-{digits(4)} | {digits(12)} | {RANDOM.randint(1, 99)} |",
    "snowflake": lambda: digits(19),
}
LABELS = (
    "Order {} shipped",
    "伝票番号 {}",
    "tracking {}",
    "订单号：{}",
    "송장번호 {}",
    "Rechnung Nr. {}",
    "facture n° {}",
)


@pytest.mark.parametrize("shape", ORDINARY)
def test_ordinary_numbers_are_left_alone(shape):
    # Before words decided, one in five parcel numbers and rows of numbers were taken out.
    texts = [
        RANDOM.choice(["{}", "We saw {} in the list.", "それは{}でした。"]).format(ORDINARY[shape]())
        for _ in range(1000)
    ]
    assert sum(bool(find(text)) for text in texts) <= 15


@pytest.mark.parametrize(
    "number",
    [ORDINARY["order"], ORDINARY["eleven digits"], ORDINARY["GTIN"], lambda: digits(16), american],
    ids=["order", "eleven digits", "barcode", "card", "American telephone"],
)
def test_no_number_is_taken_out_after_a_word_for_a_thing(number):
    texts = [RANDOM.choice(LABELS).format(number()) for _ in range(500)]
    assert [text for text in texts if find(text)] == []


HOSTILE = {
    "named": "".join(f"tel {digits(3)} {digits(3)} {digits(3)} {digits(3)} " for _ in range(3300)),
    "named row": "tel " + " ".join(digits(3) for _ in range(16_000)),
    "named pairs": "".join("tel " + " ".join("0" + digits(1) for _ in range(12)) + " " for _ in range(1600)),
    "international": "".join(f"+{digits(2)} {digits(3)} {digits(3)} {digits(3)} {digits(2)} " for _ in range(3300)),
    "prefixed": "".join(f"00{digits(2)} {digits(3)} {digits(3)} {digits(3)} {digits(2)} " for _ in range(3300)),
    "gaps": ("order" + " :" * 20) * 1400 + "415-555-2671",
    "cards": "4111 1111 1111 1111 " * 3200,
    "cells": " ".join("4" + digits(3) for _ in range(13_000)),
    "codes": "4111111111111111 cvv " * 3000,
    "parentheses": "(02) " * 12_000,
    "logins": "a@b.com:" + "x" * 60_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_numbers_take_no_time(text):
    started = time.process_time()
    redact(text, KINDS)
    assert time.process_time() - started < 5
