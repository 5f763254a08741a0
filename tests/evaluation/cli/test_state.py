"""`goldevidencebench state`: every verb, from the outside."""

from __future__ import annotations

import json

import pytest

from evaluation.cli import main
from evaluation.core import jsonl
from evaluation.statebench.presets import PRESETS
from evaluation.statebench.suite import SUITE


@pytest.fixture
def timelines(tmp_path):
    path = tmp_path / "t.jsonl"
    tracks = ["supersession_detection", "causality"]
    assert main(["state", "generate", "--out", str(path), "--count", "2", "--tracks", *tracks]) == 0
    return path


def test_generated_timelines_can_be_imported_without_their_answers(timelines, tmp_path):
    public = tmp_path / "public.jsonl"
    assert main(["state", "import", "--timelines", str(timelines), "--out", str(public)]) == 0
    assert len(list(jsonl.read(public))) == 4
    assert b"ground_truth" not in public.read_bytes()


def test_contexts_are_graded_like_any_response(timelines, tmp_path, capsys):
    capsys.readouterr()
    assert main(["state", "context", "--timelines", str(timelines), "--json"]) == 0
    contexts = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    responses, results = tmp_path / "r.jsonl", tmp_path / "report.json"
    keep = ("timeline_id", "query_idx")
    jsonl.write(responses, [{n: c[n] for n in keep} | {"response": c["text"]} for c in contexts])
    command = ["state", "grade", "--timelines", str(timelines), "--responses", str(responses)]
    assert main([*command, "--results-json", str(results)]) == 0
    report = json.loads(results.read_bytes())
    assert report["metrics"]["sfrr"] == 0
    assert len(report["queries"]) == 4


def test_one_query_of_one_timeline_can_be_shown(timelines, capsys):
    capsys.readouterr()
    chosen = next(row["id"] for row in jsonl.read(timelines) if row["track"] == "causality")
    command = [
        "state",
        "context",
        "--timelines",
        str(timelines),
        "--id",
        chosen,
        "--query",
        "0",
    ]
    assert main(command) == 0
    assert capsys.readouterr().out.startswith(f"# {chosen}#0\nUser: ")


def test_detections_are_json_lines(timelines, capsys):
    capsys.readouterr()
    assert main(["state", "detect", "--timelines", str(timelines)]) == 0
    output = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["fact_id"] for row in output] == ["W-001", "W-001"]


def test_conformance_says_whether_all_passes(tmp_path, capsys):
    results = tmp_path / "conformance.json"
    assert main(["state", "conformance", "--seed", "7", "--results-json", str(results)]) == 0
    report = json.loads(results.read_bytes())
    assert report["passed"] == report["total"]
    assert main(["state", "conformance", "--url", "http://127.0.0.1:1/"]) == 1
    assert "did not answer" in capsys.readouterr().out


def test_strategies_are_compared(timelines, tmp_path):
    results = tmp_path / "measures.json"
    command = ["state", "compare", "--timelines", str(timelines), "--strategies", "state_based", "no_memory"]
    assert main([*command, "--budgets", "64", "--results-json", str(results)]) == 0
    rows = json.loads(results.read_bytes())
    assert {row["strategy"] for row in rows} == {"state_based", "no_memory"}


def test_memories_are_measured_beside_strategies(timelines, tmp_path, capsys):
    results = tmp_path / "measures.json"
    command = ["state", "compare", "--timelines", str(timelines), "--memory", "no_memory", "--budgets", "64"]
    assert main([*command, "--results-json", str(results)]) == 0
    [row] = [row for row in json.loads(results.read_bytes()) if row["track"] == "all"]
    assert row["memory"] == "no_memory"
    assert row["live_values"] == 0 <= row["ingest_s"]
    assert "Strategies" not in capsys.readouterr().out
    assert main(["state", "compare", "--timelines", str(timelines), "--memory", "nobody"]) == 2
    assert "unknown memory 'nobody'" in capsys.readouterr().err


def test_typed_answers_to_timelines_with_typed_gold_are_graded_as_such(tmp_path, capsys):
    rows, answers, out = (tmp_path / name for name in ("rows.jsonl", "answers.jsonl", "report.json"))
    version = PRESETS["decisions_short"].having(tracks=("supersession",), templates=2, lengths=(0,))
    timelines = [row for item in SUITE.version(version.as_json()).generate() for row in item.rows]
    jsonl.write(rows, timelines)
    lines = []
    for row in timelines:
        queries = [event for event in row["events"] if event["type"] == "query"]
        for index, query in enumerate(queries):
            gold = query["ground_truth"]["answer"]
            answer = {name: gold[name] for name in ("decision", "value", "because")}
            lines.append({"timeline_id": row["id"], "query_idx": index, "answer": answer})
    jsonl.write(answers, lines)
    command = ["state", "grade", "--timelines", str(rows), "--responses", str(answers)]
    assert main([*command, "--results-json", str(out)]) == 0
    assert "value_accuracy" in capsys.readouterr().out
    assert json.loads(out.read_bytes())["metrics"]["decision_accuracy"] == 1
    assert main([*command, "--rubric", "strict@4"]) == 2
    assert "the field 'response' is missing" in capsys.readouterr().err


def test_lengths_stand_below_the_figures_of_all(timelines, tmp_path, capsys):
    path = tmp_path / "long.jsonl"
    jsonl.write(path, [row | {"metadata": {"length": "1k"}} for row in jsonl.read(timelines)])
    assert (
        main(["state", "compare", "--timelines", str(path), "--memory", "no_memory", "--budgets", "64"]) == 0
    )
    lines = [line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("no_memory")]
    assert [line[:3] for line in lines] == [["no_memory", "64", "all"], ["no_memory", "64", "1k"]]


def test_the_contexts_of_a_memory_are_those_of_its_queries(timelines, capsys):
    command = ["state", "context", "--timelines", str(timelines), "--budget", "64"]
    for more in ([], ["--query", "0"]):
        assert main([*command, "--json", *more]) == 0
        direct = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert main([*command, "--json", "--memory", "state_based", *more]) == 0
        through = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert [row["text"] for row in direct] == [row["text"] for row in through]
        assert [row["query_idx"] for row in direct] == [row["query_idx"] for row in through]
    assert through[0]["memory"] == "state_based"
    assert main([*command, "--memory", "state_based"]) == 0
    assert direct[0]["text"] in capsys.readouterr().out


def test_a_file_that_is_not_there_is_reported_plainly(tmp_path, capsys):
    missing = str(tmp_path / "none.jsonl")
    assert main(["state", "grade", "--timelines", missing, "--responses", missing]) == 2
    assert "none.jsonl" in capsys.readouterr().err


@pytest.mark.parametrize("verb", ["context", "detect", "answer", "grade", "compare", "import"])
def test_rows_of_another_kind_are_named(verb, tmp_path, capsys):
    path, out = tmp_path / "rows.jsonl", ["--out", str(tmp_path / "o.jsonl")]
    jsonl.write(path, [{"id": "E0001-Q001", "question": "What?"}])
    extra = {"answer": out, "grade": ["--responses", str(path)]}.get(verb, [])
    assert main(["state", verb, "--timelines", str(path), *extra]) == 2
    assert f"{path}:1: " in capsys.readouterr().err


def test_a_timeline_that_is_not_there_is_said_to_be_missing(timelines, capsys):
    assert main(["state", "context", "--timelines", str(timelines), "--id", "nobody"]) == 2
    assert "no timeline has the id 'nobody'" in capsys.readouterr().err


def test_a_port_that_is_none_is_refused(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["state", "serve", "--port", "99999"])
    assert "'99999' is not a port" in capsys.readouterr().err


@pytest.mark.parametrize(("release", "package"), [("1.0", "statebench 1.0.2"), ("2.0", "statebench 2.0.0")])
def test_timelines_go_to_a_release_and_come_back(timelines, tmp_path, capsys, release, package):
    there, back = tmp_path / "released.jsonl", tmp_path / "back.jsonl"
    command = ["state", "export", "--timelines", str(timelines), "--release", release, "--out", str(there)]
    capsys.readouterr()
    assert main(command) == 0
    said = capsys.readouterr().err
    assert f"wrote 4 timelines for {package}" in said
    assert "lost: constraint_type 'budget' of a fact (2)" in said
    assert "filled: generated_at of metadata (4)" in said
    assert main(["state", "import", "--timelines", str(there), "--gold", "--out", str(back)]) == 0
    assert "4 timelines with 4 queries can be graded" in capsys.readouterr().err
    assert [row["metadata"] for row in jsonl.read(back)] == [row["metadata"] for row in jsonl.read(timelines)]


def test_timelines_without_ground_truth_are_exported_and_imported_too(timelines, tmp_path, capsys):
    public, there, back = (tmp_path / f"{name}.jsonl" for name in ("public", "there", "back"))
    command = [
        "state",
        "generate",
        "--public",
        "--count",
        "2",
        "--tracks",
        "supersession",
        "--out",
        str(public),
    ]
    assert main(command) == 0
    assert main(["state", "export", "--timelines", str(public), "--out", str(there)]) == 0
    assert main(["state", "import", "--timelines", str(there), "--out", str(back)]) == 0
    assert "2 timelines without ground truth" in capsys.readouterr().err
    assert list(jsonl.read(back)) == list(jsonl.read(public))


def test_judges_are_laid_side_by_side(timelines, tmp_path, capsys):
    responses, results = tmp_path / "r.jsonl", tmp_path / "judges.json"
    rows = list(jsonl.read(timelines))
    jsonl.write(
        responses,
        [{"timeline_id": row["id"], "query_idx": 0, "response": "I know a cannot."} for row in rows],
    )
    command = ["state", "compare", "--timelines", str(timelines), "--judges", str(responses)]
    assert main([*command, "--results-json", str(results)]) == 0
    assert "disagreement" in capsys.readouterr().out
    report = json.loads(results.read_bytes())
    assert list(report["figures"]) == ["1.0", "2.0", "strict", "strict@4"]
    assert all(len(set(row["says"].values())) > 1 for row in report["disagreements"])
