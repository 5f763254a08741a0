"""Cost of answers in dollars per question, from the prices of the system and its token counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet

from leaderboard.submissions.models import Submission

MILLION = 1_000_000
QUESTIONS = 1000  # number of questions whose price boards show

#: Fields of a submission, in the order of the arguments of `per_question`.
COLUMNS = ("system__price_in", "system__price_out", "efficiency", "row_count")


def per_question(
    price_in: float | None, price_out: float | None, used: Mapping[str, Any], questions: int
) -> float | None:
    """US dollars per question. Prices are per million tokens. None if a price or token count is unknown."""
    read, written = used.get("prompt_tokens"), used.get("generated_tokens")
    if price_in is None or price_out is None or read is None or written is None or not questions:
        return None
    return float(read * price_in + written * price_out) / MILLION / questions


def submission_price(submission: Submission) -> float | None:
    """US dollars per question of a submission; None if not known. The submission's system must be loaded."""
    system = submission.system
    return per_question(system.price_in, system.price_out, submission.efficiency, submission.row_count)


def board_prices(shown: QuerySet[Submission]) -> dict[Any, float]:
    """Map submissions to US dollars per question, if their price is known. One query."""
    priced = shown.exclude(system__price_in=None).exclude(system__price_out=None).order_by()
    found = {key: per_question(*columns) for key, *columns in priced.values_list("pk", *COLUMNS)}
    return {key: price for key, price in found.items() if price is not None}
