"""Opens the memory that the settings name: in a database, or behind a service."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from wherefrom import config, interfaces
from wherefrom.api import Memory, access_of
from wherefrom.model.errors import InvalidInput

if TYPE_CHECKING:
    from wherefrom.api.memory import Verbs
    from wherefrom.interfaces.http.client import Client

# The settings of an access: that of a service's caller is what its key says.
_ACCESS: Final = ("owner", "root", "namespace", "also", "allow")
# How the answer of `info` calls those that it has.
_TOLD: Final = {"owner": "owner", "root": "root_namespace", "namespace": "default_namespace"}


def open_memory(url: str | None, *, create: bool = True, **access: Any) -> Verbs:
    """Open a memory by a path or a URL, with an access; what is not given comes from the settings. `create=False`: a
    SQLite file must be there.
    """
    settings = config.load({"db": url, **access})
    if not config.is_service(settings.db):
        return Memory.open(url, create=create, **access)
    return open_service(settings, config.in_force({"db": url, **access}))


def refuse_absent(memory: Verbs, methods: Iterable[str]) -> None:
    """Raise an error if a memory is behind a service that does not offer one of some verbs."""
    if not isinstance(memory, Memory):
        interfaces.client.refuse_absent(methods)


def open_service(settings: config.Settings, in_force: dict[str, config.InForce], **more: Any) -> Client:
    """Open the service that the settings name; raises if they want another access than the key has. `more` are
    arguments of the client.
    """
    client: Client = interfaces.client.Client(settings.db, settings.key or None, **more)
    asked = [name for name in _ACCESS if in_force[name].origin != "default"]
    if asked:
        try:
            _refuse_other_access(client, settings, asked)
        except BaseException:
            client.close()
            raise
    return client


def _refuse_other_access(client: Client, settings: config.Settings, asked: list[str]) -> None:
    """Raise an error if a setting says something else about the access than the service does."""
    told = client.info()
    wanted = access_of(settings if "root" in asked else replace(settings, root=told.root_namespace))
    for name in asked:
        if name not in _TOLD or getattr(wanted, name) != getattr(told, _TOLD[name]):
            known = f": it is {getattr(told, _TOLD[name])}" if name in _TOLD else ""
            raise InvalidInput(
                f"the key says which {_WORDS[name]} a caller of {client.url} has{known}",
                hint=f"leave out --{name} and {config.variable_of(name)}, or use another key",
            )


_WORDS: Final = {
    "owner": "owner",
    "root": "root",
    "namespace": "default namespace",
    "also": "further namespaces",
    "allow": "tags",
}
