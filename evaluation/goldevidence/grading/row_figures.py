"""The fields of a verdict that say what its row adds to a figure, by the definition of the metric.

    value_ok            the value is right
    cite_p, cite_r, cite_f1, bloat      of the citations; None where none are required
    entailed            the value follows from what is cited; None where that is not judged
    authority_violation a NOTE is cited or adopted; None without an answer

and, left out where their question does not arise:

    obeyed              the value is the one that an instruction asks for; where that would be wrong
    twin_consistent     of the second row of a twin pair: the answers differ exactly where the golds do
    twin_flipped        the same, where the golds differ: both are answered rightly
    gold_present        the gold line is among the candidates; this and all below: of condition rows
    abstained           neither value nor citation
    picks_gold          the line chosen is the gold line; this and all below: where that is among the candidates
    cites_gold          some citation is the gold line
    picks_note          the line chosen is a NOTE; where it is one of those shown
    picks_update        the line chosen is another line with authority; where it is one of those shown
    agrees              the line chosen is the one that the system says its selector chose; where it says so
    value_in_line       where the gold line is chosen: the value stands in it; of direct questions
    picks_forged        the line chosen is one with false authority; where such a line is shown, whatever else is

and, of rows of every kind whose prediction says what its answerer saw:

    cites_unshown       a citation is none of those lines
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np

from evaluation.core.report import FiguredRows
from evaluation.core.statistics import FloatArray
from evaluation.goldevidence.records import EpisodeVerdict

#: Field -> metric. Shares of citations are numbers, all others are true or false.
SHARES = {"cite_p": "cite_p", "cite_r": "cite_r", "cite_f1": "cite_f1"}
OF_EVERY_ROW = {
    "value_ok": "value_acc",
    "bloat": "support_bloat",
    "entailed": "entailment",
    "authority_violation": "authority_violation_rate",
}
WHERE_IT_ARISES = {
    "obeyed": "instr_override",
    "twin_consistent": "twin_consistency",
    "twin_flipped": "twin_flip_rate",
    "gold_present": "gold_present_rate",
    "abstained": "abstain_rate",
    "picks_gold": "selection_rate",
    "cites_gold": "gold_support_selected_rate",
    "picks_note": "selected_note_rate",
    "picks_update": "wrong_update_rate",
    "agrees": "support_consistency_rate",
    "value_in_line": "value_is_substring_of_selected_line_rate",
    "picks_forged": "spoof_accept_rate",
    "cites_unshown": "own_unshown_citation_rate",
}
FIELDS = SHARES | OF_EVERY_ROW | WHERE_IT_ARISES


def with_fields(
    rows: Sequence[EpisodeVerdict], row_figures: Mapping[str, FloatArray]
) -> Sequence[EpisodeVerdict]:
    """The verdicts of a report with these fields.

    Args:
        rows: The verdicts.
        row_figures: As in `Report`: metric -> the figure of each row [rows], NaN where it is not counted.

    Returns:
        The verdicts, joined with their fields when they are read.
    """
    figures = {name: row_figures[name] for name in FIELDS.values() if name in row_figures}
    arising = {name: array for name, array in figures.items() if not np.isnan(array).all()}
    return FiguredRows(rows, arising, _joined)


def _joined(row: EpisodeVerdict, figures: Mapping[str, float]) -> EpisodeVerdict:
    shares = {field: figures.get(name) for field, name in SHARES.items()}
    known = {field: figures[name] == 1 if name in figures else None for field, name in OF_EVERY_ROW.items()}
    arising = {field: figures[name] == 1 for field, name in WHERE_IT_ARISES.items() if name in figures}
    # The fields are named by the tables above; a test holds these to the type.
    return cast(EpisodeVerdict, {**row, **shares, **known, **arising})
