"""The program that reads one PDF in a process of its own: bytes on standard input, JSON on standard output.

PDFium is native code and a page of 100 KB can unpack to gigabytes, so it runs where memory and time are limited
and a crash harms nobody. This file imports nothing of Wherefrom, which makes it quick to start.
"""

from __future__ import annotations

import json
import sys
from typing import Any

MAX_PAGES = 2_000
MAX_TEXT_BYTES = 20 * 1024 * 1024
MAX_PROCESSOR_SECONDS = 60

_SENTENCE_ENDS = ".!?:;。！？．」』）)”"


def main() -> None:
    """Print {"pages": [[paragraph, …], …], "metadata": {…}} or {"fault": …}; the argument is the memory in bytes."""
    _limit(int(sys.argv[1]))
    try:
        import pypdfium2  # type: ignore[import-untyped]
    except ImportError:
        answer: dict[str, Any] = {"fault": "missing"}
    else:
        try:
            answer = _read(pypdfium2, sys.stdin.buffer.read())
        except pypdfium2.PdfiumError as error:
            answer = {"fault": "encrypted" if "assword" in str(error) else "damaged"}
        except MemoryError:
            answer = {"fault": "too large"}
    sys.stdout.buffer.write(json.dumps(answer).encode())
    sys.stdout.buffer.flush()


def _limit(memory_bytes: int) -> None:
    try:
        import resource
    except ImportError:  # Windows; there the caller's timeout alone holds
        return
    for kind, most in ((resource.RLIMIT_AS, memory_bytes), (resource.RLIMIT_CPU, MAX_PROCESSOR_SECONDS)):
        _, hard = resource.getrlimit(kind)
        wanted = most if hard == resource.RLIM_INFINITY else min(most, hard)
        try:
            resource.setrlimit(kind, (wanted, hard))
        except (OSError, ValueError):  # macOS refuses to limit addresses
            continue


def _read(pypdfium2: Any, data: bytes) -> dict[str, Any]:
    with pypdfium2.PdfDocument(data) as document:
        if len(document) > MAX_PAGES:
            return {"fault": "too many pages"}
        pages: list[list[str]] = []
        size = 0
        for number in range(len(document)):
            page = document[number]
            textpage = page.get_textpage()
            pages.append(_paragraphs(textpage))
            textpage.close()
            page.close()
            size += sum(len(paragraph.encode(errors="replace")) for paragraph in pages[-1])
            if size > MAX_TEXT_BYTES:
                return {"fault": "too large"}
        return {"pages": pages, "metadata": document.get_metadata_dict(skip_empty=True)}


def _paragraphs(textpage: Any) -> list[str]:
    count = textpage.count_chars()
    if count > MAX_TEXT_BYTES:
        raise MemoryError
    text = textpage.get_text_range() if count else ""
    lines = _lines(text)
    if not lines:
        return []
    # Places can be asked for only where one character of text is one of PDFium's.
    boxes = [textpage.get_charbox(start, loose=True) for start, _ in lines] if len(text) == count else []
    width = max(len(line) for _, line in lines)
    paragraphs = [lines[0][1]]
    for at in range(1, len(lines)):
        line, before = lines[at][1], lines[at - 1][1]
        apart = _apart(boxes[at - 1], boxes[at]) if boxes else False
        ended = before.endswith(tuple(_SENTENCE_ENDS)) and len(before) < 0.75 * width
        if apart or ended:
            paragraphs.append(line)
        else:
            paragraphs[-1] += "\n" + line
    # PDFium puts U+FFFE or U+0002 in the place of a hyphen and the end of its line.
    return [paragraph.translate({0xFFFE: "-\n", 0x02: "-\n", 0: None}) for paragraph in paragraphs]


def _lines(text: str) -> list[tuple[int, str]]:
    """The lines that are not blank, each with the place of its first character."""
    lines, start = [], 0
    for line in text.split("\n"):
        if line.strip():
            lines.append((start + len(line) - len(line.lstrip()), line.strip()))
        start += len(line) + 1
    return lines


def _apart(before: tuple[float, ...], after: tuple[float, ...]) -> bool:
    """True if a line begins a paragraph: it is indented, higher than the line before, or too far below it."""
    left, bottom, _, top = before
    height = max(top - bottom, 1.0)
    down = bottom - after[1]
    return down > 1.8 * height or down < -0.5 * height or height < after[0] - left < 6 * height


if __name__ == "__main__":
    main()
