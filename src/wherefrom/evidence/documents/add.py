"""The verbs that add documents: files, folders, pages of the web and bibliographies; or one document by its bytes."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, Annotated, Final
from urllib.parse import quote

from wherefrom.engine.checking import checked_fields
from wherefrom.engine.params import Place
from wherefrom.engine.view import Engine, silent
from wherefrom.evidence.documents.apart import read_apart
from wherefrom.evidence.documents.bibliography import read_bibliography
from wherefrom.evidence.documents.document import Document
from wherefrom.evidence.documents.fetching import fetch
from wherefrom.evidence.documents.reading import DOCUMENT_BYTES, READABLE, is_bibliography, read
from wherefrom.evidence.input import NewFragment, NewPage
from wherefrom.evidence.store import EvidenceEngine
from wherefrom.model.errors import BoundaryDenied, Conflict, InvalidInput, NotFound, shown
from wherefrom.model.evidence import DocumentAdded, DocumentsAdded, EvidenceAdded
from wherefrom.model.graph import Node
from wherefrom.model.param import Param
from wherefrom.storage import evidence, locks, node_saving
from wherefrom.storage.events import NO_TRACE
from wherefrom.storage.port import Progress, Transaction
from wherefrom.text.check import check_file_name, check_path
from wherefrom.text.sensitive.redaction import without_split_secrets
from wherefrom.text.urls import check_url

# Fragments, or citations, that are written in one transaction: others can write in between.
MAX_ITEMS_PER_TRANSACTION: Final = 200
_WEB: Final = ("http://", "https://")
_FAULTS: Final = (InvalidInput, BoundaryDenied, Conflict, NotFound)
_Reader = Callable[[str, bytes, str | None], Document]
# What was added of one source, and what of it was not, with the reasons.
_Outcome = tuple[tuple[DocumentAdded, ...], tuple[tuple[str, str], ...]]


class DocumentEngine(Engine):
    """Reads documents, and adds them as evidence."""

    def add_documents(
        self,
        sources: Annotated[Sequence[str | Path], Param("Files, folders or URLs.", metavar="SOURCE…")],
        *,
        namespace: Place = None,
        allow_private: Annotated[bool, Param("Also URLs of this machine and of private networks.")] = False,
        progress: Progress = silent,
    ) -> DocumentsAdded:
        """Read Markdown, HTML, PDF and text into pages and fragments; BibTeX, CSL-JSON and JSONL into papers.

        A source is a file, a folder (all below it that can be read) or a URL. What has not changed since it was
        added is skipped. One that fails is reported, and the others go on. URLs of this machine and of private
        networks are refused unless allowed.
        """
        added: list[DocumentAdded] = []
        failures: list[tuple[str, str]] = []
        named: list[str] = []
        for given in sources:
            try:
                named += _found(given)
            except (OSError, *_FAULTS) as error:
                reason = f"cannot read it: {error.strerror}" if isinstance(error, OSError) else str(error)
                failures.append((str(given), reason))
        for done, source in enumerate(named):
            progress(done, len(named))
            try:
                new, faults = self._add_source(source, namespace, allow_private=allow_private)
            except _FAULTS as error:
                failures.append((source, str(error)))
            else:
                added += new
                failures += [(f"{source}: {entry}", reason) for entry, reason in faults]
        progress(len(named), len(named))
        return DocumentsAdded(tuple(added), tuple(failures))

    def add_document(
        self,
        source: bytes | IO[bytes],
        *,
        name: Annotated[str, Param("The file's name, which says its format.", check=check_file_name)],
        namespace: Place = None,
    ) -> DocumentsAdded:
        """Read one document by its bytes: Markdown, HTML, PDF or text, or a bibliography, each with its papers.

        It is known by its name: one that is added again under the same name in the same namespace takes the place of
        the former, and one that has not changed is skipped.
        """
        data = source if isinstance(source, bytes) else source.read(DOCUMENT_BYTES + 1)
        return DocumentsAdded(
            *self._add_bytes(name, f"file:///{quote(name)}", None, data, namespace, reader=read_apart)
        )

    def _add_source(self, source: str, namespace: str | None, *, allow_private: bool) -> _Outcome:
        if source.startswith(_WEB):
            address, kind, data = fetch(check_url(source), allow_private=allow_private)
        else:
            address, kind, data = Path(source).as_uri(), None, _bytes_of(Path(source))
        return self._add_bytes(source, address, kind, data, namespace)

    def _add_bytes(
        self, source: str, address: str, kind: str | None, data: bytes, namespace: str | None, *, reader: _Reader = read
    ) -> _Outcome:
        url = check_url(address)
        if is_bibliography(source, data):
            return self._add_papers(source, data, namespace)
        hashed = hashlib.sha256(data).hexdigest()
        access = self.view.access
        place = access.resolve(namespace)
        known = self.store.database.read(lambda tx: evidence.page_at(tx, access, place, url))
        # Who may not see personal data could find out by the hash what was taken out of the text for them.
        sees_hash = "pii" in access.classes or not self.view.boundary.policies.personal
        if known is not None and sees_hash and known.metadata.get("file_hash") == hashed:
            return (DocumentAdded(source, url, known.title, "unchanged", 0),), ()
        document = reader(source, data, kind)
        # The hash comes with the last part: a document that was interrupted is read again.
        details = {"content_type": kind, "fetched_at": self.view.now(), "file_hash": ""}
        page = checked_fields(NewPage(url, document.title, document.year, document.metadata, details=details))
        texts = without_split_secrets([piece.text for piece in document.pieces])
        pieces = [
            checked_fields(replace(piece, text=texts[at], position=at)) for at, piece in enumerate(document.pieces)
        ]
        self._move_fragments(known, page, pieces, place)
        added, parts = self._add(source, page, pieces, namespace)
        # The hash of a text with a secret in it would give the secret away to whoever guesses.
        self._finish(parts, "" if added.redacted or texts != [piece.text for piece in document.pieces] else hashed)
        return (added,), ()

    def _add_papers(self, source: str, data: bytes, namespace: str | None) -> _Outcome:
        """Add each paper by itself, so that one which is refused does not keep the others out."""
        papers, refused = read_bibliography(source, data)
        added: list[DocumentAdded] = []
        for paper in papers:
            abstract = [] if paper.abstract is None else [NewFragment(paper.abstract, type="abstract", position=0)]
            try:
                added.append(self._add(source, paper, abstract, namespace)[0])
            except _FAULTS as error:
                refused.append((self._shown_title(paper) or paper.url, str(error)))
        return tuple(added), tuple(refused)

    def _add(
        self, source: str, page: NewPage, fragments: Sequence[NewFragment], namespace: str | None
    ) -> tuple[DocumentAdded, list[EvidenceAdded]]:
        """Store a page and its fragments a part at a time; returns what became of the whole and of each part."""
        add = EvidenceEngine(self.view).add_evidence
        parts = [
            add(replace(page, cites=page.cites[some]), fragments=fragments[some], namespace=namespace)
            for some in _slices(max(len(fragments), len(page.cites), 1))
        ]
        created = sum(fragment.status == "created" for part in parts for fragment in part.fragments)
        cites = sum(part.cites for part in parts)
        changes = [part.page.status for part in parts if part.page is not None and part.page.status != "unchanged"]
        status = changes[0] if changes else "updated" if created or cites else "unchanged"
        redacted = sum((Counter(part.redacted) for part in parts), Counter[str]())
        return DocumentAdded(source, page.url, self._shown_title(page), status, created, cites, redacted), parts

    def _move_fragments(self, known: Node | None, page: NewPage, pieces: Sequence[NewFragment], place: str) -> None:
        """Give the fragments of a known page that stand elsewhere now their new positions; raises before that if the
        policy refuses any part of the document.
        """
        kept: list[tuple[str, int]] = []
        engine = EvidenceEngine(self.view)
        for some in _slices(len(pieces)):
            try:
                with self.view.noting_refusal("add_document", place, NO_TRACE):
                    part, _ = engine.checked(page, pieces[some], (), namespace=place, boundary_class="internal")
            except BoundaryDenied as error:
                where = f"in the paragraphs {some.start + 1} to {min(some.stop, len(pieces))}"
                raise BoundaryDenied(f"{where}, {error.message}", hint=error.hint) from None
            kept += [(node.content_hash, node.position or 0) for node in part.fragments]
        if known is not None:
            access, page_id, now = self.view.access, known.id, self.view.now()
            self.store.database.write(lambda tx: evidence.move_fragments(tx, access, page_id, kept, now=now))

    def _finish(self, parts: Sequence[EvidenceAdded], hashed: str) -> None:
        """Drop the fragments that the document no longer has, and store the hash of its bytes."""
        access = self.view.access
        kept = [fragment.id for part in parts for fragment in part.fragments]

        def work(tx: Transaction) -> None:
            now = self.view.now()
            locks.share(tx, access.owner)
            for page_id in {part.page.id for part in parts if part.page is not None}:
                evidence.drop_fragments(tx, access, page_id, kept, now=now)
                node_saving.update(tx, access, page_id, {"metadata": {"file_hash": hashed}}, None, now=now)

        self.store.database.write(work)

    def _shown_title(self, page: NewPage) -> str | None:
        """A page's title as an answer may repeat it."""
        return None if page.title is None else self.view.boundary.cleaned(page.title, self.view.root)


def _slices(length: int) -> Iterator[slice]:
    for first in range(0, length, MAX_ITEMS_PER_TRANSACTION):
        yield slice(first, first + MAX_ITEMS_PER_TRANSACTION)


def _found(source: str | Path) -> list[str]:
    """The source itself; of a folder, the files below it that can be read, by name."""
    if isinstance(source, str) and source.startswith(_WEB):
        return [source]
    path = check_path(str(source))
    if not path.is_dir():
        return [str(path)]
    files = sorted(file for file in path.rglob("*") if file.suffix.lower() in READABLE and file.is_file())
    found = [str(file) for file in files if not any(part[0] == "." for part in file.relative_to(path).parts)]
    if not found:
        hint = f"read are {' '.join(sorted(READABLE))}"
        raise InvalidInput(f"{shown(str(path))} holds nothing that can be read", hint=hint)
    return found


def _bytes_of(path: Path) -> bytes:
    try:
        if path.stat().st_size > DOCUMENT_BYTES:
            raise InvalidInput(f"{shown(str(path))} has more than {DOCUMENT_BYTES:,} bytes")
        return path.read_bytes()
    except OSError as error:
        raise InvalidInput(f"cannot read {shown(str(path))}: {error.strerror}", hint="is the file there?") from None
