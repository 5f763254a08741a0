"""The regressions of the learned model, by gradient descent; the same for the same examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from evaluation.statebench.detection.learned.model import word_names
from tests.evaluation.statebench.detection.training.examples import TEMPLATED, Example

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Slopes = Callable[[Sequence[Floats]], Sequence[Floats]]

_RARE = 5  # a feature of fewer lines tells nothing
# Of squared weights, chosen by cross-validation over scenes. Single words are held back more, biases hardly.
_MOOD_PENALTY, _SLOT_PENALTY, _WORD_PENALTY = 2.0, 30.0, 1.0
_SCALES = (("bias", 0.1), ("w:", 2.0), ("b:", 2.0), ("after ", 2.0))
_STEPS, _RATE = 250, 0.08
_DECAY, _SQUARE_DECAY = 0.9, 0.999  # of Adam (Kingma & Ba 2015)
_HIGHEST = 30.0  # no score is taken for more, so that no power overflows
_LEAST = 1e-9
_TEMPLATED, _UNCHANGING = (
    4.0,
    0.1,
)  # weight of turns that are no free talk, and of free talk that changes nothing


class _Cells:
    """A sparse 0/1 table: which lines have which features."""

    def __init__(self, lines: Sequence[Sequence[str]], *, rare: int = _RARE) -> None:
        counts = Counter(name for line in lines for name in line)
        self.names = sorted(name for name, count in counts.items() if count >= rare)
        numbers = {name: number for number, name in enumerate(self.names)}
        held = [(line, numbers[name]) for line, of in enumerate(lines) for name in of if name in numbers]
        self._line: Ints = np.array([line for line, _ in held])
        self._name: Ints = np.array([name for _, name in held])
        self._lines = len(lines)

    def scores(self, weights: Floats) -> Floats:
        """The sum of the weights of each line, clipped."""
        sums = np.bincount(self._line, weights[self._name], minlength=self._lines)
        return np.clip(sums, -_HIGHEST, _HIGHEST)

    def slope(self, slopes: Floats) -> Floats:
        """The gradient by the weights, from the gradient by the scores."""
        return np.bincount(self._name, slopes[self._line], minlength=len(self.names))

    def penalties(self, penalty: float) -> Floats:
        """The penalty of each feature."""
        scales = [
            next((scale for opening, scale in _SCALES if name.startswith(opening)), 1.0)
            for name in self.names
        ]
        return penalty * np.array(scales)


def train(examples: Sequence[Example]) -> tuple[dict[str, float], dict[str, float]]:
    """The weights of the features of turns and of those of slots, trained together.

    With e the power of a slot's score and z the sum of e over the slots, a slot is superseded with the probability
    e / (1 + z), and nothing is with 1 / (1 + z).

    Args:
        examples: Training examples.
    """
    learned = [example for example in examples if example.can_be_learned]
    turn = np.array([n for n, example in enumerate(learned) for _ in example.slots])
    gold = np.array([at in example.gold for example in learned for at in range(len(example.slots))])
    weight = np.array([example.weight for example in learned])
    changes = np.array([bool(example.gold) for example in learned])

    def slopes(scores: Sequence[Floats]) -> Sequence[Floats]:
        odds = np.exp(np.clip(scores[0][turn] + scores[1], -_HIGHEST, _HIGHEST))
        whole = 1 + np.bincount(turn, odds, minlength=len(learned))
        golden = np.where(changes, np.bincount(turn, odds * gold, minlength=len(learned)), 1.0)
        of_slot = (odds / whole[turn] - np.where(gold, odds / golden[turn], 0)) * weight[turn]
        return np.bincount(turn, of_slot, minlength=len(learned)), of_slot

    moods = _Cells([example.moods for example in learned])
    slots = _Cells([names for example in learned for names in example.slots])
    first, second = _descend((moods, slots), (_MOOD_PENALTY, _SLOT_PENALTY), slopes)
    return first, second


def train_words(examples: Sequence[Example]) -> dict[str, float]:
    """The weights of words that distinguish free talk from templated talk.

    Args:
        examples: Both kinds.
    """
    texts = sorted({example.text: example for example in examples}.items())
    cells = _Cells([word_names(text) for text, _ in texts], rare=1)
    labels = [_word_label(example) for _, example in texts]
    label, weight = np.array([label for label, _ in labels]), np.array([weight for _, weight in labels])

    def slopes(scores: Sequence[Floats]) -> Sequence[Floats]:
        return [(1 / (1 + np.exp(-scores[0])) - label) * weight]

    return _descend((cells,), (_WORD_PENALTY,), slopes)[0]


def _word_label(example: Example) -> tuple[float, float]:
    if example.of == TEMPLATED:
        return 0.0, _TEMPLATED
    return (1.0, 1.0) if example.changes else (0.0, _UNCHANGING)


def _descend(tables: Sequence[_Cells], penalties: Sequence[float], slopes: Slopes) -> list[dict[str, float]]:
    """The weights of the features of each table after `_STEPS` steps of Adam."""
    weights, means, squares = ([np.zeros(len(table.names)) for table in tables] for _ in range(3))
    held = [table.penalties(penalty) for table, penalty in zip(tables, penalties, strict=True)]
    for step in range(1, _STEPS + 1):
        by_line = slopes([table.scores(weights[n]) for n, table in enumerate(tables)])
        for n, table in enumerate(tables):
            slope = table.slope(by_line[n]) + held[n] * weights[n]
            means[n] = _DECAY * means[n] + (1 - _DECAY) * slope
            squares[n] = _SQUARE_DECAY * squares[n] + (1 - _SQUARE_DECAY) * slope**2
            size = np.sqrt(squares[n] / (1 - _SQUARE_DECAY**step)) + _LEAST
            weights[n] = weights[n] - _RATE * means[n] / (1 - _DECAY**step) / size
    return [dict(zip(table.names, weights[n].tolist(), strict=True)) for n, table in enumerate(tables)]
