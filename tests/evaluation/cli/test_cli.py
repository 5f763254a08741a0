"""The command line as a whole: every option has a help text, every fault is one sentence."""

from __future__ import annotations

import argparse
import io
import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from evaluation import cli
from evaluation.cli import COMMANDS, main
from evaluation.cli.suites import DEFAULT_SUITE

ROOT = Path(__file__).resolve().parents[3]


def parsers(parser: argparse.ArgumentParser, name: str = ""):
    yield name, parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for sub, of in action.choices.items():
                yield from parsers(of, f"{name} {sub}".strip())


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_explained(command: str) -> None:
    silent = [
        (name, action.dest)
        for name, parser in parsers(cli._parser([command]))
        for action in parser._actions
        if not action.help and not isinstance(action, argparse._SubParsersAction)
    ]
    assert silent == []


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_prints_json_and_can_be_quiet(command: str) -> None:
    found = [
        (name, sorted({"--json", "--quiet"} - parser._option_string_actions.keys()))
        for name, parser in parsers(cli._parser([command]))
        if name and not any(isinstance(action, argparse._SubParsersAction) for action in parser._actions)
    ]
    assert found == [(name, []) for name, _ in found]


@pytest.mark.parametrize("command", COMMANDS.values(), ids=list(COMMANDS))
def test_the_list_of_commands_says_of_each_what_its_module_says(command: cli.Command) -> None:
    module = command.module if isinstance(command.module, str) else command.module[DEFAULT_SUITE]
    assert command.help == import_module(module).HELP


SLOW = (
    "numpy",
    "rich",
    "httpx2",
    "pydantic",
    "orjson",
    "shtab",
    "evaluation.adapters",
    "evaluation.goldevidence",
)


@pytest.mark.parametrize(
    ("words", "without"),
    [
        ("--help", SLOW),
        ("--version", SLOW),
        ("grade --help", ("numpy", "rich", "httpx2", "pydantic")),
        ("generate --help", ("numpy", "rich", "httpx2", "pydantic")),
        (f"generate --episodes 1 --steps 20 --out {os.devnull}", ("numpy", "rich", "httpx2", "pydantic")),
        ("state --help", ("numpy", "rich", "httpx2", "pydantic")),
        ("submit --help", ("numpy", "rich", "httpx2", "pydantic")),
    ],
)
def test_a_command_imports_nothing_that_it_does_not_need(words: str, without: tuple[str, ...]) -> None:
    code = (
        "import json, sys\nfrom evaluation.cli import main\ntry: main(sys.argv[1:])\n"
        "except SystemExit: pass\nprint(json.dumps(list(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *words.split()], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert set(without).isdisjoint(json.loads(done.stdout.splitlines()[-1]))


def test_flat_rows_are_graded_without_pydantic(tmp_path) -> None:
    data, pred = str(tmp_path / "rows.jsonl"), str(tmp_path / "pred.jsonl")
    assert cli.main(["generate", "--episodes", "1", "--steps", "20", "--out", data]) == 0
    assert cli.main(["run", "--data", data, "--out", pred]) == 0
    code = "import sys\nfrom evaluation.cli import main\nmain(sys.argv[1:])\nprint('pydantic' in sys.modules)"
    words = ["grade", "--data", data, "--pred", pred]
    done = subprocess.run(
        [sys.executable, "-c", code, *words], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "False"


def test_a_sweep_of_deterministic_systems_needs_neither_settings_of_adapters_nor_a_terminal(tmp_path) -> None:
    code = (
        "import json, sys\nfrom evaluation.cli import main\nassert main(sys.argv[1:]) == 0\n"
        "print(json.dumps(list(sys.modules)))"
    )
    words = (
        f"sweep run --steps 20 --chapters 2 --k-list 2 --systems ledger,latest_step --out {tmp_path / 's'}"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *words.split()], cwd=ROOT, capture_output=True, text=True, check=True
    )
    imported = json.loads(done.stdout.splitlines()[-1])
    assert {"rich", "httpx2", "pydantic", "importlib.metadata", "evaluation.core.suite"}.isdisjoint(imported)
    assert done.stderr == ""


def test_the_list_of_commands_costs_little() -> None:
    """At most 0.15 s of processor time, with the start of the interpreter: best of five."""
    code = (
        "import atexit, os, sys; atexit.register(lambda: sys.stderr.write(str(sum(os.times()[:2])))); "
        "from evaluation.cli import main; main(['--help'])"
    )
    runs = (
        subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
        for _ in range(5)
    )
    assert min(float(run.stderr) for run in runs) <= 0.15


def test_an_interruption_while_starting_up_is_a_word(monkeypatch, capsys) -> None:
    def interrupted(chosen: str | None) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "_parser", interrupted)
    assert main(["versions"]) == 130
    assert capsys.readouterr().err == "goldevidencebench: interrupted\n"


def test_a_full_disk_is_told_without_an_empty_name(monkeypatch, capsys) -> None:
    def full(chosen: str | None) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cli, "_parser", full)
    assert main(["versions"]) == 2
    assert capsys.readouterr().err == "goldevidencebench: No space left on device\n"


def test_a_terminal_that_lacks_a_character_shows_another(monkeypatch, tmp_path) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    timelines = tmp_path / "t.jsonl"
    assert main(["state", "generate", "--count", "1", "--tracks", "causality", "--out", str(timelines)]) == 0
    assert main(["state", "compare", "--timelines", str(timelines), "--strategies", "no_memory"]) == 0
    sys.stdout.flush()
    assert b"no_memory" in raw.getvalue()
