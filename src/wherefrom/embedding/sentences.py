"""Vectors from a sentence-transformers model; `pip install 'wherefrom[sentence-transformers]'`."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from wherefrom.embedding.port import Embedder, Matrix
from wherefrom.lazy import np, sentence_transformers
from wherefrom.model.errors import EmbedderUnavailable
from wherefrom.model.once import once


class SentenceTransformersEmbedder(Embedder):
    """A model by its name or folder, loaded at the first text."""

    def __init__(self, model: str) -> None:
        self.model_id = model
        self._lock = threading.Lock()

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return one row for each text."""
        model = self._model
        with self._lock:
            try:
                rows = model.encode(list(texts), convert_to_numpy=True, show_progress_bar=False)
            except Exception as error:
                raise EmbedderUnavailable(f"{self.model_id} failed: {error}") from error
        return np.asarray(rows, dtype=np.float32)

    @once
    def _model(self) -> Any:
        try:
            return sentence_transformers.SentenceTransformer(self.model_id)
        except ImportError:
            raise EmbedderUnavailable(
                "sentence-transformers is not installed", hint="pip install 'wherefrom[sentence-transformers]'"
            ) from None
        except Exception as error:
            raise EmbedderUnavailable(f"the model {self.model_id} cannot be loaded: {error}") from error
