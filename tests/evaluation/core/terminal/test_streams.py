"""`-` in place of a file: standard input and output, in all commands."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from evaluation.cli import main
from evaluation.core.errors import BenchmarkError
from evaluation.core.terminal import streams

ROOT = Path(__file__).resolve().parents[4]
SMALL = "--episodes 1 --steps 20 --queries 2 --keys 2 --chapters 1".split()


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch) -> Path:
    """An empty working folder, so that a file called `-` would be noticed."""
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    assert not (tmp_path / "-").exists()


def piped(*words: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "evaluation", *words],
        input=given,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def feed(monkeypatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


def rows() -> bytes:
    assert main(["generate", *SMALL, "--out", "rows.jsonl"]) == 0
    return Path("rows.jsonl").read_bytes()


def answers() -> bytes:
    assert main(["run", "--data", "rows.jsonl", "--out", "preds.jsonl"]) == 0
    return Path("preds.jsonl").read_bytes()


@pytest.mark.parametrize("words", [["--out", "-"], ["--out=-"]])
def test_rows_go_to_standard_output_as_they_go_to_a_file(capfdbinary, words: list[str]) -> None:
    expected = rows()
    capfdbinary.readouterr()
    assert main(["generate", *SMALL, *words]) == 0
    out, err = capfdbinary.readouterr()
    assert out == expected
    assert b"wrote" in err


def test_standard_output_that_is_a_file_is_written_and_not_replaced(tmp_path) -> None:
    """With `> file` the file is open already, and its earlier content stays."""
    out = tmp_path / "all.jsonl"
    out.write_text("first\n")
    with out.open("ab") as target:
        words = [sys.executable, "-m", "evaluation", "generate", *SMALL, "--out", "-"]
        subprocess.run(words, stdout=target, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert out.read_bytes() == b"first\n" + rows()


def test_a_pipe_of_commands_is_the_same_as_files() -> None:
    made = piped("generate", *SMALL, "--out", "-").stdout
    answered = piped("run", "--data", "-", "--out", "-", given=made)
    assert (answered.returncode, answered.stderr.count(b"Traceback")) == (0, 0)
    assert made == rows()
    assert answered.stdout == answers()
    graded = piped(
        "grade", "--data", "rows.jsonl", "--pred", "-", "--results-json", "-", given=answered.stdout
    )
    assert json.loads(graded.stdout)["metrics"]["value_acc"] == 1.0
    assert b"value" in graded.stderr
    checked = piped("validate", "--data", "rows.jsonl", "--pred", "-", given=answered.stdout)
    assert (checked.returncode, b"ready to upload" in checked.stdout) == (0, True)


def test_timelines_and_responses_go_through_pipes() -> None:
    made = piped(
        "generate", "--suite", "statebench", "--count", "1", "--tracks", "causality", "--out", "-"
    ).stdout
    Path("timelines.jsonl").write_bytes(made)
    answered = piped("run", "--data", "-", "--out", "-", given=made).stdout
    assert json.loads(answered.splitlines()[0])["timeline_id"]
    graded = piped("grade", "--data", "timelines.jsonl", "--pred", "-", given=answered)
    assert graded.returncode == 0


@pytest.mark.parametrize("table", ["--rows-out", "--results-json"])
def test_tables_and_reports_go_there_too(monkeypatch, capfdbinary, table: str) -> None:
    rows()
    feed(monkeypatch, answers())
    capfdbinary.readouterr()
    assert main(["grade", "--data", "rows.jsonl", "--pred", "-", table, "-"]) == 0
    assert all(line.startswith((b"{", b"\n", b"]")) for line in capfdbinary.readouterr().out.splitlines())


def test_mistakes_and_selectors_go_there_too(capfdbinary) -> None:
    rows()
    assert (
        main(["generate", "--episodes", "2", "--steps", "60", "--queries", "6", "--out", "more.jsonl"]) == 0
    )
    assert main(["run", "--baseline", "naive", "--data", "rows.jsonl", "--out", "wrong.jsonl"]) == 0
    capfdbinary.readouterr()
    for words in (["mistakes", "--data", "rows.jsonl", "--pred", "wrong.jsonl"],
                  ["selector", "export", "--data", "more.jsonl"]):  # fmt: skip
        assert main([*words, "--out", "-"]) == 0
        lines = capfdbinary.readouterr().out.splitlines()
        assert lines, words
        assert all(isinstance(json.loads(line), dict) for line in lines)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("sweep run --systems ledger --out -", "a sweep writes a folder"),
        ("sweep --out -", "a sweep writes a folder"),
        ("bench --out=-", "a bench writes a folder"),
        ("model --adapter ledger --data rows.jsonl --out -", "journal and transcripts beside"),
        ("download goldevidencebench/tiny --out -", "the documents are written beside"),
        ("grade --data d --pred p --verdicts-out -", "follows from the ending of its name"),
    ],
)
def test_what_is_no_single_stream_is_refused_in_one_sentence(capsys, words: str, why: str) -> None:
    assert main(words.split()) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert why in line
    assert line.endswith("name a path")


def test_two_files_of_a_baseline_are_no_single_stream(capsys) -> None:
    rows()
    capsys.readouterr()
    assert main("run --data rows.jsonl --protocol both --out -".split()) == 2
    assert "--protocol both, which writes two files" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("grade --data - --pred -", "input"),
        ("grade --data d --pred p --rows-out - --results-json -", "output"),
    ],
)
def test_a_stream_is_named_once(capsys, words: str, name: str) -> None:
    assert main(words.split()) == 2
    assert f"standard {name} is one stream, but 2 options use it" in capsys.readouterr().err


def test_an_argument_without_an_option_is_standard_input(monkeypatch) -> None:
    feed(monkeypatch, b"x\n")
    with streams.opened(["submit", "b/v", "-", "--note", "-"]) as words:
        assert Path(words[2]).read_bytes() == b"x\n"
        assert words[3:] == ["--note", "-"]
    assert not Path(words[2]).exists()


def test_a_reader_that_stops_early_is_no_fault() -> None:
    words = f"{sys.executable} -m evaluation generate --episodes 40 --out - | head -c 10"
    done = subprocess.run(words, shell=True, capture_output=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert (len(done.stdout), b"Traceback" in done.stderr) == (10, False)


def test_refusals_are_errors_of_the_engine() -> None:
    with pytest.raises(BenchmarkError), streams.opened(["bench", "--out", "-"]):
        pass


@pytest.mark.parametrize(
    "words",
    [
        "generate {small} --out a/b/rows.jsonl",
        "run --data rows.jsonl --out a/b/preds.jsonl --results-json c/d/results.json",
        "grade --data rows.jsonl --pred preds.jsonl --results-json a/b/r.json --rows-out c/d/rows.jsonl",
        "grade --data rows.jsonl --pred preds.jsonl --verdicts-out a/b/v.csv --metrics-out c/d/m.csv",
        "mistakes --data rows.jsonl --pred preds.jsonl --out a/b/m.jsonl",
        "selector export --data rows.jsonl --out a/b/e.jsonl",
        "model --adapter ledger --data rows.jsonl --out a/b/p.jsonl --results-json c/d/r.json",
        "sweep run --systems ledger --out a/b/sweep {small} --seeds 1 --results-json c/d/r.json",
        "generate --suite statebench --count 1 --tracks causality --out a/b/t.jsonl",
        "state conformance --timelines 1 --seed 1 --results-json a/b/r.json",
    ],
)
def test_missing_folders_are_made(words: str) -> None:
    rows(), answers()
    filled = words.format(small=" ".join(SMALL)).split()
    assert main(filled) in (0, 1)
    made = [word for word in filled if "/" in word]
    assert made
    assert all(Path(path).exists() for path in made)


def test_tables_of_sweeps_make_folders_and_go_to_standard_output(capfdbinary) -> None:
    assert main(["sweep", "run", "--systems", "ledger", "--out", "s", "--seeds", "1", *SMALL]) == 0
    combined = next(Path("s").glob("*combined*"))
    outs = ["--out-json", "a/s.json", "--out-csv", "b/c/s.csv", "--out-decomposition", "d/s.csv"]
    assert main(["sweep", "summarize", "--in", str(combined), *outs]) == 0
    assert all(Path(path).exists() for path in outs[1::2])
    assert main(["sweep", "collect", "--root", ".", "--out-csv", "e/f/all.csv"]) == 0
    assert Path("e/f/all.csv").exists()
    capfdbinary.readouterr()
    assert main(["sweep", "summarize", "--in", str(combined), "--out-csv", "-"]) == 0
    assert capfdbinary.readouterr().out == Path("b/c/s.csv").read_bytes()
