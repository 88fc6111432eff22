"""What two texts share weighs in the score of a link: rare names and terms, in any script, and the time; it is told in
the reason, and decides the tag.
"""

from __future__ import annotations

import json
import math

import pytest

from wherefrom.insight.shared import Moment, closeness, rarity_of, written_as_names
from wherefrom.insight.told import SAME_SUBJECT

# The first two are about one guest; the others are about anything else.
NOTES = {
    "en": (
        "Mrs Ayla Kaya cannot eat hazelnuts or walnuts; her throat swells.",
        "On Saturday a birthday dinner for Ayla Kaya: three courses, candles, twelve people.",
        "The van needs new brakes before winter.",
        "Order forty chairs from the rental company.",
        "The oven in the back kitchen trips the fuse.",
        "A wine list is due by Friday.",
        "The dishwasher leaks near the drain.",
    ),
    "ja": (
        "田中さんはそばアレルギーがあるので注意。",
        "土曜の夜は田中さんの誕生日の食事会、十二名。",
        "冬の前に車のブレーキを交換する。",
        "レンタル会社に椅子を四十脚注文した。",
        "奥の厨房のオーブンでヒューズが飛ぶ。",
        "新しいワインリストは金曜まで。",
        "食洗機の排水口が漏れている。",
    ),
    "zh": (
        "王丽华对花生严重过敏，不能吃。",
        "周六晚上为王丽华准备生日晚宴，十二位客人。",
        "冬天之前要换货车的刹车。",
        "向租赁公司订了四十把椅子。",
        "后厨的烤箱总是跳闸。",
        "新的酒单周五完成。",
        "洗碗机的排水口漏水。",
    ),
    "ko": (
        "김민수 씨는 땅콩 알레르기가 심하다.",
        "토요일 저녁 김민수 씨 생일 만찬, 손님 열두 명.",
        "겨울 전에 차 브레이크를 교체한다.",
        "대여 회사에 의자 마흔 개를 주문했다.",
        "뒤쪽 주방 오븐에서 퓨즈가 나간다.",
        "새 와인 목록은 금요일까지.",
        "식기세척기 배수구가 샌다.",
    ),
}
NAMES = {"en": "Ayla Kaya", "ja": "田中", "zh": "王丽华", "ko": "김민수"}


@pytest.mark.parametrize("language", NOTES)
def test_a_guests_allergy_and_her_birthday_dinner_are_linked_by_her_name(memory, language):
    ids = [memory.save(text).node.id for text in NOTES[language]]
    plan = memory.find_insight(ids[1])
    (link,) = (link for link in plan.accepted if ids[0] in (link.source_id, link.target_id))
    assert link == max(plan.accepted, key=lambda link: link.weight)
    assert f"both name {NAMES[language]}" in link.reason
    assert link.figures.rare_names > 0


def test_rarity_by_hand():
    assert rarity_of("ayla kaya", 2, 1_000, few=20) == pytest.approx(math.log(500) / math.log(1_000) / math.log(3))
    assert rarity_of("^kaya", 2, 1_000, few=20) == pytest.approx(0.6 * rarity_of("ayla kaya", 2, 1_000, few=20))
    assert rarity_of("kaya", 2, 20, few=1_000) == pytest.approx(math.log(10) / math.log(1_000) / math.log(3))
    assert rarity_of("kaya", 2_000, 1_000, few=20) == 0.0


def test_rare_terms_that_are_written_as_names():
    both = {"a", "b"}
    assert written_as_names("Kaya called. We told Kaya no.", {"kaya": both, "told": both}) == {"^kaya": both}
    assert written_as_names("for Mrs Ayla Kaya", {"ayla": both, "kaya": both}) == {"ayla kaya": both}
    assert written_as_names("Kaya called on Friday", {"kaya": both, "friday": both}) == {}, "all sentences begin so"
    assert written_as_names("为王丽华准备", {"王丽": both, "丽华": both, "准备": both}) == {"王丽华": both}
    assert written_as_names("为王丽华准备", {"王丽": both, "丽华": {"a", "c"}}) == {}, "no text has the whole"


def test_closeness_in_time():
    early, late = Moment(10.0, None), Moment(17.0, None)
    assert closeness(early, early, half_life=7.0) == 1.0
    assert closeness(early, late, half_life=7.0) == 0.5
    assert closeness(Moment(10.0, ("main", "talk")), Moment(17.0, ("main", "talk")), half_life=7.0) == 1.0
    assert closeness(early, None, half_life=7.0) == 0.0


def test_a_relation_of_one_subject_says_so_and_a_series_follows(memory):
    texts = [
        ("Standup 11 May", "Mei Lin fixes the login page."),
        ("Standup 12 May", "Mei Lin finished the login page."),
    ]
    first, second = (memory.save(text, title=title).node.id for title, text in texts)
    for text in NOTES["en"]:
        memory.save(text)
    plan = memory.find_insight(first)
    (link,) = (link for link in plan.accepted if second in (link.source_id, link.target_id))
    assert (link.source_id, link.target_id, link.tag) == (second, first, "follows")
    plan = memory.find_insight(apply=True)
    assert SAME_SUBJECT in {edge.tag for edge in memory.relations().edges}


def test_neighbours_in_common_are_told(memory):
    texts = ("The pump in cellar B drips.", "Cellar B smells of oil near the pump.", *NOTES["en"])
    ids = [memory.save(text).node.id for text in texts]
    house = memory.save("All about the building", title="House manual").node.id
    for end in ids[:2]:
        memory.relate(end, house, tag="part_of", weight=1.0)
    (link,) = (link for link in memory.find_insight(ids[0]).accepted if link.target_id == ids[1])
    assert "both are linked to “House manual”" in link.reason


def test_unlinked_notes_are_judged_again_once_the_namespace_has_grown(memory):
    lonely = [
        memory.save(text).node.id for text in ("Mrs Ayla Kaya is allergic to hazelnuts.", "The van is at the garage.")
    ]
    memory.apply_policy(json.dumps({"version": "1.0.1", "insight": {"gates": {"theta_dg": -10.0}}}))
    assert memory.find_insight(apply=True).judged == 2, "nothing is accepted by this gate"
    assert memory.find_insight(apply=True).judged == 0, "it has not grown"
    memory.save("The bank wants a balance sheet.")
    memory.save("Peonies come from the florist.")
    plan = memory.find_insight()
    assert plan.judged == 2 + len(lonely), "the new ones, and those that are still alone"
    assert memory.find_insight().judged == plan.judged, "looking changes nothing"
    memory.apply_insight(plan.id)
    assert memory.find_insight(apply=True).judged == 0, "the round is over"


def test_judging_again_is_bounded_and_goes_on_where_it_stopped(memory):
    policy = {"gates": {"theta_dg": -10.0}, "again": {"limit": 2, "growth": 0.5}}
    memory.apply_policy(json.dumps({"version": "1.0.1", "insight": policy}))
    ids = [memory.save(text).node.id for text in NOTES["en"][:4]]
    memory.find_insight(apply=True)
    memory.relate(ids[0], ids[1], tag="next", weight=1.0)
    for text in NOTES["en"][4:]:
        memory.save(text)
    first = memory.find_insight(apply=True)
    assert [decision.center_ids for decision in first.decisions][3:] == [(ids[2],), (ids[3],)], (
        "those without a relation"
    )
    assert memory.find_insight(apply=True).judged == 0
