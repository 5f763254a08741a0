"""An installation from before names were checked: renamed accounts, the site's own account, and what goes on."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import UTC, datetime

import pytest
from django.apps import apps
from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import make_password
from django.core.management import call_command
from django.test import Client

from leaderboard.accounts import name_settling
from leaderboard.accounts.models import FormerName, NameClaim, ServiceAccount
from leaderboard.benchmarks import seeding
from leaderboard.conformance.models import ConformanceReport
from leaderboard.runs import services as runs
from leaderboard.runs.models import Run
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission, System
from tests.installations.postgresql import MIGRATE_TO
from tests.live import LiveSite
from tests.services import postgres

PASSWORD = "a long passphrase"


def account(name, *, year=2024, **fields):
    """An account from before names were checked."""
    given = {"email": f"{year}@example.org", "password": make_password(PASSWORD)} | fields
    made = get_user_model()(username=name, date_joined=datetime(year, 1, 1, tzinfo=UTC), **given)
    return get_user_model().objects.bulk_create([made])[0]


def settle():
    return {each.before: (each.after, each.reason) for each in name_settling.settle(apps.get_model)}


def test_only_reserved_names_look_alikes_and_names_unfit_for_addresses_are_renamed(db):
    made = {name: account(name).pk for name in ("ada", "admin", "..", "jürgen", "b+c@x.org", "apl")}
    made |= {name: account(name, year=2025).pk for name in ("аda", "ad.a", "ben")}
    assert settle() == {
        "admin": (f"user-{made['admin']}", "reserved"),
        "apl": (f"user-{made['apl']}", "reserved"),
        "..": (f"user-{made['..']}", "address"),
        "аda": (f"user-{made['аda']}", "alike"),
        "ad.a": (f"user-{made['ad.a']}", "alike"),
    }
    assert set(get_user_model().objects.values_list("username", flat=True)) >= {
        "ada",
        "jürgen",
        "b+c@x.org",
        "ben",
    }
    assert NameClaim.objects.count() == 9
    assert set(FormerName.objects.values_list("name", "reason")) == {
        ("admin", "reserved"), ("apl", "reserved"), ("..", "address"), ("аda", "alike"), ("ad.a", "alike"),
    }  # fmt: skip
    assert settle() == {}


def test_the_older_account_keeps_a_name_and_staff_keep_theirs_before_others(db):
    account("bob", year=2025)
    account("b0b", year=2024)
    account("support", year=2025, is_staff=True)
    account("admin", year=2025, is_superuser=True)
    account("adm1n", year=2020)
    account("ann", year=2020)
    account("anη", year=2024, is_superuser=True)
    assert settle().keys() == {"bob", "adm1n", "ann"}


def test_a_new_name_is_not_taken(db):
    expected = account("admin")
    account(f"user-{expected.pk}")
    account(f"user_{expected.pk}-2")
    assert settle()["admin"] == (f"user-{expected.pk}-3", "reserved")


def test_the_sites_own_account_is_recognised_and_keeps_its_name(db):
    own = account("site", email="", password=make_password(None))
    assert settle() == {}
    assert ServiceAccount.objects.get().user == own
    own.refresh_from_db()
    assert (own.username, own.is_active) == ("site", False)
    assert seeding.site_user() == own


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"email": ""},
        {"password": make_password(None)},
        {"email": "", "password": make_password(None), "last_login": datetime(2024, 1, 1, tzinfo=UTC)},
        {"is_superuser": True},
    ],
)
def test_an_account_of_that_name_made_by_signing_up_is_not_the_sites(db, fields):
    person = account("site", **fields)
    assert settle() == {"site": (f"user-{person.pk}", "reserved")}
    assert not ServiceAccount.objects.exists()
    own = seeding.site_user()
    assert (own.username, own.pk == person.pk) == ("site", False)


def test_a_look_alike_of_the_site_is_renamed_whatever_it_may_else(db):
    own = account("site", year=2025, email="", password=make_password(None))
    account("Site", is_superuser=True)
    assert settle().keys() == {"Site"}
    assert seeding.site_user() == own


@pytest.fixture
def mixed(version, submit, predictions):
    """A user signed up as `site`; then the site ran its systems, and the user uploaded for one of them, and more."""
    person = account("site")
    made = {}
    for name in ("ledger", "naive"):
        run = runs.start(version=version, executor=name, started_by=person, wake_worker=False)
        assert runs.execute(str(run.pk), grade_now=True)
        made[name] = System.objects.get(owner=person, name=name)
    submissions.withdraw(Submission.objects.get(system=made["naive"]), actor=person)
    submit(version, made["ledger"], declared=True, reported=True)  # so that it is what the board shows
    submit(version, System.objects.create(owner=person, name="Mine"), reported=True)
    ConformanceReport.objects.create(system=made["ledger"], implementation="x", verified=True)
    assert Submission.objects.filter(shown=True, verified=True).count() == 0
    return person


def test_runs_of_the_site_go_to_an_account_that_cannot_sign_in(mixed, version):
    assert settle() == {"site": (f"user-{mixed.pk}", "reserved")}
    own = seeding.site_user()
    assert own != mixed
    assert not own.is_active
    for verified in (True, False):
        result = Submission.objects.filter(verified=verified)
        owner = own if verified else get_user_model().objects.get(pk=mixed.pk)
        assert result.count() == 2
        assert {
            (each.submitter, each.system.owner)
            for each in result.select_related("submitter", "system__owner")
        } == {(owner, owner)}
    assert set(Run.objects.values_list("started_by", flat=True)) == {own.pk}
    assert ConformanceReport.objects.get().system.owner == own
    assert Submission.objects.filter(shown=True, verified=True).count() == 1
    assert Submission.objects.filter(shown=True, verified=False).count() == 2


def test_addresses_lead_to_whose_the_system_is_now(mixed, client):
    settle()
    assert client.get("/systems/site/ledger/").context["system"].owner == seeding.site_user()
    assert client.get("/systems/site/mine/")["Location"] == f"/systems/user-{mixed.pk}/mine/"
    assert client.get(f"/systems/user-{mixed.pk}/ledger/").status_code == 200
    assert System.objects.by_address("site/mine").owner_id == mixed.pk
    assert System.objects.by_address("site/ledger").owner == seeding.site_user()
    assert "Mine" in client.get("/history/?system=site/mine").content.decode()


def test_the_account_once_called_site_signs_in_by_either_name_and_is_told(mixed):
    settle()
    for name in ("site", f"user-{mixed.pk}", "2024@example.org"):
        page = Client().post("/accounts/login/", {"login": name, "password": PASSWORD}, follow=True)
        assert page.wsgi_request.user.pk == mixed.pk
    page = Client().post("/accounts/login/", {"login": "site", "password": PASSWORD}, follow=True)
    assert f"Your account “site” was renamed “user-{mixed.pk}”: it is reserved" in page.content.decode()


def test_an_account_called_dot_dot_has_addresses_again(db, client, version, submit):
    person = account("..")
    submit(version, System.objects.create(owner=person, name="Mine"), reported=True)
    settle()
    moved = client.get("/systems/%2e%2e/mine/")
    assert (moved.status_code, moved["Location"]) == (301, f"/systems/user-{person.pk}/mine/")
    assert client.get(moved["Location"]).status_code == 200


def test_a_restored_dump_is_brought_under_the_rules_by_a_command(db, capsys):
    person = account("admin")
    call_command("settle_names")
    assert capsys.readouterr().out == f"admin is called user-{person.pk} now (reserved)\n1 renamed.\n"


BEFORE = """
from django.contrib.auth.models import User
people = [User(username="Admin", email="x@example.org"), User(username="site", password="!"), User(username="ada")]
User.objects.bulk_create(people)
"""
AFTER = """
from django.contrib.auth.models import User
from leaderboard.models import FormerName, NameClaim, ServiceAccount
print(list(User.objects.order_by("pk").values_list("username", "is_active")))
print(ServiceAccount.objects.get().user, FormerName.objects.get(), NameClaim.objects.count())
"""


@pytest.mark.xdist_group("live")
@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def test_the_migration_renames_and_flags_on_either_database(kind, tmp_path):
    with ExitStack() as stack:
        url = stack.enter_context(postgres(empty=True)) if kind == "postgres" else ""
        site = LiveSite(tmp_path, database_url=url)
        stack.push(site)  # to enter it is to migrate it at once
        site.shell(MIGRATE_TO.format(applied=[("auth", "0012"), ("leaderboard", "0007")]))
        site.shell(BEFORE)
        output = site.manage("migrate")
        result = site.shell(AFTER)
    assert "Admin is called user-1 now (reserved)" in output
    assert result == "[('user-1', True), ('site', False), ('ada', True)]\nsite Admin 3"
