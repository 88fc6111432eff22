"""What evidence for and against says about a claim: the mean, spread and balance of a Beta posterior."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt


@dataclass(frozen=True, slots=True)
class Beta:
    """A posterior's figures, each from 0 to 1, rounded to three decimals."""

    confidence: float
    uncertainty: float
    controversy: float


def posterior(support: float, refutation: float) -> Beta:
    """The posterior of a claim whose evidence weighs so much on either side, from the prior Beta(1, 1).

    With α = 1 + support and β = 1 + refutation: confidence is the mean α/(α+β); uncertainty the standard
    deviation √(αβ / ((α+β)²(α+β+1))); controversy the smaller side's share, min(α−1, β−1)/(α+β−2), or 0
    without evidence. A weight is the sum of the edges' confidences. Neutral evidence does not count.
    A guide to what to read first, not a verdict. See Gelman et al., Bayesian Data Analysis, 2.4.
    """
    alpha, beta = 1 + support, 1 + refutation
    total = alpha + beta
    evidence = support + refutation
    return Beta(
        confidence=round(alpha / total, 3),
        uncertainty=round(sqrt(alpha * beta / (total**2 * (total + 1))), 3),
        controversy=round(min(support, refutation) / evidence, 3) if evidence > 0 else 0.0,
    )
