"""Versions and results in formats of other projects. `make bridges` checks them by the real readers."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile

import pyarrow.parquet as pq
import pytest
import yaml
from django.urls import reverse

from leaderboard.benchmarks.rows.reading import rows_of
from leaderboard.submissions.models import Submission, System

ADDRESS = ["goldevidencebench", "tiny"]


def get(client, name, *args, **headers):
    return client.get(reverse(f"leaderboard:{name}", args=args), headers=headers)


@pytest.fixture
def graded(version, system, submit):
    System.objects.filter(pk=system.pk).update(
        hub_id="ada/tiny-1", weights="open", developer="Ada", price_in=0.5
    )
    return Submission.objects.get(pk=submit(version, system, wrong=1).pk)


def whole(response):
    return b"".join(response.streaming_content) if response.streaming else response.content


def test_the_rows_are_a_table_with_their_texts(client, version):
    response = get(client, "version_table", *ADDRESS)
    data = whole(response)
    table = pq.read_table(io.BytesIO(data)).to_pylist()
    rows = list(rows_of(version))
    assert [row["id"] for row in table] == [row["id"] for row in rows]
    texts = [{name: text for name, text in row.items() if isinstance(text, str)} for row in rows]
    assert [{name: row[name] for name in text} for row, text in zip(table, texts, strict=True)] == texts
    assert response["ETag"] == f'"{hashlib.sha256(data).hexdigest()}"'
    part = get(client, "version_table", *ADDRESS, range="bytes=0-3")
    assert (part.status_code, whole(part)) == (206, b"PAR1")
    assert get(client, "version_table", *ADDRESS, **{"if-none-match": response["ETag"]}).status_code == 304


def test_croissant_names_the_file_with_its_hash_and_every_column(client, version):
    response = get(client, "version_croissant", *ADDRESS)
    assert response["Content-Type"] == "application/ld+json"
    said = response.json()
    data = whole(get(client, "version_table", *ADDRESS))
    (file,) = said["distribution"]
    assert (file["sha256"], file["contentSize"]) == (hashlib.sha256(data).hexdigest(), f"{len(data)} B")
    assert file["contentUrl"] == f"http://testserver{reverse('leaderboard:version_table', args=ADDRESS)}"
    fields = said["recordSet"][0]["field"]
    assert [field["name"] for field in fields] == pq.read_schema(io.BytesIO(data)).names
    assert said["license"] == "https://spdx.org/licenses/MIT"
    assert version.sha256 in said["description"]


def test_the_version_page_leads_to_all_of_them(client, version):
    page = client.get(version.get_absolute_url()).content.decode()
    assert '<link rel="alternate" type="application/ld+json"' in page
    assert "load_dataset(&quot;parquet&quot;, data_files=&quot;http://testserver/versions/" in page
    for name in ("version_croissant", "version_table", "version_eval_yaml", "version_cff", "board_records"):
        assert reverse(f"leaderboard:{name}", args=ADDRESS) in page


def test_yaml_files_of_a_version(client, version):
    cited = yaml.safe_load(get(client, "version_cff", *ADDRESS).content)
    assert (cited["type"], cited["license"], cited["version"]) == ("dataset", "MIT", "tiny")
    assert cited["identifiers"][0]["value"] == f"sha256:{version.sha256}"
    said = yaml.safe_load(get(client, "version_eval_yaml", *ADDRESS).content)
    assert said["tasks"] == [{"id": "tiny", "config": "default", "split": "test"}]


def test_a_result_as_a_record_of_every_eval_ever(client, graded):
    said = get(client, "submission_record", graded.pk).json()
    assert said["schema_version"] == "0.3.0"
    model = said["model_info"]
    assert (model["id"], model["developer"]) == ("ada/tiny-1", "Ada")
    assert model["additional_details"]["model_availability"] == "open_weights"
    assert model["additional_details"]["price_in"] == "0.5"
    first = said["evaluation_results"][0]
    assert first["metric_config"]["metric_id"] == f"goldevidencebench.{graded.version.headline.name}"
    assert first["score_details"]["score"] == graded.result
    ends = first["score_details"]["uncertainty"]["confidence_interval"]
    assert (ends["lower"], ends["upper"]) == graded.result_interval


def test_all_records_of_a_board_in_a_zip(client, graded):
    response = get(client, "board_records", *ADDRESS)
    with zipfile.ZipFile(io.BytesIO(response.content)) as packed:
        assert packed.namelist() == [f"data/goldevidencebench/ada/tiny-1/{graded.pk}.json"]
        assert json.loads(packed.read(packed.namelist()[0]))["schema_version"] == "0.3.0"
    assert get(client, "board_records", *ADDRESS).content == response.content


def test_a_result_for_the_hub(client, graded):
    (entry,) = yaml.safe_load(get(client, "submission_eval_results", graded.pk).content)
    assert entry["dataset"] == {"id": "goldevidencebench/tiny", "task_id": "tiny"}
    assert entry["value"] == graded.result
    (model,) = yaml.safe_load(get(client, "submission_model_index", graded.pk).content)["model-index"]
    assert model["results"][0]["metrics"][0]["value"] == graded.result
    page = client.get(graded.get_absolute_url()).content.decode()
    assert "Use this result elsewhere" in page
    assert "goldevidencebench/tiny" in page


@pytest.mark.parametrize("name", ["submission_record", "submission_eval_results", "submission_model_index"])
def test_a_private_result_is_not_told_elsewhere(client, version, system, submit, name):
    private = submit(version, system, visibility=Submission.Visibility.PRIVATE)
    assert get(client, name, private.pk).status_code == 404


def test_a_badge_for_shields(client, graded):
    said = get(client, "system_shield", graded.system.owner.get_username(), graded.system.slug).json()
    assert (said["schemaVersion"], said["label"]) == (1, "Tiny")
    assert "not ranked: 2 episodes are too few" in said["message"]
