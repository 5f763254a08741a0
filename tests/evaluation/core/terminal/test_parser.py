"""Options cannot be abbreviated, and messages show no secret of a command line."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluation import cli
from evaluation.cli import COMMANDS, main
from evaluation.core.terminal.parser import Parser
from tests.evaluation.cli.test_cli import parsers

SECRET = "geb_s3cr3tS3cr3t"
PLAIN = "correct-horse-battery"  # looks like nothing in particular
OPTIONS = ("--token", "--api-key", "--password", "--hf_token")


def every_parser() -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for command in COMMANDS:
        for name, parser in parsers(cli._parser([command])):
            if name.startswith(command):
                yield name, parser


def test_the_help_of_every_command_ends_with_the_exit_codes() -> None:
    for name, parser in every_parser():
        told = " ".join(parser.format_help().split())
        assert told.endswith("2 bad input or usage, 3 a run has paused, 130 interrupted."), name


def test_no_option_of_any_command_may_be_abbreviated(capsys: pytest.CaptureFixture[str]) -> None:
    tried = 0
    for name, parser in every_parser():
        for action in [*parser._actions, *parser._mutually_exclusive_groups]:
            action.required = False
        options = [option for option in parser._option_string_actions if option.startswith("--")]
        for short in {option[:end] for option in options for end in range(3, len(option))} - set(options):
            with pytest.raises(SystemExit):
                parser.parse_args([f"{short}=x"])
            assert f"unknown option {short}" in capsys.readouterr().err, name
            tried += 1
    assert tried > 500


def test_no_value_is_taken_for_an_abbreviated_option(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["submit", "a/b", "p.jsonl", "--system", "x", "--token", SECRET])
    assert ended.value.code == 2
    printed = capsys.readouterr().err
    assert SECRET not in printed
    assert "--tokens-per-query:" not in printed
    assert "unknown option --token" in printed
    assert "GOLDEVIDENCEBENCH_TOKEN" in printed


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("secret", [SECRET, PLAIN])
@pytest.mark.parametrize("joined", [True, False])
@pytest.mark.parametrize("option", OPTIONS)
def test_the_value_of_a_secret_is_never_repeated(
    command: str, secret: str, joined: bool, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [f"{option}={secret}"] if joined else [option, secret]
    for before in ([], ["x"], ["x", "y"]):
        with pytest.raises(SystemExit):
            main([command, *before, *words])
        with pytest.raises(SystemExit):
            main([command, *words, *before])
    printed = capsys.readouterr()
    assert secret not in printed.out + printed.err


@pytest.mark.parametrize(
    "words",
    [
        [SECRET],
        ["submit", "a/b", "p.jsonl", "--system", "x", "--tokens-per-query", SECRET],
        ["login", SECRET],
        ["generate", "--out", "o", "--seed", SECRET],
        ["grade", "--data", "d", "--pred", "p", "--rubric", SECRET],
        ["model", "--adapter", "ledger", "--data", "missing", "--out", "o", "--limit", SECRET],
        ["model", "--adapter", "retrieval", "--data", "ROWS", "--out", "o", "--set", f"k={SECRET}"],
        ["model", "--adapter", "retrieval", "--data", "ROWS", "--out", "o", "--set", f"token={SECRET}"],
        ["model", "--adapter", "retrieval", "--data", "ROWS", "--out", "o", "--set", SECRET],
        ["model", "--adapter", SECRET, "--data", "ROWS", "--out", "o"],
        ["status", "x", "--server", f"http://u:{SECRET}@127.0.0.1:9"],
        ["versions", "--server", f"http://u:{PLAIN}@127.0.0.1:1/"],
        ["versions", "--server", "http://127.0.0.1:1/"],
        ["state", SECRET],
    ],
)
def test_no_failing_command_prints_a_secret(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"id": "a", "question": "What is tag.00?", "meta": {}}\n')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GOLDEVIDENCEBENCH_TOKEN", SECRET)
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    try:
        code = main([str(rows) if word == "ROWS" else word for word in words])
    except SystemExit as ended:
        code = ended.code
    assert code == 2
    printed = capsys.readouterr()
    assert SECRET not in printed.out + printed.err
    assert PLAIN not in printed.out + printed.err
    assert printed.err


def test_an_option_that_is_nearly_right_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["submit", "a/b", "p", "--system", "x", "--tokens-per-qery", "5"])
    assert "unknown option --tokens-per-qery. Did you mean --tokens-per-query?" in capsys.readouterr().err


def test_words_too_many_are_counted_and_not_repeated(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["login", PLAIN, "again"])
    printed = capsys.readouterr().err
    assert "2 arguments too many" in printed
    assert PLAIN not in printed


def test_a_value_that_looks_like_an_option_is_not_repeated_either(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["login", "--token", f"--{PLAIN}"])
    assert PLAIN not in capsys.readouterr().err


def test_a_parser_of_ours_cannot_be_told_to_abbreviate() -> None:
    parser = Parser(allow_abbrev=True)
    parser.add_argument("--tokens-per-query")
    sub = parser.add_subparsers().add_parser("x", allow_abbrev=True)
    sub.add_argument("--wait")
    for words in (["--tokens", "5"], ["x", "--wai", "5"]):
        with pytest.raises(SystemExit):
            parser.parse_args(words)
