"""Documents: bytes of many formats become one text, with pieces that are verbatim spans of it."""
