"""Files of other tools are accepted, as their answers to the rows of a version."""

from __future__ import annotations

import csv
import gzip
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.urls import reverse

from evaluation.core import jsonl
from leaderboard.benchmarks import storage
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission
from leaderboard.submissions.services import conversion


@pytest.fixture
def answers(version, predictions):
    """The id of each row and a reply to it, as a model writes it."""
    return [(line["id"], json.dumps(line)) for line in jsonl.read(predictions(version))]


def lm_eval(answers, path):
    samples = [{"doc_id": n, "doc": {"id": id}, "resps": [[text]]} for n, (id, text) in enumerate(answers)]
    jsonl.write(path, [*samples, {"doc_id": 99, "doc": {}, "resps": [["?"]]}])
    return path


def inspect_log(answers, path):
    samples = [{"id": id, "epoch": 1, "output": {"completion": text}} for id, text in answers]
    path.write_text(json.dumps({"status": "success", "eval": {"model": "m"}, "samples": samples}, indent=1))
    return path


def openai(answers, path):
    bodies = [(id, {"model": "m", "choices": [{"message": {"content": text}}]}) for id, text in answers]
    jsonl.write(
        path, [{"custom_id": id, "response": {"status_code": 200, "body": body}} for id, body in bodies]
    )
    return path


def anthropic(answers, path):
    def message(text):
        usage = {"input_tokens": 70, "output_tokens": 30}
        return {"model": "m", "content": [{"type": "text", "text": text}], "usage": usage}

    results = [(id, {"type": "succeeded", "message": message(text)}) for id, text in answers]
    jsonl.write(path, [{"custom_id": id, "result": result} for id, result in results])
    return path


def table_of_text(answers, path):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("id", "output"), *answers])
    return path


def parquet(answers, path):
    ids, texts = zip(*answers, strict=True)
    pq.write_table(pa.table({"id": ids, "completion": texts}), path)
    return path


@pytest.mark.parametrize("write", [lm_eval, inspect_log, openai, anthropic, table_of_text, parquet])
def test_a_file_of_another_tool_is_stored_as_predictions(version, user, answers, tmp_path, write):
    accepted = submissions.accept(version, write(answers, tmp_path / "sent"), sent_by=user)
    stored = list(storage.rows(accepted.sha256))
    assert [(line["id"], json.loads(line["output"])["id"]) for line in stored] == [
        (id, id) for id, _ in answers
    ]
    assert accepted.warnings[0].code == "read_as"
    assert f"{len(answers)} answers used" in accepted.warnings[0].message
    assert accepted.tokens_per_query == (100 if write is anthropic else None)


def test_a_packed_one_is_unpacked_within_the_same_bounds(version, user, answers, tmp_path, settings):
    packed = tmp_path / "sent.gz"
    packed.write_bytes(gzip.compress(openai(answers, tmp_path / "sent").read_bytes()))
    assert submissions.accept(version, packed, sent_by=user).rows == len(answers)
    settings.UPLOAD_MAX_EXPANDED_BYTES = 1000
    with pytest.raises(submissions.RejectedError):
        submissions.accept(version, packed, sent_by=user)


def test_a_table_that_unpacks_beyond_the_memory_is_refused_in_a_sentence(
    version, user, tmp_path, monkeypatch
):
    monkeypatch.setattr(conversion, "MEMORY", 512 << 20)
    repeated = pa.DictionaryArray.from_arrays(pa.array([0] * 600), pa.array(["x" * (1 << 20)]))
    ids = [f"r{number}" for number in range(600)]
    pq.write_table(pa.table({"id": ids, "output": repeated}), tmp_path / "bomb")
    assert (tmp_path / "bomb").stat().st_size < 1 << 20
    with pytest.raises(submissions.RejectedError) as refused:
        submissions.accept(version, tmp_path / "bomb", sent_by=user)
    assert "bytes of memory" in refused.value.intake.guess.message


def test_what_is_still_wrong_is_told_beside_how_the_file_was_read(version, user, answers, tmp_path):
    with pytest.raises(submissions.RejectedError) as refused:
        submissions.accept(version, openai(answers[1:], tmp_path / "sent"), sent_by=user)
    intake = refused.value.intake
    assert intake.counts == {"missing_id": 1}
    assert intake.guess.message.startswith("Read as a batch of OpenAI's API (m): ")


def test_a_table_without_answers_says_which_columns_are_read(version, user, tmp_path):
    (tmp_path / "sent").write_text("id,score\nr1,1\n")
    with pytest.raises(submissions.RejectedError) as refused:
        submissions.accept(version, tmp_path / "sent", sent_by=user)
    assert refused.value.intake.guess.message.startswith(
        "The file has neither a column `value` nor one of output"
    )


def test_the_upload_page_says_how_a_file_was_read(client, user, version, answers, tmp_path):
    client.force_login(user)
    fields = {"version": version.pk, "name": "Mine", "visibility": "public", "kind": "llm"}
    with lm_eval(answers, tmp_path / "samples.jsonl").open("rb") as file:
        checked = client.post(reverse("leaderboard:submit"), fields | {"file": file, "check": "1"})
    words = f"Read as samples of lm-evaluation-harness: {len(answers)} answers used, 1 without a row id."
    assert words in checked.content.decode()
    assert "Is this intended" not in checked.content.decode()
    with lm_eval(answers, tmp_path / "samples.jsonl").open("rb") as file:
        sent = client.post(reverse("leaderboard:submit"), fields | {"file": file}, follow=True)
    assert words in sent.content.decode()
    assert Submission.objects.get().row_count == len(answers)
