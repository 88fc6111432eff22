"""Moving a graph in and out: a lossless JSONL stream, and other programs' files."""
