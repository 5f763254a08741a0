"""Functions from gradebook columns to one value per row: whether a metric counts the row, or what it averages."""

from __future__ import annotations

import numpy as np

from evaluation.core.metric import RowFunction, both
from evaluation.goldevidence.grading.choices import Selected


def is_set(name: str) -> RowFunction:
    """True in rows where the column is 1."""
    return lambda columns: columns[name] == 1


def is_unset(name: str) -> RowFunction:
    """True in rows where the column is 0."""
    return lambda columns: columns[name] == 0


def is_known(name: str) -> RowFunction:
    """True in rows where the column is not -1 (not applicable)."""
    return lambda columns: columns[name] >= 0


def is_matched(side: int) -> RowFunction:
    """For questions asked both with and without instructions: True in rows with (`side` 1) or without (2) them."""
    return lambda columns: columns["matched"] == side


def is_positive(name: str) -> RowFunction:
    """True in rows where the column is above 0."""
    return lambda columns: columns[name] > 0


def selected(*kinds: Selected) -> RowFunction:
    """True in rows where the kind of the first citation is among `kinds`."""
    return lambda columns: np.isin(columns["selected"], kinds)


def share_of_one(name: str) -> RowFunction:
    """The chance of picking one right line at random if the column counts the lines. 1 if there are none."""
    return lambda columns: 1 / np.maximum(columns[name], 1, dtype=np.float64)


exact, value_ok, answered = is_set("exact"), is_set("value_ok"), is_set("answered")
required, instructed, clean = is_set("required"), is_set("instructed"), is_unset("instructed")
couple, abstained, candidates = is_set("couple"), is_set("abstained"), is_known("present")
present, missing, picks = is_set("present"), is_unset("present"), is_set("picks_gold")
cited = selected(Selected.GOLD, Selected.UPDATE, Selected.NOTE, Selected.UNMARKED)
note, wrong_update = selected(Selected.NOTE), selected(Selected.UPDATE)
chosen, picked = both(present, cited), both(present, picks)
said, in_own = is_known("own_rank"), is_positive("own_rank")
own_picked = both(in_own, is_set("own_picks"))
wrongly_chosen = both(present, selected(Selected.UPDATE, Selected.NOTE, Selected.UNMARKED))
