"""Evidence: pages, fragments, claims and what supports or refutes them; tasks, corrections, documents."""
