"""A price is known if both prices of the model and both counts of tokens are."""

from __future__ import annotations

import pytest

from leaderboard.boards import prices
from leaderboard.submissions.models import Submission

USED = {"prompt_tokens": 2_000_000, "generated_tokens": 500_000}


def test_a_question_costs_what_its_tokens_cost():
    assert prices.per_question(3.0, 12.0, USED, 1000) == pytest.approx(0.012)
    assert prices.per_question(0.0, 0.0, USED, 1000) == 0.0


@pytest.mark.parametrize(
    ("price_in", "price_out", "used", "questions"),
    [(None, 1.0, USED, 10), (1.0, None, USED, 10), (1.0, 1.0, {"prompt_tokens": 5}, 10), (1.0, 1.0, USED, 0)],
)
def test_without_a_price_or_a_count_nothing_is_said(price_in, price_out, used, questions):
    assert prices.per_question(price_in, price_out, used, questions) is None


def test_a_board_is_sorted_by_price_and_what_has_none_stands_last(client, version, system, submit, other):
    made = submit(version, system)
    type(system).objects.filter(pk=system.pk).update(price_in=1.0, price_out=2.0)
    Submission.objects.filter(pk=made.pk).update(efficiency=USED)
    unpriced = submit(version, type(system).objects.create(owner=other, name="Unpriced"))
    shown = Submission.objects.on_board(version)
    assert set(prices.board_prices(shown)) == {made.pk}
    page = client.get(f"{version.get_board_url()}?sort=price").content.decode()
    assert page.index(str(made.pk)) < page.index(str(unpriced.pk))
    assert "per 1,000" in page
