"""Greetings and closing words, which two texts may differ in and still say the same."""

from __future__ import annotations

import time

import pytest

from wherefrom.text.differences import without_courtesies, without_names


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
        ("Hi all, quick reminder: the lift is out of order.", "The lift is out of order."),
        ("Don't forget: the lift is out of order.", "The lift is out of order."),
        ("Dear guests, please use the stairs.", "Please use the stairs."),
        ("覚え書き：エレベーターは止まっています。", "エレベーターは止まっています。"),
        ("皆さんへ。エレベーターは止まっています。", "エレベーターは止まっています。"),
    ],
)
def test_what_a_text_says_is_left(text, plain):
    assert without_courtesies(text) == plain


@pytest.mark.parametrize(
    ("text", "plain", "names"),
    [
        ("The lift is out of order. Best, Priya.", "The lift is out of order.", ("priya",)),
        ("Hi Ann, the lift is out of order.", "The lift is out of order.", ("ann",)),
        ("Hallo Jutta, der Aufzug steht still. Danke, Uwe", "Der Aufzug steht still.", ("uwe", "jutta")),
        ("田中さんへ。エレベーターは止まっています。", "エレベーターは止まっています。", ("田中さんへ",)),
        ("My keys are at the desk. Best, Priya.", "My keys are at the desk. Best, Priya.", ()),
        ("Hi Ann, your keys are at the desk.", "Hi Ann, your keys are at the desk.", ()),
        ("Dear is the fish at Ann's, cheap the bread.", "Dear is the fish at Ann's, cheap the bread.", ()),
    ],
)
def test_names_of_a_greeting_and_a_signature_are_told_apart(text, plain, names):
    assert without_names(text) == (plain, names)


def test_a_long_row_of_spaces_takes_no_time():
    began = time.thread_time()
    without_courtesies("It works. thanks" + " " * 20_000 + "x")
    assert time.thread_time() - began < 1
