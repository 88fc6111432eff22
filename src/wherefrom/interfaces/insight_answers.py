"""The JSON answers of insight: a plan, its links and what was measured for them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, Literal

from pydantic import Field

from wherefrom.interfaces.answers import Answer, Link
from wherefrom.interfaces.explore_answers import DATA
from wherefrom.model.insight import (
    Decision,
    Hop,
    InsightPlan,
    LinkFigures,
    PathEngine,
    PlanState,
    ProposedLink,
)

_DIGITS: Final = 4
# Enough of a title or a question to recognise it.
_TITLE_CHARACTERS: Final = 80
_ASKED_CHARACTERS: Final = 200


class Figures(Answer):
    """What speaks for and against one link."""

    score: float = Field(description="How well the two fit, 0 to 1.")
    g: float = Field(description="The gauge of this link alone: the smaller the better.")
    hop: int = Field(description="How far around the link g is smallest.")
    delta_ged: float
    delta_h: float
    delta_sp: float
    similarity: float | None = Field(description="Cosine similarity; null without vectors.")
    words: float | None = Field(description="Share of the source's words that the target has.")
    shared: float = Field(description="Neighbours in common, weighed.")
    common_neighbours: int
    distance: int | None = Field(description="Steps between the two before; null if there was no way.")

    @classmethod
    def of(cls, figures: LinkFigures) -> Figures:
        return cls(**{name: _rounded(getattr(figures, name)) for name in cls.model_fields})


class JudgedLink(Link):
    """A link that was judged, with the names of its ends and the figures behind the reason."""

    source_title: str | None
    target_title: str | None
    accepted: bool
    figures: Figures

    @classmethod
    def of(cls, link: ProposedLink, titles: dict[str, str | None]) -> JudgedLink:
        return cls(
            **Link.fields_of(link),
            source_title=titles.get(link.source_id),
            target_title=titles.get(link.target_id),
            accepted=link.accepted,
            figures=Figures.of(link.figures),
        )


class HopAnswer(Answer):
    """The gauge of one hop: g = delta_ged − λ · ig, ig = delta_h + γ · delta_sp."""

    hop: int
    delta_ged: float
    delta_h: float
    delta_sp: float
    ig: float
    g: float

    @classmethod
    def of(cls, hop: Hop) -> HopAnswer:
        return cls(**{name: _rounded(getattr(hop, name)) for name in cls.model_fields})


class DecisionAnswer(Answer):
    """What was decided about one memo or one question, and what was measured in the last of its cycles for all
    proposed links together.
    """

    center_ids: list[str]
    accepted: int
    rejected: int
    cycles: int = Field(description="How often candidates were sought.")
    g0: float
    gmin: float
    best_h: int
    hops: list[HopAnswer]
    ag: bool = Field(description="Whether it was looked further: g0 > theta_ag.")
    dg: bool = Field(description="Whether a link was accepted: its g ≤ theta_dg.")
    theta_ag: float
    theta_dg: float
    candidates: int
    sp_engine: PathEngine
    h_scope: Literal["cand_mask", "global"]
    input_contract_ok: bool
    autocand_used: bool

    @classmethod
    def of(cls, decision: Decision) -> DecisionAnswer:
        measured = decision.cycles[-1]
        own = ("center_ids", "accepted", "rejected", "cycles", "hops")
        accepted = len(decision.accepted)
        return cls(
            center_ids=list(decision.center_ids),
            accepted=accepted,
            rejected=len(decision.links) - accepted,
            cycles=len(decision.cycles),
            hops=[HopAnswer.of(hop) for hop in measured.hops],
            **{name: _rounded(getattr(measured, name)) for name in cls.model_fields if name not in own},
        )


class InsightAnswer(Answer):
    """Links worth making, as a plan that can be applied and undone as a whole."""

    root_namespace: str
    plan_id: str = Field(description="Pass it back as apply_plan_id or undo_plan_id: it has all accepted links.")
    state: PlanState
    asked: dict[str, str] = Field(description="What it was made for: memo_id, query or since.")
    judged: int = Field(description="How many memos were judged; for a query 1.")
    remaining: int = Field(description="How many new memos wait: apply this plan, then search again.")
    accepted: int = Field(description="How many links are worth making, listed here or not.")
    rejected: int = Field(description="How many were judged and are not; a plan keeps only the others.")
    written: int = Field(description="How many links the plan has made; when undone, how many are left of it.")
    links: list[JudgedLink] = Field(description="Accepted ones, and with include_rejected the others after them.")
    decisions: list[DecisionAnswer] = Field(description="What was measured, after a search only.")
    degraded: list[str] = Field(description="Why the answer may lack something; empty if it does not.")
    truncated: bool = Field(
        default=False, description="Links or decisions were left out to fit; a smaller limit shows all."
    )
    data_note: str = DATA

    @classmethod
    def of(cls, plan: InsightPlan, *, rejected: bool = False) -> InsightAnswer:
        titles = {ref.id: _cut(ref.title, _TITLE_CHARACTERS) for ref in plan.nodes}
        shown = (*plan.accepted, *(plan.rejected if rejected else ()))
        return cls(
            root_namespace=plan.root_namespace,
            plan_id=plan.id,
            state=plan.state,
            asked={name: _cut(value, _ASKED_CHARACTERS) or "" for name, value in plan.asked.items()},
            judged=plan.judged,
            remaining=plan.remaining,
            accepted=len(plan.accepted),
            rejected=len(plan.rejected),
            written=plan.written,
            links=[JudgedLink.of(link, titles) for link in shown],
            decisions=[DecisionAnswer.of(decision) for decision in plan.decisions if decision.cycles],
            degraded=list(plan.degraded),
        )

    def shortened(self, parts: int) -> InsightAnswer:
        """So many of its parts: accepted links before decisions, and those before rejected links."""
        accepted = [link for link in self.links if link.accepted]
        rest = max(0, parts - len(accepted))
        others = max(0, rest - len(self.decisions))
        rejected = [link for link in self.links if not link.accepted]
        return self.model_copy(
            update={"links": accepted[:parts] + rejected[:others], "decisions": self.decisions[:rest]}
        )


def done(found: InsightPlan, applied: InsightPlan) -> InsightPlan:
    """A plan that was applied as soon as it was found, with what only the search knew of it."""
    return replace(found, state=applied.state, written=applied.written, applied_at=applied.applied_at)


def _rounded(value: Any) -> Any:
    # Adding zero makes of −0.0 a 0.0.
    return round(value, _DIGITS) + 0.0 if isinstance(value, float) else value


def _cut(text: str | None, characters: int) -> str | None:
    return text if text is None or len(text) <= characters else text[: characters - 1] + "…"
