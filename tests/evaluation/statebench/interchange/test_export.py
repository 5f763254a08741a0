"""Our timelines in the format of the releases: what is kept, what is lost, and that losses are reported."""

from __future__ import annotations

from copy import deepcopy

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluation.core.errors import RowError, UnknownNameError
from evaluation.statebench.data.truth import read_record, record
from evaluation.statebench.facts.authority import level
from evaluation.statebench.generator.tracks import TRACKS, generate
from evaluation.statebench.interchange.changes import Changes, moment
from evaluation.statebench.interchange.export import WITHHELD, to_release
from evaluation.statebench.interchange.release import AUTHORITIES, NEAREST_IN_1, RELEASES, get_release
from evaluation.statebench.interchange.restore import from_release
from evaluation.statebench.public import public_row
from evaluation.statebench.records import writes_of
from evaluation.statebench.strategies import build_context
from tests.evaluation.statebench import reference_state
from tests.evaluation.statebench.interchange.release_timelines import timelines
from tests.evaluation.statebench.interchange.scoped_timelines import Story

SLOW = settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
both = pytest.mark.parametrize("name", RELEASES)


def sent(row, name="2.0"):
    changes = Changes()
    return to_release(row, RELEASES[name], changes), changes


@pytest.fixture
def row():
    return next(generate(["supersession"], 1, 4))


class TestRoundTrips:
    @both
    def test_what_a_release_can_hold_comes_back_as_it_went(self, name):
        @SLOW
        @given(timelines(RELEASES[name]))
        def check(row):
            before = deepcopy(row)
            there, changes = sent(row, name)
            assert (there, row) == (before, before)
            assert from_release(there) == row
            assert list(changes.lines()) == []

        check()

    @both
    def test_nothing_more_is_lost_the_second_time(self, name):
        @SLOW
        @given(st.integers(0, 10_000), st.booleans())
        def check(seed, public):
            row = Story(seed).row()
            there, _ = sent(public_row(row, labels=False) if public else row, name)
            back = from_release(there)
            again, changes = sent(back, name)
            assert again == there
            assert not changes.lost or set(changes.lost) <= {
                f"track {back.get('track')!r}, replaced by {there['track']!r}"
            }

        check()

    @both
    def test_released_data_pass_unchanged(self, name):
        for row in reference_state.dev():
            there, changes = sent(from_release(row), name)
            assert there == row
            assert list(changes.lines()) == []

    def test_the_tracks_of_2_come_back_from_1(self):
        for row in reference_state.rows("v2_tracks/timelines.jsonl"):
            there, changes = sent(row, "1.0")
            assert there["track"] in RELEASES["1.0"].tracks
            assert from_release(there)["track"] == row["track"]
            assert changes.lost or there["track"] == row["track"]

    @both
    def test_our_own_come_back_but_for_the_words_the_releases_lack(self, name):
        for row in generate(tuple(TRACKS), 3, 5):
            back = from_release(sent(row, name)[0])
            assert {**back, "events": 0, "initial_state": 0} == {**row, "events": 0, "initial_state": 0}
            assert [without_words(event) for event in back["events"]] == [
                without_words(event) for event in row["events"]
            ]
            assert read_record(record(back)) == read_record(record(row))

    @both
    def test_contexts_of_our_own_are_the_same_before_and_after(self, name):
        for row in generate(tuple(TRACKS), 3, 6):
            back = from_release(sent(row, name)[0])
            queries = sum(event["type"] == "query" for event in row["events"])
            for index in range(queries):
                assert build_context(back, index).text == build_context(row, index).text

    def test_a_public_timeline_comes_back_without_what_was_filled_in(self):
        for row in generate([track for track in TRACKS if track != "causality"], 2, 7):
            public = public_row(row, labels=False)
            there, changes = sent(public)
            assert from_release(there) == public
            assert changes.filled["ground_truth of a query"] == len(read_record(record(row)))


def without_words(event):
    """An event without the difficulty of its label, which the releases name differently."""
    label = event.get("implicit_supersession")
    return event | {"implicit_supersession": label and label | {"difficulty": None}}


class TestWhatIsLost:
    def test_places_and_the_events_that_enter_and_leave_them_are_dropped_and_counted(self, row):
        enter = {
            "type": "scope",
            "ts": "2026-01-05T09:00:00",
            "action": "enter",
            "scope": "task",
            "scope_id": "T-7",
        }
        row["events"].insert(0, enter)
        row["events"][1] |= {"scope": "task", "scope_id": "T-7"}
        row["events"][-1] |= {"scope_id": "T-7"}
        writes = [write for event in row["events"] for write in writes_of(event)]
        writes[0] |= {"scope": "client", "scope_id": "C-1"}
        there, changes = sent(row)
        assert [event["type"] for event in there["events"]] == [event["type"] for event in row["events"][1:]]
        assert "scope_id" not in repr(there)
        assert changes.lost["an event of type 'scope'"] == 1
        assert changes.lost["scope of a turn"] == changes.lost["scope_id of a turn"] == 1
        assert changes.lost["scope_id of a query"] == 1
        assert changes.lost["scope_id of a write"] == 1
        assert changes.lost["scope of a write 'client', replaced by 'task'"] == 1

    @given(st.sampled_from(["CFO", "VP of Sales", "intern", "Clerk", "Board", "Director", "vendor"]))
    def test_a_title_is_told_by_a_word_of_the_same_level(self, title):
        row = next(generate(["supersession"], 1, 4))
        write = next(write for event in row["events"] for write in writes_of(event))
        write["source"]["authority"] = title
        there, changes = sent(row)
        told = next(write for event in there["events"] for write in writes_of(event))["source"]["authority"]
        assert told in AUTHORITIES
        assert level(told) is level(title)
        assert changes.lost[f"source authority of a write {title!r}, replaced by {told!r}"] == 1

    def test_what_a_bound_is_about_is_dropped_and_that_it_is_one_stays(self):
        row = next(generate(["causality"], 1, 0))
        fact = sent(row)[0]["initial_state"]["persistent_facts"][0]
        assert (fact["is_constraint"], fact["constraint_type"]) == (True, None)

    def test_a_write_that_changes_nothing_goes_and_its_event_with_it(self, row):
        write = {"layer": "identity_role", "key": "authority", "value": "CEO"}
        row["events"].insert(0, {"type": "state_write", "ts": "2026-01-05T09:00:00", "writes": [write]})
        there, changes = sent(row)
        assert len(there["events"]) == len(row["events"]) - 1
        assert changes.lost["a write to the layer 'identity_role', which changes nothing"] == 1

    def test_kinds_of_mentions_and_applicability_are_lost_in_1_alone(self, row):
        truth = row["events"][-1]["ground_truth"]
        truth["must_not_mention"] = [{"phrase": "blue", "kind": "restricted"}]
        truth["expected_applicability"] = "ADAPT"
        later, earlier = sent(row, "2.0"), sent(row, "1.0")
        assert later[0]["events"][-1]["ground_truth"]["must_not_mention"][0]["kind"] == "restricted"
        assert set(earlier[1].lost) - set(later[1].lost) == {
            "kind of a mention",
            "expected_applicability of a ground truth",
        }

    def test_values_that_are_no_texts_are_written_out(self, row):
        row["initial_state"]["environment"]["stock"] = 7
        there, changes = sent(row)
        assert there["initial_state"]["environment"]["stock"] == "7"
        assert changes.lost["the type of a value of the environment (int), printed as text"] == 1


class TestWhatIsFilledIn:
    def test_a_withheld_truth_is_one_that_no_response_holds(self, row):
        there, _ = sent(public_row(row, labels=False))
        assert there["events"][-1]["ground_truth"]["decision"] == WITHHELD
        assert there["metadata"]["template_id"] == WITHHELD

    def test_labels_that_a_public_row_keeps_are_no_gap(self, row):
        public = public_row(row, labels=True)
        there, changes = sent(public)
        assert there["track"] == "supersession"
        assert set(changes.filled) == {"ground_truth of a query"}
        assert from_release(there) == public

    def test_a_write_without_id_has_the_one_of_the_releases(self, row):
        write = {"layer": "persistent_facts", "key": "colour", "value": "blue"}
        row["events"].insert(0, {"type": "state_write", "ts": "2026-01-05T09:00:00", "writes": [write]})
        assert sent(row)[0]["events"][0]["writes"][0]["id"] == "W-AUTO"


def test_each_track_of_ours_has_one_in_each_release():
    for track in (*TRACKS, *NEAREST_IN_1, "a track of somebody's"):
        assert all(release.track(track) in release.tracks for release in RELEASES.values())
    assert all(RELEASES["2.0"].track(track) == track for track in TRACKS)


def test_a_time_is_kept_or_written_as_both_read_it():
    assert moment("2026-01-05T09:00:00+02:00", "a turn") == "2026-01-05T09:00:00+02:00"
    assert moment("20260105", "a turn") == "2026-01-05T00:00:00"
    with pytest.raises(RowError, match="ts of a turn must be an ISO time"):
        moment("yesterday", "a turn")


def test_an_unknown_release_is_named_with_those_there_are():
    with pytest.raises(UnknownNameError, match=r"2\.0"):
        get_release("2.1")
