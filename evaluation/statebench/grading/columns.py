"""Arrays of the verdicts on all responses, one per property. Metrics are computed from these arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evaluation.core.metric import Array
from evaluation.statebench.data.truth import FABRICATED, RESTRICTED, SUPERSEDED
from evaluation.statebench.grading import permission
from evaluation.statebench.grading.metrics import Rules, in_headline
from evaluation.statebench.grading.typed.figures import typed_columns
from evaluation.statebench.grading.verdict import Verdict, is_error, weight

Table = dict[str, Array]
FLAGS = (
    "correct",
    "answered",
    SUPERSEDED,
    RESTRICTED,
    FABRICATED,
    f"can_be_{SUPERSEDED}",
    f"can_be_{RESTRICTED}",
    f"can_be_{FABRICATED}",
    "maintained",
    "erred",  # a wrong decision, or a forbidden mention
    "detects",  # a supersession must be noticed
    "noticed",  # our rate counts it as noticed
    "permission",  # the query is about scope and permission
)
NUMBERS = (
    "hits",
    "mentions",
    "violations",
    "forbidden",
    "tokens",
    "severity",  # weight of an error
    "released_f1",  # detection by the released scorer
    "leaked",  # restricted terms that a response reveals, on the permission track
    "restricted_terms",  # denominator of `leaked`
    "held_back",  # permitted facts withheld by a refusal
    "permitted",  # denominator of `held_back`
)
_SIGNALS = (
    "you mentioned",
    "you said earlier",
    "originally",
    "changed to",
    "updated to",
    "instead of",
    "correction",
    "actually",
)


def columns(rules: Rules, verdicts: Sequence[Verdict]) -> Table:
    """Convert verdicts to arrays, [queries] each: FLAGS are booleans, NUMBERS float64.

    Typed rules add the arrays of `typed_columns`.

    Args:
        verdicts: One per query.
    """
    flags, numbers = [], []
    for verdict in verdicts:
        truth, kinds, able = verdict.truth, verdict.kinds, verdict.constrained
        detects, about_permission = bool(truth.detects), truth.track == permission.TRACK and not rules.typed
        leaks, terms = _leaked(rules, verdict) if about_permission else ((), ())
        flags.append(
            (
                verdict.correct,
                verdict.answered,
                SUPERSEDED in kinds,
                RESTRICTED in kinds,
                FABRICATED in kinds,
                SUPERSEDED in able,
                RESTRICTED in able,
                FABRICATED in able,
                not in_headline(truth.track, rules.name),
                is_error(verdict),
                detects,
                detects and is_noticed(verdict),
                about_permission,
            )
        )
        numbers.append(
            (
                sum(verdict.hits),
                len(verdict.hits),
                sum(verdict.violations),
                len(verdict.violations),
                verdict.tokens,
                weight(truth.severity),
                released_f1(verdict) if detects and not rules.detects_by_rate else 0.0,
                len(leaks),
                len(terms),
                len(permission.held_back(verdict)[1]) if about_permission else 0,
                len(truth.must) if about_permission else 0,
            )
        )
    flag_table = np.array(flags, dtype=np.bool_).reshape(-1, len(FLAGS))
    number_table = np.array(numbers, dtype=np.float64).reshape(-1, len(NUMBERS))
    table = dict(zip(FLAGS, flag_table.T, strict=True)) | dict(zip(NUMBERS, number_table.T, strict=True))
    return table | typed_columns(verdicts) if rules.typed else table


def _leaked(rules: Rules, verdict: Verdict) -> tuple[Sequence[str], Sequence[str]]:
    return permission.leaked(verdict, admissible_only=rules.admissible_only)


def chosen(table: Table, rows: Array) -> Table:
    """Select rows of a table.

    Args:
        table: Columns of verdicts, [queries] each.
        rows: Mask [queries], or indices of the rows.
    """
    return {name: column[rows] for name, column in table.items()}


def split(table: Table, name: str) -> Array:
    """Return a mask of the rows of a split, [queries].

    Args:
        table: Columns of verdicts, [queries] each.
        name: One of `metrics.SPLITS`.
    """
    match name:
        case "headline":
            kept: Array = ~table["maintained"]
            return kept if kept.any() else ~kept  # a single track on keeping facts is its own headline
        case "all":
            return np.ones_like(table["maintained"])
        case _:
            return table[name]


def released_f1(verdict: Verdict) -> float:
    """Return the F1 of the released scorer for a query that asks to detect superseded facts.

    The scorer credits one expected fact if the response lacks at least one forbidden phrase, has at least one required
    phrase, or has a signal phrase. An empty response can thus score 1.0.
    """
    recall = _released_signal(verdict) / len(verdict.truth.detects)
    return 2 * recall / (1 + recall) if recall else 0.0


def is_noticed(verdict: Verdict) -> bool:
    """True if the response mentions the new value and not the old value."""
    return bool(verdict.hits) and all(verdict.hits) and not verdict.resurrected


def _released_signal(verdict: Verdict) -> bool:
    text = verdict.response.lower()
    return (
        any(mention.phrase.lower() not in text for mention in verdict.truth.must_not)
        or any(mention.phrase.lower() in text for mention in verdict.truth.must)
        or any(signal in text for signal in _SIGNALS)
    )
