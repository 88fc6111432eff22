"""PDF: the text of each page, read by PDFium in a process with limits."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

from wherefrom.explore.documents.document import Block, Document, one_line, pieces_of, tidy
from wherefrom.model.errors import InvalidInput

_PROGRAM: Final = Path(__file__).with_name("pdf_pages.py")
_TIMEOUT_S: Final = 90
# Five times what 2,000 pages of text took.
_MEMORY_BYTES = 1024**3
_FAULTS: Final = {
    "missing": ("reading PDF needs pypdfium2", "pip install 'wherefrom[documents]'"),
    "encrypted": ("the PDF is encrypted", "save a copy without a password"),
    "damaged": ("the PDF is damaged, or is none", None),
    "crashed": ("the PDF is damaged, or unpacks to more than it may", None),
    "too many pages": ("the PDF has more than 2,000 pages", "split it into several files"),
    "too large": ("the PDF unpacks to more than it may", "split it into several files"),
}


def read_pdf(data: bytes) -> Document:
    """Paragraphs page by page, each below the heading `page N`; title and authors as the file states them.

    A PDF states when its file was made, which says nothing about when its text was published: the year stays unknown.
    """
    answer = _answer(data)
    text, blocks = _joined(answer["pages"])
    if not text:
        raise InvalidInput("the PDF holds no text, only images", hint="recognise its text (OCR) first")
    known = {key: one_line(value) for key, value in answer["metadata"].items()}
    authors = [name.strip() for name in known.get("Author", "").split(";") if name.strip()]
    metadata: dict[str, Any] = {"authors": authors, "subject": known.get("Subject"), "pages": len(answer["pages"])}
    return Document(
        known.get("Title", ""),
        text,
        pieces_of(text, blocks),
        metadata={key: value for key, value in metadata.items() if value},
    )


def _answer(data: bytes) -> dict[str, Any]:
    # -P, as the program's folder holds files that are named like modules of the standard library.
    command = [sys.executable or "python3", "-P", str(_PROGRAM), str(_MEMORY_BYTES)]
    try:
        # Not a shell, and both words are ours.
        done = subprocess.run(command, input=data, capture_output=True, timeout=_TIMEOUT_S, check=False)  # noqa: S603
        answer = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        answer = {"fault": "too large"}
    except OSError as error:
        raise InvalidInput(f"reading PDF needs a Python process, which did not start: {error}") from None
    except ValueError:  # killed by a limit, or crashed
        answer = {"fault": "crashed"}
    if "fault" in answer:
        message, hint = _FAULTS[answer["fault"]]
        raise InvalidInput(message, hint=hint)
    return dict(answer)


def _joined(pages: list[list[str]]) -> tuple[str, list[Block]]:
    parts: list[str] = []
    blocks: list[Block] = []
    length = 0
    for number, page in enumerate(pages, start=1):
        # The heading stands nowhere in the text, so it takes the place of the page's first paragraph.
        heading = f"page {number}"
        for at, paragraph in enumerate(tidy(paragraph) for paragraph in page):
            if at == 0:
                blocks.append(Block("heading", length, length + len(paragraph), 1, heading))
            abstract = paragraph[:8].casefold() == "abstract"
            blocks.append(Block("abstract" if abstract else "paragraph", length, length + len(paragraph)))
            parts.append(paragraph)
            length += len(paragraph) + 2
    return "\n\n".join(parts), blocks
