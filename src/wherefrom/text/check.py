"""Checks of input text, one for each kind of field; what passes is stored and read back exactly."""

from __future__ import annotations

import hashlib
import json
import math
import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from wherefrom.model import limits
from wherefrom.model.errors import InvalidInput, shown
from wherefrom.model.identifiers import timestamp

# The signs that join the words of a tag: supports, works_at, 根拠, dc:source.
_JOINTS: Final = "_-.:"
_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]*")
_INTEGER_LIMIT: Final = 2**63
_PERIOD: Final = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?")


def content_hash(text: str) -> str:
    """The SHA-256 of the exact text: two memos are duplicates only if not one character differs."""
    return hashlib.sha256(text.encode()).hexdigest()


def check_text(value: object, *, field: str, characters: int | None = None, size: int | None = None) -> str:
    """Text without NUL or lone surrogates, not blank, within the given number of characters or bytes."""
    text = _encodable(value, field=field)
    if not text.strip():
        raise InvalidInput(f"{field} is empty")
    if characters is not None and len(text) > characters:
        raise InvalidInput(f"{field} has {len(text):,} characters; at most {characters:,} are allowed")
    if size is not None and len(text.encode()) > size:
        raise InvalidInput(
            f"{field} has {len(text.encode()):,} bytes; at most {size:,} are allowed",
            hint="split it into several memos and link them; an import does so with --split",
        )
    return text


def check_content(value: object, *, field: str = "content") -> str:
    """The text of a memo."""
    return check_text(value, field=field, size=limits.MEMO_BYTES)


def check_title(value: object, *, field: str = "title") -> str | None:
    """A title, or None when it is to be kept as it is."""
    return None if value is None else check_text(value, field=field, characters=limits.TITLE_CHARACTERS)


def check_aliases(value: object) -> tuple[str, ...]:
    """Other titles of a node."""
    if not isinstance(value, list | tuple) or len(value) > limits.ALIASES:
        raise InvalidInput(f"aliases must be a list of at most {limits.ALIASES} titles")
    return tuple(check_text(alias, field="alias", characters=limits.TITLE_CHARACTERS) for alias in value)


def check_reason(value: object, *, field: str = "reason") -> str | None:
    """A reason, '' to clear it, or None when it is to be kept as it is."""
    if value is None or value == "":
        return value
    return check_text(value, field=field, characters=limits.REASON_CHARACTERS)


def check_id(value: object, *, field: str) -> str:
    """An id in the form in which ids are written; the store says whether it exists."""
    if not isinstance(value, str) or len(value) > limits.ID_CHARACTERS or not _ID.fullmatch(value):
        raise InvalidInput(
            f"{field} {shown(value)} is not an id",
            hint="ids look like 0192f3a0-7c1e-7d3a-…, at most 64 letters, digits and ._:-",
        )
    return value


def check_reference(value: object, *, field: str) -> str:
    """An id, the end of one, or a title; the store says what it means."""
    return check_text(value, field=field, characters=limits.TITLE_CHARACTERS)


def check_tag(value: object, *, field: str = "tag") -> str:
    """A tag in the convention: lower case, words of any script joined by _ - . or :, at most 64 characters."""
    tag = _encodable(value, field=field)
    if len(tag) > limits.TAG_CHARACTERS:
        raise InvalidInput(f"{field} has {len(tag)} characters; at most {limits.TAG_CHARACTERS} are allowed")
    if not tag or tag != normalised_tag(tag):
        raise InvalidInput(
            f"{field} {shown(tag)} does not follow the convention",
            hint=f"lower-case words joined by '_', for example {normalised_tag(tag) or 'supports'!r}",
        )
    return tag


def check_tags(value: object, *, field: str = "tags") -> tuple[str, ...]:
    """Tags, each once."""
    if isinstance(value, str) or not isinstance(value, Sequence) or len(value) > limits.TAGS:
        raise InvalidInput(f"{field} must be a list of at most {limits.TAGS} tags")
    return tuple(dict.fromkeys(check_tag(tag, field=field) for tag in value))


@lru_cache(maxsize=1024)
def normalised_tag(text: str) -> str:
    """The nearest tag that follows the convention; empty when nothing is left."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).lower())
    # Letters, numbers and the marks that belong to letters, of any script.
    kept = (c if c in _JOINTS or unicodedata.category(c)[0] in "LNM" else "_" for c in folded)
    return "".join(kept)[: limits.TAG_CHARACTERS].strip(_JOINTS)


def check_number(value: object, *, field: str, low: float, high: float) -> float:
    """A number within its range, kept at full precision."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInput(f"{field} must be a number, not {type(value).__name__}")
    if not low <= value <= high:  # false for NaN, too
        raise InvalidInput(f"{field} {shown(value)} is outside {low:g}..{high:g}")
    return float(value)


def check_whole(value: object, *, field: str, low: int, high: int) -> int:
    """A whole number within its range."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidInput(f"{field} must be a whole number, not {type(value).__name__}")
    if not low <= value <= high:
        raise InvalidInput(f"{field} {shown(value)} is outside {low}..{high}")
    return value


def check_metadata(value: object, *, field: str = "metadata") -> dict[str, Any]:
    """A JSON object of bounded size and depth, without NaN, NUL or lone surrogates."""
    if not isinstance(value, Mapping):
        raise InvalidInput(f"{field} must be an object, not {type(value).__name__}")
    if not value:
        return {}
    checked: dict[str, Any] = _json(value, field=field, depth=0)
    if len(json_text(checked).encode()) > limits.METADATA_BYTES:
        raise InvalidInput(f"{field} is larger than {limits.METADATA_BYTES:,} bytes of JSON")
    return checked


def check_filter(value: object, *, field: str = "metadata") -> dict[str, Any]:
    """Metadata that a memo must have: a few keys, each with a text, a number or a truth value."""
    if value is None:
        return {}
    checked = check_metadata(value, field=field)
    plain = all(isinstance(item, str | int | float | bool) for item in checked.values())
    if not plain or len(checked) > limits.FILTER_PAIRS:
        raise InvalidInput(
            f"a metadata filter has at most {limits.FILTER_PAIRS} keys with a text, a number, true or false each"
        )
    return checked


def check_flag(value: object, *, field: str) -> bool:
    """A truth value."""
    if not isinstance(value, bool):
        raise InvalidInput(f"{field} must be true or false, not {shown(value)}")
    return value


def check_choice(value: object, choices: Collection[str], *, field: str) -> str | None:
    """One of the words in `choices`, or None."""
    if value is None or (isinstance(value, str) and value in choices):
        return value
    raise InvalidInput(f"{field} {shown(value)} is not one of {', '.join(choices)}")


def check_choices(value: object, choices: Collection[str], *, field: str) -> tuple[str, ...]:
    """Some of the words in `choices`, each once; a single one may be given without a list."""
    listed = (value,) if isinstance(value, str) else value
    if not isinstance(listed, Sequence) or not all(isinstance(word, str) for word in listed):
        raise InvalidInput(f"{field} must be a list of words", hint=f"some of {', '.join(choices)}")
    return tuple(dict.fromkeys(str(check_choice(word, choices, field=field)) for word in listed))


def check_names(value: object, *, field: str = "entities") -> tuple[str, ...]:
    """Names of entities, each once."""
    if isinstance(value, str) or not isinstance(value, Sequence) or len(value) > limits.ENTITIES:
        raise InvalidInput(f"{field} must be a list of at most {limits.ENTITIES} names")
    names = (check_text(name, field="an entity", characters=limits.ENTITY_CHARACTERS).strip() for name in value)
    return tuple(dict.fromkeys(names))


def check_path(text: str) -> Path:
    """An absolute path, or an error that says what is wrong with the text."""
    try:
        if "\0" in text or not text:
            raise ValueError("a path has no NUL character and is not empty")
        text.encode()
        return Path(text).expanduser().absolute()
    except (RuntimeError, ValueError) as error:
        raise InvalidInput(f"{shown(text)} is not a path", hint=str(error)) from None


def check_time(value: object, *, field: str) -> str:
    """An ISO-8601 time with a zone (a date alone is midnight UTC), in the stored form."""
    if isinstance(value, str) and (stored := _stored_time(value)) is not None:
        return stored
    raise InvalidInput(f"{field} {shown(value)} is not a time", hint="for example '2026-01-31T12:00:00Z'")


def check_start(value: object, *, field: str) -> str:
    """The first moment of a year (2026), a month (2026-03), a day or a time, in the stored form."""
    return _period(value, field=field)[0]


def check_end(value: object, *, field: str) -> str:
    """The first moment after a year, a month or a day, or a time as it is, in the stored form."""
    return _period(value, field=field)[1]


def check_moment(value: object, *, field: str) -> str:
    """The last moment of a year, a month or a day, or a time as it is, in the stored form."""
    start, end = _period(value, field=field)
    return start if start == end else timestamp(datetime.fromisoformat(end) - timedelta(microseconds=1))


def check_slot(value: object, *, field: str = "slot") -> str:
    """A path of a few words such as project/database: in lower case, with single spaces and none around its parts."""
    text = check_text(value, field=field, characters=limits.SLOT_CHARACTERS)
    parts = [" ".join(part.split()) for part in unicodedata.normalize("NFC", text.lower()).split("/")]
    if not all(parts) or not text.isprintable():
        raise InvalidInput(f"{field} {shown(text)} is not a path", hint="words joined by '/', e.g. project/database")
    return "/".join(parts)


def check_speaker(value: object, *, field: str = "speaker") -> str:
    """The name of whoever says a text: one line, without spaces around it."""
    return _line(value, field=field, characters=limits.SPEAKER_CHARACTERS)


def check_file_name(value: object, *, field: str = "name") -> str:
    """The name of a file, without the folders that it was in."""
    name = _line(value, field=field, characters=limits.FILE_NAME_CHARACTERS).replace("\\", "/").rpartition("/")[2]
    if name in ("", ".", ".."):
        raise InvalidInput(f"{field} names no file", hint="for example notes.md")
    return name


def check_session(value: object, *, field: str = "session") -> str:
    """The name of a conversation, as its program calls it: one line, without spaces around it."""
    return _line(value, field=field, characters=limits.SESSION_CHARACTERS)


def _line(value: object, *, field: str, characters: int) -> str:
    text = unicodedata.normalize("NFC", check_text(value, field=field, characters=characters)).strip()
    if not text.isprintable():
        raise InvalidInput(f"{field} {shown(text)} has line breaks or control characters", hint="give a name")
    return text


def json_text(value: object) -> str:
    """JSON as stored: compact, characters as they are."""
    return _JSON.encode(value)


# Made once: `json.dumps` with these options makes an encoder for each call.
_JSON: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


@lru_cache(maxsize=4096)
def _stored_time(text: str) -> str | None:
    try:
        moment = datetime.fromisoformat(text)
        if len(text) == len("2026-01-31"):
            moment = moment.replace(tzinfo=UTC)
        return None if moment.tzinfo is None else timestamp(moment)
    except (ValueError, OverflowError):
        return None


def _period(value: object, *, field: str) -> tuple[str, str]:
    """The first moment of a period, and the first one after it; both are the same for a time."""
    if isinstance(value, str) and (found := _PERIOD.fullmatch(value)) is not None:
        year, month, day = (None if part is None else int(part) for part in found.groups())
        try:
            start = datetime(int(year or 0), month or 1, day or 1, tzinfo=UTC)
            if day is not None:
                end = start + timedelta(days=1)
            else:
                end = start.replace(month=1 if month in (None, 12) else start.month + 1)
                end = end.replace(year=start.year + 1) if month in (None, 12) else end
            return timestamp(start), timestamp(end)
        except (ValueError, OverflowError):
            pass
    elif isinstance(value, str) and (stored := _stored_time(value)) is not None:
        return stored, stored
    raise InvalidInput(
        f"{field} {shown(value)} is not a date", hint="for example 2026, 2026-03, 2026-03-14 or 2026-03-14T12:00:00Z"
    )


def _encodable(value: object, *, field: str) -> str:
    if not isinstance(value, str):
        raise InvalidInput(f"{field} must be text, not {type(value).__name__}")
    if "\0" in value:
        raise InvalidInput(f"{field} holds a NUL character")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InvalidInput(f"{field} holds a lone surrogate, which is not valid Unicode text") from None
    return value


def _json(value: object, *, field: str, depth: int) -> Any:
    if depth > limits.METADATA_DEPTH:
        raise InvalidInput(f"{field} is nested more than {limits.METADATA_DEPTH} levels deep")
    match value:
        case None | bool():
            return value
        case str():
            return _encodable(value, field=field)
        case int():
            if abs(value) >= _INTEGER_LIMIT:
                raise InvalidInput(f"{field} holds a whole number beyond 64 bits")
            return value
        case float():
            if not math.isfinite(value):
                raise InvalidInput(f"{field} holds a number that is not finite")
            return value
        case list() | tuple():
            return [_json(item, field=field, depth=depth + 1) for item in value]
        case Mapping():
            return {
                _encodable(key, field=f"a key of {field}"): _json(item, field=field, depth=depth + 1)
                for key, item in value.items()
            }
        case _:
            raise InvalidInput(f"{field} holds a value of type {type(value).__name__}, which is not JSON")
