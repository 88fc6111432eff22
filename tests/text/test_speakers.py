"""Questions that name a speaker."""

from __future__ import annotations

import pytest

from wherefrom.text.speakers import named_in


@pytest.mark.parametrize(
    ("question", "speaker"),
    [
        ("What did Caroline paint?", "Caroline"),
        ("caroline's painting", "Caroline"),
        ("What is Caroline’s job?", "Caroline"),
        ("What did Caroline paint?", "Caroline Meyer"),
        ("Was sagt José dazu?", "Jose"),
        ("Que dit Zoe ?", "Zoé"),
        ("田中さんは何と言いましたか", "田中"),
        ("田中さんは何と言いましたか", "田中 太郎"),
        ("민수가 뭐라고 했어?", "민수"),
        ("Что сказала Анна?", "Анна"),
        ("What did the assistant advise?", "assistant"),
        ("What does Will want?", "Will"),
    ],
)
def test_a_question_names_a_speaker(question, speaker):
    assert named_in(question)(speaker)


@pytest.mark.parametrize(
    ("question", "speaker"),
    [
        ("What did Caroline paint?", "Melanie"),
        ("What was carolinean about it?", "Caroline"),
        ("What is a plan?", "A"),
        ("When will it rain?", "Will"),
        ("Who is the best?", "The Doctor"),
        ("田んぼの中", "田中"),
        ("What did Caroline paint?", "?!"),
        ("", "Caroline"),
    ],
)
def test_a_question_does_not_name_a_speaker(question, speaker):
    assert not named_in(question)(speaker)
