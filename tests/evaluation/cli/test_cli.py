"""The command line as a whole: every option explained, every fault a sentence."""

from __future__ import annotations

import argparse
import io
import sys

import pytest

from evaluation import cli
from evaluation.cli import COMMANDS, main


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
