"""Metabolism: decay, prune thin relations, and let go of what can be restored from what stays."""
