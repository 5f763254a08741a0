"""Metrics that compare the conditions of a version: order bias, and the worst condition."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from evaluation.core.metric import Metric, Reduction, every
from evaluation.goldevidence.conditions.order_bias import order_families, order_spread, worst_order
from evaluation.goldevidence.grading.metrics.candidates import of_candidates
from evaluation.goldevidence.grading.metrics.row_functions import exact, is_set, picks, present
from evaluation.goldevidence.grading.metrics.sections import ROBUSTNESS
from evaluation.goldevidence.grading.robustness import worst_rate

if TYPE_CHECKING:
    from evaluation.goldevidence.conditions.conditions import Condition

WORST_ORDER_RATE = "worst_order_selection_rate"


def order_metrics(conditions: Sequence[Condition], *, complete: bool = False) -> tuple[Metric, ...]:
    """Metrics of order bias. If `complete`, the worst order has a rate only if the predictions cover all orders."""
    by_order = partial(
        of_candidates,
        counted=present,
        value=picks,
        grouping="condition",
        families=order_families(conditions),
        in_groups=False,
        section=ROBUSTNESS,
    )
    in_orders = partial(
        of_candidates,
        counted=is_set("permuted"),
        counts=("question", "questions"),
        in_groups=False,
        section=ROBUSTNESS,
    )
    return (
        by_order(
            WORST_ORDER_RATE,
            "Worst order",
            "The lowest selection rate over all orders of the candidates.",
            first=True,
            reducer=worst_order(conditions, complete=complete),
            reduction=Reduction.WORST,
        ),
        by_order(
            "order_spread",
            "Order spread",
            "Best minus worst selection rate over the positions of the gold line.",
            better="lower",
            reducer=order_spread(conditions),
            reduction=Reduction.SPREAD,
        ),
        in_orders(
            "order_consistency",
            "Same in all orders",
            "Questions whose answer and first citation are the same in every order of the same lines.",
            value=is_set("same_in_orders"),
        ),
        in_orders(
            "order_robust_acc",
            "Right in all orders",
            "Questions that are answered exactly in every order of the same lines.",
            value=is_set("right_in_orders"),
        ),
    )


def worst_condition_metric(conditions: Sequence[Condition]) -> Metric:
    """The lowest rate of exact answers over all conditions of a version."""
    return Metric(
        "worst_condition_exact_acc",
        "Worst condition",
        "Lowest rate of exact answers over all conditions and the whole text, if the predictions cover all of them. It "
        "never exceeds the rate over the whole text.",
        every,
        exact,
        split="conditional",
        grouping="condition",
        reducer=worst_rate([condition.name for condition in conditions]),
        reduction=Reduction.WORST,
        in_groups=False,
    )


def version_metrics(conditions: Sequence[Condition], *, complete: bool = False) -> tuple[Metric, ...]:
    """Metrics for the conditions of a version, in addition to the rubric's. See `order_metrics` for `complete`."""
    if not conditions:
        return ()
    return (*order_metrics(conditions, complete=complete), worst_condition_metric(conditions))
