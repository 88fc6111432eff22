"""Conformance: a claim names the source of what it was taken from, and no more of it than it may."""

from __future__ import annotations

import pytest

from wherefrom import Memory, NewFragment, NewPage
from wherefrom.evidence.input import NewClaim, NewEvidence
from wherefrom.model.sources import source_of

URL = "https://example.org/paper"
GREW = NewFragment("Memory grew by two percent.", heading="page 2")
LEAK = NewFragment("A leak in the parser was the cause.", heading="page 3")


@pytest.fixture
def fragments(memory):
    """The ids of two fragments of a page of 2024."""
    added = memory.add_evidence(NewPage(URL, "Soak tests at scale", 2024), fragments=[GREW, LEAK])
    return [fragment.id for fragment in added.fragments]


def test_a_claim_has_the_year_of_its_page(memory, fragments):
    claim = NewClaim("Memory grew.", evidence=[NewEvidence("supports", fragment=0)])
    added = memory.add_evidence(NewPage(URL, "Soak tests at scale"), fragments=[GREW], claims=[claim])
    assert source_of(memory.get(added.claims[0].id)).words() == "Soak tests at scale, example.org, 2024"


def test_a_claim_about_a_stored_fragment_has_its_source(memory, fragments):
    grew, leak = fragments
    evidence = [NewEvidence("refutes", fragment=leak), NewEvidence("supports", fragment=grew)]
    added = memory.add_evidence(claims=[NewClaim("It grew.", evidence=evidence), NewClaim("It did not.")])
    sources = [source_of(memory.get(claim.id)) for claim in added.claims]
    assert sources[0].words() == "Soak tests at scale, example.org, p. 2, 2024"
    assert sources[1] is None


def test_a_claim_says_no_more_of_a_source_than_it_may(url):
    with Memory.open(url, embedder="none", allow=["tool:contact-lookup"]) as memory:
        page = NewPage(URL, "Minutes of the board")
        added = memory.add_evidence(page, fragments=[GREW], boundary_class="pii")
        evidence = [NewEvidence("supports", fragment=added.fragments[0].id)]
        claim = memory.add_evidence(claims=[NewClaim("It ran.", evidence=evidence)]).claims[0]
        assert memory.get(claim.id).provenance == {}
