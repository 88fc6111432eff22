"""What the claims of a token say of its bearer: the setting `oidc_claims`, read and applied."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from wherefrom.api.keys import check_key_name, check_tool_sets
from wherefrom.config import Settings, listed
from wherefrom.model import limits, namespaces
from wherefrom.model.access import also_roots
from wherefrom.model.callers import ROLES, Caller, Role
from wherefrom.model.errors import InvalidInput, WherefromError, shown
from wherefrom.text.check import check_text

_FIELDS: Final = ("owner", "root", "also", "namespace", "role", "tools", "allow", "name")
# A claim that narrows an access must be there: without it the access would be wider than its issuer wanted.
_NEEDED: Final = frozenset(("owner", "root", "namespace", "tools"))
_PATHS: Final = frozenset(("root", "also", "namespace"))
_LISTS: Final = frozenset(("also", "tools", "allow"))
_CLAIM: Final = r"([^\s,'+=]+)"
_ENTRY: Final = re.compile(rf"\s*([a-z]+)\s*=\s*(?:'([^']*)'(?:\s*\+\s*{_CLAIM})?|{_CLAIM})\s*(?:,|$)")
_ROLE_PREFIX: Final = "wherefrom:"


class WrongClaim(Exception):
    """A claim that is missing, or whose value means nothing here. It names the claim and never the value."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where the value of a field comes from: a constant, a claim, or a claim with a constant before it."""

    constant: str | None
    claim: str | None


class ClaimMap:
    """Makes callers of claims. What it does not map comes from the settings, but for the role, which is read."""

    def __init__(self, settings: Settings) -> None:
        """Read the setting; raises if it is malformed, or has a constant that its field cannot have."""
        self._sources = _parsed(settings.oidc_claims)
        self._settings = settings
        self._constants: dict[str, Any] = {}
        for field, source in self._sources.items():
            if source.claim is None:
                try:
                    self._constants[field] = _checked(field, source.constant, root=self._constants.get("root"))
                except WherefromError as error:
                    raise InvalidInput(f"oidc_claims: {error.message}", hint=error.hint) from None

    def caller(self, claims: Mapping[str, Any]) -> Caller:
        """Return the caller whom the claims of a token describe; raises WrongClaim if they describe none."""
        given = dict(self._default())
        # In the order of the fields: a namespace lies in its root.
        for field, source in self._sources.items():
            if field in self._constants:
                given[field] = self._constants[field]
                continue
            value = _value(field, source, claims)
            if value is not None:
                try:
                    given[field] = _checked(field, value, root=given["root"])
                except WherefromError:
                    raise WrongClaim(f"the claim {source.claim} gives no {field} that there can be") from None
        if "name" not in given:
            given["name"] = _name_of(claims)
        return Caller(**given)

    def _default(self) -> Mapping[str, Any]:
        """Return what holds where no claim is mapped. With a root of its own, a token has no other place of the
        settings.
        """
        settings = self._settings
        given: dict[str, Any] = {"role": "read", "allow": () if "allow" in self._sources else settings.allow}
        if "root" in self._sources:
            return {**given, "root": None}
        root = namespaces.parse(settings.root, field="root")
        place = namespaces.resolve(settings.namespace, root=root, default=root)
        return {**given, "root": root, "also": () if "also" in self._sources else settings.also, "namespace": place}


def _parsed(text: str) -> dict[str, Source]:
    """Return the source of each field, in the order of the fields."""
    sources: dict[str, Source] = {}
    end = 0
    while end < len(text.rstrip()):
        entry = _ENTRY.match(text, end)
        if entry is None or entry[1] not in _FIELDS or entry[1] in sources:
            raise InvalidInput(
                f"oidc_claims cannot be read at {shown(text[end:].strip())}",
                hint=f"such as: owner='oidc:'+sub, role=wherefrom_role; the fields, each once: {', '.join(_FIELDS)}",
            )
        sources[entry[1]] = Source(entry[2], entry[3] or entry[4])
        end = entry.end()
    if "owner" not in sources or sources["owner"].claim is None:
        raise InvalidInput("oidc_claims must take the owner from a claim", hint="for example owner='oidc:'+sub")
    return {field: sources[field] for field in _FIELDS if field in sources}


def _value(field: str, source: Source, claims: Mapping[str, Any]) -> Any:
    """Return the value that a token gives a field; None if it may go without, and does."""
    assert source.claim is not None
    value = _found(claims, source.claim)
    if value is None:
        if field in _NEEDED:
            raise WrongClaim(f"the claim {source.claim} is missing, which gives the {field}")
        return None
    if source.constant is None:
        return value
    parts = value if isinstance(value, list) else [value]
    for part in parts:
        # A slash would lead from one's own place below the constant into that of another.
        if not isinstance(part, str) or not part.strip() or (field in _PATHS and "/" in part):
            raise WrongClaim(f"the claim {source.claim} is not one word, which ends the {field}")
    joined = [source.constant + part for part in parts]
    return joined if isinstance(value, list) else joined[0]


def _found(claims: Mapping[str, Any], path: str) -> Any:
    """Return the claim of a name, or what lies on the path that it is."""
    if path in claims:
        return claims[path]
    value: Any = claims
    for name in path.split("."):
        if not isinstance(value, Mapping) or name not in value:
            return None
        value = value[name]
    return value


def _checked(field: str, value: Any, *, root: str | None) -> Any:
    """Return the value of a field as a caller has it; raises if there can be no such value."""
    if field in _LISTS:
        words = _words(field, value)
        if field == "tools":
            return check_tool_sets(words, field=field)
        if field == "allow":
            return tuple(dict.fromkeys(words))
        return also_roots(tuple(_plain(word, field=field) for word in words), default=root or "")
    if field == "role":
        return _role(value)
    if field == "name":
        return check_key_name(value, field=field)
    if field == "owner":
        return check_text(value, field=field, characters=limits.OWNER_CHARACTERS)
    path = _plain(value, field=field)
    # A constant is checked before the root of a token is known; then it is a path below that.
    return path if field == "root" or root is None else namespaces.resolve(path, root=root, default=root)


def _plain(path: Any, *, field: str) -> str:
    """Return a path that is written as it is stored: two ways to write one would let two names meet in one place."""
    if namespaces.parse(path, field=field) != path:
        raise InvalidInput(f"{field} {shown(path)} is not written as it is stored", hint="for example 'main/team'")
    return cast(str, path)


def _words(field: str, value: Any) -> list[str]:
    """Return the words of a list, which may be a text with commas."""
    words = list(listed(value)) if isinstance(value, str) else value
    if not isinstance(words, list):
        raise InvalidInput(f"{field} is not a list")
    return [check_text(word, field=field, characters=limits.NAMESPACE_CHARACTERS) for word in words]


def _role(value: Any) -> Role:
    """Return the highest role among the words of a list, or of a text such as that of scopes. Other words are there for
    others, but one word alone must be a role.
    """
    words = value.split() if isinstance(value, str) else value
    if not isinstance(words, list):
        raise InvalidInput("the role is not a text")
    held = [word.removeprefix(_ROLE_PREFIX) for word in words if isinstance(word, str)]
    known = [role for role in ROLES if role in held]
    if not known and isinstance(value, str) and len(words) < 2:
        raise InvalidInput(f"there is no role {shown(value)}", hint=", ".join(ROLES))
    return known[-1] if known else "read"


def _name_of(claims: Mapping[str, Any]) -> str | None:
    """Return the name of a bearer if no claim is mapped to it: the subject, if there is one that can be a name."""
    try:
        return check_key_name(claims.get("sub"), field="name")
    except WherefromError:
        return None
