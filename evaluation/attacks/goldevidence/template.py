"""An attacker that parses the published forms of lines and questions with regular expressions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evaluation.attacks.goldevidence.view import asked
from evaluation.attacks.plan import PublicLine, Untaught
from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.generator.queries import Query, gold
from evaluation.goldevidence.records import EpisodePrediction
from evaluation.goldevidence.systems import families


class TemplateReader(Untaught):
    """Answers with the authoritative line about the question's key that has the highest step."""

    def __call__(self, line: PublicLine) -> Iterator[EpisodePrediction]:
        question = asked(line)
        asks = question.question
        if families.is_of_family(question.row):
            value, cited = families.solved(question.row)
        else:
            record = gold(Query(asks.key or "", asks.derived_op, asks.manager), state_of(question.lines))
            value, cited = record["value"], record["support_ids"]
        answer: EpisodePrediction = {"id": question.row["id"], "value": value, "support_ids": cited}
        yield answer | {"selected_uid": cited[0]} if len(cited) == 1 else answer


def state_of(lines: Sequence[Entry]) -> dict[str, Entry]:
    ordered = sorted(lines, key=lambda entry: entry.step)
    return {entry.key: entry for entry in ordered if entry.authoritative}
