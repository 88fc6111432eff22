"""The source of a node in words: from what documents, claims and callers say, whatever that is."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wherefrom.model.graph import Node, node_at
from wherefrom.model.sources import Source, source_of

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
_NAMES = st.sampled_from(
    ("url", "source", "doi", "source_title", "title", "file", "actor", "author", "page", "heading", "year", "date")
)


def node(**values: object) -> Node:
    return node_at("2026-01-31T12:00:00.000000Z", namespace="main", **values)


def words_of(**values: object) -> str | None:
    source = source_of(node(**values))
    return None if source is None else source.words()


def test_a_fragment_names_title_site_page_and_year():
    fragment = node(
        kind="fragment",
        provenance={"url": "https://www.example.org/soak", "source_title": "Soak tests at scale", "heading": "page 3"},
        metadata={"type": "paragraph", "heading": "page 3", "headings": ["page 3"]},
        domain="example.org",
        year=2024,
    )
    assert source_of(fragment) == Source(
        "Soak tests at scale", "example.org", "3", None, 2024, None, "https://www.example.org/soak"
    )
    assert source_of(fragment).words() == "Soak tests at scale, example.org, p. 3, 2024"


def test_a_page_is_a_source_itself():
    assert words_of(kind="page", content="https://example.org/a", title="A", year=2020) == "A, example.org, 2020"
    assert words_of(kind="page", content="urn:bib:smith%202020", title="On x") == "On x, smith 2020"


def test_a_note_that_names_no_source_has_none():
    assert source_of(node(content="mine")) is None
    assert (
        source_of(node(provenance={"task_id": "t", "imported_hash": "h"}, metadata={"title": "x", "year": 1})) is None
    )


@pytest.mark.parametrize(
    ("provenance", "expected"),
    [
        ({"actor": "Aiko", "url": "https://example.org/minutes/14"}, "example.org, by Aiko"),
        ({"source": "weekly meeting", "actor": "Aiko"}, "weekly meeting, by Aiko"),
        ({"source": "Confluence", "title": "Roadmap"}, "Roadmap, Confluence"),
        ({"source": "https://example.org/x", "year": "2021"}, "example.org, 2021"),
        ({"source": "minutes", "url": "https://example.org/x"}, "minutes, example.org"),
        ({"url": "file:///notes/Q3%20report.pdf", "page": 12}, "Q3 report.pdf, p. 12"),
        ({"file": "C:\\notes\\plan.md", "heading": "Risks"}, "plan.md, Risks"),
        ({"url": "file:///notes/plan.md", "title": "plan.md"}, "plan.md"),
        ({"doi": "10.1000/xyz123", "date": "2019-05-01"}, "doi.org, 2019"),
        ({"title": "Handbook", "heading": "Handbook"}, "Handbook"),
        (
            {"url": "https://例え.jp/記事", "source_title": "長時間試験の記録", "year": 2024},
            "長時間試験の記録, 例え.jp, 2024",
        ),
        ({"authors": ["Ada", "Bob"], "pages": "12–14"}, "p. 12–14, by Ada"),
    ],
)
def test_what_callers_say_of_a_source(provenance, expected):
    assert words_of(provenance=provenance) == expected


def test_metadata_names_a_source_too():
    assert words_of(metadata={"source": "meeting", "path": "x", "title": "y"}) == "meeting"
    assert words_of(metadata={"source": "meeting"}, provenance={"source": "call"}) == "call"


def test_odd_values_are_left_out():
    odd = {
        "title": {"a": 1},
        "url": [],
        "source": True,
        "page": 10**5000,
        "year": 2024.5,
        "heading": None,
        "actor": " ",
    }
    assert source_of(node(provenance=odd)) is None
    assert words_of(provenance={**odd, "file": 7}) == "7"
    assert words_of(provenance={"url": "http://[broken", "title": "A"}) == "A"


def test_control_characters_are_not_shown():
    said = {"title": "a\x1b[31m\nb\u202ec\ud800d", "url": "https://example.org/\u202e", "actor": "\x00\x07"}
    source = source_of(node(provenance=said))
    assert (source.title, source.url, source.actor) == ("a[31m bcd", "https://example.org/", None)


def test_words_are_shortened_to_fit():
    source = Source("Soak tests at scale", "example.org", "3", "Method and material", 2024, "Aiko")
    assert source.words() == "Soak tests at scale, example.org, p. 3, Method and material, 2024, by Aiko"
    assert source.words(60) == "Soak tests at scale, example.org, p. 3, 2024, by Aiko"
    assert source.words(45) == "Soak tests at scale, example.org, p. 3, 2024"
    assert source.words(40) == "Soak tests…, example.org, p. 3, 2024"
    assert source.words(30) == "example.org, p. 3, 2024"
    assert source.words(10) == "example…"
    assert source.words(2) == "ex"
    assert source.words(0) == ""
    assert replace(source, site=None, page=None, year=None).words(12) == "Soak test…"
    assert Source(actor="Aiko Tanaka").words(10) == "by Aiko…"


def test_words_are_never_cut_inside_a_character():
    assert Source("長時間試験の記録").words(12) == "長時間…"
    assert Source("cafe\u0301cafe\u0301cafe\u0301").words(13) == "cafe\u0301caf…"
    assert Source("👩‍👩‍👧 family").words(14) == "…"


@given(st.dictionaries(_NAMES, _JSON, max_size=6), st.dictionaries(_NAMES, _JSON, max_size=3), st.integers(0, 120))
def test_whatever_is_said_is_one_short_line(provenance, metadata, limit):
    source = source_of(node(provenance=provenance, metadata=metadata))
    if source is None:
        return
    words = source.words()
    assert words
    assert len(words) < 1_000
    assert len(words.encode()) <= 4_000
    assert len(words.splitlines()) == 1
    assert len(source.words(limit).encode()) <= limit
