"""Vectors from any OpenAI-compatible endpoint (OpenAI, Ollama, vLLM, LM Studio, …): `POST <base URL>/embeddings`."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from wherefrom.embedding.port import Embedder, Matrix
from wherefrom.lazy import httpx2, np
from wherefrom.model.errors import EmbedderUnavailable, TextRefused

_TEXTS_PER_REQUEST: Final = 64
# Models read some 8,000 tokens, and a CJK character is one or more.
_MAX_TEXT_CHARACTERS: Final = 8_000
_MAX_ANSWER_BYTES: Final = 64 * 1024 * 1024
_MAX_ATTEMPTS: Final = 3
_FIRST_PAUSE_S: Final = 0.3
_MAX_PAUSE_S: Final = 2.0
_REST_AFTER_FAILURE_S: Final = 30.0
# The endpoint works and refuses a text: it is too long, for example.
_REFUSED: Final = frozenset({400, 413, 422})
_TRY_AGAIN: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504})


class EndpointEmbedder(Embedder):
    """One model at one endpoint. After a failure it rests for half a minute, so that searches are not held up."""

    sends = True

    def __init__(
        self,
        url: str,
        *,
        model: str,
        key: str = "",
        timeout_ms: int = 10_000,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.model_id = model
        self._url = url.rstrip("/") + "/embeddings"
        self._key_forms = {key.encode(errors="replace"), repr(key)[1:-1].encode()} if key else set()
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._timeout_s = timeout_ms / 1000
        self._clock = clock
        self._lock = threading.Lock()
        self._client: httpx2.Client | None = None
        self._resting_until = 0.0
        self._last_failure = ""

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return one row for each text, asked for in batches."""
        if self._clock() < self._resting_until:
            raise EmbedderUnavailable(f"{self._last_failure} (not asked again for a moment)")
        try:
            batches = [
                self._ask(texts[at : at + _TEXTS_PER_REQUEST]) for at in range(0, len(texts), _TEXTS_PER_REQUEST)
            ]
            if len({batch.shape[1] for batch in batches}) > 1:
                raise EmbedderUnavailable(f"{self.model_id} answered with vectors of several dimensions")
            return np.concatenate(batches)
        except TextRefused:
            raise
        except EmbedderUnavailable as error:
            self._last_failure = error.message
            self._resting_until = self._clock() + _REST_AFTER_FAILURE_S
            raise

    def close(self) -> None:
        """Close the connections; a later text opens new ones."""
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None

    def _ask(self, texts: Sequence[str]) -> Matrix:
        question = {"model": self.model_id, "input": [text[:_MAX_TEXT_CHARACTERS] for text in texts]}
        deadline = self._clock() + self._timeout_s
        pause = _FIRST_PAUSE_S
        for attempt in range(1, _MAX_ATTEMPTS + 1):
            status, wait, body = self._post(question, deadline)
            if status == 200:
                return _vectors(body, len(texts), model_id=self.model_id)
            said = " ".join(self._without_key(body)[:300].decode(errors="replace").split())
            answered = f"answered {status}" if status else "cannot be reached"
            fault = f"the endpoint of {self.model_id} {answered}: {said}"
            pause = min(_MAX_PAUSE_S, max(pause, wait))
            hopeless = status not in _TRY_AGAIN and status != 0
            if hopeless or attempt == _MAX_ATTEMPTS or self._clock() + pause > deadline:
                break
            time.sleep(pause)
            pause *= 2
        if status in _REFUSED:
            raise TextRefused(fault)
        raise EmbedderUnavailable(fault, hint="check WHEREFROM_EMBED_URL, WHEREFROM_EMBED_KEY and the model's name")

    def _without_key(self, body: bytes) -> bytes:
        """What was said of a request; an endpoint, or the library that sends, may quote the key that it refuses."""
        for form in self._key_forms:
            body = body.replace(form, b"***")
        return body

    def _post(self, question: dict[str, Any], deadline: float) -> tuple[int, float, bytes]:
        """Return the status of an answer, the seconds to wait before the next, and its body; 0 if none came back."""
        with self._lock:
            client = self._client = self._client or httpx2.Client(timeout=self._timeout_s)
        body = bytearray()
        try:
            with client.stream("POST", self._url, json=question, headers=self._headers) as answer:
                for block in answer.iter_bytes():
                    body += block
                    if len(body) > _MAX_ANSWER_BYTES:
                        raise EmbedderUnavailable(f"the endpoint's answer is larger than {_MAX_ANSWER_BYTES:,} bytes")
                    if self._clock() > deadline:
                        return 0, 0.0, b"took too long to answer"
                wait = answer.headers.get("retry-after", "")
                return answer.status_code, float(wait) if wait.isdigit() else 0.0, bytes(body)
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, ValueError) as error:
            return 0, 0.0, (str(error) or type(error).__name__).encode()


def _vectors(body: bytes, count: int, *, model_id: str) -> Matrix:
    """Return the vectors of an answer, in the order of the texts; any other answer is refused."""
    try:
        rows = sorted(json.loads(body)["data"], key=lambda row: row["index"])
        if [row["index"] for row in rows] != list(range(count)):
            raise ValueError(f"{len(rows)} vectors for {count} texts")
        vectors = np.array([row["embedding"] for row in rows], dtype=np.float32)
    except (ValueError, TypeError, KeyError, ArithmeticError, RecursionError) as error:
        reason = str(error)[:200] or type(error).__name__
        raise EmbedderUnavailable(f"the endpoint of {model_id} answered with something else: {reason}") from None
    if vectors.ndim != 2 or vectors.shape[1] == 0:
        raise EmbedderUnavailable(f"the endpoint of {model_id} answered with something other than vectors")
    return vectors
