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
Ben left for Paris on Monday. | Ben left Paris on Monday.
Ann left for the office on Monday. | Ann left the office on Monday.
Ben pays for Ann at the cinema. | Ben pays Ann at the cinema.
Ask for Ann at the front desk. | Ask Ann at the front desk.
Ben sent for the doctor at noon. | Ben sent the doctor at noon.
Ann called on Ben on Monday. | Ann called Ben on Monday.
Call in Ann Weber at nine. | Call Ann Weber at nine.
The police searched for Ben at the station. | The police searched Ben at the station.
The guide prepared for the guests in the morning. | The guide prepared the guests in the morning.
The rent is paid for by Ben. | The rent is paid by Ben.
Ben answers for Ann in meetings. | Ben answers Ann in meetings.
Ann shot at the wolf near the barn. | Ann shot the wolf near the barn.
The thief was shot at by the police. | The thief was shot by the police.
Ann heard of Ben yesterday. | Ann heard Ben yesterday.
Ann knows of Ben from work. | Ann knows Ben from work.
Ann believes in Ben. | Ann believes Ben.
The bus passes by the school at 8. | The bus passes the school at 8.
Tom will pay you on Friday. | Tom will pay on Friday.
I trust you and Ben with the keys. | I trust Ben with the keys.
Give it to you and Ann. | Give it to Ann.
Ben and I own the boat. | Ben owns the boat.
The keys are with you and Ben. | The keys are with Ben.
Ann has to pay the rent. | Ann pays the rent.
You have to leave at noon. | You leave at noon.
Do not take the blue pill again today. | Do not take the blue pill today.
Ben ist noch nicht da. | Ben ist nicht da.
Even Ben passed the test. | Ben passed the test.
Wear the pretty dress on Friday. | Wear the dress on Friday.
Feed the cat at six. | Feed the cats at six.
Sell the car by Friday. | Sell the cars by Friday.
The pills are for my sons. | The pills are for my son.
My daughters are allergic to nuts. | My daughter is allergic to nuts.
The boy's room is upstairs. | The boys' room is upstairs.
My brother's wedding is in May. | My brothers' wedding is in May.
The nurses' room is 5. | The nurse's room is 5.
Ann's and Ben's car is red. | Ann and Ben's car is red.
Ann lost her glasses at the pool. | Ann lost her glass at the pool.
Ben paid the damages in May. | Ben paid the damage in May.
Sell the arms on Monday. | Sell the arm on Monday.
The fish in the pond is dead. | The fish in the pond is deadly.
The mushroom in the yard is deadly. | The mushroom in the yard is dead.
Ben came late to the meetings. | Ben came lately to the meetings.
Ann sells her party to Ben. | Ann sells her part to Ben.
The form is at bit.ly/3xYzQ. | The form is at bit.ly/3XyZq.
The build tag is aB3xQ. | The build tag is Ab3xq.
The password hint is Rover. | The password hint is rover.
The file is /data/Report.txt. | The file is /data/report.txt.
Use curl -O for the file. | Use curl -o for the file.
Run tar -C first. | Run tar -c first.
Send the letter to US. | Send the letter to us.
Ask IT about the printer. | Ask it about the printer.
He has AIDS. | He has aids.
We moved to Reading in May. | We moved to reading in May.
Ann polished the Polish table. | Ann polished the polish table.
Turkey is off the list. | The turkey is off the list.
There are 10⁶ cells in the dish. | There are 106 cells in the dish.
The plot measures 10² metres. | The plot measures 102 metres.
The code is 2⁵. | The code is 25.
Take 1½ pills at noon. | Take 11/2 pills at noon.
The shelf is 6' wide. | The shelf is 6" wide.
The shelf is 6′ wide. | The shelf is 6″ wide.
The angle is 5' exactly. | The angle is 5° exactly.
She got an A* in maths. | She got an A in maths.
Ben Miller † lived in the blue house. | Ben Miller lived in the blue house.
The parcel is 5 pounds. | The parcel is £5.
The greenhouse is too cold for guests. | The green house is too cold for guests.
Store the film in the darkroom. | Store the film in the dark room.
The blackbird in the garden is ill. | The black bird in the garden is ill.
Ann sits in the highchair. | Ann sits in the high chair.
We saw a man-eating fish at the market. | We saw a man eating fish at the market.
Ann refilled the form on Monday. | Ann refiled the form on Monday.
Refilling the claim costs 40 euros. | Refiling the claim costs 40 euros.
We fly to Bora Bora in May. | We fly to Bora in May.
Call Mr Peña about the roof. | Call Mr Pena about the roof.
Le plat est sale. | Le plat est salé.
Avó chega na segunda. | Avô chega na segunda.
Do not stop the pump because it is loud. | Because it is loud, do not stop the pump.
Do not sell the house because of the debt. | Because of the debt, do not sell the house.
Ben did not leave because of Ann. | Because of Ann, Ben did not leave.
In May Ann pays the rent, Ben pays the water. | Ann pays the rent, Ben pays the water in May.
Ann promised to pay on Monday. | On Monday Ann promised to pay.
Ann saw the thief with the camera. | With the camera Ann saw the thief.
The key is in the tin behind the clock. | The key is behind the clock in the tin.
The spare key hangs on the hook behind the door under the stairs. | The spare key hangs on the hook under the stairs behind the door.
Take the pills in the box on the shelf. | Take the pills on the shelf in the box.
The man in the car without a belt was hurt. | The man without a belt in the car was hurt.
The ban on smoking in the yard ends. | The ban in the yard on smoking ends.
The water in the pool is not for drinking. | The water is not for drinking in the pool.
Buy coconut milk, chocolate and eggs. | Buy coconut, milk chocolate and eggs.
No dogs. Cats are fine. | No dogs, cats are fine.
Ben said Ann is late. | Ben, said Ann, is late.
Call at 5. 30 guests come. | Call at 5 30 guests come.
Keep off. The grass is wet. | Keep off the grass. Is wet.
Still missing for the trip. - Passport | Still missing for the trip.
Needed for the picnic on Sunday. - Bread, Salad | Needed for the picnic on Sunday.
Trinken Sie Alkohol nur in Maßen. | Trinken Sie Alkohol nur in Massen.
Ben zahlt die Busse. | Ben zahlt die Buße.
Das ist Ihr Schlüssel für den Keller. | Das ist ihr Schlüssel für den Keller.
Wir rufen Sie am Montag an. | Wir rufen sie am Montag an.
Ich habe Sie gestern gesehen. | Ich habe sie gestern gesehen.
Ich kann Ihnen am Freitag helfen. | Ich kann ihnen am Freitag helfen.
Der Hund gehört Ihnen. | Der Hund gehört ihnen.
Ben und sie wohnen in Ulm. | Ben und Sie wohnen in Ulm.
Wir vermieten an Ihre Tochter. | Wir vermieten an ihre Tochter.
Die Wohnung gehört Ihrer Mutter. | Die Wohnung gehört ihrer Mutter.
Der gefangene Floh. | Der Gefangene floh.
Frau Groß hat den Schlüssel. | Frau Gross hat den Schlüssel.
タキソールを点滴する。 | タキソテールを点滴する。
サンドスタチンを打つ。 | サンドスチンを打つ。
父が母を呼ぶ。 | 父母を呼ぶ。
姉が妹を駅まで送る。 | 姉妹を駅まで送る。
夫の妻が来る。 | 夫妻が来る。
母が子を待つ。 | 母子を待つ。
王が子を殺す。 | 王子を殺す。
今日は子が来る。 | 今日子が来る。
明日は香が来る。 | 明日香が来る。
ここの鍵を渡す。 | この鍵を渡す。
昨日買った本を読んだ。 | 買った本を昨日読んだ。
昨日来た人に会う。 | 来た人に昨日会う。
昨日父が作った棚が壊れた。 | 父が作った棚が昨日壊れた。
来月辞める人が話した。 | 辞める人が来月話した。
明日使う鍵を渡す。 | 使う鍵を明日渡す。
去年買った家を売る。 | 買った家を去年売る。
毎日飲む薬を買う。 | 飲む薬を毎日買う。
このエレベーターはいつも動かない。 | このエレベーターは動かない。
父は普段肉を食べない。 | 父は肉を食べない。
この店は通常日曜は開いていない。 | この店は日曜は開いていない。
父は毎回薬を飲まない。 | 父は薬を飲まない。
この水はちょっと飲めない。 | この水は飲めない。
パスはaBcである。 | パスはABCである。
我们明天去北京。 | 我明天去北京。
我们欠他三百元。 | 我欠他三百元。
你们的预约是九点。 | 你的预约是九点。
他们星期五来。 | 他星期五来。
他们的车坏了。 | 他的车坏了。
她们对花生过敏。 | 她对花生过敏。
孩子们对花生过敏。 | 孩子对花生过敏。
老师们都有钥匙。 | 老师都有钥匙。
医生们说可以吃。 | 医生说可以吃。
他住在和平路5号。 | 他住在平路5号。
王和平有钥匙。 | 王平有钥匙。
张和平住三楼。 | 张平住三楼。
和田在新疆。 | 田在新疆。
李地有钥匙。 | 李有钥匙。
我和他去上海。 | 我他去上海。
他和妻子离婚。 | 他妻子离婚。
坐地铁去。 | 坐铁去。
아버지가 방에 들어가신다. | 아버지 가방에 들어가신다.
큰아버지가 왔다. | 큰 아버지가 왔다.
나물 좀 줘. | 나 물 좀 줘.
할머니가죽을 드셨다. | 할머니 가죽을 드셨다.
못된 아이가 왔다. | 못 된 아이가 왔다.
작은집에 산다. | 작은 집에 산다.
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
