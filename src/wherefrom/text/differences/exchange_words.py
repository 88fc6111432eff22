"""The words by which a short statement shows where its value stands, and whether it can have only one.

In English and German, with what Japanese, Chinese and Korean need. `exchanged` says how they are used. A verb that is
in no list here is an event or unknown, so that nothing behind it counts as a value.
"""

# ruff: noqa: SIM905
# A list of words is read as words.

from __future__ import annotations

import re
from typing import Final

from wherefrom.text.differences import fact_words as known

COPULAS: Final = frozenset("is are ist sind bin".split())
PLURAL_COPULAS: Final = frozenset("are sind".split())
# Verbs with one value at a time: who lives somewhere does not live elsewhere.
STATES: Final = frozenset(
    """
    live lives reside resides work works stay stays cost costs weigh weighs measure measures last lasts sit sits stand
    stands belong belongs report reports point points listen listens default defaults moved relocated switched changed
    transferred earn earns pay pays charges rank ranks expire expires equals totals remain remains became becomes
    resets renews averages born amounts returns scales retries
    wohnt wohne wohnen lebt lebe leben arbeitet arbeite arbeiten kostet kosten wiegt wiege dauert heißt heisst heiße
    gehört liegt steht befindet sitzt beträgt verdient verdiene zahlt zahle gilt zeigt zog wechselte misst umfasst parkt
    bleibt läuft lautet liegen stehen heißen gehören dauern betragen befinden bleiben laufen
    """.split()
)
# Verbs that say when something is; a weekday is a value only behind one of these, or behind "is".
SCHEDULES: Final = frozenset(
    """
    start starts begin begins end ends open opens close closes leave leaves depart departs arrive arrives run runs
    takes happen happens occur occurs meet meets land lands expires ship ships launch launches wakes boards airs
    beginnen starten enden öffnen schließen beginnt startet endet öffnet schließt fährt kommt läuft findet trifft liegt
    erscheint
    """.split()
)
# Verbs with many values: who speaks German may speak French, too. Only a number tells them apart.
MANY_VALUED: Final = frozenset(
    """
    has have need needs require requires take takes allow allows support supports include includes contain contains
    serve serves store stores accept accepts offer offers sell sells employ employs speak speaks like likes love loves
    own owns know knows play plays visit visits read reads want wants enjoy enjoys hate hates eat eats drink drinks buys
    collects manages manage holds keeps keep meet meets calls sees handles uses use makes go goes consist consists cover
    covers get gets give gives come comes spend spends save saves receive receives produce produces process processes
    wake wakes walk walks train trains burn burns consume consumes comprise comprises seat seats carry carries
    hat habe haben braucht brauche benötigt unterstützt enthält bietet spricht spreche sprechen mag liebt besitzt kennt
    kenne spielt spiele liest lese kauft besucht isst trinkt trinke hasst will möchte beschäftigt verwaltet hält nutzt
    nutze benutzt verwendet speichert geht gehe besteht bekommt bekomme fasst trägt
    """.split()
)
# Verbs that may have one value or many: only a statement that says "now" exchanges it.
WEAK: Final = frozenset(
    """
    attend attends drive drives study studies prefer prefers teach teaches wear wears ride rides rent rents
    fährt studiert bevorzugt unterrichtet trägt
    """.split()
)
# Verbs whose value is a number; behind them a word is none.
NUMERIC: Final = frozenset(
    """
    cost costs weigh weighs measure measures last lasts earn earns pay pays charges rank ranks equals totals averages
    amounts retries scales resets renews expire expires born
    kostet kosten wiegt wiege dauert beträgt verdient verdiene zahlt zahle misst umfasst dauern betragen
    """.split()
)
WORKS: Final = frozenset("work works arbeitet arbeite arbeiten".split())
USES: Final = frozenset("use uses nutzt nutze nutzen benutzt verwendet verwenden".split())
# Beside "is", these say when something is.
APPOINTED: Final = frozenset(
    "scheduled due moved set held booked placed angesetzt terminiert fällig verschoben".split()
)
# Verbs of change, whose value stands behind "to".
MOVES: Final = frozenset("moved relocated switched changed transferred zog wechselte returns became".split()) - {
    "became"
}
PREFERENCES: Final = frozenset("prefer prefers bevorzugt".split())
VERBS: Final = COPULAS | STATES | SCHEDULES | MANY_VALUED | WEAK
# Between "is" and its value these may stand: "is based in Berlin".
PARTICIPLES: Final = frozenset(
    """
    written based located hosted deployed stored married engaged set scheduled due named called assigned managed led
    owned run built moved changed installed registered configured kept parked maintained capped limited fixed planned
    headed chaired sold held dating served shown used shared living working stationed enrolled employed currently
    booked placed listed priced valued geschrieben verheiratet verlobt gehostet angesiedelt gespeichert installiert
    angesetzt terminiert fällig beschäftigt angestellt geplant gelegen stationiert zuhause eingeschrieben gesetzt
    eingestellt begrenzt gezogen umgezogen
    """.split()
)
# Words that may come or go: they say that something holds now, or nothing.
CHANGE_MARKERS: Final = frozenset(
    """
    now currently presently nowadays meanwhile newly recently jetzt nun derzeit aktuell momentan inzwischen mittlerweile
    neuerdings nunmehr gerade zurzeit
    """.split()
)
FILLING: Final = frozenset(
    """
    the a an also still always already just actually really only again both too very exactly officially
    der die das den dem des ein eine einen einem einer eines auch noch immer schon bereits nur genau offiziell
    """.split()
)
FUNCTION: Final = frozenset(
    """
    in at on for to of by from with as into onto under over near via per until till about around up off out and or but
    every each that which who his her their its my our your i we you he she it they this these there here me us him
    them s jede jeden jeder alle am im um zu zum zur von vom bei beim mit auf an aus nach für bis unter über als pro
    gegen ab in und oder aber sein seine ihr ihre mein meine unser unsere euer dein deine ich wir du er sie es dieser
    diese dieses dort hier sich
    """.split()
)
# Prepositions that say the same before a value.
SAME_PREPOSITIONS: Final = frozenset(map(frozenset, (("at", "for"), ("bei", "für"), ("in", "im"), ("zu", "zum"))))
PRONOUNS: Final = frozenset(
    """
    he she it they this that these those there his her its their er es sie dies diese dieser dieses dort ihr ihre
    """.split()
)
CONJUNCTIONS: Final = frozenset("and or but plus und oder sowie aber also auch & vs versus".split())
# A statement that begins with one of these is about any of many things, and the next one perhaps about another.
INDEFINITE: Final = frozenset(
    """
    a an one some another several many few any somebody someone something everybody everyone most ein eine einige
    mehrere manche viele jemand etwas alle
    """.split()
)
# Statements with one of these are no plain statements: doubts, wishes, conditions, stories.
UNSURE: Final = frozenset(
    """
    if whether maybe perhaps probably possibly might may could would should wish hope hopes thinks think guess unless
    when while because although though yesterday today tomorrow tonight ago was were had did used lol haha hey hi hello
    thanks thank wow yeah yes sorry congrats oh ok okay please let example e.g
    falls ob wenn vielleicht womöglich wahrscheinlich könnte würde sollte obwohl weil gestern heute morgen vorgestern
    war waren hatte hatten wurde wurden damals früher danke hallo bitte beispiel
    """.split()
)
PLANNED: Final = frozenset(
    """
    plan plans planned planning intends intend proposed tentative estimated estimate expected forecast target goal draft
    scheduled wants hopes budgeted projected supposed will
    geplant plant vorgesehen voraussichtlich erwartet geschätzt ziel entwurf vorläufig will soll wird prognose
    """.split()
) - {"scheduled"}
# Words that say of what, where or when a figure holds: other values beside them are those of others.
QUALIFIERS: Final = frozenset(
    """
    staging production prod dev development test testing qa canary sandbox preview local locally morning mornings
    afternoon evening evenings night nights noon midnight weekend weekends weekday weekdays summer winter autumn spring
    fall adults children kids men women members students seniors guests beginners upload download inbound outbound
    minimum maximum min max left right upper lower first second third last next previous former old new breakfast lunch
    dinner domestic international monthly weekly daily yearly annually hourly ios android windows macos linux web mobile
    desktop north south east west internal external frontend backend input output read write ingress egress
    produktion entwicklung morgens abends nachts mittags vormittags nachmittags wochenende wochentags sommer frühling
    herbst erwachsene kinder männer frauen mitglieder studenten gäste links rechts oben unten erste zweite dritte letzte
    nächste frühere alte neue frühstück mittagessen abendessen monatlich wöchentlich täglich jährlich intern extern
    nord süd ost hin zurück lokal
    """.split()
)
# A person or a thing may have several of these.
MANY_NOUNS: Final = frozenset(
    """
    friend friends brother sister son daughter child children colleague neighbour neighbor cousin uncle aunt customer
    client hobby hobbies pet dog cat member goal skill feature dependency ally rival student song book movie film game
    option example reason problem issue risk idea language languages food recipe allergy topic habit ingredient freund
    freundin bruder schwester sohn tochter kind kollege kollegin nachbar cousine onkel tante kunde kundin haustier hund
    katze mitglied ziel fähigkeit lied buch spiel beispiel grund problem risiko idee sprache allergie thema zutat
    """.split()
)
# Subjects that may be several things at once, whatever the verb.
CAUSES: Final = frozenset(
    """
    bug error problem issue reason cause risk example option idea difference advantage fehler problem grund ursache
    risiko beispiel idee unterschied vorteil nachteil
    """.split()
)
FAVOURITES: Final = re.compile("^(?:favou?rite|lieblings|preferred|default|main|primary|standard|haupt)")
# Heads of subjects that have exactly one value, whatever its form.
ATTRIBUTES: Final = frozenset(
    """
    status state colour color name nickname address title role job profession occupation position deadline date time
    price cost budget size height weight age limit timeout theme priority format license licence currency timezone mode
    level password passphrase pin code shift strategy type unit frequency interval phase stage subscription tier gate
    platform terminal birthday number rating score rank severity visibility setting branch region length duration
    farbe name adresse titel rolle beruf position frist termin preis größe höhe gewicht alter limit priorität format
    lizenz währung modus stufe zustand typ einheit intervall tarif passwort geburtstag dauer länge zeitzone status
    """.split()
)
# Heads of subjects that are one thing or person: they have one name, but are many things besides.
THINGS: Final = frozenset(
    """
    owner lead leader manager boss contact assignee capital framework database editor city hometown place location room
    venue provider host ceo cto cfo president chair captain partner husband wife boyfriend girlfriend doctor dentist
    teacher school employer company supplier maintainer reviewer mentor landlord department team plan seat diet policy
    language schedule
    besitzer leiter leiterin chef chefin kontakt hauptstadt datenbank stadt wohnort ort standort raum anbieter region
    partner mann frau ehemann ehefrau arzt zahnarzt lehrer schule arbeitgeber firma lieferant abteilung sprecher
    ansprechpartner ansprechpartnerin sprache
    """.split()
)
# These words tell of feelings and interests: they look like "is based in", yet may have many values.
INNER_STATES: Final = frozenset(
    """
    interested involved excited disappointed scared worried concerned specialised specialized experienced skilled used
    supposed tired bored annoyed amazed surprised closed pleased
    """.split()
)
# Values of one kind, of which a thing has one at a time.
KINDS_OF_VALUES: Final = {
    word: number
    for number, words in enumerate(
        """
        red blue green yellow black white purple orange pink brown grey gray beige silver golden turquoise rot blau
        grün gelb schwarz weiß lila rosa braun grau silbern türkis |single engaged married divorced widowed separated
        ledig verlobt verheiratet geschieden verwitwet |vegetarian vegan pescatarian vegetarier veganer vegetarierin
        veganerin vegetarisch |open closed pending approved rejected done blocked cancelled offen geschlossen geöffnet
        erledigt blockiert abgelehnt genehmigt|enabled disabled|on off|active inactive paused aktiv inaktiv pausiert|an
        aus |low medium high critical niedrig mittel hoch kritisch|small large klein groß |nurse doctor teacher
        engineer lawyer accountant designer developer manager student programmer architect analyst consultant director
        journalist chef plumber electrician carpenter pharmacist dentist surgeon professor researcher scientist intern
        barista waiter waitress librarian secretary arzt ärztin lehrer lehrerin ingenieur ingenieurin anwalt anwältin
        entwickler entwicklerin koch köchin studentin architekt architektin pfleger krankenpfleger krankenschwester
        verkäufer verkäuferin apotheker apothekerin bäcker bäckerin professorin |retired unemployed employed|dark light
        dunkel hell|public private|manual automatic|full-time part-time |vollzeit teilzeit|online offline
        """.split("|")
    )
    for word in words.split()
}
WEEKDAYS: Final = frozenset(
    """
    monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun
    montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag
    """.split()
)
ROUTINE_DAYS: Final = frozenset(
    """
    mondays tuesdays wednesdays thursdays fridays saturdays sundays
    montags dienstags mittwochs donnerstags freitags samstags sonntags
    """.split()
)
MONTHS: Final = frozenset(
    """
    january february march april may june july august september october november december jan feb mar apr jun jul aug
    sep sept oct nov dec januar jänner februar märz mai juni juli oktober dezember
    """.split()
)
NUMBERS: Final = known.NUMBERS | {
    word: str(value)
    for value, words in enumerate(
        """
        null|eins erste ersten|zwei zweite zweiten zweiter|drei dritte dritten dritter|vier vierte vierten|fünf fünfte
        fünften|sechs sechste sechsten|sieben siebte|acht achte achten|neun neunte|zehn|elf|zwölf
        """.split("|")
    )
    for word in words.split()
}
NEGATIONS: Final = known.NEGATIONS | frozenset("not nicht keines niemand nichts".split())
UNITS: Final = frozenset(
    """
    % percent € $ £ ¥ eur usd euro euros dollar dollars cent cents yen k m mb gb tb kb ms s sec min h hr hrs km cm mm kg
    g mg lb lbs am pm o'clock clock uhr prozent st nd rd th x w kw kwh mbit gbit px l ml
    """.split()
)

# Phrases for which a shorter one stands, before words are told apart.
LEADING_TIME: Final = re.compile(
    r"^(?:\[?\(?\d{4}-\d{2}-\d{2}\)?\]?\s*[:,\-–]?\s+"
    r"|(?:update|correction|korrektur|neu|new|note|info|achtung|änderung)\s*:\s*"
    r"|(?:as of|stand|effective|starting|from|since|seit|ab)\s+(?:(?!\bto\b)[\w.]+\s?){1,3}(?:on|an)?\s*[,:]\s*"
    r"|(?:since|seit|as of|ab|ab dem)\s+(?:\w+\s+)?\d{4}\s+|(?:seit|ab)\s+(?:sofort|kurzem|neuestem|mai|januar|februar|"
    r"märz|april|juni|juli|august|september|oktober|november|dezember)\s+)",
    re.IGNORECASE,
)
TRAILING_TIME: Final = re.compile(
    r"[,(]?\s+(?:since|seit|as of|effective|ab|starting)\s+(?:[\w.]+\s?){1,3}\)?(?=[.;]?\s*$)", re.IGNORECASE
)
NOW_PHRASES: Final = re.compile(
    r"\b(?:right now|at the moment|at present|these days|for now|from now on|as of now|zur zeit|im moment|ab sofort|"
    r"von nun an|ab jetzt|seit kurzem)\b",
    re.IGNORECASE,
)
CONTRACTED: Final = re.compile(r"\b(is|are|does|do|has|have|can|could|would|should)n['’]?t\b", re.IGNORECASE)
NO_LONGER: Final = re.compile(
    r"\bno longer\b|\b(?:does|do) not\b((?:(?! any ?more| any longer)[^.])*)(?: any ?more| any longer)\b"
    r"|\b(?:does|do) not\b|\bnot ([^.]*?) any ?(?:more|longer)\b|\bnicht (?:mehr|länger)\b"
    r"|\bkeine?[nmrs]? ([\w-]+) mehr\b",
    re.IGNORECASE,
)
_CHANGED: Final = (
    "moved|changed|set|switched|postponed|increased|reduced|raised|lowered|updated|pushed|extended|rescheduled|cut|"
    "renamed|bumped|shifted|delayed|brought forward|decreased"
)
CHANGED_TO: Final = re.compile(
    rf"\b(?:is|are|was|were|has been|have been|got|has|have)\s+(?:now\s+|recently\s+)?(?:{_CHANGED})\s+"
    r"(?:back |up )?to\b",
    re.IGNORECASE,
)
CHANGED_DE: Final = re.compile(
    r"\b(?:wurde|wurden|ist|sind)\b([^.]*?)\bauf\b([^.]*?)\s+"
    r"(?:verschoben|geändert|verlegt|erhöht|gesenkt|gesetzt|angehoben|reduziert|umgestellt|verlängert|vorgezogen)\b",
    re.IGNORECASE,
)
CONTINUOUS: Final = re.compile(r"\b(?:is|am|are) (?:now |currently )?(liv|work|stay|sleep)ing\b", re.IGNORECASE)
WEEKLY: Final = re.compile(
    "weekly|standup|stand-up|sync|jour|wöchentlich|retro|collection|pickup|abfuhr", re.IGNORECASE
)
