"""Control characters: refused in input, and harmless in existing data."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest

from leaderboard.accounts.models import ApiToken
from leaderboard.submissions.models import Submission, System
from leaderboard.web import validators

FEED, NUL, ESCAPE = "a\x0cb", "a\x00b", "a\x1b[31mb"


def test_what_is_forbidden_is_named_and_can_be_left_out() -> None:
    assert validators.forbidden_in("Grüße, 漢字 \t\n🙂") == ""
    assert validators.forbidden_in("a\x0cb") == "U+000C"
    assert validators.forbidden_in("a\ud800") == "U+D800"
    assert validators.printable("a\x0c\x00\ufffeb\x85") == "ab"
    assert list(validators.texts_in({"a": ["b", {"c": 1}]})) == ["a", "b", "c"]


@pytest.mark.parametrize("text", [FEED, NUL, ESCAPE, "a\x85b"])
@pytest.mark.parametrize("field", ["name", "note", "parameters", "quantization"])
def test_a_submission_is_refused_with_the_field_and_the_character(
    client: Any, user: Any, version: Any, predictions: Any, field: str, text: str
) -> None:
    client.force_login(user)
    with open(predictions(version), "rb") as file:
        sent = {"version": version.pk, "name": "New", "visibility": "public", "kind": "llm", "file": file}
        page = client.post("/submit/", sent | {field: text})
    assert page.status_code == 422
    assert list(page.context["form"].errors) == [field]
    assert not Submission.objects.exists()


@pytest.mark.parametrize("text", [FEED, ESCAPE])
def test_tokens_reports_and_the_admin_refuse_them_too(
    client: Any, admin_client: Any, user: Any, system: System, text: str
) -> None:
    client.force_login(user)
    assert client.post("/account/tokens/", {"name": text, "scopes": "read", "days": "30"}).status_code == 422
    assert not ApiToken.objects.exists()
    assert "name" in client.post("/conformance/upload/", {"name": text}).context["form"].errors
    sent = {"owner": user.pk, "name": text, "slug": "s", "kind": "llm"}
    admin_client.post(f"/admin/leaderboard/system/{system.pk}/change/", sent)
    assert System.objects.get(pk=system.pk).name == "Ledger reader"


def test_a_text_kept_from_before_breaks_no_feed(client: Any, version: Any, user: Any, submit: Any) -> None:
    version.benchmark.__class__.objects.update(title="Gold\x0bbench")
    submit(version, System.objects.create(owner=user, name="bad\x08name"), note="form \x0cfeed")
    for address in ("/feed.atom", "/versions/goldevidencebench/tiny/feed.atom"):
        response = client.get(address)
        assert response.status_code == 200
        assert "badname" in ElementTree.fromstring(response.content).findtext(".//{*}entry/{*}title", "")
