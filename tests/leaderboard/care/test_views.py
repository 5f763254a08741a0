"""My data as a zip file, and deleting my account."""

from __future__ import annotations

import gzip
import io
import json
import zipfile

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth import get_user_model
from django.test import Client

from leaderboard.accounts import confirmation
from leaderboard.accounts.models import ApiToken, DeletedAccount, FormerName, Mail, NameClaim, StaffAct
from leaderboard.benchmarks import storage
from leaderboard.submissions.models import Submission, System

PASSWORD = "a long passphrase"
DELETE = "/account/delete/"


@pytest.fixture
def ada(client, user):
    client.force_login(user)
    return user


@pytest.fixture
def both(version, system, submit):
    """A public submission and a private one."""
    return submit(version, system), submit(version, system, wrong=3, visibility="private", note="secret plan")


def exported(client):
    answer = client.get("/account/export.zip")
    assert answer["Content-Type"] == "application/zip"
    return zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content)))


def test_the_zip_file_holds_everything_of_the_account_and_nothing_of_others(
    client, ada, other, both, version, submit
):
    ApiToken.objects.issue(user=ada, name="laptop", scopes=["read"])
    StaffAct.objects.create(account=ada.pk, who="ada", via="page", act="change", kind="system", object_id="9")
    submit(version, System.objects.create(owner=other, name="Of Ben"))
    packed = exported(client)
    assert packed.testzip() is None
    texts = {name: packed.read(name) for name in packed.namelist()}
    said = {name: json.loads(text) for name, text in texts.items() if name.endswith(".json")}
    assert (said["account.json"]["username"], said["account.json"]["email"]) == ("ada", "ada@example.org")
    assert [token["name"] for token in said["account.json"]["tokens"]] == ["laptop"]
    assert [each["name"] for each in said["systems.json"]] == ["Ledger reader"]
    assert {each["id"] for each in said["submissions.json"]} == {str(made.pk) for made in both}
    assert said["submissions.json"][0]["score"]["metrics"]
    assert [act["act"] for act in said["acts.json"]] == ["change"]
    for made in both:
        sent = texts[f"submissions/{made.pk}.predictions.jsonl.gz"]
        assert gzip.decompress(sent) == b"".join(storage.lines(made.file_sha256))
    assert not any(b"Ben" in text or ada.password.encode() in text for text in texts.values())


def test_a_stored_file_that_is_missing_is_named_in_the_zip_file(client, ada, both):
    storage.discard(both[0].file_sha256)
    assert f"submissions/{both[0].pk}" in exported(client).read("missing.txt").decode()


def test_strangers_are_asked_to_sign_in(db):
    for address in ("/account/export.zip", DELETE):
        assert "/accounts/login/" in Client().get(address)["Location"]


def test_the_page_says_what_goes_and_what_stays(client, ada, both):
    shown = " ".join(client.get(DELETE).content.decode().split())
    assert "0 API tokens, 1 private or failed submission with their files" in shown
    assert "1 public result of your 1 system, unless you withdraw them" in shown
    assert DELETE in client.get("/account/").content.decode()
    assert 'id="deletion"' in client.get("/about/").content.decode()


@pytest.mark.parametrize("sent", [{}, {"proof": "wrong"}, {"proof": PASSWORD, "results": "burn"}])
def test_without_the_password_nothing_is_deleted(client, ada, both, sent):
    assert client.post(DELETE, {"results": "keep"} | sent).status_code == 422
    ada.refresh_from_db()
    assert (ada.username, ada.is_active, Submission.objects.count()) == ("ada", True, 2)


def test_passwords_cannot_be_tried_without_end(client, ada):
    answers = [client.post(DELETE, {"results": "keep", "proof": f"guess {n}"}).status_code for n in range(12)]
    assert answers[-1] == 429


def test_what_is_personal_goes_and_public_results_stay_without_a_name(
    client, ada, both, version, django_capture_on_commit_callbacks
):
    public, private = both
    EmailAddress.objects.create(user=ada, email=ada.email, verified=True, primary=True)
    FormerName.objects.create(name="adele", user=ada)
    _, secret = ApiToken.objects.issue(user=ada, name="laptop", scopes=["read"])
    with django_capture_on_commit_callbacks(execute=True):
        answer = client.post(DELETE, {"results": "keep", "proof": PASSWORD}, follow=True)
    assert f"are now listed under “deleted-{ada.pk}”" in answer.content.decode()
    assert client.get("/account/").status_code == 302
    account = get_user_model().objects.get(pk=ada.pk)
    assert (account.username, account.email, account.is_active) == (f"deleted-{ada.pk}", "", False)
    assert not account.has_usable_password()
    assert ApiToken.objects.find(secret) is None
    for model in (EmailAddress, FormerName, ApiToken):
        assert not model.objects.exists(), model
    assert list(NameClaim.objects.filter(user=ada).values_list("skeleton", flat=True)) == [
        f"deleted{ada.pk}".replace("1", "l").replace("0", "o").replace("5", "s")
    ]
    assert list(Submission.objects.values_list("pk", "shown")) == [(public.pk, True)]
    assert storage.exists(public.file_sha256)
    assert not storage.exists(private.file_sha256)
    page = client.get(public.get_absolute_url())
    assert page.status_code == 200
    assert f"deleted-{ada.pk}" in page.content.decode()
    for address in (
        public.get_absolute_url(),
        f"/boards/{version.benchmark.slug}/{version.slug}/",
        "/history/",
    ):
        assert "ada" not in client.get(address).content.decode().replace("metadata", "").replace(
            "readable", ""
        )
    get_user_model().objects.create_user("ada")  # the name is free again


def test_mail_that_waits_for_the_account_is_not_sent(client, ada):
    for address in (ada.email, "other@example.org"):
        Mail.objects.create(message={"subject": "Hello"}, recipients=address)
    client.post(DELETE, {"results": "keep", "proof": PASSWORD})
    assert [mail.recipients for mail in Mail.objects.all()] == ["other@example.org"]


def test_results_are_withdrawn_first_where_that_is_wished(client, ada, both):
    client.post(DELETE, {"results": "withdraw", "proof": PASSWORD})
    (left,) = Submission.objects.all()
    assert (left.status, left.shown) == ("withdrawn", False)


def test_boards_keep_what_a_confirmed_account_sent_and_still_hold_back_the_rest(
    client, user, other, version, submit, settings
):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    made = [
        submit(version, System.objects.create(owner=owner, name="Mine"), reported=True)
        for owner in (user, other)
    ]
    for owner in (user, other):
        client.force_login(owner)
        assert client.post(DELETE, {"results": "keep", "proof": PASSWORD}).status_code == 302
    assert [Submission.objects.get(pk=each.pk).shown for each in made] == [True, False]
    assert [each.confirmed for each in DeletedAccount.objects.order_by("pk")] == [True, False]
    assert list(confirmation.confirmed_accounts()) == [user]


def test_a_system_of_which_nothing_is_left_goes_and_another_one_stays(client, ada, both):
    System.objects.create(owner=ada, name="Empty")
    client.post(DELETE, {"results": "keep", "proof": PASSWORD})
    assert [each.name for each in System.objects.all()] == ["Ledger reader"]


def test_the_last_superuser_stays(client, admin_user, admin_client):
    admin_user.set_password(PASSWORD)
    admin_user.save()
    admin_client.force_login(admin_user)
    answer = admin_client.post(DELETE, {"results": "keep", "proof": PASSWORD})
    assert answer.status_code == 422
    assert "You are the only superuser" in answer.content.decode()
    get_user_model().objects.create_superuser("second")
    assert admin_client.post(DELETE, {"results": "keep", "proof": PASSWORD}).status_code == 302
