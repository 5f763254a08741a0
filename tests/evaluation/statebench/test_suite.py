"""StateBench as the site uses it, through the suite protocol."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation.core.errors import RowError, SettingsError
from evaluation.core.records import Given
from evaluation.core.row_states import RowState
from evaluation.core.sealing.keyed_ids import OPEN_KEY
from evaluation.core.suite import ExpectedRows, get_suite
from evaluation.statebench.data.truth import read_record, record
from evaluation.statebench.generator.scenes.plots import templates
from evaluation.statebench.generator.scenes.telling import tell
from evaluation.statebench.generator.tracks import TRACKS
from evaluation.statebench.suite import SHOWN_TURNS
from evaluation.statebench.systems.registry import SYSTEMS
from tests.evaluation.statebench import reference_state

SUITE = get_suite("statebench")
SMOKE = SUITE.settings.checked(SUITE.presets()["smoke"].settings)
ITEMS = list(SUITE.version(SMOKE).generate())
GOLD = [item.gold for item in ITEMS]


def answers(system: str):
    built = SUITE.systems()[system].build()
    return [answer for item in ITEMS for row in item.rows for answer in built.predict(SUITE.public_row(row))]


def grade(predictions):
    return SUITE.version(SMOKE).grade(GOLD, predictions)


@pytest.mark.parametrize("name", SUITE.presets())
def test_every_preset_checks_and_describes_itself(name):
    settings = SUITE.settings.checked(SUITE.presets()[name].settings)
    assert SUITE.settings.checked(settings) == settings
    assert dict(SUITE.version(settings).settings.describe())["Rubric"] == settings["rubric"]


def test_the_number_of_items_is_told_beforehand():
    assert SUITE.version(SMOKE).count() == len(ITEMS)


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"count": 0}, "count"),
        ({"seed": -1}, "seed"),
        ({"tracks": ["supersesion"]}, "tracks"),
        ({"tracks": []}, "tracks"),
        ({"rubric": "lenient"}, "rubric"),
        ({"source": "web"}, "source"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_a_bad_setting_is_named(settings, field):
    with pytest.raises(SettingsError) as caught:
        SUITE.settings.checked(settings)
    assert field in caught.value.fields


def test_a_public_row_tells_no_answer():
    for item in ITEMS:
        public = SUITE.public_row(item.rows[0])
        assert "ground_truth" not in str(public)
        assert "implicit_supersession" not in str(public)
        assert not public.keys() & {"metadata", "detection_mode", "track", "difficulty", "domain"}


def test_public_rows_and_records_expect_the_same_queries():
    public = [SUITE.public_row(row) for item in ITEMS for row in item.rows]
    expected_figures = SUITE.expected(GOLD).splits
    message = SUITE.expected(public).splits
    assert expected_figures.keys() == message.keys()
    assert expected_figures[f"{ITEMS[0].key}#0"] == "supersession"
    assert (
        set(message.values()) == {SUITE.form_of(track) for track in expected_figures.values()} == {"timeline"}
    )


def test_an_imported_timeline_keeps_its_labels():
    row = ITEMS[0].rows[0]
    public = SUITE.public_row(row, labels=True)
    assert public["track"] == row["track"]
    assert not public.keys() & {"metadata", "detection_mode"}
    assert SUITE.expected([public]).splits == {f"{row['id']}#0": row["track"]}


def test_a_row_id_is_built_from_timeline_and_query():
    assert SUITE.row_id({"timeline_id": "T", "query_idx": 2}) == "T#2"
    assert SUITE.row_id({"timeline_id": "T", "query_idx": "2"}) is None
    assert SUITE.row_id({"query_idx": 2}) is None


def test_a_response_is_validated():
    good = {"timeline_id": "T", "query_idx": 0, "response": "no"}
    expected = SUITE.expected(GOLD)
    assert SUITE.read_line(good, expected).state == RowState.ANSWERED
    assert SUITE.read_line(good | {"response": 3}, expected).code == "unreadable_response"
    assert SUITE.read_line(good | {"response": "x" * 20_001}, expected).code == "long_response"


def test_a_report_has_what_the_site_shows():
    report = grade(answers("state_based"))
    assert {column.name for column in SUITE.version({}).columns} <= set(report.metrics)
    assert set(report.groups) == {"track", "difficulty", "domain"}
    assert [row["id"] for row in report.rows] == list(SUITE.expected(GOLD).splits)
    assert (
        list(report.units) == report.unit_names == list(dict.fromkeys(item.gold["track"] for item in ITEMS))
    )
    low, high = report.intervals["decision_accuracy"]
    assert low <= report.metrics["decision_accuracy"] <= high


def test_copies_of_a_template_make_no_interval_narrower():
    """Forty timelines of a template say little more than four: both count as fifteen units."""
    settings = SUITE.settings.checked({"tracks": list(TRACKS), "count": 4})
    few, many = (list(SUITE.version(settings | {"count": count}).generate()) for count in (4, 40))
    strategy, widths = SYSTEMS["state_based"].build(), []
    for items in (few, many):
        sent = [line for item in items for line in strategy.predict(SUITE.public_row(item.rows[0]))]
        report = SUITE.version(settings).grade([item.gold for item in items], sent)
        assert len(report.units) == len(report.sums["decision_accuracy"].sums) == len(TRACKS)
        widths.append(np.subtract(*report.intervals["decision_accuracy"][::-1]))
    assert widths[1] > 0.9 * widths[0] > 0.2


def test_one_track_alone_has_no_interval():
    report = grade(answers("state_based"))
    assert {group["intervals"]["decision_accuracy"] for group in report.groups["track"].values()} == {None}


def test_a_template_is_named_by_its_timeline_and_else_it_is_the_track():
    (first, second) = (dict(item.rows[0]) for item in ITEMS[:2])
    assert "template" not in record(first), "the records of generated versions are as they were"
    first["metadata"], second["metadata"] = {"template_id": "moved-meeting"}, None
    truths = [truth for row in (first, second) for truth in read_record(record(row))]
    assert list(dict.fromkeys(truth.unit for truth in truths)) == [
        f"{first['track']}/moved-meeting",
        second["track"],
    ]


def test_several_templates_of_a_track_are_units_of_one_stratum():
    items = list(SUITE.version({"tracks": ["supersession"], "count": 6}).generate())
    gold = [dict(item.gold) | {"template": f"t{number % 3}"} for number, item in enumerate(items)]
    sent = [{"timeline_id": g["timeline_id"], "query_idx": 0, "response": "no"} for g in gold]
    report = SUITE.version({"source": "import"}).grade(gold, sent)
    assert report.unit_names == ["supersession/t0", "supersession/t1", "supersession/t2"]
    assert report.sums["decision_accuracy"].strata.tolist() == [0, 0, 0]
    assert report.intervals["decision_accuracy"] is not None


def test_grading_is_deterministic():
    assert grade(answers("rag_transcript")) == grade(answers("rag_transcript"))


def test_a_missing_response_is_wrong_and_says_so():
    report = grade(answers("state_based")[1:])
    assert report.metrics["answered_rate"] < 1
    assert report.rows[0]["failure"] == "no_response"
    assert report.rows[0]["correct"] == 0


def test_leaving_rows_out_never_makes_a_file_look_better():
    """Row by row: whatever it scored, leaving it out raises no rate of success."""
    whole = answers("transcript_replay")
    complete = grade(whole)
    spared = sum(good for good, _ in complete.robustness.values())
    for left_out in range(len(whole)):
        part = grade(whole[:left_out] + whole[left_out + 1 :])
        assert sum(good for good, _ in part.robustness.values()) <= spared
        assert sum(rows for _, rows in part.robustness.values()) == sum(
            rows for _, rows in complete.robustness.values()
        )
        for name in ("decision_accuracy", "must_mention_rate", "answered_rate"):
            assert part.metrics[name] <= complete.metrics[name]


@pytest.mark.parametrize("nothing", ["", " \n"])
def test_an_empty_response_brings_nothing_back_and_gets_no_credit_for_it(nothing):
    report = grade([answer | {"response": nothing} for answer in answers("state_based")])
    message = {name: report.metrics[name] for name in ("decision_accuracy", "answered_rate")}
    assert message == {"decision_accuracy": 0.0, "answered_rate": 0.0}
    for name in ("sfrr", "leakage_rate", "fabrication_rate", "must_not_mention_violation_rate"):
        assert report.metrics[name] is None
        assert report.intervals[name] is None
    assert sum(spared for spared, _ in report.robustness.values()) == 0
    assert {row["failure"] for row in report.rows} == {"no_response"}
    assert {row["sfrr"] for row in report.rows} == {None}


def test_a_track_that_is_left_out_has_no_figures():
    settings = SMOKE | {"tracks": ["causality", "supersession_maintain"]}
    items = list(SUITE.version(settings).generate())
    gold = [item.gold for item in items]
    built = SUITE.systems()["state_based"].build()
    given = [answer for item in items for row in item.rows for answer in built.predict(SUITE.public_row(row))]
    kept_in = {record["timeline_id"] for record in gold if record["track"] == "supersession_maintain"}
    kept = [answer for answer in given if answer["timeline_id"] in kept_in]
    report = SUITE.version(settings).grade(gold, kept)
    assert list(report.groups["track"]) == ["supersession_maintain"]
    assert report.metrics["decision_accuracy"] is None  # the headline counts no row of this file
    assert report.intervals["decision_accuracy"] is None
    assert 0 not in {group["metrics"]["decision_accuracy"] for group in report.groups["domain"].values()}
    assert report.groups["track"]["supersession_maintain"]["metrics"]["decision_accuracy"] is not None
    assert (report.units, report.robustness) == ({}, {})
    assert report.metrics["false_supersession_rate"] is not None


@pytest.mark.parametrize("rubric", ["strict", "1.0", "2.0"])
def test_the_tracks_that_count_are_those_that_grading_counts(rubric):
    settings = SUITE.settings.checked({"count": 1, "rubric": rubric})
    items = list(SUITE.version(settings).generate())
    report = SUITE.version(settings).grade([item.gold for item in items], [])
    counted = {row["condition"] for row in report.rows if row.get("in_headline", True)}
    assert {
        track for track in settings["tracks"] if SUITE.version(settings).counts_toward_headline(track)
    } == counted


def test_state_beats_the_transcript():
    state, transcript = (grade(answers(name)).metrics for name in ("state_based", "transcript_replay"))
    assert state["sfrr"] == 0 < transcript["sfrr"]
    assert state["decision_accuracy"] > transcript["decision_accuracy"]


def test_readings_show_the_question_and_its_story():
    (reading,) = SUITE.row_previews(SUITE.public_row(ITEMS[0].rows[0]))
    assert reading.id == f"{ITEMS[0].key}#0"
    assert dict(reading.parts)["Conversation"].startswith("user: ")
    assert '"query_idx": 0' in reading.answer_form


def test_the_release_is_imported_and_graded_as_published():
    settings = SUITE.settings.checked(SUITE.presets()["release_dev"].settings)
    items = list(SUITE.version(settings).items_from_rows(reference_state.dev()))
    report = SUITE.version(settings).grade(
        [item.gold for item in items], reference_state.rows("responses/perturbed.jsonl")
    )
    assert report.metrics["sfrr"] == pytest.approx(0.4717741935, abs=1e-9)
    assert report.metrics["decision_accuracy"] == pytest.approx(0.7822580645, abs=1e-9)


def test_a_name_given_twice_is_refused():
    row = ITEMS[0].rows[0]
    with pytest.raises(RowError, match="two timelines"):
        list(SUITE.version(SUITE.presets()["release_dev"].settings).items_from_rows([row, row]))


def test_an_imported_version_is_not_generated():
    with pytest.raises(SettingsError, match="file"):
        next(SUITE.version(SUITE.presets()["release_dev"].settings).generate())


def test_timelines_of_a_track_are_made_from_one_template_and_no_more_are_drawn():
    version = SUITE.version(SUITE.presets()["standard"].settings)
    splits = dict.fromkeys(version.settings.tracks, 40)
    assert version.drawn(version.count(), splits) == (15, "template", 15 * 40)
    assert version.drawn(1, splits).units == 1


def test_a_version_from_before_warns_of_thinking_and_the_newest_leaves_it_out():
    line = {"timeline_id": "T", "query_idx": 0, "response": "<think>No.</think>Yes."}
    only = line | {"response": "<think>No."}
    older, newest = (ExpectedRows({"T#0": "x"}, rubric=name) for name in ("strict", "strict@4"))
    [odd] = SUITE.read_line(line, older).given.odd
    assert (odd.code, odd.example) == ("thinking_in_response", line["response"])
    assert SUITE.read_line(line, newest).given == Given("Yes.")
    assert [SUITE.read_line(only, each).state.value for each in (older, newest)] == ["answered", "empty"]
    graders = [SUITE.version({"rubric": name}).grader for name in ("strict", "strict@3", "strict@4", "1.0")]
    assert graders == [
        "statebench/strict-2/1.0/2.0",
        "statebench/strict-3/1.0/2.0",
        "statebench/strict-4/1.0/2.0",
        "statebench/strict-2/1.0/2.0",
    ]


def test_a_long_timeline_is_previewed_from_both_ends_and_not_replayed():
    pool = templates("expiry", 15, 1)
    for length, is_shown in ((8_000, True), (32_000, False)):
        row = SUITE.public_row(tell(pool[0], pool, length, 0, 1, OPEN_KEY))
        shown = SUITE.replays.replay(row, f"{row['id']}#0")
        assert (shown is not None) is is_shown
        if not is_shown:
            assert SUITE.replays.contexts(row, f"{row['id']}#0") == ()
        (preview,) = SUITE.row_previews(row)
        talk = dict(preview.parts)["Conversation"]
        assert talk.count("\n") == 2 * SHOWN_TURNS
        assert "turns …" in talk
