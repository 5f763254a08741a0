"""Which files are found to be similar to another account's, and which are not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth import get_user_model

from leaderboard.benchmarks.models import Version
from leaderboard.submissions.likeness import finding
from leaderboard.submissions.models import AnswerPrint, Likeness, Submission
from tests.leaderboard.submissions.likeness.conftest import Send, lines_of, noisy, spoilt

Run = Callable[[Version, str], Submission]


def kinds(submission: Submission) -> list[tuple[str, str]]:
    return [(each.kind, each.original.system.name) for each in submission.likenesses.all()]


def test_an_honest_file_is_like_no_other(ranked_version: Version, user: Any, other: Any, send: Send) -> None:
    send(ranked_version, other, lines_of(ranked_version, "naive"))
    assert kinds(send(ranked_version, user, lines_of(ranked_version, "bm25_earliest+latest_step"))) == []


def test_the_same_file_is_found_on_the_later_one_alone(
    version: Version, user: Any, other: Any, send: Send
) -> None:
    lines = spoilt(lines_of(version, "ledger"), range(3))
    first, copied = send(version, user, lines, "First"), send(version, other, lines, "Copied")
    assert kinds(first) == []
    assert kinds(copied) == [("same_file", "First")]
    assert kinds(send(version, user, lines, "Again")) == [("same_file", "Copied")]


def test_the_same_answers_are_found_whatever_the_form_of_the_lines(
    version: Version, user: Any, other: Any, send: Send
) -> None:
    lines = lines_of(version, "ledger")
    send(version, user, lines, "First")
    disguised = [
        {
            "comment": f"mine, {number}",
            "support_ids": [*line["support_ids"], *line["support_ids"]],
            "value": line["value"] and f" {line['value']} ",
            "id": line["id"],
        }
        for number, line in enumerate(lines)
    ]
    assert kinds(send(version, other, disguised[::-1])) == [("same_answers", "First")]


def test_the_output_of_a_reference_that_is_uploaded_as_a_system_is_found(
    ranked_version: Version, user: Any, run_reference: Run, send: Send
) -> None:
    run_reference(ranked_version, "ledger")
    assert kinds(send(ranked_version, user, lines_of(ranked_version, "ledger"))) == [("same_file", "ledger")]


def test_the_wrong_answers_of_a_reference_are_found_in_a_file_that_was_altered(
    ranked_version: Version, user: Any, run_reference: Run, send: Send
) -> None:
    run_reference(ranked_version, "naive")
    lines = spoilt(lines_of(ranked_version, "naive"), [11, 40])
    made = send(ranked_version, user, lines)
    assert kinds(made) == [("same_mistakes", "naive")]
    counted = made.likenesses.get().evidence
    wrong, others = counted["wrong_answers"], counted["other_answers"]
    assert wrong > finding.LEAST_WRONG
    assert counted["wrong_answers_here"] + counted["other_answers_here"] == wrong + others - 2


@pytest.mark.parametrize(("altered", "found"), [(5, True), (12, False)])
def test_a_tenth_of_the_answers_has_to_be_altered_to_hide_where_they_come_from(
    ranked_version: Version, user: Any, other: Any, send: Send, altered: int, found: bool
) -> None:
    lines = spoilt(lines_of(ranked_version, "ledger"), range(16))
    send(ranked_version, user, lines, "First")
    made = send(ranked_version, other, spoilt(lines, range(80 - altered, 80), "junk"))
    assert bool(kinds(made)) is found


def test_a_strong_system_whose_few_mistakes_a_weak_one_makes_too_is_not_copied_by_it(
    ranked_version: Version, user: Any, other: Any, send: Send
) -> None:
    strong = spoilt(lines_of(ranked_version, "ledger"), range(12))
    send(ranked_version, user, strong)
    assert kinds(send(ranked_version, other, spoilt(strong, range(40, 80), "weak"))) == []


def test_a_reference_that_is_run_later_is_found_all_the_same(
    ranked_version: Version, user: Any, run_reference: Run, send: Send
) -> None:
    made = send(ranked_version, user, spoilt(lines_of(ranked_version, "naive"), [11]))
    assert kinds(made) == []
    run_reference(ranked_version, "naive")
    assert kinds(made) == [("same_mistakes", "naive")]


def test_an_original_that_is_graded_after_its_copy_is_found_all_the_same(
    ranked_version: Version, user: Any, other: Any, send: Send
) -> None:
    lines = spoilt(lines_of(ranked_version, "ledger"), range(20))
    first, copied = send(ranked_version, user, lines, "First"), send(ranked_version, other, lines)
    Likeness.objects.all().delete()
    AnswerPrint.objects.filter(submission=first).delete()
    finding.look(first)
    assert kinds(copied) == [("same_file", "First")]


def test_the_wrong_answers_of_another_account_are_found(
    ranked_version: Version, user: Any, other: Any, send: Send
) -> None:
    lines = spoilt(lines_of(ranked_version, "ledger"), range(30))
    first = send(ranked_version, user, lines, "First")
    assert kinds(send(ranked_version, other, spoilt(lines, [50, 60]))) == [("same_mistakes", "First")]
    assert kinds(first) == []


def test_ones_own_earlier_file_is_no_other(ranked_version: Version, user: Any, send: Send) -> None:
    lines = spoilt(lines_of(ranked_version, "ledger"), range(30))
    send(ranked_version, user, lines, "First")
    assert kinds(send(ranked_version, user, lines, "Again")) == []


def test_what_this_site_runs_is_like_nothing(
    ranked_version: Version, user: Any, run_reference: Run, send: Send
) -> None:
    send(ranked_version, user, lines_of(ranked_version, "naive"))
    assert kinds(run_reference(ranked_version, "naive")) == []


def test_a_reference_explains_that_others_make_the_same_mistakes(
    ranked_version: Version, user: Any, other: Any, run_reference: Run, send: Send
) -> None:
    lines = lines_of(ranked_version, "naive")
    run_reference(ranked_version, "naive")
    send(ranked_version, other, spoilt(lines, [3]), "Also")
    assert kinds(send(ranked_version, user, spoilt(lines, [11]))) == [("same_mistakes", "naive")]


def test_systems_that_fail_in_the_same_hard_rows_with_other_values_are_not_alike(
    ranked_version: Version, user: Any, send: Send
) -> None:
    right, hard = lines_of(ranked_version, "ledger"), range(0, 80, 2)
    make = get_user_model().objects.create_user
    sent = [send(ranked_version, make(f"honest{seed}"), noisy(right, hard, seed=seed)) for seed in range(8)]
    assert [kinds(each) for each in sent] == [[]] * 8
    assert min(each.answer_print.mistakes for each in sent) > 3 * finding.LEAST_WRONG


def test_few_wrong_answers_are_no_evidence(
    ranked_version: Version, user: Any, other: Any, send: Send
) -> None:
    right = lines_of(ranked_version, "ledger")
    few = spoilt(right, range(finding.LEAST_WRONG - 1))
    send(ranked_version, user, few)
    assert kinds(send(ranked_version, other, spoilt(few, [70]))) == []


def test_two_readers_without_a_fault_that_cite_otherwise_are_not_alike(
    ranked_version: Version, user: Any, other: Any, send: Send
) -> None:
    right = lines_of(ranked_version, "ledger")
    bare = [line | {"support_ids": []} for line in right]
    send(ranked_version, user, right)
    assert kinds(send(ranked_version, other, bare)) == []
    also_bare = [line | {"value": "odd"} if not number else line for number, line in enumerate(bare)]
    made = send(ranked_version, get_user_model().objects.create_user("cyd"), also_bare)
    assert kinds(made) == [], "right values without citations are no answers of another account"


def test_one_question_in_many_orders_is_one_wrong_answer(
    make_version: Callable[..., Version], user: Any, other: Any, send: Send
) -> None:
    orders = [{"k": 3, "order": order} for order in ("gold_first", "gold_middle", "gold_last", "shuffle")]
    ordered = make_version(name="ordered", conditions=orders)
    right = lines_of(ordered, "ledger")
    one = [line | {"value": "stale", "support_ids": []} for line in right]
    made = send(ordered, user, one)
    assert made.answer_print.mistakes > 2 * finding.LEAST_WRONG
    assert len(set(finding.mistakes(made).values())) < finding.LEAST_WRONG
    assert kinds(send(ordered, other, spoilt(one, [0]))) == []


def test_rows_that_do_not_show_their_answer_are_guessed_alike_by_honest_readers(
    make_version: Callable[..., Version], user: Any, send: Send
) -> None:
    dropped = make_version(name="dropped", conditions=[{"k": 2, "drop_prob": 1.0}])
    lines = [
        {"id": line["id"], "value": "the line that is left", "support_ids": []}
        for line in lines_of(dropped, "ledger")
    ]
    made = send(dropped, user, lines)
    shown = [
        verdict
        for verdict in finding.verdict_files.opened(made.score.verdicts_sha256)
        if verdict["gold_shown"] is not False
    ]
    assert made.answer_print.mistakes <= len(shown) < len(lines)


def test_files_that_an_earlier_release_graded_are_looked_at_with_the_next_grading(
    ranked_version: Version, user: Any, other: Any, run_reference: Run, send: Send
) -> None:
    copied = send(ranked_version, user, spoilt(lines_of(ranked_version, "naive"), [5]))
    run_reference(ranked_version, "naive")
    Likeness.objects.all().delete()
    AnswerPrint.objects.all().delete()
    send(ranked_version, other, lines_of(ranked_version, "ledger"))
    assert AnswerPrint.objects.count() == 3
    assert kinds(copied) == [("same_mistakes", "naive")]


def test_a_regrade_keeps_that_a_moderator_looked_at_it(
    ranked_version: Version, user: Any, other: Any, send: Send
) -> None:
    lines = spoilt(lines_of(ranked_version, "ledger"), range(30))
    send(ranked_version, user, lines)
    made = send(ranked_version, other, lines)
    Likeness.objects.update(seen_by=user)
    finding.look(made)
    assert made.likenesses.get().seen_by == user


def test_a_board_of_many_systems_costs_as_many_queries_as_one_of_few(
    ranked_version: Version, user: Any, other: Any, send: Send, django_assert_max_num_queries: Any
) -> None:
    lines = spoilt(lines_of(ranked_version, "ledger"), range(60))
    first = send(ranked_version, other, lines, "First")
    mine = finding.sketch_of(first.answer_print.mistake_sketch)
    crowd = [
        Submission(version=ranked_version, system=first.system, submitter=other, score=first.score)
        for _ in range(300)
    ]
    Submission.objects.bulk_create(crowd)
    AnswerPrint.objects.bulk_create(
        AnswerPrint(submission=each, mistakes=60, mistake_sketch=(mine + number).tobytes())
        for number, each in enumerate(crowd, 1)
    )
    made = send(ranked_version, user, spoilt(lines, [70]))
    assert kinds(made) == [("same_mistakes", "First")]
    with django_assert_max_num_queries(30):
        finding.look(made)


def test_a_sealed_version_tells_what_any_choice_of_the_altered_rows_would_show(kept: Version) -> None:
    step = max(1, round(kept.figure_step * kept.row_count))
    for wrong in (10 * step, 20 * step):
        most = round((1 - finding.LEAST_SHARE) * wrong)
        told = [finding._told_by_rows(kept, wrong + more, 1000 * step, most) for more in range(step)]
        assert told == [True] * step, "the same for all counts that the shown figures do not tell apart"
        assert not finding._told_by_rows(kept, wrong, 1000 * step, most + 1)
        assert not finding._told_by_rows(kept, 1000 * step, wrong, most + 1)
