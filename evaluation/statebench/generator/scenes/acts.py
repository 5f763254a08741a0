"""The abstract acts that plots are made of, and the questions about them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """Kinds of act, by their effect on the value of a slot."""

    # The value is settled, if the speaker has the standing.
    SET = "set"
    CORRECT = "correct"
    DETACH = "detach"  # ends a link
    SAY_IT = "say it"  # settles the value of the matter at hand, which it does not name
    READ = "read"  # a sensor's
    COMMIT = "commit"
    FULFIL = "fulfil"
    BREAK = "break"
    RELEASE = "release"
    REOPEN = "reopen"  # takes a fulfilment back
    # A value is mentioned and not settled.
    PROPOSE = "propose"
    PROPOSE_IT = "propose it"
    SUPPOSE = "suppose"
    DRAFT = "draft"
    HEARSAY = "hearsay"
    ASK = "ask"
    RECALL = "recall"  # an earlier value is named again by somebody who missed the change
    CLAIM = "claim"  # against a sensor, or that a promise was kept
    LATE = "late"  # a reading that arrives late and is older than one that is known
    PLEAD = "plead"  # the one who is bound would like other terms
    # What was mentioned, settled or said to end is taken up.
    ACCEPT = "accept"
    ROLLBACK = "rollback"
    WITHDRAW = "withdraw"
    WITHDRAW_IT = "withdraw it"
    # For a time, from a time, on a condition. Time passing is an act, too, and is not told.
    LEND = "lend"  # until a time; then what stood before stands again
    LEASE = "lease"  # until a time; then the matter is open
    EXTEND = "extend"
    LAPSE = "lapse"  # not told
    PLAN = "plan"  # from a time on
    ARRIVE = "arrive"  # not told
    DROP = "drop"  # cancels a plan
    CONDITION = "condition"
    MET = "met"
    # Who decides.
    GRANT = "grant"
    REVOKE = "revoke"
    HANDOVER = "handover"
    # Where something holds.
    ENTER = "enter"
    SCOPED = "scoped"
    LEAVE = "leave"
    # Which matter is meant.
    FOCUS = "focus"
    RESUME = "resume"
    # What depends on what.
    LINK = "link"  # the slot follows the next one
    REST = "rest"  # the slot's value is worked out from the next one's
    EXEMPT = "exempt"
    END_EXEMPT = "end exempt"
    # A sensor's state.
    FAULT = "fault"
    FIX = "fix"


class Role(StrEnum):
    """Who acts. A bystander is another person each time; all others are one person of a timeline."""

    OWNER = "owner"
    SENIOR = "senior"
    PEER = "peer"
    GUEST = "guest"
    DELEGATE = "delegate"
    SUCCESSOR = "successor"
    PARTNER = "partner"
    SYSTEM = "system"
    BYSTANDER = "bystander"


class Standing(StrEnum):
    """The rule by which an act settles a value."""

    PLAIN = "plain"  # everybody who settles one may
    RANKS = "ranks"  # an equal or higher rank than that of what holds
    MANDATE = "mandate"  # the owner, who may appoint another, or hand the matter over


class Decision(StrEnum):
    """Decisions of typed answers."""

    YES = "yes"
    NO = "no"
    UNCLEAR = "unclear"
    VALUE = "value"


class Form(StrEnum):
    """Forms of a question: for the value, whether it is a certain one, whether something may be done."""

    WHAT = "what"
    IS = "is"
    MAY = "may"


class Sort(StrEnum):
    """Sorts of slot, by the values that it holds."""

    VALUE = "value"  # an amount, a date, a person …
    CAP = "cap"  # an amount that a price is compared with
    LABEL = "label"  # 1 yes, 0 no


@dataclass(frozen=True, slots=True)
class Act:
    """One act of a plot.

    `value` numbers the values of its slot (labels: 1 yes, 0 no; None: the matter is left open); `ref` is the place
    in the plot of the act that it takes up.
    """

    kind: Kind
    slot: int = 0
    who: Role = Role.OWNER
    value: int | None = None
    ref: int | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A question about slot 0. `asked` is the value that it names; `within` says on which side of a cap a price is."""

    form: Form
    sort: Sort
    asked: int | None = None
    within: bool = True


@dataclass(frozen=True, slots=True)
class Gold:
    """The answer to a question, with the places in the plot of the acts that show it, and of those that are dead."""

    decision: Decision
    value: int | None
    because: tuple[int, ...]
    dead: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Plot:
    """A template: reduced acts, the rule of standing, the question, and its gold."""

    track: str
    matter: str  # what its slots are, in `vocabulary.MATTERS`
    name: str
    standing: Standing
    acts: tuple[Act, ...]
    question: Question
    gold: Gold


#: Acts that settle the value they carry.
SETTLING = frozenset(
    {
        Kind.SET,
        Kind.CORRECT,
        Kind.DETACH,
        Kind.SAY_IT,
        Kind.READ,
        Kind.COMMIT,
        Kind.FULFIL,
        Kind.BREAK,
        Kind.RELEASE,
        Kind.REOPEN,
    }
)
#: Acts that mention a value and settle nothing.
MENTIONING = frozenset(
    {
        Kind.PROPOSE,
        Kind.PROPOSE_IT,
        Kind.SUPPOSE,
        Kind.DRAFT,
        Kind.HEARSAY,
        Kind.ASK,
        Kind.RECALL,
        Kind.CLAIM,
        Kind.LATE,
        Kind.PLEAD,
    }
)
#: Acts that carry a value of their own, whatever becomes of it.
CARRYING = SETTLING | MENTIONING | {Kind.LEND, Kind.LEASE, Kind.PLAN, Kind.CONDITION, Kind.SCOPED, Kind.REST}
#: Acts about the matter at hand, whichever that is.
ABOUT_IT = frozenset({Kind.SAY_IT, Kind.PROPOSE_IT, Kind.WITHDRAW_IT})
#: Acts that are not told: the clock shows them.
SILENT = frozenset({Kind.LAPSE, Kind.ARRIVE})
