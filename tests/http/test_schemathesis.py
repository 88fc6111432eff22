"""What schemathesis makes of the service's own description: no call fails, and answers are as they are described."""

from __future__ import annotations

import os

import pytest
import requests
import schemathesis
from calling_for_tests import CLIENT
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from service_for_tests import running_service

from wherefrom.interfaces.http import codec

# Enough for drift and for faults that are near; the edges of what is declared are tried by name elsewhere.
EXAMPLES = int(os.environ.get("SCHEMATHESIS_EXAMPLES", "6"))
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


@schemathesis.serializer("application/x-ndjson")
def lines(context, value):
    """The body of an import: whatever text is made for it."""
    del context
    return str(value).encode("utf-8", "replace")


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_every_call_that_the_description_allows_is_answered_as_it_says(tmp_path):
    url = str(tmp_path / "memory.db")
    tried, failed = set(), {}
    with running_service(url, WHEREFROM_HTTP_RATE="100000") as base, requests.Session() as session:
        session.trust_env = False
        schema = schemathesis.openapi.from_dict(CLIENT.get(f"{base}/api/openapi.json").json())
        for found in schema.get_all_operations():
            operation = found.ok()

            @seed(22)
            @settings(
                max_examples=EXAMPLES,
                database=None,
                deadline=None,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            )
            @given(case=operation.as_strategy())
            def call(case):
                case.call_and_validate(base_url=base, session=session, checks=CHECKS)

            try:
                call()
            except (Exception, ExceptionGroup) as error:  # each is told at the end
                failed[operation.path] = str(error)[:1500]
            tried.add(operation.path)
    assert tried == {f"/api/{name}" for name in codec.OFFERED}
    assert not failed, "\n\n".join(f"{path}: {error}" for path, error in failed.items())
