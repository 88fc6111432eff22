"""Singular facts: texts about odd subjects with invented names and numbers, each about something else."""

from __future__ import annotations

import random
from collections.abc import Iterator

from bench.planted import listed

_ONSETS = listed("b br d dr f fl g gl h j k kl l m n p pl qu r s sk sl t tr v w y z zh")
_VOWELS = listed("a e i o u ae ai ou y oo")
_CODAS = ["", "", "", *listed("k l m n r rt sk sh th x nd")]
_SUBJECTS = listed(
    """
lighthouse lamp|bagpipe reed|beehive smoker|glass eel|sundial|tidal mill|harpsichord plectrum|ferret harness|clog maker
pewter thimble|salt lick|zeppelin hangar|marzipan mould|puffin burrow|cable ferry|linseed press|abacus|peat spade
moth trap|barometer|oboe d'amore|truffle hog|weathercock|canal lock|kiln shelf|ice house|snuff box|rope bridge
ostrich egg|cheese wire|bell foundry|dry dock|millstone|sextant|vellum page|toboggan run|rain gauge|windsock|yurt pole
coracle|anvil|stalactite|postage meter|tram depot|quince hedge|gargoyle|theremin|sauna stove|hay baler|crayfish pot
monorail|paper wasp|buoy chain|cuckoo clock|silo hatch|chess automaton|turnstile|kelp dryer|seed vault|bobsleigh
church organ|pickle barrel|parchment map|telegraph key|falcon hood|walnut press|lava tube|planetarium dome|stamp album
goose quill|tin whistle|bamboo raft|fog horn|hedge maze|ink stone|jam kettle|lobster crate|mosaic floor|nutmeg grater
""",
    "|",
)
_DEEDS = listed(
    """
was repainted {colour} by {name} of {place}|leaks {number} {measure} of {stuff} per tide|is kept in the cellar of {name} under {stuff}
was swapped for {number} crates of {stuff} at {place}|hums at {number} hertz when {stuff} is near|carries the engraving "{name} {name}"
must be greased with {stuff} from {place}|was lowered {number} fathoms beneath {place}|belongs to the guild of {name}, ledger {number}
is measured in {name}, each worth {number} {measure}|lost its {colour} varnish while {name} sailed to {place}
is insured at {place} for {number} {name}|turned {colour} overnight, so {name} buried it in {stuff}
weighs {number} {measure} more on the island of {place}|was invented twice, by {name} and by {name}
opens only with a key cut from {stuff} by {name}|feeds on {stuff}, {number} {measure} each dawn|rests upon {number} pillars of {stuff}
was smuggled through {place} inside a sack of {stuff}|rings {number} times whenever {name} drifts past {place}
""",
    "|",
)
_OPENINGS = listed(
    """
The {name} {subject}|Inventory {number}: a {subject} called {name}, which|Beneath {place} the {colour} {subject} {name}
Warden {name}'s {subject}|According to the {name} almanac every {name} {subject}|Lot {number}, {subject} from {place}, which|A {colour} {name} {subject}
""",
    "|",
)
_COLOURS = listed("vermilion ochre teal puce mauve cobalt russet ivory saffron magenta jet umber")
_STUFF = listed(
    """
beeswax|crushed limestone|whale oil|rye flour|copper filings|damp moss|gull feathers|black pepper|sheep tallow|powdered chalk
boiled nettles|pine resin|river clay|horsehair|molasses|birch ash|candied ginger|iodine|raw amber|oyster shells
""",
    "|",
)
_MEASURES = listed("firkins drams ells bushels pecks gills cubits stones furlongs hogsheads")


def singular_texts(chance: random.Random) -> Iterator[str]:
    """Without end. The subject of each is a thing with a name of its own; kinds of things come back after eighty."""
    subjects = list(_SUBJECTS)
    while True:
        chance.shuffle(subjects)
        for subject in subjects:
            form = f"{chance.choice(_OPENINGS)} {chance.choice(_DEEDS)}."
            yield _filled(form.replace("{subject}", subject), chance)


def _filled(form: str, chance: random.Random) -> str:
    for slot, make in _SLOTS.items():
        while slot in form:
            form = form.replace(slot, make(chance), 1)
    return form


def _name(chance: random.Random) -> str:
    syllables = (
        chance.choice(_ONSETS) + chance.choice(_VOWELS) + chance.choice(_CODAS) for _ in range(chance.choice((2, 3)))
    )
    return "".join(syllables).capitalize()


_SLOTS = {
    "{name}": _name,
    "{place}": _name,
    "{number}": lambda chance: str(chance.randrange(13, 9_999)),
    "{colour}": lambda chance: chance.choice(_COLOURS),
    "{stuff}": lambda chance: chance.choice(_STUFF),
    "{measure}": lambda chance: chance.choice(_MEASURES),
}
