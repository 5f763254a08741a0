"""Timelines of family rows show updates, and nothing of the present value."""

from __future__ import annotations

from typing import Any

from evaluation.core.suite import get_suite
from evaluation.goldevidence.presets import Settings
from evaluation.goldevidence.replay.lanes import OF_FAMILY
from tests.evaluation.goldevidence.generator.families import cast

SUITE = get_suite("goldevidence")


def rows(family: str) -> Any:
    """(version, item) of a small version of one family."""
    config = cast.config(family, episodes=1, queries=4)
    settings = Settings.from_json(
        {"protocol": "open", "generator": config.as_json(), "ladder": {"lengths": [4096]}}
    )
    version = SUITE.version(settings.as_json())
    return version, next(iter(version.generate()))


def test_updates_by_roles_are_marks_and_no_state_is_drawn():
    _, item = rows("authority")
    seen = SUITE.replays.replay(item.rows[0], item.rows[0]["id"])
    assert seen is not None
    assert seen.note == OF_FAMILY
    assert not seen.has_state
    assert not any(lane.spans for lane in seen.lanes)
    assert sum(mark.kind in ("update", "clear") for lane in seen.lanes for mark in lane.marks) > 20


def test_an_account_says_how_many_lines_are_cited_or_what_is_wrong():
    for family in cast.FAMILIES:
        version, item = rows(family)
        row = item.rows[0]
        right = {"id": row["id"], "value": row["gold"]["value"], "support_ids": row["gold"]["support_ids"]}
        for prediction, words in ((right, "cites "), ({**right, "value": None}, "no_value")):
            report = version.grade([item.gold], [prediction])
            verdict = next(each for each in report.rows if each["id"] == row["id"])
            account = SUITE.replays.account(row, SUITE.replays.replay(row, row["id"]), verdict)
            assert (verdict["failure"] or account.sentence).startswith(words)
            assert "set a valid value" not in account.sentence
