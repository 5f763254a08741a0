"""Cards are true: each is computed again from verdicts and intervals, and missing if nothing can be said."""

from __future__ import annotations

from zlib import crc32

import numpy as np
import pytest

from evaluation.core import jsonl
from evaluation.core.statistics import rate_limits
from leaderboard.benchmarks.rows import reading
from leaderboard.boards.front import cards, contest, failing
from leaderboard.boards.lengths import computing as length_computing
from leaderboard.boards.models import StoredPlacements
from leaderboard.boards.placements import computing
from leaderboard.boards.placements.contestants import strata_over
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Score, Submission, System
from leaderboard.web.results_cache import cache
from tests.leaderboard.boards.lengths.conftest import GENERATOR, LADDER, named, send  # noqa: F401 (fixtures)
from tests.leaderboard.conftest import DISGUISED, RANKED
from tests.leaderboard.taking_part import taking_part

LONGEST, CHEAP, HARDEST = "Longest reliable length", "Best under $1 per 1,000 questions", "Hardest for all"


def by_title(version) -> dict[str, contest.Card]:
    return {card.title: card for card in cards.version_cards(version) if card}


@pytest.fixture
def long_ladder(make_version):
    """Enough episodes for ranks, at three lengths."""
    generator = GENERATOR | {"episodes": RANKED["episodes"], "queries": 2}
    return make_version(name="ladder", generator=generator, protocol="open", ladder=LADDER)


@pytest.fixture
def answer(tmp_path, user):
    """Submits a system that is wrong in a row if `fails(number, row)`."""

    def make(version, name: str, fails=lambda number, row: False, *, tokens: float | None = None, **fields):
        runner = version.suite.systems()["ledger"].build()
        predictions = []
        for number, row in enumerate(reading.rows_of(version)):
            prediction = runner.predict(row)
            if fails(number, row):
                prediction |= {"value": None, "support_ids": []}
            predictions.append(prediction)
        jsonl.write(tmp_path / "sent.jsonl", predictions)
        accepted = submissions.accept(version, tmp_path / "sent.jsonl")
        system = System.objects.create(owner=user, name=name, **fields)
        used = {"tokens_per_query": tokens} if tokens else {}
        made = taking_part(submissions.create(accepted, system=system, submitter=user, efficiency=used))
        assert submissions.grade(str(made.pk))
        computing.store(version)
        return made

    return make


def test_a_board_without_systems_or_with_one_says_nothing(ranked_version, answer) -> None:
    assert cards.version_cards(ranked_version) == [None] * 4
    answer(ranked_version, "One", tokens=10)
    assert cards.version_cards(ranked_version) == [None] * 4


def test_a_version_of_few_units_says_nothing(version, answer) -> None:
    for name in ("One", "Two"):
        answer(version, name, lambda number, row: True, tokens=10)
    assert cards.version_cards(version) == [None] * 4


def test_the_longest_is_the_one_that_intervals_show(long_ladder, named, send) -> None:  # noqa: F811
    send(long_ladder, named("All"))
    send(long_ladder, named("Middle"), holds=1024)
    card = by_title(long_ladder)[LONGEST]
    assert (card.name, card.figure, card.unit) == ("All", "4k", "tokens or more")
    assert card.said == "1 other loses track before that length."
    assert [(speck.y, speck.named) for speck in card.specks] == [(pytest.approx(1 / 3), False), (1.0, True)]
    lengths = {
        Submission.objects.get(pk=key).system.name: each
        for key, each in length_computing.board_lengths(long_ladder).items()
    }
    assert lengths["All"].effective == 4096 > lengths["Middle"].possible


def test_systems_that_hold_as_long_are_not_told_apart(long_ladder, named, send) -> None:  # noqa: F811
    send(long_ladder, named("All"))
    send(long_ladder, named("Also"))
    assert "Keeps track the longest" not in by_title(long_ladder)
    send(long_ladder, named("Middle"), holds=1024)
    assert by_title(long_ladder)[LONGEST].said.startswith("1 other may reach it too.")


def test_the_best_at_a_dollar_or_less(ranked_version, answer) -> None:
    used = {"prompt_tokens": 1000 * ranked_version.row_count, "generated_tokens": 0}
    for name, price, fails in (
        ("Dear", 5.0, lambda number, row: False),
        ("Cheap", 0.5, lambda number, row: number % 9 == 0),
        ("Worse", 0.1, lambda number, row: number % 2),
        ("Unpriced", None, lambda number, row: False),
    ):
        made = answer(ranked_version, name, fails, price_in=price, price_out=price)
        Submission.objects.filter(pk=made.pk).update(efficiency=used)
    Score.objects.update(gated=False)  # else a requirement stops who is wrong so often
    StoredPlacements.objects.all().delete()
    computing.store(ranked_version)
    cache.clear()
    card = by_title(ranked_version)[CHEAP]
    assert (card.name, card.unit, card.origin) == ("Cheap", "for $0.50", "verified")
    assert card.said == "Highest of 2 ranked systems within this price limit."
    assert sum(speck.named for speck in card.specks) == 1
    assert len(card.specks) == 3


def test_one_price_alone_is_no_comparison(ranked_version, answer) -> None:
    made = answer(ranked_version, "Cheap", price_in=0.5, price_out=0.5)
    Submission.objects.filter(pk=made.pk).update(efficiency={"prompt_tokens": 10, "generated_tokens": 0})
    answer(ranked_version, "Unpriced")
    assert CHEAP not in by_title(ranked_version)


def test_dollars_are_of_prices_and_tokens(ranked_version, answer) -> None:
    made = answer(ranked_version, "Priced", price_in=2.0, price_out=10.0)
    made.efficiency = {"prompt_tokens": 1_000 * made.row_count, "generated_tokens": 100 * made.row_count}
    assert cards.dollars(made) == pytest.approx(3.0)
    made.efficiency.pop("generated_tokens")
    assert cards.dollars(made) is None


@pytest.mark.parametrize(
    ("dollars", "text"), [(0.14, "$0.14"), (1.0, "$1"), (92.4, "$92.40"), (0.0, "$0.00")]
)
def test_prices_have_cents_unless_they_are_round(dollars: float, text: str) -> None:
    assert cards.price(dollars) == text


def test_the_hardest_is_the_part_with_the_lowest_bound(make_version, answer) -> None:
    version = make_version(name="noted", generator=RANKED | {"state_mode": "kv_commentary", "note_rate": 0.3})

    def noted(number: int, row) -> bool:
        return number % 9 != 0

    for name in ("One", "Two"):
        answer(version, name, noted)
    card = by_title(version)[HARDEST]
    board = contest.contest_of(version)
    least = min(failing.bounds_of(board), key=lambda bound: bound.most)
    assert card.name == ", ".join(least.part.labels)
    assert least.most < failing.HARD_BELOW
    again = _bound_again(version, least.part, compared=2 * len(failing.bounds_of(board)))
    assert least.most == pytest.approx(again)
    assert f"more than {again:.1%} of these" in card.said
    assert card.query == "notes=with" or card.query == "notes=without"


def _bound_again(version, part, *, compared: int) -> float:
    """The highest end of the systems' intervals, adjusted over all of them, from the stored cells."""
    from leaderboard.boards.placements.ranking import unit_scores

    shown = Submission.objects.on_board(version).select_related("score")
    tables = [unit_scores(part.units(s.score.cells, bytes(s.score.cell_scores))) for s in shown]
    strata = strata_over(version, len(tables[0]))
    high = rate_limits(np.stack(tables).astype(float), strata, confidence=1 - 0.05 / compared).high
    return float(high.max())


def test_a_part_that_one_system_gets_right_is_not_hardest_for_all(ranked_version, answer) -> None:
    answer(ranked_version, "Right")
    answer(ranked_version, "Wrong", lambda number, row: True)
    assert HARDEST not in by_title(ranked_version)


def test_the_least_affected_by_order_is_told_from_one_that_moves(make_version, answer) -> None:
    conditions = [
        {"k": 4, "order": order, "exact": True} for order in ("gold_first", "gold_middle", "gold_last")
    ]
    version = make_version(name="orders", generator=DISGUISED | {"steps": 48}, conditions=conditions)
    ledger = version.suite.systems()["ledger"].build()

    def first(number: int, row) -> bool:
        lines = row.get("candidates") or []
        gold = ledger.predict(row).get("support_ids") or [""]
        return bool(lines) and lines[0]["uid"] == gold[0] and crc32(row["id"].encode()) % 2 == 0

    answer(version, "Steady")
    answer(version, "Swayed", first)
    card = by_title(version)["Least affected by order"]
    assert card.name == "Steady"
    scores = {
        s.system.name: s.score for s in Submission.objects.on_board(version).select_related("system", "score")
    }
    (_, high), (low, _) = (scores[name].intervals["order_spread"] for name in ("Steady", "Swayed"))
    assert high < low
    assert (card.figure, card.unit) == (f"{100 * high:.1f}", "points at most")


def test_a_guesser_is_not_the_least_affected_by_order(make_version, answer) -> None:
    conditions = [
        {"k": 4, "order": order, "exact": True} for order in ("gold_first", "gold_middle", "gold_last")
    ]
    version = make_version(name="orders", generator=DISGUISED | {"steps": 48}, conditions=conditions)
    answer(version, "Half", lambda number, row: crc32(row["id"].encode()) % 2)
    answer(version, "Never", lambda number, row: True)
    assert "Least affected by order" not in by_title(version)


def test_a_page_shows_the_tiles_with_their_boards(client, long_ladder, named, send) -> None:  # noqa: F811
    send(long_ladder, named("All"))
    send(long_ladder, named("Middle"), holds=2048)
    assert LONGEST not in client.get("/").content.decode(), "two models are too few to say who leads"
    send(long_ladder, named("Short"), holds=2048)
    page = client.get("/").content.decode()
    assert page.count(LONGEST) == 1
    assert "open demo" in page


def test_nothing_is_resampled_in_a_request(client, long_ladder, named, send, monkeypatch) -> None:  # noqa: F811
    send(long_ladder, named("All"))
    send(long_ladder, named("Middle"), holds=2048)
    send(long_ladder, named("Short"), holds=2048)

    def refuse(*_, **__):
        raise AssertionError("ranks are computed by a worker")

    monkeypatch.setattr("evaluation.core.statistics.board", refuse)
    monkeypatch.setattr("evaluation.core.statistics.length_figures", refuse)
    monkeypatch.setattr(length_computing, "length_figures", refuse)
    assert LONGEST in client.get("/").content.decode()
