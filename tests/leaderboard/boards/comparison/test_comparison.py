"""Comparing two to four submissions of one version, row by row."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from django.urls import reverse

from evaluation.core import jsonl, statistics
from evaluation.frames import read_frame
from evaluation.frames.schema import COMPARISON
from evaluation.statebench.generator.tracks import TRACKS
from leaderboard.benchmarks import expected_ids, storage
from leaderboard.boards.comparison.comparison import Comparison, shown_difference
from leaderboard.boards.comparison.disagreements import Matrix
from leaderboard.submissions import regrading
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Score, Submission, System
from leaderboard.submissions.scores import score_sums
from leaderboard.submissions.verdicts import files as verdict_files
from tests.leaderboard.taking_part import taking_part

ORDERED = {"conditions": [{"k": 2, "order": "gold_first"}, {"k": 2, "order": "gold_last"}]}


@pytest.fixture
def ordered(make_version):
    """A version with a whole-book condition and two orders of candidates."""
    return make_version(**ORDERED)


@pytest.fixture
def enough(make_version):
    """The same with enough episodes to say which side is better."""
    size = {"episodes": 20, "steps": 24, "queries": 2, "keys": 4, "chapters": 2, "twins": False}
    return make_version(generator=size, **ORDERED)


@pytest.fixture
def pair(version, user, other, submit):
    """A faultless submission, and one with three wrong answers, of two accounts."""
    good = submit(version, System.objects.create(owner=user, name="Good"))
    poor = submit(version, System.objects.create(owner=other, name="Poor"), wrong=3)
    return [good, poor]


def address(*chosen, name="compare", **query):
    path = reverse(
        f"leaderboard:{name}", args=[query.pop(each) for each in ("table", "kind") if each in query]
    )
    pairs = [f"s={submission.pk}" for submission in chosen] + [
        f"{key}={value}" for key, value in query.items()
    ]
    return f"{path}?{'&'.join(pairs)}"


def verdicts(submission):
    return list(verdict_files.opened(submission.score.verdicts_sha256))


def predictions_of(version, name):
    """The predictions of a system of the engine."""
    system = version.suite.systems()[name].build()
    return [system.predict(row) for row in storage.rows(version.rows_sha256)]


def changed(answers, ids, fields):
    return [row | fields if row["id"] in ids else row for row in answers]


def first_unit(version):
    """The ids of the rows of one episode."""
    return {row[0] for row in next(storage.rows(version.gold_sha256))["rows"]}


def upload(version, owner, name, rows, tmp_path):
    """A graded submission of these predictions."""
    jsonl.write(tmp_path / f"{name}.jsonl", rows)
    accepted = submissions.accept(version, tmp_path / f"{name}.jsonl")
    made = taking_part(
        submissions.create(accepted, system=System.objects.create(owner=owner, name=name), submitter=owner)
    )
    assert submissions.grade(str(made.pk))
    return Submission.objects.with_names().get(pk=made.pk)


def test_the_headline_difference_is_the_paired_contrast_over_units_and_modes(version, pair):
    result = Comparison(version, pair).headline.cells[1].difference
    tables = []
    for submission in pair:
        units: dict[str, list[int]] = {record["unit"]: [] for record in storage.rows(version.gold_sha256)}
        for row in verdicts(submission):
            units[row["unit"]].append(row["correct"])
        tables.append(np.array([[sum(marks), len(marks)] for marks in units.values()]))
    strata = score_sums.strata(bytes(pair[0].score.metric_sums))
    assert len(strata) == len(tables[0])
    expected = statistics.paired_contrast(tables[1], tables[0], strata)
    assert (result.low, result.high, result.p) == pytest.approx((expected.low, expected.high, expected.p))
    assert result.value == pytest.approx(pair[1].score.headline - pair[0].score.headline)


COUNTS = {
    "n",
    "note_rows",
    "own_rows",
    "own_gold_rank_median",
}  # numbers of rows and a median, which are not rates


def test_every_rate_of_goldevidence_has_a_paired_test(make_version, user, tmp_path):
    generator = {"episodes": 4, "steps": 60, "queries": 6, "keys": 6, "chapters": 2, "twins": True}
    generator |= {"state_mode": "kv_commentary", "distractor_profile": "instruction_suite", "revision": 2}
    conditions = [
        {"k": 4, "order": "gold_first", "exact": True},
        {"k": 4, "order": "gold_last", "exact": True},
        {"k": 4, "order": "shuffle", "exact": True, "drop_prob": 0.4, "spoof_rate": 0.5},
    ]
    version = make_version(name="all", generator=generator, conditions=conditions)
    pair = []
    for name in ("positional_first", "positional_last"):
        # The first of the lines retrieved is never the gold line: some answers choose the last one all the same.
        last = predictions_of(version, "positional_last")
        answers = [last[at] if at % 3 == 1 else line for at, line in enumerate(predictions_of(version, name))]
        abstained = {row["id"] for row in answers[:: 4 + len(pair)]}
        given = changed(answers, abstained, {"value": None, "support_ids": []})
        pair.append(upload(version, user, name, given, tmp_path))
    assert untested(version, pair) == set()


def test_every_rate_of_several_templates_of_statebench_has_a_paired_test(make_version, user, submit):
    version = make_version("statebench", name="all", count=3, tracks=list(TRACKS))
    pair = [
        submit(version, System.objects.create(owner=user, name=name), executor=name)
        for name in ("state_based", "transcript_replay")
    ]
    sums = [score_sums.read(bytes(each.score.metric_sums)) for each in pair]
    alone = {name for each in sums for name, of in each.items() if of.sums[..., 1].any(axis=1).sum() == 1}
    assert untested(version, pair) <= alone, "one template has no interval"
    assert "decision_accuracy" not in alone


def untested(version, pair):
    """The rates of a suite without a paired test; asserts that the other tests are of the reported difference."""
    result = Comparison(version, pair)
    lines = {line.column.name: line.cells[1] for line in result.lines}
    for name, cell in lines.items():
        if cell.difference and not cell.is_over_fewer:
            assert cell.difference.low - 1e-9 <= cell.gap <= cell.difference.high + 1e-9, name
    every = {column.name for column in (*version.bound.columns, version.bound.tie_breaker)}
    assert every - COUNTS <= set(result.metrics)
    return {name for name in every - COUNTS if name not in lines or lines[name].difference is None}


def test_a_number_of_rows_has_a_difference_and_no_test(version, pair):
    lines = {line.column.name: line.cells[1] for line in Comparison(version, pair).lines}
    assert lines["n"].difference is None
    assert lines["n"].gap == 0
    assert lines["instr_gap"].difference is not None


def test_scores_of_an_earlier_release_show_their_figures_and_say_what_adds_the_tests(client, version, pair):
    before = {line.column.name: line for line in Comparison(version, pair).lines}
    Score.objects.filter(submission=pair[1]).update(metric_sums=b"")
    pair[1].refresh_from_db()
    result = Comparison(version, pair)
    assert {line.column.name for line in result.paired} == {"exact_acc"}, "the headline keeps its own units"
    assert result.headline.cells[1] == before["exact_acc"].cells[1]
    values = {line.column.name: [cell.value for cell in line.cells] for line in result.lines}
    assert values == {name: [cell.value for cell in line.cells] for name, line in before.items()}
    page = client.get(address(*pair)).content.decode()
    assert "B: graded by an earlier release" in page
    assert "Regrading a submission adds the data for the tests." in page
    assert "manage.py" not in page
    (queued,) = regrading.queue(version)
    assert submissions.grade(queued)
    pair[1] = Submission.objects.with_names().get(pk=pair[1].pk)
    assert {line.column.name: line for line in Comparison(version, pair).lines} == before
    assert "earlier release" not in client.get(address(*pair)).content.decode()


def test_every_step_of_the_decomposition_is_paired_by_its_own_rows(enough, user, submit):
    first, last = (
        submit(enough, System.objects.create(owner=user, name=name), executor=name)
        for name in ("prefer_update_latest", "positional_last")
    )
    lines = {line.column.name: line.cells[1] for line in Comparison(enough, [first, last]).lines}
    for name in ("gold_present_rate", "selection_rate", "accuracy_when_gold_present", "wrong_update_rate"):
        assert lines[name].difference.value == pytest.approx(lines[name].gap), name
    assert lines["selection_rate"].verdict == "worse"
    assert lines["support_consistency_rate"].value == 1.0


def test_what_breaks_ties_on_the_board_stands_behind_the_headline_with_its_own_test(enough, user, submit):
    first, last = (
        submit(enough, System.objects.create(owner=user, name=name), executor=name)
        for name in ("prefer_update_latest", "positional_last")
    )
    headline, tie_breaker, *_ = Comparison(enough, [first, last]).lines
    assert headline.column.headline
    assert (tie_breaker.column.label, tie_breaker.cells[0].value) == ("Worst condition", 1.0)
    assert tie_breaker.cells[1].verdict == "worse"


def test_a_test_that_leaves_units_out_says_over_how_many_it_is(client, make_version, user, other, tmp_path):
    generator = {"episodes": 4, "steps": 24, "queries": 3, "keys": 4, "chapters": 2, "twins": False}
    version = make_version(generator=generator, conditions=[{"k": 2, "order": "gold_last"}])
    answers = predictions_of(version, "prefer_update_latest")
    wrong, uncited = {"value": "no such thing"}, {"support_ids": []}
    first = upload(version, user, "Wrong", changed(answers, first_unit(version), wrong), tmp_path)
    second = upload(version, other, "Uncited", changed(answers, first_unit(version), uncited), tmp_path)
    lines = {line.column.name: line.cells[1] for line in Comparison(version, [first, second]).lines}
    cell = lines["answer_acc_given_gold_selected"]
    assert cell.gap > 0
    assert cell.difference.value == 0, "the three units that both have are alike"
    assert cell.is_over_fewer
    page = client.get(address(first, second)).content.decode()
    assert "over the 3 units that both report" in page
    assert not lines["selection_rate"].is_over_fewer
    assert lines["selection_rate"].difference.value == pytest.approx(lines["selection_rate"].gap)


def test_rows_that_one_side_alone_gets_right_are_counted_and_not_tested(client, version, pair):
    (counted,) = Comparison(version, pair).rows
    wrong = sum(row["correct"] == 0 for row in verdicts(pair[1]))
    assert (counted.only_first, counted.only_other, counted.neither) == (wrong, 0, 0)
    assert counted.both + wrong == version.row_count
    page = client.get(address(*pair)).content.decode()
    assert f'<td class="n">{wrong}</td>' in page
    assert "McNemar" not in page, (
        "it takes the rows of an episode for independent, and contradicts the interval"
    )


def test_over_two_units_hardly_anything_is_said_to_be_better(client, version, pair):
    """Intervals over two units are 13 standard errors wide on each side."""
    result = Comparison(version, pair)
    assert {cell.verdict for line in result.lines for cell in line.cells} == {"", "level"}
    page = client.get(address(*pair)).content.decode()
    assert "Not shown to differ from A" in page
    assert "p = " in page
    assert "better than A" not in page


def test_conditions_are_compared_within_the_strata_of_their_units(make_version, user, submit):
    generator = {"episodes": 8, "steps": 24, "queries": 3, "keys": 4, "chapters": 2}
    conditions = [{"k": 2, "order": "gold_first"}]
    version = make_version(
        name="modes", state_modes=["kv", "counter"], generator=generator, conditions=conditions
    )
    first, last = (
        submit(version, System.objects.create(owner=user, name=name), executor=name)
        for name in ("prefer_update_latest", "positional_last")
    )
    result = Comparison(version, [first, last])
    assert sorted(set(result.strata.tolist())) == [0, 1]
    assert len(result.strata) == version.unit_count
    line = next(line for line in result.splits if line.name == "k2-gold_first")
    assert line.cells[1].difference.df == version.unit_count - 2


def test_every_comparison_says_that_it_stands_by_itself(client, enough, user, submit):
    pair = [
        submit(enough, System.objects.create(owner=user, name=name), executor=name)
        for name in ("prefer_update_latest", "positional_first")
    ]
    page = client.get(address(*pair)).content.decode()
    assert "unadjusted: intervals and p-values" in page
    assert "Worse than A, the interval excludes 0." in page
    assert "p = " in page


def test_the_counts_and_the_matrix_look_at_the_rows_of_the_headline(ordered, user, submit):
    first, last = (
        submit(ordered, System.objects.create(owner=user, name=name), executor=name)
        for name in ("prefer_update_latest", "positional_last")
    )
    result = Comparison(ordered, [first, last])
    (counted,) = result.rows
    book = [row for row in verdicts(last) if row["condition"] == "closed_book"]
    assert counted.both + counted.only_first + counted.only_other + counted.neither == len(book)
    assert set(Matrix(result).frame()["split"]) <= {"closed_book"}
    assert set(Matrix(result, split="k2-gold_first").frame()["split"]) == {"k2-gold_first"}


def test_rows_that_the_headline_leaves_out_are_shown_apart(make_version, user, submit):
    version = make_version(
        "statebench", name="kept", count=3, tracks=["supersession", "supersession_maintain"]
    )
    pair = [
        submit(version, System.objects.create(owner=user, name=name), executor=name)
        for name in ("state_based", "transcript_latest_wins")
    ]
    result = Comparison(version, pair)
    aside = [row for row in verdicts(pair[0]) if row.get("in_headline") is False]
    assert {row["condition"] for row in aside} == {"supersession_maintain"}
    assert all(row["correct"] in (0, 1) for row in aside), "their own page says whether they are right"
    (counted,) = result.rows
    total = counted.both + counted.only_first + counted.only_other + counted.neither
    assert total == len(verdicts(pair[0])) - len(aside)
    right = (counted.both + counted.only_other) / total
    assert right == pytest.approx(pair[1].score.headline)
    assert {line.name: line.cells[0].value is None for line in result.splits} == {
        "supersession": False,
        "supersession_maintain": False,
    }
    assert "false_supersession_rate" in {line.column.name for line in result.lines}


def test_a_submission_against_itself_differs_nowhere(enough, user, submit):
    same = submit(enough, System.objects.create(owner=user, name="Same"), wrong=3)
    result = Comparison(enough, [same, same])
    assert {cell.verdict for line in result.lines for cell in line.cells} == {"", "level"}
    assert {cell.range for line in result.lines for cell in line.cells} == {None}
    assert Matrix(result).total == 0


def test_a_difference_that_is_the_same_in_every_unit_claims_no_interval(
    client, body, enough, user, other, submit
):
    good = submit(enough, System.objects.create(owner=user, name="Good"))
    none = submit(enough, System.objects.create(owner=other, name="None"), wrong=10**6)
    result = Comparison(enough, [good, none]).headline.cells[1]
    assert (result.verdict, result.range, result.difference.value) == ("worse", None, -1)
    page = client.get(address(good, none)).content.decode()
    assert "by the same amount in every unit" in page
    assert "the interval excludes 0" not in page
    trace = body(client.get(address(good, none, name="compare_figure")))["data"][0]
    assert "no interval" in trace["customdata"]
    assert "-100.0% to -100.0%" not in str(trace)


def test_a_file_that_leaves_conditions_out_is_compared_on_the_rows_that_both_have(
    ordered, user, other, submit, tmp_path
):
    whole = submit(ordered, System.objects.create(owner=user, name="Whole"), wrong=2)
    splits = expected_ids.expected_rows(ordered).splits
    rows = [row for row in predictions_of(ordered, "ledger") if splits[row["id"]] == "closed_book"]
    part = upload(ordered, other, "Part", rows, tmp_path)

    result = Comparison(ordered, [whole, part])
    assert result.rows[0].both + result.rows[0].only_other == len(rows)
    by_name = {line.name: line for line in result.splits}
    assert list(by_name) == list(ordered.conditions)
    assert by_name["closed_book"].cells[1].difference is not None
    assert by_name["k2-gold_first"].cells[1].value is None


def test_conditions_show_the_decomposition_of_each_contender(enough, user, submit):
    first, last = (
        submit(enough, System.objects.create(owner=user, name=name), executor=name)
        for name in ("prefer_update_latest", "positional_last")
    )
    result = Comparison(enough, [first, last])
    at_first = next(line for line in result.splits if line.name == "k2-gold_first")
    steps = [dict(each) for each in at_first.steps]
    assert steps[0]["Evidence chosen"] == 1.0
    assert steps[1]["Evidence chosen"] < 0.5
    assert at_first.cells[1].verdict == "worse"


def test_the_matrix_holds_exactly_the_rows_that_differ(version, pair):
    matrix = Matrix(Comparison(version, pair))
    wrong = [row["id"] for row in verdicts(pair[1]) if row["correct"] == 0]
    assert list(matrix.frame()["id"]) == wrong
    assert matrix.patterns == [("rw", len(wrong))]
    assert set(matrix.frame()["failure_B"]) == {"Wrong value"}


@pytest.mark.parametrize(("pattern", "rows"), [("rw", 3), ("wr", 0), ("nonsense", 0)])
def test_the_matrix_is_filtered_by_pattern(version, pair, pattern, rows):
    assert len(Matrix(Comparison(version, pair), pattern=pattern).frame()) == rows


def test_the_other_suite_is_compared_by_the_same_code(make_version, user, submit):
    states = make_version(
        "statebench", name="states", count=2, tracks=["supersession", "authority_hierarchy"]
    )
    pair = [
        submit(states, System.objects.create(owner=user, name=name), executor=name)
        for name in ("state_based", "transcript_latest_wins")
    ]
    result = Comparison(states, pair)
    assert [line.name for line in result.splits] == list(states.conditions)
    assert "sfrr" in {line.column.name for line in result.paired}
    reported = pair[1].score.headline - pair[0].score.headline
    assert result.headline.cells[1].difference.value == pytest.approx(reported)


def test_the_page_shows_differences_and_links_rows(client, pair):
    html = client.get(address(*pair)).content.decode()
    assert "\N{MINUS SIGN}25.0" in html, "the difference of the headlines"
    assert reverse("leaderboard:submission_rows", args=[pair[1].pk]) in html
    assert 'data-figure-url="/compare/figure.json' in html


def test_the_picture_has_a_point_and_a_table_line_per_paired_figure(client, pair, body, version):
    result = body(client.get(address(*pair, name="compare_figure")))
    paired = Comparison(version, pair).paired
    assert [len(trace["y"]) for trace in result["data"]] == [len(paired)]
    assert client.get(address(pair[0], name="compare_figure")).status_code == 404


@pytest.mark.parametrize("table", ["differences", "conditions", "rows"])
def test_every_table_is_exported_as_csv(client, pair, table):
    response = client.get(address(*pair, name="compare_export", table=table))
    records = list(csv.reader(io.StringIO(response.content.decode())))
    assert response["Content-Type"].startswith("text/csv")
    assert len({len(record) for record in records}) == 1
    if table == "differences":
        assert records[1][0] == "exact_acc"
        assert float(records[1][records[0].index("B-A difference")]) == pytest.approx(-0.25)


def records_of(client, *chosen, table):
    """The lines of a wide table, by its headings."""
    response = client.get(address(*chosen, name="compare_export", table=table))
    return list(csv.DictReader(io.StringIO(response.content.decode())))


def test_in_a_wide_table_a_whole_number_is_whole_and_a_rate_has_all_its_digits(client, pair):
    lines = {line["metric"]: line for line in records_of(client, *pair, table="differences")}
    assert (lines["n"]["A Good"], lines["n"]["B-A difference"], lines["n"]["B-A p"]) == ("12", "0", "")
    assert lines["value_acc"]["B Poor"] == repr(pair[1].score.metrics["value_acc"])
    assert list(lines) == [line.column.name for line in Comparison(pair[0].version, pair).lines]


def test_a_table_of_conditions_has_a_column_for_each_step_of_each_contender(client, enough, user, submit):
    chosen = [
        submit(enough, System.objects.create(owner=user, name=name), executor=name)
        for name in ("prefer_update_latest", "positional_last")
    ]
    lines = records_of(client, *chosen, table="conditions")
    splits = Comparison(enough, chosen).splits
    assert [(line["condition"], int(line["rows"])) for line in lines] == [(s.name, s.rows) for s in splits]
    for line, split in zip(lines, splits, strict=True):
        for letter, steps in zip("AB", split.steps, strict=True):
            shown = {label: line[f"{letter} {label}"] for label, _ in steps}
            assert shown == {label: "" if value is None else repr(value) for label, value in steps}


def test_a_table_of_rows_says_what_is_wrong_in_which_submission(client, pair):
    lines = records_of(client, *pair, table="rows")
    wrong = [row["id"] for row in verdicts(pair[1]) if row["correct"] == 0]
    assert [line["id"] for line in lines] == wrong
    assert {(line["A Good"], line["B Poor"], line["B failure"]) for line in lines} == {
        ("right", "wrong", "Wrong value")
    }


def test_a_name_that_a_spreadsheet_would_run_is_text_in_every_table(client, pair):
    System.objects.filter(name="Poor").update(name="=1+1")
    tidy = client.get(address(*pair, name="compare_tidy", kind="csv")).content.decode()
    assert ",'=1+1," in tidy
    assert "B =1+1" in records_of(client, *pair, table="differences")[0]


def test_an_unknown_export_does_not_exist(client, pair):
    assert client.get(address(*pair, name="compare_export", table="secrets")).status_code == 404


def test_versions_are_not_mixed(client, make_version, pair, user, submit):
    elsewhere = submit(make_version(name="other"), System.objects.create(owner=user, name="Elsewhere"))
    response = client.get(address(pair[0], elsewhere))
    assert response.status_code == 400
    assert "same version" in response.content.decode()
    assert client.get(address(pair[0], elsewhere, name="compare_figure")).status_code == 404


def test_five_are_too_many_and_one_is_too_few(client, version, user, submit):
    many = [submit(version, System.objects.create(owner=user, name=f"S{n}")) for n in range(5)]
    assert client.get(address(*many)).status_code == 400
    assert client.get(address(*many[:4])).status_code == 200
    page = client.get(address(many[0]))
    assert page.templates[0].name == "leaderboard/compare_choose.html"


@pytest.mark.parametrize("name", ["compare", "compare_figure"])
def test_a_private_submission_is_compared_by_its_owner_and_staff_only(client, pair, user, other, staff, name):
    submissions.set_visibility(pair[1], Submission.Visibility.PRIVATE, actor=other)
    expected = {None: 404, user: 404, other: 200, staff: 200}
    for who, status in expected.items():
        client.logout()
        if who:
            client.force_login(who)
        assert client.get(address(*pair, name=name)).status_code == status


@pytest.mark.parametrize("text", ["nonsense", "00000000-0000-0000-0000-000000000000"])
def test_an_unknown_submission_does_not_exist(client, pair, text):
    assert client.get(f"{address(pair[0])}&s={text}").status_code == 404


def test_the_picker_lists_what_the_board_shows_and_searches_the_rest(client, version, system, submit):
    submit(version, system)
    later = submit(version, system, wrong=2, note="second try")
    page = client.get(reverse("leaderboard:compare")).content.decode()
    assert str(later.pk) not in page
    assert str(later.pk) in client.get(address(q="second try")).content.decode()


def test_the_picker_hides_private_submissions(client, version, system, submit, user):
    private = submit(version, system, visibility=Submission.Visibility.PRIVATE)
    assert str(private.pk) not in client.get(address(q="Ledger")).content.decode()
    client.force_login(user)
    assert str(private.pk) in client.get(address(q="Ledger")).content.decode()


@pytest.mark.parametrize("kind", ["csv", "json", "parquet"])
def test_all_figures_are_one_table_with_types(client, pair, tmp_path, kind):
    response = client.get(address(*pair, name="compare_tidy", kind=kind))
    (tmp_path / f"c.{kind}").write_bytes(response.content)
    frame = read_frame(tmp_path / f"c.{kind}", COMPARISON)
    assert {name: str(dtype) for name, dtype in frame.dtypes.items()} == {
        field.name: field.dtype for field in COMPARISON
    }
    result = frame.set_index(["metric", "letter"]).loc[("exact_acc", "B")]
    headline = Comparison(pair[0].version, pair).headline.cells[1]
    assert (result["value"], result["difference"]) == (headline.value, headline.difference.value)
    assert set(frame["system"]) == {"Good", "Poor"}
    assert client.get(address(*pair, name="compare_tidy", kind="xlsx")).status_code == 404


def test_two_shown_rates_are_never_more_than_a_hundred_points_apart():
    most = shown_difference(1.0, (0.0, 0.1), (0.9, 1.0), 0.05)
    assert most is not None
    assert (most.low, most.high) == (0.9, 1.0)
    tokens = shown_difference(90.0, (0.0, 20.0), (80.0, 120.0), 5)
    assert tokens is not None
    assert tokens.high > 100
