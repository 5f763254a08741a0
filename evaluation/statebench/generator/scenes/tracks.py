"""Grammars of the tracks: the acts that a plot may have, with their roles and slots."""

from __future__ import annotations

from dataclasses import dataclass

from evaluation.statebench.generator.scenes.acts import Form, Kind, Role, Sort, Standing

OWNER, SENIOR, PEER, GUEST = Role.OWNER, Role.SENIOR, Role.PEER, Role.GUEST
ANY, PARTNER, SYSTEM = Role.BYSTANDER, Role.PARTNER, Role.SYSTEM


@dataclass(frozen=True, slots=True)
class Move:
    """An act in a grammar, with its weight. `value`: the act's value, -1 for no value, None for any value."""

    kind: Kind
    weight: int = 2
    who: Role = OWNER
    slot: int = 0
    value: int | None = None


@dataclass(frozen=True, slots=True)
class Grammar:
    """Rules for plots. A decided plot has an act of a kind in `core`; a reduced plot has at least `least` acts."""

    matter: str
    moves: tuple[Move, ...]
    core: frozenset[Kind]
    standing: Standing = Standing.PLAIN
    least: int = 1
    longest: int = 6

    @property
    def sort(self) -> Sort:
        return SORTS[self.matter]

    @property
    def is_derived(self) -> bool:
        """True if slot 0 is derived from slot 1. The two slots then have values of different sorts."""
        return self.matter.startswith("derived")


#: Matter -> sort of its slots.
SORTS = {
    "quantity": Sort.VALUE,
    "reading": Sort.VALUE,
    "derived": Sort.VALUE,
    "promise": Sort.VALUE,
    "cap": Sort.CAP,
    "approval": Sort.LABEL,
    "derived approval": Sort.LABEL,
    "gate": Sort.LABEL,
    "bound": Sort.LABEL,
    "kept": Sort.LABEL,
}


def _each(*kinds: Kind, who: Role = OWNER, slot: int = 0, weight: int = 2) -> tuple[Move, ...]:
    return tuple(Move(kind, weight, who, slot) for kind in kinds)


def _both(
    moves: tuple[Move, ...],
    core: set[Kind],
    *,
    standing: Standing = Standing.PLAIN,
    least: int = 1,
    longest: int = 6,
) -> tuple[Grammar, ...]:
    return tuple(
        Grammar(matter, moves, frozenset(core), standing, least, longest)
        for matter in ("quantity", "approval")
    )


_PROPOSALS = (Move(Kind.PROPOSE, who=ANY), Move(Kind.ACCEPT))
_CHANGES = (Move(Kind.SET, 4), *_each(Kind.ROLLBACK, Kind.WITHDRAW))
_PASSING = (Move(Kind.LEND), Move(Kind.LAPSE, 4), Move(Kind.PLAN), Move(Kind.ARRIVE, 4))

TRACKS: dict[str, tuple[Grammar, ...]] = {
    "supersession": _both(
        (*_CHANGES, *_PROPOSALS, Move(Kind.RECALL, who=ANY)), {Kind.SET, Kind.ROLLBACK}, least=2
    ),
    "supersession_detection": _both(
        (
            *_each(Kind.SET, weight=3),
            *_each(Kind.CORRECT, Kind.WITHDRAW),
            *_each(Kind.RECALL, Kind.ASK, Kind.HEARSAY, who=ANY),
            *_PROPOSALS,
        ),
        {Kind.SET, Kind.CORRECT},
        least=2,
    ),
    "authority_hierarchy": _both(
        (
            *(Move(Kind.SET, 2, who) for who in (SENIOR, OWNER, PEER, GUEST)),
            *(Move(Kind.ACCEPT, 2, who) for who in (SENIOR, OWNER)),
            *(Move(Kind.WITHDRAW, 1, who) for who in (SENIOR, OWNER)),
            Move(Kind.ROLLBACK, 1, SENIOR),
        ),
        {Kind.SET},
        standing=Standing.RANKS,
        least=2,
    ),
    "scope_leak": _both(
        (
            *_each(Kind.SUPPOSE, Kind.DRAFT, who=ANY, weight=3),
            Move(Kind.SET, 3),
            *_each(Kind.ACCEPT, Kind.WITHDRAW, Kind.ROLLBACK),
        ),
        {Kind.SUPPOSE, Kind.DRAFT},
    ),
    "task_scopes": _both(
        (
            *_each(Kind.ENTER, Kind.SCOPED, Kind.LEAVE, weight=4),
            Move(Kind.SET, 3),
            *_each(Kind.WITHDRAW, Kind.ROLLBACK, weight=1),
            *_PROPOSALS,
        ),
        {Kind.SCOPED},
        longest=8,
    ),
    "environmental_freshness": tuple(
        Grammar(
            matter,
            (
                Move(Kind.READ, 5, SYSTEM),
                Move(Kind.CLAIM, 2, ANY),
                Move(Kind.LATE, 2, SYSTEM),
                *_each(Kind.FAULT, Kind.FIX, who=ANY),
            ),
            frozenset({Kind.READ}),
            least=2,
        )
        for matter in ("reading", "gate")
    ),
    "repair_propagation": tuple(
        Grammar(
            matter,
            (
                *_each(Kind.SET, Kind.CORRECT, slot=1, weight=3),
                Move(Kind.WITHDRAW, 1, OWNER, 1),
                Move(Kind.REST, 6),
                Move(Kind.SET),
                *_PROPOSALS,
                Move(Kind.RECALL, 1, ANY),
            ),
            frozenset({Kind.REST}),
        )
        for matter in ("derived", "derived approval")
    ),
    "commitment_durability": (
        Grammar(
            "promise",
            (
                Move(Kind.COMMIT, 5),
                Move(Kind.PLEAD, 3),
                Move(Kind.ACCEPT, 2, PARTNER),
                Move(Kind.PROPOSE, 2, PARTNER),
                Move(Kind.ACCEPT, 2, OWNER),
                Move(Kind.WITHDRAW, 2, PARTNER),
                Move(Kind.RECALL, 1, ANY),
            ),
            frozenset({Kind.COMMIT}),
        ),
        *(
            Grammar(
                matter,
                (
                    Move(Kind.COMMIT, 4, OWNER, 0, committed),
                    Move(Kind.FULFIL, 3, OWNER, 0, fulfilled),
                    *last,
                    Move(Kind.REOPEN, 3, PARTNER, 0, committed),
                    Move(Kind.CLAIM, 3, ANY),
                    Move(Kind.ACCEPT, 2, PARTNER),
                ),
                frozenset({Kind.COMMIT, Kind.FULFIL, Kind.BREAK}),
            )
            for matter, committed, fulfilled, last in (
                ("bound", 1, 0, (Move(Kind.RELEASE, 2, PARTNER, 0, 0),)),
                ("kept", -1, 1, (Move(Kind.BREAK, 3, PARTNER, 0, 0),)),
            )
        ),
    ),
    "interruption_resumption": _both(
        (
            *_each(Kind.FOCUS, Kind.SET, weight=2),
            *_each(Kind.FOCUS, Kind.SET, slot=1, weight=2),
            Move(Kind.RESUME, 3),
            Move(Kind.SAY_IT, 5),
            Move(Kind.WITHDRAW_IT, 3),
            Move(Kind.PROPOSE_IT, 3, ANY),
            Move(Kind.ACCEPT),
        ),
        {Kind.SAY_IT, Kind.WITHDRAW_IT, Kind.PROPOSE_IT},
        least=2,
        longest=5,
    ),
    "hallucination_resistance": _both(
        (
            *_each(Kind.PROPOSE, Kind.ASK, Kind.HEARSAY, Kind.SUPPOSE, who=ANY),
            Move(Kind.ACCEPT, 3),
            Move(Kind.SET),
            Move(Kind.WITHDRAW, 1),
        ),
        {Kind.PROPOSE, Kind.ASK, Kind.HEARSAY, Kind.SUPPOSE},
    ),
    "causality": (
        Grammar(
            "cap",
            (
                *_CHANGES,
                *_PROPOSALS,
                *_PASSING,
                *_each(Kind.CONDITION, Kind.MET),
                *_each(Kind.EXEMPT, Kind.END_EXEMPT, weight=1),
            ),
            frozenset({Kind.SET}),
            least=2,
        ),
    ),
    "dependency_chain": _both(
        (
            Move(Kind.LINK, 6),
            Move(Kind.LINK, 4, OWNER, 1),
            Move(Kind.SET, 3),
            Move(Kind.SET, 4, OWNER, 1),
            Move(Kind.SET, 3, OWNER, 2),
            Move(Kind.DETACH, 2),
            *_each(Kind.WITHDRAW, Kind.ROLLBACK, slot=1, weight=1),
            Move(Kind.WITHDRAW, 1, OWNER, 2),
            Move(Kind.PROPOSE, 1, ANY),
        ),
        {Kind.LINK},
        least=2,
    ),
    "expiry": _both(
        (
            Move(Kind.SET, 3),
            *_PASSING,
            Move(Kind.LEASE, 2),
            *_each(Kind.EXTEND, Kind.DROP),
            Move(Kind.WITHDRAW, 1),
        ),
        {Kind.LEND, Kind.LEASE, Kind.PLAN},
    ),
    "delegation": _both(
        (
            *_each(Kind.GRANT, Kind.SET, weight=3),
            Move(Kind.SET, 4, Role.DELEGATE),
            Move(Kind.SET, 3, Role.SUCCESSOR),
            *_each(Kind.REVOKE, Kind.HANDOVER),
            *(Move(Kind.ACCEPT, 2, who) for who in (OWNER, Role.DELEGATE, Role.SUCCESSOR)),
            Move(Kind.WITHDRAW, 1, Role.DELEGATE),
            Move(Kind.PROPOSE, 1, ANY),
        ),
        {Kind.GRANT, Kind.HANDOVER},
        standing=Standing.MANDATE,
    ),
    "brutal_realistic": _both(
        (
            *_CHANGES,
            *_PROPOSALS,
            *_PASSING,
            *_each(Kind.CONDITION, Kind.MET, Kind.ENTER, Kind.SCOPED, Kind.LEAVE),
            *_each(Kind.RECALL, Kind.HEARSAY, Kind.SUPPOSE, Kind.ASK, who=ANY, weight=1),
        ),
        set(Kind),
        least=4,
        longest=7,
    ),
}


def grammars(track: str, form: Form) -> list[Grammar]:
    """Return the grammars of a track that allow questions of this form."""
    fits = (Sort.LABEL, Sort.CAP) if form is Form.MAY else (Sort.VALUE, Sort.CAP)
    return [grammar for grammar in TRACKS[track] if grammar.sort in fits]
