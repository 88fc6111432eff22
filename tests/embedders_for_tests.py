"""Embedders for tests: a real endpoint on this machine that can be told to misbehave, and a tiny model of our own."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np

from wherefrom import Trust
from wherefrom.embedding.static import StaticEmbedder

_STATIC = StaticEmbedder()
# Words that texts are made of, so that they differ in what they are about.
WORDS = [
    "cat",
    "dog",
    "bird",
    "fish",
    "tree",
    "river",
    "stone",
    "cloud",
    "bread",
    "chair",
    "music",
    "train",
    "city",
    "moon",
    "iron",
    "glass",
]


class Endpoint:
    """Serves `POST /v1/embeddings` with the packaged vectors, in the way that `mode` says."""

    def __init__(self) -> None:
        self.mode = "good"
        self.requests: list[dict] = []
        self.keys: list[str | None] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def _handler(endpoint):  # noqa: N805
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                endpoint.requests.append(body)
                endpoint.keys.append(self.headers.get("Authorization"))
                status, answer = endpoint.answer(body["input"])
                self.send_response(status)
                self.send_header("Content-Length", str(len(answer)))
                with suppress(BrokenPipeError):  # whoever asked did not wait
                    self.end_headers()
                    self.wfile.write(answer)

            def log_message(self, *_):
                pass

        return Handler

    def answer(self, texts: list[str]) -> tuple[int, bytes]:
        rows = [row.tolist() for row in _STATIC.embed(texts)]
        match self.mode:
            case "slow":
                time.sleep(0.6)
            case "short":
                rows = [row[:100] for row in rows]
            case "ragged":
                rows = [row[: 10 + at] for at, row in enumerate(rows)]
            case "fewer":
                rows = rows[:-1]
            case "zero":
                rows = [[0.0] * 256 for _ in rows]
            case "nan":
                rows = [[float("nan")] * 256 for _ in rows]
            case "words":
                rows = ["none" for _ in rows]
            case "garbage":
                return 200, b"<html>hello"
            case "json":
                return 200, b'{"data": 5}'
            case "quoting":
                return 401, f"padding {'.' * 270} no such key: {self.keys[-1]}".encode()
            case "refused":
                return 401, b'{"error": "wrong key"}'
            case "too long" if any("long" in text for text in texts):
                return 400, b'{"error": "maximum context length"}'
            case "busy once":
                self.mode = "good"
                return 429, b"later"
            case "broken":
                return 500, b"oops"
        data = [{"index": at, "embedding": row} for at, row in enumerate(rows)]
        return 200, json.dumps({"data": data[::-1]}).encode()


@contextmanager
def serving() -> Iterator[Endpoint]:
    endpoint = Endpoint()
    thread = threading.Thread(target=endpoint._server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield endpoint
    finally:
        endpoint._server.shutdown()
        endpoint._server.server_close()
        thread.join()


class Numbered:
    """A model of our own: eight directions, by the digit in the text; `instant` like the packaged one."""

    instant = True
    sends = False
    trust = Trust()

    def __init__(self, model_id="numbered", dimension=8):
        self.model_id = model_id
        self.dimension = dimension
        self.embedded = 0

    def close(self):
        pass

    def embed(self, texts):
        self.embedded += len(texts)
        rows = np.full((len(texts), self.dimension), 0.01, dtype=np.float32)
        for at, text in enumerate(texts):
            digits = [int(character) for character in text if character.isdigit()]
            rows[at, (digits[0] if digits else 0) % self.dimension] = 1
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)
