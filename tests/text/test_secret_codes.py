"""Codes of digits that open something, and numbers of other things that look like them."""

from __future__ import annotations

import time

import pytest

from wherefrom.text.sensitive.findings import KINDS, find, redact

# (text, what of it is a secret)
SECRETS = [
    ("alarm code for the shop is 7741, don't forget", ["7741"]),
    ("The code to the building is 2580#", ["2580"]),
    ("dad's iPhone passcode: 198207", ["198207"]),
    ("my new debit card pin 6021", ["6021"]),
    ("Locker 14 combination 31-07-22", ["31-07-22"]),
    ("verification code from whatsapp: 482-913", ["482-913"]),
    ("your otp code is 771204, valid 5 min", ["771204"]),
    ("Code de l'alarme : 4519. Code du portail 8812B.", ["4519"]),
    ("il codice del cancello è 5520", ["5520"]),
    ("Torcode Firma: 8205, Alarmcode 337190", ["8205", "337190"]),
    ("Meine neue Geheimzahl ist 4093", ["4093"]),
    ("код от подъезда 45К7812, потом этаж 5", ["45К7812"]),
    ("пин-код карты 7719", ["7719"]),
    ("玄関の暗証番号 5821 に変わりました", ["5821"]),
    ("銀行カードの暗証番号は 0397 です", ["0397"]),
    ("スマホのロック解除コードは246813", ["246813"]),
    ("我家门锁密码是 704915，进门记得关灯", ["704915"]),
    ("银行卡密码没变，还是 350912", ["350912"]),
    ("우리집 현관 비번 8036#이야", ["8036"]),
    ("인증번호 [482013] 입력해주세요", ["482013"]),
    ("Tresor: 7-3-9-1", ["7-3-9-1"]),
    ("SIM PIN 2231, PUK 80417725", ["2231", "80417725"]),
    ("tape le code 7315 sur le clavier de la porte", ["7315"]),
    ("senha do cofre 5529", ["5529"]),
    ("airbnb: key safe code 4086 next to the bins", ["4086"]),
    ("Garage keypad: 8134, then the star", ["8134"]),
    ("mum's tablet unlocks with 305512", ["305512"]),
    ("the bank texted me 918274 as the one-time code", ["918274"]),
    ("tape 4406, c'est le code de ma carte", ["4406"]),
    ("网盘链接发你了，提取码 k7wd", ["k7wd"]),
    ("オートロックは呼を押してから5827。", ["5827"]),
    ("Backup codes (two used)\n5521 8840\n9917 2036", ["5521 8840", "9917 2036"]),
    (
        "BitLocker: 118403-552871-093312-440187-229046-671530-084415-360921",
        ["118403-552871-093312-440187-229046-671530-084415-360921"],
    ),
    ("the nanny's door code will be 3390 from Monday", ["3390"]),
    ("mom's ATM pin, she asked me to keep it: 5083", ["5083"]),
    ("new PIN for the company card ending 1127 is 9045", ["9045"]),
    ("Die Alarmanlage schaltet man mit 7056 aus", ["7056"]),
    ("Fahrradschloss 4 7 1 9", ["4 7 1 9"]),
    ("o código do alarme é 2279", ["2279"]),
    ("codice bancomat mamma 40817", ["40817"]),
    ("il PIN della SIM è 6604, il PUK 91827364", ["6604", "91827364"]),
    ("学校のタブレットのパスコードは7410です", ["7410"]),
    ("宅配ボックスの番号は4173", ["4173"]),
    ("会社の入口、暗証は 9-0-2-6", ["9-0-2-6"]),
    ("微信支付密码 591837 别忘了", ["591837"]),
    ("保险箱密码：4-7-0-9", ["4-7-0-9"]),
    ("사무실 도어락은 2047별", ["2047"]),
    ("код домофона 12К3456", ["12К3456"]),
]

NOTHING = [
    "The door code policy changed in 2023: codes are now rotated every 90 days.",
    "Our alarm system cost 1450 euros and the installer came at 0930.",
    "The garage is 2400 mm wide and the gate opens at 0700.",
    "Chapter 4: PIN entry devices. ISO 9564 specifies PIN management, see also ISO 13491.",
    "PINs were introduced in 1967 and are usually 4 digits.",
    "Pin 4021 of the connector is ground; GPIO pin 1024 does not exist.",
    "Please pin numpy to version 12604 builds and pin 3 commits.",
    "My safe weighs 1500 kg and was built in 1987.",
    "Error code 40013 appears after the unlock screen, status code 5001 comes next.",
    "The zip code is 90210, area code 0417, country code 0049.",
    "Use promo code SAVE2024 at checkout, the booking code is on page 1204.",
    "The product code is 48213377 and the HS code 85171300.",
    "Le code postal est 75011, le code de la route date de 1921.",
    "郵便番号は1500001、電話番号の市外局番は0463です。",
    "エラーコードは50012、商品コードが883921です。",
    "暗証番号は4桁の数字で、2024年から6桁になりました。",
    "密码长度为6到16位，2023年起密码有效期为90天。",
    "验证码有效期为5分钟，错误码是40001。",
    "비밀번호는 2024년부터 10자리 이상이어야 합니다.",
    "우편번호는 06236, 오류 코드는 50013입니다.",
    "Почтовый индекс 101000, код ошибки 40012, код города 0495.",
    "The verification code expires after 3600 seconds and is 6 digits long.",
    "We sent 15000 verification codes in 2024.",
    "Backup codes\nYou can print your backup codes in the account settings.\n\nStep 1: open settings",
    "Recovery codes: 10 codes are shown once. Each has 8 characters.",
    "Unlocks at level 1200, the safe opens with 3000 points.",
    "The lock screen of the Pixel 8 shows 1842 notifications.",
    "My phone opens 2500 photos without a problem; the till closed with 1834 euros.",
    "El pin del mapa marca 1936 metros de altitud.",
    "senha: mínimo de 8 caracteres, em 2024 foram 120000 senhas vazadas",
    "La clave del éxito es trabajar; la clave de sol, compás 4821.",
    "Gate 4471 is closed, go to gate B12; flight code LH4021.",
    "Room 4012, door 3 on the left. The building was finished in 1998; building number 1204.",
    "The combination of 2000 mg and 1500 mg was safe.",
    "Safe harbour since 2004: the combination is 1200 to 1 against.",
    "Access code review: 1200 lines changed, security code audit 2024.",
    "オートロックのマンションで家賃は85000円、築2015年。",
    "金庫の番号は製造番号とは別です。ダイヤル式で重さ1200kg。",
    "玄関の鍵は2019年に交換した。キーボックスの型番はK4021。",
    "현관문은 2015년에 교체했고 비용은 350000원이었다.",
    "Кодовый замок стоит 4500 рублей, домофон поставили в 2018 году.",
    "I bought a Yale keypad lock, model YRD226, for 149 dollars in 2022.",
    "Use the pin 5mm drill; the lock needs 2032 batteries (CR2032).",
    "The alarm goes off at 0645 every day.",
    "The alarm is 2000 feet away.",
    "Our safe word in improv class is pineapple, rehearsal at 1900.",
    "Flight AB1234, gate code B, boarding 1815.",
    "The garage charged me 1850 for the brakes.",
    "Dress code: smart casual, starts 1930, code word not needed.",
    "The source code has 48213 lines, code coverage is 8750 of 9000.",
    "exit code 13704, pin memory=True, num_workers 4096",
    "The house number is 1482 and the postcode 90210.",
    "My phone number ends in 4471.",
    "Order 48213377 was delivered to locker 2043.",
    "Security code reviews cover ASVS 4.0; access code paths in file 1204.",
    "passcode lock since iOS 9 requires 6 digits instead of 4.",
    "The PIN is a 4-digit number, e.g. 1234 is a bad PIN.",
    "Don't use 0000 or 1234 as your PIN.",
    "PIN-Eingabe dreimal falsch: Karte gesperrt, Sperr-Notruf 116116.",
    "Der Türcode wird alle 90 Tage geändert, Kosten 1200 Euro.",
    "Die PIN hat 4 Stellen, TAN 6 Stellen.",
    "Bitte rufen Sie 0800 1234 an, wenn die PIN gesperrt ist.",
    "Le code PIN a 4 chiffres depuis 1998.",
    "暗証番号を3回間違えるとロックされます。お問い合わせは0120-123-456。",
    "マイナンバーカードの有効期限は2031年、暗証番号の再設定は市役所で。",
    "手机解锁用了2000次，电池容量5000mAh。",
    "验证码系统每天发送10000条短信。",
    "도어락 건전지는 2019년에 교체, 가격은 25000원.",
    "비밀번호 오류 횟수 제한: 5회, 잠금 1440분.",
]

# What each rule begins with or almost accepts, again and again, up to some 60 KB.
HOSTILE = [
    "pin " * 15_000,
    "pin 1234 " * 6_600,
    "code is 12345 " * 4_300,
    "door code " * 6_000 + "1234",
    "alarm " * 10_000,
    "1 2 3 4 " * 7_500 + "pin",
    "pin" + "1 " * 30_000,
    "12-34-56-" * 6_600 + " pin",
    "暗証番号" * 15_000,
    "暗証番号1234" * 7_500,
    "提取码 " * 12_000,
    "ABCD " * 12_000 + "2fa",
    "2fa " + "AB2D " * 12_000,
    "ABC12-" * 10_000,
    "123456-" * 8_500,
    "backup codes " * 4_600,
    "backup codes\n" + "1234 5678\n" * 6_000,
    "lock" * 15_000,
    "safe 1234, " * 5_400,
    "type 1234 " * 6_000 + "code",
]


@pytest.mark.parametrize(("text", "values"), SECRETS)
def test_what_is_found(text, values):
    redacted = redact(text, KINDS)[0]
    assert [value for value in values if value in redacted] == []


@pytest.mark.parametrize("text", NOTHING)
def test_what_is_no_secret(text):
    assert [text[finding.start : finding.end] for finding in find(text) if finding.kind == "secret"] == []


@pytest.mark.slow
@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: f"{text[:14]}…{text[-6:]}")
def test_hostile_texts_take_no_time(text):
    started = time.process_time()
    redact(text, KINDS)
    assert time.process_time() - started < 2
