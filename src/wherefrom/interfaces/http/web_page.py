"""The page that people look at: files that npm built from `web/`, served from memory, with a policy that lets nothing
but them run.

The page is one application: each of its addresses is answered with the same document, and its script shows what the
address means. It needs no key itself; its calls to `/api` do.
"""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

BUILT: Final = Path(__file__).parent / "page"
NOT_BUILT: Final = "The page was not built: it needs npm; run `make page` in a checkout."
ROUTE: Final = "page"
_DOCUMENT: Final = "/index.html"
_ASSETS: Final = "/assets/"
# The first parts of the page's addresses.
_ADDRESSES: Final = frozenset(("n", "graph", "evidence", "task", "sql", "care", "setup"))
_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Vary": "Accept-Encoding",
}
# The name of an asset changes with what it holds.
_FOREVER: Final = "public, max-age=31536000, immutable"
_ASK_AGAIN: Final = "no-cache"


@dataclass(frozen=True, slots=True)
class _File:
    """A file of the page, as it is and compressed."""

    plain: bytes
    compressed: bytes
    media_type: str
    tag: str


class WebPage:
    """Answers for the page's addresses and files; all else goes on to the application behind it."""

    def __init__(self, app: ASGIApp, folder: Path = BUILT) -> None:
        self._app = app
        self._folder = folder

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] in ("GET", "HEAD") and is_of_page(scope["path"]):
            await self._response(scope)(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _response(self, scope: Scope) -> Response:
        path = scope["path"]
        is_asset = path.startswith(_ASSETS) or path.lstrip("/") in _ROOT_FILES
        found = self._files.get(path if is_asset else _DOCUMENT)
        if found is None:
            missing = "there is no such file of the page" if is_asset else f"Wherefrom is running. {NOT_BUILT}"
            return PlainTextResponse(f"{missing}\n", status_code=404 if is_asset else 200)
        headers = {**_HEADERS, "ETag": found.tag, "Cache-Control": _FOREVER if path.startswith(_ASSETS) else _ASK_AGAIN}
        given = Headers(scope=scope)
        if found.tag in given.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        if "gzip" in given.get("accept-encoding", ""):
            return Response(
                found.compressed, media_type=found.media_type, headers={**headers, "Content-Encoding": "gzip"}
            )
        return Response(found.plain, media_type=found.media_type, headers=headers)

    @cached_property
    def _files(self) -> Mapping[str, _File]:
        """The built files by their paths; none if the page was not built."""
        found = (file for file in sorted(self._folder.rglob("*")) if file.is_file())
        return {f"/{file.relative_to(self._folder).as_posix()}": _read(file) for file in found}


_ROOT_FILES: Final = frozenset(("favicon.svg",))


def is_built() -> bool:
    """Return True if there is a page to serve."""
    return (BUILT / "index.html").is_file()


def is_of_page(path: str) -> bool:
    """Return True if a path is an address or a file of the page."""
    return path == "/" or (
        path.startswith("/") and path[1:].partition("/")[0] in _ADDRESSES | _ROOT_FILES | {_ASSETS.strip("/")}
    )


def _read(file: Path) -> _File:
    content = file.read_bytes()
    media_type = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    return _File(content, gzip.compress(content, mtime=0), media_type, tag)
