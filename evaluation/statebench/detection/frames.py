"""Regular expressions for forms of sentences, such as "move the meeting to Friday" or "the fee is now 5"."""

from __future__ import annotations

import re

from evaluation.statebench.language.values import MONTH

_OPENERS = (
    r"(?:(?:actually|no|wait|sorry|oh|ok|okay|hmm|correction|instead|so|and|but|please|just|then"
    r"|hey|yes|right"
    r"|as it stands|for now|(?:[a-z']+ ){1,3}[a-z]+(?=,))[,.: ]+)*"
)
_COMMANDS = (
    "send make change switch move use go set put ship book schedule do swap replace update "
    "cancel push take call drop "
    "pick choose scratch revert return restore deliver route direct assign give increase "
    "decrease raise lower cut "
    "reduce bump mark treat buy order invite"
).split()
DIRECTIVE = re.compile(
    rf"^{_OPENERS}(?:let's|let us|we'll|we will|we should|i'll|you should|you can)?\s*(?:please "
    rf"|just |now |all )*"
    rf"(?:hold (?:off|it|that|the)|{'|'.join(_COMMANDS)})\b"
)
_LEAD_INS = (
    r"(?:(?:by the way|oh|so|and|also|fyi|heads up|note|update|quick update|as of (?:now|today"
    r"|\w+)|today|now|actually"
    r"|(?:per|according to) (?:the |our )?[\w-]+|official(?:ly)?|looks like|it turns out|turns out)[,: ]+(?:that )?)*"
)
# "The <subject> is <complement>"
COPULA = re.compile(
    rf"^{_LEAD_INS}(?:the|our|my|your|this|his|her|their)?\s*(?P<subject>[\w'# -]{{2,60}}?)\s+"
    r"(?:is now|is|are now|are|will be|will now be|has become|becomes|became|'s|equals|stands at"
    r"|sits at|comes to"
    r"|runs on|lives in)\s+(?P<complement>.+)$"
)
STATUS_FRAME = re.compile(
    rf"^{_LEAD_INS}(?:the|our|my|your|this)?\s*(?P<subject>[\w'# -]{{2,60}}?)\s+"
    r"(?:is|are|was|were|has been|have been|got|went|became) (?:now |just |finally )?(?P<complement>.+)$"
)
# "<new>, not <old>", "<new> instead of <old>": the value that follows is rejected.
SETS_ASIDE = re.compile(
    r", (?:and )?not (?!only|just|yet|sure|because|until)|\b(?:instead of|rather than|in place of) "
)
# "The pool closes": a thing and its verb.
THING = re.compile(r"^(?:the|our|my) (?P<noun>[a-z-]+) (?P<verb>[a-z]+)\b")
# "Pump 3 is …": a thing distinguished by its number. "May 3 is …" is a date.
NUMBERED = re.compile(
    rf"^(?:the |our )?(?P<noun>(?!{MONTH}\b)[a-z]+) #?(?P<number>\d+)"
    r" (?:is|are|was|were|has|have|will|got|[a-z]+(?:s|ed))\b"
)
WILL = re.compile(r"\b(?:will|we'll|let's|going with|go with)\b")
WE = re.compile(r"^(?:we|we've|everything|it|it's|all of it|the team)\b")
OURS = re.compile(r"\b(?:we|we're|we've|i|i'm|i've|our|ours|my|mine|us|me|the)\b")
PRONOUN = re.compile(rf"^{_OPENERS}(?:it|it's|that|that's|he|he's|she|she's|they|they're|they've|this)\b")
# "it has failed", "they're at the gate": a new state of the thing at hand.
IS_NOW = re.compile(
    rf"^{_OPENERS}(?:it|that|he|she|they|this)"
    r"(?:'s|'re|'ve| is| are| has| have| was| were| got| failed| passed| came| went)\b"
)
# "Had the hail come, we'd …": a supposition by word order.
INVERTED = re.compile(r"^(?:had|were|should) (?:\w+ ){1,5}.*(?:'d|\b(?:would|could|might))\b")
# "If Lachlan can't make it, we'd have to get another": a supposition by "if" and "would".
SUPPOSED = re.compile(
    r"^(?:and |but |so |then )?(?:if|unless) [^,;]+, (?:\w+ )?\w+(?:'d| would| could| might)\b"
)
# "Mustn't forget the lids": a reminder brings no news.
REMINDS = re.compile(
    r"^(?:and |but |so |oh,? )?(?:(?:we|i|you) )?(?:mustn't|must not|don't|do not|let's not) forget\b"
)
# "Ann is foreman now", "Ann takes over as our treasurer"
APPOINTS = re.compile(
    r"\b(?:[A-Z]\w+|she|he)"
    r"(?:'s| is| becomes| became| has become| will be| takes over as| steps in as| was (?:made|named)"
    r"| has been (?:made|named)) (?:now |our |the |my |their |a |new |acting )*(?P<role>\w+(?: \w+){0,2})"
)
# "in Leith", "at Quarry Lane"
LOCATED = re.compile(r"\b(?:[Ii]n|[Aa]t|[Ff]or|[Nn]ear) (?:the )?(?P<place>[A-Z][\w']+(?: [A-Z][\w']+)*)")
# "of the Moss ward", "the queue at the Fern unit is": a thing distinguished by its name. Without the verb after it,
# "at the Fern unit" is only where something happens.
NAMED_THING = re.compile(
    r"(?P<attribute>(?:[a-z-]+ ){1,4})?\b(?:of|for|(?:to|in|at|on|from)(?=[^.,;:]* (?:is|are|was|were|be)\b))"
    r" the (?P<name>[A-Z][a-z]+) (?P<noun>[a-z]+)\b"
)
MOVES_TO = re.compile(
    r"\b(?i:mov\w+|relocat\w+|migrat\w+|shift\w*"
    r"|transferr?\w*) (?:\w+ ){0,2}?(?:in)?to (?:the )?(?P<place>[A-Za-z0-9][\w' ]+)"
)

# The value of a statement ends where a remark about it begins.
_VALUE = (
    r"(?P<value>.+?)(?:[.!;]*$|,? (?:instead|rather|not|up|down|because|since|which|after|but|as of|effective|starting"
    r"|from now on|until) .*$|,? (?:instead|now|again|these days|from now on)[.!]*$|, (?:and|so|as|for|when|while) .*$)"
)
_SUBJECT = rf"^{_LEAD_INS}(?:the|our|my|your|this|his|her|their)?\s*(?P<subject>[\w'# -]{{2,60}}?)\s+"
_CHANGED = (
    r"(?:chang|mov|switch|slip|jump|drop|increas|decreas|rais|lower|push|shift|rais|updat|reduc|cut|went|gone|goes|risen"
    r"|rose|fell|fallen)(?:e?d|es|en)?"
)
# "The <subject> changed from … to <value>", "… is now <value>", "… is <value>": (frame, states a change)
STATEMENTS: tuple[tuple[re.Pattern[str], bool], ...] = (
    (
        re.compile(
            rf"{_SUBJECT}(?:has |have |just |now |was |were |been |is |are )*{_CHANGED}"
            rf" (?:(?:back|up|down|over) )?from .+? to {_VALUE}"
        ),
        True,
    ),
    (
        re.compile(
            rf"{_SUBJECT}(?:(?:is|are|will be|'s|will) (?:now|currently)(?: be)?|has (?:now )?become|becomes|became"
            rf"|(?:has|have) (?:now )?(?:changed|moved|switched) to|(?:changed|moved|switched) to)\s+{_VALUE}"
        ),
        True,
    ),
    (re.compile(rf"{_SUBJECT}(?:is|are|will be|equals|stands at|sits at|comes to)\s+{_VALUE}"), False),
)
# "The vet was clear: his target is 22 kg": the source before the statement.
TOLD = re.compile(r"^(?:\S+\s+){2,}\S+:\s+(?=(?:it|he|she|the|our|my|his|her|their)\b)", re.IGNORECASE)
# "Ach, 56, I was holding the tape wrong": a fragment before its explanation.
AMENDED = re.compile(
    r"^(?:ach|no|nah|nope|sorry|oops|wait|actually|hmm+|uh|rather)\b[,.]?"
    r" (?:\S+ ){0,2}\S+, (?=(?:i|we|he|she|it|they)\b)",
    re.IGNORECASE,
)
# The resulting total: "which leaves seven", "so we're at nineteen".
TOTALS = re.compile(
    r"\b(?:which|that|what|this) (?:leaves?|puts?|makes?|brings?)\b"
    r"|\b(?:we're|it's|that's|i'm|they're) (?:at|down to|up to)\b|\bin total\b"
)
# "has shifted its roses": possessions of others.
POSSESSED = re.compile(r"\b(?:its|their) (?:\w+ )?(?P<noun>\w+)")
# Start of a new clause: "… and Ann signs them off", "… and they use the north field".
JOINED = re.compile(
    r"(?:,?\s+(?:and|while|so|plus))\s+(?=(?:i|we|you|he|she|it|they|there|nobody|everyone)(?:'\w+)?\s+\w"
    r"|(?:the|our|my|his|her|their)\s+(?:[\w'-]+\s+){1,3}(?:is|are|was|has|have|will|goes|go|gets|get|comes|moves)\b"
    r"|(?-i:[A-Z][\w.]*(?:\s[A-Z]\w+)?)\s+(?:is|are|was|has|have|will|does|(?!this|us)[a-z]+[a-rt-z]s)\b)",
    re.IGNORECASE,
)
