"""Namespace paths: a chroot with a root and a default inside it."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from wherefrom.model.errors import InvalidNamespace, shown
from wherefrom.model.limits import NAMESPACE_CHARACTERS


def parse(path: str, *, field: str = "namespace") -> str:
    """Return the canonical form of an absolute path such as a root: segments joined by `/`, not empty."""
    _refuse_other_types(path, field=field)
    return _parsed(path, field)


@lru_cache(maxsize=4096)
def _parsed(path: str, field: str) -> str:
    parts = _segments(path, field=field)
    if not parts or any(part in (".", "..") for part in parts):
        raise InvalidNamespace(f"{field} {shown(path)} is not a plain path", hint="for example 'main' or 'team/a'")
    return _joined(parts, field=field)


def resolve(path: str | None, *, root: str, default: str) -> str:
    """Return the absolute namespace that `path` means for an access with this root and default.

    None means the default; a leading `/` starts at the root; a path that begins with the root's own segments is
    absolute; anything else starts at the default. `..` may climb to the root and never above it.
    """
    parts = _segments("" if path is None else path, field="namespace")
    if not parts:
        return root if path and path.strip().startswith("/") else default
    root_parts = root.split("/")
    if (path or "").strip().startswith("/"):
        walked = list(root_parts)
    elif parts[: len(root_parts)] == root_parts:
        walked, parts = list(root_parts), parts[len(root_parts) :]
    else:
        walked = default.split("/")
    for part in parts:
        if part == "..":
            if len(walked) <= len(root_parts):
                raise InvalidNamespace(
                    f"namespace {shown(path)} leaves the root {shown(root)}",
                    hint="paths stay inside the root; start with '/' to begin at the root",
                )
            walked.pop()
        elif part != ".":
            walked.append(part)
    return _joined(walked, field="namespace")


def begins_with(path: str, root: str) -> bool:
    """True if a caller's path begins with the segments of a root."""
    wanted = root.split("/")
    if not isinstance(path, str) or path.strip().startswith("/"):
        return False
    return _segments(path, field="namespace")[: len(wanted)] == wanted


def is_inside(namespace: str, root: str) -> bool:
    """True if `namespace` is `root` or lies below it."""
    return namespace == root or namespace.startswith(root + "/")


def lineage(namespace: str) -> tuple[str, ...]:
    """Return the namespaces above one, the uppermost first, and itself."""
    parts = namespace.split("/")
    return tuple("/".join(parts[: end + 1]) for end in range(len(parts)))


def _refuse_other_types(path: object, *, field: str) -> None:
    if not isinstance(path, str):
        raise InvalidNamespace(f"{field} must be text, not {type(path).__name__}")


def _segments(path: str, *, field: str) -> list[str]:
    _refuse_other_types(path, field=field)
    if any(unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") for character in path):
        raise InvalidNamespace(f"{field} {shown(path)} holds control characters")
    parts = (part.strip() for part in unicodedata.normalize("NFC", path).split("/"))
    return [part for part in parts if part]


def _joined(parts: list[str], *, field: str) -> str:
    path = "/".join(parts)
    if len(path) > NAMESPACE_CHARACTERS:
        raise InvalidNamespace(f"{field} is longer than {NAMESPACE_CHARACTERS} characters")
    return path
