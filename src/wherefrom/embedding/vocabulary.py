"""Which words are known: by an English dictionary, and by the vocabulary of the packaged model."""

from __future__ import annotations

import gzip
import json
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from wherefrom.lazy import tokenizers
from wherefrom.model.errors import EmbedderUnavailable

_TOKENIZER: Final = "tokenizers/l2_supercat_tokenizer_config.json"


_MIN_PIECE: Final = 5
_DICTIONARY: Final = "resources/en.json.gz"


@lru_cache(maxsize=65_536)
def is_word(word: str) -> bool:
    """True if a word, in lower case, is in the dictionary or one piece of the packaged model, whose short pieces are
    mostly parts of words.
    """
    return word in _dictionary() or (len(word) >= _MIN_PIECE and count_pieces(word) == 1)


def count_uses(word: str) -> int:
    """How often a word, in lower case, is used in the texts that the dictionary was made of; 0 if it is not there."""
    return _dictionary().get(word, 0)


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


@cache
def _dictionary() -> dict[str, int]:
    """The English words of `pyspellchecker` and how often they are used, read once: 160,000, in a tenth of a second."""
    found = find_spec("spellchecker")
    if found is None or found.origin is None:
        raise EmbedderUnavailable("the pyspellchecker package is not installed", hint="pip install wherefrom")
    with gzip.open(Path(found.origin).parent / _DICTIONARY) as words:
        return dict(json.load(words))
