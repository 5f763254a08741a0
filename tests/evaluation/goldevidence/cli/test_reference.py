"""`goldevidencebench reference`: published tables with our figures, in three forms; the exit code reports failures."""

from __future__ import annotations

import json

import pytest

from evaluation.cli import main
from evaluation.goldevidence.experiments import anchors
from evaluation.goldevidence.experiments.anchors.rendering import (
    NOT_COMPARABLE,
    as_markdown,
    external_as_markdown,
    summary_as_markdown,
)
from tests.live import ROOT

DOCUMENT = ROOT / "docs" / "benchmarks.md"


def test_the_text_has_every_table_what_came_of_it_and_the_other_benchmarks(capsys) -> None:
    assert main(["reference"]) == 0
    printed = capsys.readouterr().out
    assert all(table.title in printed for table in anchors.published())
    assert all(each.source in printed for each in anchors.external())
    assert NOT_COMPARABLE in printed
    rows = sum(len(table.rows) for table in anchors.published())
    assert f"{len(anchors.published())} published tables, {rows} rows:" in printed
    assert "0.9375 → same" in printed
    assert "goldevidencebench sweep run --out runs/order-bias --adapter retrieval" in printed
    assert "480 questions" in printed


def test_markdown_is_asked_for_in_two_ways(capsys) -> None:
    written = []
    for arguments in (["--markdown"], ["--format", "markdown"]):
        assert main(["reference", *arguments]) == 0
        written.append(capsys.readouterr().out)
    assert written[0] == written[1]
    assert as_markdown(anchors.compare()) in written[0]
    assert external_as_markdown(anchors.external()) in written[0]


def test_json_has_every_figure_with_ours_and_the_difference(capsys) -> None:
    assert main(["reference", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    tables = {table["id"]: table for table in document["tables"]}
    row = tables["authority-filter-s3q16"]["rows"][0]
    assert (row["labels"], row["status"]) == ({"rerank": "prefer_set_latest", "k": "2"}, "reproduced")
    assert row["figures"]["value_acc"]["published"] == "0.9375"
    assert row["figures"]["value_acc"]["reference"] == 0.9375
    assert row["figures"]["value_acc"]["difference"] == 0
    asked = tables["order-bias"]["rows"][0]["figures"]["selection_rate"]
    assert (asked["language_model"], asked["own"], asked["same"]) == (True, None, None)
    assert len(document["external"]) == len(anchors.external())
    assert len(document["retrieval_and_selectors"]) >= 40


@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_the_list_measures_nothing(form, capsys, monkeypatch) -> None:
    monkeypatch.setattr(anchors, "measure", None)
    assert main(["reference", "--list", "--format", form]) == 0
    printed = capsys.readouterr().out
    assert "Efficiency snapshot, closed book" in printed
    if form == "json":
        assert json.loads(printed)[0]["statuses"] == {"needs_model": 4}


def test_the_document_has_the_list() -> None:
    assert summary_as_markdown(anchors.compare()) in DOCUMENT.read_text(encoding="utf-8")


def _with_other_figures(of):
    return [
        each._replace(own=None, reference=None) if each.table == of else each for each in anchors.stored()
    ]


def test_what_should_reproduce_and_does_not_is_named_and_ends_with_1(capsys, monkeypatch) -> None:
    monkeypatch.setattr(anchors, "measure", lambda _: _with_other_figures("authority-filter-s3q16"))
    assert main(["reference"]) == 1
    complaints = capsys.readouterr().err
    assert "Authority filter on, k = 2, 4, 8, smaller sample, linear, 8: does not reproduce" in complaints
    assert "make anchors" in complaints


def test_what_is_stored_and_out_of_date_ends_with_1(capsys, monkeypatch) -> None:
    monkeypatch.setattr(anchors, "measure", lambda _: _with_other_figures("notes-rates"))
    assert main(["reference", "--format", "json"]) == 1
    captured = capsys.readouterr()
    assert json.loads(captured.out)
    assert captured.err.splitlines() == [
        "The stored figures differ from those measured now: run `make anchors` to store the new ones."
    ]


def test_a_folder_without_the_reference_data_ends_with_a_sentence_and_2(tmp_path, capsys) -> None:
    assert main(["reference", "--reference-dir", str(tmp_path)]) == 2
    assert "no gold/manifest.json here" in capsys.readouterr().err


def test_write_stores_what_was_measured(tmp_path, capsys, monkeypatch) -> None:
    write = anchors.write
    monkeypatch.setattr(anchors, "write", lambda measured: write(measured, tmp_path / "measured.json"))
    assert main(["reference", "--write"]) == 0
    assert str(tmp_path / "measured.json") in capsys.readouterr().err
    assert len(json.loads((tmp_path / "measured.json").read_text())["rows"]) == len(anchors.stored())
