"""The few words by which a review says what tells two texts apart."""

from __future__ import annotations

import pytest

from wherefrom.text.differences import told_apart


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        (
            "毎週火曜の朝会は10時から会議室Bで行う。",
            "毎週月曜の朝会は10時から会議室Bで行います。",
            "the date differs: 火曜 / 月曜",
        ),
        ("火曜の朝会は行う。", "月曜の朝会は行う。", "the date differs: 火曜 / 月曜"),
        ("締め切りは25日です。", "締め切りは20日です。", "the number differs: 25 / 20"),
        ("予定は10時、青い部屋で5人。", "予定は10時、赤い部屋で5人。", "the name differs: 青 / 赤"),
        ("The standup is at 9:15.", "The standup is at 9:45.", "the number differs: 9:15 / 9:45"),
    ],
)
def test_what_differs_is_named_alone(one, other, said):
    """Not with all that stands between it and the ends of the sentences, without the numbers in there."""
    assert told_apart(one, other) == said
