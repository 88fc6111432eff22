"""Words that say whether a part of a text may stand elsewhere: what begins a phrase, what binds it, what is ordered."""

# ruff: noqa: SIM905
# A list of words is read as words.

from __future__ import annotations

from typing import Final

from wherefrom.text.differences import fact_words as known

# A clause that begins with one of these goes on from the one before.
CONNECTORS: Final = frozenset(
    """
    then next first second third finally lastly after afterwards afterward later before so therefore thus hence
    because
    but however instead otherwise else yet still too since when once until if unless although while as than not
    no only
    except dann danach zuerst erst zuletzt schliesslich aber sonst deshalb daher denn weil also nur nicht step
    """.split()
)
# A clause with one of these refers to another.
REFERENCES: Final = frozenset(
    """
    it he she they him her them its his their theirs hers this that these those such same other others another former
    latter both which who whom whose there respectively er es ihn ihm ihr ihre sein seine dies diese dieser dieses
    jeweils turn order twice
    """.split()
)
POSSESSIVES: Final = frozenset("his her its their my our your".split())
# A clause with one of these says how something is, not what happened next.
STATES: Final = frozenset(
    """
    is are has have needs need costs cost belongs belong opens closes starts ends begins lasts holds may must can
    should will owns means weighs measures lives works goes comes runs stays hangs stands lies sits keeps uses
    takes gets leaves meets pays wants likes speaks plays eats drinks handles covers includes contains ist sind
    hat haben braucht brauchen kostet kosten gehoert darf muss kann
    """.split()
)
VERBS: Final = STATES | {word[:-1] for word in STATES if word.endswith("s") and len(word) > 3}
# A clause that begins with one of these may be a step; steps have an order.
STEPS: Final = frozenset(
    """
    add apply approve ask bake boil book bring build buy call cancel carry charge check choose chop clean click close
    commit connect cook copy create cut delete deploy dig do drain drive drop dry eat empty enter feed fill fix fold
    freeze get give glue go grease hang heat hold insert install keep leave let lift log look make merge mix move open
    order pack paint pay peel pick plant plug post pour press print prune pull push put read remove rename replace
    restart restore review rinse run sand save scan screw select sell send set sign sow start stir stop switch
    take tell
    test thaw turn unplug unscrew update upload use wait walk wash water wipe write
    """.split()
)
# A clause with one of these is an event; events have an order.
EVENTS: Final = frozenset(
    """
    ate became began bought broke brought built called came caught chose did drove fell felt flew forgot found
    gave got
    grew had heard kept knew left lent lost made met paid ran said sang sat saw sent sold spoke stood swam taught
    thought told took went woke won wore wrote was were
    """.split()
)

AND: Final = frozenset("and und or oder".split())
OWN_DATES: Final = known.DATES | frozenset("every each daily weekly monthly yearly annually may march".split())
# Items of one list stand behind one of these, or behind a verb in -s; not behind what would bind the first alone.
BEFORE_ITEMS: Final = frozenset(
    """
    do does did is are was were has have had need needs want wants use take takes with without for on in at by
    include contain like
    buy bring get as of about sell eat drink grow keep play speak speaks offer require order serve stock collect
    recycle plant pack clean check bake cook wear ist sind hat haben braucht brauchen mit ohne fuer auf bei
    """.split()
)
# Places on a way have an order.
MOTION: Final = frozenset(
    "from go goes going went fly flies drive drives walk walks travel travels run runs train bus ferry route via"
    " through moved moves move".split()
)
# A phrase begins with one of these.
PREPOSITIONS: Final = frozenset(
    """
    in on at by for with without from to until since during before after behind beside near above below under over
    through via between within around about against into towards along opposite per inside outside despite except due
    thanks im am um bei mit ohne fuer von nach vor seit bis waehrend hinter neben ueber unter durch zwischen
    gegen beim
    zum zur vom ins ab
    """.split()
)
SUBORDINATORS: Final = frozenset(
    "if when because although unless while whenever whereas until since before after wenn weil falls"
    " obwohl sobald bevor nachdem".split()
)
TIMES: Final = frozenset(
    """
    every each today tomorrow tonight yesterday daily weekly monthly yearly annually heute morgen taeglich
    woechentlich
    monatlich jaehrlich jeden jede
    """.split()
)
NEXT: Final = frozenset("next last this twice once naechste naechsten naechstes letzte letzten dieses diesen".split())
ADVERBS: Final = frozenset(
    """
    always usually normally generally often sometimes already currently now again automatically immer oft typically
    mostly occasionally regularly rarely online here there meist meistens manchmal hier dort temporarily
    """.split()
)
AFTER_ITEMS: Final = (
    PREPOSITIONS
    | SUBORDINATORS
    | TIMES
    | ADVERBS
    | frozenset("is are has have may must can should will as but too ist sind hat haben".split())
)
# What stands right before a phrase and says that it is this one.
FOCUS: Final = frozenset(
    """
    only not even just except nur nicht auch sogar more less earlier later than no never nearly almost about of
    """.split()
)
# Words that say that the order of a list matters.
RANKS: Final = frozenset(
    """
    ranking ranked ranks rank order orders ordered route routes priority priorities podium sequence queue itinerary
    turn turns rotation respectively places place placed top stops winners reihenfolge rang rangliste
    """.split()
)
# What somebody says, asks, knows or plans may be of a time or a condition, and so may the saying: "He said he pays on
# Monday" is not "On Monday he said he pays", nor "Ask whether she comes" what to do if she comes.
SAYING: Final = frozenset(
    """
    agree agreed agrees announce announced asked ask asks believe believes believed check checked checks claim claimed
    claims
    decide decided decides expect expected expects explain explained find found forget forgot hear heard hope hopes
    hoped intend intends know knew knows learn learned mention mentioned mentions order ordered plan planned plans
    promise
    promised promises propose proposed proposes remember remembers remind reminded reminds report reported reports said
    say says see sees show shows suggest suggested suggests swear swore tell tells think thinks thought told understand
    want wanted wants warn warned warns wonder wonders write wrote sagt sagte fragt frag frage weiss meint verspricht
    versprach
    """.split()
)
