"""Every page in a browser: nothing wrong in the console, nothing that shifts, nothing that shuts people out."""

from __future__ import annotations

import itertools

import pytest
from web_for_tests import MAX_SHIFT, is_too_wide, settled, shift_of, stumbles

PATHS = (
    "/", "/?q=does+coffee+raise+blood+pressure", "/?q=coffee&mode=search", "/?q=quantum+chromodynamics+of+gluons",
    "/graph", "/evidence", "/sql", "/care/review", "/care/insight", "/care/metabolism", "/care/receipts", "/care/log",
    "/setup/status", "/setup/namespaces", "/setup/policies", "/setup/keys", "/setup/import",
)  # fmt: skip
VIEWS = (
    "v_citation_age_gap", "v_citation_clusters", "v_citation_flow", "v_claim_evidence_summary",
    "v_claim_temporal_support", "v_contradictions", "v_controversy_by_era", "v_emerging_consensus", "v_evidence_chain",
    "v_evidence_freshness", "v_evidence_timeline", "v_hub_pages", "v_orphan_sources", "v_outdated_evidence",
    "v_source_authority", "v_unsupported_claims",
)  # fmt: skip
EVERY = (*PATHS, *(f"/evidence/{view}" for view in VIEWS))
LOOKS = tuple(itertools.product((1280, 390), ("en", "ja"), ("light", "dark")))
# On every change each page is seen in one of the looks, and every look is used.
SOME = [(*look, EVERY[number :: len(LOOKS)]) for number, look in enumerate(LOOKS)]


def check(page, axe):
    assert shift_of(page) <= MAX_SHIFT
    assert not is_too_wide(page)
    assert stumbles(page, axe) == []


@pytest.mark.parametrize(("width", "language", "scheme", "paths"), SOME)
def test_a_page_is_well(page_at, example_service, axe, width, language, scheme, paths):
    page = page_at(paths[0], width=width, language=language, scheme=scheme)
    check(page, axe)
    for path in paths[1:]:
        page.goto(example_service + path)
        check(settled(page), axe)


@pytest.mark.long
@pytest.mark.parametrize(("width", "language", "scheme"), LOOKS)
@pytest.mark.parametrize("path", EVERY)
def test_every_page_is_well_in_every_look(page_at, axe, path, width, language, scheme):
    check(page_at(path, width=width, language=language, scheme=scheme), axe)


@pytest.mark.parametrize(("width", "language", "scheme"), LOOKS)
def test_statements_of_every_kind_are_well(page_at, axe, ids_of_kinds, width, language, scheme):
    kind = list(ids_of_kinds)[LOOKS.index((width, language, scheme)) % len(ids_of_kinds)]
    check(page_at(f"/n/{ids_of_kinds[kind]}", width=width, language=language, scheme=scheme), axe)


def test_the_graph_of_a_statement_and_the_report_of_a_task_are_well(page_at, axe, ids_of_kinds, task_ids):
    check(page_at(f"/graph?from={ids_of_kinds['claim']}"), axe)
    check(page_at(f"/task/{task_ids[0]}", language="ja", width=390), axe)
