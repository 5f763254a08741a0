"""The upload page: every bad file gets a clear message, and nothing is half-saved."""

from __future__ import annotations

import gzip
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from evaluation.core.suite import ExpectedRows, Problem
from leaderboard.benchmarks.models import Version
from leaderboard.submissions.models import Submission, System
from tests.leaderboard.conftest import TINY

OTHER = TINY["generator"] | {"episodes": 6, "queries": 4}


@pytest.fixture
def send(client, user, version):
    """Uploads bytes as a new system's predictions."""
    client.force_login(user)

    def post(data: bytes, file_name: str = "preds.jsonl", **fields):
        upload = SimpleUploadedFile(file_name, data)
        form = {
            "version": version.pk,
            "name": "New one",
            "kind": "llm",
            "visibility": "public",
            "file": upload,
        }
        return client.post(reverse("leaderboard:submit"), form | fields)

    return post


@pytest.fixture
def answers(version, predictions):
    return [json.loads(line) for line in predictions(version).read_bytes().splitlines()]


def lines(rows) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def test_a_good_file_becomes_a_submission_and_its_system(send, answers):
    response = send(lines(answers))
    made = Submission.objects.get()
    assert response.status_code == 302
    assert response["Location"] == made.get_absolute_url()
    assert made.system.name == "New one"
    assert made.row_count == len(answers)


def test_gzip_means_the_same(send, answers):
    send(lines(answers))
    send(gzip.compress(lines(answers)), "preds.jsonl.gz", system="", name="New two")
    first, second = Submission.objects.all()
    assert first.file_sha256 == second.file_sha256


BAD = {
    "malformed JSON": (lambda rows: lines(rows[:1]) + b"{oops\n", "not JSON"),
    "a duplicate": (lambda rows: lines([*rows, rows[0]]), "line 1"),
    "an unknown id": (lambda rows: lines([*rows, rows[0] | {"id": "E9999-Q001"}]), "E9999-Q001"),
    "a missing id": (lambda rows: lines(rows[1:]), "missing"),
    "a wrong type": (lambda rows: lines([rows[0] | {"value": [1]}, *rows[1:]]), "value"),
    "too many citations": (
        lambda rows: lines([rows[0] | {"support_ids": ["U000000"] * 101}, *rows[1:]]),
        "support_ids",
    ),
    "bytes that are not UTF-8": (lambda rows: b'{"id": "\xff"}\n' + lines(rows), "UTF-8"),
    "NaN": (lambda rows: b'{"id": "E0001-Q001", "value": NaN}\n' + lines(rows[1:]), "NaN"),
    "an empty file": (lambda rows: b"\n", "is empty"),
    "damaged gzip": (lambda rows: gzip.compress(lines(rows))[:-30], "damaged"),
    "a gzip bomb": (lambda rows: gzip.compress((b" " * 999_999 + b"\n") * 40), "unpacks"),
    "blank lines": (lambda rows: lines(rows) + b"\n" * 2000, "blank ones included"),
    "nesting without end": (lambda rows: b'{"a":' * 50 + lines(rows), "nested too deeply"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_file_gets_a_clear_message_and_leaves_nothing(send, answers, case):
    spoil, word = BAD[case]
    response = send(spoil(answers))
    assert response.status_code == 422
    assert word.lower() in response.content.decode().lower()
    assert not Submission.objects.exists()
    assert not System.objects.exists()


def test_the_check_stops_after_twenty_problems_and_says_so(send, answers):
    response = send(lines(row | {"id": f"X{number}"} for number, row in enumerate(answers * 5)))
    assert len(response.context["rejected"].intake.problems) == 20
    html = response.content.decode()
    assert "20 problems or more: nothing was submitted" in html
    assert "The check stopped after 20 problems; there may be more." in html


def test_a_file_past_the_limit_is_stopped_while_it_streams(send, settings):
    settings.UPLOAD_MAX_BYTES = 1 << 20
    response = send(b"x" * (3 << 20))
    assert response.status_code == 413
    assert "larger than 1 MB" in response.content.decode()
    assert not Submission.objects.exists()


def test_a_used_up_quota_is_said_and_nothing_is_stored(send, answers, settings):
    settings.SUBMISSIONS_PER_DAY = 0
    response = send(lines(answers))
    assert response.status_code == 429
    assert not System.objects.exists()


def test_a_system_of_another_account_cannot_be_chosen(send, answers, other):
    theirs = System.objects.create(owner=other, name="Theirs")
    assert send(lines(answers), system=theirs.pk).status_code == 422


def test_anonymous_visitors_are_sent_to_sign_in(client, version):
    response = client.get(reverse("leaderboard:submit"))
    assert response.status_code == 302
    assert "/accounts/login/" in response["Location"]


def test_a_file_for_another_version_is_sent_there(send, make_version, predictions):
    """The other version has more episodes, and the chosen one shares some ids with it: rows have similar names."""
    other = make_version(name="other", generator=OTHER)
    response = send(predictions(other).read_bytes())
    html = response.content.decode()
    assert response.status_code == 422
    assert f"The ids in this file belong to {other.title}" in html
    assert f"?version={other.benchmark.slug}/{other.slug}" in html


def test_a_file_for_a_retired_version_is_told_so(send, make_version, predictions, client, version):
    other = make_version(name="other", generator=OTHER)
    content = predictions(other).read_bytes()
    other.retire()
    html = send(content).content.decode()
    assert f"The ids in this file belong to {other.title}" in html
    assert f"{other.title} is retired and takes no more files." in html
    assert "Switch to" not in html
    address = f"/api/v1/versions/{version.benchmark.slug}/{version.slug}/validate"
    detail = client.post(address, content, content_type="application/x-ndjson").json()["detail"]
    assert (
        f"belong to version {other.benchmark.slug}/{other.slug}: it is retired and accepts no files."
        in detail
    )


def test_a_file_of_another_benchmark_is_sent_there(send, make_version, predictions):
    timelines = make_version("statebench", "state", tracks=["supersession"], count=1)
    assert (
        f"The ids in this file belong to {timelines.title}"
        in send(predictions(timelines, "no_memory").read_bytes()).content.decode()
    )


def test_a_file_of_the_first_benchmark_is_sent_there_from_the_other(
    send, make_version, version, answers, monkeypatch
):
    """Even if many versions of the other benchmark have as many rows as the file: their rows have other names."""
    timelines, *_ = (make_version("statebench", name, tracks=["causality"], count=6) for name in "abc")
    monkeypatch.setattr("leaderboard.submissions.file_warnings.MOST_VERSIONS", 1)
    html = send(lines(answers[:6]), version=timelines.pk).content.decode()
    assert "it needs &#x27;timeline_id&#x27;, a text and &#x27;query_idx&#x27;, a whole number." in html
    assert f"The ids in this file belong to {version.title}" in html


@pytest.mark.parametrize(
    ("field", "counts", "shown"), [("", [30, 50], 40), ("7", [30, 50], 7), ("", [30, None], None)]
)
def test_tokens_of_the_lines_are_tokens_per_query_unless_the_form_says_them(
    send, make_version, predictions, client, field, counts, shown
):
    timelines = make_version("statebench", "state", tracks=["supersession"], count=2)
    rows = [json.loads(line) for line in predictions(timelines, "no_memory").read_bytes().splitlines()]
    for number, row in enumerate(rows):
        row["tokens_used"] = counts[number % 2]
    assert len(rows) % 2 == 0
    send(lines(rows), version=timelines.pk, tokens_per_query=field)
    made = Submission.objects.get()
    assert made.efficiency.get("tokens_per_query") == shown
    page = " ".join(client.get(made.get_absolute_url()).content.decode().split())
    assert ("Tokens per query, as reported" in page) == (shown is not None)


def test_a_file_with_ids_that_no_version_has_is_sent_nowhere(send, make_version, answers):
    make_version(name="other", generator=OTHER)
    html = send(lines([row | {"id": f"X{n}"} for n, row in enumerate(answers)])).content.decode()
    assert "The ids in this file belong" not in html


def test_problems_and_the_rows_that_they_concern_are_counted_apart(send, answers):
    html = send(b"{oops\n" + lines(answers[4:])).content.decode()
    assert "2 problems: nothing was submitted" in html
    assert "missing id <b>4</b> rows" in html
    assert "are below" not in html


def test_htmx_is_sent_to_a_page_of_its_own(send, answers, client):
    client.defaults["HTTP_HX_REQUEST"] = "true"
    response = send(lines(answers))
    assert response["HX-Redirect"] == Submission.objects.get().get_absolute_url()


def test_the_form_offers_versions_by_benchmark_and_the_featured_one_first(
    client, user, version, make_version
):
    make_version("statebench", "lines", tracks=["supersession"], count=1)
    client.force_login(user)
    address = reverse("leaderboard:submit")
    html = client.get(address).content.decode()
    assert '<optgroup label="GoldEvidenceBench">' in html
    assert '<optgroup label="StateBench">' in html
    assert "Choose a version: each benchmark" in html
    Version.objects.filter(pk=version.pk).update(featured=True)
    assert f'<option value="{version.pk}" selected>' in client.get(address).content.decode()


def test_the_sample_line_follows_the_version(client, version, make_version):
    timelines = make_version("statebench", "state", tracks=["supersession"], count=1)
    collected = {
        chosen: client.get(reverse("leaderboard:submit_sample"), {"version": chosen.pk}).content.decode()
        for chosen in (version, timelines)
    }
    assert "support_ids" in collected[version]
    assert "timeline_id" in collected[timelines]
    assert "support_ids" not in collected[timelines]
    unknown = client.get(reverse("leaderboard:submit_sample"), {"version": "x"})
    assert "Choose a version" in unknown.content.decode()


def test_a_new_system_keeps_the_link_to_its_paper(send, answers, client):
    send(lines(answers), url="https://example.org/paper")
    made = System.objects.get()
    assert made.url == "https://example.org/paper"
    assert "https://example.org/paper" in client.get(made.get_absolute_url()).content.decode()
    assert send(lines(answers), name="New two", url="javascript:alert(1)").status_code == 422


def test_what_to_know_before_sending_is_in_the_words_of_the_chosen_benchmark(
    client, user, version, make_version
):
    timelines = make_version("statebench", "state", tracks=["supersession"], count=1)
    collected = {
        chosen: client.get(reverse("leaderboard:submit_sample"), {"version": key}).content.decode()
        for chosen, key in (("evidence", version.pk), ("state", timelines.pk), ("none", ""))
    }
    assert "Answer every row of a condition" in collected["evidence"]
    assert "null value" in collected["evidence"]
    assert "Answer every query of a" in collected["state"]
    assert "<code>null</code> is refused" in collected["state"]
    assert "condition" not in collected["state"]
    assert "null" not in collected["none"]
    client.force_login(user)
    page = client.get(f"{reverse('leaderboard:submit')}?version=statebench/{timelines.slug}").content.decode()
    assert "Answer every query of a" in page
    assert "null value" not in page


def test_what_is_said_of_null_is_what_the_check_does(version, make_version):
    timelines = make_version("statebench", "state", tracks=["supersession"], count=1)
    null = {"response": None, "value": None, "support_ids": []}
    for chosen, row, refused in (
        (version, {"id": version.sample["id"]}, False),
        (timelines, {"timeline_id": timelines.sample["id"], "query_idx": 0}, True),
    ):
        read = chosen.suite.read_line(row | null, ExpectedRows({}))
        assert isinstance(read, Problem) == refused


def test_a_session_lost_while_sending_is_told_and_keeps_what_was_typed(answers, client, version):
    response = send_anonymously(client, version, answers)
    html = response.content.decode()
    assert not Submission.objects.exists()
    assert response.status_code == 403
    assert "You are signed out" in html
    assert f'<input type="hidden" name="version" value="{version.pk}">' in html
    assert '<input type="file" name="file"' in html


def test_opening_the_page_shows_no_message_of_a_lost_session(client, db):
    response = client.get(reverse("leaderboard:submit"), follow=True)
    assert "Sign in" in response.content.decode()
    assert "nothing was sent" not in response.content.decode()


def send_anonymously(client, version, answers):
    upload = SimpleUploadedFile("preds.jsonl", lines(answers))
    return client.post(reverse("leaderboard:submit"), {"version": version.pk, "file": upload})


COMPOSED, DECOMPOSED = "Caf\u00e9", "Cafe\u0301"


def test_a_name_in_another_composition_is_the_same_system(send, answers):
    send(lines(answers), name=COMPOSED)
    send(lines(answers[::-1]), name=DECOMPOSED)
    assert [system.name for system in System.objects.filter(name__startswith="Caf")] == [COMPOSED]


@pytest.mark.parametrize("field", ["name", "parameters", "quantization"])
def test_a_character_that_is_not_seen_is_refused_in_what_boards_show(send, answers, field):
    response = send(lines(answers), **{"name": "New one", field: "7B\u202e"})
    assert response.status_code == 422
    assert "Remove the invisible character U+202E." in response.content.decode()
    assert not Submission.objects.exists()


def test_a_system_that_has_such_a_name_goes_on(send, answers, user):
    system = System.objects.create(owner=user, name="My\u200b reader")
    send(lines(answers), name=system.name)
    assert Submission.objects.get().system == system


def test_optional_fields_are_folded_until_one_is_filled_in_or_wrong(client, user, version, send):
    client.force_login(user)
    address = reverse("leaderboard:submit")
    folds = client.get(address).context["form"].folds
    assert not any(fold.is_open for fold in folds.values())
    filled = client.get(address, {"harness": "BM25 finds 8 lines"}).context["form"].folds
    assert {step: fold.is_open for step, fold in filled.items()} == {"system": True, "visibility": False}
    wrong = send(b"", repeats="many").context["form"].folds
    assert {step: fold.is_open for step, fold in wrong.items()} == {"system": False, "visibility": True}


def test_a_new_system_says_whether_its_model_has_seen_the_benchmark(send, answers):
    send(lines(answers), seen="no", weights="open", harness="whole text")
    made = System.objects.get()
    assert (made.seen, made.weights, made.harness) == ("no", "open", "whole text")
