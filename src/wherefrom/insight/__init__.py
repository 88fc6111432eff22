"""Insight: judges which new links are worth it. L1 (`propose`) chooses candidates, L3 (`judge`) decides."""
