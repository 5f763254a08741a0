"""Several judges on the same responses."""

from __future__ import annotations

from evaluation.statebench.data.truth import truths
from evaluation.statebench.generator.tracks import TRACKS, generate
from evaluation.statebench.grading.grade import judge_all
from evaluation.statebench.grading.rubrics import RUBRICS, TYPED
from evaluation.statebench.interchange.judges import disagreements


def truths_with(decision, must=(), must_not=()):
    """The truth of one query with these phrases."""
    row = next(generate(["supersession"], 1, 0))
    row["events"][-1]["ground_truth"] |= {
        "decision": decision,
        "must_mention": list(must),
        "must_not_mention": list(must_not),
    }
    return truths([row])


def said_of(known, response):
    """(about, phrase, verdicts of the judges, reason) of each disagreement on a response."""
    answers = {(truth.timeline_id, truth.index): {"response": response} for truth in known}
    rows = disagreements(known, answers)
    return [(row.about, row.phrase, tuple(row.says.values()), row.why) for row in rows]


def test_a_word_within_another_is_found_by_the_first_judge_alone():
    assert said_of(truths_with("yes", must=["by"]), "Yes, nearby.") == [
        (
            "must mention",
            "by",
            ("found", "not found", "not found", "not found"),
            "part of another word or number, or spelled differently",
        )
    ]


def test_a_denial_is_forgiven_by_the_later_ones():
    (row,) = said_of(truths_with("yes", must_not=["Friday the 13th"]), "Yes, it is not Friday the 13th.")[-1:]
    assert row == (
        "must not mention",
        "Friday the 13th",
        ("found", "denied", "denied", "denied"),
        "mentioned but not affirmed",
    )


def test_what_a_judge_does_not_score_is_said():
    rows = said_of(truths_with("yes", must_not=["budget", "", "Porto 77"]), "Yes, the budget is Porto 77.")
    assert rows[1:] == [
        (
            "must not mention",
            "budget",
            ("found", "not scored", "found", "found"),
            "an ordinary word, which 2.0 does not score",
        ),
        (
            "must not mention",
            "",
            ("found", "not scored", "not scored", "not scored"),
            "an empty phrase, which matches every response",
        ),
    ]


def test_a_wrong_decision_has_the_reason_of_the_strict_judge():
    (row,) = said_of(truths_with("no"), "I know the situation.")
    assert row == (
        "decision",
        "no",
        ("right", "wrong", "wrong", "wrong"),
        "it makes no decision where the answer is 'no'",
    )


def test_a_row_is_listed_where_and_only_where_the_verdicts_differ():
    known = truths(generate(tuple(TRACKS), 2, 1))
    answers = {
        (truth.timeline_id, truth.index): {
            "response": f"{truth.decision} - {truth.must_not[0].phrase if truth.must_not else ''}"
        }
        for truth in known
    }
    listed = {
        (row.timeline_id, row.query_idx) for row in disagreements(known, answers) if row.about == "decision"
    }
    verdicts = [judge_all(known, answers, rubric=name) for name in RUBRICS.keys() - TYPED]
    differing = {
        (same[0].truth.timeline_id, same[0].truth.index)
        for same in zip(*verdicts, strict=True)
        if len({verdict.correct for verdict in same}) > 1
    }
    assert listed == differing
    assert list(disagreements(known, answers, ["2.0"])) == []
