"""Grading files: requirements on a file of responses, and the content of a report."""

from __future__ import annotations

import pytest

from evaluation.core import jsonl
from evaluation.core.errors import RowError
from evaluation.statebench import grade_files
from evaluation.statebench.generator.tracks import generate


@pytest.fixture
def timelines(tmp_path):
    path = tmp_path / "timelines.jsonl"
    jsonl.write(path, generate(["supersession_detection", "brutal_realistic"], 2, 0))
    return path


def responses(tmp_path, *rows):
    path = tmp_path / "responses.jsonl"
    jsonl.write(path, rows)
    return path


def first(timelines, **fields):
    row = next(jsonl.read(timelines))
    return {
        "timeline_id": row["id"],
        "query_idx": 0,
        "response": row["events"][-1]["ground_truth"]["decision"],
    } | fields


def test_a_report_has_metrics_tracks_and_a_verdict_per_query(timelines, tmp_path):
    report = grade_files(timelines, responses(tmp_path, first(timelines)))
    assert report.metrics["total_queries"] == len(report.queries) == 2 + 2 * 3
    assert set(report.tracks) == {"supersession_detection", "brutal_realistic"}
    assert report.queries[0]["decision_correct"]
    assert report.metrics["detection_rate"] == 0.5
    assert not report.queries[1]["decision_correct"]
    assert report.queries[1]["reason"] == "there is no response"


def test_reported_tokens_replace_counted_ones(timelines, tmp_path):
    report = grade_files(timelines, responses(tmp_path, first(timelines, tokens_used=77, latency_ms=5)))
    assert report.metrics["avg_tokens"] == 77
    assert report.metrics["avg_latency_ms"] == 5


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"timeline_id": "nobody"}, "there is no query 0 in timeline 'nobody'"),
        ({"query_idx": 9}, "there is no query 9"),
        ({"query_idx": "0"}, "'query_idx' must be a whole number"),
        ({"query_idx": True}, "'query_idx' must be a whole number"),
        ({"response": None}, "'response' must be text"),
        ({"tokens_used": -1}, "'tokens_used' must be a number"),
    ],
)
def test_an_unusable_response_is_refused_with_its_line(timelines, tmp_path, fields, message):
    with pytest.raises(RowError, match=f"responses.jsonl:1: .*{message}"):
        grade_files(timelines, responses(tmp_path, first(timelines, **fields)))


def test_a_second_answer_is_refused(timelines, tmp_path):
    with pytest.raises(RowError, match="answered twice"):
        grade_files(timelines, responses(tmp_path, first(timelines), first(timelines)))
