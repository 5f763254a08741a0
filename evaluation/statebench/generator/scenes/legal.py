"""Draws acts that make sense after the preceding acts, with values and references to earlier acts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from evaluation.core.rng import Stream
from evaluation.statebench.generator.scenes.acts import ABOUT_IT, CARRYING, Act, Kind, Role, Sort, Standing
from evaluation.statebench.generator.scenes.oracle import Holding, Machine, SlotState
from evaluation.statebench.generator.scenes.tracks import Grammar, Move

#: How many of ten mentioned values are repeated ones.
AGAIN = 3
#: First value number of a base slot, so that it shares none with derived slots.
BASE = 100
NOTHING = -1  # there is no act to take up


def draw_act(machine: Machine, acts: Sequence[Act], move: Move, grammar: Grammar, draw: Stream) -> Act | None:
    """Draw an act of the kind `move` to follow `acts`. Returns None if the move makes no sense at this point."""
    if move.kind in ABOUT_IT and not machine.focus:
        return None
    state = machine.slot(machine.focus[-1] if move.kind in ABOUT_IT else move.slot)
    if not _fits(machine, acts, move, state):
        return None
    ref = _taken_up(acts, move, state, draw)
    if ref == NOTHING:
        return None
    if move.value is not None:
        value = None if move.value < 0 else move.value
        return Act(move.kind, move.slot, move.who, value)
    value = _value(acts, move, state, grammar, draw) if move.kind in CARRYING else None
    if move.kind in CARRYING and value is None:
        return None
    return Act(move.kind, move.slot, move.who, value, ref)


def makes_sense(acts: Sequence[Act], standing: Standing) -> bool:
    """True if each act makes sense after the acts before it. This may change when acts are removed from a plot."""
    machine = Machine(standing)
    for place, act in enumerate(acts):
        if act.kind in ABOUT_IT and not machine.focus:
            return False
        state = machine.slot(machine.focus[-1] if act.kind in ABOUT_IT else act.slot)
        move = Move(act.kind, 1, act.who, act.slot)
        before = acts[:place]
        if not _fits(machine, before, move, state) or (act.kind in _TAKING and act.ref is None):
            return False
        if act.kind is Kind.ACCEPT and not _is_last_word(before, cast(int, act.ref)):
            return False
        if act.kind is Kind.RECALL and act.value not in _settled(state):
            return False
        machine.apply(place, act)
    return True


#: Acts that would be ambiguous while a term runs, a plan is pending, or a scope is active.
_SETTLED = frozenset(
    {
        Kind.SET,
        Kind.CORRECT,
        Kind.SAY_IT,
        Kind.ACCEPT,
        Kind.WITHDRAW,
        Kind.WITHDRAW_IT,
        Kind.ROLLBACK,
        Kind.LEND,
        Kind.LEASE,
        Kind.PLAN,
        Kind.CONDITION,
    }
)


def _fits(machine: Machine, acts: Sequence[Act], move: Move, state: SlotState) -> bool:
    live, kind = state.live, move.kind
    has_value = live is not None and live.value is not None
    if kind in _SETTLED and (state.running or state.pending or state.link is not None):
        return False
    if state.inside is not None and kind not in (Kind.SCOPED, Kind.LEAVE):
        return False
    match kind:
        case Kind.CORRECT | Kind.WITHDRAW | Kind.WITHDRAW_IT | Kind.LEND | Kind.PLEAD | Kind.LATE:
            return has_value
        case Kind.ROLLBACK:
            return live is not None and live.before is not None and _can_be_undone(acts, live.before)
        case Kind.GRANT | Kind.HANDOVER:
            return state.delegated is None and state.handed is None
        case Kind.REVOKE:
            return state.delegated is not None
        case Kind.ENTER:
            return not (state.running or state.pending)
        case Kind.SCOPED:
            return state.inside is not None and state.scoped is None
        case Kind.LEAVE:
            return state.scoped is not None
        case Kind.FOCUS:
            return not machine.focus or machine.focus[-1] != move.slot
        case Kind.RESUME:
            return len(machine.focus) > 1 and acts[-1].kind is not Kind.RESUME
        case Kind.LINK | Kind.DETACH:
            return (state.link is None) is (kind is Kind.LINK)
        case Kind.REST:
            base = machine.slot(move.slot + 1).live
            return base is not None and base.value is not None and state.rest is None
        case Kind.FAULT | Kind.FIX:
            return state.faulty is (kind is Kind.FIX)
        case Kind.EXEMPT | Kind.END_EXEMPT:
            return (state.exempt is None) is (kind is Kind.EXEMPT)
        case Kind.COMMIT | Kind.FULFIL | Kind.BREAK | Kind.RELEASE | Kind.REOPEN:
            return _fits_promise(acts, kind, state)
        case _:
            return True


def _can_be_undone(acts: Sequence[Act], before: Holding) -> bool:
    """True if the phrase "the last change is undone" can mean only one change."""
    if before.value is None or any(act.kind in (Kind.LEND, Kind.LEASE) for act in acts):
        return False
    last = next((act.kind for act in reversed(acts) if act.kind in _SETTLED), None)
    return last is not Kind.ROLLBACK


def _fits_promise(acts: Sequence[Act], kind: Kind, state: SlotState) -> bool:
    commit = next((act for act in acts if act.kind is Kind.COMMIT), None)
    if commit is None or kind is Kind.COMMIT:
        return commit is None and kind is Kind.COMMIT
    is_open = state.live is None or state.live.value == commit.value
    if kind is not Kind.REOPEN:
        return is_open
    return not is_open and acts[-1].kind in (Kind.FULFIL, Kind.ACCEPT, Kind.CLAIM)


#: Kind that takes up an earlier act -> kinds it may take up; ACCEPT takes up any mention.
_TAKES = {
    Kind.EXTEND: (Kind.LEND, Kind.LEASE),
    Kind.ARRIVE: (Kind.PLAN,),
    Kind.DROP: (Kind.PLAN,),
    Kind.MET: (Kind.CONDITION,),
}
_TAKING = frozenset({*_TAKES, Kind.ACCEPT, Kind.LAPSE})
#: Roles played by a new person each time.
_MANY = frozenset({Role.BYSTANDER, Role.PEER, Role.GUEST})
_NEVER_ACCEPTED = frozenset({Kind.ASK, Kind.RECALL, Kind.LATE})


def _taken_up(acts: Sequence[Act], move: Move, state: SlotState, draw: Stream) -> int | None:
    live = state.live.value if state.live is not None else None
    match move.kind:
        case Kind.ACCEPT:
            open_ones = [
                place
                for place, value in state.mentioned.items()
                if acts[place].kind not in _NEVER_ACCEPTED
                and _is_last_word(acts, place)
                and acts[place].who is not move.who
                and value != live
            ]
            return draw.choice(open_ones) if open_ones else NOTHING
        case Kind.LAPSE | Kind.EXTEND if state.running is None:
            return NOTHING
        case Kind.LAPSE | Kind.EXTEND:
            assert state.running is not None
            extended = acts[state.running[0]].kind is Kind.EXTEND
            return NOTHING if extended and move.kind is Kind.EXTEND else state.running[0]
        case Kind.ARRIVE | Kind.DROP | Kind.MET:
            kinds = _TAKES[move.kind]
            dropped = {act.ref for act in acts if act.kind is Kind.DROP}
            waiting = [place for place in state.pending if acts[place].kind in kinds]
            if move.kind is Kind.ARRIVE and state.running is None:
                arrived = {act.ref for act in acts if act.kind is Kind.ARRIVE}
                waiting += [place for place in dropped if place is not None and place not in arrived]
            return waiting[0] if waiting and state.running is None else NOTHING
        case _:
            return None


def _is_last_word(acts: Sequence[Act], place: int) -> bool:
    """True if "what the speaker said" cannot mean the value of a later act."""
    who = acts[place].who
    later = acts[place + 1 :]
    return who in _MANY or not any(act.who is who and act.value is not None for act in later)


def _value(acts: Sequence[Act], move: Move, state: SlotState, grammar: Grammar, draw: Stream) -> int | None:
    """Draw a value for an act, but never the current value. None if there is no other value."""
    live = state.live.value if state.live is not None else None
    is_base = grammar.is_derived and move.slot > 0
    if move.kind is Kind.RECALL:
        settled = [value for value in _settled(state) if value != live]
        return draw.choice(settled) if settled else None
    if grammar.sort is Sort.LABEL and not is_base:
        return 1 - live if live is not None else draw.below(2)
    shared = (act for act in acts if not grammar.is_derived or (act.slot > 0) is is_base)
    used = sorted({act.value for act in shared if act.value is not None})
    others = [value for value in used if value != live]
    if others and draw.below(10) < AGAIN:
        return draw.choice(others)
    return used[-1] + 1 if used else BASE * is_base


def _settled(state: SlotState) -> list[int]:
    values, held = list[int](), state.live
    while held is not None:
        if held.value is not None:
            values.append(held.value)
        held = held.before
    return values
