"""Insight: judges which new relations are worth it. L1 (`propose`) chooses candidates, L3 (`judge`) decides."""
