"""A version with withheld answers shows rounded figures, few before an entry, no rows, and takes few uploads."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command
from django.urls import reverse

from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.sealing import learning, shown
from leaderboard.boards.comparison.comparison import Comparison
from leaderboard.boards.placements import placements
from leaderboard.submissions import quotas
from leaderboard.submissions.models import Score, Submission, System
from leaderboard.submissions.scores import sealed_figures

Submit = Callable[..., Submission]


def is_on_grid(value: float, step: float) -> bool:
    return abs(value / step - round(value / step)) < 1e-6


def rates(figures: Any) -> list[float]:
    """All floats in JSON."""
    if isinstance(figures, dict):
        return [number for each in figures.values() for number in rates(each)]
    if isinstance(figures, list | tuple):
        return [number for each in figures for number in rates(each)]
    return [figures] if isinstance(figures, float) else []


def test_an_upload_shows_its_headline_rounded_and_nothing_else(
    client: Any, kept: Version, system: System, submit: Submit
) -> None:
    made = submit(kept, system, wrong=7)
    score = Score.objects.get(submission=made)
    exact = (kept.row_count - 7) / kept.row_count
    assert score.ranked_by == pytest.approx(exact)
    assert is_on_grid(score.headline, kept.figure_step)
    assert score.headline != score.ranked_by
    assert list(score.metrics) == [kept.headline.name]
    assert (score.groups, score.failures, score.spread, score.by_split) == ({}, {}, [], False)
    client.force_login(system.owner)
    answers = client.get(f"/api/v1/submissions/{made.pk}/metrics").json()
    assert answers["groups"] == answers["failures"] == {}
    reported = [line["name"] for line in answers["metrics"] if line["value"] is not None]
    assert reported == [kept.headline.name]
    page = client.get(made.get_absolute_url()).content.decode()
    assert "Browse the rows" not in page
    assert "What went wrong" not in page
    assert (
        f"{100 * kept.figure_step:.1f} points. Other metrics are rounded according to their number of rows"
        in page
    )


def test_a_declared_entry_shows_all_figures_on_the_grid(
    client: Any, kept: Version, system: System, submit: Submit
) -> None:
    made = submit(kept, system, wrong=7, declared=True)
    score = Score.objects.get(submission=made)
    assert score.groups
    assert len(score.metrics) > 10
    assert all(is_on_grid(number, kept.figure_step) for number in rates([score.metrics, score.groups]))
    for name, told in score.intervals.items():
        ends = score.exact["intervals"][name]
        assert told is None or (told[0] <= ends[0] + 1e-9 and told[1] >= ends[1] - 1e-9)
        if told and score.metrics[name] is not None:
            assert is_on_grid(score.metrics[name], shown.step_of(kept, None, ends)), (
                "no finer than its interval"
            )
    exact = f"{score.ranked_by:.6f}"
    for address in (
        f"/api/v1/submissions/{made.pk}",
        f"/api/v1/submissions/{made.pk}/metrics",
        f"/api/v1/leaderboard/{kept.benchmark.slug}/{kept.slug}",
        made.get_absolute_url(),
        kept.get_board_url(),
    ):
        text = client.get(address).content.decode()
        assert exact[:6] not in text, address


def test_only_readers_with_view_gold_see_verdicts(
    client: Any, admin_client: Any, kept: Version, system: System, submit: Submit
) -> None:
    made = submit(kept, system, wrong=7, declared=True)
    page = reverse("leaderboard:submission_rows", args=[made.pk])
    for reader in (None, system.owner):
        if reader:
            client.force_login(reader)
        answer = client.get(f"/api/v1/submissions/{made.pk}/rows")
        assert (answer.status_code, answer.json()["type"].rpartition(":")[2]) == (403, "rows-withheld")
        assert client.get(page).status_code == 403
    assert admin_client.get(page).status_code == 200


def test_ranks_come_from_exact_figures(kept: Version, system: System, other: Any, submit: Submit) -> None:
    better = submit(kept, system, wrong=1)
    worse = submit(kept, System.objects.create(owner=other, name="Worse"), wrong=2)
    scores = Score.objects.filter(submission__version=kept)
    assert scores.get(submission=better).headline == scores.get(submission=worse).headline
    board = placements.board_placements(kept, Submission.objects.on_board(kept), placements.WHOLE)
    assert [placement.key for placement in board] == [better.pk, worse.pk]
    exact = [score.ranked_by for score in scores.order_by("-exact_headline")]
    assert exact[0] > exact[1]


def test_a_comparison_is_rounded_and_shows_no_rows(
    client: Any, kept: Version, system: System, other: Any, submit: Submit
) -> None:
    pair = [
        submit(kept, system, wrong=3, declared=True),
        submit(kept, System.objects.create(owner=other, name="B"), wrong=20, declared=True),
    ]
    comparison = Comparison(kept, pair)
    assert (comparison.splits, comparison.rows, comparison.shows_rows) == ([], [], False)
    for line in comparison.lines:
        first, other = line.cells
        if other.difference is not None:
            figures = [other.difference.value, other.difference.low, other.difference.high]
            assert all(is_on_grid(number, kept.figure_step) for number in figures), line.column.name
            assert is_on_grid(other.difference.p, 0.05)
            assert other.difference.value == pytest.approx(other.value - first.value)
    query = f"?s={pair[0].pk}&s={pair[1].pk}"
    rows = client.get(reverse("leaderboard:compare_export", args=["rows"]) + query).content.decode()
    assert len(rows.splitlines()) == 1
    page = client.get(reverse("leaderboard:compare") + query)
    assert page.status_code == 200
    assert "Single rows are not compared" in page.content.decode()


def test_a_retired_version_shows_exact_figures(kept: Version, system: System, submit: Submit) -> None:
    made = submit(kept, system, wrong=7)
    before = Score.objects.get(submission=made)
    Version.objects.get(pk=kept.pk).retire()
    after = Score.objects.get(submission=made)
    assert after.headline == before.ranked_by != before.headline
    assert after.metrics == before.exact["metrics"]
    assert after.groups == before.exact["groups"]
    assert (after.exact, after.exact_headline, after.by_split) == ({}, None, True)


def test_a_mean_of_repeats_is_of_exact_figures_and_shown_rounded(
    kept: Version, system: System, submit: Submit
) -> None:
    for wrong in (3, 10):
        member = submit(kept, system, wrong=wrong, declared=True, repeats=2)
    score = Submission.objects.get(pk=member.mean_id).score
    assert score is not None
    assert score.ranked_by == pytest.approx(1 - 6.5 / kept.row_count, abs=1e-6)
    assert is_on_grid(score.headline, kept.figure_step)


def test_other_versions_show_exact_figures(version: Version, system: System, submit: Submit) -> None:
    score = Score.objects.get(submission=submit(version, system, wrong=1))
    assert (version.shown_step, score.exact, score.by_split) == (0, {}, True)
    assert score.groups
    assert score.failures
    assert quotas.total_for(system.owner, version) is None


def test_few_uploads_are_graded_in_all(
    client: Any, settings: Any, kept: Version, system: System, other: Any, submit: Submit
) -> None:
    settings.SUBMISSIONS_PER_SEALED_VERSION = 2
    submit(kept, system, source=Submission.Source.RUN)
    failed = submit(kept, system, grade=False)
    Submission.objects.filter(pk=failed.pk).update(status=Submission.Status.FAILED)
    client.force_login(system.owner)
    address = f"{reverse('leaderboard:submit')}?version={kept.benchmark.slug}/{kept.slug}"
    assert "<b>2</b> of 2 uploads" in client.get(address).content.decode()
    submit(kept, system)
    assert "<b>1</b> of 2 uploads" in client.get(address).content.decode()
    submit(kept, system, wrong=1)
    with pytest.raises(quotas.UsedUpError, match="accepts 2 uploads"):
        submit(kept, System.objects.create(owner=system.owner, name="Another"))
    team = quotas.total_for(other, kept, system)
    assert team is not None
    assert team.left == 0, "a system's uploads count for every sender"
    Version.objects.filter(pk=kept.pk).update(upload_limit=3)
    kept.refresh_from_db()
    submit(kept, system, wrong=2)


def test_the_page_states_the_bound_of_its_rows_step_and_uploads(client: Any, kept: Version) -> None:
    bound = learning.learning(kept)
    assert bound is not None
    assert (bound.step, bound.uploads) == (kept.figure_step, 10)
    assert bound.questions == kept.row_count
    assert 0 < bound.rise <= 1
    page = client.get(kept.get_absolute_url()).content.decode()
    assert "How much uploads can learn." in page
    assert f"rounded to {100 * bound.step:.1f} points" in page
    Version.objects.filter(pk=kept.pk).update(upload_limit=1)
    kept.refresh_from_db()
    fewer = learning.learning(kept)
    assert fewer is not None
    assert fewer.rise < bound.rise


def test_what_is_stored_beside_the_figures_is_in_no_answer(
    client: Any, kept: Version, system: System, submit: Submit
) -> None:
    made = submit(kept, system, wrong=7)
    for address in (f"/api/v1/submissions/{made.pk}", f"/api/v1/submissions/{made.pk}/metrics"):
        assert "exact_headline" not in json.dumps(client.get(address).json())


def test_what_a_strategy_shows_a_model_is_rounded_with_its_denominators(
    kept: Version, monkeypatch: Any
) -> None:
    exact = {
        "budget": 100,
        "coverage": 0.7342,
        "coverage_low": 0.61,
        "coverage_high": 0.83,
        "coverage_of": 301,
    }
    exact |= {"few": 0.5, "few_low": 0.1, "few_high": 0.9, "few_of": 6}
    told = sealed_figures._measured(kept, exact)
    step = shown.step_of(kept, 301, (0.61, 0.83))
    assert told["budget"] == 100
    assert is_on_grid(told["coverage"], step)
    assert told["coverage_low"] <= 0.61 < 0.83 <= told["coverage_high"]
    assert told["coverage_of"] % round(kept.shown_step * kept.row_count) == 0
    assert [told[f"few{end}"] for end in ("", "_low", "_high", "_of")] == [None] * 4


def test_migrate_rounds_what_an_earlier_rule_rounded_from_the_exact_figures(
    kept: Version, system: System, submit: Submit
) -> None:
    made = submit(kept, system, wrong=7, declared=True)
    now = Score.objects.get(submission=made)
    earlier = {name: value for name, value in now.exact.items() if name not in ("measures", "group_rows")}
    Score.objects.filter(pk=now.pk).update(
        exact=earlier, rounding=1, metrics=now.exact["metrics"], groups=now.exact["groups"]
    )
    call_command("migrate", verbosity=0)
    again = Score.objects.get(pk=now.pk)
    assert (again.rounding, again.metrics, again.headline) == (sealed_figures.RULE, now.metrics, now.headline)
    assert again.graded_at > now.graded_at, "so that stored places are computed anew"
    for grouping, members in again.groups.items():
        for name, group in members.items():
            told = {metric for metric, value in group["metrics"].items() if isinstance(value, float)}
            assert told <= {kept.headline.name}, "of an earlier grading the rows of others are not known"
            assert now.groups[grouping][name]["metrics"][kept.headline.name] is not None
    assert sealed_figures.round_again() == 0
