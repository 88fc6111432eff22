"""What the server does with lines that are no proper calls: each is answered, and none stops it."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

import mcp_types as types
import pytest
from forking_for_tests import wherefrom_command
from raw_client_for_tests import RawClient, tool_call
from talking_for_tests import answer_in_message

from wherefrom.transport.messages import MAX_DEPTH
from wherefrom.transport.stdio import MAX_LINE_BYTES, _line_of

PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS = -32700, -32600, -32602
CALL = b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"memory_save","arguments":{"content":%s}}}'
PING = b'{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":%s}}'


def nested(levels):
    return b'{"a":' * levels + b"1" + b"}" * levels


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    """One server for all the lines that it must survive."""
    url = tmp_path_factory.mktemp("stdio") / "m.db"
    with RawClient(url, command=[*wherefrom_command(), "mcp"]) as opened:
        yield opened
        assert opened.hang_up() == []
        assert opened.wait() == 0
        assert b"Traceback" not in opened.stderr


@pytest.mark.parametrize(
    ("line", "known", "code"),
    [
        (CALL % rb'"\ud83d"', 7, INVALID_PARAMS),
        (CALL % rb'"x","metadata":{"k":["\udc00"]}', 7, INVALID_PARAMS),
        (CALL % rb'"x","metadata":{"\ud83d":1}', 7, INVALID_PARAMS),
        (CALL % (b'"x","metadata":' + nested(900)), 7, INVALID_REQUEST),
        (CALL % (b"[" * 900 + b"]" * 900), 7, INVALID_REQUEST),
        (
            b'{"method":"ping","params":{"a":' + nested(MAX_DEPTH) + b'},"jsonrpc":"2.0","id":7}',
            7,
            INVALID_REQUEST,
        ),
        (b'{"method":"ping","params":' + nested(40_000) + b',"jsonrpc":"2.0","id":7}', 7, INVALID_REQUEST),
        (b"[" * 100_000, None, INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":["memory_save"]}', 7, INVALID_PARAMS),
        (b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":"x"}', 7, INVALID_PARAMS),
        (b"this is not JSON", None, PARSE_ERROR),
        (b'{"jsonrpc":"2.0","id":7,', 7, PARSE_ERROR),
        (b'{"jsonrpc":"2.0","id":7,"method":"ping"}{}', 7, PARSE_ERROR),
        (b'{"jsonrpc":"2.0","params":{"id":5},"id":"seven","method":"ping"', "seven", PARSE_ERROR),
        (CALL % b'"a\x00b"', 7, PARSE_ERROR),
        (CALL % b'"\xff\xfe"', 7, PARSE_ERROR),
        (CALL % b'"\xed\xa0\xbd"', 7, PARSE_ERROR),
        (b"\x00", None, PARSE_ERROR),
        (PING % b"NaN", 7, PARSE_ERROR),
        (PING % b"-Infinity", 7, PARSE_ERROR),
        (PING % b"1e999999", 7, INVALID_REQUEST),
        (PING % (b"9" * 5_000), 7, INVALID_REQUEST),
        (b'[{"jsonrpc":"2.0","id":7,"method":"ping"}]', None, INVALID_REQUEST),
        (b"[]", None, INVALID_REQUEST),
        (b'"hello"', None, INVALID_REQUEST),
        (b"{}", None, INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', None, INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":7.5,"method":"ping"}', 7.5, INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', None, INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}', None, INVALID_REQUEST),
        (rb'{"jsonrpc":"2.0","id":"\ud83d","method":"ping"}', "\ud83d", INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":"' + b"x" * 100_000 + b'","method":5}', None, INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":' + b"9" * 5_000 + b',"method":"ping"}', None, INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":7,"method":5}', 7, INVALID_REQUEST),
        (rb'{"jsonrpc":"2.0","id":7,"method":"\ud83d"}', 7, INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":7}', 7, INVALID_REQUEST),
        (b'{"jsonrpc":"1.0","id":7,"method":"ping"}', 7, INVALID_REQUEST),
        (b'{"id":7,"method":"ping"}', 7, INVALID_REQUEST),
    ],
)
def test_a_line_that_is_no_call_is_answered_with_its_id(client, line, known, code):
    client.send(line)
    (answer,) = client.answers_until_ping()
    assert answer["jsonrpc"] == "2.0"
    assert answer["id"] == known
    assert answer["error"]["code"] == code
    assert len(json.dumps(answer)) < 700, "an error repeats little of what was sent"
    assert answer["error"]["data"]["hint"] in answer["error"]["message"]


def test_the_error_says_where_half_a_character_stands(client):
    client.send(CALL % rb'"x","metadata":{"tags":["fine","cut \ud83d"]}')
    (answer,) = client.answers_until_ping()
    assert "params.arguments.metadata.tags[1] holds a lone surrogate" in answer["error"]["message"]


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"  \r",
        b"\xef\xbb\xbf",
        rb'{"jsonrpc":"2.0","method":"notifications/progress","params":{"a":"\ud83d"}}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":[1]}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}',
        b'{"jsonrpc":"1.0","method":"notifications/initialized"}',
        b'{"jsonrpc":"2.0","method":"notifications/nonsense","params":{"a":1e999}}',
        b'{"jsonrpc":"2.0","id":7,"result":{}}',
        b'{"jsonrpc":"2.0","id":7,"result":5}',
        b'{"jsonrpc":"2.0","id":null,"error":{"code":"x"}}',
    ],
)
def test_what_wants_no_answer_gets_none(client, line):
    client.send(line)
    assert client.answers_until_ping() == []


@pytest.mark.parametrize(
    "line",
    [
        b'{"jsonrpc":"2.0","id":7,"method":"ping"}\r',
        b'\xef\xbb\xbf{"jsonrpc":"2.0","id":7,"method":"ping"}',
        b'\t {"jsonrpc":"2.0","id":7,"method":"ping"} ',
        b'{"jsonrpc":"2.0","id":5,"id":7,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":7,"method":"ping","params":null}',
        rb'{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":"\ud83d\ude00"}}',
    ],
)
def test_what_is_only_unusual_is_answered_as_usual(client, line):
    client.send(line)
    assert client.answers_until_ping() == [{"jsonrpc": "2.0", "id": 7, "result": {}}]


def test_metadata_as_deep_as_it_may_be_still_goes_in(client):
    deep = json.loads(nested(32))
    client.send(tool_call(7, "memory_save", content="deep", metadata=deep))
    assert answer_in_message(client.answer())["status"] == "created"
    client.send(tool_call(8, "memory_save", content="deeper", metadata={"a": deep}))
    answer = client.answer()
    assert json.loads(answer["result"]["content"][0]["text"])["error"]["code"] == "invalid_input"


@pytest.mark.parametrize("place", ["first", "last"])
def test_a_line_without_end_is_refused_and_not_kept(tmp_path, place):
    around = {"first": (b'{"id":7,"params":{"a":"', b'"},"jsonrpc":"2.0"}'), "last": (b'{"a":"', b'","id":7}')}
    before, after = around[place]
    with RawClient(tmp_path / "m.db", command=[*wherefrom_command(), "mcp"]) as client:
        client.send(before + b"x" * (2 * MAX_LINE_BYTES) + after)
        (answer,) = client.answers_until_ping()
        assert (answer["id"], answer["error"]["code"]) == (7, INVALID_REQUEST)
        client.send(tool_call(8, "memory_save", content="x" * 200_000))
        assert client.answer()["id"] == 8


def test_the_server_holds_no_more_than_one_line(tmp_path):
    with RawClient(tmp_path / "m.db") as client:
        peak = Path(f"/proc/{client.process.pid}/status")
        if not peak.exists():
            pytest.skip("this system does not say how much memory a process has used")

        def used():
            return (
                next(int(line.split()[1]) for line in peak.read_text().splitlines() if line.startswith("VmHWM")) / 1024
            )

        before = used()
        for _ in range(8):
            client.process.stdin.write(b"x" * MAX_LINE_BYTES)
        client.send(b"")
        assert len(client.answers_until_ping()) == 1
        assert used() - before < 4 * MAX_LINE_BYTES / 2**20


def mutated(chance, number):
    """A call with something broken in it: bytes lost, added, doubled or replaced, or another value somewhere."""
    values = [None, True, 1.5, [], {}, "\ud83d", "x" * 50, [[[[]]]], {"a": {}}, float("nan"), 10**400, -1, ""]
    message = chance.choice(
        [
            {"jsonrpc": "2.0", "id": number, "method": "ping"},
            tool_call(number, "memory_list", limit=1),
            tool_call(number, "no_such_tool"),
            {"jsonrpc": "2.0", "id": number, "method": "tools/list", "params": {}},
        ]
    )
    if chance.random() < 0.5:
        message[chance.choice(["jsonrpc", "id", "method", "params", "more"])] = chance.choice(values)
    if chance.random() < 0.2:
        del message[chance.choice(list(message))]
    line = bytearray(json.dumps(message).encode())
    for _ in range(chance.choice([0, 0, 1, 1, 2, 5])):
        at = chance.randrange(len(line))
        piece = bytes(chance.choice(b'\x00\xff{}[]",:\\ud8 1') for _ in range(chance.randint(0, 3)))
        line[at : at + chance.randint(0, 3)] = piece
    if chance.random() < 0.1:
        line = line[: chance.randrange(len(line) + 1)]
    return bytes(line).replace(b"\n", b" ")


def readable(line):
    """The id of a line that is a JSON object with an id and a method; None of any other."""
    try:
        message = json.loads(line.decode(), parse_int=lambda digits: int(digits[:300]))
    except ValueError:
        return None
    if not isinstance(message, dict) or "method" not in message:
        return None
    known = message.get("id")
    return known if isinstance(known, int | float | str) and not isinstance(known, bool) else None


@pytest.mark.parametrize("seed", range(4))
def test_hundreds_of_broken_lines_and_each_with_an_id_is_answered_once(tmp_path, seed):
    chance = random.Random(seed)
    lines, answers = [], []
    with RawClient(tmp_path / "m.db", command=[*wherefrom_command(), "mcp"]) as client:
        for group in range(10):
            some = [mutated(chance, 10_000 + 100 * group + number) for number in range(10)]
            client.send(*some)
            answers += client.answers_until_ping()
            lines += some
        answers += client.hang_up()
        assert client.wait() == 0
        assert b"Traceback" not in client.stderr
    sent = Counter(known for line in lines if (known := readable(line)) is not None and len(str(known)) < 200)
    got = Counter(answer["id"] for answer in answers)
    assert not sent - got, "each is answered"
    assert all(got[known] == times for known, times in sent.items() if str(known).startswith("10")), "and once"
    assert len(answers) <= len(lines)


def test_an_answer_that_utf8_cannot_say_is_sent_all_the_same():
    message = types.JSONRPCResponse(jsonrpc="2.0", id=7, result={"text": "cut \ud83d", "number": 1})
    assert json.loads(_line_of(message)) == {"jsonrpc": "2.0", "id": 7, "result": {"text": "cut ?", "number": 1}}
