"""What the tests of recall share: a clock that is set by hand, and an embedder whose directions are words."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import numpy as np

from wherefrom import Trust

START = datetime(2026, 1, 1, tzinfo=UTC)
COMPASS = ("north", "east", "south", "west", "up", "down", "in", "out")


class Compass:
    """A text points where its words say ("north north east"); one without such words points nowhere near them."""

    model_id = "compass"
    instant = True
    sends = False
    trust = Trust()

    def close(self):
        pass

    def embed(self, texts):
        rows = np.zeros((len(texts), len(COMPASS) + 1), dtype=np.float32)
        for at, text in enumerate(texts):
            words = text.casefold().replace(".", " ").replace("?", " ").split()
            rows[at, :-1] = [words.count(word) for word in COMPASS]
            rows[at, -1] = 0.0 if rows[at].any() else 1.0
        return rows


def policy(retrieval=None, *, version="1.0.1", **sections):
    """A policy as text: JSON is YAML."""
    return json.dumps({"version": version, "retrieval": retrieval or {}, **sections})


def texts(context):
    return [item.node.content for item in context.items]
