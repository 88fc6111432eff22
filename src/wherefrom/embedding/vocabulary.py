"""The vocabulary of the packaged model: it makes no vectors, and tells which words are known."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from wherefrom.lazy import tokenizers
from wherefrom.model.errors import EmbedderUnavailable

_TOKENIZER: Final = "tokenizers/l2_supercat_tokenizer_config.json"


def count_pieces(word: str) -> int:
    """Into how many pieces the packaged model breaks a word; 1 for a word that it knows."""
    return len(tokenizer().encode(word, add_special_tokens=False).ids)


@cache
def tokenizer() -> Any:
    """The tokenizer of the packaged model, read once."""
    found = tokenizers.Tokenizer.from_file(str(folder() / _TOKENIZER))
    found.no_padding()
    found.no_truncation()
    return found


def folder() -> Path:
    """Where the packaged model is."""
    found = find_spec("wordllama")
    if found is None or found.origin is None:
        raise EmbedderUnavailable("the wordllama package is not installed", hint="pip install wherefrom")
    return Path(found.origin).parent
