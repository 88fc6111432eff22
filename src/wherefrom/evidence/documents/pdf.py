"""PDF: the text of each page, read by PDFium in a process with limits."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from wherefrom.evidence.documents.document import Document, Part, composed, one_line
from wherefrom.evidence.documents.process import run_limited
from wherefrom.model.errors import InvalidInput

_PROGRAM: Final = Path(__file__).with_name("pdf_pages.py")
_MAX_SECONDS: Final = 90
# Five times what 2,000 pages of text took.
_MAX_MEMORY_BYTES = 1024**3
_FAULTS: Final = {
    "missing": ("reading PDF needs pypdfium2", "pip install 'wherefrom[documents]'"),
    "encrypted": ("the PDF is encrypted", "save a copy without a password"),
    "damaged": ("the PDF is damaged, or is none", None),
    "crashed": ("the PDF is damaged, or unpacks to more than it may", None),
    "too many pages": ("the PDF has more than 2,000 pages", "split it into several files"),
    "too large": ("the PDF unpacks to more than it may", "split it into several files"),
}


def read_pdf(data: bytes, _charset: str | None) -> Document:
    """A PDF as a document: paragraphs below headings `page N`, with the title and authors that the file states.

    A PDF states when its file was made, which says nothing about when its text was published: the year stays unknown.
    """
    answer = _answer(data)
    known = {key: one_line(value) for key, value in answer["metadata"].items()}
    authors = [name.strip() for name in known.get("Author", "").split(";") if name.strip()]
    facts = {"authors": authors, "subject": known.get("Subject"), "pages": len(answer["pages"])}
    document = composed(known.get("Title", ""), _parts(answer["pages"]), facts)
    if not document.text:
        raise InvalidInput("the PDF holds no text, only images", hint="recognise its text (OCR) first")
    return document


def _answer(data: bytes) -> dict[str, Any]:
    # -P, as the program's folder holds files that are named like modules of the standard library.
    command = [sys.executable or "python3", "-P", str(_PROGRAM), str(_MAX_MEMORY_BYTES)]
    try:
        answer = json.loads(run_limited(command, data, _MAX_SECONDS))
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


def _parts(pages: list[list[str]]) -> Iterator[Part]:
    for number, page in enumerate(pages, start=1):
        yield Part("heading", "", 1, f"page {number}")
        for paragraph in page:
            yield Part("abstract" if paragraph[:8].casefold() == "abstract" else "paragraph", paragraph)
