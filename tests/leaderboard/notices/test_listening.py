"""Which accounts get news of which event: the submitter of a result, and followers of versions."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from leaderboard.benchmarks.models import Version
from leaderboard.notices.models import Delivery, Kind, Notice, NoticeSettings, Webhook
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission, System
from tests.leaderboard.notices.conftest import SITE

Submit = Callable[..., Submission]


@pytest.fixture
def all_mail(user: Any, other: Any, confirmed: None) -> None:
    for each in (user, other):
        NoticeSettings.objects.create(user=each, by_mail=Kind.values)


def lines(user: Any) -> list[tuple[str, str]]:
    return list(Notice.objects.filter(user=user).values_list("kind", "line"))


def test_a_grade_and_a_regrade_are_told_to_the_submitter_alone(
    version: Version, all_mail: None, user: Any, other: Any, system: System, submit: Submit
) -> None:
    made = submit(version, system, wrong=1)
    submissions.regrade(made)
    assert submissions.grade(str(made.pk))
    graded, regraded = Notice.objects.filter(user=user)
    assert (graded.kind, regraded.kind) == (Kind.GRADED, Kind.REGRADED)
    assert graded.line.startswith("Ledger reader on Tiny is graded: ")
    assert graded.line.endswith("%")
    assert graded.address == f"{SITE}{made.get_absolute_url()}"
    assert lines(other) == []


def test_a_grading_that_fails_is_told_to_accounts_that_never_chose(
    version: Version,
    confirmed: None,
    user: Any,
    system: System,
    submit: Submit,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = submit(version, system, grade=False)
    monkeypatch.setattr("leaderboard.submissions.services.grading.MAX_ERRORS", 0)
    monkeypatch.setattr("leaderboard.submissions.services.grading._report", lambda *_: 1 / 0)
    assert not submissions.grade(str(made.pk))
    ((kind, line),) = lines(user)
    assert kind == Kind.FAILED
    assert "The grading failed" in line


def test_what_an_account_did_not_choose_is_not_told(
    version: Version, confirmed: None, user: Any, system: System, submit: Submit
) -> None:
    submit(version, system)
    assert lines(user) == []


def test_a_site_that_sends_no_mail_keeps_no_notices(version: Version, system: System, submit: Submit) -> None:
    NoticeSettings.objects.create(user=system.owner, by_mail=Kind.values)
    submit(version, system)
    assert not Notice.objects.exists()


def test_versions_are_told_to_all_who_asked(
    all_mail: None, user: Any, staff: Any, make_version: Callable[..., Version]
) -> None:
    Webhook.objects.create(user=staff, url="https://1.1.1.1/", events=[Kind.RETIRED])
    version = make_version(name="fresh")
    version.retire()
    assert lines(user) == [
        (Kind.APPEARED, "Fresh (GoldEvidenceBench) appeared"),
        (Kind.RETIRED, "Fresh (GoldEvidenceBench) is retired and takes no more submissions"),
    ]
    assert lines(staff) == []
    payload = json.loads(Delivery.objects.get().body)
    assert payload["type"] == "version.retired"
    assert payload["data"] == {
        "version": "goldevidencebench/fresh",
        "title": "Fresh",
        "status": "retired",
        "url": f"{SITE}{version.get_absolute_url()}",
    }


def test_a_webhook_that_is_switched_off_is_told_nothing(
    version: Version, user: Any, system: System, submit: Submit
) -> None:
    Webhook.objects.create(
        user=user, url="https://1.1.1.1/", events=Kind.values, disabled_at=version.frozen_at
    )
    submit(version, system)
    assert not Delivery.objects.exists()


def test_a_better_result_of_another_account_is_told_with_both_ranges(
    ranked_version: Version, all_mail: None, user: Any, other: Any, system: System, submit: Submit
) -> None:
    submit(ranked_version, system, wrong=24)
    submit(ranked_version, System.objects.create(owner=user, name="Own second"), wrong=22)
    submit(ranked_version, System.objects.create(owner=other, name="Better"))
    told = [line for kind, line in lines(user) if kind == Kind.OVERTAKEN]
    assert len(told) == 2
    assert told[0].startswith("Better of ben is shown to be better than ")
    assert "on Ranked: its rank is 1, yours 2–3 (before: 1–2)" in told[0]
    assert not [line for kind, line in lines(other) if kind == Kind.OVERTAKEN]


def test_what_lies_within_the_interval_and_ones_own_results_overtake_nothing(
    ranked_version: Version, all_mail: None, user: Any, other: Any, system: System, submit: Submit
) -> None:
    submit(ranked_version, system, wrong=20)
    submit(ranked_version, System.objects.create(owner=user, name="Own better"))
    submit(ranked_version, System.objects.create(owner=other, name="Alike"), wrong=19)
    assert Kind.OVERTAKEN not in {kind for kind, _ in lines(user)}
