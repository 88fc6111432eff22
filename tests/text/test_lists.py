"""Detection holds its figures on lists of texts that were written apart from its rules."""

from __future__ import annotations

import pytest

from bench.detection import PARTS, lists, read


@pytest.mark.parametrize(
    ("part", "recall", "alarms"), [("open", 0.9, 0.01), ("held", 0.9, 0.01), ("later", 0.85, 0.02)]
)
def test_findings_are_found_and_harmless_texts_are_left_alone(part, recall, alarms):
    figures = lists(part)
    assert figures["recall"] >= recall, figures
    assert figures["share of false alarms"] <= alarms, figures


def test_the_lists_are_long_and_in_several_languages():
    for name in ("findings", "harmless"):
        texts = [each for part in PARTS for each in read(name, part)]
        assert len({each["text"] for each in texts}) == len(texts) >= 300
        assert len({each["lang"] for each in texts}) >= 8
        assert len(read(name, "held")) >= (len(texts) - len(read(name, "later"))) // 3 - 1
    for part in PARTS:
        assert all(value in each["text"] for each in read("findings", part) for value in each["values"])
