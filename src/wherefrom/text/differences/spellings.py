"""One spelling for words that are written in several ways: British and American, contractions."""

# ruff: noqa: SIM905
# A list of words is read as words.

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

# Groups of spellings, parted by bars; all of a group are written as its first.
_GROUPS: Final = """
    gray grey|tire tyre|tires tyres|curb kerb|plow plough|plowed ploughed|
    skeptic sceptic|skeptical sceptical|aluminum aluminium|pajamas pyjamas|mom mum|mommy mummy|
    whiskey whisky|yogurt yoghurt yoghourt|donut doughnut|donuts doughnuts|mustache moustache|aging ageing|
    judgment judgement|acknowledgment acknowledgement|cozy cosy|mold mould|moldy mouldy|molt moult|smolder smoulder|
    artifact artefact|artifacts artefacts|adviser advisor|advisers advisors|inquire enquire|inquiry enquiry|
    inquiries enquiries|toward towards|afterward afterwards|backward backwards|forward forwards|upward upwards|
    downward downwards|while whilst|among amongst|learned learnt|burned burnt|spelled spelt|dreamed dreamt|
    leaped leapt|spoiled spoilt|spilled spilt|sulfur sulphur|airplane aeroplane|airplanes aeroplanes|likable likeable|
    sizable sizeable|ok okay|defense defence|offense offence|license licence|licenses licences|
    pretense pretence|practice practise|practiced practised|practicing practising|program programme|
    programs programmes|jewelry jewellery|skillful skilful|willful wilful|fulfill fulfil|enroll enrol|
    enrollment enrolment|installment instalment|installments instalments|maneuver manoeuvre|focused focussed|
    focusing focussing|carburetor carburettor|licorice liquorice|chili chilli|chilies chillies|
    cesarean caesarean|ameba amoeba|archeology archaeology|diarrhea diarrhoea|encyclopedia encyclopaedia|
    esthetic aesthetic|estrogen oestrogen|fetus foetus|fetal foetal|medieval mediaeval|orthopedic orthopaedic|
    pediatric paediatric|pediatrician paediatrician|celiac coeliac|math maths|thru through|tonight tonite|
    disk disc|disks discs|neuron neurone|neurons neurones|
    photo foto|photos fotos|potenziell potentiell|delfin delphin|fantasie phantasie|
    woolen woollen|marvelous marvellous|traveler traveller|jail gaol|specialty speciality|pedlar peddler|
    orientated oriented|preventive preventative|percent pct|kg kilogram kilograms kilogramme kilogrammes kilo kilos|
    g gram grams gramme grammes|km kilometre kilometres kilometer kilometers|cm centimetre centimetres centimeter
    centimeters|mm millimetre millimetres millimeter millimeters|ml millilitre millilitres milliliter milliliters|
    mg milligram milligrams|monday mon|tuesday tue tues|wednesday weds|thursday thu thur thurs|friday fri|january jan|
    february feb|april apr|august aug|september sep sept|october oct|november nov|december dec|anesthetist anaesthetist|
    anesthetic anaesthetic|anesthesia anaesthesia|e-mail email
"""
_SPELLINGS: Final = {
    other: group.split()[0] for group in _GROUPS.split("|") if group.split() for other in group.split()[1:]
}
# What a word is two words for; "'s" is "is" only after these.
_CONTRACTIONS: Final = {"won't": "will not", "can't": "can not", "cannot": "can not", "shan't": "shall not"}
_IS: Final = frozenset("it that there he she what here who where".split())
_ENDINGS: Final = {"n't": " not", "'re": " are", "'ll": " will", "'ve": " have", "'m": " am"}
_OUR: Final = re.compile("(?<=[a-z]{2})our(?=$|s$|ed|i|a|l|h|f|er)")
_NOT_OUR: Final = frozenset("fourth hour hours tour tours pour pours four fours your yours flour flours".split())
_ISE: Final = re.compile("(?<=[a-z]{3})is(?=(?:e|es|ed|ing|er|ers|ation|ations|able)$)")
_YSE: Final = re.compile("(?<=[a-z]{2})ys(?=(?:e|es|ed|ing|er|ers)$)")
_RE: Final = re.compile("(?<=cent|heat|lust|pect)re(?=d?s?$)|(?<=lit|fib|lib|sab|och|omb|eag)re(?=s?$)")
_CENTERED: Final = re.compile("(?<=[ae]nt)erd$")
_OGUE: Final = re.compile("(?<=[a-z]{2}l)ogue(?=s?$)")
# Of other words a doubled letter makes another one: refiled, refilled.
_DOUBLED: Final = re.compile(
    "(?<![a-z])((?:travel|cancel|label|model|signal|level|fuel|refuel|marvel|counsel|jewel|panel|channel|tunnel|quarrel"
    "|equal|total|pedal|shovel|snorkel|libel|rival|spiral|initial|enamel|parcel|pencil|stencil|bevel|swivel|duel|funnel"
    "|chisel|unravel))l(?=(?:ed|ing|er|ers|or|ors)$)"
)
_HAEM: Final = re.compile("(?<=[hn])aem|(?<=[a-z]k)aem")
_MIN_OUR: Final = 5


@lru_cache(maxsize=65_536)
def spelled(word: str) -> str:
    """A word in lower case as it is written here; of a contraction, its words parted by a space."""
    word = word.replace("’", "'")
    if "'" in word:
        if word in _CONTRACTIONS:
            return _CONTRACTIONS[word]
        for ending, full in _ENDINGS.items():
            if word.endswith(ending) and len(word) > len(ending):
                return word.removesuffix(ending) + full
        stem, _, ending = word.partition("'")
        if not ending:
            return f"{spelled(stem)}'"
        if ending != "s":
            return word
        return f"{stem} is" if stem in _IS else f"{spelled(stem)}'s"
    if word in _SPELLINGS:
        return _SPELLINGS[word]
    if not word.isascii():
        return word
    if word == "cannot":
        return _CONTRACTIONS[word]
    if len(word) >= _MIN_OUR and word not in _NOT_OUR:
        word = _OUR.sub("or", word)
    word = _OGUE.sub("og", _RE.sub("er", _YSE.sub("yz", _ISE.sub("iz", _HAEM.sub("em", word)))))
    word = _CENTERED.sub("ered", word)
    word = _DOUBLED.sub(r"\1", word)
    return _SPELLINGS.get(word, word)
