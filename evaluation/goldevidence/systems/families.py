"""Programs that answer question families (about several lines) by rule, correctly or with a built-in fault."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.core.files.remembered import remembered
from evaluation.core.tokens import last_digit_tokens
from evaluation.goldevidence.data import families
from evaluation.goldevidence.data.deeds import Deed, book_deeds, log_deeds
from evaluation.goldevidence.data.families import FAMILY_OF, Solved, solve
from evaluation.goldevidence.data.ledger import LEDGER_HEADING
from evaluation.goldevidence.generator import queries
from evaluation.goldevidence.generator.families.pairs import described, thing_asked
from evaluation.goldevidence.records import CanonicalPrediction, EpisodeRow

#: Cached texts, a hundred lines each.
TEXTS_AT_HAND = 64
Solver = Callable[[str, Sequence[Any], Sequence[Deed]], Solved]


def is_of_family(row: EpisodeRow) -> bool:
    return families.is_of_family(row.get("meta"))


def deeds_of(text: str) -> Sequence[Deed]:
    """Parse the deeds (lines with ids) of a log or a book, written in the published grammar or in sentences."""
    if LEDGER_HEADING in text:
        return book_deeds(text)
    if "\n- [U" in text:
        return log_deeds(text) or book_deeds(f"{LEDGER_HEADING}\n{text}")
    # imported on use: packs need pydantic, other texts do not
    from evaluation.goldevidence.generator.families.prose import deeds_in_prose

    return list(deeds_in_prose(text))


def solved(row: EpisodeRow, tokens: int = 0, solver: Solver = solve) -> tuple[str | None, list[str]]:
    """Answer a row of a question family by rule. Returns the value and the ids of the lines that establish it.

    If `tokens` is above 0, only that many tokens at the end of the text are read.
    """
    text = row.get("book") or row.get("document") or ""
    return _answer(row["question"], _deeds(text, tokens), solver)


def solved_by(question: str, lines: Sequence[str]) -> tuple[str | None, list[str]]:
    """Answer a question by rule from some lines of a text, in order. Returns the value and the ids of its evidence."""
    return _answer(question, deeds_of("\n".join(["", *lines])), solve)


def _answer(question: str, deeds: Sequence[Deed], solver: Solver) -> tuple[str | None, list[str]]:
    asked = queries.read(question)
    if asked is None or asked.args is None or asked.derived_op is None:
        return None, []
    args = asked.args
    if asked.derived_op == "meant":
        args = (thing_asked(args[0]),)
    value, support = solver(asked.derived_op, args, deeds)
    return value, [deed.uid for deed in support]


@remembered(TEXTS_AT_HAND)
def _deeds(text: str, tokens: int) -> Sequence[Deed]:
    return deeds_of(last_digit_tokens(text, tokens) if tokens else text)


@dataclass(frozen=True, slots=True)
class Parser:
    """A system that answers question families by rule, and other rows with null. `solver` may have a built-in fault."""

    solver: Solver = solve

    def predict(self, row: EpisodeRow, *, protocol: str = "closed_book") -> CanonicalPrediction:
        value, support_ids = solved(row, solver=self.solver) if is_of_family(row) else (None, [])
        return {"id": row["id"], "value": value, "support_ids": support_ids}


def overlaps_words(op: str, args: Sequence[Any], deeds: Sequence[Deed]) -> Solved:
    """Solve with a fault: understand a description as the name that shares most words with it, the last of equals."""
    if op == "meant" and deeds:
        asked = set((described(args[0]) if args[0] else "").split()) - {"the", "a", "of", "that"}
        args = (
            max((len(asked & set(deed.key.split())), place, deed.key) for place, deed in enumerate(deeds))[2],
        )
    return solve(op, args, deeds)


def counts_mentions(op: str, args: Sequence[Any], deeds: Sequence[Deed]) -> Solved:
    """Solve with a fault: counts over tags treat NOTEs as updates and ignore the step that the question names."""
    if FAMILY_OF[op] == "aggregate":
        deeds = [deed._replace(op="SET") if deed.op == "NOTE" else deed for deed in deeds]
        args = (args[0], None) if op == "count_holding" else args
    return solve(op, args, deeds)


def stops_early(op: str, args: Sequence[Any], deeds: Sequence[Deed]) -> Solved:
    if op == "reached":
        args = args[0], args[1] - 1, args[2]
    return solve(op, args, deeds)


def ignores_retractions(op: str, args: Sequence[Any], deeds: Sequence[Deed]) -> Solved:
    return solve(op, args, [deed for deed in deeds if deed.op != "RETRACT"])


def ignores_revocations(op: str, args: Sequence[Any], deeds: Sequence[Deed]) -> Solved:
    """Solve with a fault: rights are never revoked."""
    return solve(op, args, [deed for deed in deeds if deed.op != "REVOKE"])
