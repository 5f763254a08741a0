"""The cues: general English for changing, correcting, settling, keeping, recalling and proposing things.

They never decide alone: every rule also needs a slot that the words name, and mostly a value that conflicts.
Phrases use `X` for any one word.
"""

from __future__ import annotations

import re

from evaluation.statebench.language.lexicon import cue as _cue
from evaluation.statebench.language.lexicon import forms
from evaluation.statebench.language.words import stem


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

CORRECTS = _cue(
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
CHANGES = _cue(
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
REVERTS = _cue(
    verbs="revert restore undo reinstate",
    phrases="""
    back to | return(?:s|ed|ing)? to | go(?:es|ing)? back | went back | roll(?:s|ed|ing)? back | after all
    | stick(?:ing)? with | original (?:plan|one|choice|option|date|idea|time)
    """,
)
SETTLES = _cue(
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
CANCELS = _cue(
    verbs="cancel withdraw revoke rescind scrap abandon suspend terminate override overrule replace",
    phrases="""
    call(?:ed|ing)? (?:\\w+ )?off | hold(?:ing)? off | held off | change of plans? | bad news
    | scratch (?:that|the|what) | drop(?:ped|ping)? (?:it|that|the) | forget (?:it|that|about|the) | no longer
    | (?:is|are) off(?! (?:to|by|on|from|limits|the))
    | switch(?:e[sd]|ing)? to | fell through | off the table | expired
    """,
)
INVALIDATES = _cue(
    verbs="invalidate recalculate",
    phrases="""
    incorrect | wrong | outdated | invalid | obsolete | void | moot
    | no longer (?:valid|true|applies|holds|correct)
    """,
)
# One thing takes the place of another.
SWAPS = _cue(verbs="swap replace exchange substitute", phrases="switch(?:ed|ing)? from")
# Why the old value cannot stay: said beside a new one, it replaces.
REJECTS = _cue(
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
KEEPS = _cue(
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
RECALLS = _cue(
    phrases="""
    used to | back (?:then|in|when) | previous(?:ly)? | formerly | originally | at (?:the|that) time
    | once (?:was|had|upon) | histor(?:y|ical|ically) | old days
    """
)
PAST_DATES = _cue(
    phrases="""
    last (?:year|quarter|month|week|weekend|night|spring|summer|fall|winter|time|\\w+day)(?!'s)
    | in (?:19|20)\\d\\d | (?:years?|months?|weeks?|days?) ago | earlier (?:this|last|we|in) | yesterday
    """
)
# Wishes, proposals and hearsay: somebody wants it, nobody decided it.
WISHES = _cue(
    verbs="want hope ask suggest propose pitch guess recommend consider request prefer offer lobby argue claim allege",
    phrases="""
    wish(?:es|ed)? | would (?:like|love|prefer) | push(?:ing)? for | suggestion | proposal
    | float(?:s|ed|ing) | rumou?rs? | rumou?red | heard (?:that|a) | there's talk | gossip | speculat\\w+
    | allegedly | supposedly | think(?:s|ing)? (?:about|of|we|it|they) | thought (?:about|of)
    """,
)
REQUESTS = _cue(
    phrases="""
    (?:can|could|would|will) you | (?:tell|show|remind|send) me | i(?:'d like| need| want) to (?:know|see)
    """
)
ELSEWHERE = _cue(
    phrases="""
    unrelated | different (?:topic|project|client|customer|team|matter|subject) | separate(?:ly)?
    | their own | another (?:project|client|customer|team|company|vendor|topic|matter)
    | some(?:one|body)(?: else)?'s | other (?:project|client|customer|team|company|office|vendor)
    | competitors? (?:has|have|just|is|are|was|\\w+ed) | competitors?'s?
    | (?:my|our|his|her) (?:friend|neighbou?r|cousin|brother|sister|wife|husband|kid|son|daughter|dog|cat)s?
    """
)
SOMETHING_ELSE = re.compile(
    r"\b(?:that|this|it|they|those)(?:'s| is| was| are|'re| were) (?:(?:for|about"
    r"|on) )?(?:an?(?:nother)? |the )?"
    r"(?:different|another|separate|unrelated|other)\b"
)
ANAPHORA = _cue(phrases="that | it | this | them | those | the (?:first|earlier|previous|old|other) one")
_SIDE_BY_SIDE = _cue(
    phrases="""
    from\\b.+\\bto | not\\b.+\\bbut | was\\b.+\\bis | replac\\w+\\b.+\\bwith | instead of | rather than
    | in place of
    """
)
FROM_TO = re.compile(rf"->|→|, (?:and )?not |{_SIDE_BY_SIDE.pattern}")
ANNOUNCES = _cue(
    verbs="cancel",
    phrases="change of plans? | plans? (?:have |has )?changed | bad news | called off | hold off",
)
