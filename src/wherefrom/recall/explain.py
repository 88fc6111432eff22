"""Explanations: how a score came about, as values and as one line of `key=value;`."""

from __future__ import annotations

from wherefrom.model.results import Scores, Weighed
from wherefrom.recall.fuse import Scored


def scores_of(each: Scored, found_through: str | None = None) -> Scores:
    """What both arms said about a candidate, and the duplicate that it was found through, if it was."""
    candidate = each.candidate
    return Scores(
        bm25=candidate.text_score,
        text_rank=candidate.text_rank,
        similarity=each.similarity,
        vector_rank=candidate.vector_rank,
        s_text=each.s_text,
        s_vec=each.s_vec,
        found_through=found_through,
    )


def reason_of(weighed: Weighed, score: float) -> str:
    """One line that a program can take apart: `FTS=rank:2; cos=0.92; S=0.76; recent=12d; util=0.86; conf=0.72; …`."""
    scores, factors = weighed.scores, weighed.factors
    parts = {
        "FTS": None if scores.text_rank is None else f"rank:{scores.text_rank}",
        "cos": None if scores.similarity is None else f"{scores.similarity:.2f}",
        "S": f"{weighed.relevance:.2f}",
        "graph": f"{weighed.graph:.2f}" if weighed.graph else None,
        "recent": f"{factors.age_days:.0f}d",
        "util": f"{factors.utility:.2f}",
        "conf": f"{factors.confidence:.2f}",
        "qual": None if factors.quality is None else f"{factors.quality:.2f}",
        "g": f"{factors.g:.2f}",
        "score": f"{score:.2f}",
        "through": scores.found_through,
    }
    return " ".join(f"{key}={value};" for key, value in parts.items() if value is not None)
