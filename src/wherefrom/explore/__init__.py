"""Explore: ask the graph by meaning, and read what is there."""
