"""The port that every embedder implements, and how far its vectors are to be trusted in a ranking."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from wherefrom.lazy import np
from wherefrom.model.errors import EmbedderUnavailable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]
else:
    Matrix = Any


class RelevanceWeights(NamedTuple):
    """The weights by which the words and the similarity of a text say how surely it is about a question; see
    recall/relevance.py.
    """

    intercept: float
    coverage: float
    similarity: float
    both: float = 0.0


class Weight(NamedTuple):
    """How much the characters of a text from `start` to before `end` count."""

    start: int
    end: int
    weight: float


@dataclass(frozen=True, slots=True)
class Trust:
    """How far a ranking trusts an embedder's similarities; calibrated for each embedder (docs/concepts/search.md).

    alpha: the weight of the vectors beside the text (0 to 1) when the question is written with spaces;
    alpha_weighted: the same where the rare words of the question count more in its vector; None: as `alpha`;
    alpha_unspaced: the same for Chinese, Japanese, Korean, Thai and other scripts without;
    centring: the share of the candidates' common direction that is taken out before comparing;
    feedback: how far the question is moved towards the best candidates (Rocchio's β);
    floor: a similarity at or below it says that two texts have nothing to do with each other;
    relevance: how similarity and words together tell whether a text is about a question; None if nobody knows;
    relevance_unspaced: the same for questions in scripts without spaces;
    similar: `vector_search` lists what is at least so similar. 0.5, the value of the original design, holds for
    embedders that nobody calibrated;
    slips: a misspelt word changes the vector of a text much, so that copies are told by their words as well.
    """

    alpha: float = 0.5
    alpha_weighted: float | None = None
    alpha_unspaced: float = 0.5
    centring: float = 0.0
    feedback: float = 0.0
    floor: float = 0.0
    relevance: RelevanceWeights | None = None
    relevance_unspaced: RelevanceWeights | None = None
    similar: float = 0.5
    slips: bool = False


class Embedder(Protocol):
    """Makes vectors. Many threads may share one."""

    model_id: str
    """Names the vectors: those of one id can be compared with each other, and with no others."""
    instant: bool = False
    """True if it is fast enough to embed within a save; else texts wait for a background worker."""
    sends: bool = False
    """True if texts leave this process: then the boundary decides which may."""
    portable: bool = False
    """True if it can be pickled, so that a copy of it works in another process of this machine."""
    trust: Trust = Trust()

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return one row of numbers for each text. Raises EmbedderUnavailable, or TextRefused if a text is at fault."""
        ...

    def close(self) -> None:
        """Close its connections, if it has any."""
        return


@runtime_checkable
class QuestionEmbedder(Protocol):
    """An embedder that can let some words of a question count more than others."""

    def embed_question(self, text: str, weights: Sequence[Weight]) -> Matrix:
        """Return one row of numbers for a question, comparable with those of `embed`; what has no weight counts
        little.
        """
        ...


def question_vector(embedder: Embedder, text: str, weights: Sequence[Weight]) -> Matrix:
    """Return the vector of a question, of length 1: by the weights of its words, if the embedder can weigh them."""
    if weights and isinstance(embedder, QuestionEmbedder):
        weigh = embedder.embed_question
        rows = _unit_rows(embedder, lambda: weigh(text, weights), 1)
    else:
        rows = vectors_of(embedder, [text])
    vector: Matrix = rows[0]
    return vector


def vectors_of(embedder: Embedder, texts: Sequence[str]) -> Matrix:
    """Return the vectors of some texts, one row of length 1 each; any other answer of an embedder is refused."""
    return _unit_rows(embedder, lambda: embedder.embed(texts), len(texts))


def _unit_rows(embedder: Embedder, embed: Callable[[], Matrix], count: int) -> Matrix:
    try:
        rows = np.asarray(embed(), dtype=np.float32)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise EmbedderUnavailable(f"{embedder.model_id} failed: {error}") from error
    if rows.ndim != 2 or len(rows) != count or rows.shape[1] == 0:
        raise EmbedderUnavailable(f"{embedder.model_id} gave vectors of the shape {rows.shape} for {count} texts")
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or (lengths == 0).any():
        raise EmbedderUnavailable(f"{embedder.model_id} gave a vector that has no direction")
    unit: Matrix = (rows / lengths).astype(np.float32)
    return unit
