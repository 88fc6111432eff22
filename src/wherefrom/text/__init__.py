"""Text as data: checking what comes in, hashing it, normalising it."""
