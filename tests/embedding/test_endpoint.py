"""The endpoint embedder against a real HTTP server that behaves and misbehaves."""

from __future__ import annotations

import numpy as np
import pytest

from wherefrom import EmbedderUnavailable, TextRefused
from wherefrom.embedding.endpoint import EndpointEmbedder
from wherefrom.embedding.port import vectors_of
from wherefrom.embedding.static import StaticEmbedder


@pytest.fixture
def asking():
    opened = []

    def make(endpoint, **given):
        opened.append(EndpointEmbedder(endpoint.url, model="m", **{"timeout_ms": 5_000, **given}))
        return opened[-1]

    yield make
    for embedder in opened:
        embedder.close()


def test_vectors_come_back_in_order_in_batches_and_with_the_key(asking, endpoint):
    texts = [f"text number {number}" for number in range(130)]
    rows = vectors_of(asking(endpoint, key="sesame"), texts)
    assert np.allclose(rows, vectors_of(StaticEmbedder(), texts), atol=1e-5)
    assert [len(request["input"]) for request in endpoint.requests] == [64, 64, 2]
    assert {request["model"] for request in endpoint.requests} == {"m"}
    assert set(endpoint.keys) == {"Bearer sesame"}


def test_a_long_text_is_cut(asking, endpoint):
    asking(endpoint).embed(["あ" * 20_000])
    assert len(endpoint.requests[0]["input"][0]) == 8_000


def test_a_busy_endpoint_is_asked_again(asking, endpoint):
    endpoint.mode = "busy once"
    assert asking(endpoint).embed(["x"]).shape == (1, 256)
    assert len(endpoint.requests) == 2


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("ragged", "something else"),
        ("fewer", "1 vectors for 2 texts"),
        ("zero", "no direction"),
        ("nan", "no direction"),
        ("words", "something else"),
        ("garbage", "something else"),
        ("json", "something else"),
        ("refused", "answered 401"),
        ("broken", "answered 500"),
    ],
)
def test_an_answer_that_is_none_is_refused_and_says_why(asking, endpoint, mode, said):
    endpoint.mode = mode
    with pytest.raises(EmbedderUnavailable, match=said):
        vectors_of(asking(endpoint), ["a", "b"])


def test_an_endpoint_that_is_too_slow_is_given_up(asking, endpoint):
    endpoint.mode = "slow"
    with pytest.raises(EmbedderUnavailable, match="cannot be reached"):
        asking(endpoint, timeout_ms=200).embed(["a"])


def test_nobody_there():
    embedder = EndpointEmbedder("http://127.0.0.1:9/v1", model="m", timeout_ms=1_000)
    with pytest.raises(EmbedderUnavailable, match="cannot be reached"):
        embedder.embed(["a"])
    embedder.close()


def test_after_a_failure_it_rests_and_then_tries_again(asking, endpoint):
    now = 1_000.0
    embedder = asking(endpoint, clock=lambda: now)
    endpoint.mode = "refused"
    with pytest.raises(EmbedderUnavailable, match="401"):
        embedder.embed(["a"])
    endpoint.mode = "good"
    with pytest.raises(EmbedderUnavailable, match="not asked again"):
        embedder.embed(["a"])
    assert len(endpoint.requests) == 1
    now += 31
    assert embedder.embed(["a"]).shape == (1, 256)


def test_a_text_that_is_refused_is_no_reason_to_rest(asking, endpoint):
    embedder = asking(endpoint)
    endpoint.mode = "too long"
    with pytest.raises(TextRefused, match="answered 400"):
        embedder.embed(["a long text", "x"])
    assert embedder.embed(["x"]).shape == (1, 256)


@pytest.mark.parametrize("given", [{"key": "schlüssel"}, {"url": f"http://{'a' * 70}/v1"}, {"url": "http://[/"}])
def test_settings_that_no_request_can_have_are_a_failure_like_others(asking, endpoint, given):
    embedder = EndpointEmbedder(given.get("url", endpoint.url), model="m", key=given.get("key", ""), timeout_ms=500)
    with pytest.raises(EmbedderUnavailable):
        embedder.embed(["x"])
    embedder.close()


@pytest.mark.parametrize("key", ["sk-very-secret", "sk-very-secret\n"])
def test_a_key_is_not_in_the_error_of_an_endpoint_that_quotes_it(asking, endpoint, key):
    endpoint.mode = "quoting"
    with pytest.raises(EmbedderUnavailable) as failed:
        asking(endpoint, key=key, timeout_ms=500).embed(["x"])
    assert "sk-" not in str(failed.value)
    assert "very" not in str(failed.value)
