"""A system's own retrieval on the site: when it is refused, where it is shown, and which flags it gets."""

from __future__ import annotations

import gzip
import json
import re

import pytest
from django.urls import reverse

from evaluation.core import jsonl
from leaderboard.benchmarks import freezing, storage
from leaderboard.benchmarks.models import Benchmark, Preset, Version
from leaderboard.benchmarks.rows import reading
from leaderboard.boards.placements import computing
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission, System
from tests.reference import reference_path

CHAIN = "found 4.2% → chosen 100.0% → right where found 100.0% → right 4.2%"
PICKED = "picked by the selector, if retrieved: 100.0%"


@pytest.fixture
def lines(version):
    """Answers of `latest_step`, with the lines it was shown."""
    runner = version.suite.systems()["latest_step"].build()
    return [runner.predict(row) for row in reading.rows_of(version)]


@pytest.fixture
def accept(tmp_path):
    def accept(version, lines, **fields):
        jsonl.write(tmp_path / "lines.jsonl", lines)
        return submissions.accept(version, tmp_path / "lines.jsonl", **fields)

    return accept


@pytest.fixture
def s3q16(db, tmp_path):
    """The reference's rows of three seeds, each with names of its own, imported and frozen."""
    folder = reference_path("gold/retrieval/kv_ab_s3q16")
    rows = []
    for seed in range(3):
        with gzip.open(folder / f"seed{seed}.data.jsonl.gz") as content:
            for row in map(json.loads, content):
                rows.append(row | {name: f"S{seed}{row[name]}" for name in ("id", "episode_id")})
    jsonl.write(tmp_path / "rows.jsonl", rows)
    benchmark = Benchmark.objects.get(suite="goldevidence")
    preset = Preset.objects.create(benchmark=benchmark, name="s3q16", settings={"rubric": "strict"})
    source = storage.keep(tmp_path / "rows.jsonl")
    version = freezing.start(preset=preset, source_sha256=source, wake_worker=False)
    assert freezing.freeze(version.pk), Version.objects.get(pk=version.pk).error
    return Version.objects.select_related("benchmark").get(pk=version.pk)


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("sealed", [False, True])
def test_a_line_that_its_row_does_not_hold_is_refused_with_line_and_reason(
    make_version, user, accept, sealed, apart
):
    version = make_version(sealed=sealed)
    runner = version.suite.systems()["latest_step"].build()
    lines = [runner.predict(row) for row in reading.rows_of(version)]
    assert accept(version, lines, sent_by=user if apart else None).rows == len(lines)
    lines[2]["shown_uids"] = ["UFFFFFF"]
    with pytest.raises(submissions.RejectedError) as refused:
        accept(version, lines, sent_by=user if apart else None)
    (problem,) = refused.value.intake.problems
    assert (problem.code, problem.line, problem.id) == ("unknown_shown_uid", 3, lines[2]["id"])
    assert problem.message == "'shown_uids' names 'UFFFFFF', which is not a line of the row."


def test_a_board_and_the_pages_read_the_retrieval_of_bm25_by_earliest_ties(client, user, s3q16, submit, body):
    system = System.objects.create(owner=user, name="BM25, earliest first", kind="retriever")
    made = submit(s3q16, system, executor="bm25_earliest+latest_step")
    board = client.get(s3q16.get_board_url())
    assert CHAIN in board.content.decode()
    assert f"{CHAIN} ({PICKED}" in client.get(made.get_absolute_url()).content.decode()
    page = client.get(system.get_absolute_url()).content.decode()
    assert "own-retrieval" in page
    address = f"/api/v1/leaderboard/{s3q16.benchmark.slug}/{s3q16.slug}"
    (item,) = body(client.get(address))["items"]
    figures = {name: item[name] for name in item if name.startswith("own_")}
    assert figures["own_gold_picked_rate"] == 1
    assert figures["own_gold_present_rate"] == figures["own_value_acc"] == pytest.approx(2 / 48)
    assert figures["own_selection_rate"] == figures["own_accuracy_when_gold_present"] == 1
    assert (figures["own_rows"], item["n"]) == (48, 48)


def test_a_file_that_says_nothing_has_no_column_on_the_board_and_no_zero(client, version, system, submit):
    made = submit(version, system)
    assert "Found and chosen" not in client.get(version.get_board_url()).content.decode()
    page = client.get(made.get_absolute_url()).content.decode()
    assert re.search(r"Not reported: [^.]*Lines found by the system", page)


def test_two_retrievers_are_compared_step_by_step_with_paired_tests(client, user, s3q16, submit):
    pair = [
        submit(s3q16, System.objects.create(owner=user, name=name), executor=name)
        for name in ("bm25_earliest+latest_step", "tfidf+latest_step")
    ]
    query = "&".join(f"s={each.pk}" for each in pair)
    page = client.get(f"{reverse('leaderboard:compare')}?{query}").content.decode()
    assert "Gold line retrieved" in page


def test_citing_what_was_not_shown_is_flagged_for_staff_and_changes_no_score(version, user, lines, accept):
    def send(name, lines):
        system = System.objects.create(owner=user, name=name)
        made = submissions.create(accept(version, lines), system=system, submitter=user)
        assert submissions.grade(str(made.pk))
        computing.store(version)
        return Submission.objects.with_names().get(pk=made.pk)

    honest = send("Honest", lines)
    citing = [line for line in lines if line["support_ids"]]
    for line in citing[:2]:
        line["shown_uids"] = [uid for uid in line["shown_uids"] if uid not in line["support_ids"]]
    found = send("Elsewhere", lines)
    assert [flag["code"] for flag in honest.flags] == []
    (flag,) = (flag for flag in found.flags if flag["code"] == "cites_unshown")
    assert flag["evidence"]["rows"] == f"2 of {len(citing)}"
    assert set(flag["evidence"]["examples"]) == {line["id"] for line in citing[:2]}
    assert found.score.headline == honest.score.headline
