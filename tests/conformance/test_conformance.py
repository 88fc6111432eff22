"""The official conformance suite of MCP passes for what we support, in both eras of the protocol."""

from __future__ import annotations

import re

import pytest

from tests.conformance.suite import APPS, ERAS, Unavailable, baseline, install, not_applicable, run, running


@pytest.fixture(scope="module")
def suite():
    """The suite, or a reason why it cannot be run here."""
    try:
        install()
    except Unavailable as reason:
        pytest.skip(str(reason))


def check(app, base, eras=tuple(ERAS)):
    """Run both releases: every scenario passes but those that do not apply, and of these none does."""
    for era in eras:
        outcome = run(era, app, base)
        assert outcome.exit_code == 0, outcome.printed
        assert set(outcome.scenarios) - outcome.passed == not_applicable(era, app)
        assert outcome.passed


@pytest.mark.slow
@pytest.mark.parametrize("era", ["handshake", pytest.param("stateless", marks=pytest.mark.long)])
def test_the_service_conforms(suite, tmp_path, era):
    """On every change by the stable release of the suite."""
    with running("real", str(tmp_path / "memory.db")) as base:
        check("real", base, [era])


@pytest.mark.long
def test_the_service_conforms_with_the_suites_fixtures(suite, url):
    with running("fixtures", url) as base:
        check("fixtures", base)


@pytest.mark.long
def test_several_processes_conform(suite, url):
    """Requests of one client reach any of them."""
    with running("real", url, "--workers", "2") as base:
        check("real", base)


@pytest.mark.parametrize("era", ERAS)
def test_the_fixtures_leave_fewer_scenarios_out(era):
    assert not_applicable(era, "fixtures") < not_applicable(era, "real")


@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize("era", ERAS)
def test_each_scenario_that_does_not_apply_has_a_reason(era, app):
    lines = baseline(era, app).read_text(encoding="utf-8").partition("server:\n")[2].splitlines()
    assert lines
    for line in lines:
        assert re.fullmatch(r"  - [\w:-]+ # .{10,}", line), line
