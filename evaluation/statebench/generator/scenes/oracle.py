"""The oracle: it computes the correct answer of a plot by applying its acts in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from evaluation.statebench.generator.scenes.acts import (
    ABOUT_IT,
    CARRYING,
    MENTIONING,
    SETTLING,
    Act,
    Decision,
    Form,
    Gold,
    Kind,
    Question,
    Role,
    Sort,
    Standing,
)

#: Ranks of roles; others, such as guests, settle nothing where ranks decide.
RANK = {Role.SENIOR: 3, Role.OWNER: 2, Role.PEER: 1}


@dataclass(frozen=True, slots=True)
class Holding:
    """Content of a slot: the value (None if undecided), the acts that show it (`because`), and its former content."""

    value: int | None
    because: tuple[int, ...]
    rank: int = 0
    before: Holding | None = None


@dataclass(slots=True)
class SlotState:
    """State of a slot after some acts. Acts are given by their indices in the plot."""

    live: Holding | None = None
    scoped: Holding | None = None
    inside: int | None = None  # the act that entered the scope
    # Act of the term in force, its content, True if the old value returns.
    running: tuple[int, Holding, bool] | None = None
    pending: dict[int, int] = field(default_factory=dict)  # plan or condition -> value
    mentioned: dict[int, int] = field(default_factory=dict)  # act that may be taken up -> value
    link: int | None = None  # the act that makes it follow the next slot
    rest: int | None = None  # the act that derived it from the next slot
    exempt: int | None = None
    faulty: bool = False
    delegated: int | None = None  # the act that appointed a delegate
    handed: int | None = None  # the act that handed the matter over


class Machine:
    """Applies acts to slots. An act changes nothing if its precondition is missing, such as the act it refers to."""

    def __init__(self, standing: Standing) -> None:
        self.standing = standing
        self.slots: dict[int, SlotState] = {}
        self.focus: list[int] = []  # stack of matters at hand
        self.resolved: list[int] = []  # slot of each act; -1 if unknown

    def slot(self, number: int) -> SlotState:
        return self.slots.setdefault(number, SlotState())

    def apply(self, number: int, act: Act) -> None:
        about = self._about(act)
        unheard = about < 0 or (act.kind is Kind.SCOPED and self.slot(about).inside is None)
        self.resolved.append(-1 if unheard else about)
        if unheard:
            return
        state = self.slot(about)
        match act.kind:
            case kind if kind in SETTLING:
                self._settle(state, about, number, act)
            case kind if kind in MENTIONING:
                assert act.value is not None
                state.mentioned[number] = act.value
            case Kind.FOCUS | Kind.RESUME:
                self._turn_to(act)
            case Kind.ENTER | Kind.SCOPED | Kind.LEAVE:
                _place(state, number, act)
            case Kind.LEND | Kind.LEASE | Kind.EXTEND | Kind.LAPSE:
                self._for_a_time(state, number, act)
            case Kind.PLAN | Kind.CONDITION:
                assert act.value is not None
                state.pending[number] = act.value
            case Kind.ARRIVE | Kind.MET | Kind.DROP:
                self._come_true(state, about, number, act)
            case Kind.GRANT | Kind.REVOKE | Kind.HANDOVER:
                _appoint(state, number, act)
            case Kind.FAULT | Kind.FIX:
                _sense(state, number, act)
            case Kind.EXEMPT | Kind.END_EXEMPT:
                state.exempt = number if act.kind is Kind.EXEMPT else None
            case Kind.LINK | Kind.REST:
                self._depend(state, about, number, act)
            case _:
                self._take_up(state, about, number, act)

    def effective(self, about: int, seen: frozenset[int] = frozenset()) -> Holding | None:
        """Return the content of a slot that is in effect, or None. `seen`: numbers of the slots already visited."""
        state = self.slot(about)
        if state.scoped is not None and state.inside is not None:
            return state.scoped
        if state.link is not None and about not in seen:
            followed = self.effective(about + 1, seen | {about})
            if followed is None:
                return None
            return replace(followed, because=(state.link, *followed.because))
        return state.live

    def relevant(self, about: int = 0) -> list[int]:
        """List the numbers of a slot and of all slots on which the slot's content depends."""
        slots = [about]
        while self.slot(slots[-1]).link is not None and slots[-1] + 1 not in slots:
            slots.append(slots[-1] + 1)
        return slots

    def _about(self, act: Act) -> int:
        if act.kind in ABOUT_IT:
            return self.focus[-1] if self.focus else -1
        if act.kind in SETTLING or act.kind is Kind.PROPOSE:  # a named matter becomes the one at hand
            self._bring_up(act.slot)
        return act.slot

    def _bring_up(self, slot: int) -> None:
        if not self.focus or self.focus[-1] != slot:
            self.focus.append(slot)

    def _turn_to(self, act: Act) -> None:
        if act.kind is Kind.FOCUS:
            self._bring_up(act.slot)
        elif len(self.focus) > 1:
            self.focus.append(self.focus[-2])

    def _may(self, state: SlotState, act: Act) -> tuple[bool, tuple[int, ...]]:
        match self.standing:
            case Standing.PLAIN:
                return True, ()
            case Standing.RANKS:
                rank = RANK.get(act.who, 0)
                return rank > 0 and (state.live is None or rank >= state.live.rank), ()
            case Standing.MANDATE:
                return _mandate(state, act.who)

    def _settle(self, state: SlotState, about: int, number: int, act: Act) -> None:
        may, shown = self._may(state, act)
        if act.kind is Kind.READ and state.faulty:
            may = False
        if not may:
            if act.value is not None:
                state.mentioned[number] = act.value
            return
        if act.kind is Kind.DETACH:
            state.link = None
        self._hold(state, about, act, act.value, (*shown, number))

    def _hold(
        self, state: SlotState, about: int, act: Act, value: int | None, because: tuple[int, ...]
    ) -> None:
        rank = RANK.get(act.who, 0) if self.standing is Standing.RANKS and value is not None else 0
        state.live = Holding(value, because, rank, state.live)
        state.rest = None
        if about > 0:
            self._shake(about - 1, because)

    def _shake(self, about: int, because: tuple[int, ...]) -> None:
        """Make a slot undecided after a change of the slot from which it is derived."""
        state = self.slot(about)
        if state.rest is not None:
            state.live = Holding(None, (state.rest, *because), 0, None)
            state.rest = None

    def _take_up(self, state: SlotState, about: int, number: int, act: Act) -> None:
        may, shown = self._may(state, act)
        if not may:
            return
        live = state.live
        match act.kind:
            case Kind.ACCEPT if act.ref is not None and act.ref in state.mentioned:
                value = state.mentioned.pop(act.ref)
                self._hold(state, about, act, value, (*shown, act.ref, number))
            case Kind.WITHDRAW | Kind.WITHDRAW_IT if live is not None and live.value is not None:
                self._hold(state, about, act, None, (*shown, number))
            case Kind.ROLLBACK if live is not None and live.before is not None:
                before = live.before
                state.live = replace(before, because=(*before.because, *shown, number))
            case _:
                pass

    def _for_a_time(self, state: SlotState, number: int, act: Act) -> None:
        running = state.running
        match act.kind:
            case Kind.LEND | Kind.LEASE:
                held = Holding(act.value, (number,), 0, state.live)
                state.running = (number, held, act.kind is Kind.LEND)
                state.live = held
            case Kind.EXTEND if running and running[0] == act.ref:
                held = replace(running[1], because=(*running[1].because, number))
                state.running, state.live = (number, held, running[2]), held
            case Kind.LAPSE if running and running[0] == act.ref:
                held, before = running[1], running[1].before
                state.running = None
                state.live = before if running[2] else Holding(None, held.because)
            case _:
                pass

    def _come_true(self, state: SlotState, about: int, number: int, act: Act) -> None:
        if act.ref is None or (value := state.pending.pop(act.ref, None)) is None:
            return
        if act.kind is Kind.ARRIVE:
            self._hold(state, about, act, value, (act.ref,))
        elif act.kind is Kind.MET:
            self._hold(state, about, act, value, (act.ref, number))

    def _depend(self, state: SlotState, about: int, number: int, act: Act) -> None:
        if act.kind is Kind.LINK:
            state.link = number
        elif (base := self.slot(about + 1).live) is not None and base.value is not None:
            self._hold(state, about, act, act.value, (number,))
            state.rest = number


def _mandate(state: SlotState, who: Role) -> tuple[bool, tuple[int, ...]]:
    if state.handed is not None:
        return who is Role.SUCCESSOR, (state.handed,)
    if who is Role.DELEGATE and state.delegated is not None:
        return True, (state.delegated,)
    return who is Role.OWNER, ()


def _appoint(state: SlotState, number: int, act: Act) -> None:
    if state.handed is not None:
        return
    match act.kind:
        case Kind.GRANT:
            state.delegated = number
        case Kind.REVOKE:
            state.delegated = None
        case _:
            state.handed, state.delegated = number, None


def _place(state: SlotState, number: int, act: Act) -> None:
    match act.kind:
        case Kind.ENTER:
            state.inside = number
        case Kind.SCOPED:
            assert state.inside is not None
            state.scoped = Holding(act.value, (state.inside, number))
        case Kind.LEAVE:
            state.inside = state.scoped = None
        case _:
            pass


def _sense(state: SlotState, number: int, act: Act) -> None:
    state.faulty = act.kind is Kind.FAULT
    if state.faulty:
        state.live = Holding(None, (number,))


def evaluate(acts: Sequence[Act], question: Question, standing: Standing) -> Gold:
    machine = Machine(standing)
    for number, act in enumerate(acts):
        machine.apply(number, act)
    return answer(machine, acts, question)


def answer(machine: Machine, acts: Sequence[Act], question: Question) -> Gold:
    held = machine.effective(0)
    exempt = machine.slot(0).exempt if question.form is Form.MAY and question.sort is Sort.CAP else None
    because = (exempt,) if exempt is not None else held.because if held is not None else ()
    value = held.value if held is not None else None
    relevant = machine.relevant()
    dead = tuple(
        number
        for number, act in enumerate(acts)
        if act.kind in CARRYING
        and machine.resolved[number] in relevant
        and act.value is not None
        and act.value != value
        and number not in because
    )
    if exempt is not None:
        return Gold(Decision.YES, None, because, dead)
    decision = decide(value, question)
    return Gold(decision, value if decision is Decision.VALUE else None, tuple(dict.fromkeys(because)), dead)


def decide(value: int | None, question: Question) -> Decision:
    """Return the decision for a question, given the value of the slot that it asks about (None: undecided)."""
    if value is None:
        return Decision.UNCLEAR
    match question.form:
        case Form.WHAT:
            return Decision.VALUE
        case Form.IS:
            return Decision.YES if value == question.asked else Decision.NO
        case Form.MAY if question.sort is Sort.CAP:
            return Decision.YES if question.within else Decision.NO
        case Form.MAY:
            return Decision.YES if value == 1 else Decision.NO
