"""Memory systems without a model: their contexts are sent by API and browser, measured, and shown beside ours."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from evaluation.core import jsonl
from evaluation.statebench.strategies import build_budgets
from leaderboard.benchmarks import seeding
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.rows import reading
from leaderboard.boards.placements import computing
from leaderboard.runs import services as runs
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission, System

BOARD = "/boards/statebench/quick/"
BUDGETS = (64, 512)
SEND = "/submissions?version=statebench/quick&system=Recollection"


@pytest.fixture
def quick(make_version: Any) -> Version:
    """A small version with one strategy that the site ran."""
    version: Version = make_version("statebench", "quick", tracks=["supersession", "causality"], count=2)
    run = runs.start(version=version, executor="no_memory", started_by=seeding.site_user(), wake_worker=False)
    runs.execute(str(run.pk), grade_now=True)
    return version


def contexts_file(version: Version, path: Path, budgets: tuple[int, ...] = BUDGETS) -> bytes:
    """The contexts of `state_based`, as another memory system would send them."""
    lines = [
        {
            "timeline_id": row["id"],
            "query_idx": query,
            "contexts": {str(budget): each.text for budget, each in zip(budgets, contexts, strict=True)},
        }
        for row in reading.rows_of(version)
        for query, contexts in enumerate(
            zip(*build_budgets(row, budgets, strategy="state_based"), strict=True)  # type: ignore[arg-type]
        )
    ]
    jsonl.write(path, lines)
    return path.read_bytes()


@pytest.fixture
def contexts(quick: Version, tmp_path: Path) -> bytes:
    return contexts_file(quick, tmp_path / "contexts.jsonl")


def graded(response: Any) -> Submission:
    pk = response.json()["id"]
    assert submissions.grade(pk)
    return Submission.objects.with_names().get(pk=pk)


def test_what_a_memory_sent_stands_beside_our_strategies_at_its_budgets(ada, client, quick, contexts):
    made = graded(ada("POST", SEND, contexts, kind="text/plain"))
    computing.store(quick)
    assert made.system.kind == System.Kind.MEMORY
    assert [row["budget"] for row in made.score.measures] == list(BUDGETS)
    assert made.result is None
    html = client.get(f"{BOARD}?budget=512").content.decode()
    table = html.split('<table class="table apart">')[1].split("</table>")[0]
    assert table.index("Recollection") < table.index("no_memory")
    assert "Memory system · no model" in table
    assert "self-reported" in table
    assert html.count("Memories, no model attached</h2>") == 1
    at_other = client.get(f"{BOARD}?budget=8192").content.decode()
    assert "Recollection" in at_other
    lines = csv.DictReader(io.StringIO(client.get(f"{BOARD}measures.csv").content.decode()))
    assert {int(one["budget"]) for one in lines if one["kind"] == "memory"} == set(BUDGETS)


def test_its_figures_are_those_of_the_strategy_that_made_the_contexts(ada, quick, contexts):
    made = graded(ada("POST", SEND, contexts, kind="text/plain"))
    run = runs.start(version=quick, executor="state_based", started_by=seeding.site_user(), wake_worker=False)
    runs.execute(str(run.pk), grade_now=True)
    ours = {row["budget"]: row for row in Submission.objects.get(system__name="state_based").score.measures}
    for row in made.score.measures:
        other = ours[row["budget"]]
        for name in ("live_values", "dead_values", "constraints", "coverage", "tokens_mean"):
            assert row[name] == other[name]
            assert row[f"{name}_low"] == other[f"{name}_low"]


def test_by_browser_a_file_of_contexts_is_checked_and_sent(client, user, quick, contexts):
    client.force_login(user)
    fields = {"version": quick.pk, "name": "Recollection", "kind": "llm", "visibility": "public"}
    upload = SimpleUploadedFile("contexts.jsonl", contexts)
    checked = client.post("/submit/", {**fields, "check": "1", "file": upload}).content.decode()
    assert "contexts of 64 and 512 tokens" in checked
    upload.seek(0)
    assert client.post("/submit/", {**fields, "file": upload}).status_code == 302
    made = Submission.objects.get(system__name="Recollection")
    assert made.system.kind == System.Kind.MEMORY
    assert submissions.grade(str(made.pk))
    page = " ".join(client.get(made.get_absolute_url()).content.decode().split())
    assert "Contexts over the token budget" in page
    assert "No model reads it" in page


@pytest.mark.parametrize("how", ["api", "browser"])
def test_contexts_of_a_system_that_answers_are_refused(ada, client, user, quick, contexts, how):
    System.objects.create(owner=user, name="Recollection", kind=System.Kind.LLM)
    if how == "api":
        response = ada("POST", SEND, contexts, kind="text/plain")
        said = (
            response.json()["errors"][0]["message"]
            if "errors" in response.json()
            else response.content.decode()
        )
    else:
        client.force_login(user)
        fields = {
            "version": quick.pk,
            "system": System.objects.get(name="Recollection").pk,
            "visibility": "public",
        }
        response = client.post("/submit/", {**fields, "file": SimpleUploadedFile("c.jsonl", contexts)})
        said = response.content.decode()
    assert response.status_code == 422
    assert "The file has contexts of 64 and 512 tokens, but Recollection is of the kind LLM" in said
    assert not Submission.objects.filter(system__name="Recollection").exists()


def test_answers_of_a_memory_system_are_refused(ada, user, quick, predictions):
    System.objects.create(owner=user, name="Recollection", kind=System.Kind.MEMORY)
    response = ada("POST", SEND, predictions(quick, "no_memory").read_bytes(), kind="text/plain")
    assert response.status_code == 422
    assert "is of the kind Memory system, which sends contexts" in response.content.decode()


def test_a_file_of_other_lines_than_contexts_is_refused_line_by_line(ada, quick, contexts):
    lines = contexts.splitlines(keepends=True)
    broken = b"".join([*lines[:-1], lines[-1].replace(b'"512"', b'"many"')])
    problem = ada("POST", SEND, broken, kind="text/plain").json()["problems"][0]
    assert (problem["code"], problem["line"]) == ("unreadable_context", len(lines))


def test_a_sealed_version_shows_a_memory_only_of_a_declared_entry_and_rounded(
    ada, client, make_version, tmp_path
):
    sealed = make_version("statebench", "quick", sealed=True, tracks=["supersession", "causality"], count=30)
    sent = contexts_file(sealed, tmp_path / "c.jsonl")
    undeclared = graded(ada("POST", SEND, sent, kind="text/plain"))
    assert undeclared.score.measures == []
    declared = graded(ada("POST", f"{SEND}&entry=true", sent, kind="text/plain"))
    assert [row["budget"] for row in declared.score.measures] == list(BUDGETS)
    for shown, exact in zip(declared.score.measures, declared.score.exact["measures"], strict=True):
        assert exact["live_values"] is not None
        assert shown["live_values"] is None or abs(shown["live_values"] - exact["live_values"]) < 0.2
        assert shown["live_values"] != exact["live_values"] or exact["live_values"] in (0.0, 1.0)
