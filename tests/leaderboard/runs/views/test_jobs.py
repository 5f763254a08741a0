"""The pages of runs: the form, the list, a run and its submission."""

from __future__ import annotations

from leaderboard.runs import services as runs
from leaderboard.runs.models import Run
from tests.leaderboard.runs.running import again


def test_only_staff_see_runs(client, user, small, staff):
    run = runs.start(version=small, executor="ledger", started_by=staff)
    pages = ["/runs/", "/runs/new/", "/runs/new/estimate/", f"/runs/{run.pk}/", f"/runs/{run.pk}/status/"]
    for path in pages:
        assert client.get(path).status_code == 302
    client.force_login(user)
    for path in pages:
        assert client.get(path).status_code == 403
    assert client.post(f"/runs/{run.pk}/cancel/").status_code == 403
    assert again(run).status == "queued"


def test_the_form_follows_the_chosen_system_and_marks_bad_fields(client, staff, small):
    client.force_login(staff)
    form = client.get("/runs/new/?executor=adapter:retrieval").context["form"]
    assert "set_retriever" in form.fields
    assert "set_linear_model" not in form.fields
    assert "set_model" not in form.fields
    expected = {"version": small.pk, "executor": "adapter:retrieval", "set_k": "0", "set_drop_prob": "7"}
    refused = client.post("/runs/new/", expected)
    assert refused.status_code == 422
    assert {"set_k", "set_drop_prob"} == set(refused.context["form"].errors)


def test_a_run_started_on_the_page_is_shown_while_it_waits_and_when_it_is_done(client, staff, small):
    client.force_login(staff)
    expected = {"version": small.pk, "executor": "ledger", "conditions": ["k4-gold_last"]}
    page = client.post("/runs/new/", expected, follow=True)
    run = Run.objects.get()
    assert b"Waiting for a worker" in page.content
    assert b"run_system ledger goldevidencebench/small --conditions k4-gold_last" in page.content
    runs.execute(str(run.pk), grade_now=True)
    poll = client.get(f"/runs/{run.pk}/status/", headers={"HX-Request": "true"})
    assert poll["HX-Refresh"] == "true"
    assert again(run).submission.get_absolute_url().encode() in poll.content
    assert b"Finished" in client.get("/runs/").content


def test_the_page_of_a_verified_submission_says_how_it_was_made_and_others_do_not(
    client, staff, small, submit, system
):
    run = runs.start(version=small, executor="ledger", started_by=staff)
    runs.execute(str(run.pk), grade_now=True)
    verified = client.get(again(run).submission.get_absolute_url()).content
    assert b"How it was made" in verified
    assert small.sha256.encode() in verified
    assert b"How it was made" not in client.get(submit(small, system).get_absolute_url()).content


def test_the_list_asks_the_database_the_same_few_questions_however_many_runs(
    client, staff, small, django_assert_max_num_queries
):
    client.force_login(staff)
    for _ in range(5):
        runs.start(version=small, executor="ledger", started_by=staff)
    with django_assert_max_num_queries(8):
        client.get("/runs/")
