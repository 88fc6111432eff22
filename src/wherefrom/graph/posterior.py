"""The posterior of a claim, given evidence for and against it: mean, spread and balance of a Beta distribution."""

from __future__ import annotations

from math import sqrt
from typing import Any

from wherefrom.model.evidence import Posterior


def posterior(support: float, refutation: float, *counts: Any) -> Posterior:
    """The posterior of a claim by the weight of its evidence on either side, from the prior Beta(1, 1).

    Each figure is from 0 to 1, rounded to three decimals; `counts` are the other fields of the answer.

    With α = 1 + support and β = 1 + refutation: confidence is the mean α/(α+β); uncertainty the standard
    deviation √(αβ / ((α+β)²(α+β+1))); controversy the smaller side's share, min(α−1, β−1)/(α+β−2), or 0
    without evidence. A weight is the sum of the edges' confidences. Neutral evidence does not count.
    A guide to what to read first, not a verdict. See Gelman et al., Bayesian Data Analysis, 2.4.
    """
    alpha, beta = 1 + support, 1 + refutation
    total = alpha + beta
    evidence = support + refutation
    uncertainty = sqrt(alpha * beta / (total**2 * (total + 1)))
    controversy = min(support, refutation) / evidence if evidence > 0 else 0.0
    return Posterior(round(alpha / total, 3), round(uncertainty, 3), round(controversy, 3), *counts)
