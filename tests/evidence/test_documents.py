"""Documents of each format: pieces are verbatim spans with their headings, and hostile bytes end in a clean refusal."""

from __future__ import annotations

import itertools
import json
import random
import subprocess
import sys
import time
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wherefrom.evidence.documents import pdf as documents_pdf
from wherefrom.evidence.documents.document import Block, Document, pieces_of, split, year_in
from wherefrom.evidence.documents.reading import READABLE, is_bibliography, read
from wherefrom.evidence.input import NewPage
from wherefrom.model.errors import InvalidInput

MARKDOWN = """---
title: "Rivers of Asia"
authors: [Ada Lovelace, 山田太郎]
date: 2021-03-04
---
# Rivers *of* Asia

The Mekong is 4,350 km long and flows through six countries, which share its water and its fish.

## 日本

信濃川は日本で最も長い川で、全長は三百六十七キロメートルである。

- 信濃川
- 利根川

### 길이

| 강 | km |
|---|---|
| 한강 | 494 |

## Code

```python
    x = 1
```

> 长江是中国最长的河流。

![A map](map.png)

<!-- not shown -->
"""

PAGE = """<!DOCTYPE html><html lang="en"><head><title>Rivers — Example Site</title>
<meta name="author" content="Ada Lovelace"><meta name="date" content="2019-05-06"><style>p {color: red}</style></head>
<body><nav><ul><li><a href="/">Home</a></li><li><a href="/shop">Shop</a></li></ul></nav>
<article><h1>Rivers</h1>
<p>The Mekong is 4,350 km long and flows through six countries, which share its water.</p>
<h2>Floods</h2><p>Each summer the river rises by <b>ten metres</b><br>and the lake fills again, as it always has.</p>
<ul><li>Laos<ol><li>Vientiane</li></ol></li><li>Cambodia</li></ul>
<blockquote><p>Water is life, they say along the river.</p></blockquote>
<pre><code>level = 10
print(level)</code></pre>
<table><tr><th>River</th><th>km</th></tr><tr><td>Mekong</td><td>4350</td></tr></table>
<p hidden>hidden words</p><p style="display: none">unseen words</p><script>alert("script words")</script>
<p>The delta is the rice bowl of the country, and it is sinking by two centimetres each year.</p></article>
<footer>Copyright and cookies, all rights reserved</footer></body></html>"""


def is_verbatim(document: Document) -> bool:
    pieces = document.pieces
    in_order = all(first.end <= second.start for first, second in itertools.pairwise(pieces))
    return in_order and all(document.text[piece.start : piece.end] == piece.text != "" for piece in pieces)


def pdf(*pages: bytes, info: bytes = b"", packed: bool = False) -> bytes:
    """A minimal PDF: each page is a content stream that may use the font /F."""
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[%s]/Count %d>>"
        % (b" ".join(b"%d 0 R" % (5 + 2 * n) for n in range(len(pages))), len(pages)),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
        b"<<" + info + b">>",
    ]
    for number, page in enumerate(pages):
        objects.append(
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F 3 0 R>>>>/Contents %d 0 R>>"
            % (6 + 2 * number)
        )
        head = b"<</Length %d%s>>" % (len(page), b"/Filter/FlateDecode" if packed else b"")
        objects.append(head + b"stream\n" + page + b"\nendstream")
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    trailer = b"trailer<</Size %d/Root 1 0 R/Info 4 0 R>>\nstartxref\n%d\n%%%%EOF" % (size, len(out))
    return out + b"xref\n0 %d\n0000000000 65535 f \n" % size + table + trailer


def lines(*texts: tuple[int, int, bytes]) -> bytes:
    return b"BT /F 12 Tf " + b" ".join(b"1 0 0 1 %d %d Tm (%s) Tj" % text for text in texts) + b" ET"


def test_markdown_has_exact_spans_types_and_headings():
    document = read("notes/rivers.md", MARKDOWN.encode())
    assert is_verbatim(document)
    assert document.text == MARKDOWN
    assert (document.title, document.year) == ("Rivers of Asia", 2021)
    assert document.metadata == {"authors": ["Ada Lovelace", "山田太郎"], "date": "2021-03-04"}
    assert [(piece.type, piece.headings) for piece in document.pieces] == [
        ("paragraph", ("Rivers of Asia",)),
        ("paragraph", ("Rivers of Asia", "日本")),
        ("list", ("Rivers of Asia", "日本")),
        ("table", ("Rivers of Asia", "日本", "길이")),
        ("code", ("Rivers of Asia", "Code")),
        ("quote", ("Rivers of Asia", "Code")),
        ("figure", ("Rivers of Asia", "Code")),
    ]
    assert document.pieces[3].text == "| 강 | km |\n|---|---|\n| 한강 | 494 |"
    assert document.pieces[4].text == "```python\n    x = 1\n```"
    assert document.pieces[5].heading == "Code"


def test_markdown_lines_may_end_as_on_windows():
    document = read("x.md", "# 題\r\n\r\n最初の段落。\r\n二行目。\r\n\r\n\u2028次の段落。\x0b\r\n".encode())
    assert is_verbatim(document)
    assert document.pieces[0].text.startswith("最初の段落。\r\n二行目。")
    assert document.pieces[0].heading == "題"


def test_what_only_looks_like_front_matter_is_text():
    document = read("x.md", b"---\n\nNot a pair of key and value\n\n---\n\nMore text here.\n")
    assert "Not a pair" in document.pieces[0].text
    assert document.title == "x"


def test_front_matter_lists_authors_line_by_line():
    document = read("x.md", b"---\ntitle: T\nauthor:\n  - Ada\n  - Bob\nyear: 1999\n---\nText.\n")
    assert document.metadata["authors"] == ["Ada", "Bob"]
    assert document.year == 1999
    assert document.pieces[0].text == "Text."


def test_headings_alone_are_pieces():
    document = read("x.md", "# 一\n\n## 二\n".encode())
    assert [(piece.type, piece.text, piece.headings) for piece in document.pieces] == [
        ("heading", "# 一", ()),
        ("heading", "## 二", ("一",)),
    ]


@pytest.mark.parametrize("heading", ["Abstract", "概要", "摘要", "초록"])
def test_a_paragraph_below_abstract_is_one(heading):
    assert read("x.md", f"## {heading}\n\nText.\n".encode()).pieces[0].type == "abstract"


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("utf-8", "東京タワー"),
        ("utf-8-sig", "東京タワー"),
        ("utf-16", "東京タワー"),
        ("utf-32", "서울"),
        ("iso2022_jp", "東京タワーは高い。"),
        ("cp932", "東京タワーは1958年に完成した。高さは333メートルである。"),
        ("euc_jp", "東京タワーは1958年に完成した。高さは333メートルである。"),
        ("gb18030", "长江是中国最长的河流，全长约6300公里。"),
        ("cp949", "서울은 대한민국의 수도이다. 인구는 약 천만 명이다."),
        ("cp1252", "Le café est très apprécié à Paris, où l’on déguste « l’été »."),
    ],
)
def test_encodings_are_recognised(encoding, text):
    assert read("x.txt", text.encode(encoding)).text == text


def test_a_declared_encoding_is_believed():
    text = "한국어 문서입니다."
    assert read("x.txt", text.encode("cp949"), "text/plain; charset=EUC-KR").text == text
    assert read("x.txt", b"plain text", "text/plain; charset=punycode").text == "plain text"


def test_plain_text_has_paragraphs_and_the_name_as_title():
    text = f"{'한강은 서울을 지나는 강이다. ' * 8}\n \n{'長い段落である。' * 12}\r\n\r\nend"
    document = read("/notes/강.txt", text.encode())
    assert is_verbatim(document)
    assert [piece.type for piece in document.pieces] == ["paragraph"] * 3
    assert document.title == "강"
    assert document.pieces[0].heading is None


def test_short_neighbours_are_merged_and_long_ones_are_not():
    document = read("x.txt", f"one\n\ntwo\n\n{'long ' * 20}\n\nthree\n\nfour".encode())
    assert [piece.text for piece in document.pieces] == ["one\n\ntwo", ("long " * 20).strip(), "three\n\nfour"]
    headed = read("x.md", b"one\n\n# A\n\ntwo\n\n# B\n\nthree\n")
    assert [piece.text for piece in headed.pieces] == ["one", "two", "three"]


@pytest.mark.parametrize(
    "sentence", ["信濃川は日本で最も長い川である。", "黄河是第二长的河流！", "한강은 길다. ", "It is long. "]
)
def test_long_pieces_are_cut_at_sentences(sentence):
    document = read("x.txt", (sentence * 3_000).encode())
    assert is_verbatim(document)
    assert len(document.pieces) > 2
    assert all(len(piece.text.encode()) <= 16 * 1024 for piece in document.pieces)
    assert all(piece.text.endswith(sentence.strip()) for piece in document.pieces)
    assert "".join(piece.text.strip() for piece in document.pieces).replace(" ", "") == document.text.replace(" ", "")


def test_no_character_is_cut():
    family, accented = "👨‍👩‍👧", "e\u0301"
    for unit in (family, accented):
        pieces = split(
            Document("", unit * 200, pieces_of(unit * 200, [Block("paragraph", 0, 200 * len(unit))])), limit_bytes=100
        ).pieces
        assert "".join(piece.text for piece in pieces) == unit * 200
        assert not any(piece.text[0] in "\u0301\u200d" or piece.text[-1] == "\u200d" for piece in pieces)


@settings(deadline=None)
@given(
    st.text(st.characters(exclude_categories=("Cs", "Cc"), include_characters="\n\r\t"), min_size=1),
    st.integers(64, 200),
)
def test_pieces_of_plain_text_are_verbatim(text, limit):
    check_any(text, "x.txt", limit)


ANYTHING = st.lists(
    st.sampled_from(
        [
            "# ",
            "\n",
            "\r\n",
            "\n\n",
            "- ",
            "> ",
            "```",
            "    ",
            "|a|b|\n|-|-|\n",
            "---\n",
            "a: b\n",
            "漢字。",
            "e\u0301",
            "[x]: y",
            "<!--",
            "1. ",
            "===",
        ]
    )
    | st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=30),
    min_size=1,
    max_size=30,
).map("".join)


@settings(deadline=None)
@given(ANYTHING, st.integers(64, 200))
def test_pieces_of_markdown_are_verbatim(text, limit):
    check_any(text, "x.md", limit)


def check_any(text, name, limit):
    try:
        document = read(name, text.encode())
    except InvalidInput:
        return
    assert document.text == text.removeprefix("\ufeff")
    assert is_verbatim(document)
    finer = split(document, limit_bytes=limit)
    assert is_verbatim(finer)
    assert all(len(piece.text.encode()) <= limit for piece in finer.pieces)


def test_html_is_its_main_content():
    document = read("https://example.org/rivers?page=1", PAGE.encode(), "text/html; charset=utf-8")
    assert is_verbatim(document)
    assert document.year == 2019
    assert document.metadata["authors"] == ["Ada Lovelace"]
    assert document.title.startswith("Rivers")
    for word in ("Shop", "cookies", "hidden", "unseen", "script words", "color"):
        assert word not in document.text
    assert [(piece.type, piece.heading) for piece in document.pieces] == [
        ("paragraph", "Rivers"),
        *((kind, "Floods") for kind in ("paragraph", "list", "quote", "code", "table", "paragraph")),
    ]
    assert document.pieces[1].text.startswith("Each summer the river rises by ten metres\nand")
    assert document.pieces[2].text == "- Laos\n  1. Vientiane\n- Cambodia"
    assert document.pieces[4].text == "level = 10\nprint(level)"
    assert document.pieces[5].text == "River | km\nMekong | 4350"


@pytest.mark.parametrize(
    ("language", "encoding", "title", "text"),
    [
        ("ja", "shift_jis", "信濃川", "信濃川は日本で最も長い川で、全長は三百六十七キロメートルである。"),
        ("zh", "gbk", "长江", "长江是中国最长的河流，全长约六千三百公里，流入东海。"),
        ("ko", "euc-kr", "한강", "한강은 서울을 지나 황해로 흐르는 강으로, 길이는 약 오백 킬로미터이다."),
    ],
)
def test_html_declares_its_encoding(language, encoding, title, text):
    page = f'<html lang="{language}"><head><meta charset="{encoding}"><title>{title}</title></head><body><main><h1>{title}</h1><p>{text}</p></main></body></html>'
    document = read("page", page.encode(encoding), "text/html")
    assert is_verbatim(document)
    assert document.title == title
    assert text in document.text


def test_sentences_between_blocks_are_not_torn():
    page = b"<html><body><div>Just <b>some</b> words<div>and <a href='/x'>more</a> of it</div><script>x</script>the <i>tail</i> end</div></body></html>"
    assert read("x.html", page).text == "Just some words\n\nand more of it\n\nthe tail end"


def test_a_large_page_is_read_by_what_is_visible():
    rows = "".join(f"<h2>Part {n}</h2><p>Words &amp; more of part {n}.</p><ol><li>a</li></ol>" for n in range(8_000))
    document = read("x.html", f"<html><body>{rows}<table><tr><td>1</td><td>2</td></tr></table></body></html>".encode())
    assert is_verbatim(document)
    assert [piece.type for piece in document.pieces[:2]] == ["paragraph", "list"]
    assert document.pieces[0].headings == ("Part 0",)
    assert document.pieces[-1].text == "1 | 2"


def test_pdf_has_paragraphs_by_page():
    first = lines(
        (50, 700, b"The river is long and its water is shared by six coun-"),
        (50, 686, b"tries, as everybody knows."),
        (50, 650, b"The second paragraph stands further down on the page, and it is long."),
        (70, 636, b"The third one is indented and is also long enough to stay a paragraph by itself,"),
        (50, 622, b"which is what most books do."),
    )
    document = read(
        "river.pdf",
        pdf(first, lines((50, 700, b"The end.")), info=b"/Title(Rivers)/Author(Ada; Bob)/CreationDate(D:20180203)"),
    )
    assert is_verbatim(document)
    assert document.title == "Rivers"
    assert document.metadata == {"authors": ["Ada", "Bob"], "pages": 2}
    assert [piece.heading for piece in document.pieces] == ["page 1", "page 1", "page 1", "page 2"]
    assert document.pieces[0].text.startswith("The river is long and its water is shared by six coun-\ntries")
    assert document.pieces[2].text.endswith("by itself,\nwhich is what most books do.")


def test_the_date_of_a_pdf_file_is_no_year_of_publication():
    dates = b"/CreationDate(D:20180203)/ModDate(D:20190405)"
    document = read("paper.pdf", pdf(lines((50, 700, b"Published in 1984.")), info=dates))
    assert document.year is None
    assert document.metadata == {"pages": 1}


def test_a_stored_pdf_has_the_year_that_someone_gave_it_or_none(memory, tmp_path):
    paper = tmp_path / "paper.pdf"
    paper.write_bytes(pdf(lines((50, 700, b"The Nile floods.")), info=b"/CreationDate(D:20180203)"))
    memory.add_documents([paper])
    assert [row[0] for row in memory.query_graph("select year from pages").rows] == [None]
    memory.add_evidence(NewPage(paper.as_uri(), year=1984))
    memory.add_documents([paper])
    assert [row[0] for row in memory.query_graph("select year from pages").rows] == [1984]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"%PDF-1.4 garbage" * 100, "damaged"),
        (pdf(b""), "only images"),
        (pdf(*[b""] * 2_001), "more than 2,000 pages"),
        (pdf(lines((0, 0, b"x")))[:400], "damaged"),
    ],
)
def test_pdf_that_cannot_be_read_says_why(data, said):
    with pytest.raises(InvalidInput, match=said):
        read("x.pdf", data)


def test_pdf_that_unpacks_to_gigabytes_is_refused(monkeypatch):
    monkeypatch.setattr(documents_pdf, "_MAX_MEMORY_BYTES", 256 * 1024**2)
    packer = zlib.compressobj(9)
    bomb = b"".join(packer.compress(b"q " * (1 << 20)) for _ in range(8)) + packer.flush()
    with Within(60), pytest.raises(InvalidInput):
        read("bomb.pdf", pdf(bomb, packed=True))


@pytest.mark.parametrize("name", sorted(READABLE))
@pytest.mark.parametrize("data", [b"", b" \n\t", b"\0\0"])
def test_empty_documents_are_refused(name, data):
    with pytest.raises(InvalidInput, match="empty"):
        read(f"x{name}", data)


@pytest.mark.parametrize(
    ("name", "data", "content_type"),
    [
        ("x.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", None),
        ("x", b"text", "image/png"),
        ("x.zip", b"PK\3\4\0\0\0\0", "application/zip"),
        ("x.txt", b"a\0b", None),
        ("x.md", b"\xff\xfea\xd8b\0", None),
        ("x.txt", b"\xed\xa0\x80\x81\xff", None),
        ("x.html", b"<html><body><script>only()</script></body></html>", None),
        ("x.html", b"<!-- -->", None),
        ("\ud800.bin", b"\0\1\2", None),
    ],
)
def test_what_is_no_text_is_refused(name, data, content_type):
    with pytest.raises(InvalidInput):
        read(name, data, content_type)


def test_formats_are_told_by_content_where_nothing_is_stated():
    assert read("https://example.org/", PAGE.encode()).title.startswith("Rivers")
    assert read("download", pdf(lines((50, 700, b"Words")))).text == "Words"
    assert read("https://example.org/", b"# No heading").text == "# No heading"
    assert read("https://example.org/", b"words").title == "example.org"
    assert read("readme.md", b"# Heading\n\ntext", "text/plain").pieces[0].heading == "Heading"
    assert read("data.csv", b"a,b\n1,2").pieces[0].text == "a,b\n1,2"


class Within:
    """A generous bound in seconds, so that only more than linear time is noticed."""

    def __init__(self, seconds):
        self.seconds = seconds

    def __enter__(self):
        self.start = time.monotonic()

    def __exit__(self, *_):
        assert time.monotonic() - self.start < self.seconds


NOISE = random.Random(7).randbytes(50_000)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("x.html", b"<div>" * 2_000_000 + b"deep"),
        ("x.html", b"<ul><li>a" * 100_000),
        ("x.html", b"<table><tr><td>a" * 50_000),
        ("x.html", b"<p>&#xD800;&#0;&#xFFFFFFFF; words</p>"),
        ("x.html", b"<html>" + b"<" * 200_000),
        ("x.md", b"[" * 1_000_000),
        ("x.md", b"# " + b"[" * 500_000),
        ("x.md", b"> " * 500_000),
        ("x.md", b"# **a** `b`\n" * 2_000),
        ("x.md", b"![" * 500_000),
        ("x.md", b"---\n" + b"a: b\n" * 10_000),
        ("x.txt", b"." * 1_000_000),
        ("x.txt", ("a" + "\u0301" * 200_000).encode()),
        ("x.txt", b"a\n \n" * 20_000),
        ("x.txt", NOISE),
        ("x.html", NOISE.replace(b"\0", b" ")),
        ("x.md", bytes(byte | 0x80 for byte in NOISE)),
    ],
    ids=lambda value: str(value[:12]),
)
def test_hostile_input_ends_cleanly(name, data):
    with Within(30):
        try:
            document = read(name, data)
        except InvalidInput:
            return
        assert is_verbatim(document)
        document.text.encode()


def test_years():
    assert [year_in(value) for value in (1931, "c. 1931-02", 999, 3000, True, None, "12345", 1.5)] == [
        1931,
        1931,
        *[None] * 6,
    ]


def test_bibliographies_are_recognised():
    paper = {"title": "T", "DOI": "10.1/x"}
    assert is_bibliography("x.bib", b"")
    assert is_bibliography("x.json", json.dumps([paper]).encode())
    assert is_bibliography("x.json", json.dumps({"items": [paper]}).encode())
    assert is_bibliography("x.jsonl", json.dumps(paper).encode() + b"\n{")
    assert not is_bibliography("package.json", b'{"name": "x", "version": "1"}')
    assert not is_bibliography("x.json", b"[1, 2]")
    assert not is_bibliography("x.json", b"[" * 100_000)
    assert not is_bibliography("x.md", b"@article{a, title={b}}")


def test_importing_the_package_is_cheap():
    code = (
        "import sys, wherefrom.evidence.documents.reading, wherefrom.evidence.documents.fetching,"
        " wherefrom.evidence.documents.bibliography;"
        "print(sorted({'trafilatura','lxml','pypdfium2','bibtexparser','markdown_it','httpx2'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("name", "data", "package"),
    [("x.html", b"<p>Words.</p>", "trafilatura"), ("x.bib", b"@book{a, title={A}}", "bibtexparser")],
)
def test_a_missing_library_is_named_with_the_extra_that_brings_it(name, data, package):
    program = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "from wherefrom.evidence.documents import bibliography, reading\n"
        f"read = bibliography.read_bibliography if {name!r}.endswith('bib') else reading.read\n"
        f"try: read({name!r}, {data!r})\n"
        "except Exception as error: print(error.code, error.message, error.hint)"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert said.startswith("invalid_input")
    assert f"needs {package}" in said
    assert "wherefrom[documents]" in said
