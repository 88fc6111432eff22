"""The service as tests start it: a process, and an application on a thread."""

from __future__ import annotations

import httpx2
import pytest
from service_for_tests import running_service, served

from wherefrom.api import Store
from wherefrom.interfaces.http.app import Options, Service


def test_a_process_serves_a_store_and_ends_well(url):
    with running_service(url) as base:
        saved = httpx2.post(f"{base}/api/save", json={"content": "橋は九時に開く。"}, trust_env=False)
        assert saved.status_code == 200, saved.text
    with Store.open(url) as store:
        assert [node.content for node in store.memory().list().nodes] == ["橋は九時に開く。"]
    with pytest.raises(httpx2.TransportError):
        httpx2.get(f"{base}/healthz", trust_env=False)


def test_an_application_serves_on_a_thread(url):
    with Store.open(url) as store, served(Service(store, Options()).app()) as base:
        assert httpx2.get(f"{base}/healthz", trust_env=False).json()["status"] == "ok"


def test_a_process_that_cannot_start_says_why(tmp_path):
    with pytest.raises(AssertionError, match="no keys"), running_service(str(tmp_path / "m.db"), "--host", "0.0.0.0"):
        pass
