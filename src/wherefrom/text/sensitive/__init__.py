"""Finds personal data and secrets in texts, and takes them out."""
