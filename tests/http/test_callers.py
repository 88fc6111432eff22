"""Who is let in: the service knows whether it needs keys before it lets anybody in without one."""

from __future__ import annotations

import asyncio

import pytest

from wherefrom.api import Store
from wherefrom.interfaces.http.callers import Callers
from wherefrom.model.errors import StoreError


def test_those_who_call_while_the_service_looks_for_keys_need_one(url):
    """The first to call made the service look, and those who came before it had found any were let in as its admin."""
    with Store.open(url) as store:
        store.memory().create_key("first")
        callers = Callers(store, keyless=None)

        async def ask_at_once():
            return await asyncio.gather(*(callers.needs_key() for _ in range(20)))

        assert asyncio.run(ask_at_once()) == [True] * 20


def test_a_look_for_keys_that_fails_lets_nobody_in(tmp_path):
    store = Store.open(tmp_path / "memory.db")
    store.memory().create_key("first")
    callers = Callers(store, keyless=None)
    store.close()
    for _ in range(2):
        with pytest.raises(StoreError):
            asyncio.run(callers.needs_key())
