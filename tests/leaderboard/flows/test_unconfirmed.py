"""If the site sends mail, boards and sealed versions take only accounts with a confirmed address."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth import get_user_model
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from evaluation.remote import options
from evaluation.remote.records import Submission as Answer
from leaderboard.benchmarks import storage
from leaderboard.benchmarks.models import Version
from leaderboard.boards.sharing import feeds
from leaderboard.runs import services as runs
from leaderboard.submissions import quotas
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission, System

SENT = "django.core.mail.backends.locmem.EmailBackend"
Submit = Callable[..., Submission]


@pytest.fixture
def mails(settings: Any) -> None:
    """A site that sends mail."""
    settings.EMAIL_BACKEND = SENT


@pytest.fixture
def sealed(make_version: Callable[..., Version]) -> Version:
    return make_version(name="sealed", sealed=True)


def confirm(user: Any) -> EmailAddress:
    address, _ = EmailAddress.objects.get_or_create(user=user, email=user.email, defaults={"primary": True})
    address.set_verified()
    return address


def shown() -> list[Submission]:
    return list(Submission.objects.filter(shown=True))


def upload(client: Any, version: Version, file: Path, **headers: Any) -> Any:
    sent = SimpleUploadedFile("preds.jsonl", file.read_bytes())
    form = {"version": version.pk, "name": "A system", "visibility": "public", "file": sent}
    return client.post(reverse("leaderboard:submit"), form, **headers)


def send(caller: Any, version: Version, file: Path) -> Any:
    address = f"/submissions?version={version.benchmark.slug}/{version.slug}&system=mine"
    return caller("POST", address, file.read_bytes(), kind="application/x-ndjson")


def test_a_site_that_sends_no_mail_asks_for_nothing(sealed: Version, system: System, submit: Submit) -> None:
    made = submit(sealed, system)
    assert made.shown
    assert made.held_back == ""


def test_a_site_without_confirmation_asks_for_nothing(
    sealed: Version, system: System, submit: Submit, settings: Any
) -> None:
    settings.EMAIL_BACKEND, settings.ACCOUNT_EMAIL_VERIFICATION = SENT, "none"
    assert submit(sealed, system).shown


@pytest.mark.usefixtures("mails")
def test_a_sealed_version_takes_no_upload_of_an_unconfirmed_account(
    client: Any, ada: Any, sealed: Version, user: Any, predictions: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, kept = predictions(sealed, wrong=2), []
    monkeypatch.setattr(storage, "keep", kept.append)
    client.force_login(user)
    page = client.get(reverse("leaderboard:submit"), {"version": f"{sealed.benchmark.slug}/{sealed.slug}"})
    assert "takes uploads only from accounts with a confirmed" in " ".join(page.content.decode().split())
    refused = upload(client, sealed, file)
    assert refused.status_code == 403
    assert "with a confirmed e-mail address. Nothing was stored" in refused.content.decode()
    assert reverse("account_email") in refused.content.decode()
    answer = send(ada, sealed, file)
    assert (answer.status_code, answer.json()["type"].rpartition(":")[2]) == (403, "address-not-confirmed")
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert "confirmed e-mail address" in answer.json()["detail"]
    assert (kept, Submission.objects.count()) == ([], 0)
    total = quotas.total_for(user, sealed)
    assert total is not None
    assert total.used == 0


@pytest.mark.usefixtures("mails")
def test_a_confirmed_account_may_send(ada: Any, sealed: Version, user: Any, predictions: Any) -> None:
    confirm(user)
    assert send(ada, sealed, predictions(sealed)).status_code == 201


@pytest.mark.usefixtures("mails")
def test_what_an_unconfirmed_account_sends_is_graded_and_on_no_board(
    client: Any, ada: Any, version: Version, user: Any, system: System, submit: Submit
) -> None:
    made = submit(version, system, reported=True)
    assert made.score is not None
    assert shown() == []
    assert list(feeds.results()) == []
    assert system.name not in client.get(version.get_board_url()).content.decode()
    client.force_login(user)
    page = " ".join(client.get(made.get_absolute_url()).content.decode().split())
    assert "Boards do not show this result, because its account has no confirmed e-mail address" in page
    assert f'<a href="{reverse("account_email")}">Confirm my address</a>' in page
    assert "another submission of" not in page
    account = " ".join(client.get("/account/").content.decode().split())
    assert "not on a board until your address is confirmed" in account
    answer = ada("GET", f"/submissions/{made.pk}").json()
    assert answer["headline"]["value"] == made.result
    assert answer["held_back"] == made.held_back
    assert made.held_back in options.describe(Answer.model_validate(answer))


@pytest.mark.usefixtures("mails")
def test_it_appears_as_soon_as_the_link_of_the_message_is_followed(
    client: Any, version: Version, submit: Submit
) -> None:
    names = {"username": "eve", "email": "eve@example.org"}
    passwords = dict.fromkeys(("password1", "password2"), "a long passphrase")
    client.post("/accounts/signup/", names | passwords)
    eve = get_user_model().objects.get(username="eve")
    made = submit(version, System.objects.create(owner=eve, name="Of Eve"), reported=True)
    assert shown() == []
    (path,) = re.findall(r"/accounts/confirm-email/[^\s]+", mail.outbox[-1].body)
    assert client.post(path).status_code == 302
    assert shown() == [made]
    assert list(feeds.results()) == [made]
    made.refresh_from_db()
    assert Submission.objects.get(pk=made.pk).held_back == ""


@pytest.mark.usefixtures("mails")
def test_another_submission_of_the_system_stands_until_then(
    version: Version, system: System, other: Any, submit: Submit
) -> None:
    confirm(system.owner)
    first = submit(version, system, reported=True)
    accepted = submissions.accept(version, Path(storage_path(first)))
    newer = submissions.create(accepted, system=system, submitter=other, declared=True)
    assert submissions.grade(str(newer.pk))
    assert shown() == [first]
    confirm(other)
    assert shown() == [newer]


def storage_path(made: Submission) -> str:
    from django.core.files.storage import storages

    return storages["artifacts"].path(storage.name_of(made.file_sha256))


@pytest.mark.usefixtures("mails")
def test_it_goes_with_the_last_confirmed_address(version: Version, system: System, submit: Submit) -> None:
    address = confirm(system.owner)
    submit(version, system, reported=True)
    assert len(shown()) == 1
    address.delete()
    assert shown() == []


@pytest.mark.usefixtures("mails")
def test_an_account_that_sent_nothing_can_be_deleted_with_its_address(user: Any) -> None:
    confirm(user)
    user.delete()
    assert not EmailAddress.objects.exists()


@pytest.mark.usefixtures("mails")
def test_what_this_site_ran_needs_no_address(version: Version, staff: Any) -> None:
    run = runs.start(version=version, executor="ledger", started_by=staff)
    assert runs.execute(str(run.pk), grade_now=True)
    (made,) = shown()
    assert made.held_back == ""


def test_a_network_sends_few_files_a_day_to_a_sealed_version_whatever_the_accounts(
    client: Any, ada: Any, caller: Any, sealed: Version, version: Version, predictions: Any, settings: Any,
    user: Any, other: Any,
) -> None:  # fmt: skip
    settings.SEALED_UPLOADS_PER_ADDRESS_PER_DAY = 2
    file = predictions(sealed)
    assert send(ada, sealed, file).status_code == 201
    client.force_login(other)
    assert upload(client, sealed, file).status_code == 302
    answer = send(caller(other), sealed, file)
    assert (answer.status_code, answer.json()["type"].rpartition(":")[2]) == (429, "quota-used-up")
    assert "your network has reached its limit of 2 uploads a day" in answer.json()["detail"]
    assert 0 < int(answer["Retry-After"]) <= 86_400
    assert upload(client, sealed, file).status_code == 429
    assert upload(client, sealed, file, REMOTE_ADDR="10.1.2.3").status_code == 302
    assert send(caller(other), version, predictions(version)).status_code == 201
    kept = Submission.objects.values_list("version_id", "sent_from")
    assert {bool(origin) for key, origin in kept if key == version.pk} == {False}
    assert len({origin for key, origin in kept if key == sealed.pk}) == 2


@pytest.mark.django_db
def test_a_network_makes_few_accounts_a_minute(client: Any) -> None:
    passwords = dict.fromkeys(("password1", "password2"), "a long passphrase")

    def sign_up(name: str, address: str) -> Any:
        client.logout()
        fields = {"username": name, "email": f"{name}@example.org"} | passwords
        return client.post("/accounts/signup/", fields, REMOTE_ADDR=address)

    made = [sign_up(f"person{n}", f"2001:db8:1:2::{n}") for n in range(6)]
    assert [each.status_code for each in made] == [302] * 5 + [429]
    assert "Too many requests" in made[-1].content.decode()
    assert sign_up("elsewhere", "2001:db8:1:3::1").status_code == 302
