"""`--json` and `--quiet`, over the whole command line."""

from __future__ import annotations

import hashlib
import io
import json
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from evaluation.cli import main
from evaluation.core.errors import BenchmarkError
from evaluation.core.terminal import streams

#: Commands in an order in which each finds the files of those before it -> fields of its document; None for a list.
COMMANDS: dict[str, tuple[str, ...] | None] = {
    "generate --episodes 2 --steps 30 --out rows.jsonl": ("files",),
    "run --data rows.jsonl --out preds.jsonl": ("baseline", "data", "protocols", "files"),
    "model --adapter ledger --data rows.jsonl --out model.jsonl": (
        "adapter",
        "metrics",
        "efficiency",
        "rows",
    ),
    "model --adapter ledger --data rows.jsonl --estimate": ("rows", "seconds"),
    "estimate --adapter ledger --data rows.jsonl": ("rows", "seconds"),
    "grade --data rows.jsonl --pred preds.jsonl --results-json a.json": ("metrics", "intervals", "files"),
    "grade --data rows.jsonl --pred preds.jsonl --results-json b.json": ("settings", "groups"),
    "wordings a.json b.json": ("wordings", "rows", "figures"),
    "validate --data rows.jsonl --pred preds.jsonl": ("ok", "rows", "problems"),
    "bridge lm-eval --version rows.jsonl --out task": ("out", "task"),
    "mistakes --data rows.jsonl --pred preds.jsonl --out mistakes.jsonl": ("rows", "wrong", "kinds", "files"),
    "selector export --data rows.jsonl --out examples.jsonl": ("files",),
    "selector train --data examples.jsonl --out linear.json": ("train_examples", "files"),
    "selector evaluate --model linear.json --episodes 1": None,
    "selector demo --train-episodes 2 --episodes 1": ("before", "after"),
    "gym mine --learner selector --level 0.5 --tasks 10 --out mined.jsonl": ("files",),
    "gym export --learner selector --data mined.jsonl --out training.jsonl": ("files",),
    "gym train --learner selector --data training.jsonl --out learner.json": ("files",),
    "gym evaluate --learner selector --model learner.json --tasks 8": ("held_out", "unseen"),
    "gym loop --learner selector --rounds 1 --tasks 10 --unseen 8 --out loop": ("out", "rounds", "stopped"),
    "sweep run --steps 20 --chapters 2 --out sweep": ("out", "total", "runs"),
    "sweep run --steps 20 --out other --estimate": ("cells", "rows", "paces"),
    "sweep summarize --in sweep/combined.json": ("rows", "overall"),
    "sweep report --in sweep/combined.json": ("out", "page"),
    "sweep collect --root . --out-csv sweeps.csv": ("files",),
    "sweep estimate --seeds 1 --episodes 1 --queries 3 --state-modes 1 --distractor-profiles 1": (
        "questions",
    ),
    "bench --system ledger --preset quick --parts path --out bench": ("out", "bars"),
    "reference --list": None,
    "state generate --count 1 --tracks causality --out timelines.jsonl": ("files",),
    "state answer --timelines timelines.jsonl --out responses.jsonl": ("files",),
    "state grade --timelines timelines.jsonl --responses responses.jsonl": ("metrics", "intervals"),
    "state compare --timelines timelines.jsonl --strategies no_memory": None,
    "state compare --timelines timelines.jsonl --judges responses.jsonl": ("figures", "disagreements"),
    "state detect --timelines timelines.jsonl": None,
    "state export --timelines timelines.jsonl --out released.jsonl": ("lost", "filled", "files"),
    "state import --timelines released.jsonl": ("timelines", "graded", "queries"),
    "state conformance --timelines 0": ("passed", "total", "requirements"),
    f"commitment --gold rows.jsonl --key {'0' * 64} --commitment x": ("gold", "commitment", "fits"),
}
FAILS = 1


@pytest.fixture(scope="module")
def documents(tmp_path_factory: Any) -> dict[str, tuple[int, str, str]]:
    """Exit code, standard output and standard error of each command under `--json --quiet`."""
    folder, found = tmp_path_factory.mktemp("output"), {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for words in COMMANDS:
            found[words] = _ran(*words.split(), "--json", "--quiet")
    return found


def _ran(*words: str) -> tuple[int, str, str]:
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        code = main(list(words))
    return code, out.getvalue(), err.getvalue()


@pytest.mark.parametrize("words", COMMANDS)
def test_standard_output_holds_one_document_and_standard_error_nothing(documents: Any, words: str) -> None:
    code, out, err = documents[words]
    assert (code, err) == (FAILS if words.startswith("commitment") else 0, "")
    document, fields = json.loads(out), COMMANDS[words]
    if fields is None:
        assert isinstance(document, list)
    else:
        assert set(fields) <= document.keys()


@pytest.fixture
def rows(tmp_path: Path, monkeypatch: Any) -> Path:
    monkeypatch.chdir(tmp_path)
    assert main(["generate", "--episodes", "1", "--steps", "20", "--out", "rows.jsonl", "--quiet"]) == 0
    return tmp_path / "rows.jsonl"


def test_a_written_file_is_told_with_rows_and_hash(rows: Path, capsys: Any) -> None:
    assert main(["run", "--data", "rows.jsonl", "--out", "preds.jsonl.gz", "--json"]) == 0
    [file] = json.loads(capsys.readouterr().out)["files"]
    content = Path("preds.jsonl.gz").read_bytes()
    assert file == {
        "path": "preds.jsonl.gz",
        "rows": len(rows.read_bytes().splitlines()),
        "sha256": hashlib.sha256(content).hexdigest(),
    }


def test_a_temporary_file_is_not_told(rows: Path, capsys: Any) -> None:
    assert main(["run", "--data", "rows.jsonl", "--json"]) == 0
    assert "files" not in json.loads(capsys.readouterr().out)


def test_quiet_leaves_the_result_and_drops_hints(rows: Path, capsys: Any) -> None:
    words = ["run", "--data", "rows.jsonl", "--out", "preds.jsonl"]
    assert main(words) == 0
    assert "wrote" in capsys.readouterr().err
    assert main([*words, "--quiet"]) == 0
    quiet = capsys.readouterr()
    assert quiet.err == ""
    assert "value_acc" in quiet.out


def test_quiet_drops_hints_about_names_of_the_reference(rows: Path, capsys: Any) -> None:
    assert main(["baseline", "--data", "rows.jsonl", "--quiet"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("quiet", [[], ["--quiet"]])
def test_errors_and_exit_codes_stay(rows: Path, capsys: Any, quiet: list[str]) -> None:
    Path("bad.jsonl").write_text('{"id": "stranger", "value": "1"}\n')
    assert main(["validate", "--data", "rows.jsonl", "--pred", "bad.jsonl", *quiet]) == 1
    assert "stranger" in capsys.readouterr().err
    assert main(["grade", "--data", "rows.jsonl", "--pred", "none.jsonl", *quiet]) == 2
    assert "none.jsonl" in capsys.readouterr().err


def test_a_failed_command_prints_no_document(rows: Path, capsys: Any) -> None:
    assert main(["grade", "--data", "rows.jsonl", "--pred", "none.jsonl", "--json"]) == 2
    assert capsys.readouterr().out == ""


def test_a_document_and_rows_cannot_both_be_standard_output() -> None:
    words: Any = ["generate", "--out", "-", "--json"]
    with (
        pytest.raises(BenchmarkError, match="--json prints its document to standard output"),
        streams.opened(words),
    ):
        pass
