"""What says the same in another spelling or order, or with a slip; and what only looks so."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wherefrom.embedding import vocabulary
from wherefrom.metabolism.bodies import Bodies
from wherefrom.text.differences import says_the_same
from wherefrom.text.differences.kana_readings import reads_alike
from wherefrom.text.differences.slips import is_slip
from wherefrom.text.differences.spellings import spelled

SAME = """
The projector needs HDMI, the adapter is in the red pouch. | The adapter is in the red pouch, the projector needs HDMI.
The key is under the mat, the code is 4411. | The code is 4411, the key is under the mat.
会議室の鍵は受付にあります。 | 会議室の鍵は受付にある。
駐車場は3番です。 | 駐車場は3番。
梅干しの塩は梅の十八パーセント、三年で食べごろ。 | 梅干しの塩は梅の１８パーセント、三年で食べごろ。
配達は、木曜。 | 配達は木曜。
The spare key hangs behind the pantry door. | The spare key hangs behind the pantrey door.
The invoice numbers start with the year, then a dash. | The invoice numbers start with the year, then a dash!
We cancelled the newspaper in March. | We canceled the newspaper in March.
The favourite colour of the twins is green. | The favorite color of the twins is green.
The gas meter is in the hall cupboard, the water meter is in the yard. | The water meter is in the yard, the gas meter is in the hall cupboard.
The wifi repeater needs a restart after every power cut. | FYI: the wifi repeater needs a restart after every power cut.
Dr Okafor retires in June. | Hi everyone, Dr Okafor retires in June. Cheers, Tim
The parcel shop closes at six. | The parcel shop actually closes at six.
Compost goes into the brown bin. | Just a quick reminder: compost goes into the brown bin.
The router password is on the back of the box. | The router pasword is on the back of the box.
Please water the ferns twice a week. | Please watre the ferns twice a week.
The server room must stay below 24 degrees. | The server room must stay belwo 24 degrees.
The accountant needs the statements by Friday. | The acountant needs the statements by Friday.
The licence of the scanner ends in May. | The license of the scanner ends in May.
The attic window does not close properly. | The attic window doesn't close properly.
Use the blue towels for guests. | Use the blue towels for the guests.
Ines speaks Portuguese and a little Dutch. | Ines speaks Portuguese and a little Dutch
The tyres were changed in November. | The tires were changed in November.
The neighbour's cat is called Biscuit. | The neighbor's cat is called Biscuit.
Take the stove out of service before the chimney sweep comes. | Take the stove out of service before the chimney sweep comes. Thanks!
The organiser of the flea market is Jutta. | The organizer of the flea market is Jutta.
Der Hausmeister kommt jeden Dienstag um acht. | Der Hausmeister kommt jeden Dienstag um acht
牛乳は毎週火曜に届く。 | 牛乳は毎週火曜にとどく。
ゴミの日は月曜と木曜。 | ごみの日は月曜と木曜。
会議は十時から三階で行う。 | 会議は10時から三階で行う。
会議は十時から三階で行なう。 | 会議は十時から三階で行う。
申込書は窓口に出す。 | 申し込み書は窓口に出す。
サーバの再起動は夜に行う。 | サーバーの再起動は夜に行う。
祖母の薬は食後に飲む。 | お疲れ様です。祖母の薬は食後に飲む。
駐車場の契約は三月まで。 | 駐車場の契約は三月までです。
歯医者の予約は十五日の四時。 | 歯医者の予約は十五日の四時。よろしくお願いします。
傘は玄関に置いてください。 | 傘は玄関に置いて下さい。
ちなみに、図書館は月曜が休み。 | 図書館は月曜が休み。
猫の餌は一日二回やる。 | 猫のえさは一日二回やる。
プリンタの紙は棚の下。 | プリンターの紙は棚の下。
母の誕生日は五月三日。 | 母の誕生日は５月３日。
祭りの準備は土曜の朝から。 | 祭りの準備は土曜の朝から！
The bus is late on Mondays. | Honestly, the bus is late on Mondays.
The logs are deleted after thirty days. | Note that the logs are deleted after thirty days.
The aluminium ladder weighs fifteen kilograms. | The aluminum ladder weighs 15 kg.
Each visitor signs the register. | Each visitor signs the registr.
The badminton court is booked for Sundays. | Hiya, the badminton court is booked for Sundays. Ta, Joe
The guest bed is in the study. | Good to hear from you! The guest bed is in the study. See you soon, Mum
会議は三十分で終わります。 | 会議は30分で終わる。
この橋は渡れません。 | この橋は渡れない。
父は鍵を置きました。 | 父は鍵を置いた。
名簿は金庫の中です。 | いつもありがとうございます。名簿は金庫の中です。よろしくお願い申し上げます。
見積書は今日中に送ります。 | お疲れ様です、佐々木です。見積書は今日中に送ります。
The thing is that the cellar floods in April. | The cellar floods in April.
It should be mentioned that the cellar floods in April. | The cellar floods in April.
To be honest, the cellar floods in April, as it were. | The cellar floods in April.
The cellar, of course, floods in April. | The cellar floods in April.
What you should know is that the cellar floods in April. | The cellar floods in April.
Sorry to bother you again, but the cellar floods in April. | The cellar floods in April.
I hope this finds you well. The cellar floods in April. Kind regards, Nils | The cellar floods in April.
Apologies for the late reply! The cellar floods in April. | The cellar floods in April.
The neighbours feed the rabbits at noon. | The neigbours feed the rabits at noon.
Mop the kitchen floor on Fridays. | Mop the kitchen florr on Fridays.
The choir meets at half past seven. | The choir meets at 7:30.
The deposit is €350. | The deposit is 350 euros.
The talk is on the 3rd of May at 9 a.m. in the chapel. | The talk is on 3 May at 9 am in the chapel.
The talk is on the second of December. | The talk is on the 2nd of December.
The mgr. signs approx. ten orders. | The manager signs approximately ten orders.
The pump runs 6 hrs a day. | The pump runs six hours a day.
結論から言うと、庭の柵は売れた。 | 庭の柵は売れた。
言い忘れましたが、庭の柵は緑色です。 | 庭の柵は緑色です。
お忙しいところ恐れ入ります。庭の柵は緑色です。ご確認のほどお願いいたします。 | 庭の柵は緑色です。
庭の柵は緑色ですので、よろしくお願いします。 | 庭の柵は緑色です。
一ヶ月に一度、直ぐに全て洗う。 | 一か月に一度、すぐにすべて洗う。
"""
APART = """
The order page throws for a minute. | The order page throws for a minuet.
鍵を忘れない。 | 鍵を忘れないように。
The rumour is that the cellar floods in April. | The cellar floods in April.
I was told that the cellar floods in April. | The cellar floods in April.
I need to know that the cellar floods in April. | The cellar floods in April.
In theory, the pump stops by itself. | The pump stops by itself.
Facts, figures and names are checked. | Figures and names are checked.
On our way out, the gate is shut. | The gate is shut.
The deposit is 350 pounds. | The deposit is €350.
Use 2 tbsp of oil. | Use 2 tsp of oil.
The bell rings at quarter past seven. | The bell rings at quarter to seven.
The talk is on the third of May. | The talk is on 13 May.
Bring the cat. | Bring the carrot.
Please re-sign the lease. | Please resign the lease.
The preheater is on. | The reheater is on.
He was planning the door. | He was planing the door.
Use the package lodash. | Use the package lodahs.
Call Dr Hofmann. | Call Dr Hoffmann.
The prednisone is in the bag. | The prednisolone is in the bag.
No, parking is free. | No parking is free.
Let's eat, Grandma. | Let's eat Grandma.
The dancers, who were late, lost their pay. | The dancers who were late lost their pay.
The keys are with Ana, Maria and Luz. | The keys are with Ana Maria and Luz.
Even Tom passed the test. | Tom even passed the test.
Just one guest eats meat. | One guest just eats meat.
Ida called Eva. She is ill. | She is ill. Ida called Eva.
When Ida calls, Tom leaves the house, and Lea locks it. | Tom leaves the house, and Lea locks it when Ida calls.
Teachers are parents. | Parents are teachers.
昨日、母が買った本を返す。 | 母が昨日買った本を返す。
雨が降ったら、父は行く、母は残る。 | 父は行く、雨が降ったら、母は残る。
言わないと、鍵は渡さない。 | 鍵は渡さない。
姉が書き、妹が読む。 | 妹が書き、姉が読む。
ゆきさんに渡す。 | ゆうきさんに渡す。
ボトルを運ぶ。 | ボルトを運ぶ。
ファンが多い。 | フアンが多い。
びょういんに行く。 | びよういんに行く。
電話に出てます。 | 電話に出ます。
はしをきれいに洗う。 | 箸をきれいに洗う。
かぜで休みます。 | 風で休みます。
かぜで休みます。 | 風邪で休みます。
会場の掃除はきかいで決める。 | 会場の掃除は機械で決める。
朝に1.5錠飲む。 | 朝に15錠飲む。
会は10:30に始まる。 | 会は1030に始まる。
The freezer is set to 5 degrees. | The freezer is set to -5 degrees.
Take 21 5 mg tablets. | Take 2 15 mg tablets.
The code is 1 234. | The code is 12 34.
The ratio is 3 : 1. | The ratio is 31.
The keys are now here. | The keys are nowhere.
The ranking is Ann, Bob and Carl. | The ranking is Carl, Bob and Ann.
The passwords for Ann and Bob are red and blue. | The passwords for Bob and Ann are red and blue.
The route with Ulm, Bonn and Kiel. | The route with Kiel, Bonn and Ulm.
My great-great-grandfather came from Norway. | My great grandfather came from Norway.
Her great-great-aunt lives in Lyon. | Her great-aunt lives in Lyon.
Anna pays Ben. | Ben pays Anna.
The train goes from Berlin to Munich. | The train goes from Munich to Berlin.
First wash, then dry. | First dry, then wash.
Turn off the power, open the case. | Open the case, turn off the power.
Jocasta owes Linus for the theatre tickets. | Linus owes Jocasta for the theatre tickets.
At the wedding Aunt Maud sits left of the vicar. | At the wedding the vicar sits left of Aunt Maud.
We have three cats and dogs. | We have three dogs and cats.
The red bin is for paper and the blue bin is for glass. | The blue bin is for paper and the red bin is for glass.
Anna works on Monday in Berlin and on Tuesday in Munich. | Anna works on Monday in Munich and on Tuesday in Berlin.
Only on Monday we meet at six. | On Monday we meet only at six.
Fuse 4 is the oven, fuse 5 the cellar. | Fuse 5 is the oven, fuse 4 the cellar.
Mika has swimming at four and drums at six. | Mika has swimming at six and drums at four.
Cassia is on leave in week 31, Bram in week 32. | Bram is on leave in week 31, Cassia in week 32.
Take the pill before breakfast after the walk. | Take the pill after breakfast before the walk.
The dog bit the man. | The man bit the dog.
Boil five minutes, rest ten minutes. | Rest ten minutes, boil five minutes.
The invoice for Ada is from Ben. | The invoice for Ben is from Ada.
Anna is taller than Ben. | Ben is taller than Anna.
Is the door locked? | The door is locked.
He sold the car and bought the boat. | He bought the boat and sold the car.
Few guests came. | A few guests came.
We meet on Monday, not on Tuesday. | We meet on Tuesday, not on Monday.
The key is in the box on the shelf. | The key is on the box in the shelf.
Add milk to flour. | Add flour to milk.
Ada manages Ben and Carl. | Ben and Carl manages Ada.
Switch the pump on before the valve is opened. | The valve is opened before the pump on switch.
Ben is the father of Carl and Dora is the aunt. | Dora is the father of Carl and Ben is the aunt.
Team A beat team B in May. | Team B beat team A in May.
The lamp is on the left and the clock is on the right. | The clock is on the left and the lamp is on the right.
Wages are paid on the first, rent on the third. | Rent are paid on the first, wages on the third.
Mark reports to Lena and Lena reports to Tom. | Lena reports to Mark and Tom reports to Lena.
太郎が花子に傘を貸した。 | 花子が太郎に傘を貸した。
AはBより大きい。 | BはAより大きい。
前輪は三気圧、後輪は四気圧。 | 前輪は四気圧、後輪は三気圧。
太郎が買った本を花子が読んだ。 | 花子が買った本を太郎が読んだ。
朝に起きて夜に寝る。 | 夜に起きて朝に寝る。
塩を入れる、水を足す。 | 水を足す、塩を入れる。
東京から大阪まで行く。 | 大阪から東京まで行く。
父の車を母の家に置く。 | 母の車を父の家に置く。
犬は朝は父、夕方は姉。 | 犬は朝は姉、夕方は父。
京都、大阪の順に回る。 | 大阪、京都の順に回る。
三個の箱に五本を入れる | 五個の箱に三本を入れる
犬の体重は七・二キロ。 | 犬の体重は七二キロ。
山田さんは佐藤さんの上司。 | 佐藤さんは山田さんの上司。
赤い箱と青い袋を送る。 | 青い箱と赤い袋を送る。
一階は店、二階は家。 | 二階は店、一階は家。
母が父に薬を渡す。 | 父が母に薬を渡す。
犬が猫を追う。 | 猫が犬を追う。
鍵を閉めた。電気を消した。 | 電気を消した。鍵を閉めた。
飲む | 飲まない
会費は月に二千円。 | 会費は年に二千円。
The boiler is serviced every October by Hollis & Sons. | The boiler is serviced every November by Hollis & Sons.
Nadia takes Leo to judo on Wednesdays. | Leo takes Nadia to judo on Wednesdays.
The gas meter is in the hall cupboard, the water meter is in the yard. | The water meter is in the hall cupboard, the gas meter is in the yard.
Deploys happen before the backup. | The backup happens before deploys.
The exit is locked at night. | The emergency exit is locked at night.
The car key is with Tom. | The old car key is with Tom.
The ladder holds 120 kg. | The ladder holds at least 120 kg.
The pool is open on Sundays. | The pool is only open on Sundays.
Rosa may eat nuts. | Rosa must eat nuts.
Rosa is allergic to peanuts. | Rosa's sister is allergic to peanuts.
The causal link is unclear. | The casual link is unclear.
Fill the form. | Fill the farm.
The desert is cold. | The dessert is cold.
The meter is 5 mm off. | The meter is 5 cm off.
Turn left at the church. | Turn right at the church.
Pay Jon on Friday. | Pay Joan on Friday.
Call Martin about the roof. | Call Marten about the roof.
The contact is Hansen. | The contact is Hanson.
The contact is Christiansen. | The contact is Christensen.
The contract is signed. | The contact is signed.
The server in Oslo backs up to the server in Bergen. | The server in Bergen backs up to the server in Oslo.
From June to August the path is closed. | From August to June the path is closed.
Lea teaches Tom chess and Ben piano. | Lea teaches Ben chess and Tom piano.
Feed the cat, then the dog. | Feed the dog, then the cat.
Mix the glue with the water in the bucket. | Mix the water with the glue in the bucket.
Anna came before Ben. | Ben came before Anna.
Pump 1 feeds tank 2. | Pump 2 feeds tank 1.
The tap is closed and the valve is open. | The tap is open and the valve is closed.
Emma lent Noah the drill. | Noah lent Emma the drill.
The red cable goes to the left socket, the blue cable goes to the right socket. | The blue cable goes to the left socket, the red cable goes to the right socket.
Ring twice if Ada is home. | Ring twice unless Ada is home.
The shop takes cards. | The shop takes most cards.
The report is due. | The report is overdue.
The meeting might be moved. | The meeting is moved.
The lock works. | The lock hardly works.
We sell to Ireland from Wales. | We sell from Ireland to Wales.
The dose is 5 mg in the morning and 10 mg in the evening. | The dose is 10 mg in the morning and 5 mg in the evening.
Leo likes tea, not coffee. | Leo likes coffee, not tea.
Water is added to the acid. | Acid is added to the water.
Swim first, eat later. | Eat first, swim later.
The adapter converts HDMI to VGA. | The adapter converts VGA to HDMI.
Ben is older than Tom by two years. | Tom is older than Ben by two years.
Hi Anna, the keys are in the drawer. | Hi Ben, the keys are in the drawer.
The keys are in the drawer. Best, Anna | The keys are in the drawer. Best, Ben
The lease runs to 2027. | The lease runs from 2027.
Both doors are locked. | Neither doors are locked.
The hotel takes dogs. | The hostel takes dogs.
Buy two lemons and three limes. | Buy three lemons and two limes.
The old shed and the new fence are green. | The new shed and the old fence are green.
The bill was paid by Nora for Ida. | The bill was paid by Ida for Nora.
Der Arzt hilft dem Patienten. | Dem Arzt hilft der Patient.
Der Zug fährt von Köln nach Bonn. | Der Zug fährt von Bonn nach Köln.
Anna hat Ben besucht. | Ben hat Anna besucht.
Das Fenster ist schon offen. | Das Fenster ist schön offen.
牛乳は毎週火曜に届く。 | 牛乳は毎週金曜に届く。
父が母に鍵を渡した。 | 母が父に鍵を渡した。
兄は弟より背が高い。 | 弟は兄より背が高い。
朝は父が、夜は母が犬を散歩させる。 | 夜は父が、朝は母が犬を散歩させる。
食べたい物を書く。 | 食べる物を書く。
明日は行くらしい。 | 明日は行く。
薬は朝だけ飲む。 | 薬は朝飲む。
橋の下に置く。 | 箸の下に置く。
窓を開けた。 | 窓を閉めた。
店は火曜に開く。 | 店は火曜も開く。
店まで歩く。 | 店から歩く。
赤い箱に塩、青い箱に砂糖。 | 青い箱に塩、赤い箱に砂糖。
子どもは入れる。 | 子どもは入れない。
彼が呼んだ。 | 彼が呼ばれた。
先生を呼ぶ。 | 先生が呼ぶ。
鈴木さんの父。 | 父の鈴木さん。
東京から大阪へ送る。 | 大阪から東京へ送る。
薬は飲んだ。 | 薬は飲んだかも。
鍵は父のもの。 | 鍵は乳のもの。
会費は払った。 | 会費は払う。
犬を飼う。 | 犬を買う。
木曜はピアノ、月曜は体操。 | 月曜はピアノ、木曜は体操。
太郎と花子は次郎の親。 | 太郎と次郎は花子の親。
水を足してから塩を入れる。 | 塩を足してから水を入れる。
雨なら中止。 | 雨でも中止。
祖母は右の耳が遠い。 | 祖母は左の耳が遠い。
姉が妹に服をあげた。 | 姉が妹に服をもらった。
予約が必要。 | 予約は不要。
予約できる。 | 予約したい。
肉を焼く。 | 肉を煮る。
鍵をかける。 | 鍵をあける。
鍵をかけた。 | 鍵をなくした。
すいかを買う。 | すいかを売る。
りんごを送る。 | みかんを送る。
ねこはそとにいる。 | いぬはそとにいる。
はしを洗う。 | はちを洗う。
部長に伝える。 | 課長に伝える。
夏に行くつもり。 | 夏に行く。
ここで食べてよい。 | ここで食べるな。
半分だけ払った。 | 半分払った。
The depot in York supplies the shop in Leeds. | The depot in Leeds supplies the shop in York.
The box with the books is under the table. | The box under the table is with the books.
Checks are no longer taken by the club, transfer only. | Checks are no longer taken by the transfer, club only.
We have three black cats and white dogs. | We have three white dogs and black cats.
The vaccine protects against hepatitis A. | The vaccine protects against hepatitis B.
Lift A is for guests, lift B for goods. | Lift B is for guests, lift A for goods.
The deploy is ✅. | The deploy is ❌.
He still smokes. | He smokes again.
The gate is always open. | The gate is usually open.
She lost her job because she was ill. | She was ill because she lost her job.
Sales were up in May and down in June. | Sales were down in May and up in June.
Eva met Tom's boss in Rome and Ida's boss in Bonn. | Eva met Tom's boss in Bonn and Ida's boss in Rome.
Add 3 g salt and 5 g sugar. | Add 5 g salt and 3 g sugar.
The board meets monthly, supposedly. | The board meets monthly.
The house is wet. | The hose is wet.
Meet Karin at the station. | Meet Karen at the station.
I take the pills at night. Love, Ida | I take the pills at night. Love, Eva
おじさんが来る。 | おじいさんが来る。
妻が作った弁当を娘が食べた。 | 娘が作った弁当を妻が食べた。
父は降りるから母が乗る。 | 母が降りるから父は乗る。
倉田さんが在宅、議題なし。 | 倉田さんが議題、在宅なし。
倉庫の棚は四十二段、番号は入口から。 | 倉庫の棚は番号、四十二段は入口から。
豆腐、長ねぎ、猫の砂。牛乳はまだある。 | 牛乳、長ねぎ、猫の砂。豆腐はまだある。
合宿は白樺湖、八月の第一週。 | 合宿は八月、白樺湖の第一週。
台所と風呂の換気扇を掃除した。 | 台所の換気扇と風呂を掃除した。
医者を患者に紹介した。 | 患者を医者に紹介した。
明日行きます。 | 明日行きました。
祖母は卵が食べられない。 | 祖母は卵が食べられる。
注文は取り消された。 | 注文は取り消した。
布団を干すのは認められている。 | 布団を干すのは認められていない。
水は直した。 | 水は直った。
鍵を返しました。 | 鍵が返った。
祖母はいつも左に座る。 | 祖母はたいてい左に座る。
カードを渡す。 | ガードを渡す。
ビールを買う。 | ビルを買う。
"""


def pairs(lines: str) -> list[tuple[str, str]]:
    """The two texts of each line."""
    return [(one, other) for one, _, other in (line.partition(" | ") for line in lines.strip().splitlines())]


def difference(one: str, other: str) -> str | None:
    """What metabolism would lose if the first text went for the other."""
    bodies = Bodies(vocabulary=vocabulary)
    bodies.add("one", None, one)
    bodies.add("other", None, other)
    return bodies.difference("one", "other")


@pytest.mark.parametrize(("one", "other"), pairs(SAME))
def test_a_copy_says_the_same(one, other):
    assert (difference(one, other), difference(other, one)) == (None, None)


@pytest.mark.parametrize(("one", "other"), pairs(APART))
def test_another_statement_stays_apart(one, other):
    assert None not in (difference(one, other), difference(other, one))


@pytest.mark.parametrize(
    ("word", "other", "slips"),
    [
        ("pasword", "password", True),
        ("insde", "inside", True),
        ("becuase", "because", True),
        ("vetrinary", "veterinary", True),
        ("dentst", "dentist", True),
        ("febuary", "february", True),
        ("casual", "causal", False),
        ("form", "from", False),
        ("desert", "dessert", False),
        ("contract", "contact", False),
        ("hotel", "hostel", False),
        ("construction", "constriction", False),
        ("trainer", "trained", False),
        ("schoen", "schon", False),
        ("a4711", "a4117", False),
    ],
)
def test_a_slip_is_no_other_word(word, other, slips):
    assert is_slip(word, other, vocabulary) == slips
    assert is_slip(other, word, vocabulary) == slips


@pytest.mark.parametrize(
    ("word", "other", "slips"), [("ferante", "ferrante", False), ("jon", "john", False), ("hansen", "hanson", False)]
)
def test_of_names_none_is_a_slip(word, other, slips):
    assert is_slip(word, other, vocabulary, is_name=True) == slips


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("colour", "color"),
        ("organisations", "organizations"),
        ("theatres", "theaters"),
        ("catalogue", "catalog"),
        ("travelled", "traveled"),
        ("centred", "centered"),
        ("anaemia", "anemia"),
        ("won't", "will not"),
        ("neighbour's", "neighbor's"),
    ],
)
def test_one_word_in_two_spellings(one, other):
    assert spelled(one) == spelled(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("four", "for"),
        ("hour", "hor"),
        ("filled", "filed"),
        ("prised", "prized"),
        ("schon", "schön"),
        ("straße", "strasse"),
        ("refiled", "refilled"),
        ("pena", "peña"),
        ("fourth", "forth"),
    ],
)
def test_two_words_keep_their_spellings(one, other):
    assert spelled(one) != spelled(other)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("卵", "たまご", True),
        ("申込", "申し込み", True),
        ("打合せ", "打ち合わせ", True),
        ("方", "がた", False),
        ("学校", "がっこう", True),
        ("ゴミ", "ごみ", True),
        ("箸", "橋", False),
        ("はし", "橋", False),
        ("かぜ", "風邪", False),
        ("きかい", "機械", False),
        ("朝", "よる", False),
        ("相", "藍", False),
        ("", "は", False),
    ],
)
def test_kana_and_kanji_of_one_word_read_alike(one, other, same):
    assert reads_alike(one, other) == same


def test_names_of_two_greetings_keep_texts_apart():
    assert difference("Hi Ann, the lift is out of order.", "Hi Ben, the lift is out of order.") == "name"
    assert difference("Hi Ann, the lift is out of order.", "The lift is out of order.") is None


texts = st.lists(
    st.sampled_from(
        ["the", "cat", "and", "dog", "is", "on", "at", "six,", "Ann", "pays", "Ben.", "父が", "母に", "薬を", "渡す。"]
    )
).map(" ".join)


@given(texts, texts)
def test_restating_is_mutual(one, other):
    assert says_the_same(one, one)
    assert says_the_same(one, other) == says_the_same(other, one)


@given(st.text(), st.text())
def test_any_two_texts_are_compared(one, other):
    assert says_the_same(one, one, vocabulary)
    assert says_the_same(one, other, vocabulary) == says_the_same(other, one, vocabulary)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Buy eggs, milk and salt.", "Buy eggs, milk, and salt."),
        ("The shop moved, and the phone number stayed.", "The shop moved and the phone number stayed."),
        ("On Monday, the pool is closed.", "On Monday the pool is closed."),
        ("The lift is broken; the stairs are open.", "The lift is broken. The stairs are open."),
        ("1. freeze merges\n2. run the tests\n3. tell support", "- freeze merges\n- run the tests\n- tell support"),
        ("Deploy:\n* freeze merges\n* run the tests", "Deploy:\nfreeze merges\nrun the tests"),
    ],
)
def test_marks_that_say_nothing(one, other):
    assert says_the_same(one, other)
    assert says_the_same(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("At six, five guests come.", "At six five guests come."),
        ("Call Ann, or Bob if she is late.", "Call Ann or Bob if she is late."),
        ("Invite Ann and Bob, and Carl if he is back.", "Invite Ann and Bob and Carl if he is back."),
        ("Do not sell the house, because it is old.", "Do not sell the house because it is old."),
        ("5. Mai\n9. Juni", "5. Mai\nJuni"),
        ("2. run the tests\n1. freeze merges", "- run the tests\n- freeze merges"),
        ("He quit, smoking.", "He quit smoking."),
    ],
)
def test_marks_that_say_something(one, other):
    assert not says_the_same(one, other)
    assert not says_the_same(other, one)
