"""Text as vectors: one small port, three embedders behind it."""
