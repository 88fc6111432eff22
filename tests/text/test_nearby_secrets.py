"""Passwords in sentences of any order, passphrases and settings, and what stands in such places without being one."""

from __future__ import annotations

import time

import pytest

from recollect.text.detect import KINDS, find, redact

# (text, what of it is a secret)
SECRETS = [
    ("hey the wifi at grandma's is still the same, password Himbeere1954", ["Himbeere1954"]),
    ("Disney+ login: mum's email, pw is our street and number, Lindenallee47", ["Lindenallee47"]),
    ("switched the gym app password from fitness2022 to Fitness!2025", ["fitness2022", "Fitness!2025"]),
    ("le mdp du wifi c'est Papillon2019!", ["Papillon2019!"]),
    ("j'ai changé le mot de passe de ma boîte mail, maintenant c'est Tournesol88", ["Tournesol88"]),
    ("la contraseña del wifi es gatoNegro_77", ["gatoNegro_77"]),
    ("A senha do wifi da praia: marAzul2023", ["marAzul2023"]),
    ("La password del router è rimasta Fragola99x", ["Fragola99x"]),
    ("Das WLAN-Passwort bei Oma lautet jetzt Apfelkuchen1948", ["Apfelkuchen1948"]),
    ("пароль от вайфая: Kotik2020", ["Kotik2020"]),
    ("Wi-Fiのパスワード、前はsakura2019だったけど今はSakura_2024xです", ["sakura2019", "Sakura_2024x"]),
    ("wifi密码：xiaoming0812", ["xiaoming0812"]),
    ("와이파이 비번은 haneul2021 이야", ["haneul2021"]),
    ("SMTP_PASS=Qwan7tulip\nSMTP_USER=mailer", ["Qwan7tulip"]),
    ("spring.datasource.password=Quokka-91-Lime", ["Quokka-91-Lime"]),
    ('export VAULT_PASSPHRASE="seven small boats sail"', ["seven small boats sail"]),
    ("borg passphrase: quiet river stone lamp", ["quiet river stone lamp"]),
    ("The luks passphrase is quiet river stone lamp.", ["quiet river stone lamp"]),
    ("mysql root pw on db4 = tulipanes88", ["tulipanes88"]),
    ("jenkins creds: deploy / Otter_lane42", ["Otter_lane42"]),
    ("The sudo password on the new box (ask before using): marble!Tide5", ["marble!Tide5"]),
    ("password rotated: Winter-Moth-31 replaces Summer-Moth-30", ["Winter-Moth-31", "Summer-Moth-30"]),
    ("Office activation: VK7JG-NPHTM-C97JM-9MPGT-3V66T", ["VK7JG-NPHTM-C97JM-9MPGT-3V66T"]),
    ("key for 2FA (authenticator): KRUG KIDR OVUW G2ZA MJZG 653O", ["KRUG KIDR OVUW G2ZA MJZG 653O"]),
    ("X-Internal-Token: 9fK2mLq8Zr4TxWb7", ["9fK2mLq8Zr4TxWb7"]),
    ("天气API的key是 8d2f0c1b7e9a4c5d8f6e3b2a1c0d9e8f", ["8d2f0c1b7e9a4c5d8f6e3b2a1c0d9e8f"]),
    ("password\n\nHolzweg-1977", ["Holzweg-1977"]),
    ("Bello_1031 ← this is the new Instagram password", ["Bello_1031"]),
    ("DB-Passwort geändert, war vorher Sommerwind19, jetzt lautet es Eisblume20!.", ["Sommerwind19", "Eisblume20!"]),
    ("旧:natsu-Suika3 新:haru-Ichigo8 パスワード変更済み", ["natsu-Suika3", "haru-Ichigo8"]),
    ("mot de passe\nLune.Rouge.42", ["Lune.Rouge.42"]),
    ("snmp-server community gr4nite-RO RO", ["gr4nite-RO"]),
    ("requirepass Vexo81-Lamp", ["Vexo81-Lamp"]),
    ("net use Z: \\\\fs1\\share Robin!2031q /user:X\\y", ["Robin!2031q"]),
    ("ConvertTo-SecureString 'Lima-Rain-Echo5' -AsPlainText", ["Lima-Rain-Echo5"]),
    ('{"auths":{"r.io":{"auth":"Ym9iOlZleG84MWtSYW5k"}}}', ["Ym9iOlZleG84MWtSYW5k"]),
    ("conn=app_rw/Kumo9tsubo@//ora-1:1521/X", ["Kumo9tsubo"]),
    ("keytool -deststorepass Q9larchwood -v", ["Q9larchwood"]),
    ("| host | password |\n|---|---|\n| nas | rainAndPelican |\n", ["rainAndPelican"]),
    ("Die Passphrase ist „vier Kühe im Regen“, bitte merken", ["vier Kühe im Regen"]),
    ('psk="drill press 0522"', ["drill press 0522"]),
    ("@dana the passwrod for jenkins is kiteflyer42", ["kiteflyer42"]),
    ("rotated the admin: old Pebble-June-24 → new Pebble-July-25", ["Pebble-June-24", "Pebble-July-25"]),
]

NOTHING = [
    "El código postal es 28013 y el código de área 0034.",
    "Die Postleitzahl ist 10115, der Fehlercode 4711 ist bekannt.",
    "В 2023 году пароль меняли 1200 раз.",
    "The passphrase is stored in the vault next to the server.",
    "Passphrase: required for encrypted keys",
    'password: "must be at least 12 characters"',
    '"password": "mot de passe oublié", "passwordHint": "use letters and digits"',
    'PASSWORD_HELP="Enter your new password twice"',
    "passphrase: a sequence of words used like a password, longer for security",
    "Die Passphrase ist im Tresor der Bank hinterlegt.",
    "La passphrase è nel file di configurazione.",
    "パスフレーズは「秘密」という意味ではない。",
    "チームの合言葉は「一歩ずつ前へ進む」です。",
    "I changed my password on server01 and on web-02, then logged in from laptop12.",
    "The password dialog in Firefox128 and Chrome126 differs from Safari17.",
    "Passwords for users alice2 and bob42 were reset by admin01.",
    "Reset the password of svc-backup-02 on db-prod-03 (ticket INC0012345).",
    "KeePass2Android and Bitwarden2024.6 store the password in a file called vault2024.kdbx.",
    "password hashing: use Argon2id, PBKDF2-SHA512, bcrypt12 or scrypt16384.",
    "See password-policy-2024.pdf, section 3.2, and https://intra.example.org/password-rules-2024.",
    "Das Passwort wurde am 2024-05-17 von Müller23 geändert.",
    "Das Passwort für den Server web03 liegt bei Frau Schmidt, Zimmer 4012.",
    "Le mot de passe du serveur prod-web01 est dans le coffre, bureau B204.",
    "パスワードはWindows11とiPhone15で共通のものを使わないでください。",
    "パスワードの変更は、ver2.4.1以降、設定→アカウントから行えます。",
    "密码管理器推荐1Password、KeePassXC和Bitwarden，支持iOS17和Android14。",
    "비밀번호 관리자는 1Password7과 iOS17에서 동작합니다.",
    "const pw2 = await hash(input2); // password v2",
    'assert user.password == expected1, "password mismatch in test42case"',
    "[2024-05-01 10:11:12] INFO password changed for uid=10234 session=88 worker12345",
    "The password field has id loginForm2Password and class form-control2.",
    "ssh-keygen -t ed25519 -C comment2024 asks for a passphrase twice.",
    "Our contract with Salt Lake City, contra 2019, salt: 2 g, key: C major.",
    "| Field | Type | Password |\n|---|---|---|\n| login | string | required |\n| reset | bool | optional |\n",
    "| Setting | Default password |\n|---|---|\n| router | unchanged |\n| nas | disabled |\n",
    "old Chrome-120-Mac → new Chrome-121-Mac in the test matrix",
    "The API key header is X-Api-Key; the key is sent with every request, e.g. X-Request-Id: 7b1c9e52-aa41-4f0e-9a77-6ec1.",
    "git tag release-2024-key, commit key:\n3f786850e387550fdab836ed7e6dc881de23001b",
    "Serial number: 4F2KD-99XMA is not a key. UUID 3f786850-e387-550f-dab8-36ed7e6dc881.",
    "Part numbers ABCDE-FGHIJ-KLMNO-PQRST-UVWXY are placeholders; XXXXX-XXXXX-XXXXX-XXXXX-XXXXX too.",
    "La contraseña caduca en 2025 y debe tener 12 caracteres.",
    "login/logout2024 events: admin/users2, root/etc2 and admin/v2-users",
    "accounts:\n- Alpha, region eu / eu-west-1\n- Beta, region us / us-east-2",
]

# What each rule begins with or almost accepts, again and again, up to some 60 KB.
HOSTILE = [
    "passphrase is " * 4_200,
    "passphrase: " + "abc def " * 7_500,
    "passphrase: " + "a" * 60_000,
    "passphrase 'a b c " * 3_300,
    'password="a b c ' * 4_000,
    "PASSWORD='" + "ab " * 20_000,
    "passwrod " * 6_600,
    "password abcd12 " * 3_700,
    "password is abcdef12 " * 2_800,
    "password " + "abcdef12 " * 6_600,
    "changed from " * 4_600 + "password",
    "password changed " * 3_500,
    "old a1-B2c3d4 " * 4_200 + "new ",
    "old " * 15_000 + "new ",
    "admin/" * 10_000,
    "accounts\n" * 6_600 + " / a1#b2c3d4",
    "accounts: a / Abc12345\n" * 2_600,
    "snmp-server community " * 2_700,
    "tacacs-server key " * 3_300,
    "net use \\\\" * 6_000,
    '"auth": "' * 6_600,
    "a/b12345@//" * 5_400,
    "token\n" * 10_000,
    "token " + "a" * 60_000,
    "key是" * 15_000,
    "キーは" + "a" * 60_000,
    "salt=" * 12_000,
    "dbpass = " * 6_600,
    "api_key: [u8; 32] = hex!(" * 2_400,
    "password 0 " * 5_400,
    "basic認証:a/" * 5_400,
]


@pytest.mark.parametrize(("text", "values"), SECRETS)
def test_what_is_found(text, values):
    redacted = redact(text, KINDS)[0]
    assert [value for value in values if value in redacted] == []


@pytest.mark.parametrize("text", NOTHING)
def test_what_is_no_secret(text):
    assert [text[finding.start : finding.end] for finding in find(text) if finding.kind == "secret"] == []


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: f"{text[:14]}…{text[-6:]}")
def test_hostile_texts_take_no_time(text):
    started = time.process_time()
    redact(text, KINDS)
    assert time.process_time() - started < 2
