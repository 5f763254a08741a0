"""Conformance reports: ours is all green; anybody's becomes badges, judged anew from its vectors."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.urls import reverse

from evaluation import cli, jsonl
from evaluation.statebench.conformance.vectors import REQUIREMENTS
from leaderboard import conformance, tasks
from leaderboard.models import ConformanceReport, System, Version

PAGE = "leaderboard:conformance"


@pytest.fixture
def report(tmp_path: Any) -> dict[str, Any]:
    """What the command line writes of our own implementation."""
    assert cli.main(["state", "conformance", "--results-json", str(tmp_path / "report.json")]) == 0
    return json.loads((tmp_path / "report.json").read_bytes())


def sent(data: Any) -> SimpleUploadedFile:
    return SimpleUploadedFile("report.json", data if isinstance(data, bytes) else jsonl.dumps(data))


def test_our_own_implementation_fulfils_every_requirement(db: None, client: Any) -> None:
    call_command("run_conformance")
    found = ConformanceReport.objects.get()
    assert found.verified
    assert found.conforms
    assert found.passed == found.total
    assert {row["id"] for row in found.requirements} == set(REQUIREMENTS)
    assert len(found.vectors_sha256) == 64
    page = client.get(reverse(PAGE)).content.decode()
    assert "Every requirement is fulfilled." in page
    assert 'class="fail"' not in page
    assert 'class="none"' not in page
    for name, text in REQUIREMENTS.items():
        assert f'id="{name}"' in page
        assert text in page


def test_a_worker_runs_it_again_when_staff_ask(
    staff: Any, user: Any, client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rung: list[Any] = []
    monkeypatch.setattr("leaderboard.bell.ring", lambda task, *args: rung.append(task))
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
            vector["passed"] = False
            vector["evidence"] = "<b>the context says approved</b>"
    client.force_login(system.owner)
    answer = client.post(
        reverse("leaderboard:conformance_upload"), {"system": system.pk, "file": sent(report)}
    )
    found = ConformanceReport.objects.get()
    assert answer.url == found.get_absolute_url()
    assert not found.verified
    assert not found.conforms
    failed = {row["id"] for row in found.requirements if row["passed"] is False}
    assert failed == {"T2", "S3"}
    page = client.get(found.get_absolute_url()).content.decode()
    assert "&lt;b&gt;the context says approved" in page
    assert "conformance 26/28" in client.get(version.get_board_url()).content.decode()
    assert "26 of 28 requirements" in client.get(system.get_absolute_url()).content.decode()
    assert system.name in client.get(reverse(PAGE)).content.decode()


def test_what_a_report_says_of_its_requirements_is_not_believed(
    system: System, report: dict[str, Any]
) -> None:
    report["requirements"] = [row | {"passed": True} for row in report["requirements"]]
    report["vectors"] = report["vectors"][:1]
    found = conformance.receive(jsonl.dumps(report), system=system, by=system.owner)
    assert not found.conforms
    assert {row["id"] for row in found.requirements if row["passed"]} == {"T1", "S2", "S3", "W1"}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"not json",
        b"[]",
        b"{}",
        b'{"vectors": 3, "implementation": "x"}',
        b'{"vectors": [1]}',
        b"\xff\xfe",
    ],
)
def test_what_is_no_report_is_refused_with_a_reason(system: System, client: Any, data: bytes) -> None:
    client.force_login(system.owner)
    answer = client.post(reverse("leaderboard:conformance_upload"), {"system": system.pk, "file": sent(data)})
    assert answer.status_code == 422
    assert "errorlist" in answer.content.decode()
    assert not ConformanceReport.objects.exists()


def test_nobody_reports_for_a_system_of_another(
    system: System, other: Any, client: Any, report: dict[str, Any]
) -> None:
    client.force_login(other)
    answer = client.post(
        reverse("leaderboard:conformance_upload"), {"system": system.pk, "file": sent(report)}
    )
    assert answer.status_code == 422
    assert not ConformanceReport.objects.exists()
