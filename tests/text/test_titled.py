"""Titles are compared apart from bodies: another wording is none, another number, date, name or negation is one."""

from __future__ import annotations

import pytest

from wherefrom.embedding import vocabulary
from wherefrom.metabolism.bodies import Bodies
from wherefrom.text.differences import are_apart, facts_of, titles_difference, word_share

BODY = "We release on Monday once two people have approved the change."


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Release rule", "Release rule"),
        ("Release rule", "release RULE"),
        ("Release rule", None),
        ("Release rule", "Rule for releases"),
        ("Release rule", "When we release a change"),
        ("Release Change", "Approved Changes"),
        ("The rule", "A rule of ours"),
    ],
)
def test_titles_that_differ_in_wording_alone_state_the_same(one, other):
    assert titles_difference((one, BODY), (other, BODY)) is None
    assert titles_difference((other, BODY), (one, BODY)) is None


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("Gate 1", "Gate 2", "number"),
        ("Release rule 2025", "Release rule 2026", "number"),
        ("Plan for Monday", "Plan for Tuesday", "date"),
        ("What we release", "What we do not release", "negation"),
        ("Enabled checks", "Disabled checks", "negation"),
        ("Mika's plan", "Kenji's plan", "name"),
        ("Release rule", "Kestrel release rule", "name"),
        ("mika's plan", "kenji's plan", "name"),
        ("東京の予定", "大阪の予定", "name"),
    ],
)
def test_titles_that_state_something_else_keep_texts_apart(one, other, kind):
    assert titles_difference((one, BODY), (other, BODY)) == kind
    assert titles_difference((other, BODY), (one, BODY)) == kind


def test_a_name_in_one_title_does_not_count_if_the_other_text_has_it():
    one, other = ("Kestrel release rule", f"{BODY} Kestrel too."), ("Release rule", f"{BODY} Kestrel as well.")
    assert titles_difference(one, other) is None
    assert titles_difference(("予定の東京", "東京で会う"), ("予定", "東京で会う。")) is None


def test_the_share_of_words_that_another_text_has():
    one = facts_of("Index rebuilt.")
    assert (word_share(one, facts_of("Index was rebuilt.")), word_share(facts_of(""), one)) == (1.0, 1.0)
    assert word_share(facts_of("会議は中止"), facts_of("会議は延期")) == pytest.approx(2 / 4)


# Two titles of one body, by an attack.
OF_ANOTHER = """
Boiler | Dishwasher | Serviced by the plumber from the village for 90 euros, the next visit is in spring, his number hangs on the door.
Passports | Insulin | They are in the blue folder on the upper shelf of the cupboard behind the kitchen door.
Peanut allergy | Asthma | Twins have had it since birth and always carry a pen with them to school and on holiday.
Mother | Father | Takes two white pills with water every morning before breakfast and one blue pill before sleep.
Grandmother | Godmother | Lives in the home behind the church, visits are welcome all afternoon, bring flowers and no sweets.
Cat | Dog | Gets half a tin of wet food at breakfast and again at supper, the tins are under the sink.
Production | Staging | The password rotates monthly, the database restarts nightly, and only the admins may deploy to it.
Landlord | Tenant | Wants the rent by bank transfer, prefers letters to calls, and keeps a spare key at the office.
Approved | Rejected | The extension of the garage with a flat roof, a new door and two windows towards the garden.
Bought | Wanted | The extension of the garage with a flat roof, a new door and two windows towards the garden.
Done | Planned | Paint the fence, oil the gate, sweep the chimney and repair the hinge of the cellar door.
Allowed | Forbidden | Dogs on a lead, bicycles, small fires in the marked places, and music until the evening ends.
Paid | Unpaid | Invoice of the roofer for the gutter, the chimney cover and the scaffolding at the back wall.
Paid | Open | Invoice of the roofer for the gutter, the chimney cover and the scaffolding at the back wall.
Rumour | Fact | The mill behind the river will be sold and pulled down to make room for a large car park.
Symptoms of flu | Symptoms of measles | Fever, cough, sore throat, aching limbs, headache and tiredness for about a week.
冷蔵庫 | 洗濯機 | 三年前に駅前の電器屋で買い、保証書は台所の引き出しの中の青い封筒に入っている。
母 | 父 | 毎朝食前に白い薬を水で飲み、寝る前に青い薬を飲んでいる。
Heizung | Spülmaschine | Wird jedes Frühjahr vom Klempner aus dem Dorf gewartet, die Rechnung liegt im blauen Ordner.
冰箱 | 洗衣机 | 三年前在车站前的商店买的，保修卡在厨房抽屉里的蓝色信封中。
어머니 | 아버지 | 매일 아침 식사 전에 하얀 약을 물과 함께 먹고 자기 전에 파란 약을 먹는다.
Cancelled |  | Choir rehearsal in the parish hall with the new conductor and the small organ.
Wrong |  | The boiler must be switched off whenever the guests leave for the weekend.
Rejected |  | The extension of the garage with a flat roof, a door and two windows.
Forbidden |  | Parking a caravan on the meadow behind the mill over the weekend.
False rumour |  | The mill behind the river will be sold and pulled down.
Not true |  | The mill behind the river will be sold and pulled down.
中止 |  | 秋祭りは神社の境内で夕方から行い、屋台も出る。
Abgesagt |  | Das Sommerfest findet im Garten hinter der Kirche statt, mit Musik und Kuchen.
Gekauft | Verkauft | Bohrer, Leiter, Schubkarre und die lange Säge vom Nachbarn hinter der Kirche.
Cancelled | Confirmed | Concert of the youth choir in the parish hall with cake and tea afterwards.
Working | Broken | Lift, door bell, intercom, garage door and the light in the cellar.
Husband | Wife | Allergic to penicillin and nuts, takes a blue pill in the morning.
"""
OF_A_LIST = """
Lent | Borrowed
Income | Expenses
Wanted | Sold
Keep | Sell
Friends | Enemies
Winners | Losers
Breakfast | Supper
Liked | Hated
Healthy | Harmful
Safe | Dangerous
Yesterday | Tomorrow
Plan | Accident
Old | New
Truth | Lie
Rules | Exceptions
Arrival | Departure
Husband | Wife
Sister | Brother
Buyer | Seller
Victim | Suspect
Patient | Doctor
Asthma | Diabetes
Poison | Cure
Theory | Result
Vegetarian | Carnivore
Pregnancy | Migraine
Insulin | Penicillin
Tenant | Landlord
Required | Optional
Included | Excluded
Working | Broken
Cancelled | Confirmed
Won | Lost
Things to keep | Stuff for sale
What I owe | Money they lent
Flight out | Return journey
Side effects of aspirin | Symptoms of flu
Good for dogs | Poisonous to cats
Who may enter | People banned
Allergies of the twins | Favourite food of grandma
Recipe for soup | Ingredients for stew
Winter coat | Summer dress
North gate | South gate
Signed contracts | Open offers
"""
LIST = "Fish, beans, spinach, nuts and a spoon of honey with warm milk and bread."


def _is_let_go(title: str, other: str, body: str) -> bool:
    bodies = Bodies(vocabulary=vocabulary)
    bodies.add("one", title or None, body)
    bodies.add("other", other or None, body)
    return bodies.titles_difference("one", "other") is None and bodies.difference("one", "other") is None


def test_titles_that_say_something_else_keep_the_same_body_apart():
    told = [tuple(line.split(" | ")) for line in OF_ANOTHER.strip().splitlines()]
    told += [(*line.split(" | "), LIST) for line in OF_A_LIST.strip().splitlines()]
    assert [line for line in told if _is_let_go(*line) or _is_let_go(line[1], line[0], line[2])] == []


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ("Release rule", "The release rule", False),
        ("Release rule", "RELEASE rule!", False),
        ("Release rule", "Rule for a release on Monday", True),
        ("Release", "Release rule", True),
        ("Release", "Release change", False),
        ("Release change", None, False),
        ("Release rule", None, False),
        ("Release rejected", None, True),
        ("No release", None, True),
        ("Rejected", None, True),
        ("Lunch", None, True),
    ],
)
def test_a_title_that_names_the_topic_says_nothing_more(one, other, apart):
    assert are_apart((one, BODY), (other, BODY)) == are_apart((other, BODY), (one, BODY)) == apart
