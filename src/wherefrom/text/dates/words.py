"""The words of times in languages with spaces: English, German, French, Spanish, Italian, Portuguese and Dutch.

Each word has one or more meanings: a role in the grammar (text/dates/grammar.py) and a value. The languages of a month
decide which prepositions go with it, so that mayonnaise ("in mayo") is no month.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

Meanings = Mapping[str, Any]
"""The values of a word by its roles."""

LANGUAGES: Final = ("en", "de", "fr", "es", "it", "pt", "nl")
# Words that are no months where they stand without a number and a capital.
VERBS: Final = frozenset({"may", "march", "mar"})
# Months that are names of people, too: "in June's kitchen".
NAMES: Final = frozenset({"april", "may", "june", "august", "avril", "julio", "mai"})
# Accents may be left out in words of so many letters: fewer would meet other words.
_MIN_UNACCENTED: Final = 4

# The months from January on; several words of one month are joined by "/".
_MONTHS: Final = {
    "en": "january february march april may june july august september october november december",
    "de": "januar/jänner februar märz/maerz april mai juni juli august september oktober november dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre/setiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
}
# Abbreviations, which need a day or a year. "set", "out" and "ago" are left out: they are words.
_SHORT_MONTHS: Final = (
    "jan/janv/ene feb/févr/fev mar/mär/mrt apr/avr/abr - jun jul/juil aug sep/sept oct/okt nov dec/dez/déc/dic"
)
# Months that mean nothing else, so that they need no preposition.
_PLAIN_MONTHS: Final = (
    "january february july september october november december januar jänner februar juli oktober dezember "
    "janvier février juillet septembre octobre novembre décembre enero febrero septiembre octubre noviembre "
    "diciembre gennaio febbraio luglio settembre ottobre dicembre janeiro fevereiro julho setembro outubro "
    "novembro dezembro januari februari"
)
_WEEKDAYS: Final = (
    "monday tuesday wednesday thursday friday saturday sunday",
    "montag dienstag mittwoch donnerstag freitag samstag/sonnabend sonntag",
    "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "lunes martes miércoles jueves viernes sábado domingo",
    "lunedì martedì mercoledì giovedì venerdì sabato domenica",
    "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo",
    "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
)
_GERMAN_DAYTIMES: Final = ("morgen", "vormittag", "mittag", "nachmittag", "abend", "nacht")
_SEASONS: Final = {
    "en": "spring summer autumn/fall winter",
    "de": "frühling/frühjahr sommer herbst winter",
    "fr": "printemps été automne hiver",
    "es": "primavera verano otoño invierno",
    "it": "- l-estate autunno inverno",
    "pt": "- verão outono inverno",
    "nl": "lente/voorjaar zomer herfst/najaar -",
}
_UNITS: Final = {
    "day": "day days tag tage tagen tages jour jours día días giorno giorni dia dias dag dagen",
    "week": "week weeks woche wochen semaine semaines semana semanas settimana settimane weken",
    "weekend": "weekend weekends wochenende wochenendes",
    "month": "month months monat monate monaten monats mois mes meses mese mesi mês maand maanden",
    "quarter": "quarter quarters quartal quartale quartals trimestre trimestres kwartaal",
    "year": "year years jahr jahre jahren jahres ans année années año años anno anni ano anos jaar jaren",
}
# Words that make a unit the last one, before it or after it.
_LAST: Final = (
    "last past previous letzte letzten letztem letzter letztes vorige vorigen voriger voriges vergangene vergangenen "
    "vergangener vergangenes dernier dernière derniers dernières último última últimos últimas ultimo ultima ultimi "
    "ultime scorso scorsa scorsi scorse pasado pasada pasados pasadas vorig afgelopen laatste"
)
_LAST_AFTER: Final = (
    "dernier dernière derniers dernières passé passée pasado pasada pasados pasadas scorso scorsa passato passata "
    "passado passada"
)
_THIS: Final = (
    "this current diese diesen dieser dieses diesem ce cet cette este esta questo questa quest deze dit neste nesta"
)
_CARDINALS: Final = (
    "a/an/one/ein/eine/einem/einer/einen/un/une/una/uno/um/uma/een two/couple/zwei/deux/dos/due/dois/duas/twee "
    "three/drei/trois/tres/tre/três/drie four/vier/quatre/cuatro/quattro/quatro five/fünf/cinq/cinco/cinque/vijf "
    "six/sechs/seis/sei/zes seven/sieben/sept/siete/sette/sete/zeven eight/acht/huit/ocho/otto/oito "
    "nine/neun/neuf/nueve/nove/negen ten/zehn/dix/diez/dieci/dez/tien eleven/elf/onze twelve/zwölf/douze/doce/twaalf"
)
_FEW: Final = (
    "few several some einige einigen paar quelques unos unas algunos algunas alcuni alcune alguns algumas enkele"
)
_ORDINALS: Final = (
    "first/erste/ersten/erster/erstes/premier/première/primero/primer/primera/primo/prima/primeiro/primeira/eerste "
    "second/zweite/zweiten/zweiter/zweites/deuxième/segundo/segunda/secondo/seconda/tweede "
    "third/dritte/dritten/dritter/drittes/troisième/tercer/tercera/tercero/terzo/terza/terceiro/terceira/derde "
    "fourth/vierte/vierten/viertes/quatrième/cuarto/cuarta/quarto/quarta/vierde "
    "fifth/fünfte/fünften/cinquième/quinto/quinta/vijfde"
)
_PARTS: Final = (
    "beginning/start/early/anfang/début/principios/comienzos/inizio/início/começo/begin",
    "mid/middle/mitte/mediados/metà/meados/midden/medio",
    "end/late/ende/fin/finales/fine/fim/final/finais/eind/einde",
)
# Days that are named by their distance from today.
_DAYS: Final = {
    0: "today tonight heute hoy oggi hoje vandaag stamattina",
    -1: "yesterday gestern ayer ieri ontem gisteren",
    -2: "vorgestern anteayer antier altroieri anteontem eergisteren",
}
_DAYS_IN_WORDS: Final = {
    "day before yesterday": -2,
    "l ' altro ieri": -2,
    "avant hier": -2,
    "avant - hier": -2,
    "hier soir": -1,
    "hier matin": -1,
    "aujourd ' hui": 0,
    "last night": -1,
    "this morning": 0,
    "this afternoon": 0,
    "this evening": 0,
    "heute morgen": 0,
    "ce matin": 0,
    "esta mañana": 0,
}
# Words of several parts, and the one that they stand for.
_PHRASES: Final = {
    "il y a": "hace",
    "a couple of": "two",
    "a couple": "two",
    "couple of": "two",
    "a few": "few",
    "ein paar": "few",
    "una pareja de": "two",
    "fin de semana": "weekend",
    "fim de semana": "weekend",
    "fine settimana": "weekend",
    "fin de semaine": "weekend",
    "week end": "weekend",
    "week - end": "weekend",
    "prior to": "before",
    "segunda - feira": "segunda-feira",
    "terça - feira": "terça-feira",
    "quarta - feira": "quarta-feira",
    "quinta - feira": "quinta-feira",
    "sexta - feira": "sexta-feira",
    "mi -": "mid",
    "l ' estate": "l-estate",
    "l ' an": "année",
    "a partir de": "desde",
    "à partir de": "depuis",
}
# Every time has a number or a word with one of these roles.
_CUES: Final = frozenset({"month", "weekday", "season", "unit", "an", "relative_day", "here"})
# Prepositions by role; a word may be in several. in: goes before a month, a year or a season.
_PREPOSITIONS: Final = {
    "in": {
        "en": "in during throughout",
        "de": "im in während",
        "fr": "en pendant durant",
        "es": "en durante",
        "it": "in nel nello durante a ad",
        "pt": "em durante no na",
        "nl": "in tijdens",
    },
    "on": {"en": "on over at", "de": "am", "fr": "le", "es": "el", "it": "il", "pt": "na no", "nl": "op"},
    "since": {
        "en": "since",
        "de": "seit ab",
        "fr": "depuis dès",
        "es": "desde",
        "it": "da dal",
        "pt": "desde",
        "nl": "sinds vanaf",
    },
    "until": {"en": "until till", "de": "bis", "fr": "jusqu", "es": "hasta", "it": "fino", "pt": "até", "nl": "tot"},
    "before": {"en": "before", "de": "vor", "fr": "avant", "es": "antes", "it": "prima", "pt": "antes", "nl": "voor"},
    "after": {"en": "after", "de": "nach", "fr": "après", "es": "después", "it": "dopo", "pt": "depois"},
    "between": {
        "en": "between from",
        "de": "zwischen von vom",
        "fr": "entre de du",
        "es": "entre de del",
        "it": "tra fra da dal",
        "pt": "entre de",
        "nl": "tussen van",
    },
    "and": {
        "en": "and to until till through",
        "de": "und bis",
        "fr": "et à au",
        "es": "y a al hasta",
        "it": "e a al",
        "pt": "e a até",
        "nl": "en tot",
    },
    "of": {
        "en": "of",
        "de": "von des im vom",
        "fr": "de du d en",
        "es": "de del",
        "it": "di del dello dell",
        "pt": "de do da",
        "nl": "van",
    },
}
_PLAIN_ROLES: Final = {
    "the": "the der die das dem den des le la les l el los las il lo gli o os as het de al",
    "an": "an",
    "ago": "ago fa geleden atrás",
    "ago_before": "vor hace há faz",
    "half": "half hälfte moitié mitad metà metade helft",
    "daytime": "morning afternoon evening night morgens morgen abend nachmittag vormittag nacht matin soir",
    "year_word": "year jahr jahre année año anno ano jaar",
    # A year after one of these is one; German puts it after the subject.
    "in_year": "in of en em im nel during durante pendant während tijdens throughout ich wir er uns mich wurde wurden",
    # Words by which "hier" is yesterday, and not the German and Dutch here.
    "french": "que qu quoi est ai avons ont nous vous j elle dit fait le les ce une",
    "here": "hier",
    "every": "every each jeden jede jedes chaque cada ogni elke next nächste nächsten nächster nächstes kommende "
    "kommenden prochain prochaine próximo próxima prossimo prossima volgende",
}
# A number after one of these is no time.
_NUMBERED: Final = (
    "version release v room raum zimmer salle page seite chapter kapitel model modell no nr number bus line gate "
    "flight order ticket issue § # $ € £ ¥"
)


@cache
def lexicon() -> dict[str, dict[str, Any]]:
    """Return the meanings of all words, by the word in lower case."""
    found: dict[str, dict[str, Any]] = {}
    for word, role, value in _entries():
        meanings = found.setdefault(word, {})
        if role in ("month", "season", "in", "on", "since", "until", "before", "after", "between", "and", "of"):
            known = meanings.get(role)
            value = value if known is None else _joined(known, value)
        meanings[role] = value
    for word in [word for word in found if len(word) >= _MIN_UNACCENTED and not word.isascii()]:
        bare = "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))
        found.setdefault(bare, found[word])
    return found


@cache
def cues() -> frozenset[str]:
    """Return the words of which one at least is in every time that has no number."""
    named = {word for word, meanings in lexicon().items() if not _CUES.isdisjoint(meanings)}
    return frozenset(
        named | {part for words in (*_PHRASES, *_DAYS_IN_WORDS) for part in words.split() if len(part) > 3}
    )


@cache
def phrases() -> dict[str, list[tuple[tuple[str, ...], dict[str, Any]]]]:
    """Return the meanings of words of several parts, by their first part, the longest first."""
    found: dict[str, list[tuple[tuple[str, ...], dict[str, Any]]]] = {}
    known = lexicon()
    meant = {words: known[word] for words, word in _PHRASES.items()}
    meant |= {words: {"relative_day": days} for words, days in _DAYS_IN_WORDS.items()}
    for words, meanings in meant.items():
        parts = tuple(words.split())
        found.setdefault(parts[0], []).append((parts, meanings))
    for some in found.values():
        some.sort(key=lambda row: -len(row[0]))
    return found


def _entries() -> Iterator[tuple[str, str, Any]]:
    for language, months in _MONTHS.items():
        for word, number in _numbered(months, 1):
            yield word, "month", (number, frozenset({language}))
    for word, number in _numbered(_SHORT_MONTHS, 1):
        yield word, "short_month", number
    for word in _PLAIN_MONTHS.split():
        yield word, "plain_month", True
    for words in _WEEKDAYS:
        yield from ((word, "weekday", number) for word, number in _numbered(words, 0))
    for word, number in _numbered(_WEEKDAYS[1], 0):
        yield from ((word + daytime, "weekday", number) for daytime in _GERMAN_DAYTIMES)
    for language, words in _SEASONS.items():
        for word, number in _numbered(words, 0):
            yield word, "season", (number, frozenset({language}))
    for unit, words in _UNITS.items():
        yield from ((word, "unit", unit) for word in words.split())
    for days, words in _DAYS.items():
        yield from ((word, "relative_day", days) for word in words.split())
    yield from ((word, "cardinal", number) for word, number in _numbered(_CARDINALS, 1))
    yield from ((word, "ordinal", number) for word, number in _numbered(_ORDINALS, 1))
    yield from ((word, "part", number) for number, words in enumerate(_PARTS) for word in words.split("/"))
    yield from ((word, "few", True) for word in _FEW.split())
    yield from ((word, "last", True) for word in _LAST.split())
    yield from ((word, "last_after", True) for word in _LAST_AFTER.split())
    yield from ((word, "this", True) for word in _THIS.split())
    yield from ((word, "numbered", True) for word in _NUMBERED.split())
    for role, by_language in _PREPOSITIONS.items():
        for language, words in by_language.items():
            yield from ((word, role, frozenset({language})) for word in words.split())
    for role, words in _PLAIN_ROLES.items():
        yield from ((word, role, True) for word in words.split())


def _numbered(words: str, start: int) -> Iterator[tuple[str, int]]:
    for number, variants in enumerate(words.split(), start):
        yield from ((word, number) for word in variants.split("/") if word != "-")


def _joined(known: Any, new: Any) -> Any:
    if isinstance(known, tuple):
        return known[0], known[1] | new[1]
    return known | new
