"""Tells a secret from what stands in its place: placeholders, names in a program, numbers, words of a sentence."""

from __future__ import annotations

from enum import IntEnum
from typing import Final, NamedTuple

from wherefrom.text.sensitive.scanning import compiled

# Keys and tokens that were published as samples: by Stripe, jwt.io, and the standards of OAuth, JWS and HTTP.
_PUBLISHED: Final = (
    *("4eC39HqLyjWDarjtT1zdp7dc", "BQokikJOvBiI2HlWgH4olfQ2", "26PHem9AhJZvU623DfE1x4sd", "tR3PYbcVNZZ796tH88S4VQ2u"),
    *("eyJzdWIiOiIxMjM0NTY3ODkw", "dBjftJeZ4CVP-mB92K27uhbU", "eyJpc3MiOiJqb2UiLA0KICJle", "JBSWY3DPEHPK3PXP"),
    *("2YotnFZFEjr1zCsicMWpAA", "tGzv3JOkF0XG5Qx2TlKWIA", "czZCaGRSa3F0MzpnWDFmQmF0M2JW", "mF_9.B5f-4.1JqM"),
    *("QWxhZGRpbjpvcGVuIHNlc2FtZQ", "QWxhZGRpbjpPcGVuU2VzYW1l"),
)
# A value with one of these in it is no secret, whatever else it holds.
_STAND_IN: Final = (
    r"(?i)example(?!\.(?:com|org|net))|placeholder|redacted|change[-_ ]?(?:me|this|it)(?![a-z])"
    r"|replace[-_]?(?:me|this|with)|(?<![a-z0-9])(?:your|insert|dummy|todo|fixme|masked|censored|enter|fake"
    r"|sample)(?:(?![a-z0-9])|(?-i:(?=[A-Z])))|(?-i:x{4,}|X{4,})|[*•·]{3,}|\.{3}|_{4,}|-{5,}"
)
# A variable, a template or a reference that something else fills in, or one character again and again.
_TEMPLATE: Final = r"(?s)(.)\1*|[<{%\[].*|\$[({].*|\$[A-Za-z_]\w*|[^{]*\{\{.*|!\w+|(?:op|vault|env|ref\+\w+):.*"
# Words of which placeholders and names of variables are made.
_FILLERS: Final = frozenset(
    """
    a above access account actual admin again alias always an any api app application args auth authentication
    authorization aws bar base baz bearer below blank bool boolean bot bucket char check client code column config
    confirm confirmation confirmed context cookie correct create credential credentials crypto csrf current data
    database db decoded decrypted default dev development dict digest disabled email empty enabled encoded encrypted
    encryption env environment err error false field file foo for form from func function generate generated get
    github gitlab go good google hash hashed header hello here hidden id in incorrect input int invalid is it item
    json jwt key keys kind len length list load local login long main manager map master match max min mismatch
    missing model mongo my mysql name never new next nil no none null number oauth object of old on one openai
    option optional or our params pass passcode passphrase passwd password passwords payload pending plain plaintext
    postgres private prod production props provided provider pw pwd qux random raw read record redis ref refresh
    rejected req request required res reset response result role root same sample schema secret secrets secure self
    sent server service session set setting settings short signed signing slack some staging state store stored str
    string strong super temp temporary test text that the then this to todo token tokens true txt type unchanged
    undefined unique unknown url user username val valid validator value var variable vault verified verify very
    void wallet was weak web with word wrong
    aqui aquí clave contraseña de dein deine el filtered heslo hier hasło ici ihr il kennwort la lösenord mot passe
    mykey mypass mypassword mysecret mytoken passwort pega requires secretkey secretpassword
    senha seu sua suo tu tuo votre wachtwoord ваш пароль
    """.split()  # noqa: SIM905  # a list of words is read as words
)
# Names of algorithms, protocols and products that hold digits.
_TECHNICAL: Final = (
    r"(?i)(?:base(?:16|32|58|62|64)(?:url)?|sha-?(?:1|2|3|224|256|384|512)|md[45]|bcrypt|scrypt|argon2(?:id?|d)?|pbkdf2|aes-?"
    r"(?:128|192|256)?|rsa-?(?:1024|2048|3072|4096)?|[hrep]s(?:256|384|512)|ed25519|x25519|secp256[kr]1|oauth-?[12]?|utf-?"
    r"(?:8|16|32)|utf|utf8mb4|(?:1|one|last)password[0-9]?|(?:windows|iphone|ipad|ios|android|macos|ubuntu|debian|chrome|firefox|safari|office|pixel|galaxy)-?[0-9]{1,4}|gpt|claude|llama|gcm|cbc|hmac|jwt|saml|totp|otp|2fa|mfa|u2f|fido2|webauthn"
    r"|scram|crc|tls(?:v?1)?|ssl(?:v?[23])?|http2?|ipv[46]|k8s|ec2|s3|n8n|web3|auth0|oidc|pkcs[0-9]{1,2}|x509|ascii|hex|crypto|v[0-9]{1,2}|wpa[23]|id)"
)
_NUMBER: Final = (
    r"(?i)(?:ver(?:sion)?\.?)?[-+~≈<>]?[0-9][0-9.,_:/-]*"
    r"(?:e[-+]?[0-9]+|%|[kmgtb]i?b?|m?s|px|k?bits?|min|h|days?|chars?|tokens?|th|st|nd|rd)?"
)
_REFERENCE: Final = (
    r"(?i)[a-z][a-z0-9+.-]*://.*|@/.*|[~.]{0,2}/?(?:[a-z_.-]+[0-9]?/)+[a-z0-9_.-]*|/[a-z_.-]+|(?:~|\$[A-Z_]+)/.*"
    r"|arn:aws.*|sha[0-9]{1,3}[:-].*"
)
# A call, an index, an attribute, a name of several words: code that refers to a secret.
_CODE: Final = (
    r"(?=[^(\[{]{3})[A-Za-z_$][\w.:>-]*[(\[{].*|[@&*.]?[A-Za-z_$]+\d?(?:(?:\??\.|::|->)[A-Za-z_$]+\d?)+(?:[(\[{!)\]?].*)?"
    r"|[a-z_$]+\d?(?:_+[a-z]+)+\d?|[A-Z_]+\d?(?:_+[A-Z]+)+\d?|\.?[a-z]+(?:[A-Z][a-z]+)+|\.?(?:[A-Z][a-z]+)+"
    r"|[(\[&|].*|[\w:-]+=?[\"'`].*"
)
# A standard or a product: "RFC6749", "Windows11".
_NUMBERED_NAME: Final = r"[A-Z]{2,5}-?[0-9]{2,5}[A-Z]?|[A-Z]?[a-z]+-?[0-9]{1,2}"
# Signs that stand in addresses, paths and programs rather than in passwords.
_ODD: Final = r"[()\[\]{}<>\\|/,;:\"'`]|://|\.\.|%[0-9A-F]{2}|&&|\A[.$-]|\.[a-z]{2,4}\Z|@[\w-]+\.|[^!-~]"
_UNLIKE_PASSWORDS: Final = r"[()\[\]{}<>\\|/=,;:\"'`]|%[0-9A-F]{2}|&&|\.\w{2,4}\Z"
# A ticket, a model, a standard, a host with its number, a version, a date, a checksum, a range, a row of capitals.
_OTHER_THING: Final = (
    r"[A-Z]{1,6}-?[0-9]{1,6}[A-Za-z]?|[A-Z]?[a-z]{1,7}-?[0-9]{1,2}|(?:[a-z]+-)+[0-9]{1,2}|[a-z]+(?:_[a-z]+)*_?[0-9]"
    r"|v?[0-9]+(?:\.[0-9]+)+[\w.+-]*|[0-9]{4}-[0-9]{2}.*|[0-9a-f]{7,}|[0-9a-f]{8}-[0-9a-f-]+|[0-9]+[A-Za-z]{1,12}(?:-[a-z]+)?"
    r"|[0-9]+-[a-z]+(?:-[a-z]+)*|[A-Z0-9_-]+|[a-z]+[0-9]?(?:\.[a-z]+[0-9]?)+|[A-Za-z]{1,7}#[0-9]{1,6}|#.*|@.*|[A-Za-z]+[?!]+"
)
# A sign in the middle, or at the end after digits.
_SIGNED: Final = r"[A-Za-z0-9][!#$%^&*?][A-Za-z0-9]|[a-z].*[0-9][A-Z].*[!#$%^&*?]\Z|[a-z]{4}[0-9]{2,}[!#$%^&*?]\Z"
_HUMPS: Final = r"(?:[A-Z][a-z]+){3,}"
# How words of more than a few letters end in the languages in which passwords are spoken of.
_ORDINARY_END: Final = (
    r"(?i).*(?:ed|ing|tions?|sions?|able|ible|ments?|ness|ity|ities|ally|ely|ory|ive|ical|ional|ful|less|ous|ance|ence|ants?"
    r"|ents?|isms?|ists?|ers|ors|ized|ten|type|word|words|phrase|phrases|code|codes|token|tokens|string|number|characters?"
    r"|ung|ungen|lich|keit|heit|oire|ement|ción|ção|zione|ado|ada|ido|ida|atur|bare?)"
)
_SHORTEST: Final = 6
_SYMBOLS: Final = frozenset("!@#$%^&*+=~?|\\")


class Announcement(IntEnum):
    """How clearly the words before a value say that it is a secret."""

    BESIDE = 1  # "password hunter2!", with nothing in between
    KEY = 2  # "token: …", "secret = …": words that announce much else, too
    SAID = 3  # "the password is …"
    ASSIGNED = 4  # "password: …", "password = …"


class Value(NamedTuple):
    """A value that stands where a secret was announced."""

    text: str
    quoted: bool = True
    # The sentence goes on after it, with a word.
    continues: bool = False
    # It stands after the name of a field rather than in a sentence.
    labelled: bool = True


def is_stand_in(value: str) -> bool:
    """Returns whether a value says that it is none, or is a sample that everybody knows."""
    return compiled(_STAND_IN).search(value) is not None or any(sample in value for sample in _PUBLISHED)


def is_placeholder(value: str) -> bool:
    """Returns whether a value only shows where a secret belongs."""
    if is_stand_in(value) or compiled(_TEMPLATE).fullmatch(value):
        return True
    # Whoever writes without spaces writes passwords in ASCII; 「パスワード」 itself often stands there.
    if not value.isascii() and compiled("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]").search(value):
        return True
    return (value.isupper() and value.replace("_", "").isalpha()) or _is_filler(value)


def is_secret(value: Value, announcement: Announcement) -> bool:
    """Returns whether a value that was announced is a secret rather than a word, a number or a name in a program."""
    text = value.text
    if len(text) < _SHORTEST or (announcement is Announcement.KEY and not _is_mixed(text)):
        return False
    if is_placeholder(text) or _is_name(text):
        return False
    if compiled(_NUMBER).fullmatch(text) or compiled(_REFERENCE).fullmatch(text):
        # A password may be a number, if no word after it says what was counted.
        return announcement >= Announcement.SAID and text.isdigit() and not value.continues
    if not value.quoted and compiled(_CODE).fullmatch(text) and not _is_spoken_phrase(value, announcement):
        return False
    if announcement is Announcement.KEY:
        if not value.quoted and (compiled(r"[()\[\]{}|]").search(text) or _is_identifier(text)):
            return False
        return len(text) >= (12 if value.continues and not value.quoted else 8)
    if announcement is Announcement.BESIDE:
        mixed = _is_mixed(text) and (value.quoted or not compiled(_NUMBERED_NAME).fullmatch(text))
        return mixed or looks_like_password(text) or may_be_password(text)
    return _is_password(value, announcement)


def looks_like_password(text: str) -> bool:
    """Returns whether a word that nothing announces directly can hardly be anything but a password.

    It has letters and digits, and a sign in its middle that words and names do not have ("Rj7#mulberry"), or it is made
    of several words of both cases ("sandb0x-Piranha", "Jeju-Olle-77").
    """
    mixed = compiled("[A-Za-z]").search(text) and compiled("[0-9]").search(text)
    if not (_SHORTEST < len(text) <= 64 and text.isascii() and mixed) or compiled(_UNLIKE_PASSWORDS).search(text):
        return False
    if is_placeholder(text) or compiled(_NUMBER).fullmatch(text) or compiled(_NUMBERED_NAME).fullmatch(text):
        return False
    if compiled(_SIGNED).search(text):
        return not compiled(r"\$.*|[A-Za-z]{1,7}#[0-9]{1,6}").fullmatch(text)
    if compiled(r"[a-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+|.*(?:A-Z|a-z|0-9).*").fullmatch(text):
        return False
    parts = compiled(r"[._-]+").split(text)
    if len(parts) < 2 or text in (text.lower(), text.upper()) or any(map(compiled(_TECHNICAL).fullmatch, parts)):
        return False
    mixed_part = any(compiled("[A-Za-z].*[0-9]|[0-9].*[A-Za-z]").search(part) for part in parts)
    return sum(part.isalpha() for part in parts) > 1 - mixed_part and (
        mixed_part or not compiled("[0-9]{4}").search(text)
    )


def may_be_password(text: str) -> bool:
    """Returns whether a word near one for passwords is like those that people make: "Bello1987", "ov3rtime-june".

    It mixes letters with at least two digits, or with one inside or before a sign, and is no file, address, version,
    ticket, model, date, hexadecimal number or name of a technique.
    """
    if not 6 < len(text) <= 40 or compiled(_ODD).search(text) or compiled(_OTHER_THING).fullmatch(text):
        return False
    if is_placeholder(text) or _is_name(text) or compiled(_NUMBER).fullmatch(text):
        return False
    words = compiled("[a-z]+").findall(text.lower())
    digits = len(compiled("[0-9]").findall(text))
    if len("".join(words)) < 3 or any(map(compiled(_TECHNICAL).fullmatch, compiled(r"[\W_]+").split(text))):
        return False
    if _FILLERS.issuperset(words):  # "password123" is what texts on passwords speak of
        return False
    marked = digits == 1 and (_has_symbol(text) or compiled("[a-z][0-9]+[a-z]").search(text))
    return digits > 1 or bool(marked or compiled("[a-z][!#$%^&*]").search(text))


def _is_password(value: Value, announcement: Announcement) -> bool:
    text = value.text
    digits = sum(map(str.isdigit, text))
    if digits or _has_symbol(text):
        # "Passwords: 1Password can …" goes on, after a single digit.
        return not value.continues or value.quoted or digits > 1 or _has_symbol(text)
    if compiled(_ORDINARY_END).fullmatch(text):
        return False
    if "-" in text or "_" in text:
        return value.quoted or (len(text) >= 16 and text.count("-") > 1)
    if value.quoted:
        return len(text) >= 8 or announcement is Announcement.ASSIGNED
    if _is_spoken_phrase(value, announcement):
        return True
    # Letters alone, which end their clause: words of a sentence are shorter.
    named = announcement is Announcement.ASSIGNED and value.labelled
    return not value.continues and (text.islower() or _is_irregular(text)) and len(text) >= (8 if named else 14)


def _is_spoken_phrase(value: Value, announcement: Announcement) -> bool:
    """True if a value is like CorrectHorseBatteryStaple, in a sentence rather than in a program."""
    return (
        announcement is Announcement.SAID
        and not value.continues
        and compiled(_HUMPS).fullmatch(value.text) is not None
        and not compiled(_ORDINARY_END).fullmatch(value.text)
    )


def _is_mixed(text: str) -> bool:
    """True if chance may have made a value: letters with digits, or letters of both cases in a long row."""
    digits = sum(map(str.isdigit, text))
    both = text.lower() != text != text.upper()
    if not any(map(str.isalpha, text)):
        return False
    return digits > 1 or (digits == 1 and _has_symbol(text)) or (both and len(text) >= 16 and _is_irregular(text))


def _is_irregular(text: str) -> bool:
    """True if capital letters follow small ones more often than in CamelCase."""
    return 6 * len(compiled("[a-z][A-Z]").findall(text)) >= len(text)


def _is_identifier(text: str) -> bool:
    """True if a value is a name of several words, some with digits: "self._lib.NID_aes_256_cbc", "Ed448PrivateKey"."""
    if not compiled(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*").fullmatch(text):
        return False
    words = compiled("[A-Z]?[a-z]{2,}|[A-Z]{3,}").findall(text)
    # Where chance mixes capital and small letters, few of the "words" are as long as words are.
    if len(words) < 2 or sum(map(len, words)) < (5 if len(text) > 24 and text.isalnum() else 3) * len(words):
        return False
    return 5 * sum(map(len, words)) >= 3 * len(text) and bool(compiled("[_.]|[a-z][A-Z]").search(text))


def _has_symbol(text: str) -> bool:
    return not _SYMBOLS.isdisjoint(text)


def _is_filler(text: str) -> bool:
    """True if a value is made of such words as "my-secret-key"; "Secret99" is a bad password, but one."""
    text = text.strip("$@!?")
    if sum(map(str.isdigit, text)) > 1 or _has_symbol(text):
        return False
    words = compiled(r"[^\W\d_]+").findall(compiled(r"(?<=[a-z])(?=[A-Z])").sub(" ", text).lower())
    return bool(words) and _FILLERS.issuperset(words)


def _is_name(text: str) -> bool:
    """True if a value is made of names of algorithms and products: "pbkdf2:sha256", "OAuth2"."""
    parts = compiled("[A-Za-z0-9]+").findall(text)
    unnamed = [part for part in parts if not compiled(_TECHNICAL).fullmatch(part)]
    return len(unnamed) < len(parts) and all(part.isdigit() or part.lower() in _FILLERS for part in unnamed)
