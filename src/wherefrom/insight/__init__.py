"""Insight: judges which new links are worth it. L1 (the conductor) chooses, L3 (the reasoner) judges."""
