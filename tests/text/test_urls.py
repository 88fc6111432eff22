"""One form for each URL, and what is no URL of a page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wherefrom.model.errors import InvalidInput
from wherefrom.text.urls import check_url, domain_of


@pytest.mark.parametrize(
    ("given_url", "kept"),
    [
        ("HTTP://EXAMPLE.org", "http://example.org/"),
        ("https://Example.ORG/Path?Query=A", "https://example.org/Path?Query=A"),
        ("  https://example.org/a  ", "https://example.org/a"),
        ("https://example.org/a#part", "https://example.org/a"),
        ("https://example.org/a?b=c#", "https://example.org/a?b=c"),
        ("https://example.org/a#b#c", "https://example.org/a"),
        ("http://example.org:80/a", "http://example.org/a"),
        ("https://example.org:443", "https://example.org/"),
        ("https://example.org:/a", "https://example.org/a"),
        ("http://example.org:443/a", "http://example.org:443/a"),
        ("https://example.org:8443/a", "https://example.org:8443/a"),
        ("https://日本.example/川?q=東京#岸", "https://日本.example/川?q=東京"),
        ("https://ÜBER.example/ä", "https://über.example/ä"),
        ("https://example.org/%E5%B7%9D%20a", "https://example.org/%E5%B7%9D%20a"),
        ("http://[2001:DB8::1]:80/a", "http://[2001:db8::1]/a"),
        ("http://[::1]:8080", "http://[::1]:8080/"),
        ("FTP://example.org/a", "ftp://example.org/a"),
        ("file:///tmp/a%20b.md#top", "file:///tmp/a%20b.md"),
        ("file:///C:/notes.md", "file:///C:/notes.md"),
        ("urn:isbn:0451450523", "urn:isbn:0451450523"),
        ("urn:bib:%E6%97%A5%E6%9C%AC", "urn:bib:%E6%97%A5%E6%9C%AC"),
        ("DOI:10.1000/182", "doi:10.1000/182"),
        ("https://doi.org/10.1000/ABC(1)", "https://doi.org/10.1000/ABC(1)"),
    ],
)
def test_a_url_has_one_form(given_url, kept):
    assert check_url(given_url) == kept
    assert check_url(kept) == kept, "a second time changes nothing"


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        "   ",
        None,
        7,
        b"https://example.org/",
        "example.org/page",
        "/page",
        "../page",
        "//example.org/page",
        "?q=1",
        "#part",
        "https:",
        "https://",
        "https:///page",
        "https:page",
        "https://:443/page",
        "https://example.org/a b",
        "https://exa mple.org/",
        "https://example.org/\ta",
        "https://example.org/\na",
        "https://example.org/\u3000a",
        "https://example.org:port/",
        "https://example.org:99999/",
        "http://[::1/",
        "http://[not an address]/",
        "https://example.org/\0",
        "https://example.org/\ud800",
        "https://example.org/" + "a" * 2000,
    ],
    ids=ascii,
)
def test_what_is_no_absolute_url_is_refused(wrong):
    with pytest.raises(InvalidInput, match="url") as refused:
        check_url(wrong)
    assert refused.value.code == "invalid_input"
    assert len(str(refused.value)) < 250, "a message does not repeat a long input"


@pytest.mark.parametrize("wrong", ["example.org:80/page", "localhost:8080/page", "www.example.org:443"])
def test_a_host_and_port_without_a_scheme_is_no_url(wrong):
    with pytest.raises(InvalidInput, match="not an absolute URL"):
        check_url(wrong)


@pytest.mark.parametrize(
    "wrong", ["https://kim:s3cr3t@example.org/a", "https://kim@example.org/a", "ftp://:s3cr3t@example.org/"]
)
def test_a_password_in_a_url_is_refused_and_not_repeated(wrong):
    with pytest.raises(InvalidInput, match="user name or password") as refused:
        check_url(wrong)
    assert "s3cr3t" not in str(refused.value)


@given(st.text(max_size=60))
def test_any_text_is_refused_or_has_a_form_that_stays(text):
    for url in (text, f"https://{text}", f"https://example.org/{text}", f"urn:{text}"):
        try:
            kept = check_url(url)
        except InvalidInput:
            continue
        assert check_url(kept) == kept
        assert "#" not in kept
        domain_of(kept)


@pytest.mark.parametrize(
    ("url", "domain"),
    [
        ("https://example.org/a", "example.org"),
        ("https://www.example.org/", "example.org"),
        ("https://www2.example.org/", "www2.example.org"),
        ("https://docs.www.example.org/", "docs.www.example.org"),
        ("http://example.org:8080/", "example.org"),
        ("http://[2001:db8::1]/", "2001:db8::1"),
        ("https://日本.example/川", "日本.example"),
        ("file:///tmp/a.md", None),
        ("urn:isbn:0451450523", None),
        ("doi:10.1000/182", None),
    ],
)
def test_a_domain_is_the_host_without_www(url, domain):
    assert domain_of(url) == domain
