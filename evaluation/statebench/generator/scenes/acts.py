"""The abstract acts of a plot, such as a proposal or a correction, and the questions about them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """Kinds of act, grouped by their effect on the value of a slot."""

    # The value is settled, if the speaker has the standing.
    SET = "set"
    CORRECT = "correct"
    DETACH = "detach"  # ends a link
    SAY_IT = "say it"  # settles the matter at hand without naming it
    READ = "read"  # of a sensor
    COMMIT = "commit"
    FULFIL = "fulfil"
    BREAK = "break"
    RELEASE = "release"
    REOPEN = "reopen"  # takes a fulfilment back
    # A value is mentioned, not settled.
    PROPOSE = "propose"
    PROPOSE_IT = "propose it"
    SUPPOSE = "suppose"
    DRAFT = "draft"
    HEARSAY = "hearsay"
    ASK = "ask"
    RECALL = "recall"  # an earlier value, repeated by a person who missed the change
    CLAIM = "claim"  # against a sensor, or that a promise was kept
    LATE = "late"  # a reading older than the known one, which arrives late
    PLEAD = "plead"  # the promisor asks for other terms
    # An earlier act is taken up.
    ACCEPT = "accept"
    ROLLBACK = "rollback"
    WITHDRAW = "withdraw"
    WITHDRAW_IT = "withdraw it"
    # For a time, from a time, on a condition. The passing of time is an act that is not told.
    LEND = "lend"  # until a time, then the earlier value returns
    LEASE = "lease"  # until a time, then the matter is open
    EXTEND = "extend"
    LAPSE = "lapse"  # not told
    PLAN = "plan"  # from a time on
    ARRIVE = "arrive"  # not told
    DROP = "drop"  # cancels a plan
    CONDITION = "condition"
    MET = "met"
    # The right to decide.
    GRANT = "grant"
    REVOKE = "revoke"
    HANDOVER = "handover"
    # Scopes.
    ENTER = "enter"
    SCOPED = "scoped"
    LEAVE = "leave"
    # The matter at hand.
    FOCUS = "focus"
    RESUME = "resume"
    # Dependencies.
    LINK = "link"  # the slot follows the next one
    REST = "rest"  # the slot's value is derived from the next one's
    EXEMPT = "exempt"
    END_EXEMPT = "end exempt"
    # A sensor's state.
    FAULT = "fault"
    FIX = "fix"


class Role(StrEnum):
    """Roles of speakers. A bystander, peer or guest is a new person each time, any other role is always one person."""

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
    """Rules that decide which speakers may settle a value."""

    PLAIN = "plain"  # every speaker
    RANKS = "ranks"  # a rank equal to or above that of the present value
    MANDATE = "mandate"  # the owner, who may appoint a delegate or hand the matter over


class Decision(StrEnum):
    YES = "yes"
    NO = "no"
    UNCLEAR = "unclear"
    VALUE = "value"


class Form(StrEnum):
    """Forms of question: for a value, whether a given value is valid, or whether something is allowed."""

    WHAT = "what"
    IS = "is"
    MAY = "may"


class Sort(StrEnum):
    """Sorts of slot, according to the kind of value."""

    VALUE = "value"  # an amount, a date, a person …
    CAP = "cap"  # an amount that a price is compared with
    LABEL = "label"  # 1 yes, 0 no


@dataclass(frozen=True, slots=True)
class Act:
    """One act of a plot. `value`: number of the slot's value, if any. `ref`: index of the earlier act it refers to."""

    kind: Kind
    slot: int = 0
    who: Role = Role.OWNER
    value: int | None = None
    ref: int | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A question about slot 0. `asked`: value asked about. `within`: the question's price is below the price limit."""

    form: Form
    sort: Sort
    asked: int | None = None
    within: bool = True


@dataclass(frozen=True, slots=True)
class Gold:
    """The answer to a question. `because` are the indices of the acts that show it, `dead` those of outdated acts."""

    decision: Decision
    value: int | None
    because: tuple[int, ...]
    dead: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Plot:
    track: str
    matter: str  # one of `vocabulary.MATTERS`
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
#: Acts with a value of their own.
CARRYING = SETTLING | MENTIONING | {Kind.LEND, Kind.LEASE, Kind.PLAN, Kind.CONDITION, Kind.SCOPED, Kind.REST}
#: Acts about the matter at hand, which they do not name.
ABOUT_IT = frozenset({Kind.SAY_IT, Kind.PROPOSE_IT, Kind.WITHDRAW_IT})
#: Acts shown only by the clock.
SILENT = frozenset({Kind.LAPSE, Kind.ARRIVE})
