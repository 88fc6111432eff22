"""Benchmarks: outside the package, through its public API only."""
