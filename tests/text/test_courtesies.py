"""Greetings and closing words, which two texts may differ in and still say the same."""

from __future__ import annotations

import time

import pytest

from wherefrom.text.differences import exchanges, facts_of, narrows, without_courtesies, without_names


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
    ("one", "other", "differ"),
    [
        ("The pump is faster now.", "The pump is slower now.", True),
        ("It takes up to 9 people.", "It takes more than 9 people.", True),
        ("Add 5 ml of oil.", "Add 5 drops of oil.", True),
        ("The pump is fast now.", "The pump is really fast now.", False),
        ("Ask the employee.", "Ask the employer.", True),
        ("A typical fault.", "An atypical fault.", True),
        ("The key is lost.", "The key is almost lost.", True),
        ("The pump starts.", "The pump started.", True),
        ("Bring the key.", "Bring the keys.", False),
        ("A pump is in the cellar.", "The pump is in a cellar.", False),
    ],
)
def test_a_word_in_the_place_of_another_says_something_else(one, other, differ):
    assert exchanges(facts_of(one).words, facts_of(other).words) == differ


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


@pytest.mark.parametrize(
    ("more", "less", "differ"),
    [
        ("The old car is sold.", "The car is sold.", True),
        ("The pool is only open on Sundays.", "The pool is open on Sundays.", True),
        ("Aspirin is ineffective at preventing it.", "Aspirin prevents it.", True),
        ("The pump is really fast now, by the way.", "The pump is fast now.", False),
        ("The pump is fast. Ask Ann for the bill.", "The pump is fast.", False),
    ],
)
def test_a_word_more_within_a_sentence_says_something_else(more, less, differ):
    assert narrows(facts_of(more).words, facts_of(less).words, facts_of(more).starts()) == differ


def test_a_long_row_of_spaces_takes_no_time():
    began = time.thread_time()
    without_courtesies("It works. thanks" + " " * 20_000 + "x")
    assert time.thread_time() - began < 1
