"""A reference data set imported and frozen, reference predictions uploaded: the page shows the reference's figures."""

from __future__ import annotations

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from leaderboard.benchmarks import freezing, storage
from leaderboard.benchmarks.models import Benchmark, Preset, Version
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission
from leaderboard.web.formatting import number
from tests.reference import reference_path

CASES = [
    "perfect",
    "stale_value_and_cite",
    "bloat_two",
    "note_value_gold_cite",
    "output_prose",
    "gold_plus_unknown",
]


@pytest.fixture(scope="module")
def manifest():
    return json.loads(reference_path("gold/manifest.json").read_text())


@pytest.fixture
def imported(db, manifest):
    """A data set of the reference, frozen with the reference's rubric."""

    def make(dataset: str) -> Version:
        source = storage.keep(reference_path(f"gold/data/{dataset}.jsonl.gz"))
        benchmark = Benchmark.objects.get(suite="goldevidence")
        preset = Preset.objects.create(benchmark=benchmark, name=dataset, settings={"rubric": "reference"})
        version = freezing.start(preset=preset, source_sha256=source, wake_worker=False)
        assert freezing.freeze(version.pk), Version.objects.get(pk=version.pk).error
        return Version.objects.select_related("benchmark").get(pk=version.pk)

    return make


@pytest.mark.parametrize("dataset", ["kv-instruction", "kv_commentary-standard", "set-standard"])
@pytest.mark.parametrize("case", CASES)
def test_an_uploaded_reference_case_shows_the_references_figures(
    client, user, imported, manifest, dataset, case
):
    expected = {item["id"]: item["expected"] for item in manifest["cases"]}.get(f"{dataset}/{case}/default")
    if expected is None:
        pytest.skip(f"the reference has no case {dataset}/{case}")
    version = imported(dataset)
    client.force_login(user)
    data = reference_path(f"gold/preds/{dataset}/{case}.jsonl.gz").read_bytes()
    upload = SimpleUploadedFile("preds.jsonl.gz", data)
    form = {"version": version.pk, "name": case, "kind": "baseline", "visibility": "public", "file": upload}
    response = client.post(reverse("leaderboard:submit"), form)
    assert response.status_code == 302, response.context["problems"]
    made = Submission.objects.get()
    assert submissions.grade(str(made.pk))

    page = client.get(made.get_absolute_url())
    shown = {column.name: value for column, value, _ in page.context["metrics"]}
    for name, value in zip(manifest["metric_names"], expected, strict=True):
        assert (shown[name] is None) == (value is None), name
        assert value is None or shown[name] == pytest.approx(value, abs=1e-9), name
    assert number(shown["exact_acc"]) in page.content.decode()
