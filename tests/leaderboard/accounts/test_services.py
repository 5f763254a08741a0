"""The ways in which an account gets its name, and where its former names lead."""

from __future__ import annotations

import json
from contextlib import nullcontext
from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from leaderboard.accounts import services as accounts
from leaderboard.accounts.models import ApiToken, FormerName, NameClaim, ServiceAccount
from leaderboard.benchmarks import seeding
from leaderboard.conformance import services as conformance
from leaderboard.conformance.models import ConformanceReport
from leaderboard.submissions.models import System
from tests.live import LiveSite
from tests.services import postgres

PASSWORD = "a long passphrase"
REFUSED = [
    "site",
    "admin",
    "..",
    "SITE",
    "s1te",
    "adrnin",
    "systems",
    "аdа",
    "ada.",
    "Ada",
    "a-d-a",
    "ada@example.org",
]


def sign_up(client, name, **fields):
    given = {"username": name, "email": f"{abs(hash(name))}@example.org"} | fields
    return client.post("/accounts/signup/", given | dict.fromkeys(("password1", "password2"), PASSWORD))


def people():
    return get_user_model().objects


@pytest.mark.parametrize("name", REFUSED)
def test_a_sign_up_as_the_site_or_as_another_account_is_refused(client, user, name):
    page = sign_up(client, name)
    assert page.status_code == 200
    assert page.context["form"].errors.keys() == {"username"}
    assert "Choose another" in page.content.decode() or "Use the letters" in page.content.decode()
    assert list(people().all()) == [user]


def test_an_ordinary_name_signs_up_and_look_alikes_of_it_are_refused(client, db):
    assert sign_up(client, "Lovelace-1").status_code == 302
    assert NameClaim.objects.get(skeleton="lovelacel").user == people().get(username="Lovelace-1")
    assert sign_up(Client(), "love.lace_l").context["form"].errors.keys() == {"username"}


@pytest.mark.parametrize("name", ["site", "support", "аda", ".."])
def test_the_admin_refuses_these_names_for_new_and_old_accounts(admin_client, user, name):
    fields = {"username": name, "usable_password": "true", "password1": PASSWORD, "password2": PASSWORD}
    page = admin_client.post(reverse("admin:auth_user_add"), fields)
    assert page.context["adminform"].form.errors.keys() == {"username"}
    change = reverse("admin:auth_user_change", args=[admin_id()])
    if name != "support":  # which a superuser may be called
        page = admin_client.post(change, form_of(admin_client, change) | {"username": name})
        assert page.context["adminform"].form.errors.keys() == {"username"}
    assert people().count() == 2


def admin_id():
    return people().get(username="admin").pk


def form_of(client, address):
    """The fields of an admin page, as a browser would send them."""
    form = client.get(address).context["adminform"].form
    return {
        name: field.value()
        for name, field in ((each, form[each]) for each in form.fields)
        if field.value() not in (None, False) and name not in ("last_login", "date_joined", "password")
    } | {
        "date_joined_0": "2026-01-01", "date_joined_1": "00:00:00", "former_names-TOTAL_FORMS": "0",
        "former_names-INITIAL_FORMS": "0",
    }  # fmt: skip


def test_an_account_that_keeps_its_old_name_is_saved_in_the_admin(admin_client, db):
    get_user_model().objects.bulk_create([get_user_model()(username="jürgen+x")])
    result = people().get(username="jürgen+x")
    change = reverse("admin:auth_user_change", args=[result.pk])
    page = admin_client.post(change, form_of(admin_client, change) | {"first_name": "J"})
    assert page.status_code == 302, page.context["adminform"].form.errors
    result.refresh_from_db()
    assert result.first_name == "J"


@pytest.mark.parametrize("name", ["site", "S1te", "ada.", "Аda"])
def test_the_command_line_refuses_these_names_for_superusers(user, name, monkeypatch):
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", PASSWORD)
    with pytest.raises(CommandError, match=r"Choose another|Use the letters"):
        call_command("createsuperuser", username=name, email="x@example.org", interactive=False)
    assert people().count() == 1


def test_a_superuser_may_be_called_admin(db, monkeypatch):
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", PASSWORD)
    call_command("createsuperuser", username="admin", email="x@example.org", interactive=False, verbosity=0)
    assert seeding.demo_admin()[0] == "admin"


def test_a_script_makes_no_such_account_either(user):
    with pytest.raises(ValidationError):
        people().create_user("site")
    with pytest.raises(ValidationError):
        people().create_user("ädа")
    user.username = "moderator"
    with pytest.raises(ValidationError):
        user.save()


AT_ONCE = """
import json, threading
from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from leaderboard.models import NameClaim

def attempt(name):
    gate.wait()
    try:
        get_user_model().objects.create_user(name)
        outcomes.append("made")
    except ValidationError as error:
        outcomes.append(error.code)
    except Exception as error:
        outcomes.append(repr(error))
    connection.close()

outcomes = []
for number in range(10):
    gate = threading.Barrier(4)
    names = [f"i{number}x", f"l{number}x", f"1{number}x", f"I-{number}-X"]
    threads = [threading.Thread(target=attempt, args=(name,)) for name in names]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
counts = {outcome: outcomes.count(outcome) for outcome in outcomes}
print(json.dumps([counts, get_user_model().objects.count(), NameClaim.objects.exclude(user=None).count()]))
"""


@pytest.mark.xdist_group("live")
@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def test_of_four_that_take_names_that_look_alike_at_once_one_gets_hers(kind, tmp_path):
    with (
        postgres() if kind == "postgres" else nullcontext("") as url,
        LiveSite(tmp_path, database_url=url) as site,
    ):
        data = json.loads(site.shell(AT_ONCE).splitlines()[-1])
    assert data == [{"made": 10, "name_taken": 30}, 10, 10]


def test_a_name_taken_between_check_and_save_is_refused_beside_its_field(client, db, monkeypatch):
    check = accounts.check_name
    taken = []

    def slow_check(name, user=None):
        check(name, user)
        if not taken:
            taken.append(NameClaim.objects.create(skeleton="neo"))

    monkeypatch.setattr(accounts, "check_name", slow_check)
    page = sign_up(client, "neo")
    assert page.status_code == 200
    assert "is taken" in page.context["form"].errors["username"][0]
    assert not people().exists()


def test_a_claim_whose_process_died_is_no_claim_for_long(db):
    left = NameClaim.objects.create(skeleton="neo")
    with pytest.raises(ValidationError):
        people().create_user("neo")
    NameClaim.objects.filter(pk=left.pk).update(claimed_at=timezone.now() - timedelta(minutes=2))
    made = people().create_user("neo")
    left.refresh_from_db()
    assert left.user == made


def test_signing_in_or_changing_ones_address_asks_nothing_of_a_name(user, django_assert_num_queries):
    with django_assert_num_queries(1):
        user.save(update_fields=["last_login"])
    with django_assert_num_queries(2):
        user.save()


# --- the account of the site itself


def test_the_sites_own_account_is_flagged_and_cannot_sign_in(client, db):
    site = seeding.site_user()
    assert seeding.site_user() == site
    assert ServiceAccount.objects.get(purpose="site").user == site
    assert (site.username, site.is_active, site.has_usable_password()) == ("site", False, False)
    assert accounts.is_service(site)
    with pytest.raises(ValidationError):
        people().create_superuser("Site")
    client.post("/accounts/login/", {"login": "site", "password": ""})
    assert client.get("/account/").status_code == 302


def test_an_administrator_cannot_give_the_sites_account_a_password(admin_client, db):
    site = seeding.site_user()
    password = reverse("admin:auth_user_password_change", args=[site.pk])
    sent = {"usable_password": "true", "password1": PASSWORD, "password2": PASSWORD}
    assert admin_client.post(password, sent).status_code == 403
    change = reverse("admin:auth_user_change", args=[site.pk])
    assert admin_client.post(change, {"username": "mine", "is_active": "on"}).status_code == 403
    site.refresh_from_db()
    assert not site.has_usable_password()


def test_our_own_conformance_report_is_of_the_system_of_the_sites_account_whatever_it_is_called(db):
    site = seeding.site_user()
    people().bulk_create([get_user_model()(username="Site")])  # from before names were checked
    System.objects.create(owner=people().get(username="Site"), name=conformance.OWN_SYSTEM)
    assert conformance.run().system is None
    own = System.objects.create(owner=site, name=conformance.OWN_SYSTEM)
    people().filter(pk=site.pk).update(username="house")
    assert conformance.run().system == own


# --- former names


@pytest.fixture
def renamed(user, version, system, submit):
    """Ada with a public result, renamed to Lovelace."""
    submit(version, system)
    user.username = "lovelace"
    user.save()
    return user


SYSTEM = "/systems/{}/ledger-reader/"
ADDRESSES = [
    SYSTEM, SYSTEM + "?version=goldevidencebench/tiny", SYSTEM + "badge.svg",
    SYSTEM + "badge.svg?version=goldevidencebench/tiny", SYSTEM + "edit/", "/api/v1/systems/{}/ledger-reader",
]  # fmt: skip


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_with_a_former_name_leads_to_the_present_one_for_good(client, renamed, address):
    client.force_login(renamed)
    moved = client.get(address.format("ada"))
    assert (moved.status_code, moved["Location"]) == (301, address.format("lovelace"))
    assert client.get(moved["Location"]).status_code == 200
    assert client.head(address.format("ada")).status_code == 301


def test_a_figure_with_a_former_name_leads_on(client, renamed, system):
    made = system.submissions.get()
    address = "/systems/{}/ledger-reader/figures/decomposition.json?submission=" + str(made.pk)
    moved = client.get(address.format("ada"))
    assert (moved.status_code, moved["Location"]) == (301, address.format("lovelace"))


def test_a_change_under_a_former_name_is_repeated_under_the_present_one(client, renamed, system):
    client.force_login(renamed)
    sent = {"kind": "pipeline", "description": "Two passes."}
    moved = client.post("/systems/ada/ledger-reader/edit/", sent)
    assert (moved.status_code, moved["Location"]) == (308, "/systems/lovelace/ledger-reader/edit/")
    moved = client.patch("/api/v1/systems/ada/ledger-reader", sent, "application/json")
    assert (moved.status_code, moved["Location"]) == (308, "/api/v1/systems/lovelace/ledger-reader")
    assert client.patch(moved["Location"], sent, "application/json").status_code == 200


def test_lists_know_a_system_and_an_account_by_their_former_name(client, renamed, version):
    ConformanceReport.objects.create(system=renamed.systems.get(), implementation="mine")
    for name in ("ada", "lovelace"):
        assert "Ledger reader" in client.get(f"/history/?system={name}/ledger-reader").content.decode()
        assert "Ledger reader" in client.get(f"/history/?account={name}").content.decode()
        for kind in ("submissions", "conformance"):
            assert len(client.get(f"/api/v1/{kind}?system={name}/ledger-reader").json()["items"]) == 1
    assert not client.get("/api/v1/submissions?system=nobody/ledger-reader").json()["items"]
    assert "Ledger reader" not in client.get("/history/?account=nobody").content.decode()


def test_a_former_name_leads_to_nothing_that_the_reader_may_not_see(client, renamed):
    System.objects.create(owner=renamed, name="Clandestine")
    for slug in ("clandestine", "none-at-all"):
        moved = client.get(f"/systems/ada/{slug}/")
        assert (moved.status_code, moved["Location"]) == (301, f"/systems/lovelace/{slug}/")
        assert client.get(moved["Location"]).status_code == 404


@pytest.mark.parametrize("name", ["..", "%2e%2e", "%2E%2E", "nobody", "%25ada", "ad%61/", "ada%2f.."])
def test_other_names_lead_nowhere(client, renamed, name):
    response = client.get(f"/systems/{name}/none/")
    assert response.status_code in (301, 404)
    assert response.get("Location", "/systems/lovelace/none/") == "/systems/lovelace/none/"


def test_a_percent_encoded_former_name_is_the_same_name(client, renamed):
    FormerName.objects.create(user=renamed, name="..")
    FormerName.objects.create(user=renamed, name="jürgen+x")
    for name in ("%2e%2e", "j%C3%BCrgen+x", "j%C3%BCrgen%2Bx", "%61da"):
        assert client.get(f"/systems/{name}/ledger-reader/")["Location"] == "/systems/lovelace/ledger-reader/"


@pytest.mark.parametrize("name", ["ada", "Ada", "lovelace", "LoveLace"])
def test_one_signs_in_by_either_name_and_is_told_which_counts(client, renamed, name):
    page = client.post("/accounts/login/", {"login": name, "password": PASSWORD}, follow=True)
    assert page.wsgi_request.user == renamed
    assert "Your account “ada” was renamed “lovelace”" in page.content.decode()


def test_one_is_told_once_by_the_present_name_and_always_by_a_former_one(renamed):
    collected = []
    for name in ("lovelace", "lovelace", "ada", "ada"):
        page = Client().post("/accounts/login/", {"login": name, "password": PASSWORD}, follow=True)
        collected.append("Your account “ada” was renamed" in page.content.decode())
    assert collected == [True, False, True, True]


def test_a_former_name_and_a_wrong_password_open_nothing_and_are_counted(client, renamed):
    answers = [client.post("/accounts/login/", {"login": "ada", "password": "wrong"}) for _ in range(12)]
    assert not answers[0].wsgi_request.user.is_authenticated
    assert "Too many failed login attempts" in answers[-1].content.decode()


def test_a_closed_account_stays_closed_under_a_former_name(client, renamed):
    people().filter(pk=renamed.pk).update(is_active=False)
    client.post("/accounts/login/", {"login": "ada", "password": PASSWORD})
    assert client.get("/account/").status_code == 302


def test_the_account_page_says_what_one_was_called_and_why(client, renamed):
    client.force_login(renamed)
    page = client.get("/account/").content.decode()
    assert "Your account is called “lovelace” now." in page
    assert "Your account was called “ada” until" in page
    client.force_login(people().create_user("ben"))
    assert "Your account is called" not in client.get("/account/").content.decode()


def test_a_former_name_stays_reserved_and_can_be_taken_back(client, renamed):
    assert sign_up(client, "ada").context["form"].errors.keys() == {"username"}
    assert sign_up(client, "a_d_a").context["form"].errors.keys() == {"username"}
    renamed.username = "ada"
    renamed.save()
    assert list(FormerName.objects.values_list("name", flat=True)) == ["lovelace"]
    assert client.get("/systems/lovelace/ledger-reader/")["Location"] == "/systems/ada/ledger-reader/"
    assert client.get("/systems/ada/ledger-reader/").status_code == 200


# --- names of systems


def test_no_new_system_is_called_as_if_it_were_the_sites(client, user, version, predictions, ada_token):
    with predictions(version).open("rb") as file:
        page = client.post(
            "/submit/",
            {
                "version": version.pk,
                "name": "site/ledger",
                "kind": "llm",
                "visibility": "public",
                "file": file,
            },
        )
    assert page.status_code == 422
    assert "looks like a system of this site" in page.content.decode()
    answer = client.post(
        "/api/v1/submissions?version=goldevidencebench/tiny&system=s1te/ledger",
        predictions(version).read_bytes(),
        content_type="application/x-ndjson",
        headers=ada_token,
    )
    assert (answer.status_code, answer.json()["type"].rpartition(":")[2]) == (422, "invalid-parameters")
    report = b'{"implementation": "mine", "vectors": [{"name": "budget_9", "passed": true}]}'
    answer = client.post(
        "/api/v1/conformance?system=x+%E2%9C%93", report, content_type="application/json", headers=ada_token
    )
    assert answer.status_code == 422
    assert "Leave “✓” out" in answer.json()["detail"]
    assert not System.objects.exists()


@pytest.fixture
def ada_token(client, user):
    client.force_login(user)
    _, secret = ApiToken.objects.issue(user=user, name="script", scopes=["read", "submit"])
    return {"Authorization": f"Bearer {secret}"}
