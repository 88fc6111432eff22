"""Bibliographies: three formats, one kind of paper; a bad entry never costs the good ones."""

from __future__ import annotations

import json
import time

import pytest

from wherefrom.evidence.documents.bibliography import doi_of, read_bibliography, url_of
from wherefrom.evidence.input import NewPage
from wherefrom.model.errors import InvalidInput

BIBTEX = r"""
@string{acm = "ACM"}
@string{press = acm # " Press"}
@comment{nothing}
@article{goedel31,
  author = {G{\"o}del, Kurt and van der Berg, Jan and {The {\'E}cole, Inc.} and others},
  title = "{\"U}ber 50% of {DNA} \& $x^2$",
  journal = {Monatshefte f\"ur Mathematik}, year = 1931, month = jan, pages = {173--198},
  publisher = press, doi = {https://doi.org/10.1007/BF01700692},
  abstract = {First line
    second line.}}
@misc{vaswani, title={Attention}, eprint={1706.03762v5}, archivePrefix={arXiv}, date={2017-06-12}}
@book{日本, title={日本の川}, author={山田 太郎}, year={n.d.}}
@inproceedings{web, title={Web}, booktitle={Proc.}, url={https://example.org/a\_b}, year = 12345}
@article{goedel31, title={Another of the same key}}
@article{twice, title={Twice}, title={Thrice}, year=2001}
@article{untitled, year=2000}
@article{broken, title={never closed
@misc{last, title={Last}}
"""


def by_title(found):
    return {paper.title: paper for paper in found[0]}


def test_bibtex_is_read_with_accents_strings_and_names():
    paper = by_title(read_bibliography("x.bib", BIBTEX.encode()))["Über 50% of DNA & $x^2$"]
    assert paper.url == "https://doi.org/10.1007/bf01700692"
    assert paper.year == 1931
    assert paper.abstract == "First line second line."
    assert paper.paper_metadata == {
        "doi": "10.1007/bf01700692",
        "venue": "Monatshefte für Mathematik",
        "authors": ["Kurt Gödel", "Jan van der Berg", "The École, Inc."],
        "year": 1931,
        "type": "article",
        "publisher": "ACM Press",
        "pages": "173–198",
    }


def test_bibtex_entries_have_addresses():
    papers = by_title(read_bibliography("x.bib", BIBTEX.encode()))
    assert papers["Attention"].url == "https://arxiv.org/abs/1706.03762"
    assert papers["Attention"].year == 2017
    assert papers["日本の川"].url == "urn:bib:%E6%97%A5%E6%9C%AC"
    assert papers["日本の川"].year is None
    assert papers["日本の川"].paper_metadata["authors"] == ["山田 太郎"]
    assert papers["Web"].url == "https://example.org/a_b"
    assert papers["Web"].year is None
    assert papers["Another of the same key"].url == "urn:bib:goedel31"
    assert papers["Twice"].year == 2001


def test_bad_entries_are_reported_and_the_rest_is_read():
    found = read_bibliography("x.bib", BIBTEX.encode())
    assert "Last" in by_title(found)
    refused = dict(found[1])
    assert refused["untitled"] == "title is empty"
    assert any(entry.startswith("@article{broken") for entry in refused)
    assert len(refused) == 2


def test_a_key_without_address_names_one_paper():
    found = read_bibliography(
        "x.bib", b"@misc{k, title={One}}\n@misc{k, title={Two}}\n@misc{k, title={One}, year=2001}"
    )
    assert [(paper.title, paper.year) for paper in found[0]] == [("One", 2001)]
    assert found[1] == [("k", "its key belongs to another entry")]


def test_csl_json():
    items = [
        {
            "id": "a",
            "type": "article-journal",
            "title": "河流",
            "author": [
                {"family": "李", "given": "白"},
                {"literal": "WHO"},
                {"family": "Beethoven", "given": "L.", "non-dropping-particle": "van"},
            ],
            "issued": {"date-parts": [[2020, 1]]},
            "DOI": "10.1234/ABC",
            "container-title": "Nature",
            "abstract": "강",
        },
        {"id": 7, "title": ["In a list"], "issued": {"raw": "c. 1999"}},
        "no object",
        {"id": "b"},
    ]
    found = read_bibliography("x.json", json.dumps(items).encode())
    first, second = found[0]
    assert (first.url, first.title, first.year, first.abstract) == ("https://doi.org/10.1234/abc", "河流", 2020, "강")
    assert first.paper_metadata["authors"] == ["白 李", "WHO", "L. van Beethoven"]
    assert first.paper_metadata["venue"] == "Nature"
    assert (second.url, second.title, second.year) == ("urn:bib:7", "In a list", 1999)
    assert [entry for entry, _ in found[1]] == ["entry 3", "b"]
    assert read_bibliography("x.json", json.dumps({"items": items}).encode()) == found


def test_json_lines_with_citations():
    cites = [
        "10.1234/A.",
        "https://doi.org/10.1234/a",
        "arXiv:1706.03762",
        {"doi": "10.1234/b", "title": "B", "year": "2001"},
        "who knows",
        5,
        None,
    ]
    rows = [
        {"doi": "10.1000/X", "title": "X", "year": 2001, "authors": ["A B", "C D"], "venue": "V", "cites": cites},
        {
            "url": "http://dx.doi.org/10.1000/x",
            "title": "X again",
            "abstract": "More.",
            "cites": ["https://example.org/y"],
        },
        {"title": "Only a title", "year": "2002"},
    ]
    text = "\n".join(json.dumps(row) for row in rows) + "\nnot json\n\n"
    found = read_bibliography("x.jsonl", text.encode())
    first, second = found[0]
    assert (first.url, first.title, first.abstract) == ("https://doi.org/10.1000/x", "X", "More.")
    assert first.paper_metadata == {"doi": "10.1000/x", "venue": "V", "authors": ["A B", "C D"], "year": 2001}
    assert first.cites == (
        NewPage("https://doi.org/10.1234/a"),
        NewPage("https://arxiv.org/abs/1706.03762"),
        NewPage("https://doi.org/10.1234/b", "B", 2001),
        NewPage("https://example.org/y"),
    )
    assert second.url == read_bibliography("y.jsonl", json.dumps(rows[2]).encode())[0][0].url
    assert second.url.startswith("urn:bib:")
    assert found[1][0][0] == "line 4"


def test_thousands_of_authors_fit():
    row = {"title": "Large", "authors": [f"Author {n}" for n in range(3_000)]}
    (paper,), _ = read_bibliography("x.jsonl", json.dumps(row).encode())
    assert len(paper.paper_metadata["authors"]) == 100
    assert paper.paper_metadata["author_count"] == 3_000


def test_addresses():
    assert doi_of("doi:10.1234/AbC.") == "10.1234/abc"
    assert doi_of("11.1234/x") is None
    assert url_of("https://arxiv.org/pdf/2101.00001v2.pdf") == "https://arxiv.org/abs/2101.00001"
    assert url_of("math.GT/0309136") == "https://arxiv.org/abs/math.GT/0309136"
    assert url_of("https://example.org/A?b=c") == "https://example.org/A?b=c"
    assert [url_of(value) for value in ("", "no address", 5, None, "https://a b", "x" * 5_000)] == [None] * 6


def test_surrogates_and_other_numbers_are_refused_one_by_one():
    rows = [
        r'{"title": "a\ud800"}',
        r'{"title": "b", "abstract": "\ud800"}',
        r'{"title": "c", "id": "\ud800", "year": 1e999, "volume": NaN}',
        r'{"title": "d", "year": ' + "9" * 5_000 + "}",
        "[" * 50_000,
        r'{"title": "e", "cites": ["https://\ud800"]}',
        r'{"title": "f"}',
    ]
    found = read_bibliography("x.jsonl", "\n".join(rows).encode())
    assert {"c", "f"} <= set(by_title(found))
    for paper in found[0]:
        json.dumps(
            [paper.url, paper.title, paper.paper_metadata, [cited.url for cited in paper.cites]], ensure_ascii=False
        ).encode()


DOUBLED = (
    "@string{a0 = {xxxxxxxxxx}}"
    + "".join(f"@string{{a{n + 1} = a{n} # a{n}}}" for n in range(60))
    + "@misc{k, title = a60}"
)


@pytest.mark.parametrize(
    "text",
    [
        "@string{a = b}@string{b = a}@misc{k, title = a # b}",
        DOUBLED,
        "@" * 500_000,
        "@a{" * 8_000,
        "@misc{a, title={" + "{" * 50_000 + "}" * 50_000 + "}}",
        "@misc{a, title={" + "{" * 100_000,
        "@misc{a, title={" + r"\frac" * 3_000 + "}}",
        "@misc{a, title={" + r"\begin{a}" * 3_000 + "}}",
        "@misc{a, title={x " + "$" * 8_000 + "}}",
        "@misc{a, title={x}, author={" + "a and " * 50_000 + "}}",
        "@misc{a" + ",a=b" * 10_000 + "}",
        "[" * 500_000,
        '{"a":' * 100_000,
        "no bibliography",
        "[]",
        "\ufeff",
    ],
    ids=lambda text: text[:24],
)
def test_hostile_bibliographies_end_cleanly(text):
    start = time.process_time()
    try:
        found = read_bibliography("x.bib", text.encode())
        assert all(len(paper.title) <= 300 for paper in found[0])
    except InvalidInput:
        pass
    assert time.process_time() - start < 30
