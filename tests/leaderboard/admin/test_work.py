"""Lists and pages of the admin show no withheld answer to staff without `view_gold`, whatever else they may see."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, Permission
from django.urls import reverse

from leaderboard.benchmarks.models import Version
from leaderboard.submissions.models import Score, Submission
from tests.leaderboard.conftest import RANKED

ROW, MARK = "row-that-cites-the-gold", 0.123456789


@pytest.fixture
def flagged(make_version: Any, system: Any, submit: Any) -> Submission:
    """An upload to a version with withheld answers, whose secrets are marked."""
    version = make_version(name="kept", sealed=True, generator=RANKED)
    made: Submission = submit(version, system, wrong=3)
    evidence = {"rows": f"{MARK} of 80", "examples": [ROW]}
    flags = [{"code": "cites_unseen_gold", "text": "The file cites gold lines.", "evidence": evidence}]
    flags.append({"code": "same_file", "text": "The same file.", "evidence": {"sha256": "abc-of-the-file"}})
    Submission.objects.filter(pk=made.pk).update(flags=flags)
    exact = {
        "metrics": {"exact_acc": MARK},
        "headline": MARK,
        "groups": {"a": {"b": {"metrics": {"n": MARK}}}},
    }
    Score.objects.filter(submission=made).update(exact=exact, exact_headline=MARK)
    return Submission.objects.with_names().get(pk=made.pk)


@pytest.fixture
def staff_with(db: None, django_user_model: Any) -> Any:
    """Makes staff with exactly these permissions."""

    def make(*names: str) -> Any:
        staff = django_user_model.objects.create_user("-".join(names)[:40], is_staff=True)
        staff.user_permissions.add(*Permission.objects.filter(codename__in=names))
        return staff

    return make


def pages(flagged: Submission) -> list[str]:
    """Every list of our models, and the page of each row in it."""
    found = []
    for model, _ in admin.site._registry.items():
        if model._meta.app_label != "leaderboard":
            continue
        name = f"admin:leaderboard_{model._meta.model_name}"
        found.append(reverse(f"{name}_changelist"))
        found += [
            reverse(f"{name}_change", args=[key])
            for key in model._default_manager.values_list("pk", flat=True)
        ]
    return [*found, flagged.get_absolute_url(), f"/api/v1/submissions/{flagged.pk}"]


#: Each permission of the site but the one that shows gold.
OTHERS = [
    f"{act}_{name}"
    for act in ("view", "change")
    for name in ("score", "submission", "version", "preset", "system", "run", "event", "benchmark", "bench")
]


@pytest.mark.parametrize(
    "name", [*OTHERS, "download_predictions", "regrade_submission", "publish_submission"]
)
def test_no_page_tells_exact_figures_or_rows_to_staff_with_this_permission(
    client: Any, flagged: Submission, staff_with: Any, name: str
) -> None:
    client.force_login(staff_with(name))
    for address in pages(flagged):
        told = client.get(address).content.decode()
        assert str(MARK) not in told, address
        assert ROW not in told, address


@pytest.mark.parametrize("who", ["Moderators", "Maintainers", "all that can be viewed", "all"])
def test_every_page_of_the_admin_opens_or_is_refused_for_every_role(
    client: Any, flagged: Submission, staff_with: Any, who: str
) -> None:
    staff = staff_with("view_run")
    staff.groups.add(*Group.objects.filter(name=who))
    if who.startswith("all"):
        acts = ("view_",) if "viewed" in who else ("view_", "add_", "change_", "delete_")
        wanted = [each for each in Permission.objects.all() if each.codename.startswith(acts)]
        staff.user_permissions.add(*wanted)
    client.force_login(staff)
    client.raise_request_exception = False
    opened = set()
    for model, site_admin in admin.site._registry.items():
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        first = model._default_manager.values_list("pk", flat=True).first()
        addresses = [reverse(f"{name}_changelist"), reverse(f"{name}_add")]
        if first is not None:
            addresses += [reverse(f"{name}_{page}", args=[first]) for page in ("change", "history", "delete")]
        for address in addresses:
            status = client.get(address).status_code
            assert status in (200, 302, 403), f"{address}: {status}, {site_admin}"
            opened.add(status)
    assert 200 in opened


def test_view_gold_shows_both(client: Any, flagged: Submission, staff_with: Any) -> None:
    client.force_login(staff_with("view_score", "view_submission", "view_gold"))
    score = reverse("admin:leaderboard_score_change", args=[flagged.score_id])
    assert str(MARK) in client.get(score).content.decode()
    for address in (
        reverse("admin:leaderboard_submission_change", args=[flagged.pk]),
        flagged.get_absolute_url(),
        f"/api/v1/submissions/{flagged.pk}",
    ):
        assert ROW in client.get(address).content.decode(), address


def test_view_submission_alone_shows_which_checks_found_something_and_public_evidence(
    client: Any, flagged: Submission, staff_with: Any
) -> None:
    client.force_login(staff_with("view_submission"))
    page = client.get(flagged.get_absolute_url()).content.decode()
    assert "The file cites gold lines." in page
    assert "you need the permission view_gold" in page
    assert "abc-of-the-file" in page
    listed = client.get(reverse("admin:leaderboard_submission_changelist")).content.decode()
    assert "cites_unseen_gold" in listed
    flags = json.loads(client.get(f"/api/v1/submissions/{flagged.pk}").content)["flags"]
    assert [flag["evidence"] for flag in flags] == [{}, {"sha256": "abc-of-the-file"}]


@pytest.mark.parametrize(
    ("model", "lookup"),
    [
        ("score", "exact_headline__gt=0.1"),
        ("score", "exact__headline__gt=0.1"),
        ("score", "exact__metrics__exact_acc__gt=0.1"),
        ("score", "gated=0"),
        ("score", "submission__flags__icontains=row"),
        ("submission", "flags__icontains=row"),
        ("submission", "score__exact_headline__gt=0.1"),
        ("version", "attacks__measures__0__floor__gt=0"),
        ("version", "settings__icontains=1"),
        ("run", "submission__score__exact_headline__gt=0.1"),
        ("system", "submissions__score__exact_headline__gt=0.1"),
    ],
)
def test_no_list_is_narrowed_by_what_is_withheld(
    client: Any, flagged: Submission, staff_with: Any, model: str, lookup: str
) -> None:
    client.force_login(staff_with(f"view_{model}"))
    answer = client.get(f"{reverse(f'admin:leaderboard_{model}_changelist')}?{lookup}")
    assert answer.status_code in (302, 400), "refused, whatever it would find"


def test_the_page_of_a_version_shows_its_attackers_on_the_grid(
    client: Any, flagged: Submission, staff_with: Any
) -> None:
    version = Version.objects.get(pk=flagged.version_id)
    exact = {score["value"] for each in version.attacks["attackers"] for score in each["scores"]}
    assert any(value / version.shown_step % 1 > 1e-6 for value in exact), "or there is nothing to round"
    report = version.attack_report
    assert report is not None
    for each in report["attackers"]:
        for score in each["scores"]:
            numbers = (score["value"], score["low"], score["high"])
            assert all(abs(n / version.shown_step - round(n / version.shown_step)) < 1e-6 for n in numbers)
    client.force_login(staff_with("view_version"))
    page = client.get(reverse("admin:leaderboard_version_change", args=[version.pk])).content.decode()
    off = [
        value for value in exact if abs(value / version.shown_step - round(value / version.shown_step)) > 1e-6
    ]
    assert not [value for value in off if f"{value:.4f}".rstrip("0") in page]
