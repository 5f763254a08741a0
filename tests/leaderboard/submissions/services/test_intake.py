"""A file is accepted or refused as a whole."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest
from django.urls import reverse

from leaderboard.submissions import quotas
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission, System


def test_a_broken_file_leaves_nothing_behind(version, tmp_path):
    path = tmp_path / "broken.jsonl"
    path.write_text("{oops\n")
    with pytest.raises(submissions.RejectedError) as refused:
        submissions.accept(version, path)
    assert refused.value.intake.problems[0].line == 1
    assert not Submission.objects.exists()


def test_quota_counts_only_what_was_accepted(version, system, submit, predictions, settings):
    settings.SUBMISSIONS_PER_VERSION_PER_DAY = 1
    submit(version, system)
    accepted = submissions.accept(version, predictions(version))
    with pytest.raises(quotas.QuotaError, match="1 of 1") as used_up:
        submissions.create(accepted, system=system, submitter=system.owner)
    assert used_up.value.retry_after > 0
    assert Submission.objects.count() == 1


class TestEntriesOfAVersionThatKeepsItsAnswers:
    """An entry shows all figures, so that an account declares two."""

    @pytest.fixture
    def kept(self, make_version):
        return make_version(name="kept", sealed=True)

    def test_a_third_is_refused_and_costs_nothing(self, kept, system, submit, predictions):
        for wrong in (1, 2):
            submit(kept, system, wrong=wrong, declared=True)
        before = quotas.total_for(system.owner, kept, system)
        accepted = submissions.accept(kept, predictions(kept))
        with pytest.raises(submissions.EntriesUsedUpError, match="an account can declare 2 entries"):
            submissions.create(accepted, system=system, submitter=system.owner, declared=True)
        assert quotas.total_for(system.owner, kept, system) == before
        assert not submit(kept, system, wrong=3).declared

    def test_repeats_count_once_and_the_repeats_of_an_entry_go_on(self, kept, system, submit):
        submit(kept, system, wrong=1, declared=True)
        for wrong in (2, 3):
            submit(kept, system, wrong=wrong, declared=True, repeats=2)
        with pytest.raises(submissions.EntriesUsedUpError):
            submit(kept, system, declared=True, repeats=2)

    def test_a_repeat_shows_its_headline_alone_and_the_mean_all(self, kept, system, submit):
        for wrong in (2, 3):
            member = submit(kept, system, wrong=wrong, declared=True, repeats=2)
        members = Submission.objects.filter(mean=member.mean_id)
        assert [each.score.by_split for each in members] == [False, False]
        assert Submission.objects.get(pk=member.mean_id).score.by_split

    def test_with_exceed_quota_and_on_other_versions_there_is_no_limit(
        self, kept, version, system, staff, submit
    ):
        own = System.objects.create(owner=staff, name="Of staff")
        for wrong in (1, 2, 3):
            submit(kept, own, wrong=wrong, declared=True)
            submit(version, system, wrong=wrong, declared=True)

    def test_browser_and_api_say_so_before_they_read_the_file(
        self, client, kept, system, submit, predictions
    ):
        for wrong in (1, 2):
            submit(kept, system, wrong=wrong, declared=True)
        client.force_login(system.owner)
        sent = {"version": kept.pk, "system": system.pk, "visibility": "public", "declared": "on"}
        with predictions(kept).open("rb") as file:
            page = client.post(reverse("leaderboard:submit"), sent | {"file": file})
        assert page.status_code == 422
        assert "an account can declare 2 entries" in page.content.decode()
        address = (
            f"/api/v1/submissions?version={kept.benchmark.slug}/{kept.slug}&system={system.slug}&entry=true"
        )
        answer = client.post(address, b"no predictions", content_type="application/x-ndjson")
        assert (answer.status_code, answer.json()["type"].rpartition(":")[2]) == (409, "entries-used-up")
        assert Submission.objects.count() == 2


def test_a_version_from_before_says_which_lines_lose_by_their_form(make_version, predictions, tmp_path):
    older = make_version(name="older", rubric="strict")
    lines = [orjson.loads(line) for line in Path(predictions(older)).read_bytes().splitlines()]
    file = tmp_path / "as_text.jsonl"
    file.write_bytes(
        b"\n".join(orjson.dumps(line | {"support_ids": str(line["support_ids"])}) for line in lines)
    )
    found = {each.code: each.message for each in submissions.validate(older, file).warnings}
    cited = sum(bool(line["support_ids"]) for line in lines)
    assert found["citations_as_text"].startswith(f"{cited} of {len(lines)} lines cite with more than the id")
    assert older.grader == older.present_grader == "goldevidence/strict-3/reference-1"
