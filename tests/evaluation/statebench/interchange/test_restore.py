"""Files of the releases, and of the hub, read as ours."""

from __future__ import annotations

import pytest

from evaluation.core import jsonl
from evaluation.core.errors import RowError
from evaluation.statebench.generator.tracks import generate
from evaluation.statebench.interchange.changes import Changes
from evaluation.statebench.interchange.export import to_release
from evaluation.statebench.interchange.release import RELEASES
from evaluation.statebench.interchange.restore import from_release, is_graded, read_released
from evaluation.statebench.public import public_row
from tests.evaluation.statebench import reference_state


def test_rows_of_the_hub_are_the_timelines_they_were_made_of():
    released = {row["id"]: row for row in reference_state.dev()}
    rows = list(read_released(reference_state.path("data/dev.hf_rows.first12.jsonl")))
    assert len(rows) == 12
    for row in rows:
        known = released.get(row["id"])
        assert known is None or {**known, "metadata": None} == {**row, "metadata": None}
    assert any(row["id"] in released for row in rows)


def test_a_file_may_hold_graded_and_withheld_timelines(tmp_path):
    graded, other = generate(["causality"], 2, 0)
    rows = [to_release(row, RELEASES["2.0"], Changes()) for row in (graded, public_row(other, labels=False))]
    jsonl.write(tmp_path / "t.jsonl", rows)
    assert [is_graded(row) for row in read_released(tmp_path / "t.jsonl")] == [True, False]


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ({"id": "x", "events": [], "initial_state": {}}, "lacks identity_role"),
        ({"id": "x", "events": "[", "initial_state": "{}"}, "JSON"),
        ({"events": []}, "lacks id"),
    ],
)
def test_a_row_that_is_no_timeline_is_named_by_its_line(tmp_path, row, fault):
    jsonl.write(tmp_path / "t.jsonl", [*generate(["causality"], 1, 0), row])
    with pytest.raises(RowError, match=f"t.jsonl:2.*{fault}"):
        list(read_released(tmp_path / "t.jsonl"))


def test_a_template_of_theirs_that_looks_like_a_track_of_another_stays():
    row = next(generate(["supersession"], 1, 0)) | {
        "metadata": {"template_id": "dependency_chain/x", "seed": 1}
    }
    assert from_release(row)["track"] == "supersession"
    assert from_release(row)["metadata"]["template_id"] == "dependency_chain/x"
