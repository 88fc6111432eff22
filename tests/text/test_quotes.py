from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wherefrom.text.quotes import _is_part, find_quote

FOUND = {
    "a line break in Japanese": ("ナイル川は\n氾濫する。", "川は氾濫する", "川は\n氾濫する"),
    "a line break in the quote": ("ナイル川は氾濫する。", "川は\n氾濫", "川は氾濫"),
    "Chinese after punctuation": ("河水泛滥，\r\n留下淤泥。", "泛滥，留下", "泛滥，\r\n留下"),
    "an ideographic space": ("毎年　夏に", "毎年夏に", "毎年　夏に"),
    "Japanese beside a number": ("水位は\n3メートル", "水位は3メートル", "水位は\n3メートル"),
    "Thai": ("แม่น้ำ\nไนล์", "แม่น้ำไนล์", "แม่น้ำ\nไนล์"),
    "Khmer with zero-width spaces": ("ទន្លេ\u200bមេគង្គ", "ទន្លេមេគង្គ", "ទន្លេ\u200bមេគង្គ"),
    "Korean has spaces": ("나일강은 매년\n범람한다", "매년 범람한다", "매년\n범람한다"),
    "full-width letters": ("ＡＢ\nＣＤ　ＥＦ", "ABCD EF", "ＡＢ\nＣＤ　ＥＦ"),
    "half-width kana": ("ｶﾞｲﾄﾞ", "ガイド", "ｶﾞｲﾄﾞ"),
    "a voiced sound in two characters": ("か\u3099くせい", "がく", "か\u3099く"),
    "a voiced sound in one character": ("がくせい", "か\u3099く", "がく"),
    "Hangul in parts": (unicodedata.normalize("NFD", "한국어"), "한국", unicodedata.normalize("NFD", "한국")),
    "an accent in two characters": ("the cafe\u0301 at night", "café at", "cafe\u0301 at"),
    "a hyphenated word": ("by inter-\nnational law", "international law", "inter-\nnational law"),
    "its hyphen kept": ("by inter-\nnational law", "inter-national law", "inter-\nnational law"),
    "its hyphen and a space": ("by inter-\nnational  law", "inter- national law", "inter-\nnational  law"),
    "a hyphenated quote": ("by international law", "inter-\nnational", "international"),
    "one hyphen of the word and one not": (
        "inter-\nnational and well-\nknown",
        "international and well-known",
        "inter-\nnational and well-\nknown",
    ),
    "a range at the end of a line": ("from 2019-\n2020 on", "2019-2020", "2019-\n2020"),
    "a quote that ends at a hyphen": ("the inter-\nnational", "the  inter-", "the inter"),
    "a soft hyphen": ("soft\u00adware", "software", "soft\u00adware"),
    "a soft hyphen at the end of a line": ("soft\u00ad\nware", "software", "soft\u00ad\nware"),
    "ligatures": ("a ﬁnal eﬀort", "final effort", "ﬁnal eﬀort"),
    "half of a ligature": ("the ﬁsh\nswims", "ish swims", "ﬁsh\nswims"),
    "typographic quotes": ("„Nile“ isn’t «dry»", '"Nile" isn\'t "dry"', "„Nile“ isn’t «dry»"),
    "dashes": ("1914–18 — a war", "1914-18 - a war", "1914–18 — a war"),
    "an ellipsis": ("it floods … now", "floods ... now", "floods … now"),
    "joiners": ("می\u200cخواهم", "میخواهم", "می\u200cخواهم"),
    "a byte-order mark": ("\ufeffThe\u00a0Nile", "The Nile", "The\u00a0Nile"),
    "square metres": ("5 ㎡", "5  m²", "5 ㎡"),
    "what stands there character by character": ("co-op and coop", "coop", "coop"),
}
REFUSED = {
    "a digit": ("It rose 12 m in 1984.", "It rose 12 m in  1985."),
    "a negation": ("The Nile does not flood.", "The Nile does  flood."),
    "another word": ("floods every\nsummer", "floods each summer"),
    "case": ("The Nile\nfloods", "the nile floods"),
    "one letter of Japanese": ("毎年\n夏に氾濫する", "毎年冬に氾濫する"),
    "a mark": ("か\u3099くせい", "かく"),
    "a power of ten": ("10² cells", "102  cells"),
    "a fraction": ("1½ cups", "11/2  cups"),
    "a sign": ("fell to −5\ndegrees", "fell to 5 degrees"),
    "a sign at the beginning": ("fell to 5\ndegrees", "-5 degrees"),
    "two numbers as one": ("2019-\n2020", "20192020"),
    "two words as one": ("every\nsummer", "everysummer"),
    "one word as two": ("every  summer day", "every sum mer day"),
    "a hyphen less": ("they  re-sign today", "they resign today"),
    "a hyphen more": ("they  resign today", "they re-sign today"),
    "Korean without spaces": ("매년\n범람한다", "매년범람한다"),
    "a dash is no hyphen": ("the river—\nbed", "the  riverbed"),
    "a comma": ("dry, in summer", "dry  in summer"),
    "words left out": ("The Nile leaves mud.", "The Nile … mud."),
    "nothing that is seen": ("The Nile", "\u00ad\u200b"),
    "white space": ("The Nile", " \n"),
}


@pytest.mark.parametrize(("text", "quote", "found"), FOUND.values(), ids=FOUND)
def test_a_quote_is_found_whatever_its_typography(text, quote, found):
    start, end = find_quote(text, quote)
    assert text[start:end] == found
    # The other way round, too, unless the quote has only a part of a character or of a word.
    assert find_quote(quote, found) is not None or quote in ("ish swims", "the  inter-")


@pytest.mark.parametrize(("text", "quote"), REFUSED.values(), ids=REFUSED)
def test_a_quote_that_says_something_else_is_not_found(text, quote):
    assert find_quote(text, quote) is None


WORDS = st.sampled_from(
    ["river", "don't", "Ufer", "naïve", "7", "42", "氾濫する", "川は", "ภาษา", "범람", "field", '"so"']
)
TEXTS = st.lists(WORDS, min_size=1, max_size=12).map(" ".join)
CHARACTERS = st.sampled_from("ab-1 \n\u00ad\u200b—.’'がか\u3099\u3099ｶﾞ川　ﬁ한\u1112\u1161e\u0301Ａ²…")


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("0.5% of patients died", "5% of patients died"),
        ("He was unable to walk.", "able to walk"),
        ("It was −5 degrees.", "5 degrees"),
        ("Dose: 10 mg", "Dose: 1"),
        ("1,234 birds", "234 birds"),
        ("1,234 birds", "1"),
        ("resume\u0301 sent", "resume"),
        ("１２ ３４ birds", "1234 birds"),
        ("a 0.5\n% share", "5 % share"),
    ],
)
def test_a_part_of_a_word_or_number_is_no_quote(text, quote):
    assert find_quote(text, quote) is None


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("unable, but able to walk", "able to walk"),
        ("1914–18", "18"),
        ("東京都の人口", "京都"),
        ("서울은 크다", "서울"),
        ("see 3.", "3"),
    ],
)
def test_a_whole_word_is_found_after_a_part(text, quote):
    start, end = find_quote(text, quote)
    assert text[start:end] == quote


@given(st.text(CHARACTERS, max_size=30), st.data())
def test_every_part_of_a_text_is_found_where_its_text_is_equal(text, data):
    start = data.draw(st.integers(0, len(text)))
    quote = text[start : data.draw(st.integers(start, len(text)))]
    found = find_quote(text, quote)
    begin = start + len(quote) - len(quote.lstrip())
    if quote.strip() and not _is_part(text, begin, begin + len(quote.strip())):
        assert text[slice(*found)] == quote.strip()


@given(st.text(CHARACTERS, max_size=30), st.text(CHARACTERS, max_size=6))
def test_what_was_found_is_found_in_itself(text, quote):
    found = find_quote(text, quote)
    if found is None:
        return
    start, end = found
    assert 0 <= start < end <= len(text)
    part = text[start:end]
    assert find_quote(part, part) == (0, len(part))
    if "-" not in quote and "—" not in quote:
        assert find_quote(part, quote) is not None


@st.composite
def reset(draw, text):
    """The text as another program would have set it: other line breaks, hyphenation, forms and quotation marks."""
    out = []
    for at, character in enumerate(text):
        before, after = text[at - 1 : at], text[at + 1 : at + 2]
        if character == " ":
            out.append(draw(st.sampled_from([" ", "\n", "  ", "\r\n", " \u200b\n", "\u00a0"])))
            continue
        out.append(draw(st.sampled_from({"'": ["'", "’"], '"': ['"', "“", "”", "„", "«"]}.get(character, [character]))))
        joined = character.isalpha() and after.isalpha()
        if joined and character.isascii() and after.isascii():
            out.append(draw(st.sampled_from(["", "", "-\n", "\u00ad", "\u00ad\n", "\u200d"])))
        elif joined and unicodedata.name(character).startswith(("CJK", "HIRAGANA")) and before:
            out.append(draw(st.sampled_from(["", "\n", "　", "\u200b"])))
    return unicodedata.normalize(draw(st.sampled_from(["NFC", "NFD", "NFKD"])), "".join(out))


@given(TEXTS, st.data())
def test_other_line_breaks_hyphens_and_marks_make_no_difference(text, data):
    assert find_quote(data.draw(reset(text)), text) is not None
    assert find_quote(f"Before. {text} After.", data.draw(reset(text))) is not None


@given(TEXTS, st.data(), st.sampled_from("xQ9鳥ก不"))
def test_another_letter_makes_a_difference(text, data, letter):
    at = data.draw(st.integers(0, len(text)))
    longer = text[:at] + letter + text[at:]
    assert find_quote(text, data.draw(reset(longer))) is None
    assert find_quote(data.draw(reset(text)), longer) is None


LARGE = {
    "words": ("word ordinary text; " * 3_300, "ordinary  text; word " * 1_600 + "x"),
    "Japanese": ("ナイル川は\n氾濫する。" * 5_400, "ナイル川は氾濫する。" * 2_700 + "x"),
    "hyphens": ("a-" * 32_000, "a" * 16_000),
    "spaces": ("a b" * 21_000, "ab" * 10_000),
    "broken hyphens": ("a-\n" * 21_000, "a" * 10_000 + "-a a"),
    "marks": ("e" + "\u0301\u0327" * 16_000, "\u0327e"),
    "soft hyphens": ("\u00ad" * 32_000 + "a", "\u00ad" * 31_000 + " b"),
    "joiners": ("\u00ad\u200b" * 32_000, "\u200b" * 32_000 + " b"),
    "accents before a gap": ("aé" * 21_000, "aé" * 20_000 + "b"),
}


@pytest.mark.parametrize(("text", "quote"), LARGE.values(), ids=LARGE)
def test_the_largest_texts_take_seconds_at_most(text, quote):
    began = time.process_time()
    assert find_quote(text, quote) is None
    # 0.1 to 0.5 seconds on a busy machine; 64,000² steps would take minutes.
    assert time.process_time() - began < 10
