"""Several services on one database, and a database that goes away under them."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import httpx2
import pytest
from postgres_for_tests import own_server
from service_for_tests import running_service

from wherefrom import Client

pytestmark = pytest.mark.slow


def test_a_client_that_alternates_between_replicas_sees_its_own_writes(url):
    with running_service(url) as one, running_service(url) as two, ExitStack() as opened:
        clients = [opened.enter_context(Client(base)) for base in (one, two)]
        for number in range(10):
            writing, reading = clients[number % 2], clients[1 - number % 2]
            saved = writing.save(f"The lighthouse keeper number {number} keeps bees.")
            assert reading.get(saved.node.id).content == saved.node.content
            found = reading.search(f"lighthouse keeper number {number}", limit=20)
            assert saved.node.id in {hit.node.id for hit in found.hits}
            assert saved.node.id in {item.node.id for item in reading.activate(saved.node.content).items}


def test_a_database_that_goes_away_is_told_with_a_time_to_try_again_and_found_when_it_is_back():
    answers, is_over = [], threading.Event()
    with own_server() as server, running_service(server.url, WHEREFROM_CONNECT_TIMEOUT_MS="2000") as base:

        def call(number):
            with httpx2.Client(trust_env=False, timeout=60) as client:
                while not is_over.is_set():
                    answer = client.post(f"{base}/api/save", json={"content": f"note {number} {time.time_ns()}"})
                    answers.append((answer.status_code, answer.headers.get("retry-after")))
                    time.sleep(0.02)

        with ThreadPoolExecutor(4) as pool:
            for number in range(4):
                pool.submit(call, number)
            try:
                wait_for(lambda: (200, None) in answers)
                server.stop("immediate")
                wait_for(lambda: any(status == 503 for status, _ in answers))
                assert httpx2.get(f"{base}/healthz", trust_env=False).status_code == 200
                wait_for(lambda: status_of(f"{base}/readyz") == 503)
                server.start()
                wait_for(lambda: answers[-1][0] == 200)
                wait_for(lambda: status_of(f"{base}/readyz") == 200)
            finally:
                is_over.set()
    assert {status for status, _ in answers} == {200, 503}
    assert all(retry for status, retry in answers if status == 503)


def status_of(address):
    return httpx2.get(address, trust_env=False, timeout=30).status_code


def wait_for(condition):
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)
