"""The port that every embedder implements, and how far its vectors are to be trusted in a ranking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from wherefrom.lazy import np
from wherefrom.model.errors import EmbedderUnavailable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]
else:
    Matrix = Any


@dataclass(frozen=True, slots=True)
class Trust:
    """How far a ranking trusts an embedder's similarities; calibrated for each embedder (docs/concepts/search.md).

    alpha: the weight of the vectors beside the text (0 to 1) when the question is written with spaces;
    alpha_unspaced: the same for Chinese, Japanese, Korean, Thai and other scripts without;
    centring: the share of the candidates' common direction that is taken out before comparing;
    feedback: how far the question is moved towards the best candidates (Rocchio's β);
    floor: a similarity at or below it says that two texts have nothing to do with each other.
    """

    alpha: float = 0.5
    alpha_unspaced: float = 0.5
    centring: float = 0.0
    feedback: float = 0.0
    floor: float = 0.0


class Embedder(Protocol):
    """Makes vectors. Many threads may share one."""

    model_id: str
    """Names the vectors: those of one id can be compared with each other, and with no others."""
    instant: bool = False
    """True if it is fast enough to embed within a save; else texts wait for a background worker."""
    sends: bool = False
    """True if texts leave this process: then the boundary decides which may."""
    trust: Trust = Trust()

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return one row of numbers for each text. Raises EmbedderUnavailable, or TextRefused if a text is at fault."""
        ...

    def close(self) -> None:
        """Close its connections, if it has any."""
        return


def vectors_of(embedder: Embedder, texts: Sequence[str]) -> Matrix:
    """Return the vectors of some texts, one row of length 1 each; any other answer of an embedder is refused."""
    try:
        rows = np.asarray(embedder.embed(texts), dtype=np.float32)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise EmbedderUnavailable(f"{embedder.model_id} failed: {error}") from error
    if rows.ndim != 2 or len(rows) != len(texts) or rows.shape[1] == 0:
        raise EmbedderUnavailable(f"{embedder.model_id} gave vectors of the shape {rows.shape} for {len(texts)} texts")
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or (lengths == 0).any():
        raise EmbedderUnavailable(f"{embedder.model_id} gave a vector that has no direction")
    unit: Matrix = (rows / lengths).astype(np.float32)
    return unit
