"""Measures of graphs, as pure functions."""
