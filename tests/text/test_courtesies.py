"""Greetings and closing words, which two texts may differ in and still say the same."""

from __future__ import annotations

import time

import pytest

from wherefrom.text.differences import exchanges, facts_of, without_courtesies


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Hello all, the lift is out of order.", "The lift is out of order."),
        ("Reminder: the lift is out of order. Thanks!", "The lift is out of order."),
        ("The lift is out of order. Thanks, Ann", "The lift is out of order. Thanks, Ann"),
        ("Dear Ann: the lift is out of order.", "Dear Ann: the lift is out of order."),
        ("note.txt lists the lifts.", "note.txt lists the lifts."),
        ("hello.example.com is the lift's page.", "hello.example.com is the lift's page."),
        ("Der Aufzug steht still. Viele Grüße", "Der Aufzug steht still."),
        ("お疲れさまです。エレベーターは止まっています。よろしくお願いします。", "エレベーターは止まっています。"),
        ("提醒：电梯停了。谢谢！", "电梯停了。"),
        ("엘리베이터가 멈췄습니다. 감사합니다.", "엘리베이터가 멈췄습니다."),
        ("Thanks to Ann the lift works.", "Thanks to Ann the lift works."),
        ("Hi!", "Hi!"),
    ],
)
def test_what_a_text_says_is_left(text, plain):
    assert without_courtesies(text) == plain


@pytest.mark.parametrize(
    ("one", "other", "differ"),
    [
        ("The pump is faster now.", "The pump is slower now.", True),
        ("It takes up to 9 people.", "It takes more than 9 people.", True),
        ("Add 5 ml of oil.", "Add 5 drops of oil.", True),
        ("The pump is fast now.", "The pump is really fast now.", False),
        ("The colour fades.", "The color fades.", False),
        ("Ask the employee.", "Ask the employer.", True),
        ("A typical fault.", "An atypical fault.", True),
        ("The key is lost.", "The key is almost lost.", True),
        ("The clinic is betwen the shops.", "The clinic is between the shops.", False),
        ("The pump starts.", "The pump started.", False),
        ("A pump is in the cellar.", "The pump is in a cellar.", False),
    ],
)
def test_a_word_in_the_place_of_another_says_something_else(one, other, differ):
    assert exchanges(facts_of(one).words, facts_of(other).words) == differ


def test_a_long_row_of_spaces_takes_no_time():
    began = time.thread_time()
    without_courtesies("It works. thanks" + " " * 20_000 + "x")
    assert time.thread_time() - began < 1
