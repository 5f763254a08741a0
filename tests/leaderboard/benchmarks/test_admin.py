"""The maintainer's admin: presets with mistakes, freezing as shown on the page, one featured board, verified hashes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.forms import Select
from django.urls import reverse

from evaluation.core.suite import get_suite
from leaderboard.benchmarks import freezing
from leaderboard.benchmarks.models import Benchmark, Preset, Version
from leaderboard.benchmarks.sealing import verifying
from leaderboard.runs import services as runs
from tests.leaderboard.conftest import RANKED, TINY


@pytest.fixture
def preset(db: None) -> Preset:
    return Preset.objects.create(
        benchmark=Benchmark.objects.get(suite="goldevidence"), name="tiny", title="Tiny", settings=TINY
    )


def send(client: Any, preset: Preset, settings: Any, **buttons: str) -> Any:
    text = settings if isinstance(settings, str) else json.dumps(settings)
    fields = {"benchmark": preset.benchmark_id, "name": preset.name, "title": preset.title, "settings": text}
    return client.post(preset.get_admin_url(), fields | buttons, follow=True)


def as_shown(client: Any, preset: Preset) -> dict[str, Any]:
    """The form data of a preset's page with nothing changed."""
    form = client.get(preset.get_admin_url()).context["adminform"].form
    return {bound.html_name: value for bound in form if (value := _sent(bound)) not in (None, "")}


def _sent(bound: Any) -> Any:
    """The value that a browser sends for a field; of a list without a choice, its first option."""
    value = bound.field.prepare_value(bound.value())
    if isinstance(bound.field.widget, Select) and not bound.field.widget.allow_multiple_selected:
        lines = [str(line) for line, _ in bound.field.choices]
        return value if str(value) in lines else lines[0]
    return value


def test_every_setting_but_lists_of_objects_and_the_ladder_has_a_field_with_its_meaning_and_bounds(
    admin_client, preset
):
    form = admin_client.get(preset.get_admin_url()).context["adminform"].form
    steps = form.fields["set-generator.steps"]
    assert (steps.min_value, steps.max_value, steps.help_text) == (
        1,
        100_000,
        "Number of log lines per episode.",
    )
    schema = preset.benchmark.engine.settings.model_json_schema()
    assert {name.partition(".")[0] for name in form.setting_fields} == (
        schema["properties"].keys() - {"suite", "key", "conditions", "attack_limits", "ladder"}
    )


@pytest.mark.parametrize(
    ("chosen", "sentence"),
    [
        (TINY, "2 episodes with 12 rows count in the headline"),
        (TINY | {"conditions": [{"k": 4}]}, "2 episodes with 12 rows count in the headline"),
        ({"generator": RANKED}, "40 episodes with 80 rows count in the headline"),
    ],
)
def test_before_freezing_the_page_says_what_a_version_could_tell(admin_client, preset, chosen, sentence):
    Preset.objects.filter(pk=preset.pk).update(settings=chosen)
    page = " ".join(admin_client.get(preset.get_admin_url()).content.decode().split())
    assert sentence in page
    assert ("The version has enough units to rank systems." in page) == sentence.startswith("40")
    assert ("no ranks. Ranks need at least 40 episodes." in page) != sentence.startswith("40")


def test_a_page_saved_as_it_is_changes_no_setting(admin_client, preset):
    before = preset.checked_settings()
    admin_client.post(preset.get_admin_url(), as_shown(admin_client, preset))
    preset.refresh_from_db()
    assert preset.settings == before


@pytest.mark.parametrize(
    ("suite", "name"),
    [(suite, name) for suite in ("goldevidence", "statebench") for name in get_suite(suite).presets()],
)
def test_every_preset_of_ours_stays_as_it_is_when_its_page_is_saved(admin_client, db, suite, name):
    settings = get_suite(suite).presets()[name].settings
    benchmark = Benchmark.objects.get(suite=suite)
    preset = Preset.objects.create(benchmark=benchmark, name="ours", title="Ours", settings=settings)
    before = preset.checked_settings()
    response = admin_client.post(preset.get_admin_url(), as_shown(admin_client, preset))
    assert response.status_code == 302
    preset.refresh_from_db()
    assert preset.checked_settings() == before


def test_changed_fields_go_on_top_of_the_json(admin_client, preset):
    changes = {"set-generator.steps": "77", "set-seeds": "5, 6", "set-entailment": "False"}
    admin_client.post(preset.get_admin_url(), as_shown(admin_client, preset) | changes)
    preset.refresh_from_db()
    assert preset.settings["generator"]["steps"] == 77
    assert (preset.settings["seeds"], preset.settings["entailment"]) == ([5, 6], False)


def test_a_field_that_the_suite_refuses_says_so_itself(admin_client, preset):
    changes = {"set-generator.tail_distractor_steps": "99999", "set-seeds": "1, 1"}
    page = admin_client.post(preset.get_admin_url(), as_shown(admin_client, preset) | changes)
    errors = page.context["adminform"].form.errors
    assert errors["set-seeds"] == ["must not repeat a seed."]
    page = admin_client.post(
        preset.get_admin_url(),
        as_shown(admin_client, preset) | {"set-generator.tail_distractor_steps": "99999"},
    )
    assert "must be below steps" in str(
        page.context["adminform"].form.errors["set-generator.tail_distractor_steps"]
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"generator": {"steps": 10', "Not JSON, line 1, column 27"),
        ('{"generator":\n {"stepz": 10}}', "generator.stepz: unknown setting. Did you mean"),
        ("[1, 2]", "Settings must be a JSON object"),
        ('{"generator":' * 100_000, "The JSON has too many values"),
        ('{"generator":' * 100, "The JSON is nested too deeply"),
    ],
)
def test_a_mistake_in_the_settings_is_named_and_nothing_is_saved_or_frozen(
    admin_client: Any, preset: Preset, text: str, words: str
) -> None:
    page = send(admin_client, preset, text, _freeze="").content.decode()
    assert words in page
    preset.refresh_from_db()
    assert preset.settings == TINY
    assert not Version.objects.exists()


def test_freezing_saves_first_so_that_the_version_is_what_the_page_showed(
    admin_client: Any, preset: Preset
) -> None:
    send(admin_client, preset, TINY | {"seeds": [4711]}, _freeze_open="")
    version = Version.objects.get()
    assert version.settings["seeds"] == [4711]
    assert freezing.freeze(version.pk)


def test_secret_seeds_stay_out_of_the_preset(admin_client: Any, preset: Preset) -> None:
    send(admin_client, preset, TINY | {"seeds": [4711]}, _freeze="")
    preset.refresh_from_db()
    assert preset.settings["seeds"] == [4711]
    version = Version.objects.get(twin_of=None)
    assert version.settings["seeds"] != [4711]
    assert version.twin.settings["seeds"] not in ([4711], version.settings["seeds"])
    assert version.twin.settings["public_gold"], "one act drafts both"


def test_an_import_preset_offers_the_import_and_no_freezing(admin_client: Any, db: None) -> None:
    preset = Preset.objects.create(
        benchmark=Benchmark.objects.get(suite="statebench"), name="release", settings={"source": "import"}
    )
    page = admin_client.get(preset.get_admin_url()).content.decode()
    assert "import them into a version" in page
    assert "Freeze" not in page


def test_one_board_opens_first(admin_client: Any, make_version: Any) -> None:
    first, second = make_version(name="first"), make_version(name="second")
    for version in (first, second):
        page = reverse("admin:leaderboard_version_change", args=[version.pk])
        admin_client.post(page, {"title": version.title, "description": "", "featured": "on"})
    assert list(Version.objects.filter(featured=True)) == [second]


def test_a_version_is_verified_and_retired_from_its_page(
    admin_client: Any,
    version: Version,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Any,
) -> None:
    monkeypatch.setattr("leaderboard.jobs.dispatch.enqueue", lambda task, pk: verifying.verify(pk))
    page = reverse("admin:leaderboard_version_change", args=[version.pk])
    assert "not recomputed since" in admin_client.get(page).content.decode()
    with django_capture_on_commit_callbacks(execute=True):
        admin_client.post(reverse("admin:leaderboard_version_verify", args=[version.pk]))
    assert "match; recomputed" in admin_client.get(page).content.decode()
    retire = reverse("admin:leaderboard_version_retire", args=[version.pk])
    assert retire in admin_client.get(page).content.decode()
    admin_client.post(retire, {"name": version.slug})
    version.refresh_from_db()
    assert version.status == "retired"
    assert "Only a frozen version can be retired." in admin_client.get(retire, follow=True).content.decode()


def test_retiring_says_what_is_published_and_asks_for_the_name(
    admin_client: Any, make_version: Any, system: Any, submit: Any
) -> None:
    sealed = make_version(name="sealed", sealed=True)
    submit(sealed, system)
    retire = reverse("admin:leaderboard_version_retire", args=[sealed.pk])
    page = " ".join(admin_client.get(retire).content.decode().split())
    assert f"<b>The answers to {sealed.row_count} rows are published</b>" in page
    assert "of the version’s 1 public submission are published" in page
    for name in ("", "yes", "SEALED"):
        response = admin_client.post(retire, {"name": name})
        assert response.status_code == 422
        assert "Nothing was retired." in response.content.decode()
    sealed.refresh_from_db()
    assert sealed.is_open


def test_retiring_a_version_with_public_answers_says_so(admin_client: Any, make_version: Any) -> None:
    version = make_version(name="known", public_gold=True)
    page = admin_client.get(reverse("admin:leaderboard_version_retire", args=[version.pk])).content.decode()
    assert "The answers are public already." in page
    assert "The answers to " not in page


def test_a_new_preset_starts_from_a_copy(admin_client: Any, preset: Preset) -> None:
    add = reverse("admin:leaderboard_preset_add")
    start = admin_client.get(add).content.decode()
    assert f"{add}?copy={preset.pk}" in start
    assert f"{add}?benchmark={preset.benchmark_id}" in start
    assert "<textarea" not in start
    address = f"{add}?copy={preset.pk}"
    form = admin_client.get(address).context["adminform"].form
    assert form["set-generator.steps"].value() == TINY["generator"]["steps"]
    assert form["title"].value() == "Tiny"
    assert not form["name"].value()
    fields = {bound.html_name: value for bound in form if (value := _sent(bound)) not in (None, "")}
    changed = fields | {"name": "copied", "set-generator.episodes": "3", "set-generator.keys": "5"}
    assert admin_client.post(address, changed).status_code == 302
    made = Preset.objects.get(name="copied")
    assert made.settings["generator"]["episodes"] == 3
    assert made.settings == preset.checked_settings() | {
        "generator": preset.checked_settings()["generator"] | {"episodes": 3, "keys": 5}
    }


def test_a_new_preset_starts_from_the_defaults_and_a_mistake_is_said_at_its_field(
    admin_client: Any, preset: Preset
) -> None:
    address = f"{reverse('admin:leaderboard_preset_add')}?benchmark={preset.benchmark_id}"
    form = admin_client.get(address).context["adminform"].form
    fields = {bound.html_name: value for bound in form if (value := _sent(bound)) not in (None, "")}
    response = admin_client.post(address, fields | {"name": "new", "set-generator.steps": "0"})
    assert list(response.context["adminform"].form.errors) == ["set-generator.steps"]
    assert admin_client.post(address, fields | {"name": "new"}).status_code == 302
    assert Preset.objects.get(name="new").settings == preset.benchmark.engine.settings.checked({})


def test_only_staff_who_may_add_a_preset_are_asked_where_it_starts(client: Any, bare_staff: Any) -> None:
    client.force_login(bare_staff)
    assert client.get(reverse("admin:leaderboard_preset_add")).status_code == 403


def test_what_is_not_frozen_has_no_page_to_view(admin_client: Any, preset: Preset) -> None:
    version = freezing.start(preset=preset, open_demo=True, wake_worker=False)
    page = admin_client.get(reverse("admin:leaderboard_version_change", args=[version.pk])).content.decode()
    assert "View on site" not in page
    assert "waiting for a worker" in page
    assert 'http-equiv="refresh"' in page


def test_the_permission_to_view_versions_allows_no_change(
    client: Any, bare_staff: Any, version: Version
) -> None:
    client.force_login(bare_staff)
    for name in ("again", "corrected", "verify", "retire"):
        address = reverse(f"admin:leaderboard_version_{name}", args=[version.pk])
        assert client.post(address).status_code == 403
        assert client.get(address).status_code == (403 if name == "retire" else 405)


#: Model, action, the permission it asks for, and one that is not enough.
ACTIONS = [
    ("submission", "regrade", "regrade_submission", "change_submission"),
    ("submission", "withdraw", "withdraw_submission", "publish_submission"),
    ("run", "resume", "resume_run", "change_run"),
]


@pytest.mark.parametrize("enough", [True, False])
@pytest.mark.parametrize(("model", "action", "asked", "other"), ACTIONS)
def test_an_action_is_for_those_who_have_its_permission(
    client: Any,
    bare_staff: Any,
    version: Version,
    system: Any,
    submit: Any,
    model: str,
    action: str,
    asked: str,
    other: str,
    enough: bool,
) -> None:
    staff = bare_staff
    submission = submit(version, system)
    run = runs.start(version=version, executor="ledger", started_by=staff)
    runs.cancel(run)
    rows = {"version": version, "submission": submission, "run": run}
    expected = [f"view_{model}", asked if enough else other]
    staff.user_permissions.add(*Permission.objects.filter(codename__in=expected))
    client.force_login(staff)
    before = type(rows[model]).objects.get(pk=rows[model].pk).status
    sent = {"action": action, "_selected_action": [str(rows[model].pk)]}
    client.post(reverse(f"admin:leaderboard_{model}_changelist"), sent)
    after = type(rows[model]).objects.get(pk=rows[model].pk).status
    assert (after != before) == enough


def test_guessing_a_password_at_the_admin_is_counted_as_at_the_site(client: Any, staff: Any) -> None:
    page = client.get("/admin/", follow=True)
    assert page.redirect_chain[-1][0] == "/accounts/login/?next=%2Fadmin%2F"
    guess = {"username": "sam", "login": "sam", "password": "wrong"}
    answers = [client.post("/admin/login/?next=/admin/", guess, follow=True) for _ in range(2)]
    assert {answer.redirect_chain[-1][0] for answer in answers} == {"/accounts/login/?next=%2Fadmin%2F"}
    right = guess | {"password": "a long passphrase"}
    assert not client.post("/admin/login/", right).wsgi_request.user.is_authenticated
    assert client.post("/accounts/login/?next=/admin/", right)["Location"] == "/admin/"
    assert client.get("/admin/").status_code == 200


def test_the_admin_is_no_place_for_other_accounts(client: Any, user: Any) -> None:
    client.force_login(user)
    assert client.get("/admin/", follow=True).status_code == 403


@pytest.mark.parametrize("model", ["preset", "version"])
@pytest.mark.parametrize("key", ["abc", "9" * 30, "0"])
def test_an_unknown_object_leads_back_to_the_admin(admin_client: Any, model: str, key: str) -> None:
    page = admin_client.get(f"/admin/leaderboard/{model}/{key}/change/", follow=True)
    assert page.status_code == 200
    assert "doesn’t exist" in page.content.decode()


@pytest.mark.parametrize(
    "text",
    [
        "5",
        '"x"',
        "[1]",
        "true",
        '{"generator": 5}',
        '{"conditions": 5}',
        '{"conditions": [5]}',
        '{"seeds": 5}',
        '{"tracks": 5}',
        '{"count": {}}',
    ],
)
@pytest.mark.parametrize("suite", ["goldevidence", "statebench"])
def test_settings_of_another_form_are_refused_with_a_sentence(
    admin_client: Any, suite: str, text: str
) -> None:
    fields = {"benchmark": Benchmark.objects.get(suite=suite).pk, "name": "a", "settings": text}
    page = admin_client.post("/admin/leaderboard/preset/add/", fields)
    assert page.status_code == 200
    assert page.context["adminform"].form.errors["settings"]
    assert not Preset.objects.exists()


def test_a_ladder_is_kept_when_its_preset_is_saved_and_refused_by_field(admin_client, preset):
    ladder = dict(get_suite("goldevidence").presets()["ladder_short"].settings)
    Preset.objects.filter(pk=preset.pk).update(settings=ladder)
    preset.refresh_from_db()
    admin_client.post(preset.get_admin_url(), as_shown(admin_client, preset) | {"_continue": "1"})
    preset.refresh_from_db()
    assert preset.settings["ladder"] == ladder["ladder"]
    page = send(admin_client, preset, ladder | {"protocol": "closed"}).content.decode()
    assert "must be open under a ladder" in page
