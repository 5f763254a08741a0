"""Draws templates from the grammar of a track. Each has a form of question, a decision and its own skeleton."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import count, islice

from evaluation.core.errors import SettingsError
from evaluation.core.rng import Stream
from evaluation.statebench.generator.scenes.acts import (
    CARRYING,
    Act,
    Decision,
    Form,
    Gold,
    Plot,
    Question,
    Sort,
)
from evaluation.statebench.generator.scenes.legal import draw_act, makes_sense
from evaluation.statebench.generator.scenes.oracle import Machine, answer
from evaluation.statebench.generator.scenes.skeletons import Skeleton, name_of, reduce, shifted, skeleton
from evaluation.statebench.generator.scenes.tracks import TRACKS, Grammar, grammars

Cell = tuple[Form, Decision]

WHAT, IS, MAY = Form
YES, NO, UNCLEAR, VALUE = Decision
#: Cells filled in turn. Each form has each possible decision equally often, `what` a value twice as often as none: the
#: best constant answer is right in a third of the questions, and so is the best guess by the wording.
CELLS: tuple[Cell, ...] = (
    (WHAT, VALUE),
    (IS, YES),
    (MAY, UNCLEAR),
    (IS, NO),
    (WHAT, VALUE),
    (IS, UNCLEAR),
    (MAY, YES),
    (WHAT, UNCLEAR),
    (IS, NO),
    (WHAT, VALUE),
    (IS, YES),
    (IS, UNCLEAR),
    (MAY, NO),
    (WHAT, VALUE),
    (WHAT, UNCLEAR),
)
#: Maximum templates per track; a test draws as many from the smallest grammars.
MOST = 40
#: Draws for a cell: for a new core, for a new skeleton, and for a skeleton with any last mention.
FIRST_TRIES, TRIES, MOST_TRIES = 80, 300, 8_000


@dataclass(frozen=True, slots=True)
class Wanted:
    """Requirements on a plot. `last`: whether the last mentioned value gives the right decision; None allows both."""

    form: Form
    decision: Decision
    last: bool | None


def templates(track: str, number: int, seed: int) -> tuple[Plot, ...]:
    """Draw templates with different skeletons. Deterministic. Raises SettingsError if the grammar has too few."""
    return drawn(track, tuple(islice(_cells(0), number)), seed)


@lru_cache(maxsize=256)
def drawn(track: str, cells: tuple[Cell, ...], seed: int) -> tuple[Plot, ...]:
    """Draw one template for each pair of form and decision. See `templates`."""
    drawing, turn = _Drawing(track, Stream("plots", seed, track)), dict[Cell, int]()
    made = []
    for form, decision in cells:
        uses = turn[form, decision] = turn.get((form, decision), drawing.draw.below(2)) + 1
        made.append(drawing.plot(form, decision, uses % 2 == 0))
    return tuple(made)


def _cells(first: int) -> Iterator[Cell]:
    return (CELLS[number % len(CELLS)] for number in count(first))


class _Drawing:
    def __init__(self, track: str, draw: Stream) -> None:
        self.track, self.draw = track, draw
        self._skeletons: set[Skeleton] = set()
        self._cores: set[tuple[Decision, Skeleton]] = set()

    def plot(self, form: Form, decision: Decision, last: bool) -> Plot:
        """Draw a new template. `last`: whether the value mentioned last should give the right decision, if possible."""
        wanted, either = (
            Wanted(form, decision, None if decision is UNCLEAR else last),
            Wanted(form, decision, None),
        )
        for needed, tries, cores in (
            (wanted, FIRST_TRIES, True),
            (wanted, TRIES, False),
            (either, MOST_TRIES, False),
        ):
            for _ in range(tries):
                plot = _tried(self.track, self.draw.choice(grammars(self.track, form)), needed, self.draw)
                if plot is not None and self._is_new(plot, cores=cores):
                    return plot
        known = len(self._skeletons)
        raise SettingsError({"templates": [f"the grammar of {self.track!r} has only {known} templates."]})

    def _is_new(self, plot: Plot, *, cores: bool) -> bool:
        if (bones := skeleton(plot.acts)) in self._skeletons:
            return False
        core = plot.gold.decision, skeleton(core_of(plot))
        if cores and core in self._cores:
            return False
        self._skeletons.add(bones)
        self._cores.add(core)
        return True


def core_of(plot: Plot) -> tuple[Act, ...]:
    """Return the acts that are needed for the answer to the plot's question."""
    return reduce(plot.acts, plot.question, plot.standing, _answers_alike)


def _answers_alike(before: Gold, after: Gold, place: int) -> bool:
    if before.decision is not UNCLEAR:
        return (before.decision, before.value) == (after.decision, after.value)
    left = shifted(replace(before, dead=()), place)
    return left is not None and left == replace(after, dead=())


def _tried(track: str, grammar: Grammar, wanted: Wanted, draw: Stream) -> Plot | None:
    acts, machine = _draw_acts(grammar, draw)
    question = _ask(machine, acts, grammar, wanted, draw)
    if question is None or answer(machine, acts, question).decision is not wanted.decision:
        return None
    kept = reduce(acts, question, grammar.standing)
    if not max(grammar.least, 1) <= len(kept) or not _is_told(grammar, kept, question, wanted.decision):
        return None
    if not makes_sense(kept, grammar.standing):
        return None
    machine = Machine(grammar.standing)
    for number, act in enumerate(kept):
        machine.apply(number, act)
    gold = answer(machine, kept, question)
    if wanted.last is not None and _last_leads(machine, kept, question, gold) is not wanted.last:
        return None
    name = name_of(grammar.standing, skeleton(kept))
    return Plot(track, grammar.matter, name, grammar.standing, kept, question, gold)


def _draw_acts(grammar: Grammar, draw: Stream) -> tuple[tuple[Act, ...], Machine]:
    machine, acts = Machine(grammar.standing), list[Act]()
    wheel = [move for move in grammar.moves for _ in range(move.weight)]
    length = grammar.least + draw.below(grammar.longest - grammar.least + 1)
    for _ in range(4 * length):
        if len(acts) == length:
            break
        if (act := draw_act(machine, acts, draw.choice(wheel), grammar, draw)) is not None:
            machine.apply(len(acts), act)
            acts.append(act)
    return tuple(acts), machine


def _ask(
    machine: Machine, acts: Sequence[Act], grammar: Grammar, wanted: Wanted, draw: Stream
) -> Question | None:
    held = machine.effective(0)
    value = held.value if held is not None else None
    match wanted.form:
        case Form.WHAT:
            return Question(WHAT, grammar.sort)
        case Form.MAY:
            within = wanted.decision is YES if machine.slot(0).exempt is None else False
            return Question(MAY, grammar.sort, None, within)
        case Form.IS:
            mentioned = [act.value for act in acts if act.kind in CARRYING and act.value is not None]
            if wanted.decision is YES:
                return None if value is None else Question(IS, grammar.sort, value)
            others = [each for each in mentioned if each != value]
            if not others:
                return None
            asked = others[-1] if wanted.last is False else draw.choice(others)
            return Question(IS, grammar.sort, asked)


def _is_told(grammar: Grammar, kept: Sequence[Act], question: Question, decision: Decision) -> bool:
    is_about = decision is UNCLEAR or any(act.kind in grammar.core for act in kept)
    return is_about and (question.form is not IS or any(act.value == question.asked for act in kept))


def _last_leads(machine: Machine, kept: Sequence[Act], question: Question, gold: Gold) -> bool:
    """True if a reader who takes the last mentioned value would give the gold's decision."""
    mentioned = [act.value for act in kept if act.kind in CARRYING and act.value is not None]
    if not mentioned:
        return False
    last, held = mentioned[-1], machine.effective(0)
    match question.form:
        case Form.WHAT:
            return held is not None and last == held.value
        case Form.IS:
            return (last == question.asked) is (gold.decision is not NO)
        case Form.MAY if question.sort is Sort.CAP:
            return machine.slot(0).exempt is None and held is not None and last == held.value
        case Form.MAY:
            return (last == 1) is (gold.decision is not NO)


def pool_of(track: str, number: int, seed: int) -> tuple[Plot, ...]:
    """Return at least `number` templates of a track, spare ones last. Raises SettingsError if the track has too few."""
    first = list(TRACKS).index(track) * number % len(CELLS)
    cells = list(islice(_cells(first), max(number, len(CELLS))))
    own, more = cells[:number], cells[number:]
    others = {(form, decision is UNCLEAR) for form, decision in own}
    spare = [(form, decision) for form, decision in more if (form, decision is not UNCLEAR) in others]
    return drawn(track, (*own, *spare), seed)


def version_templates(tracks: Sequence[str], number: int, seed: int) -> Iterator[Plot]:
    """Yield `number` templates per track. Raises SettingsError if the grammar of a track has too few."""
    for track in tracks:
        yield from pool_of(track, number, seed)[:number]
