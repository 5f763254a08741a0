"""Phrasings of each kind of act and form of question.

`{slot}` is the subject, `{next}` the slot it depends on, `{v}` the value, `{t}` a time. `{by}` and `{t0}` are the
author and the time of the earlier act to which an act refers.
"""

from __future__ import annotations

from evaluation.statebench.generator.scenes.acts import Form, Kind, Standing

SAID: dict[Kind, tuple[str, ...]] = {
    Kind.SET: (
        "{Slot} is {v}.",
        "It is settled that {slot} is {v}.",
        "My word on {slot}: {v}.",
        "Please note that {slot} is {v}.",
    ),
    Kind.CORRECT: (
        "I gave {slot} wrongly before: it is {v}.",
        "A slip of mine: {slot} is {v}.",
        "Please correct {slot}, it is {v}.",
    ),
    Kind.DETACH: (
        "{Slot} no longer follows {next}; it is {v}.",
        "{Slot} is {v} from here on, whatever becomes of {next}.",
    ),
    Kind.SAY_IT: ("It is {v}.", "There it is {v}, that is settled.", "Put it down as {v}."),
    Kind.READ: ("{Slot} is {v}.", "Reading: {slot} is {v}.", "Measured just now: {slot} is {v}."),
    Kind.PROPOSE: (
        "I think {slot} should be {v}.",
        "My suggestion is that {slot} be {v}.",
        "I would like to propose that {slot} be {v}.",
    ),
    Kind.PROPOSE_IT: ("I think it should be {v}.", "My suggestion: let it be {v}."),
    Kind.SUPPOSE: (
        "Suppose for a moment that {slot} were {v}.",
        "Purely as a thought experiment, say {slot} were {v}.",
        "Let us play it through as if {slot} were {v}.",
    ),
    Kind.DRAFT: (
        "In my draft {slot} is {v}; the draft settles nothing.",
        "A first sketch, not binding, has {v} where {slot} stands.",
    ),
    Kind.HEARSAY: (
        "People in the canteen say that {slot} is {v}.",
        "Rumour has it that {slot} is {v}.",
        "I overheard on the stairs that {slot} is {v}.",
    ),
    Kind.ASK: (
        "Is {slot} {v}, by any chance?",
        "Could it be that {slot} is {v}? I am only asking.",
        "Did I understand rightly that {slot} is {v}?",
    ),
    Kind.RECALL: (
        "My old notes say that {slot} is {v}.",
        "On the list that I printed a while ago {slot} is {v}.",
        "Last I looked, {slot} was {v}.",
    ),
    Kind.CLAIM: ("I believe that {slot} is {v}, without having checked.", "My guess is that {slot} is {v}."),
    Kind.LATE: (
        "Delayed message, measured before the one that you have: {slot} is {v}.",
        "An older measurement arrives only now: {slot} is {v}.",
    ),
    Kind.PLEAD: ("It would suit me better if {slot} were {v}.", "I would rather have {slot} be {v}."),
    Kind.ACCEPT: (
        "What {by} said about {slot} holds: it is settled that way.",
        "I go with {by} on {slot}; that is settled.",
        "{by} has it right about {slot}, so be it.",
    ),
    Kind.ROLLBACK: (
        "The last valid change to {slot} is undone; what stood before it stands again.",
        "For {slot} we return to what held before the last valid change.",
    ),
    Kind.WITHDRAW: (
        "I take back what was settled about {slot}; nothing takes its place yet.",
        "{Slot} is open again: what was settled no longer holds.",
    ),
    Kind.WITHDRAW_IT: (
        "Here nothing holds any more; it is open again.",
        "I take that back without a replacement; it is open.",
    ),
    Kind.LEND: (
        "Until {t}, {slot} is {v}; after that, it is what it was before.",
        "As a stopgap until {t}, {slot} is {v}; then the earlier word counts again.",
    ),
    Kind.LEASE: (
        "Until {t}, {slot} is {v}; after that, it has to be settled afresh.",
        "{Slot} is {v}, valid to {t}; then it is open.",
    ),
    Kind.EXTEND: (
        "What was to last until {t0} for {slot} lasts until {t} instead.",
        "The term of {slot} that ran to {t0} now runs to {t}.",
    ),
    Kind.PLAN: (
        "From {t} on, {slot} is {v}; until then all stays as it is.",
        "Effective {t}, and not before, {slot} is {v}.",
    ),
    Kind.DROP: (
        "The change of {slot} planned from {t0} is called off.",
        "What was to hold for {slot} from {t0} on will not happen.",
    ),
    Kind.CONDITION: (
        "If {condition}, {slot} is {v}; if not, nothing changes.",
        "{Slot} is {v} provided that {condition}, else it stays as it is.",
    ),
    Kind.MET: ("{met}", "Good news. {met}"),
    Kind.GRANT: (
        "From today {delegate} may decide on {slot} for me.",
        "I put {delegate} in charge of {slot} beside me.",
    ),
    Kind.REVOKE: (
        "{delegate} is no longer in charge of {slot}; I alone am.",
        "From today {delegate} decides nothing about {slot} any more.",
    ),
    Kind.HANDOVER: (
        "I hand {slot} over to {successor} for good and decide nothing about it any more.",
        "{successor} takes {slot} over from me for good; my word on it ends here.",
    ),
    Kind.ENTER: ("We now begin drill {task}.", "Drill {task} starts."),
    Kind.SCOPED: (
        "For drill {task} only, {slot} is {v}.",
        "Within drill {task} {slot} is {v}, nowhere else.",
    ),
    Kind.LEAVE: (
        "Drill {task} is over; what was set for it alone is void.",
        "That was drill {task}; its own settings end with it.",
    ),
    Kind.FOCUS: ("Now to {slot}.", "Next, {slot}.", "A word on {slot}."),
    Kind.RESUME: (
        "Back to the matter that we had just before this one.",
        "Let us return to the previous matter.",
    ),
    Kind.LINK: (
        "{Slot} is always the same as {next}.",
        "{Slot} follows {next} from here on: whatever that is, it is.",
    ),
    Kind.REST: (
        "{Slot} is {v}, based on {next}; if that changes, it has to be settled afresh.",
        "Going by {next}, {slot} is {v}, and void once that changes.",
    ),
    Kind.EXEMPT: (
        "Invoices for {object} need not keep to {slot} for now.",
        "{Slot} does not apply to invoices for {object} until I say so.",
    ),
    Kind.END_EXEMPT: (
        "Invoices for {object} have to keep to {slot} again.",
        "{Slot} applies to invoices for {object} again.",
    ),
    Kind.FAULT: (
        "The sensor for {slot} is broken: its last reading is void, and so are new ones until it is mended.",
        "Ignore the sensor for {slot}, its last reading included, until it is mended.",
    ),
    Kind.FIX: ("The sensor for {slot} is mended; readings from here on count.",),
    Kind.COMMIT: ("I promise it: {slot} is {v}.", "You have my word that {slot} is {v}."),
    Kind.FULFIL: ("{Slot} is fulfilled, all done.", "Done: {slot} is fulfilled in full."),
    Kind.BREAK: (
        "{Slot} was not kept; its day has passed and nothing was done.",
        "Nothing came of {slot}, it was broken.",
    ),
    Kind.RELEASE: ("I release {owner} from {slot}.", "{owner} need not keep {slot} any more."),
    Kind.REOPEN: (
        "What was done falls short: {slot} stands as on the first day.",
        "I do not take that as done; {slot} stands unfulfilled.",
    ),
}
#: Promises to act have no value to name.
COMMITTED = ("I hereby give {slot}.", "You have my word: I give {slot}.")

#: Opening statements of who decides.
CHARTERS: dict[str, str] = {
    Standing.PLAIN: "{Slot} is for {owner} to decide; what others say about it settles nothing.",
    Standing.RANKS: "{Slot}: the word of a higher rank stands against a lower one, at equal rank the later word. "
    "{senior} ranks above {owner}, {owner} above every lead; interns, trainees and vendors decide nothing.",
    Standing.MANDATE: "{Slot} is decided by {owner}, or by the person that {owner} has put in charge of it; "
    "nothing that others say about it counts.",
    "sensor": "{Slot} is what its sensor reads, newest measurement first; what people say about it counts for nothing.",
    "promise": "{Slot}: given by {owner} to {partner}. Terms change only if both agree, and {partner} may waive them.",
    "word": "{Slot}: given by {owner} to {partner}, who says whether it was kept or is waived.",
}
ASKED: dict[Form, tuple[str, ...]] = {
    Form.WHAT: (
        "What is {slot}?",
        "Which value holds for {slot} now?",
        "What do we go by for {slot}?",
        "Tell me {slot} as it stands.",
    ),
    Form.IS: (
        "Is {slot} {v}?",
        "Can I note that {slot} is {v}?",
        "Does {v} hold for {slot}?",
        "Do we still go by {v} for {slot}?",
    ),
}
#: Matter -> questions whether something may be done.
MAY_ASKED: dict[str, tuple[str, ...]] = {
    "approval": ("Can we go ahead with {slot}?", "May {slot} go forward?", "Is there a yes to {slot}?"),
    "derived approval": (
        "Can we go ahead with {slot}?",
        "May {slot} go forward?",
        "Is there a yes to {slot}?",
    ),
    "gate": ("Can {slot} be used?", "Is the way through {slot} free?", "May a visitor pass {slot}?"),
    "bound": ("Does {slot} still bind {owner}?", "Does {owner} still have to keep {slot}?"),
    "kept": ("Has {owner} kept {slot}?", "Did {owner} live up to {slot}?"),
    "cap": (
        "Can the invoice of {price} for {object} be paid?",
        "May I transfer {price} for {object}?",
        "Is {price} for {object} all right to spend?",
    ),
}
