"""Adds documents: files, folders, pages of the web, and bibliographies, each as a page with its fragments."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from wherefrom.api.evidence import EvidenceEngine, unsaved
from wherefrom.api.evidence_input import prepare
from wherefrom.api.opening import path_of
from wherefrom.api.params import Place
from wherefrom.api.view import Engine, View, silent
from wherefrom.model.errors import BoundaryDenied, Conflict, InvalidInput, NotFound, shown
from wherefrom.model.evidence import Added, AddedStatus, DocumentAdded, DocumentsAdded, NewFragment, NewPage
from wherefrom.model.graph import Node
from wherefrom.model.param import Param
from wherefrom.storage import evidence, nodes
from wherefrom.storage.events import NO_TRACE
from wherefrom.storage.port import Progress, Transaction
from wherefrom.text.redaction import without_split_secrets
from wherefrom.text.urls import check_url

if TYPE_CHECKING:
    from wherefrom.explore.documents.bibliography import Bibliography, Paper
    from wherefrom.explore.documents.document import Document

# So many fragments are written in one transaction: others can write in between.
_AT_ONCE: Final = 200
_WEB: Final = ("http://", "https://")
_FAULTS: Final = (InvalidInput, BoundaryDenied, Conflict, NotFound)


class DocumentEngine(Engine):
    """Reads documents, and adds them as evidence."""

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self._evidence = EvidenceEngine(view)

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
            except OSError as error:
                failures.append((str(given), f"cannot read it: {error.strerror}"))
            except _FAULTS as error:
                failures.append((str(given), str(error)))
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

    def _add_source(
        self, source: str, namespace: str | None, *, allow_private: bool
    ) -> tuple[list[DocumentAdded], Sequence[tuple[str, str]]]:
        from wherefrom.explore.documents.bibliography import read_bibliography
        from wherefrom.explore.documents.fetching import fetch
        from wherefrom.explore.documents.reading import is_bibliography, read

        if source.startswith(_WEB):
            fetched = fetch(check_url(source), allow_private=allow_private)
            url, data, kind = check_url(fetched.final_url), fetched.data, fetched.content_type
        else:
            url, data, kind = Path(source).as_uri(), _bytes_of(Path(source)), None
        if is_bibliography(source, data):
            return self._add_papers(source, read_bibliography(source, data), namespace)
        hashed = hashlib.sha256(data).hexdigest()
        known = self._known(url, namespace)
        if known is not None and known.metadata.get("file_hash") == hashed:
            return [DocumentAdded(source, url, known.title, "unchanged", 0)], ()
        document = read(source, data, kind)
        return [self._add_document(source, url, document, hashed, kind, namespace)], ()

    def _add_document(
        self, source: str, url: str, document: Document, hashed: str, kind: str | None, namespace: str | None
    ) -> DocumentAdded:
        """Write a document a part at a time; it counts as added when the last part is there."""
        # Not yet what the file is: until the last part is there, it is to be read again.
        details = {"content_type": kind, "fetched_at": self.view.now(), "file_hash": ""}
        page = NewPage(url, document.title, document.year, document.metadata, details=details)
        texts = without_split_secrets([piece.text for piece in document.pieces])
        fragments = [
            NewFragment(
                texts[at],
                position=at,
                heading=piece.heading,
                type=piece.type,
                headings=piece.headings,
                start=piece.start,
                end=piece.end,
            )
            for at, piece in enumerate(document.pieces)
        ]
        wanted = self._kept_fragments(page, fragments, namespace)
        known = self._known(url, namespace)
        if known is not None:
            access, page_id, now = self.view.writing, known.id, self.view.now()
            self.store.database.write(lambda tx: evidence.move_fragments(tx, access, page_id, wanted, now=now))
        stored: list[Added] = []
        redacted: Counter[str] = Counter()
        for first in range(0, max(len(fragments), 1), _AT_ONCE):
            part = self._evidence.add_evidence(page, fragments=fragments[first : first + _AT_ONCE], namespace=namespace)
            assert part.page is not None
            stored += part.fragments
            redacted.update(part.redacted)
            page_id = part.page.id
        self._finish(page_id, [fragment.id for fragment in stored], hashed)
        created = sum(fragment.status == "created" for fragment in stored)
        status: AddedStatus = "created" if known is None else "updated"
        return DocumentAdded(source, url, self._shown_title(document.title), status, created, redacted=dict(redacted))

    def _kept_fragments(
        self, page: NewPage, fragments: Sequence[NewFragment], namespace: str | None
    ) -> list[tuple[str, int]]:
        """The hash and position of each fragment as the policy leaves it; raises if the policy refuses any part, before
        the first is written.
        """
        kept: list[tuple[str, int]] = []
        place = self.view.writing.resolve(namespace)
        like = unsaved(namespace=place, boundary_class="internal")
        for first in range(0, len(fragments), _AT_ONCE):
            part = fragments[first : first + _AT_ONCE]
            try:
                with self.view.noting_refusal("add_document", place, NO_TRACE):
                    guarded, _ = self._evidence.guarded(prepare(page, part, (), like=like), place)
            except BoundaryDenied as error:
                where = f"in the paragraphs {first + 1} to {first + len(part)}"
                raise BoundaryDenied(f"{where}, {error.message}", hint=error.hint) from None
            kept += [(node.content_hash, node.position or 0) for node in guarded.fragments]
        return kept

    def _add_papers(
        self, source: str, papers: Bibliography, namespace: str | None
    ) -> tuple[list[DocumentAdded], Sequence[tuple[str, str]]]:
        """Each paper by itself: one that is refused does not keep the others out."""
        added: list[DocumentAdded] = []
        refused = list(papers.refused)
        for paper in papers.papers:
            try:
                added.append(self._add_paper(source, paper, namespace))
            except _FAULTS as error:
                refused.append((self._shown_title(paper.title) or paper.url, str(error)))
        return added, refused

    def _add_paper(self, source: str, paper: Paper, namespace: str | None) -> DocumentAdded:
        cites = [NewPage(cited.url, cited.title, cited.year) for cited in paper.cites]
        abstract = [] if paper.abstract is None else [NewFragment(paper.abstract, type="abstract", position=0)]
        created = new_cites = 0
        redacted: Counter[str] = Counter()
        status: AddedStatus = "unchanged"
        for first in range(0, max(len(cites), 1), _AT_ONCE):
            some = cites[first : first + _AT_ONCE]
            page = NewPage(paper.url, paper.title, paper.year, paper.metadata, some, citation_source="bibliography")
            added = self._evidence.add_evidence(page, fragments=abstract, namespace=namespace)
            assert added.page is not None
            created += sum(fragment.status == "created" for fragment in added.fragments)
            new_cites += added.cites
            redacted |= Counter(added.redacted)
            status = added.page.status if status == "unchanged" else status
        if status == "unchanged" and (created or new_cites):
            status = "updated"
        title = self._shown_title(paper.title)
        return DocumentAdded(source, paper.url, title, status, created, new_cites, dict(redacted))

    def _shown_title(self, title: str | None) -> str | None:
        """A title as an answer may repeat it."""
        return None if title is None else self.view.boundary.cleaned(title, self.view.root)

    def _known(self, url: str, namespace: str | None) -> Node | None:
        access = self.view.writing
        place = access.resolve(namespace)
        return self.store.database.read(lambda tx: evidence.page_at(tx, access, place, check_url(url)))

    def _finish(self, page_id: str, kept: Sequence[str], hashed: str) -> None:
        """Let go of what the document no longer has, and remember it as it is."""
        access = self.view.writing

        def work(tx: Transaction) -> None:
            now = self.view.now()
            evidence.drop_fragments(tx, access, page_id, kept, now=now)
            nodes.update(tx, access, page_id, nodes.Change(metadata={"file_hash": hashed}), None, now=now)

        self.store.database.write(work)


def _found(source: str | Path) -> Iterator[str]:
    """A source, or the files of a folder by name."""
    if isinstance(source, str) and source.startswith(_WEB):
        yield source
        return
    path = path_of(str(source))
    if not path.is_dir():
        yield str(path)
        return
    from wherefrom.explore.documents.reading import READABLE

    files = sorted(file for file in path.rglob("*") if file.suffix.lower() in READABLE and file.is_file())
    shown_files = [file for file in files if not any(part.startswith(".") for part in file.relative_to(path).parts)]
    if not shown_files:
        raise InvalidInput(
            f"{shown(str(path))} holds nothing that can be read", hint=f"read are {' '.join(sorted(READABLE))}"
        )
    yield from map(str, shown_files)


def _bytes_of(path: Path) -> bytes:
    from wherefrom.explore.documents.reading import DOCUMENT_BYTES

    try:
        if path.stat().st_size > DOCUMENT_BYTES:
            raise InvalidInput(f"{shown(str(path))} has more than {DOCUMENT_BYTES:,} bytes")
        return path.read_bytes()
    except OSError as error:
        raise InvalidInput(f"cannot read {shown(str(path))}: {error.strerror}", hint="is the file there?") from None
