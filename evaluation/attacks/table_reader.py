"""An attacker that learns a shortcut: it predicts the right answer from one feature of a row.

In the training rows it counts the right moves ("take the third line from the end") for each value of each feature (the
last digit of an id, the position of a line, a name). It uses the one feature that, learnt from one half of the units,
best predicts the right moves of the other half.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeVar

from evaluation.attacks.plan import Example, PublicLine
from evaluation.core.records import Prediction

Question = TypeVar("Question")
Move = tuple[str, Hashable]
Feature = Callable[[Question], Hashable]
Table = dict[Hashable, Counter[Move]]


def _in_rhythm(rhythm: int) -> Feature[Any]:
    return lambda question: question.line.number % rhythm


#: Features of the place of a line in its file.
RHYTHMS: Final[Mapping[str, Feature[Any]]] = {f"each {n}th line": _in_rhythm(n) for n in (2, 3, 4, 5, 8)}


class View(Protocol[Question]):
    """Lets a `TableReader` read the rows of a suite, and turns its moves into predictions."""

    def questions(self, line: PublicLine) -> Iterable[Question]:
        """The questions of a row."""

    def right_moves(self, example: Example) -> Iterable[tuple[Question, Collection[Move]]]:
        """Each question of a row with the moves that answer it correctly."""

    def answer(self, question: Question, move: Move) -> Prediction | None:
        """The prediction that results from a move (a choice of an answer). None if the question has no such choice."""

    def nothing(self, question: Question) -> Prediction:
        """A prediction with an empty answer."""


class _Learnt(NamedTuple, Generic[Question]):
    question: Question
    moves: Collection[Move]
    unit: int


class TableReader(Generic[Question]):
    """Learns which moves are often right. `features`: simplest first; `kinds`: first parts of the moves to make."""

    def __init__(
        self,
        view: View[Question],
        features: Mapping[str, Feature[Question]],
        examples: Sequence[Example],
        kinds: Collection[str],
    ) -> None:
        self._view, self._kinds = view, kinds
        learnt = list(self._learnt(examples))
        halves = [[each for each in learnt if each.unit % 2 == half] for half in (0, 1)]
        scores = {name: self._foretold(feature, halves) for name, feature in features.items()}
        self.feature = max(
            scores, key=lambda name: scores[name]
        )  # of equal ones the first, which is the simplest
        self._read = features[self.feature]
        self._table = _table(self._read, learnt)
        self._any = _table(lambda question: None, learnt)[None]

    def __call__(self, line: PublicLine) -> Iterator[Prediction]:
        for question in self._view.questions(line):
            yield self._choose(question, self._table, self._read)

    def _learnt(self, examples: Sequence[Example]) -> Iterator[_Learnt[Question]]:
        for example in examples:
            for question, moves in self._view.right_moves(example):
                allowed = [move for move in moves if move[0] in self._kinds]
                yield _Learnt(question, allowed, example.unit)

    def _foretold(self, feature: Feature[Question], halves: Sequence[Sequence[_Learnt[Question]]]) -> int:
        right = 0
        for known, asked in (halves, halves[::-1]):
            table = _table(feature, known)
            best = {value: counter.most_common(1)[0][0] for value, counter in table.items() if counter}
            right += sum(best.get(feature(each.question)) in each.moves for each in asked)
        return right

    def _choose(self, question: Question, table: Table, feature: Feature[Question]) -> Prediction:
        for counter in (table.get(feature(question)), self._any):
            for move, _ in counter.most_common(3) if counter else ():
                if (answer := self._view.answer(question, move)) is not None:
                    return answer
        return self._view.nothing(question)


def _table(feature: Feature[Question], learnt: Iterable[_Learnt[Question]]) -> Table:
    table: Table = defaultdict(Counter)
    for each in learnt:
        table[feature(each.question)].update(each.moves)
    return table
