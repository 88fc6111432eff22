"""The engine of keys: makes, lists, rotates and revokes the keys of a service. A key can do no more than its maker."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Annotated, Final

from wherefrom.engine.boundary import refuse_secret
from wherefrom.engine.params import Cursor, id_param
from wherefrom.engine.view import Engine
from wherefrom.model import limits, namespaces
from wherefrom.model.access import Access, also_roots
from wherefrom.model.callers import Role, has_role
from wherefrom.model.errors import Conflict, Forbidden, InvalidInput, shown
from wherefrom.model.identifiers import timestamp
from wherefrom.model.keys import Key, Keys, NewKey
from wherefrom.model.param import TOOL_SETS, Param
from wherefrom.storage import keys
from wherefrom.storage.port import Transaction
from wherefrom.text import check

_DURATION: Final = re.compile(r"([0-9]{1,5})([smhdw])", re.ASCII)
_UNITS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_ALL: Final = "all"
# Nobody keeps a leaked secret in use for longer than this by mistake.
_MAX_GRACE: Final = timedelta(days=30)


def check_key_name(value: object, *, field: str) -> str:
    """Return the name of a key, which all see who see what was written with it; one that holds a secret is refused."""
    name = check.check_speaker(value, field=field)
    refuse_secret(name, field=field)
    return name


def check_duration_or_time(value: object, *, field: str) -> str:
    """Return a duration such as 90d as it was given, or the time that is meant: a day counts to its end.

    It stays a text: a client checks it, too, and sends what it has checked.
    """
    return check.check_moment(value, field=field) if _duration(value) is None else str(value)


def check_grace(value: object, *, field: str) -> str:
    """Return a duration of at most 30 days as it was given."""
    grace = _duration(value)
    if grace is None or grace > _MAX_GRACE:
        raise InvalidInput(f"{field} {shown(value)} is no duration of up to 30 days", hint="for example 15m, 24h or 7d")
    return str(value)


def check_tool_sets(value: object, *, field: str) -> tuple[str, ...]:
    """Return names of sets of tools, each once; at least one."""
    sets = check.check_choices(value, (*TOOL_SETS, _ALL), field=field)
    if not sets:
        raise InvalidInput(f"{field} is empty", hint=f"{', '.join(TOOL_SETS)} or {_ALL}")
    return (_ALL,) if _ALL in sets else tuple(dict.fromkeys(sets))


def _duration(value: object) -> timedelta | None:
    found = _DURATION.fullmatch(value) if isinstance(value, str) else None
    return None if found is None else timedelta(**{_UNITS[found[2]]: int(found[1])})


_KeyId = Annotated[str, id_param("The key's id.", refers="key")]
_Expiry = Annotated[
    str | None, Param("When it ends: 90d, 12h, or a date.", metavar="WHEN", check=check_duration_or_time)
]
_ROOT = "The namespace that its bearer may not leave, inside yours. Omit for yours."
_ALSO = "Further namespaces to read, of those that you may read. Omit for yours."
_ALLOW = "Its tags, of those that you hold. Omit for yours."


class KeyEngine(Engine):
    """Makes and ends keys for callers of a service."""

    def create_key(
        self,
        name: Annotated[str, Param("Whose key it is: what `written_by` will say.", check=check_key_name)],
        *,
        role: Annotated[Role, Param("What it may do.")] = "write",
        root: Annotated[str | None, Param(_ROOT, only="agents")] = None,
        also: Annotated[Sequence[str] | None, Param(_ALSO, only="agents")] = None,
        namespace: Annotated[
            str | None, Param("Its default namespace, inside its root. Omit for its root.", option="--namespace,-n")
        ] = None,
        allow: Annotated[Sequence[str] | None, Param(_ALLOW, only="agents")] = None,
        tools: Annotated[
            Sequence[str] | None,
            Param("A set of tools that it may use; all stands for all. Omit for yours.", check=check_tool_sets),
        ] = None,
        expires: _Expiry = None,
    ) -> NewKey:
        """Make a key for a caller of the service, and show its secret, once.

        It belongs to the owner of this access and can do no more than that: its root and its further roots lie inside,
        it holds no other tags and no higher role. What is not given is that of this access, which on the command line
        --root, --also and --allow say. Of the secret only a hash is stored.
        """
        access = self.view.access
        place = access.root if root is None else namespaces.resolve(root, root=access.root, default=access.root)
        refuse_secret(place, field="root")
        inside = None if namespace is None else namespaces.resolve(namespace, root=place, default=place)
        others = access.also if also is None else tuple(map(access.readable, also))
        key = Key(
            id=self.store.new_id(),
            name=name,
            state="active",
            role=role,
            root=place,
            also=also_roots(others, default=place),
            namespace=inside,
            allow=access.tags if allow is None else tuple(dict.fromkeys(allow)),
            tools=tuple(self.view.tools if tools is None else tools),
            created_at=self.view.now(),
            created_by=access.written_by,
            expires_at=self._expiry(expires),
        )
        self._refuse_wider_than_maker(access, key)
        secret = keys.new_secret(key.id)
        self.store.database.write(lambda tx: keys.insert(tx, access.owner, key, secret))
        return NewKey(key, secret)

    def keys(
        self,
        *,
        limit: Annotated[int, Param("How many at most.", 1, limits.LIST_LIMIT)] = 50,
        cursor: Cursor = None,
    ) -> Keys:
        """List the keys whose roots lie in the root of this access, the newest first, without their secrets."""
        access, now = self.view.access, self.view.now()
        return self.store.database.read(lambda tx: keys.page(tx, access, limit=limit, cursor=cursor, now=now))

    def rotate_key(
        self,
        key_id: _KeyId,
        *,
        grace: Annotated[
            str | None, Param("How long the former secret works, too: 24h.", metavar="DURATION", check=check_grace)
        ] = None,
        expires: _Expiry = None,
    ) -> NewKey:
        """Give a key a new secret, and show it, once. The former one stops working at once, or after `grace`.

        Nothing else changes, except the expiry if `expires` is given. Who rotates a key must be able to do what it can.
        """
        access, moment = self.view.access, self.store.clock()
        now, ends = timestamp(moment), self._expiry(expires)
        lasting = _duration(grace)
        until = None if lasting is None else timestamp(moment + lasting)

        def work(tx: Transaction) -> tuple[Key, str]:
            key, unseen = keys.get_with_unseen(tx, access, key_id, now=now)
            self._refuse_wider_than_maker(access, key, unseen=unseen)
            if key.state == "revoked":
                raise Conflict(f"the key {shown(key.name)} was revoked", hint="create another one")
            if key.state == "expired" and ends is None:
                raise Conflict(f"the key {shown(key.name)} has expired", hint="give expires, too")
            key = replace(key, state="active", rotated_at=now, expires_at=ends or key.expires_at)
            secret = keys.new_secret(key.id)
            keys.rotate(tx, access.owner, key, secret, former_until=until, now=now)
            return key, secret

        key, secret = self.store.database.write(work)
        return NewKey(key, secret, until)

    def revoke_key(self, key_id: _KeyId) -> Key:
        """Let nobody in with a key any more, from the next call on. What was written with it stays."""
        access, now = self.view.access, self.view.now()

        def work(tx: Transaction) -> Key:
            keys.get(tx, access, key_id, now=now)
            keys.revoke(tx, access.owner, key_id, now=now)
            return keys.get(tx, access, key_id, now=now)

        return self.store.database.write(work)

    def _expiry(self, given: str | None) -> str | None:
        """Return the time that a checked expiry means; raise if it is over already."""
        moment: datetime = self.store.clock()
        if given is None:
            return None
        lasting = _duration(given)
        try:
            ends = given if lasting is None else timestamp(moment + lasting)
        except OverflowError:
            raise InvalidInput("expires lies too far in the future") from None
        if ends <= timestamp(moment):
            raise InvalidInput("expires lies in the past", hint="for example 90d, or a date to come")
        return ends

    def _refuse_wider_than_maker(self, access: Access, key: Key, *, unseen: int = 0) -> None:
        """Raise an error if a key can do more than this access. unseen: its further roots outside of the access."""
        held = self.view.tools
        if not has_role(access.role, key.role):
            raise Forbidden(f"the role {key.role} is higher than yours", hint=f"yours is {access.role}")
        if tags := [tag for tag in key.allow if tag not in access.tags]:
            hint = "open the memory with these tags (--allow)"
            raise Forbidden(f"this access does not hold {', '.join(map(shown, tags))}", hint=hint)
        if unseen or not all(map(access.has_inside, (key.root, *key.also))):
            raise Forbidden("the key reads namespaces that this access may not read", hint="name them with --also")
        if _ALL not in held and not set(key.tools) <= set(held):
            raise Forbidden("the key may use tools that this access may not", hint=f"yours are {', '.join(held)}")
