"""A limited run of the site: which rows it asks, and that it goes on with those it was begun with."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from evaluation.core import jsonl
from leaderboard.benchmarks import expected_ids
from leaderboard.benchmarks.rows import reading
from leaderboard.runs import execution
from leaderboard.runs import services as runs
from leaderboard.runs.models import Run
from leaderboard.submissions.models import Submission
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


def test_a_trial_says_what_its_rows_came_to_and_shows_no_figure_of_all_rows(
    client: Any, small: Any, staff: Any
) -> None:
    right = trial_page(client, limited(small, staff, "ledger", 6), staff)
    assert f"A trial of 6 of {small.row_count} rows" in right
    assert "<b>6 of 6</b> rows that were asked are right" in right
    wrong = trial_page(client, limited(small, staff, "positional_last", 6), staff)
    assert f"A trial of 6 of {small.row_count} rows" in wrong
    assert ">Missing<" not in wrong
    assert "What went wrong" in wrong
    for page in (right, wrong):
        for said in ("95% interval:", "Not ranked", '<h2 id="metrics">', '<h2 id="pictures">'):
            assert said not in page


def test_a_trial_over_timelines_says_nothing_that_it_does_not_know(
    client: Any, make_version: Any, staff: Any
) -> None:
    version = make_version("statebench")
    page = trial_page(client, limited(version, staff, "state_based", 3), staff)
    assert f"A trial of 3 of {version.row_count} rows" in page
    assert "95% interval:" not in page


def test_lists_show_a_trial_without_a_figure(client: Any, small: Any, staff: Any) -> None:
    run = limited(small, staff, "positional_last", 6)  # fails gates over all rows
    trial_page(client, run, staff)
    listed = client.get("/runs/").content.decode()
    assert "its rows</a>" in listed
    assert "a private trial</a>" in " ".join(client.get(run.get_absolute_url()).content.decode().split())
    account = client.get("/account/").content.decode()
    assert "of a part of the rows, on no board" in account
    system = client.get(again(run).system.get_absolute_url()).content.decode()
    assert " · a trial" in system
    assert all("not ranked" not in page for page in (account, system))
    assert again(run).submission.result is None
