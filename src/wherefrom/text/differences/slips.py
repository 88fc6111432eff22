"""Tells a slip of the fingers from another word: "pasword" is no word, "causal" is one beside "casual".

What a word is, the vocabulary of a tokenizer tells: words that it knows are one piece, others are several. A slip has
one letter too few or too many, two neighbours exchanged, or (in long words) one letter for another; and it is no word,
while what it was meant to be is one, or breaks into fewer pieces. Words that the vocabulary breaks, though they stand
beside another word by a letter, are listed.
"""

# ruff: noqa: SIM905
# A list of words is read as words.

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from wherefrom.text.differences.added_content import changed
from wherefrom.text.differences.fact_words import DATES

CountPieces = Callable[[str], int]
"""Into how many pieces a vocabulary breaks a word; 1 for a word that it knows."""

# Words of several pieces that are one letter away from another word: found among the words of SciFact, LoCoMo,
# LongMemEval and HotpotQA with the packaged model, and some more.
_WORDS: Final = frozenset(
    """
    accompanies accumulates achieves actin adaption addiction adsorbed adsorption advances aide aise aisle alum
    ambitious analyses analysts angel animalis announcer annul apnoea appealing appreciates aptitude arena
    arranger assembles assemblies associates attaches auction audition aurea avid baited baking banking bared barn
    barred barren basics basking bater batted batting battling bears beast beats bedside believes beset besets
    biased biases biter bites blinding bonded bonds boots bored boredom borne branched brands brass breach breadth
    breathe bride bridging broach brooch broth bruise callus camps cannon canyon caped capped caption captures
    carat careers carer carers cares carriers carries carrot cash casual casualty cation causal causality caution
    cease ceases censer censor certainty charging chase chats cheating chimaeras chimaeric chimeras chord
    chromatid chronicled chronicler chute clamp clan claws closet coarse coasts cohesin cohesion coins collage
    colonel combines commenced commended commuter compares compete competes competing completes completing
    complexed compliment complimented concerted concerto concertos concerts concludes cones confidant
    congratulates considerably constriction consumed contacted contacting contexts contiguous contingent
    contracted contracting contracts contributes conversed coordinated copes corin counsel counties creatine crore
    cure cuter cutter cysteine cytosine dairy dancers deamination debt deceased decreased defending delamination
    delivers demonstrates depleted depleting depletion deprivation deprived derives deriving dessert detention
    determines diary diner diners dinners disadvantaged disassemble discovers discreet discusses displaced
    distinguishes distributes dive diving donor donors doped dopped doses dosing drawer ducal ductal earrings
    ejection elector elicit eminent employers enhancer enhancers ensuing entirety episomes establishes eternal
    evaluates exchanger exciting exercises exert exerts exiting expansive expresses extender facilitates faction
    factions faeces fairy familial favored favors feast fees fibre fights filed filing filming finishes flair
    flavor flavored flavors flies flights flood flour follower formylated forums founding fractions frail freed
    freeing freeze freezing fried frieze funded funding gambit gamble gambol gamers gametocytaemia gametocytemia
    garde genotyped gland glycaemia glycaemic glycemia gong graceful graduates grafting grain grained grated gust
    hangar hanger hater hatter homogenous homologs hopping hostel hydroxymethyl hyperglycaemia hyperglycaemic
    hyperglycemia hyperlipidemia hypoglycaemia hypoglycaemic hypoglycemia hypotheses identifies illicit
    illustrates imminent improves inducers induces inducted inert inevitably infecting infection infections
    influencer influencers influences inhibited inspires integrates interviewer introduces invention inverted
    ischaemic isolates joints journalism kids ladder lager laterally laying leaning leukaemic leukemic lightening
    lightning likes lined liner lining literacy litter livers loath loathe locales locals loses lumbar lumber
    lunch maker makers mange manger manufacturers marching marital maritima marking marten martial martin masking
    mated maternal matted meal medial mediate mediation medication meditate meditation metre mined miners modifier
    modifiers modifies mods modulates moist monkey moods moped mopped morale mousse movies mumol naive neuritic
    niche niece noting occupies oncology operates organizer organizers organizes outlived overcame oversight
    overthrew paced pacing packaged packing panned parity participates patent paying performer phage phages
    phosphorylase phrases pilots plaice plains plaintiff plaintive planed planted plated poler poller porphyrin
    posed posing positron possesses pots powder practiced precious prefect prepares presenter preserves prevented
    prey primers primes princess prion prions prioritizes prisons privileged producers profiled programmed
    programmes projected promoter promoters promotes prompted prophecy prophesy proposes prose protects protested
    providers publisher publishers publishes purchases purge purse quantify rafts raid raion rated rats ratted
    reagent reasonably recognizes reelected reelection regained regent regimens reigned reliably relied reliever
    religions remarkably reminded reminder renal replaces reporter repression resected reserves reside residency
    resides residue residues resigned resigning resolves respected restores retaining retriever revered reversed
    reverted rewarded rewarding rewiring ridge robbed robed rods ruins rulers sage sailer sailor salon saloon
    scared scarred schedules scraped scrapped screener secretory seeding seedling seeds seeks seep selectin
    selling semen sensitize separates sequenced serous serviced settling sexes shelf shoe shopping shorts
    showcased shunt simulated simulator sings sits sized slaver sleek slides slit sliver sloping slopping smell
    sneakers sore spacers sparing spawning speculates spelling spending spends splice spoon sporting spots stained
    stains starches staring starring statin statins stationary stationery stature staying steep stent stepping
    stimulate stimulated stimulates stimulation stimulator stipulated strained strains strand strands stratum
    stretches striatum striped stripped striving structured stunting subtitles suites supper supporter surge
    surprises swelling switches tabled tablet tablets tanks taped taper tapped tapper teaches tech teens templated
    tenor testes testis thalassaemia thalassemia thanking threats throughput ties tiger timed tinny tire titer
    topical tough traced tracer tracing tracked tracker trails transducers transduces transit translates translit
    translocates transnational traveled treaties treatise treats trend trends trials tribal trips trisphosphate
    tropics troubled trough tuned tuning tying uncoupled unfit unite united untie untied upgrades upregulates
    vertebrae vertebrate vesicles viola voila waist waking wander wards wears weighed weighted wheat whipped widow
    winder winds winery wining wiped withdrew worlds wrist
    """.split()
)
# Shorter words are another word too often; so are names, and words in which one letter stands for another.
_MIN_LENGTH, _MIN_NAME, _MIN_EXCHANGED, _MIN_EVEN = 5, 7, 8, 7

# With an umlaut, written here as two letters, it is another word: schon, schön.
_UMLAUT: Final = re.compile("[aou]e")


def is_slip(word: str, other: str, count_pieces: CountPieces, *, is_name: bool = False) -> bool:
    """True if one of two words, in lower case, is the other one with a slip. is_name: they may be names, in which only
    a letter that is doubled and two that are exchanged are slips.
    """
    longest = max(len(word), len(other))
    if longest < _MIN_LENGTH or word[0] != other[0] or abs(len(word) - len(other)) > 1 or not (word + other).isalpha():
        return False
    is_name = is_name and not {word, other} & DATES
    mine, theirs = changed(word, other)
    rest = mine + theirs
    is_swap = len(mine) == 2 and mine == theirs[::-1]
    is_doubled = len(rest) == 1 and rest * 2 in f"{word} {other}"
    if not (is_swap or is_doubled) and (is_name or max(len(mine), len(theirs)) != 1):
        return False
    if (is_name and longest < _MIN_NAME) or (rest == "e" and _UMLAUT.search(f"{word} {other}")):
        return False
    pieces, others = count_pieces(word), count_pieces(other)
    is_known, is_other_known = (count == 1 or some in _WORDS for some, count in ((word, pieces), (other, others)))
    if is_known and is_other_known:
        return False
    if is_swap or is_doubled:
        return True
    if len(mine) == len(theirs) and longest < _MIN_EXCHANGED:
        return False
    if pieces == others:
        # Neither is known: "dentist", "dentst". What differs at the end is an ending.
        at_end = word.endswith(mine) and other.endswith(theirs)
        return len(rest) == 1 and longest >= _MIN_EVEN and not (is_known or is_other_known or at_end)
    slip = word if pieces > others else other
    return slip not in _WORDS and not {word[-3:], other[-3:]} & {"ers", "ors"}
