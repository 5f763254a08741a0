"""If a site asks for approval, boards show what a moderator approved; otherwise nothing changes."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group

from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission, System


@pytest.fixture
def moderator(django_user_model, db):
    made = django_user_model.objects.create_user("mo", is_staff=True)
    made.groups.add(Group.objects.get(name="Moderators"))
    return made


@pytest.fixture
def asked(settings):
    settings.APPROVAL = True


@pytest.fixture
def waiting(asked, version, system, submit):
    return submit(version, system, reported=True)


def shown(submission):
    return Submission.objects.get(pk=submission.pk).shown


def decide(client, submission, **sent):
    return client.post(f"/submissions/{submission.pk}/approval/", sent, follow=True).content.decode()


def test_without_the_setting_a_result_stands_at_once(version, system, submit):
    made = submit(version, system, reported=True)
    assert (made.approval, made.shown, made.held_back) == ("", True, "")


def test_a_result_waits_and_its_submitter_reads_so(waiting, client, user):
    assert (waiting.approval, waiting.shown) == ("waiting", False)
    client.force_login(user)
    page = client.get(waiting.get_absolute_url()).content.decode()
    assert "once a moderator approves it" in page
    assert "Confirm my address" not in page
    assert "Approve for boards" not in page
    assert (
        client.get(f"/api/v1/submissions/{waiting.pk}")
        .json()["held_back"]
        .endswith("once a moderator approves it.")
    )


def test_runs_of_this_site_need_no_approval(asked, version, system, submit):
    assert submit(version, system).shown


def test_a_moderator_approves_on_the_page(waiting, client, moderator):
    client.force_login(moderator)
    assert "Approve for boards" in client.get(waiting.get_absolute_url()).content.decode()
    assert "Approved: boards can show this result." in decide(client, waiting, approve="1")
    assert shown(waiting)
    assert [event.kind for event in waiting.events.all()][-1] == "approved"


def test_a_refusal_needs_a_reason_which_its_submitter_reads(waiting, client, moderator, user):
    client.force_login(moderator)
    for reason in ("  ", "a\0b", "a\u202eb"):
        assert "Give a reason" in decide(client, waiting, reason=reason)
    assert Submission.objects.get(pk=waiting.pk).approval == "waiting"
    decide(client, waiting, reason="A copy of <another>.")
    assert not shown(waiting)
    client.force_login(user)
    page = client.get(waiting.get_absolute_url()).content.decode()
    assert "A moderator decided that boards do not show this result: A copy of &lt;another&gt;." in page
    client.force_login(moderator)
    decide(client, waiting, approve="1")  # minds change
    assert shown(waiting)


@pytest.mark.parametrize("who", ["user", "other", "bare_staff"])
def test_deciding_needs_the_permission(waiting, client, who, request):
    client.force_login(request.getfixturevalue(who))
    assert client.post(f"/submissions/{waiting.pk}/approval/", {"approve": "1"}).status_code == 403
    assert not shown(waiting)


def test_what_waits_is_listed_under_attention_until_it_is_decided(waiting, client, moderator):
    client.force_login(moderator)
    listed = "Results that wait for a moderator"  # the filter names it, too
    assert client.get("/admin/attention/").content.decode().count(listed) > 1
    sent = {"action": "approve", "_selected_action": str(waiting.pk)}
    client.post("/admin/leaderboard/submission/", sent)
    assert shown(waiting)
    assert client.get("/admin/attention/").content.decode().count(listed) == 1


def test_an_approved_result_does_not_wait_again_when_it_is_graded_again(waiting, moderator):
    submissions.decide(waiting, approved=True, actor=moderator)
    submissions.regrade(waiting)
    assert submissions.grade(str(waiting.pk))
    assert shown(waiting)


def test_repeats_stand_once_their_mean_is_approved(asked, version, system, submit, moderator):
    made = [submit(version, system, wrong=n, declared=True, repeats=2, reported=True) for n in (1, 2)]
    (mean,) = Submission.objects.to_approve()
    assert mean.is_mean
    assert not shown(mean)
    submissions.decide(mean, approved=True, actor=moderator)
    assert shown(mean)
    assert not any(shown(each) for each in made)


def test_once_it_is_switched_off_boards_ask_for_none(waiting, settings):
    settings.APPROVAL = False
    assert not Submission.objects.to_approve().exists()
    assert Submission.objects.for_boards().get() == waiting
    assert System.objects.get()
