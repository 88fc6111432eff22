"""Recall: candidates are scored, fused, ranked and cut off by pure functions."""
