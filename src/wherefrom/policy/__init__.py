"""Boundary rules: which classes of text an access may see."""
