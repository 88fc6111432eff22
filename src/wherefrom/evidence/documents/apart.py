"""Reads a document that somebody sent in a process of its own, where time and memory are limited.

A parser of foreign bytes can take hours or gigabytes for a file of a megabyte, and cannot be stopped from outside. This
file is also the program that reads: bytes on standard input, JSON on standard output.
"""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict
from typing import Any, Final

from wherefrom.evidence.documents.document import Document, Piece
from wherefrom.evidence.documents.process import run_limited
from wherefrom.evidence.documents.reading import read
from wherefrom.model.errors import InvalidInput, shown

_MAX_PROCESSOR_SECONDS = 20
_MAX_MEMORY_BYTES: Final = 2 * 1024**3
_MAX_SECONDS: Final = 60


def read_apart(name: str, data: bytes, kind: str | None = None) -> Document:
    """The document that these bytes are, as `read` returns it. A PDF has a process of its own already."""
    if b"%PDF-" in data[:1024]:
        return read(name, data, kind)
    limits = (str(_MAX_MEMORY_BYTES), str(_MAX_PROCESSOR_SECONDS))
    command = [sys.executable or "python3", "-P", "-m", __spec__.name, name, kind or "", *limits]
    try:
        answer = json.loads(run_limited(command, data, _MAX_SECONDS))
    except (subprocess.TimeoutExpired, ValueError):  # killed by a limit, or crashed
        raise InvalidInput(f"{shown(name)} takes too long to read, or too much memory", hint="split it") from None
    if "refused" in answer:
        message, hint = answer["refused"]
        raise InvalidInput(message, hint=hint)
    pieces = tuple(Piece(**{**piece, "headings": tuple(piece["headings"])}) for piece in answer.pop("pieces"))
    return Document(pieces=pieces, **answer)


def main() -> None:
    """Print a document, or why it is refused. The arguments are its name, its type, and the limits."""
    name, kind, memory_bytes, processor_seconds = sys.argv[1:]
    _limit(int(memory_bytes), int(processor_seconds))
    answer: dict[str, Any]
    try:
        answer = asdict(read(name, sys.stdin.buffer.read(), kind or None))
    except InvalidInput as error:
        answer = {"refused": [error.message, error.hint]}
    sys.stdout.buffer.write(json.dumps(answer).encode())
    sys.stdout.buffer.flush()


def _limit(memory_bytes: int, processor_seconds: int) -> None:
    with suppress(ImportError):  # Windows has none; there the caller's time alone holds
        import resource

        for kind, most in ((resource.RLIMIT_AS, memory_bytes), (resource.RLIMIT_CPU, processor_seconds)):
            _, hard = resource.getrlimit(kind)
            with suppress(OSError, ValueError):  # macOS refuses to limit addresses
                resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


if __name__ == "__main__":
    main()
