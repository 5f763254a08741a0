"""Times are compared as moments, whatever their offset."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.errors import RowError
from evaluation.statebench.context.replay import replay
from evaluation.statebench.data.timeline import check_timeline
from evaluation.statebench.data.times import BEFORE_ALL, moment
from evaluation.statebench.strategies import build_context
from tests.evaluation.statebench.writing import timeline, write

OFFSETS = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
TIMES = st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1), timezones=OFFSETS)


@given(TIMES, TIMES)
def test_two_times_compare_as_the_moments_that_they_are(one: datetime, other: datetime) -> None:
    assert (moment(one.isoformat()) < moment(other.isoformat())) == (one < other)


@given(TIMES)
def test_a_time_without_an_offset_is_of_the_zone_and_else_of_utc(time: datetime) -> None:
    naive = time.astimezone(UTC).replace(tzinfo=None).isoformat()
    assert moment(naive) == moment(time.isoformat())
    assert moment("2026-01-05T09:00:00", "Asia/Tokyo") == moment("2026-01-05T00:00:00Z")


def test_no_time_is_before_all_and_what_is_none_is_refused() -> None:
    assert moment("") == BEFORE_ALL
    with pytest.raises(RowError, match="not an ISO time: 'soon'"):
        moment("soon")
    for name in ("Mars/Base", "../../etc/passwd", "/etc/hosts"):
        with pytest.raises(RowError, match="unknown time zone"):
            moment("2026-01-05T09:00:00", name)


@pytest.mark.parametrize(
    ("expires", "zone", "is_shown"),
    [
        ("2026-01-05T10:30:00+02:00", None, False),
        ("2026-01-05T08:30:00-03:00", None, True),
        ("2026-01-05T13:00:00Z", "America/New_York", False),
        ("2026-01-05T09:00:00Z", "Asia/Tokyo", True),
        ("2026-01-05 09:30", None, True),
    ],
)
def test_a_note_lasts_until_the_moment_at_which_it_expires(
    expires: str, zone: str | None, is_shown: bool
) -> None:
    story = timeline(write("n", "spare sails", layer="working_set", expires_at=expires), query="?")
    assert ("spare sails" in build_context(story | ({"timezone": zone} if zone else {})).text) == is_shown


def test_events_and_signals_take_effect_in_order_of_their_moments() -> None:
    late = write("alert", "storm", layer="environment") | {"ts": "2026-01-05T06:30:00-01:00"}
    early = write("alert", "calm", layer="environment") | {"ts": "2026-01-05T09:10:00+02:00"}
    assert replay(timeline(late, early, query="?")).environment.values["alert"] == "storm"


@pytest.mark.parametrize(
    ("zone", "reason"), [("Mars/Base", "unknown time zone"), (3, "must be a text, not int")]
)
def test_a_timeline_of_no_known_zone_is_refused(zone: object, reason: str) -> None:
    with pytest.raises(RowError, match=reason):
        check_timeline(timeline(query="?") | {"timezone": zone}, graded=False)
