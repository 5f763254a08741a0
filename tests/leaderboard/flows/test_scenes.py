"""A version of scenes on the site: frozen, answered with typed answers, and its board cut by length, track and span."""

from __future__ import annotations

import json

import pytest

from evaluation.statebench.presets import PRESETS
from leaderboard.benchmarks import expected_ids, storage
from leaderboard.boards import rows as boards
from leaderboard.boards import slices
from leaderboard.boards.placements import placements
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission, System
from tests.leaderboard.taking_part import taking_part


@pytest.fixture
def version(make_version):
    return make_version(name="decisions_short", **PRESETS["decisions_short"].as_json())


@pytest.fixture
def answered(version, user, tmp_path):
    """A system that answers every bare scene, and none between other plots."""
    lines = []
    for record in map(json.loads, storage.lines(version.gold_sha256)):
        gold = record["queries"][0]["answer"]
        answer = {
            "decision": gold["decision"],
            "value": gold["value"],
            "because": [each["id"] for each in gold["live"]],
        }
        if record["length"] != "0":
            answer = {"decision": "unclear"}
        lines.append(json.dumps({"timeline_id": record["timeline_id"], "query_idx": 0, "answer": answer}))
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join(lines) + "\n")
    system = System.objects.create(owner=user, name="Short of breath")
    made = taking_part(submissions.create(submissions.accept(version, path), system=system, submitter=user))
    assert submissions.grade(str(made.pk))
    return Submission.objects.select_related("score").get(pk=made.pk)


def test_scenes_are_frozen_answered_and_shown_by_length(version, answered, client):
    assert (version.unit_count, version.row_count) == (90, 90)
    assert version.drawn.units == 45
    splits = expected_ids.expected_rows(version).splits
    assert set(splits.values()) == set(PRESETS["decisions_short"].tracks)
    placements.store(version)
    by_length = answered.score.groups["length"]
    assert by_length["0"]["metrics"]["decision_accuracy"] == 1.0
    assert by_length["1k"]["metrics"]["decision_accuracy"] == pytest.approx(1 / 3, abs=0.01)

    def row(**chosen):
        part = slices.board_slice(version, chosen)
        shown = Submission.objects.on_board(version)
        (only,) = boards.rows(version, placements.board_placements(version, shown, part), part)
        return only

    assert row(length="0").value == 1.0
    assert row(length="0").rank == 1
    assert row(length="1k").value == pytest.approx(1 / 3, abs=0.01)
    assert (row(track="expiry").rank, row(length="0", track="expiry").value) == (None, 1.0)
    assert row(span="weeks").rank is None
    page = client.get(version.get_board_url()).content.decode()
    for word in ("Length", "Domain", "Span", "Bare", "1k tokens", "Weeks", "Housing"):
        assert word in page
    for address in (version.get_absolute_url(), answered.get_absolute_url()):
        assert client.get(address).status_code == 200


def test_no_public_row_tells_track_template_or_length(version):
    for line in storage.lines(version.rows_sha256):
        row = json.loads(line)
        assert not {"track", "domain", "difficulty", "metadata"} & row.keys()
        assert "ground_truth" not in line.decode()
