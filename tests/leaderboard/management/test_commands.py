"""Management commands: options in full, messages without secrets, unknown variables refused."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command, find_commands, load_command_class

import leaderboard
from leaderboard.management.base import SiteCommand
from tests.live import ROOT

NAMES = find_commands(str(Path(leaderboard.__file__).parent / "management"))
SECRET, PLAIN = "geb_s3cr3tS3cr3t", "correct-horse-battery"


@pytest.mark.parametrize("name", NAMES)
def test_no_option_may_be_abbreviated(name: str) -> None:
    command = load_command_class("leaderboard", name)
    assert isinstance(command, SiteCommand)
    parser = command.create_parser("manage.py", name)
    for action in [*parser._actions, *parser._mutually_exclusive_groups]:
        action.required = False
    options = [option for option in parser._option_string_actions if option.startswith("--")]
    shorts = {option[:end] for option in options for end in range(3, len(option))} - set(options)
    assert shorts
    for short in shorts:
        with pytest.raises(CommandError, match=f"unknown option {short}"):
            parser.parse_args([f"{short}=x"])


@pytest.mark.parametrize(
    "words", [["--token", PLAIN], [f"--token={PLAIN}"], [PLAIN, "--api-key", SECRET], [SECRET, PLAIN]]
)
@pytest.mark.parametrize("name", NAMES)
def test_no_failing_command_prints_a_secret(
    name: str, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    command = load_command_class("leaderboard", name)
    with pytest.raises(CommandError) as refused:
        command.create_parser("manage.py", name).parse_args([*words, "x", "y", "z"])
    assert PLAIN not in str(refused.value)
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize("pair", [f"seed={SECRET}", f"token={SECRET}", SECRET])
def test_no_setting_is_repeated_that_looks_like_a_secret(small: object, pair: str) -> None:
    with pytest.raises(CommandError) as refused:
        call_command("run_model", "goldevidencebench/small", "--adapter", "retrieval", "--set", pair)
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize(
    ("variable", "hint"),
    [("RETRIEVAL_K", "--set k="), ("K", "--set k=…: settings are not taken from the environment here")],
)
@pytest.mark.parametrize("command", ["run_model", "run_system"])
def test_a_command_that_runs_something_refuses_variables_that_nothing_reads(
    small: object, command: str, variable: str, hint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = {
        "run_model": ["goldevidencebench/small", "--adapter", "retrieval"],
        "run_system": ["ledger", "goldevidencebench/small"],
    }[command]
    monkeypatch.setenv(f"GOLDEVIDENCEBENCH_{variable}", "4")
    with pytest.raises(
        CommandError, match=f"GOLDEVIDENCEBENCH_{variable}: set in the environment"
    ) as refused:
        call_command(command, *words)
    assert refused.value.returncode == 2
    assert hint in str(refused.value)


def test_what_the_site_reads_itself_is_known(small: object, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("URL", "TOKEN", "API_KEY", "EMBEDDING_MODEL"):
        monkeypatch.setenv(f"GOLDEVIDENCEBENCH_{name}", "some-value")
    call_command("run_system", "ledger", "goldevidencebench/small")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["createsuperuser", "--user", PLAIN], "unknown option --user"),
        (["migrate", "--pl"], "unknown option --pl"),
        (["dumpdata", "--ind", "2"], "unknown option --ind"),
        (["createsuperuser", f"--password={PLAIN}"], "unknown option --password"),
    ],
)
def test_a_command_of_django_takes_no_abbreviation_either(
    words: list[str], message: str, tmp_path: Path
) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "DATA_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, message in done.stderr) == (2, True), done.stderr
    assert PLAIN not in done.stdout + done.stderr


def test_the_shell_sees_no_secret_and_no_traceback(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "DATA_DIR": str(tmp_path)}
    words = ["run_model", "a/b", "--adapter", "retrieval", "--token", PLAIN]
    done = subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 2
    assert "unknown option --token" in done.stderr
    assert PLAIN not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
