"""A form that is older than the sign-in: nothing is sent under the wrong account, and no input is lost."""

from __future__ import annotations

import json
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from leaderboard.accounts.models import ApiToken
from leaderboard.submissions.models import Submission, System

OURS = {"origin": "http://testserver"}
TOKENS = {"name": "laptop", "scopes": "read", "days": "30"}


@pytest.fixture
def browser(user):
    """A browser of ada's that checks CSRF tokens."""
    result = Client(enforce_csrf_checks=True)
    result.force_login(user)
    result.get("/account/now/")
    return result


def kept(html: str) -> dict[str, str]:
    """The fields of the page that keeps the input."""
    form = html.partition('<div class="page-head">')[2]
    return dict(re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', form))


def test_the_site_says_whose_session_it_is_to_its_own_pages_only(client, user):
    address = reverse("leaderboard:account_now")
    answer = client.get(address)
    assert json.loads(answer.content)["account"] == ""
    client.force_login(user)
    answer = client.get(address)
    data = json.loads(answer.content)
    assert (data["account"], len(data["token"])) == ("ada", 64)
    assert "no-store" in answer["Cache-Control"]
    assert "Access-Control-Allow-Origin" not in answer
    assert client.post(address).status_code == 405


def test_its_token_is_the_one_that_a_form_needs(browser):
    token = json.loads(browser.get("/account/now/").content)["token"]
    answer = browser.post("/account/tokens/", TOKENS | {"csrfmiddlewaretoken": token})
    assert answer.status_code == 200
    assert ApiToken.objects.get().name == "laptop"


def test_a_form_with_an_old_token_is_kept_and_names_the_account_that_would_send_it(browser):
    answer = browser.post("/account/tokens/", TOKENS | {"csrfmiddlewaretoken": "x" * 64}, headers=OURS)
    html = answer.content.decode()
    assert answer.status_code == 403
    assert "You are signed in as ada now" in html
    assert 'action="/account/tokens/"' in html
    fields = kept(html)
    assert {name: fields[name] for name in TOKENS} == TOKENS
    assert not ApiToken.objects.exists()
    assert browser.post("/account/tokens/", fields, headers=OURS).status_code == 200
    assert ApiToken.objects.get().name == "laptop"


def test_what_another_site_wrote_is_not_offered_to_be_sent(browser):
    for headers in (
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {},
        {"sec-fetch-site": "cross-site"},
    ):
        answer = browser.post("/account/tokens/", TOKENS, headers=headers)
        html = answer.content.decode()
        assert (answer.status_code, "laptop" in html, "Not from this site" in html) == (403, False, True)


def test_what_was_typed_is_written_as_text_and_passwords_not_at_all(browser):
    sent = {"name": '"><script>alert(1)</script>', "password1": "secret-of-ada"}
    html = browser.post("/account/tokens/", sent, headers=OURS).content.decode()
    assert "<script>alert" not in html
    assert "secret-of-ada" not in html
    assert '<input type="password" name="password1"' in html


def test_a_chosen_file_is_asked_for_again(browser, version):
    sent = {"version": version.pk, "note": "a note", "file": SimpleUploadedFile("preds.jsonl", b"{}")}
    html = browser.post("/submit/", sent, headers=OURS).content.decode()
    assert 'enctype="multipart/form-data"' in html
    assert '<input type="file" name="file"' in html
    assert kept(html)["note"] == "a note"


def test_the_script_is_told_by_a_header_and_holds_what_was_typed_itself(browser, client, db):
    headers = OURS | {"hx-request": "true"}
    refused = browser.post("/submit/", {"note": "a note"}, headers=headers)
    ended = client.post("/submit/", {"note": "a note"}, headers=headers)
    for answer in (refused, ended):
        assert (answer.status_code, answer["X-Stale-Form"], answer.content) == (403, "1", b"")
    assert "X-Stale-Form" not in browser.post(
        "/submit/", headers={"origin": "https://e.example", "hx-request": "true"}
    )


@pytest.mark.parametrize(
    "address",
    [
        "/submit/",
        "/account/tokens/",
        "/conformance/upload/",
        "/systems/ada/ledger-reader/edit/",
        "/runs/new/",
        "/benches/new/",
    ],
)
def test_a_session_that_ends_while_a_form_is_filled_in_loses_no_input(client, system, address):
    answer = client.post(address, {"note": "long thought about", "name": "New"})
    html = answer.content.decode()
    assert answer.status_code == 403
    assert "You are signed out" in html
    assert kept(html)["note"] == "long thought about"
    assert f'href="/accounts/login/?next={address}" target="_blank"' in html
    client.force_login(system.owner)
    assert client.post(address, kept(html)).status_code != 302 or address.startswith(("/systems/", "/runs/"))


def test_the_admin_keeps_what_was_typed_too(client, staff, version):
    address = f"/admin/leaderboard/version/{version.pk}/change/"
    assert (
        kept(client.post(address, {"title": "A better title"}).content.decode())["title"] == "A better title"
    )


def test_a_redirect_to_the_sign_in_is_left_alone(client, user):
    assert client.get("/submit/")["Location"] == "/accounts/login/?next=/submit/"
    client.force_login(user)
    assert client.post("/accounts/logout/")["Location"] == "/"
    sent = {"login": "ada", "password": "a long passphrase", "next": "/submit/"}
    assert client.post("/accounts/login/", sent)["Location"] == "/submit/"


def test_nothing_is_made_of_a_form_that_is_kept(client, browser, version, answers_of):
    for sender in (client, browser):
        sender.post("/submit/", answers_of(version), headers=OURS)
    assert not Submission.objects.exists()
    assert not System.objects.exists()


@pytest.fixture
def answers_of(predictions):
    def form(version):
        upload = SimpleUploadedFile("preds.jsonl", predictions(version).read_bytes())
        return {
            "version": version.pk,
            "name": "New one",
            "kind": "llm",
            "visibility": "public",
            "file": upload,
        }

    return form
