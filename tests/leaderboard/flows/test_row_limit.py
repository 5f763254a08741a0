"""A limited run of the site: the rows it asks, and that it continues with the same rows."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import numpy as np
import pytest

from evaluation.core import jsonl
from leaderboard.benchmarks import expected_ids
from leaderboard.benchmarks.rows import reading
from leaderboard.runs import execution
from leaderboard.runs import services as runs
from leaderboard.runs.models import Run
from leaderboard.submissions import regrading
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Score, Submission
from leaderboard.submissions.verdicts import files as verdict_files
from tests.leaderboard.conftest import RANKED
from tests.leaderboard.runs.running import again


def limited(version: Any, staff: Any, executor: str, limit: int, **options: Any) -> Run:
    return runs.start(version=version, executor=executor, started_by=staff, row_limit=limit, **options)


def splits_of(run: Run) -> Counter[str]:
    splits = expected_ids.expected_rows(run.version).splits
    return Counter(splits[row["id"]] for row in execution.questions_of(run))


def in_file(version: Any) -> list[str]:
    return [str(row["id"]) for row in reading.rows_of(version)]


def test_every_split_is_asked_in_the_order_of_the_file(small: Any, staff: Any) -> None:
    run = limited(small, staff, "adapter:ledger", 6)
    counts = splits_of(run)
    assert counts.keys() == small.conditions.keys()
    assert max(counts.values()) - min(counts.values()) <= 1
    order = in_file(small)
    places = [order.index(row["id"]) for row in execution.questions_of(run)]
    assert places == sorted(places)


def test_a_deterministic_system_answers_the_rows_that_an_adapter_is_asked(small: Any, staff: Any) -> None:
    for executor in ("ledger", "adapter:ledger"):
        run = limited(small, staff, executor, 5)
        assert runs.execute(str(run.pk), grade_now=True), again(run).error
    by_run = [dict(each.score.groups["condition"]) for each in Submission.objects.all()]
    assert by_run[0].keys() == by_run[1].keys() == small.conditions.keys()
    assert {each.row_count for each in Submission.objects.all()} == {5}


def test_conditions_limit_what_is_spread(small: Any, staff: Any) -> None:
    run = limited(small, staff, "adapter:ledger", 3, splits=["k4-gold_last"])
    assert splits_of(run) == {"k4-gold_last": 3}


def test_of_a_sealed_version_what_rows_show_is_spread(make_version: Any, staff: Any) -> None:
    from tests.leaderboard.runs.gguf import SMALL_ORDER_BIAS

    version = make_version(name="shut", sealed=True, **SMALL_ORDER_BIAS)
    run = limited(version, staff, "adapter:ledger", 6)
    forms = Counter(version.suite.form_of(split) for split in splits_of(run).elements())
    whole = Counter(
        version.suite.form_of(split) for split in expected_ids.expected_rows(version).splits.values()
    )
    assert forms.keys() == whole.keys()
    assert all(abs(forms[form] - 6 * whole[form] / whole.total()) <= 1 for form in forms)


def test_queries_of_a_timeline_are_counted_one_by_one(make_version: Any, staff: Any) -> None:
    states = make_version("statebench")
    run = limited(states, staff, "state_based", 7)
    assert runs.execute(str(run.pk), grade_now=True), again(run).error
    submission = again(run).submission
    assert submission.row_count == 7
    assert len(submission.score.groups["track"]) == 7


def test_a_run_that_an_older_release_began_goes_on_with_its_own_rows(small: Any, staff: Any) -> None:
    run = limited(small, staff, "adapter:ledger", 4)
    first = in_file(small)[:4]
    assert {row["id"] for row in execution.questions_of(run)} != set(first)
    path = execution.path_of(run)
    jsonl.write(path, [{"id": first[0], "value": "mine", "support_ids": []}])
    identity = {"identity": {"run": str(run.pk)}}
    entry = {"id": first[0], "usage": {}, "state": "answered"}
    path.with_name(path.name + ".journal").write_text(f"{json.dumps(identity)}\n{json.dumps(entry)}\n")
    assert [row["id"] for row in execution.questions_of(run)] == first
    assert runs.execute(str(run.pk), grade_now=True), again(run).error
    assert again(run).submission.row_count == 4
    assert again(run).status == "finished"


def test_a_run_that_is_resumed_asks_the_same_rows(
    small: Any, staff: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = limited(small, staff, "adapter:ledger", 4)
    before = [row["id"] for row in execution.questions_of(run)]
    saved = execution.RunFiles.save

    def dies(files: Any, result: Any) -> None:
        saved(files, result)
        raise MemoryError

    monkeypatch.setattr(execution.RunFiles, "save", dies)
    assert not runs.execute(str(run.pk))
    monkeypatch.setattr(execution.RunFiles, "save", saved)
    assert [row["id"] for row in execution.questions_of(run)] == before
    assert runs.resume(again(run))
    assert runs.execute(str(run.pk), grade_now=True), again(run).error
    assert again(run).submission.row_count == 4


def trial_page(client: Any, run: Run, staff: Any) -> str:
    assert runs.execute(str(run.pk), grade_now=True), again(run).error
    client.force_login(staff)
    return " ".join(client.get(again(run).submission.get_absolute_url()).content.decode().split())


def test_a_trial_is_graded_over_the_rows_that_it_asked(client: Any, small: Any, staff: Any) -> None:
    right = trial_page(client, limited(small, staff, "ledger", 6), staff)
    run = limited(small, staff, "positional_last", 6)
    wrong = trial_page(client, run, staff)
    made = again(run).submission
    assert "The system answered <b>6 of 6</b> rows correctly" in right
    for page in (right, wrong):
        assert f"A trial of 6 of {small.row_count} rows" in page
        assert f", a trial over 6 of {small.row_count} rows" in page
        assert "All metrics, over the 6 rows asked" in page
        for said in (">Missing<", "Not ranked", '<h2 id="pictures">'):
            assert said not in page
    file = verdict_files.opened(made.score.verdicts_sha256)
    assert len(file) == made.score.asked == 6
    assert "missing" not in made.score.failures
    of_version = runs.start(version=small, executor="positional_last", started_by=staff)
    assert runs.execute(str(of_version.pk), grade_now=True)
    asked = {row["id"] for row in execution.questions_of(limited(small, staff, "adapter:ledger", 6))}
    whole = verdict_files.opened(again(of_version).submission.score.verdicts_sha256)
    same = {each["id"]: each.get("failure") for each in whole if each["id"] in asked}
    assert {each["id"]: each.get("failure") for each in file} == same


@pytest.mark.parametrize("limit", [1, 4, 10])
def test_a_trial_that_lacks_an_order_is_graded_without_the_worst_of_them(
    client: Any, make_version: Any, staff: Any, limit: int
) -> None:
    orders = [{"k": 3, "order": order} for order in ("gold_first", "gold_middle", "gold_last", "shuffle")]
    version = make_version(name="ordered", conditions=orders, headline="worst_order")
    run = limited(version, staff, "ledger", limit)
    assert f"A trial of {limit} of {version.row_count} rows" in trial_page(client, run, staff)
    score = again(run).submission.score
    assert (score.asked, score.headline is None) == (limit, limit < 10)
    assert score.metrics["n"] <= limit


@pytest.mark.parametrize(("suite", "executor"), [("goldevidence", "ledger"), ("statebench", "state_based")])
def test_all_figures_of_a_trial_are_over_its_rows(
    client: Any, make_version: Any, staff: Any, suite: str, executor: str
) -> None:
    version = make_version(suite)
    run = limited(version, staff, executor, 5)
    page = trial_page(client, run, staff)
    assert f"A trial of 5 of {version.row_count} rows" in page
    made = again(run).submission
    answer = client.get(f"/api/v1/submissions/{made.pk}/metrics").json()
    assert answer["trial"] == {"rows": 5, "of": version.row_count}
    assert np.frombuffer(made.score.unit_scores, np.float32).reshape(-1, 2)[:, 1].sum() <= 5
    assert len(verdict_files.opened(made.score.verdicts_sha256)) == 5
    assert sum(answer["failures"].values()) <= 5
    assert made.score.measures == []


def test_a_trial_that_an_older_release_graded_shows_no_figure_until_it_is_graded_again(
    client: Any, small: Any, staff: Any
) -> None:
    run = limited(small, staff, "positional_last", 6)
    trial_page(client, run, staff)
    made = again(run).submission
    whole = {"asked": None, "headline": 0.1, "failures": {"missing": small.row_count - 6, "wrong_value": 2}}
    Score.objects.filter(submission=made).update(**whole)
    made.events.filter(kind="graded").update(detail="0.100 (goldevidence-strict/9)")
    page = " ".join(client.get(made.get_absolute_url()).content.decode().split())
    assert "The system answered <b>4 of 6</b> rows correctly" in page
    assert '<h2 id="metrics">' not in page
    assert "not reported (goldevidence-strict/9)" in page
    for path in ("", "/metrics", "/events"):
        text = client.get(f"/api/v1/submissions/{made.pk}{path}").content.decode()
        assert "0.1," not in text
        assert "0.100" not in text
    assert regrading.queue(small) == [str(made.pk)]
    assert submissions.grade(str(made.pk))
    assert again(run).submission.score.asked == 6
    assert regrading.queue(small) == []


def test_a_trial_of_a_sealed_version_is_rounded_by_its_own_rows(
    client: Any, make_version: Any, staff: Any
) -> None:
    version = make_version(name="shut", sealed=True, generator=RANKED)
    for limit, is_shown in ((20, False), (60, True)):
        run = limited(version, staff, "random_mention", limit)
        page = trial_page(client, run, staff)
        score = again(run).submission.score
        assert (score.headline is not None) == is_shown
        assert "fewer than 50 rows shows no result" in page
        assert (score.groups, score.failures, list(score.metrics)) == ({}, {}, [version.headline.name])
        assert score.exact["headline"] is not None
    assert score.headline * 20 == pytest.approx(round(score.headline * 20))
    assert score.metrics == {version.headline.name: score.headline}


def test_a_trial_is_compared_with_nothing(client: Any, small: Any, staff: Any) -> None:
    trial, whole = (
        limited(small, staff, "ledger", 6),
        runs.start(version=small, executor="ledger", started_by=staff),
    )
    trial_page(client, trial, staff)
    trial_page(client, whole, staff)
    both = [again(run).submission for run in (trial, whole)]
    page = client.get("/compare/", {"s": [each.pk for each in both]})
    assert page.status_code == 400
    assert "trials answer only a part of the rows and cannot be compared" in page.content.decode()
    offered = client.get("/compare/", {"version": f"{small.benchmark.slug}/{small.slug}"}).content.decode()
    assert str(both[1].pk) in offered
    assert str(both[0].pk) not in offered
    history = client.get("/submissions/").content.decode()
    assert f'name="s" form="compare" value="{both[0].pk}"' not in history


def test_lists_name_a_trial_and_show_no_figure_beside_the_whole(client: Any, small: Any, staff: Any) -> None:
    run = limited(small, staff, "positional_last", 6)  # fails gates over all rows
    trial_page(client, run, staff)
    words = f"a trial over 6 of {small.row_count} rows"
    listed = client.get("/runs/").content.decode()
    assert "see the trial</a>" in " ".join(listed.split())
    status = " ".join(client.get(run.get_absolute_url()).content.decode().split())
    assert "a private trial</a>" in status
    assert "over the 6 rows that were asked" in status
    account = client.get("/account/").content.decode()
    assert "on part of the rows, not on a board" in account
    system = client.get(again(run).system.get_absolute_url()).content.decode()
    assert all(words in page and "not ranked" not in page for page in (account, system))
