"""What of a turn may supersede something, whatever the slots: clauses, and the rules that each may satisfy."""

from __future__ import annotations

from dataclasses import dataclass

from evaluation.statebench.detection.clause import Clause, clauses, whole
from evaluation.statebench.detection.plain import Plain, plain_statement
from evaluation.statebench.detection.rulebook import rules_for
from evaluation.statebench.detection.rules import Rules


@dataclass(frozen=True, slots=True)
class Supersedable:
    """What of a turn may supersede something: clauses with the rules for slots they restate, and for others.

    `words` are the stems of all clauses, `across` is the whole turn where it may replace something as a whole.
    """

    clauses: tuple[tuple[Clause, Rules, Rules, Plain | None], ...]
    words: frozenset[str]
    across: Clause | None
    explains: bool
    brings_news: bool


def supersedable(text: str) -> Supersedable | None:
    """What of a turn may supersede something.

    Args:
        text: The turn.

    Returns:
        Its clauses with their rules; None where no rule could apply, whatever the slots.
    """
    every_clause, everything = clauses(text), whole(text)
    heard = tuple(
        [
            (clause, *rules, plain)
            for clause in every_clause
            if any([*(rules := rules_for(clause)), plain := plain_statement(clause)])
        ]
    )
    across = everything if everything is not None and everything.replaces else None
    if not heard and across is None:
        return None
    words = frozenset().union(*[clause.stems for clause in every_clause])
    return Supersedable(
        heard,
        words,
        across,
        any(_explains(clause) for clause in every_clause),
        any(clause.is_loud or clause.departs or clause.rejects for clause in every_clause),
    )


def _explains(clause: Clause) -> bool:
    """True where a clause says that something else does not hold any more; another clause may say what does."""
    return clause.corrects or clause.cancels or clause.invalidates or clause.rejects
