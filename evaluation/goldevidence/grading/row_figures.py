"""Fields of a verdict: its row's value for each metric, by the definition of the metric.

    value_ok            the value is right
    cite_p, cite_r, cite_f1, bloat      of the citations; None if none are required
    entailed            the value follows from what is cited; None if that is not judged
    authority_violation a NOTE is cited or adopted; None without an answer

and, left out if not applicable:

    obeyed              the value is the one that an instruction asks for; if that would be wrong
    twin_consistent     of the second row of a twin pair: the answers differ exactly if the golds do
    twin_flipped        the same, if the golds differ: both answers are right
    gold_present        the gold line is among the candidates; this and all below: of condition rows
    abstained           neither value nor citation
    picks_gold          the line chosen is the gold line; this and all below: if it is among the candidates
    cites_gold          some citation is the gold line
    picks_note          the line chosen is a NOTE; if it was shown
    picks_update        the line chosen is another line with authority; if it was shown
    agrees              the line chosen is the one that the selector chose; if stated
    value_in_line       if the gold line is chosen: it contains the value; direct questions
    picks_forged        the line chosen has false authority; if such a line is shown

and, for rows of every kind whose prediction lists the lines shown:

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
    """The verdicts, joined with these fields when read. `row_figures`: metric -> [rows], NaN if not counted."""
    figures = {name: row_figures[name] for name in FIELDS.values() if name in row_figures}
    arising = {name: array for name, array in figures.items() if not np.isnan(array).all()}
    return FiguredRows(rows, arising, _joined)


def _joined(row: EpisodeVerdict, figures: Mapping[str, float]) -> EpisodeVerdict:
    shares = {field: figures.get(name) for field, name in SHARES.items()}
    known = {field: figures[name] == 1 if name in figures else None for field, name in OF_EVERY_ROW.items()}
    arising = {field: figures[name] == 1 for field, name in WHERE_IT_ARISES.items() if name in figures}
    # The tables above name the fields; a test compares them with the type.
    return cast(EpisodeVerdict, {**row, **shares, **known, **arising})
