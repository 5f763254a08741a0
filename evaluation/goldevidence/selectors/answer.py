"""The deterministic answer: what the selected line says, read without a model.

It is the upper bound of pick-then-answer: whatever it gets wrong, the selector got wrong.
"""

from __future__ import annotations

from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.generator import queries
from evaluation.goldevidence.generator.queries import Query


def answer(line: Entry, derived_op: str | None) -> str | None:
    """The value that a line establishes.

    `reports` needs the latest lines of all keys and has no answer in one line: None.

    Args:
        line: The selected line.
        derived_op: Of a derived question, what follows from the value; None for a direct one.

    Returns:
        The answer; None after a CLEAR.
    """
    value = None if line.op == "CLEAR" or derived_op == "reports" else line.value
    return queries.answer(Query(line.key, derived_op), value)
