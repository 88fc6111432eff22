"""Keys of a service: stored with the hash of their secrets, found by whoever shows one."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
import string
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from wherefrom.model import cursors
from wherefrom.model.access import Access
from wherefrom.model.callers import Caller
from wherefrom.model.errors import Conflict, NotFound, shown, shown_id
from wherefrom.model.identifiers import timestamp
from wherefrom.model.keys import Key, Keys, KeyState
from wherefrom.model.namespaces import is_inside
from wherefrom.storage import locks
from wherefrom.storage.port import Row, Transaction
from wherefrom.storage.sql import inside_parameters
from wherefrom.text.check import json_text

_LETTERS: Final = string.ascii_letters + string.digits
# 32 of 62 letters are 190 random bits.
_RANDOM_LETTERS: Final = 32
_SECRET: Final = re.compile(r"wf_([\w.:-]{1,64})_([A-Za-z0-9]{32})", re.ASCII)
# What a secret is compared with if there is no such key: no secret has this hash.
_NO_HASH: Final = "0" * 64
# A use is stored if the last one that is stored is older than this.
USED_EVERY: Final = timedelta(minutes=1)


def new_secret(key_id: str) -> str:
    """Return a new secret of a key: it names the key, and ends in random letters."""
    return f"wf_{key_id}_{''.join(secrets.choice(_LETTERS) for _ in range(_RANDOM_LETTERS))}"


def hash_of(secret: str) -> str:
    """Return the hash by which a secret is known.

    A slow hash protects passwords, which can be guessed. Nobody guesses 190 random bits, however fast the hash is, and
    this one is computed for each call.
    """
    return hashlib.sha256(secret.encode(errors="surrogatepass")).hexdigest()


def key_id_of(secret: str) -> str | None:
    """Return the id of the key that a secret names; None if it is not written as a secret is."""
    found = _SECRET.fullmatch(secret)
    return None if found is None else found[1]


def caller_of(tx: Transaction, secret: str, *, now: str) -> tuple[Caller, str | None] | None:
    """Return the caller that a secret stands for, and the last stored use of its key; None if the secret is wrong, or
    the key has expired or was revoked.
    """
    row = tx.row("key_of_caller", {"id": key_id_of(secret)})
    owner, known, former, former_until, *values = row or (None, _NO_HASH, None, None)
    given = hash_of(secret)
    # Both comparisons are made for every secret, so that the time tells nothing of what is stored.
    is_known = hmac.compare_digest(given, known)
    is_former = hmac.compare_digest(given, former or _NO_HASH) and former_until is not None and now < former_until
    if row is None or not (is_known or is_former):
        return None
    key = _key(values, now=now)
    if key.state != "active":
        return None
    names = ("name", "root", "also", "namespace", "allow", "role", "tools")
    caller = Caller(owner=str(owner), key_id=key.id, **{name: getattr(key, name) for name in names})
    return caller, key.last_used_at


def is_use_due(last_used_at: str | None, moment: datetime) -> bool:
    """Return True if a use at this moment is to be stored."""
    return last_used_at is None or last_used_at < timestamp(moment - USED_EVERY)


def note_uses(tx: Transaction, used: Mapping[str, str]) -> None:
    """Store when keys were last used, by their ids."""
    tx.many("keys_used", [{"id": key_id, "at": at} for key_id, at in used.items()], {})


def has_usable(tx: Transaction, *, now: str) -> bool:
    """Return True if there is a key that lets somebody in."""
    return tx.row("keys_usable", {"now": now}) is not None


def were_made(tx: Transaction) -> bool:
    """Return True if there is a key, be it expired or revoked."""
    return tx.row("keys_made", {}) is not None


def get(tx: Transaction, access: Access, key_id: str, *, now: str) -> Key:
    """Return the key with this id, if its root lies in the root of the access."""
    return get_with_unseen(tx, access, key_id, now=now)[0]


def get_with_unseen(tx: Transaction, access: Access, key_id: str, *, now: str) -> tuple[Key, int]:
    """Return the key with this id as the access sees it, and how many of its further roots the access may not read."""
    row = tx.row("key_get", {**_scope(access), "id": key_id})
    if row is None:
        raise NotFound(f"there is no key {shown_id(key_id)} in {access.root!r}", hint="list the keys")
    whole = _key(row, now=now)
    seen = _seen(access, whole)
    return seen, len(whole.also) - len(seen.also)


def page(tx: Transaction, access: Access, *, limit: int, cursor: str | None, now: str) -> Keys:
    """Return the keys whose roots lie in the root of the access, the newest first."""
    where = {**_scope(access), "before": cursors.decode(cursor, "keys"), "limit": limit + 1}
    found = [_seen(access, _key(row, now=now)) for row in tx.rows("key_list", where)]
    after = cursors.encode("keys", found[limit - 1].id) if len(found) > limit else None
    return Keys(tuple(found[:limit]), after)


def insert(tx: Transaction, owner: str, key: Key, secret: str) -> None:
    """Store a new key; raises if another one that was not revoked has its name."""
    locks.be_alone(tx, owner)
    if tx.row("key_named", {"owner": owner, "name": key.name}) is not None:
        hint = "rotate or revoke that one, or choose another name: it says who wrote a memo"
        raise Conflict(f"there is a key named {shown(key.name)} already", hint=hint)
    values = {name: getattr(key, name) for name in ("id", "name", "role", "root", "namespace", "created_at")}
    values |= {name: json_text(getattr(key, name)) for name in ("also", "allow", "tools")}
    values |= {"created_by": key.created_by, "expires_at": key.expires_at, "hash": hash_of(secret)}
    tx.run("key_insert", {"owner": owner, **values})


def rotate(tx: Transaction, owner: str, key: Key, secret: str, *, former_until: str | None, now: str) -> None:
    """Give a key another secret, and the expiry that the value has; the former secret works until a time, if any."""
    values = {"id": key.id, "expires_at": key.expires_at, "hash": hash_of(secret), "former_until": former_until}
    tx.run("key_rotate", {"owner": owner, "now": now, **values})


def revoke(tx: Transaction, owner: str, key_id: str, *, now: str) -> None:
    """Let nobody in with a key any more."""
    tx.run("key_revoke", {"owner": owner, "id": key_id, "now": now})


def move(tx: Transaction, owner: str, source: str, target: str) -> None:
    """Let keys follow a namespace that was renamed: they go on seeing what they saw."""

    def moved(path: str) -> str:
        return target + path[len(source) :] if is_inside(path, source) else path

    rows = []
    for key_id, root, also, namespace in tx.rows("keys_of_owner", {"owner": owner}):
        before = (root, also, namespace)
        after = (moved(root), json_text([moved(path) for path in json.loads(also)]), namespace and moved(namespace))
        if after != before:
            rows.append({"id": key_id, "root": after[0], "also": after[1], "namespace": after[2]})
    tx.many("keys_move", rows, {"owner": owner})


def _scope(access: Access) -> dict[str, Any]:
    return {"owner": access.owner, **inside_parameters("root", access.root)}


def _seen(access: Access, key: Key) -> Key:
    """Return a key without the names of further roots that the access may not read."""
    return replace(key, also=tuple(root for root in key.also if access.has_inside(root)))


def _key(row: Row | Sequence[Any], *, now: str) -> Key:
    """Return a key from its columns, which are in the order of `key_columns`."""
    key_id, name, role, root, also, namespace, allow, tools, *times = row
    created_at, created_by, rotated_at, expires_at, revoked_at, last_used_at = times
    is_over = expires_at is not None and expires_at <= now
    state: KeyState = "revoked" if revoked_at is not None else "expired" if is_over else "active"
    return Key(
        id=key_id,
        name=name,
        state=state,
        role=role,
        root=root,
        also=tuple(json.loads(also)),
        namespace=namespace,
        allow=tuple(json.loads(allow)),
        tools=tuple(json.loads(tools)),
        created_at=created_at,
        created_by=created_by,
        rotated_at=rotated_at,
        expires_at=expires_at,
        revoked_at=revoked_at,
        last_used_at=last_used_at,
    )
