"""English wording that may signal a change. In these phrases, `X` stands for any one word."""

from __future__ import annotations

import re

from evaluation.statebench.language.lexicon import cue, forms
from evaluation.statebench.language.words import stem

STATUS = cue(
    phrases="""
    on track | delayed | late | cancell?ed | under review | on hold | in planning | planned | in progress
    | approved | rejected | denied | declined | revoked | open | reopened | closed | resolved | fixed
    | down | operational | online | offline | active | inactive | paused | completed? | done | finished
    | pending | live | blocked | failed | passed | available | unavailable | out of stock | in stock
    | sold out | on sale | ahead of schedule | behind schedule | signed | signed off | expired | shipped
    | delivered | scheduled | confirmed | released | archived | deprecated | frozen | suspended | green
    | amber | yellow | red | healthy | degraded | ready | waiting | stalled | ongoing | upcoming | vacant
    | filled | granted | escalated | triaged | in triage | assigned | unassigned | merged | reverted
    | deployed | full | empty | released | held | arrived | working | out of order | ready to \\w+
    | idle | stuck | occupied | awaiting \\w+ | being \\w+ | under way
    """
)


def _phrases(text: str) -> str:
    return re.sub(r"\bX\b", r"[\\w'-]+", text)


_CHANGE_VERBS = """
    change switch move shift replace swap update revise adjust reschedule postpone delay bump slip extend
    shorten lengthen migrate convert increase decrease raise lower trim slash reduce double triple halve
    stretch hike upgrade downgrade rise fall become cancel withdraw revoke rescind scrap abandon terminate suspend pause
    shelve axe override overrule supersede amend rename relocate reassign reallocate transfer cut redirect
    """
CHANGE_STEMS = frozenset(
    stem(form) for verb in [*_CHANGE_VERBS.split(), "grow", "shrink"] for form in forms(verb)
)
CORRECTS = cue(
    phrases=_phrases(
        """
        actually | correction | corrected | scratch (?:that|the|what) | strike that | no,? wait | wait,
        | oops | my mistake | my bad | my error | misspoke | misread | mistyped | misstated | misquoted
        | miscounted | misheard | misremembered | i meant | meant to say | i was wrong
        | got (?:that|it|this) wrong
        | (?:was|were|is|are) (?:wrong|incorrect|a typo|mistaken|outdated|stale) | typo
        | should (?:have (?:been|said|read)|read|say) | disregard | ignore (?:what|that|my|the|those)
        | forget (?:what|that|about|the|my) | on second thou?ght?s? | turns out | to be precise
        | not X(?: X)?,? but | i take (?:that|it) back | let me (?:fix|correct|rephrase)
        | make (?:that|it) | change (?:that|it) | rather than | instead
        """
    )
)
CHANGES = cue(
    verbs=_CHANGE_VERBS,
    phrases=_phrases(
        """
        instead | no longer | not X anymore | any ?more | push(?:es|ed|ing)? (?:X )?(?:back|out|up|to)
        | dropp(?:ed|ing) | (?:bring|brought|pull|pulled|move|moved) (?:X )?(?:forward|in|up)
        | (?:went|go|gone|going) (?:up|down) | (?:jump|climb)(?:ed)? (?:to|from)
        | (?:grew|shrank|went) (?:to|from) | turned into | on hold | hold off | held off
        | call(?:ed|ing)? (?:it |that )?off | (?:hand|handed|take|took|taken|taking) over
        | step(?:ped|ping)? (?:down|in) | as of | effective | starting | beginning | going forward
        | moving forward | henceforth | until further notice
        | from (?:now|today|tomorrow|this|next|here|\\w+day) on | from now | change of plans? | bad news
        | ended up | new(?:ly)? | now | latest | just (?:got|heard|came|learned|been|confirmed) | expired
        | lapsed | out of date | no good | off the table | fell through | backed out | pulled out
        | bail(?:ed)? | dead | rolled? (?:over|out) to
        """
    ),
)
REVERTS = cue(
    verbs="revert restore undo reinstate",
    phrases="""
    back to | return(?:s|ed|ing)? to | go(?:es|ing)? back | went back | roll(?:s|ed|ing)? back | after all
    | stick(?:ing)? with | original (?:plan|one|choice|option|date|idea|time)
    """,
)
SETTLES = cue(
    verbs="choose pick commit",
    phrases="""
    (?<!the )(?<!-)final(?:ly|i[sz]ed|i[sz]e)? | final (?:answer|word|call|choice|version)
    | official(?:ly)? | settled | decided | decision | confirmed | agreed
    | approved | sign(?:ed|ing)?(?: off)? | locked (?:in|down)? | go(?:ing)? with | went with
    | proceed(?:ing)? with | let's (?:do|go|use|take|have|make|set|send|ship|put|hold)
    | we(?:'ll| will) (?:do|go|use|be|take|have) | we're (?:doing|using|going|taking)
    | i'll (?:take|have|go|use) | chose | chosen | opt(?:ed|ing)? for | landed on | set in stone
    | it's (?:going to be|gonna be) | book(?:ed)? | will be
    """,
)
CANCELS = cue(
    verbs="cancel withdraw revoke rescind scrap abandon suspend terminate override overrule replace",
    phrases="""
    call(?:ed|ing)? (?:\\w+ )?off | hold(?:ing)? off | held off | change of plans? | bad news
    | scratch (?:that|the|what) | drop(?:ped|ping)? (?:it|that|the) | forget (?:it|that|about|the)
    | no longer
    | (?:is|are) off(?! (?:to|by|on|from|limits|the))
    | switch(?:e[sd]|ing)? to | fell through | off the table | expired
    """,
)
INVALIDATES = cue(
    verbs="invalidate recalculate",
    phrases="""
    incorrect | wrong | outdated | invalid | obsolete | void | moot
    | no longer (?:valid|true|applies|holds|correct)
    """,
)
SWAPS = cue(verbs="swap replace exchange substitute", phrases="switch(?:ed|ing)? from")
# Reasons against the old value, which beside a new value mean replacement.
REJECTS = cue(
    verbs="veto reject quit resign retire depart",
    phrases="""
    vetoe[sd] | rul(?:e[sd]?|ing) out | turn(?:s|ed)? down | too \\w+
    | (?:does|did|will|do|can|is|was)(?: not|n't) (?:work|fit|available|an option) | won't (?:work|do|fit)
    | can(?:not|'t| not) (?:make it|come|do it) | (?:back|drop|pull)(?:s|ed|ped|ping|ing)? out
    | unavailable | (?:has|have) left | left the | on leave | out sick | sold out | broken? | ran out
    | out of | fell through | (?:take|took|taking|takes|taken) over | step(?:s|ped|ping)? (?:in|up|down)
    | hand(?:s|ed|ing)? (?:\\w+ ){0,3}(?:over|to) | pass(?:es|ed|ing)? (?:\\w+ ){0,3}to
    | cover(?:s|ing)? for | fill(?:s|ing)? in
    """,
)
KEEPS = cue(
    verbs="stay remain keep",
    phrases="""
    still | unchanged | the same | same (?:as|time|place|price|date)
    | as (?:planned|agreed|before|discussed|is|usual) | no changes? | nothing(?:'s| is| has)? chang\\w*
    | stands | holds | on track | remember | reminder
    | (?:has|have|did|is|are|was|will|do|does|had)(?: not|n't) (?:chang\\w*|mov\\w*|been|going)
    | not (?:chang|mov|switch|touch|cancel|updat|replac)\\w* | won't (?:chang|mov|be)\\w*
    | (?:to )?(?:re)?confirm(?:ing)?(?: again)? | (?:as|like) i (?:said|mentioned)
    | just to (?:confirm|be clear)
    """,
)
RECALLS = cue(
    phrases="""
    used to | back (?:then|in|when) | previous(?:ly)? | formerly | originally | at (?:the|that) time
    | once (?:was|had|upon) | histor(?:y|ical|ically) | old days
    """
)
# Earlier reports and beliefs that may be outdated: "I had told everyone 2pm", "I had it that the meeting was on
# Monday". Not "As I had said", which repeats.
_TOLD = (
    r"(?:told|telling|said|saying|announced|mentioned|noted|stated|reported|claimed|thought|assumed|believed)"
)
HAD_TOLD = cue(
    phrases=rf"""
    (?<!as i )(?<!as we )had (?:\w+ ){{0,2}}{_TOLD}
    | (?<!as )(?:i|we|you|he|she|they)'d (?:already |just |also |once )?{_TOLD}
    | (?<!as )(?:i|we|you|he|she|they)(?:'d| had)? (?:had|got) it (?:down|as|that|in (?:my|our|his|her|their) heads?)
    | (?<!as )(?:i|we|you|he|she|they) had (?:\w+ ){{1,4}}down (?:as|for)
    | (?<!as )(?:i|we|you|he|she|they) (?:took it|(?:always |just |simply )?(?:assumed|presumed|supposed|figured))
    | (?:was|were|been) under the impression | (?:my|our) (?:understanding|impression|assumption) was
    """
)
PAST_DATES = cue(
    phrases="""
    last (?:year|quarter|month|week|weekend|night|spring|summer|autumn|fall|winter|time|\\w+day)(?!'s)
    | last (?:january|february|march|april|may|june|july|august|september|october|november|december)
    | (?:in|until|till) (?:19|20)\\d\\d | in (?:my|our|his|her) day
    | (?:years?|months?|weeks?|days?) ago | earlier (?:this|last|we|in) | yesterday
    """
)
# Wishes, proposals and hearsay: wanted, not decided.
WISHES = cue(
    verbs="hope ask suggest propose pitch guess recommend consider request offer lobby argue allege",
    phrases="""
    (?<!you )want(?:s|ed|ing)? | wish(?:es|ed)? | claim(?:s|ed|ing) | (?<!i )(?<!we )prefer(?:s|red)?
    | would (?:like|love|prefer) | push(?:ing)? for | suggestion | proposal
    | float(?:s|ed|ing) | rumou?rs? | rumou?red | heard (?:that|a) | there's talk | gossip | speculat\\w+
    | half a mind | tempted | i'd rather | in talks | allegedly | supposedly
    | (?<!come to )think(?:s|ing)? (?:about|of|we|it|they) | thought (?:about|of)
    """,
)
_PARTICIPLE = r"\w+(?:ed|en|wn|ght|ft|ut|one|lt|ung|un|ome|id|ade|old|et|ost)"
# News without a word of change.
NEWS = cue(
    phrases=_phrases("""
        these days | this morning | today | tonight | at last | finally
        | from (?:this|next|today|tonight|now)
        | as of | for the moment | at (?:present|the moment) | currently | by now | since | rather
        | better | again | turned out
        | (?:has|have|'s|'ve) (?:just |now |finally |also |already )?(?:been |got |had )?(?!to\\b)PARTICIPLE
        | (?:it's|that's|they're|we're|i'm|he's|she's) (?:now |on |at |in |from |over )
        | that (?:puts|makes|leaves|brings) | which (?:puts|makes|leaves|brings)
        | so (?:it's|we're|that's|they're)
        | on second thou?ghts? | ok(?:ay)? then | or rather
        | (?:rebooked|rescheduled|rehung|swapped|renamed|named)
        | wrote | rang | called | mailed | posted | emailed | texted | letter | confirmed | announced
        | told us
        | according to | per the | says | said | voted | ruled | decided
        """).replace("PARTICIPLE", _PARTICIPLE)
)
# Gone, over, or no longer in use.
DEPARTS = cue(
    verbs="retire quit resign depart withdraw discontinue dissolve ditch abandon",
    phrases="""
    (?:has|have|'s|'ve) (?:left|gone|moved|died|shut|closed|run|lost|sold|packed|finished)
    | moved (?:on|away|out|over|off)
    | moved (?:\\w+ )?(?:off|from|out of|away from) | gone (?:from|to) | tore | torn
    | threw (?:it|them|the \\w+|out|away|in)
    | thrown (?:out|away) | part(?:ed|ing) (?:ways|company) | locked us out
    | no more | any ?more | no longer | not \\w+ any longer | sold (?:it|the|our|my|off)? | off on
    | went (?:to|bust|under)
    | hand(?:ed|s|ing)? (?:\\w+ ){1,4}(?:over )?to | gave up | given up | did away | done with
    | out of business
    | won't be (?:happening|running|coming|needed)
    | (?:is|are|isn't|aren't) (?:off|not happening|happening|history|gone|over)
    | ended | scrapped | sold | stopped | dropped | closed | shut | swapped | replaced | lost | cracked
    | axed | removed
    | tearing | ripped out | \\w+'s (?:out|off|gone|over)(?= ?[,.;!]|$) | posted to
    | on (?:maternity |paternity |sick |parental )leave
    | trad(?:ed|ing) in | promoted | reassigned | passed away | stepped (?:aside|back|down)
    | (?:a )?write-off | wrecked | totalled | halted | banned
    | said (?:her|his|their|its) goodbyes? | (?:isn't|aren't|not) needed
    | out of (?:reach|action|order|service) | pulled | folded | sacked | fired | left (?:us|the|for)
    | died | broke
    """,
)
# Retractions followed by another value.
AMENDS = cue(
    phrases="""
    nah | no | nope | sorry | actually | wait | ach | oops | rather | or rather | on second thou?ghts?
    | come to think of it
    | changed my mind | scratch that | make (?:it|that) | better | instead | ok(?:ay)? then | hmm+ | uh
    | hang on | i mean
    | i meant | correction | strike that | while you're at it | , then | my mistake | and not
    """
)
_KIN = """friend neighbou?r cousin brother sister wife husband kid son daughter dog cat twin aunt uncle
    mother father dad mum mom colleague boss parent roommate flatmate mate nephew niece
    grandmother grandfather""".split()
_STRANGERS = """friend neighbou?r colleague guy chap lad woman man fellow visitor customer stranger client girl boy lady
    passenger tourist patient mate parent""".split()
_KIN_CUE, _STRANGER_CUE = (f"(?:{'|'.join(words)})(?:s|'s|s')?" for words in (_KIN, _STRANGERS))
# People and things that are not ours.
OTHERS = cue(
    phrases=_phrases(
        rf"""
        {_KIN_CUE} | next door | across the X | opposite | down (?:at|the) | over at | elsewhere
        | another | other
        | the one (?:in|on|at|beside) | (?:a|some) {_STRANGER_CUE} | one of (?:the|those|my|our|his|her)
        | years ago | (?:in|for|of) those days
        """
    )
)
RELATIVES = cue(
    phrases=rf"""
    (?:my|our|his|her) (?:\w+ )?(?:{"|".join(_KIN[:12])})(?:s|'s|s')?
    | (?:a|an|another|some|one of the|one of my) (?:\w+ )?{_STRANGER_CUE}
    """
)
_SOMEBODY = (
    r"(?:some(?:one|body)|people|everyone|everybody|folks|they"
    r"|word|(?:a|an|one of the|some|two|one)(?: \w+){1,4}?)"
)
_TELLS = (
    r"(?:told|tells?|said|says?|saying|claim\w*|mention\w*|noted"
    r"|reckons?|swears?|swore|insists?|thinks?|believes?|wrote)"
)
# Unnamed sources: "someone at the bank let slip", "it was noted", "we're told".
_REPORTS = (
    r"(?:told|tells|telling|said|says|saying|wrote|heard|swore|let slip|point(?:s|ed|ing) out"
    r"|(?:claim|mention|remark|report|whisper|mutter|mumbl|hint|inform|announc|confirm|comment|observ|repeat"
    r"|not|assum|believ|figur|reckon|insist)e?(?:s|d|ed|ing))"
)
_REPORTED = r"(?:said|noted|mentioned|rumou?red|claimed|alleged|reported|believed|thought|assumed)"
_TOLD_US = (
    r"(?:i|we)(?:'m|'re| am| are| was| were| got|(?:'ve|'d| have| had) been) (?:\w+ly |also |just )?"
    r"(?:told|informed)(?! by)"
)
_NAMELESS = rf"""
    (?:some|any)(?:one|body)(?:'s|'d)?(?: (?!(?:i|we|you|and|but)\b)\w+){{0,5}}? {_REPORTS}
    | (?:nobody|no one) (?:ever )?(?:said|says|claimed|claims)
    | it(?:'s| is| was|'s been| has been| had been) (?:\w+ly |also |being )?{_REPORTED} | {_TOLD_US}
"""
NAMELESS = cue(phrases=_NAMELESS)
HEARSAY = cue(
    phrases=rf"""
    {_NAMELESS}
    | {_SOMEBODY}(?:'s|'ve)? ?(?:has |have |had |was |were |been |just |once ){{0,3}}{_TELLS}
    | (?<!i )(?<!we )thinks?(?= (?:that|it|we|no|this)) | overheard | i hear | i(?:'ve)? heard
    | heard (?:that|the|it|they|he|she|we|you|an?)(?='s|'re| (?!week|month|year))
    | apparently | reportedly | there's (?:chat|talk|whispers?) | go(?:es|ing|ne)? (?:a)?round (?:saying|telling)
    | rumou?r has it | word (?:is|has it) | reckons? | swears? | swore | joked? | joking | gossip\w*
    """
)
REQUESTS = cue(
    phrases="""
    (?:can|could|would|will) you | (?:tell|show|send) me | remind me (?!about|to|at|on)
    | i(?:'d like| need| want) to (?:know|see)
    """
)
ELSEWHERE = cue(
    phrases="""
    unrelated | different (?:topic|project|client|customer|team|matter|subject) | separate(?:ly)?
    | their own | another (?:project|client|customer|team|company|vendor|topic|matter)
    | some(?:one|body)(?: else)?'s | other (?:project|client|customer|team|company|office|vendor)
    | competitors? (?:has|have|just|is|are|was|\\w+ed) | competitors?'s?
    | nothing to do with (?:us|me|you|ours|yours|mine|this|it) | ignore me | got theirs | (?:has|have|had) theirs
    """
)
SOMETHING_ELSE = re.compile(
    r"\b(?:that|this|it|they|those)(?:'s| is| was| are|'re| were) (?:(?:for|about"
    r"|on) )?(?:an?(?:nother)? |the )?"
    r"(?:different|another|separate|unrelated|other)\b"
)
ANAPHORA = cue(phrases="that | it | this | them | those | the (?:first|earlier|previous|old|other) one")
_SIDE_BY_SIDE = cue(
    phrases="""
    from\\b.+\\bto | not\\b.+\\bbut | not the \\S+, (?:but )?the | was\\b.+\\bis | replac\\w+\\b.+\\bwith
    | instead of | rather than
    | in place of
    """
)
FROM_TO = re.compile(rf"->|→|, (?:and )?not |{_SIDE_BY_SIDE.pattern}")
ANNOUNCES = cue(
    verbs="cancel",
    phrases="change of plans? | plans? (?:have |has )?changed | bad news | called off | hold off",
)
