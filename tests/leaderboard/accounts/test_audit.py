"""The log of staff acts: which account changed which row of others, before and after, by every way."""

from __future__ import annotations

import json
from contextlib import ExitStack

import pytest
from django.contrib.auth.models import Group, Permission
from django.db import IntegrityError, connection, transaction
from django.test import Client

from leaderboard.accounts import acting, audit
from leaderboard.accounts.models import StaffAct
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import System
from tests.leaderboard.accounts.test_permissions import DOORS, account, it, undone  # noqa: F401 (a fixture)
from tests.live import LiveSite
from tests.services import postgres

#: Doors through which something is written.
WRITE = [
    door
    for door in DOORS
    if door.done.__name__.startswith(("is_", "run_was", "a_", "no_")) or "conformance" in door.permission
]


@pytest.mark.parametrize("door", WRITE, ids=lambda door: door.name)
def test_an_act_of_staff_is_recorded_in_its_transaction_and_one_of_the_owner_is_not(door, it, monkeypatch):  # noqa: F811
    depth, outside = len(connection.atomic_blocks), []
    create = StaffAct.objects.create

    def watched(**fields):
        if len(connection.atomic_blocks) <= depth + 1 and fields["act"] != "run conformance":
            outside.append(fields["act"])
        return create(**fields)

    monkeypatch.setattr(StaffAct.objects, "create", watched)
    for role, recorded in (("superuser", True), ("owner", False), ("other", False), ("anonymous", False)):
        with undone(it):
            client, who = Client(), account(role, door, it)
            if who:
                client.force_login(who)
            assert door.done(door.attempt(client, it), "", it) is door.is_open_to(role)
            acts = list(StaffAct.objects.all())
            assert bool(acts) is recorded, (role, acts)
            assert {act.who for act in acts} == ({"zoe"} if recorded else set())
    assert outside == []


def test_what_changed_is_told_with_its_values_before_and_after(client, staff, system, version, submit):
    made = submit(version, system)
    client.force_login(staff)
    client.post(
        f"/submissions/{made.pk}/visibility/", {"visibility": "private"}, headers={"X-Request-ID": "r"}
    )
    act = StaffAct.objects.get()
    assert (act.who, act.account, act.via, act.act) == ("sam", staff.pk, "page", "change")
    assert (act.kind, act.object_id, act.object_name) == ("submission", str(made.pk), str(made))
    assert (act.changes, act.request_id) == ([("visibility", "public", "private")], "r")


def test_acts_by_api_say_so(caller, staff, system, version, submit):
    made = submit(version, system)
    caller(staff, "read", "submit", "staff")("POST", f"/submissions/{made.pk}/withdraw")
    act = StaffAct.objects.get()
    assert (act.via, act.who) == ("api", "sam")
    assert [name for name, before, after in act.changes if before is None and after] == ["withdrawn_at"]


def test_rights_that_are_given_and_taken_in_the_admin_are_told_by_name_and_no_password_is(
    admin_client, other
):
    page = f"/admin/auth/user/{other.pk}/change/"
    sent = {
        "username": "ben",
        "email": "ben@example.org",
        "date_joined_0": "2026-01-01",
        "date_joined_1": "00:00:00",
    }
    sent |= {f"former_names-{each}_FORMS": "0" for each in ("TOTAL", "INITIAL")}
    group = Group.objects.get(name="Moderators")
    assert admin_client.post(page, sent | {"is_active": "on", "groups": [group.pk]}).status_code == 302
    given = StaffAct.objects.get(act="give")
    assert (given.kind, given.object_id, given.object_name) == ("user", str(other.pk), "")
    assert given.after == {"groups": ["Moderators"]}
    assert admin_client.post(page, sent | {"is_active": "on"}).status_code == 302
    assert StaffAct.objects.get(act="take").before == {"groups": ["Moderators"]}
    StaffActs = StaffAct.objects.count()
    password = {"password1": "an even longer passphrase", "password2": "an even longer passphrase"}
    admin_client.post(f"/admin/auth/user/{other.pk}/password/", password | {"usable_password": "true"})
    assert StaffAct.objects.count() == StaffActs + 1
    assert StaffAct.objects.first().changes == [("password", audit.HIDDEN, audit.HIDDEN)]
    assert "ben" not in "".join(f"{act.object_name}{act.before}{act.after}" for act in StaffAct.objects.all())


def test_a_command_is_logged_by_its_name_and_a_worker_without_an_account(system, version, submit):
    made = submit(version, system)
    submissions.regrade(made)
    assert not StaffAct.objects.exists()
    with acting.by_command(["manage.py", "regrade"]):
        submissions.regrade(made)
    act = StaffAct.objects.get()
    assert (act.via, act.act, act.account) == ("command regrade", "grade again", None)
    with acting.by_command(["manage.py", "migrate"]):
        System.objects.create(owner=system.owner, name="Sample")
    assert StaffAct.objects.count() == 1


@pytest.mark.parametrize(
    "write", ["UPDATE leaderboard_staffact SET who = 'eve'", "DELETE FROM leaderboard_staffact"]
)
def test_the_log_refuses_changes_by_orm_and_sql(write, db):
    act = StaffAct.objects.create(who="sam", via="page", act="change", kind="system", object_id="1")
    act.who = "eve"
    for attempt in (
        act.save,
        act.delete,
        StaffAct.objects.update,
        lambda: connection.cursor().execute(write),
    ):
        kwargs = {"who": "eve"} if attempt == StaffAct.objects.update else {}
        with pytest.raises(IntegrityError, match="only ever added to"), transaction.atomic():
            attempt(**kwargs)
    assert StaffAct.objects.get().who == "sam"


def test_the_page_of_the_log_shows_changes_and_offers_no_way_to_make_any(client, staff, system):
    StaffAct.objects.create(
        who="sam",
        via="page",
        act="change",
        kind="system",
        object_id="1",
        before={"url": ""},
        after={"url": "<b>"},
    )
    client.force_login(staff)
    shown = client.get("/admin/leaderboard/staffact/").content.decode()
    assert "url: – → &lt;b&gt;" in shown
    act = StaffAct.objects.get()
    page = f"/admin/leaderboard/staffact/{act.pk}"
    assert client.get(f"{page}/change/").status_code == 200
    assert client.post(f"{page}/change/", {"who": "eve"}).status_code == 403
    assert client.post(f"{page}/delete/", {"post": "yes"}).status_code == 403
    assert client.get("/admin/leaderboard/staffact/add/").status_code == 403
    staff.groups.clear()
    staff.user_permissions.add(*Permission.objects.filter(codename="view_submission"))
    assert client.get("/admin/leaderboard/staffact/").status_code == 403


TRIED = """
import json
from django.contrib.auth.models import User
from django.db import connection, transaction
from leaderboard.models import StaffAct
user = User.objects.create_user("ada")
user.is_staff = True
user.save()
said = []
for write in ("UPDATE leaderboard_staffact SET who = 'eve'", "DELETE FROM leaderboard_staffact", *MORE):
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(write)
        said.append("done")
    except Exception as error:
        said.append(str(error).splitlines()[0])
print(json.dumps([said, list(StaffAct.objects.filter(kind="user").values_list("act", "via"))]))
"""


@pytest.mark.xdist_group("live")
@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def test_the_log_of_a_real_site_is_closed_on_either_database(kind, tmp_path):
    more = ["TRUNCATE leaderboard_staffact"] if kind == "postgres" else []
    with ExitStack() as stack:
        url = stack.enter_context(postgres()) if kind == "postgres" else ""
        site = stack.enter_context(LiveSite(tmp_path, database_url=url))
        said, acts = json.loads(site.shell(f"MORE = {more!r}\n{TRIED}"))
    assert said == ["the log of staff acts is only ever added to"] * (2 + len(more))
    assert acts == [["change", "command shell"], ["add", "command shell"]]
