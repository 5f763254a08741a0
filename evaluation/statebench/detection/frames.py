"""Sentence frames: who is to do what, what is said to be what, what goes where. All but `MOVES_TO` read lower case."""

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
# "<new>, not <old>", "<new> instead of <old>": what follows is set aside.
SETS_ASIDE = re.compile(
    r", (?:and )?not (?!only|just|yet|sure|because|until)|\b(?:instead of|rather than|in place of) "
)
# "The pool closes": a thing, and what is said of it.
THING = re.compile(r"^(?:the|our|my) (?P<noun>[a-z-]+) (?P<verb>[a-z]+)\b")
# "Pump 3 is …": a thing that is told by its number from others of its kind. "May 3 is …" is a date.
NUMBERED = re.compile(
    rf"^(?:the |our )?(?P<noun>(?!{MONTH}\b)[a-z]+) #?(?P<number>\d+)"
    r" (?:is|are|was|were|has|have|will|got|[a-z]+(?:s|ed))\b"
)
WILL = re.compile(r"\b(?:will|we'll|let's|going with|go with)\b")
WE = re.compile(r"^(?:we|we've|everything|it|it's|all of it|the team)\b")
MOVES_TO = re.compile(
    r"\b(?i:mov\w+|relocat\w+|migrat\w+|shift\w*"
    r"|transferr?\w*) (?:\w+ ){0,2}?(?:in)?to (?:the )?(?P<place>[A-Za-z0-9][\w' ]+)"
)
