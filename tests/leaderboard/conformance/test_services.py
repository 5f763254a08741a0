"""Conformance reports: ours is all green; uploaded ones become badges, judged anew from their vectors."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.urls import reverse

from evaluation import cli
from evaluation.core import jsonl
from evaluation.statebench.conformance.model.aspects import ASPECTS
from evaluation.statebench.conformance.model.running import TIMELINES
from evaluation.statebench.conformance.requirements import REQUIREMENTS, completed, shows
from evaluation.statebench.conformance.suite import REVISION, whole
from leaderboard import tasks
from leaderboard.benchmarks.models import Version
from leaderboard.conformance import intake, views
from leaderboard.conformance import services as conformance
from leaderboard.conformance.models import ConformanceReport
from leaderboard.jobs import checking
from leaderboard.submissions.models import System

PAGE = "leaderboard:conformance"


@pytest.fixture
def report(tmp_path: Any) -> dict[str, Any]:
    """The report of the command line on our own implementation."""
    assert (
        cli.main(["state", "conformance", "--seed", "7", "--results-json", str(tmp_path / "report.json")])
        == 0
    )
    return json.loads((tmp_path / "report.json").read_bytes())


def sent(data: Any) -> SimpleUploadedFile:
    return SimpleUploadedFile("report.json", data if isinstance(data, bytes) else jsonl.dumps(data))


def test_our_own_implementation_fulfils_every_requirement(db: None, client: Any) -> None:
    call_command("run_conformance")
    received = ConformanceReport.objects.get()
    assert received.verified
    assert received.conforms
    assert received.passed == received.total
    assert {row["id"] for row in received.requirements} == set(REQUIREMENTS)
    assert len(received.vectors_sha256) == 64
    page = client.get(reverse(PAGE)).content.decode()
    assert "Every requirement is met." in page
    assert 'class="fail"' not in page
    assert 'class="none"' not in page
    for name, text in REQUIREMENTS.items():
        assert f'id="{name}"' in page
        assert text in page


def test_a_worker_that_slept_while_another_ran_the_vectors_keeps_no_report(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_vectors = conformance.run_conformance

    def slowly() -> Any:
        monkeypatch.setattr(conformance, "run_conformance", run_vectors)
        conformance.run()
        return run_vectors()

    first = conformance.run()
    monkeypatch.setattr(conformance, "run_conformance", slowly)
    late = conformance.run()
    assert list(ConformanceReport.objects.order_by("pk")) == [first, late]


def test_a_worker_runs_it_again_when_staff_ask(
    staff: Any, user: Any, client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rung: list[Any] = []
    monkeypatch.setattr("leaderboard.jobs.dispatch.enqueue", lambda task, *args: rung.append(task))
    client.force_login(user)
    assert client.post(reverse("leaderboard:conformance_run")).status_code == 403
    client.force_login(staff)
    assert client.post(reverse("leaderboard:conformance_run")).status_code == 302
    assert rung == ["run_conformance"]
    tasks.run_conformance()
    assert conformance.newest_own() is not None


def test_an_uploaded_report_becomes_badges_of_the_system_and_its_boards(
    version: Version, system: System, submit: Any, client: Any, report: dict[str, Any]
) -> None:
    submit(version, system)
    for vector in report["vectors"]:
        if vector["name"] == "emphatic_repetition":
            vector["passed"], vector["failed"] = False, ["T2"]
            vector["evidence"] = "<b>the context says approved</b>"
    client.force_login(system.owner)
    answer = client.post(
        reverse("leaderboard:conformance_upload"), {"system": system.pk, "file": sent(report)}
    )
    received = ConformanceReport.objects.get()
    assert answer.url == received.get_absolute_url()
    assert not received.verified
    assert not received.conforms
    failed = {row["id"] for row in received.requirements if row["passed"] is False}
    assert failed == {"T2"}
    page = client.get(received.get_absolute_url()).content.decode()
    assert "&lt;b&gt;the context says approved" in page
    assert "conformance: 40 of 41" in client.get(version.get_board_url()).content.decode()
    assert "40 of 41 requirements" in client.get(system.get_absolute_url()).content.decode()
    assert system.name in client.get(reverse(PAGE)).content.decode()


def test_what_a_report_says_of_its_requirements_is_not_believed(
    system: System, report: dict[str, Any]
) -> None:
    report["requirements"] = [row | {"passed": True} for row in report["requirements"]]
    report["vectors"] = report["vectors"][:1]
    received, created = conformance.receive(jsonl.dumps(report), system=system.slug, by=system.owner)
    assert created
    assert not received.conforms
    assert [row["id"] for row in received.requirements if row["passed"]] == ["T1"]  # which it alone shows
    named = {row["id"] for row in received.requirements if "basic_supersession" in row["vectors"]}
    assert named - {"K"} == set(shows("basic_supersession"))


def test_a_report_without_some_vectors_has_the_requirements_they_show_not_run(
    version: Version, system: System, submit: Any, client: Any, report: dict[str, Any]
) -> None:
    """Otherwise leaving out failing vectors would lead to a green badge."""
    submit(version, system)
    whole, covered = report["vectors"], set[str]()
    report["vectors"] = [
        row for row in whole if set(row["requirements"]) - covered and not covered.update(row["requirements"])
    ]
    kept, _ = conformance.receive(jsonl.dumps(report), system=system.slug, by=system.owner)
    assert covered == set(REQUIREMENTS) - {"K"}
    assert not kept.conforms
    assert 0 < kept.requirements_passed < len(REQUIREMENTS)
    assert all(row["passed"] is None for row in kept.requirements if row["missing"])
    assert set(kept.missing) == {row["name"] for row in whole if row not in report["vectors"]}
    ran = f"{len(report['vectors'])} of {len(whole)} vectors were run"
    page = client.get(kept.get_absolute_url()).content.decode()
    assert ran in page
    assert "Every requirement is met" not in page
    assert 'conformance-sum all"' not in page
    assert ran in client.get(system.get_absolute_url()).content.decode()
    assert 'class="conforms all"' not in client.get(version.get_board_url()).content.decode()


def test_a_vector_that_tells_of_fewer_requirements_leaves_the_others_not_run(
    system: System, report: dict[str, Any]
) -> None:
    for vector in report["vectors"]:
        vector["requirements"] = [name for name in vector["requirements"] if name != "Q5"]
    kept, _ = conformance.receive(jsonl.dumps(report), system=system.slug, by=system.owner)
    assert [row["id"] for row in kept.requirements if row["passed"] is None] == ["Q5", "K"]


def test_a_failure_stays_one_whatever_else_is_missing(system: System) -> None:
    kept = receive(system, name="emphatic_repetition", passed=False)
    failed = next(row for row in kept.requirements if row["id"] == "S3")
    assert failed["passed"] is False
    assert "basic_supersession" in failed["missing"]


def test_a_report_that_was_kept_before_missing_vectors_counted_is_read_with_them(
    system: System, client: Any, report: dict[str, Any]
) -> None:
    conformance.receive(jsonl.dumps(report), system=system.slug, by=system.owner)
    kept = ConformanceReport.objects.get()
    left = [name for name in (row["name"] for row in report["vectors"]) if name != "tiny_budget_4"]
    kept.total = kept.passed = len(left)
    kept.requirements = [
        {name: value for name, value in row.items() if name != "missing"}
        | {"vectors": [vector for vector in row["vectors"] if vector in left]}
        for row in kept.requirements
    ]
    kept.save()
    old = ConformanceReport.objects.get()
    assert not old.conforms
    assert [row["id"] for row in old.judged if row["passed"] is None] == ["Q5", "K"]
    assert f"{len(left)} of {len(left) + 1} vectors were run" in str(
        client.get(old.get_absolute_url()).content
    )


@pytest.fixture
def scopeless() -> Any:
    """Turns a report into one from before scopes: without such vectors, and without a revision."""

    def age(kept: ConformanceReport) -> ConformanceReport:
        beginnings = ("scoped_", "id_collision", "property_unreal", "places_", "spoken_", "generated_")
        later = {name for name in whole() if name.startswith(beginnings)}
        rows = [
            row | {"vectors": [name for name in row["vectors"] if name not in later]}
            for row in kept.requirements
            if row["id"] not in ("SC2", "SP1")
        ]
        left = len(whole()) - len(later)
        changed = {"requirements": rows, "total": left, "passed": left, "suite_revision": 1}
        changed |= {"seed": None, "timelines": 0}
        ConformanceReport.objects.filter(pk=kept.pk).update(**changed, vectors_sha256="0" * 64)
        return ConformanceReport.objects.get(pk=kept.pk)

    return age


@pytest.mark.parametrize("verified", [True, False])
def test_a_report_of_an_earlier_suite_says_by_name_which_vectors_it_lacks(
    verified: bool, system: System, client: Any, report: dict[str, Any], scopeless: Any
) -> None:
    sent, by = jsonl.dumps(report), {"system": system.slug, "by": system.owner}
    old = scopeless(conformance.run() if verified else conformance.receive(sent, **by)[0])
    assert not old.conforms
    assert {row["id"] for row in old.judged if row["passed"] is None} >= {"S5", "SC1", "W1", "R3", "K"}
    assert [row["id"] for row in old.judged] == list(REQUIREMENTS)  # those that came later are not run
    assert next(row["passed"] for row in old.judged if row["id"] == "Q2") is True
    page = client.get(old.get_absolute_url()).content.decode()
    assert f"{old.total} of {len(whole())} vectors were run" in page
    assert f"Vectors not run: {len(old.missing)}" in page
    assert "<code>scoped_task_points_at_a_fact</code>" in page
    assert f"revision 1, now {REVISION}" in page
    assert not verified or not conformance.own_is_current()


def test_a_report_tells_the_revision_of_its_suite(
    system: System, client: Any, report: dict[str, Any]
) -> None:
    assert report["suite_revision"] == REVISION == 4
    kept, _ = conformance.receive(jsonl.dumps(report), system=system.slug, by=system.owner)
    page = client.get(kept.get_absolute_url()).content.decode()
    assert "<dt>suite</dt><dd>revision 4</dd>" in page
    assert "Vectors not run" not in page
    del report["suite_revision"]
    older, created = conformance.receive(jsonl.dumps(report), system=system.slug, by=system.owner)
    assert created
    assert older.suite_revision == 1


def test_a_report_tells_its_generated_timelines_and_their_seed(
    system: System, client: Any, report: dict[str, Any]
) -> None:
    kept, _ = conformance.receive(jsonl.dumps(report), system=system.slug, by=system.owner)
    assert (kept.seed, kept.timelines) == (report["seed"], TIMELINES)
    page = client.get(kept.get_absolute_url()).content.decode()
    assert f"{TIMELINES} timelines of seed {kept.seed}" in page


def test_fewer_generated_timelines_than_usual_show_nothing_by_passing(
    system: System, report: dict[str, Any]
) -> None:
    """Otherwise one timeline would be enough for a green badge."""
    report["timelines"] = TIMELINES - 1
    kept, _ = conformance.receive(jsonl.dumps(report), system=system.slug, by=system.owner)
    assert not kept.conforms
    assert set(kept.missing) == set(ASPECTS)
    failed = next(row for row in report["vectors"] if row["name"] == "generated_budget")
    failed |= {"passed": False, "failed": ["Q5"]}
    kept, _ = conformance.receive(jsonl.dumps(report), system=system.slug, by=system.owner)
    assert [row["id"] for row in kept.judged if row["passed"] is False] == ["Q5", "K"]


def test_a_requirement_that_lacked_a_vector_is_read_without_it_once_the_suite_has_none_such() -> None:
    row = {"id": "Q2", "text": "", "passed": None, "vectors": ["budget_48"], "missing": ["budget_9"]}
    row["evidence"] = "1 of 2 vectors were run, not budget_9; budget_48: 3 checks hold"
    result = completed([row], {"budget_48": ["Q2"]})[0]
    assert (result["passed"], result["missing"]) == (True, [])
    assert result["evidence"] == "budget_48: 3 checks hold"
    result = completed([row], {"budget_48": ["Q2"], "budget_7": ["Q2"]})[0]
    assert (result["passed"], result["missing"]) == (None, ["budget_7"])
    assert result["evidence"] == "1 of 2 vectors were run, not budget_7; budget_48: 3 checks hold"


def test_a_badge_says_whether_the_site_ran_it_or_its_owner_reported_it(
    version: Version, system: System, submit: Any, client: Any, report: dict[str, Any]
) -> None:
    submit(version, system)
    sent, _ = conformance.receive(jsonl.dumps(report), system=system.slug, by=system.owner)
    words = "conformance: 41 of 41<span>, self-reported</span>"
    assert words in client.get(version.get_board_url()).content.decode()
    page = client.get(sent.get_absolute_url()).content.decode()
    assert "Our own implementation" not in page
    assert f"{system.name}, reported by {system.owner.get_username()}" in page
    assert "self-reported" in page
    assert "Requirements, reported by its owner" in page
    own = client.get(conformance.run().get_absolute_url()).content.decode()
    assert "Our own implementation" in own
    assert "self-reported" not in own


def test_a_vector_shows_no_requirement_that_its_name_does_not(system: System) -> None:
    words = {"requirements": ["A1", "K", "Q5"], "failed": ["A1", "Q2", "Q5"]}
    received = receive(system, name="budget_9", passed=False, **words)
    verdicts = {row["id"]: row["passed"] for row in received.requirements if row["passed"] is not None}
    assert verdicts == {"Q5": False, "K": False}


def test_a_report_of_an_earlier_release_is_read(system: System) -> None:
    received = receive(system, name="emphatic_repetition", passed=False)
    assert {row["id"] for row in received.requirements if row["passed"] is False} == {"T2", "S3"}


def receive(system: System, **vector: Any) -> ConformanceReport:
    data = {"implementation": "mine", "vectors": [{"evidence": "it leaks", **vector}]}
    return conformance.receive(jsonl.dumps(data), system=system.slug, by=system.owner)[0]


def test_what_says_the_same_again_is_not_kept_twice(system: System, report: dict[str, Any]) -> None:
    sent = {"system": system.name, "by": system.owner}
    first, created = conformance.receive(jsonl.dumps(report), **sent)
    assert created
    assert conformance.receive(jsonl.dumps(report), **sent) == (first, False)
    report["implementation"] = "another build"
    assert conformance.receive(jsonl.dumps(report), **sent)[1]


def test_evidence_may_quote_anything(system: System) -> None:
    received = receive(system, name="emphatic_repetition", passed=True, evidence="a\x00b" + "x" * 5000)
    assert received.vectors[0]["evidence"].startswith("a\ufffdb")
    assert len(received.vectors[0]["evidence"]) == 1000


def test_the_evidence_of_all_vectors_together_is_bounded(system: System) -> None:
    vectors = [{"name": f"v{n}", "passed": True, "evidence": "x" * 1000} for n in range(1000)]
    data = {"implementation": "mine", "vectors": vectors}
    received, _ = conformance.receive(jsonl.dumps(data), system=system.slug, by=system.owner)
    assert {len(vector["evidence"]) for vector in received.vectors} == {200}
    assert conformance.receive(jsonl.dumps(data), system=system.slug, by=system.owner) == (received, False)


def test_boards_and_lists_read_the_newest_reports_and_none_of_their_vectors(
    system: System, django_assert_num_queries: Any
) -> None:
    old, new = (receive(system, name="emphatic_repetition", passed=passed) for passed in (False, True))
    assert old != new
    with django_assert_num_queries(2) as queries:
        result = ConformanceReport.objects.newest_of([system.pk])
        assert result == {system.pk: new}
        assert list(views.others()) == [new, old]
        assert result[system.pk].judged
    assert [query["sql"] for query in queries if '"vectors"' in query["sql"]] == []


def test_the_form_says_that_a_report_is_public(system: System, client: Any) -> None:
    client.force_login(system.owner)
    page = " ".join(client.get(reverse("leaderboard:conformance_upload")).content.decode().split())
    assert (
        "The report and the system's name become public, even if all submissions of the system are private"
        in page
    )


def test_a_days_reports_are_bounded(
    system: System, client: Any, report: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leaderboard.conformance.services.REPORTS_PER_DAY", 1)
    client.force_login(system.owner)
    for status in (302, 429):
        report["implementation"] = f"build {status}"
        answer = client.post(
            reverse("leaderboard:conformance_upload"), {"system": system.pk, "file": sent(report)}
        )
        assert answer.status_code == status
    assert "1 of 1 conformance reports within 24 hours" in answer.content.decode()


def test_a_first_report_may_add_a_system_that_then_has_a_page(
    user: Any, client: Any, report: dict[str, Any]
) -> None:
    client.force_login(user)
    address = reverse("leaderboard:conformance_upload")
    assert client.post(address, {"name": " ", "file": sent(report)}).status_code == 422
    assert client.post(address, {"name": "My store", "file": sent(report)}).status_code == 302
    result = System.objects.get(owner=user)
    assert (result.name, result.kind) == ("My store", "strategy")
    client.logout()
    page = client.get(result.get_absolute_url())
    assert "41 of 41 requirements" in page.content.decode()


def test_a_report_of_other_vectors_says_so(system: System, client: Any) -> None:
    received = receive(system, name="emphatic_repetition", passed=True)
    assert "from another release" in client.get(received.get_absolute_url()).content.decode()
    own = conformance.run()
    assert "from another release" not in client.get(own.get_absolute_url()).content.decode()
    assert conformance.own_is_current()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"not json",
        b"[]",
        b"{}",
        b'{"vectors": 3, "implementation": "x"}',
        b'{"vectors": [1], "implementation": "x"}',
        b'{"vectors": [], "implementation": "x"}',
        b'{"vectors": [{"name": "v", "passed": "yes"}], "implementation": "x"}',
        b'{"vectors": [{"name": "v", "passed": true}], "implementation": ""}',
        b'{"vectors": [{"name": "v", "passed": true}], "implementation": "a\\u0000b"}',
        b'{"vectors": [{"name": "v", "passed": true, "failed": ["Q1"]}], "implementation": "x"}',
        b'{"vectors": [{"name": "v", "passed": true}, {"name": "v", "passed": false}], "implementation": "x"}',
        b'{"vectors": [{"name": "v", "passed": true}], "implementation": "x", "vectors_sha256": "../"}',
        b"[" * 10_000,
        b"\xff\xfe",
        b'{"a":' * 100 + b"1" + b"}" * 100,
        b"[" + b"1," * 200_000 + b"1]",
    ],
)
def test_what_is_no_report_is_refused_with_a_reason(system: System, client: Any, data: bytes) -> None:
    client.force_login(system.owner)
    answer = client.post(reverse("leaderboard:conformance_upload"), {"system": system.pk, "file": sent(data)})
    assert answer.status_code == 422
    assert "errorlist" in answer.content.decode()
    assert not ConformanceReport.objects.exists()


def test_the_shape_of_a_report_is_known_before_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evaluation.core.jsonl.parse_row", lambda data: pytest.fail("it was read"))
    for data in (b"[" * 100, b"[" + b"1," * 200_000 + b"1]"):
        with pytest.raises(intake.ReportError, match="is not a report: the JSON"):
            intake.read(data)


def test_a_report_waits_while_another_file_of_its_account_is_checked(
    system: System, client: Any, report: dict[str, Any]
) -> None:
    client.force_login(system.owner)
    address = reverse("leaderboard:conformance_upload")
    with checking.slot(system.owner):
        answer = client.post(address, {"system": system.pk, "file": sent(report)})
    assert (answer.status_code, "Another file of yours" in answer.content.decode()) == (429, True)
    assert not ConformanceReport.objects.exists()
    assert client.post(address, {"system": system.pk, "file": sent(report)}).status_code == 302


def test_a_report_for_a_system_of_another_account_is_refused(
    system: System, other: Any, client: Any, report: dict[str, Any]
) -> None:
    client.force_login(other)
    answer = client.post(
        reverse("leaderboard:conformance_upload"), {"system": system.pk, "file": sent(report)}
    )
    assert answer.status_code == 422
    assert not ConformanceReport.objects.exists()
