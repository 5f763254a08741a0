"""Every act on another account's objects, by every role, through the pages and the API."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth import get_user_model
from django.contrib.auth.models import AnonymousUser, Group, Permission
from django.db import transaction
from django.test import Client
from django.urls import reverse

from leaderboard.accounts import permissions
from leaderboard.accounts.models import ApiToken, StaffAct
from leaderboard.admin.work import SeenWithRunsAdmin
from leaderboard.benchmarks import seeding
from leaderboard.benchmarks.models import Version
from leaderboard.jobs import dispatch
from leaderboard.runs import services as runs
from leaderboard.runs.models import ModelFile, Run
from leaderboard.submissions import quotas
from leaderboard.submissions.models import Submission, System
from tests.leaderboard.runs.gguf import tiny_model
from tests.live import ROOT

#: Each group of the table `GROUPS` is a role; "staff" has no permission.
ROLES = ("anonymous", "other", "owner", "staff", "permitted", *permissions.GROUPS, "superuser")
ALLOWED = {"permitted", "superuser"}
API = "/api/v1"


@dataclass(frozen=True)
class Door:
    """One way to perform an act: how to try it, how to see that it was done, and whether owners may."""

    name: str
    permission: str
    attempt: Callable[[Client, SimpleNamespace], Any]
    done: Callable[[Any, str, SimpleNamespace], bool]
    also: str = ""  # what else it takes to get as far as that
    owner_too: bool = True

    @property
    def needed(self) -> set[str]:
        """All permissions that the act needs."""
        return {self.permission, *self.also.split()}

    @property
    def is_of_admin(self) -> bool:
        """Whether it is in the admin, which lets in staff alone."""
        return self.name.startswith("admin: ")

    def is_open_to(self, role: str) -> bool:
        """Whether the table opens it to a role."""
        if role in permissions.GROUPS:
            return self.needed <= set(permissions.GROUPS[role])
        return role in ALLOWED or (role == "owner" and self.owner_too)


duty = partial(Door, owner_too=False)


def post(address: str, **data: str) -> Callable[[Client, SimpleNamespace], Any]:
    def send(client: Client, it: SimpleNamespace) -> Any:
        return client.post(address.format(it=it), {name: text.format(it=it) for name, text in data.items()})

    return send


def api(method: str, address: str, data: Any = None) -> Callable[[Client, SimpleNamespace], Any]:
    """A call with the browser's session; `test_tokens_…` sends the same with tokens."""

    def call(client: Client, it: SimpleNamespace) -> Any:
        body = json.dumps(data) if data is not None else ""
        return client.generic(method, API + address.format(it=it), body, "application/json")

    return call


def get(address: str) -> Callable[[Client, SimpleNamespace], Any]:
    return lambda client, it: client.get(address.format(it=it))


def admin_action(model: str, action: str, row: str) -> Callable[[Client, SimpleNamespace], Any]:
    """An action of a list of the admin, on one row."""

    def send(client: Client, it: SimpleNamespace) -> Any:
        data = {"action": action, "_selected_action": row.format(it=it)}
        return client.post(f"/admin/leaderboard/{model}/", data)

    return send


def failed_version(
    attempt: Callable[[Client, SimpleNamespace], Any],
) -> Callable[[Client, SimpleNamespace], Any]:
    """The same attempt, after a second version failed to freeze."""

    def send(client: Client, it: SimpleNamespace) -> Any:
        fields = {"benchmark": it.version.benchmark, "slug": "failed", "title": "Failed", "status": "failed"}
        it.failed = Version.objects.create(**fields)
        return attempt(client, it)

    return send


def left_out(attempt: Callable[[Client, SimpleNamespace], Any]) -> Callable[[Client, SimpleNamespace], Any]:
    """The same attempt, with answers left out of an imported file: those of an open demo are public."""

    def send(client: Client, it: SimpleNamespace) -> Any:
        Version.objects.filter(pk=it.version.pk).update(source_sha256="0" * 64)
        return attempt(client, it)

    return send


def sees(words: str) -> Callable[[Any, str, SimpleNamespace], bool]:
    return lambda answer, text, it: answer.status_code == 200 and words in text


def content(answer: Any) -> str:
    raw = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return raw.decode(errors="replace")


def fresh(row: Any) -> Any:
    return type(row).objects.get(pk=row.pk)


def is_public(answer: Any, text: str, it: SimpleNamespace) -> bool:
    return fresh(it.private).visibility == "public"


def is_private(answer: Any, text: str, it: SimpleNamespace) -> bool:
    return fresh(it.public).visibility == "private"


def is_shared(answer: Any, text: str, it: SimpleNamespace) -> bool:
    return fresh(it.public).predictions_public is True


def is_withdrawn(answer: Any, text: str, it: SimpleNamespace) -> bool:
    return fresh(it.public).status == "withdrawn"


def is_approved(answer: Any, text: str, it: SimpleNamespace) -> bool:
    return fresh(it.public).approval == "approved"


def is_refused(answer: Any, text: str, it: SimpleNamespace) -> bool:
    return fresh(it.public).approval == "refused"


def is_queued(answer: Any, text: str, it: SimpleNamespace) -> bool:
    return fresh(it.public).status == "queued"


def is_changed(answer: Any, text: str, it: SimpleNamespace) -> bool:
    return fresh(it.system).description == "Mine now."


def run_was_cancelled(answer: Any, text: str, it: SimpleNamespace) -> bool:
    return fresh(it.run).status == "cancelled"


def run_was_resumed(answer: Any, text: str, it: SimpleNamespace) -> bool:
    return fresh(it.stopped).status == "queued"


def run_was_started(answer: Any, text: str, it: SimpleNamespace) -> bool:
    return Run.objects.count() == 3


def a_model_more(answer: Any, text: str, it: SimpleNamespace) -> bool:
    return ModelFile.objects.count() == 2


def no_model(answer: Any, text: str, it: SimpleNamespace) -> bool:
    return not ModelFile.objects.exists()


def worker_was_woken(answer: Any, text: str, it: SimpleNamespace) -> bool:
    return "run_conformance" in it.woken


def rows_tell_answers(answer: Any, text: str, it: SimpleNamespace) -> bool:
    return answer.status_code == 200 and "Hidden, because this answer could reveal" not in text


def api_rows_tell_answers(answer: Any, text: str, it: SimpleNamespace) -> bool:
    return answer.status_code == 200 and all("value" in row for row in answer.json()["items"])


def freeze(client: Client, it: SimpleNamespace) -> Any:
    """Press the button on the page of a preset, which saves the preset first."""
    preset = it.version.preset
    sent = {"benchmark": preset.benchmark_id, "name": preset.name, "title": preset.title, "_freeze_open": ""}
    settings = json.dumps(preset.settings)
    return client.post(f"/admin/leaderboard/preset/{preset.pk}/change/", sent | {"settings": settings})


def tried_again(answer: Any, text: str, it: SimpleNamespace) -> bool:
    """Whether the retry was accepted (nothing had failed, which the page says)."""
    return answer.status_code == 302 and "/login/" not in answer["Location"]


def is_retired(answer: Any, text: str, it: SimpleNamespace) -> bool:
    return fresh(it.version).status == "retired"


def is_featured(answer: Any, text: str, it: SimpleNamespace) -> bool:
    return fresh(it.version).title == "Renamed"


def is_frozen_again(answer: Any, text: str, it: SimpleNamespace) -> bool:
    return fresh(it.failed).status == "draft"


def is_verified(answer: Any, text: str, it: SimpleNamespace) -> bool:
    return answer.status_code == 302 and StaffAct.objects.filter(act="verify").exists()


def a_version_more(answer: Any, text: str, it: SimpleNamespace) -> bool:
    return Version.objects.count() == 2


P = permissions
PAGE, PRIVATE = "/submissions/{it.public.pk}/", "/submissions/{it.private.pk}/"
SYSTEM = "/systems/{it.system.owner.username}/{it.system.slug}"
CHANGED = {"kind": "llm", "description": "Mine now."}
STARTED = {"version": "goldevidencebench/tiny", "executor": "naive"}
RUN_FORM = {"version": "{it.version.pk}", "executor": "naive"}
ESTIMATE = "/runs/new/estimate/"
LOOK = permissions.VIEW_SUBMISSION
#: Of the form of the admin; who is not a superuser cannot change these.
NAMED = {"owner": "{it.system.owner.pk}", "name": "{it.system.name}", "slug": "{it.system.slug}"}
AGAIN = "/admin/attention/again/"
VERSION, FAILED = "/admin/leaderboard/version/{it.version.pk}/", "/admin/leaderboard/version/{it.failed.pk}/"
DOORS = [
    # submissions of others
    Door("page of a private submission", P.VIEW_SUBMISSION, get(PRIVATE), sees("Ledger reader")),
    Door("its status", P.VIEW_SUBMISSION, get(PRIVATE + "status/"), sees("submission-status")),
    Door("its rows", P.VIEW_SUBMISSION, get(PRIVATE + "rows/"), sees("Ledger reader")),
    Door("its citation", P.VIEW_SUBMISSION, get(PRIVATE + "cite.bib"), sees("@")),
    Door("it in the history", P.VIEW_SUBMISSION, get("/history/?q=clandestine"), sees("{clandestine}")),
    Door("it in a comparison", P.VIEW_SUBMISSION, get("/compare/?s={it.public.pk}&s={it.private.pk}"), sees("Ledger")),
    Door("it in its system's page", P.VIEW_SUBMISSION, get(SYSTEM + "/"), sees("{clandestine}")),
    Door("it by API", P.VIEW_SUBMISSION, api("GET", PRIVATE[:-1]), sees("clandestine")),
    Door("its figures by API", P.VIEW_SUBMISSION, api("GET", PRIVATE + "metrics"), sees("metrics")),
    Door("its rows by API", P.VIEW_SUBMISSION, api("GET", PRIVATE + "rows"), sees("items")),
    Door("its events by API", P.VIEW_SUBMISSION, api("GET", PRIVATE + "events"), sees("received")),
    Door("it in a list by API", P.VIEW_SUBMISSION, api("GET", "/submissions"), sees("clandestine")),
    duty("the intake checks", P.VIEW_SUBMISSION, get(PAGE), sees("Intake checks")),
    duty("the intake checks by API", P.VIEW_SUBMISSION, api("GET", PAGE[:-1]), sees("near_gold")),
    Door("publish", P.PUBLISH_SUBMISSION, post(PRIVATE + "visibility/", visibility="public"), is_public, LOOK),
    Door("publish by API", P.PUBLISH_SUBMISSION, api("POST", PRIVATE + "publish"), is_public, LOOK),
    Door("unpublish", P.PUBLISH_SUBMISSION, post(PAGE + "visibility/", visibility="private"), is_private),
    Door("unpublish by API", P.PUBLISH_SUBMISSION, api("POST", PAGE + "unpublish"), is_private),
    Door("share predictions", P.PUBLISH_SUBMISSION, post(PAGE + "share-predictions/"), is_shared),
    Door("share predictions by API", P.PUBLISH_SUBMISSION, api("POST", PAGE + "share-predictions"), is_shared),
    Door("withdraw", P.WITHDRAW_SUBMISSION, post(PAGE + "withdraw/"), is_withdrawn),
    Door("withdraw by API", P.WITHDRAW_SUBMISSION, api("POST", PAGE + "withdraw"), is_withdrawn),
    duty("grade again by API", P.REGRADE_SUBMISSION, api("POST", PAGE + "regrade"), is_queued),
    Door("right answers", P.VIEW_GOLD, left_out(get(PAGE + "rows/?failure=")), rows_tell_answers),
    Door("right answers by API", P.VIEW_GOLD, left_out(api("GET", PAGE + "rows")), api_rows_tell_answers),
    Door("the predictions", P.DOWNLOAD_PREDICTIONS, get(PAGE + "predictions.jsonl.gz"), sees("")),
    duty("approve", P.APPROVE_SUBMISSION, post(PAGE + "approval/", approve="1"), is_approved),
    duty("approve by API", P.APPROVE_SUBMISSION, api("POST", PAGE + "approve"), is_approved),
    duty("refuse by API", P.APPROVE_SUBMISSION, api("POST", PAGE + "refuse", {"reason": "A copy."}), is_refused),
    duty("refuse", P.APPROVE_SUBMISSION, post(PAGE + "approval/", reason="A copy."), is_refused),
    # systems of others
    Door("change a system", P.CHANGE_SYSTEM, post(SYSTEM + "/edit/", **CHANGED), is_changed),
    Door("change a system by API", P.CHANGE_SYSTEM, api("PATCH", SYSTEM, CHANGED), is_changed),
    # runs
    duty("see runs", P.VIEW_RUN, get("/runs/"), sees("Runs")),
    duty("see a run", P.VIEW_RUN, get("/runs/{it.run.pk}/"), sees("run-status")),
    duty("follow a run", P.VIEW_RUN, get("/runs/{it.run.pk}/status/"), sees("run-status")),
    duty("see runs by API", P.VIEW_RUN, api("GET", "/runs"), sees("executor")),
    duty("see a run by API", P.VIEW_RUN, api("GET", "/runs/{it.run.pk}"), sees("executor")),
    duty("prepare a run", P.ADD_RUN, get("/runs/new/"), sees("What to run")),
    duty("estimate a run", P.ADD_RUN, get(ESTIMATE + "?version=goldevidencebench/tiny&executor=naive"), sees("run")),
    duty("have a run measured", P.ADD_RUN, post(ESTIMATE, **RUN_FORM), sees("run")),
    duty("start a run", P.ADD_RUN, post("/runs/new/", **RUN_FORM), run_was_started),
    duty("start a run by API", P.ADD_RUN, api("POST", "/runs", STARTED), run_was_started),
    duty("cancel a run", P.CANCEL_RUN, post("/runs/{it.run.pk}/cancel/"), run_was_cancelled),
    duty("cancel a run by API", P.CANCEL_RUN, api("POST", "/runs/{it.run.pk}/cancel"), run_was_cancelled),
    duty("resume a run", P.RESUME_RUN, post("/runs/{it.stopped.pk}/resume/"), run_was_resumed),
    duty("resume a run by API", P.RESUME_RUN, api("POST", "/runs/{it.stopped.pk}/resume"), run_was_resumed),
    # model files
    duty("see model files", P.VIEW_MODEL, get("/models/"), sees("Registered")),
    duty("see a model file", P.VIEW_MODEL, get("/models/{it.model.pk}/"), sees("Chat template")),
    duty("register a model file", P.ADD_MODEL, post("/models/register/", name="other.gguf"), a_model_more),
    duty("remove a model file", P.REMOVE_MODEL, post("/models/{it.model.pk}/remove/"), no_model),
    # in the admin
    duty("admin: grade again", P.REGRADE_SUBMISSION,
         admin_action("submission", "regrade", "{it.public.pk}"), is_queued, LOOK),
    duty("admin: grade again under Attention", P.REGRADE_SUBMISSION,
         post(AGAIN, kind="submissions", pk="{it.public.pk}"), tried_again),
    duty("admin: approve", P.APPROVE_SUBMISSION, admin_action("submission", "approve", "{it.public.pk}"),
         is_approved, LOOK),
    duty("admin: withdraw", P.WITHDRAW_SUBMISSION,
         admin_action("submission", "withdraw", "{it.public.pk}"), is_withdrawn, LOOK),
    duty("admin: change a system", P.CHANGE_SYSTEM,
         post("/admin/leaderboard/system/{it.system.pk}/change/", **CHANGED, **NAMED), is_changed),
    duty("admin: resume a run", P.RESUME_RUN,
         admin_action("run", "resume", "{it.stopped.pk}"), run_was_resumed, P.VIEW_RUN),
    duty("admin: see runs", P.VIEW_RUN, get("/admin/leaderboard/run/"), sees("Select run")),
    duty("admin: see benches", P.VIEW_RUN, get("/admin/leaderboard/bench/"), sees("Select bench")),
    duty("admin: see model files", P.VIEW_MODEL, get("/admin/leaderboard/modelfile/"), sees("Select model file")),
    duty("admin: import rows", P.CHANGE_PRESET,
         get("/admin/leaderboard/preset/{it.version.preset_id}/import/"), sees("Import")),
    duty("admin: freeze a preset", P.CHANGE_PRESET, freeze, a_version_more),
    duty("admin: change a version", P.CHANGE_VERSION, post(VERSION + "change/", title="Renamed"), is_featured),
    duty("admin: verify a version", P.CHANGE_VERSION, post(VERSION + "verify/"), is_verified),
    duty("admin: retire a version", P.CHANGE_VERSION,
         post(VERSION + "retire/", name="{it.version.slug}"), is_retired),
    duty("admin: freeze again", P.CHANGE_VERSION, failed_version(post(FAILED + "again/")), is_frozen_again),
    duty("admin: see the log of staff acts", P.VIEW_ACTS,
         get("/admin/leaderboard/staffact/"), sees("Select staff act")),
    # our own conformance
    duty("check ours again", P.RUN_CONFORMANCE, post("/conformance/run/"), worker_was_woken),
]  # fmt: skip
BY_NAME = pytest.mark.parametrize("door", DOORS, ids=lambda door: door.name)
BY_API = pytest.mark.parametrize(
    "door", [door for door in DOORS if "API" in door.name], ids=lambda door: door.name
)


@pytest.fixture
def it(version, system, submit, user, settings, tmp_path, monkeypatch) -> SimpleNamespace:
    """Objects to act on: Ada's two submissions, two runs, a model file."""
    settings.MODELS_DIR = tmp_path / "models"
    tiny_model(settings.MODELS_DIR)
    tiny_model(settings.MODELS_DIR, name="other.gguf")
    woken: list[str] = []
    monkeypatch.setattr(dispatch, "enqueue", lambda task, *words: woken.append(task))
    public = submit(version, system)
    Submission.objects.filter(pk=public.pk).update(
        flags=[{"code": "near_gold", "text": "Near", "evidence": {}}], predictions_public=False
    )
    started = [
        runs.start(version=version, executor="ledger", started_by=user, wake_worker=False) for _ in range(2)
    ]
    runs.cancel(started[1])
    return SimpleNamespace(
        version=version,
        system=system,
        public=public,
        private=submit(version, system, wrong=3, visibility="private", note="{clandestine}"),
        run=started[0],
        stopped=started[1],
        model=ModelFile.objects.create(path="tiny.gguf", name="tiny", sha256="0" * 64),
        woken=woken,
    )


def account(role: str, door: Door, it: SimpleNamespace) -> Any:
    """The account of a role; None for a visitor."""
    make = get_user_model().objects.create_user
    match role:
        case "anonymous":
            return None
        case "owner":
            return it.system.owner
        case "superuser":
            return get_user_model().objects.create_superuser("zoe")
        case "staff":
            return make("zoe", is_staff=True)
    made = make(
        "zoe", is_staff=door.is_of_admin and role != "other"
    )  # who needs to be no staff for anything else
    if role in permissions.GROUPS:
        made.groups.add(Group.objects.get(name=role))
    if role == "permitted":
        names = {name.partition(".")[2] for name in door.needed}
        result = Permission.objects.filter(content_type__app_label="leaderboard", codename__in=names)
        assert result.count() == len(names)
        made.user_permissions.add(*result)
    return made


@contextmanager
def undone(it: SimpleNamespace) -> Iterator[None]:
    """Undo what happens in the block."""
    it.woken.clear()
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@BY_NAME
def test_an_act_needs_its_permission_or_ownership(door, it):
    done, expected = {}, {role: door.is_open_to(role) for role in ROLES}
    for role in ROLES:
        with undone(it):
            client, who = Client(), account(role, door, it)
            if who:
                client.force_login(who)
            answer = door.attempt(client, it)
            text = content(answer)
            done[role] = door.done(answer, text, it)
            if not expected[role]:
                assert answer.status_code in (200, 302, 401, 403, 404)
                assert answer.status_code != 302 or "/login/" in answer["Location"]
            if answer.status_code == 403 and role == "staff" and not door.is_of_admin:
                assert door.permission in text
    assert done == expected


def test_every_permission_of_the_table_has_a_door_that_asks_for_it():
    """`exceed_quota` has none: it lifts a limit, which has a test of its own."""
    assert {door.permission for door in DOORS} == P.ALLOWS.keys() - {P.EXCEED_QUOTA}


@pytest.mark.parametrize("role", ["staff", *permissions.GROUPS, "superuser"])
def test_the_admin_shows_a_role_the_lists_that_the_table_gives_it(role, it):
    given = set(permissions.GROUPS.get(role, ()))
    client = Client()
    client.force_login(account(role, duty("admin: ", P.VIEW_RUN, get(""), is_public), it))
    for model, pages in admin.site._registry.items():
        label, name = model._meta.app_label, model._meta.model_name
        seen = {f"{label}.{act}_{name}" for act in ("view", "change")} & given
        seen |= {P.VIEW_RUN} & given if isinstance(pages, SeenWithRunsAdmin) else set()
        answer = client.get(reverse(f"admin:{label}_{name}_changelist"))
        assert (answer.status_code == 200) is (role == "superuser" or bool(seen)), (role, label, name)


SCOPES = {("read", "submit"): False, ("read", "submit", "staff"): True}


@BY_API
def test_a_token_acts_by_permissions_only_with_the_scope_for_them(door, it):
    done = {}
    cases = [(role, scopes) for role in ("staff", "permitted", "superuser") for scopes in SCOPES]
    for role, scopes in cases:
        with undone(it):
            made = account(role, door, it)
            _, secret = ApiToken.objects.issue(user=made, name="script", scopes=list(scopes))
            answer = door.attempt(Client(headers={"Authorization": f"Bearer {secret}"}), it)
            done[role, scopes] = door.done(answer, content(answer), it)
    assert done == {(role, scopes): SCOPES[scopes] and role in ALLOWED for role, scopes in cases}


BUTTONS = [
    ("/submissions/{it.public.pk}/", "/submissions/{it.public.pk}/visibility/", P.PUBLISH_SUBMISSION, True),
    ("/submissions/{it.public.pk}/", "/submissions/{it.public.pk}/withdraw/", P.WITHDRAW_SUBMISSION, True),
    ("/submissions/{it.public.pk}/", "predictions.jsonl.gz", P.DOWNLOAD_PREDICTIONS, True),
    (SYSTEM + "/", SYSTEM + "/edit/", P.CHANGE_SYSTEM, True),
    ("/", "/runs/", P.VIEW_RUN, False),
    ("/", "/models/", P.VIEW_MODEL, False),
    ("/conformance/", "/conformance/run/", P.RUN_CONFORMANCE, False),
    ("/runs/", "/runs/new/", P.ADD_RUN, False),
    ("/runs/{it.run.pk}/", "/runs/{it.run.pk}/cancel/", P.CANCEL_RUN, False),
    ("/runs/{it.stopped.pk}/", "/runs/{it.stopped.pk}/resume/", P.RESUME_RUN, False),
    ("/models/", "/models/register/", P.ADD_MODEL, False),
    ("/models/{it.model.pk}/", "/models/{it.model.pk}/remove/", P.REMOVE_MODEL, False),
]


@pytest.mark.parametrize(("page", "action", "permission", "owner_too"), BUTTONS)
def test_a_page_shows_only_the_buttons_that_work(page, action, permission, owner_too, it):
    look = {"/runs": P.VIEW_RUN, "/mode": P.VIEW_MODEL}.get(page[:5], "")
    door, shown = Door("", permission, get(page), is_public, also=look), {}
    for role in ("other", "owner", "staff", "permitted", "superuser"):
        with undone(it):
            client, who = Client(), account(role, door, it)
            if look:  # so that all readers see the page
                who.user_permissions.add(Permission.objects.get(codename=look.partition(".")[2]))
            client.force_login(who)
            response = re.findall(r'(?:href|action)="([^"]*)"', content(client.get(page.format(it=it))))
            shown[role] = any(address.endswith(action.format(it=it)) for address in response)
    assert shown == {role: role in ALLOWED or (role == "owner" and owner_too) for role in shown}


def test_the_quota_holds_without_the_permission_to_exceed_it(settings, version, system, submit, bare_staff):
    settings.SUBMISSIONS_PER_DAY = settings.SUBMISSIONS_PER_VERSION_PER_DAY = 0
    with pytest.raises(quotas.QuotaError):
        quotas.check(bare_staff, version)
    bare_staff.user_permissions.add(Permission.objects.get(codename="exceed_quota"))
    quotas.check(get_user_model().objects.get(pk=bare_staff.pk), version)


def test_secret_seeds_are_shown_in_the_admin_only_with_view_gold(client, bare_staff, make_version):
    secret = make_version(name="secret", sealed=True)
    (seed, *_) = secret.settings["seeds"]
    page = reverse("admin:leaderboard_version_change", args=[secret.pk])
    client.force_login(bare_staff)
    for codename, seen in (("view_version", False), ("change_version", False), ("view_gold", True)):
        bare_staff.user_permissions.add(Permission.objects.get(codename=codename))
        assert (str(seed) in client.get(page).content.decode()) is seen


def test_deleting_a_failed_version_needs_the_permission_to_delete_versions(client, bare_staff, version):
    failed = type(version).objects.create(
        benchmark=version.benchmark, slug="failed", title="Failed", status="failed"
    )
    page = reverse("admin:leaderboard_version_delete", args=[failed.pk])
    client.force_login(bare_staff)
    bare_staff.user_permissions.add(Permission.objects.get(codename="view_version"))
    assert client.post(page, {"post": "yes"}).status_code == 403
    bare_staff.user_permissions.add(Permission.objects.get(codename="delete_version"))
    assert client.post(page, {"post": "yes"}).status_code == 302
    assert type(version).objects.get() == version


def test_every_permission_exists_and_the_manual_says_what_it_allows():
    manual = (ROOT / "docs" / "accounts.md").read_text()
    for name, text in permissions.ALLOWS.items():
        groups = [group for group, held in permissions.GROUPS.items() if name in held]
        row = f"| `{name.partition('.')[2]}` | {text} | {', '.join(groups)} |"
        assert row in manual, row


def test_every_permission_that_the_code_names_is_one_that_the_site_has(db):
    names = {*permissions.ALLOWS}.union(*permissions.GROUPS.values())
    result = Permission.objects.filter(content_type__app_label="leaderboard").values_list(
        "codename", flat=True
    )
    assert {name.partition(".")[2] for name in names} <= set(result)
    for name, chosen in permissions.GROUPS.items():
        held = Group.objects.get(name=name).permissions.values_list("codename", flat=True)
        assert {each.partition(".")[2] for each in chosen} == set(held)


def test_code_outside_the_admin_asks_for_is_staff_only_to_open_the_admin():
    root = ROOT / "leaderboard"
    asks = {
        str(path.relative_to(root))
        for path in root.rglob("*.py")
        if re.search(r"is_staff|is_superuser|staff_member_required|user_passes_test", path.read_text())
        and "migrations" not in path.parts
    }
    # the first administrator, who may be called by a reserved name, and who gives a system another owner
    assert asks == {
        "benchmarks/seeding.py",
        "accounts/services.py",
        "accounts/name_settling.py",
        "accounts/admin.py",
        "admin/work.py",
        "care/deletion.py",  # takes it from an account that goes
        "care/export.py",  # says so to the account
    }
    templates = ROOT / "templates"
    asks = {path.name for path in templates.rglob("*.html") if "is_staff" in path.read_text()}
    assert asks == {
        "account_links.html",
        "board.html",
        "front.html",
    }  # links into the admin, whose own door asks for it


def test_a_stranger_and_a_closed_account_have_no_permission(staff):
    assert permissions.may(staff, permissions.ADD_RUN)
    staff.is_active = False
    assert not permissions.has_any(staff)
    assert not permissions.has_any(AnonymousUser())


def test_upgrading_gives_the_successors_of_earlier_permissions_and_nothing_else(django_user_model, db):
    had, bare = (
        django_user_model.objects.create_user("had"),
        django_user_model.objects.create_user("bare", is_staff=True),
    )
    group = Group.objects.create(name="Graders")
    group.permissions.add(Permission.objects.get(codename="change_submission"))
    had.user_permissions.add(Permission.objects.get(codename="change_run"))
    migration = import_module("leaderboard.migrations.0011_permissions")
    result = {
        each.codename: each for each in Permission.objects.filter(content_type__app_label="leaderboard")
    }
    migration.pass_on(result)
    assert set(group.permissions.values_list("codename", flat=True)) == {
        "change_submission",
        "regrade_submission",
        "withdraw_submission",
    }
    assert set(had.user_permissions.values_list("codename", flat=True)) == {"change_run", "resume_run"}
    assert not bare.user_permissions.exists()
    assert not bare.groups.exists()


def test_systems_of_the_site_itself_are_changed_by_permission_only(client, bare_staff, db):
    own = System.objects.create(owner=seeding.site_user(), name="ledger")
    assert not own.may_be_changed_by(bare_staff)


def test_the_permission_to_change_systems_does_not_allow_giving_them_away(client, bare_staff, system):
    names = ("view_system", "change_system")
    bare_staff.user_permissions.add(*Permission.objects.filter(codename__in=names))
    client.force_login(bare_staff)
    page = reverse("admin:leaderboard_system_change", args=[system.pk])
    sent = {"owner": bare_staff.pk, "name": "Mine", "slug": "mine", "kind": "llm", "description": "New."}
    assert client.post(page, sent).status_code == 302
    owner = system.owner
    system.refresh_from_db()
    assert (system.owner, system.name, system.slug) == (owner, "Ledger reader", "ledger-reader")
    assert system.description == "New."
