"""Vectors from a sentence-transformers model; `pip install 'wherefrom[sentence-transformers]'`."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from wherefrom.embedding.port import Matrix, Trust
from wherefrom.model.errors import EmbedderUnavailable


class SentenceTransformersEmbedder:
    """A model by its name or folder, loaded at the first text."""

    instant = False
    sends = False
    trust = Trust()

    def __init__(self, model: str) -> None:
        self.model_id = model
        self._lock = threading.Lock()
        self._model: Any = None

    def embed(self, texts: Sequence[str]) -> Matrix:
        """One row for each text."""
        import numpy as np

        with self._lock:
            if self._model is None:
                self._model = _load(self.model_id)
            try:
                rows = self._model.encode(list(texts), convert_to_numpy=True, show_progress_bar=False)
            except Exception as error:
                raise EmbedderUnavailable(f"{self.model_id} failed: {error}") from error
        return np.asarray(rows, dtype=np.float32)

    def close(self) -> None:
        """Nothing to let go of."""


def _load(name: str) -> Any:
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError:
        raise EmbedderUnavailable(
            "sentence-transformers is not installed", hint="pip install 'wherefrom[sentence-transformers]'"
        ) from None
    try:
        return SentenceTransformer(name)
    except Exception as error:
        raise EmbedderUnavailable(f"the model {name} cannot be loaded: {error}") from error
