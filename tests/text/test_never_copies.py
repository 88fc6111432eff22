"""Notes with different facts that once were taken for copies, found by a reviewer and by attacks on each list."""

from __future__ import annotations

import time

import pytest

from wherefrom.embedding import vocabulary
from wherefrom.metabolism.bodies import Bodies
from wherefrom.text.differences import without_courtesies
from wherefrom.text.differences.courtesies import is_courtesy
from wherefrom.text.differences.fact_words import DATES, NEGATIONS, NUMBERS

PAIRS = """
Ask Mr Fox if Cleo comes to lunch. | If Cleo comes to lunch, ask Mr Fox.
Tell Ann when the parcel arrives. | When the parcel arrives, tell Ann.
He said he pays on Monday. | On Monday he said he pays.
When Ann calls, tell Ben if Cleo is there. | If Cleo is there, tell Ben when Ann calls.
電話に出てます。 | 電話に出ます。
Morning: yoga with Ann. | Evening: yoga with Ann.
Birthday: 5 May | Easter: 5 May
Contact: Ben Miller in room 4 | Support: Ben Miller in room 4
Reading: five pages a day | Writing: five pages a day
Best side: left | Left
Morning: take two of the white pills. | Evening: take two of the white pills.
Good morning: take two pills. | Good evening: take two pills.
Merry Christmas! The shop is closed this week. | Happy Easter! The shop is closed this week.
The house is full. Take care of the guests. | The house is full.
The pump is broken. Contact the neighbours. | The pump is broken.
The pump is broken. Ask everyone. | The pump is broken.
The baby sleeps. Do not disturb. | The baby sleeps.
The pills are blue. Take one in the morning. | The pills are blue. Take one in the evening.
The pills are blue. Take one in the morning. | The pills are blue.
会は金曜です。ごみだしをお願いします。 | 会は金曜です。
留守にします。うさぎの世話をお願いします。 | 留守にします。
窓は南向きです。ひざしがつよい。 | 窓は南向きです。
坂道です。くるまに気をつけてください。 | 坂道です。
祖母は歩ける。すぐに疲れる。 | 祖母は歩ける。
To repeat, press 2. | To listen, press 2.
To repeat, press 2. | Press 2.
Before adding, sift the flour. | Sift the flour.
Add the rest, but do not stir. | Do not stir.
Tell everyone that the bus stops here. | The bus stops here.
Last word: yes | First word: yes
The long story: Ben left. | The short story: Ben left.
The word is that the mill will close. | The mill will close.
I understand that the mill will close. | The mill will close.
At the end of the day, the till is counted. | The till is counted.
First of all, rinse the rice. | Rinse the rice.
On top of that, put the cheese. | Put the cheese.
In case anyone asks, the key is lost. | The key is lost.
As far as I know, the shop is shut. | The shop is shut.
In general, the shop is shut. | The shop is shut.
After all guests leave, lock the door. | Lock the door.
Just in case it rains, bring a coat. | Bring a coat.
In case you forgot the key, call Ben. | Call Ben.
I call Ben and Ada calls Tom. | I call Ada and Ben calls Tom.
Ada and Ben came first, second. | Ben and Ada came first, second.
Ada met Tom and Ben. The latter cried. | Ada met Ben and Tom. The latter cried.
健と翔は赤と青を取る。 | 翔と健は赤と青を取る。
健と翔は赤と青を取る。 | 翔と健は青と赤を取る。
父のかわの鞄を持つ。 | 父の川の鞄を持つ。
とりの声がする。 | 鶏の声がする。
あついので窓を開ける。 | 厚いので窓を開ける。
犬をかう。 | 犬を買う。
The ticket is £5. | The ticket is 5 lbs.
It costs 5 pounds. | It costs 5 lbs.
鍵は閉めないこと。 | 鍵は閉めない。
父は毎朝走ることになっている。 | 父は毎朝走る。
雪で降りた。 | 雪で降った。
雪で降りました。 | 雪で降った。
電車を降りない。 | 電車を降らない。
父は降ります。 | 父は降る。
父は降りる。 | 父は降る。
We eat dace on Friday. | We eat dance on Friday.
We had plaice at noon. | We had place at noon.
Practise the minuet every day. | Practise the minute every day.
The perineal nerve is hurt. | The peroneal nerve is hurt.
The trial is in May. | The trail is in May.
Take Celebrex at noon. | Take Celexa at noon.
Take hydroxyzine at noon. | Take hydralazine at noon.
Take losarten at noon. | Take losartan at noon.
Call Mr Petrovsky. | Call Mr Petrovski.
The tea is too hot. | The tea is hot.
Drive slowly, quietly. | Drive slowly.
Slowly, open the valve. | Open the valve.
Write clearly on the form. | Write on the form.
Speak kindly to him. | Speak to him.
Close the valve properly. | Close the valve.
Some guests are vegan. | Guests are vegan.
Some medicines are free. | Medicines are free.
Feed the cat. – Monday | Feed the cat.
The cat is ill. Thanks, Monday | The cat is ill. Thanks, Ben
【金曜】ごみを出す。 | 【火曜】ごみを出す。
【母】薬を飲む。 | 【父】薬を飲む。
お知らせ。雨です。傘を持って行く。 | お知らせ。傘を持って行く。
お疲れ様です、中止です。来週に延期。 | お疲れ様です。来週に延期。
お疲れ様です。門は開いています。雨天中止 | お疲れ様です。門は開いています。
田中さんへ、鍵を渡した。 | 鍵を渡した。
連絡：田中さん。 | 報告：田中さん。
更新：五月十日 | 確認：五月十日
話せば、分かる。 | 分かる。
知っているが、言わない。 | 言わない。
忘れたが、思い出した。 | 思い出した。
言えば、来る。 | 来る。
父は魚を食べたい。 | 父は魚を食べた。
父が出した。 | 父が出た。
赤いかさを売る。 | 赤いさかを売る。
ステーキが来た。 | ステキが来た。
ごみを捨てます。 | ごみを捨てています。
家を建てます。 | 家を建てています。
父が来るということ。 | 父が来る。
どうやら、父は来ない。 | 父は来ない。
確か父は来ない。 | 父は来ない。
父はずっと待つ。 | 父は待つ。
すべての窓を閉める。 | 窓を閉める。
Cook for 5 min. then rest. | Cook for 5 minimum then rest.
Right, the door is locked. | The door is locked.
Listen, then speak. | Then speak.
Turn left. Right, then straight on. | Turn left. Then straight on.
Take a biscuit, if you like. | Take a biscuit.
Answer slowly, clearly, and once. | Answer slowly, and once.
Let me know if you are coming on Monday. | Let me know.
The door is stuck. Let me know if it opens. | The door is stuck.
Ben is ill. Please help. | Ben is ill.
Ben is ill. Stay safe, and stay at home. | Ben is ill.
Love: two sugars. | Two sugars.
The gate is shut. Ask Ann. | The gate is shut.
The gate is shut. Enjoy the pool. | The gate is shut.
Thanks to everyone, the roof is done. | The roof is done.
Thank everyone. The roof is done. | The roof is done.
The talk is at noon. Please reply. | The talk is at noon.
The talk is at noon. Welcome the guests. | The talk is at noon.
Support: call 5. | Call 5.
Questions: see page 4. | See page 4.
Confirm, then send. | Then send.
Hot: press twice. | Press twice.
Wishes: a red bike | A red bike
Tip: ten euros | Ten euros
The cat eats. Say hello to Ben. | The cat eats.
The cat eats. Say goodbye. | The cat eats.
The food is here. Help yourself. | The food is here.
The shop is always open. | The shop is usually open.
The kettle holds about two litres. | The kettle holds exactly two litres.
Take a few pills. | Take few pills.
Ben and Ada came first and second. | Ada and Ben came first and second.
Ben and Ada won gold and silver. | Ada and Ben won gold and silver.
Ben beat Ada and Tom. | Ben beat Tom and Ada.
Rank Ben and Ada. | Rank Ada and Ben.
Wash and dry the cups. | Dry and wash the cups.
Turn left and right. | Turn right and left.
会議に行いました。 | 会議に行った。
箱を空ける。 | 箱を開ける。
かみを切る。 | 髪を切る。
かみを切る。 | 紙を切る。
きを切る。 | 木を切る。
あさを売る。 | 麻を売る。
うまい店に行く。 | 馬い店に行く。
かがくの本を読む。 | 化学の本を読む。
かがくの本を読む。 | 科学の本を読む。
しりつの学校。 | 市立の学校。
いじょうがある。 | 異常がある。
かえる場所がない。 | 変える場所がない。
かえるの絵を描く。 | 帰るの絵を描く。
本をかす。 | 本を貸す。
きって渡す。 | 切って渡す。
たつ時間を知る。 | 立つ時間を知る。
とる人を待つ。 | 撮る人を待つ。
つく時間を知る。 | 着く時間を知る。
あう人を待つ。 | 会う人を待つ。
なく子を抱く。 | 泣く子を抱く。
まちを歩く。 | 町を歩く。
いる物を書く。 | 要る物を書く。
はなを飾る。 | 花を飾る。
さすほうを選ぶ。 | 刺すほうを選ぶ。
ふるい椅子。 | 古い椅子。
"""


@pytest.mark.parametrize("pair", PAIRS.strip().splitlines())
def test_another_fact_is_no_copy(pair):
    one, other = pair.split(" | ")
    bodies = Bodies(vocabulary=vocabulary)
    bodies.add("one", None, one)
    bodies.add("other", None, other)
    assert (bodies.difference("one", "other"), bodies.difference("other", "one")) != (None, None)


def test_no_word_of_a_fact_is_a_courtesy():
    for word in sorted(DATES | NEGATIONS | NUMBERS.keys()):
        assert not is_courtesy(word)
        for mark in (":", ","):
            text = f"{word.capitalize()}{mark} yoga with Ann."
            assert without_courtesies(text) == text


def test_many_frames_take_no_time():
    began = time.thread_time()
    without_courtesies("You know, " * 3_200 + "the lift is out of order.")
    assert time.thread_time() - began < 0.3
