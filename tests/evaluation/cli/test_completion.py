"""Shell completion: the scripts name every command; bash completes actions, options, choices and paths."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from evaluation.cli import COMMANDS, main

#: Asks the script's own function for what follows some words.
ASK = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
_shtab_goldevidencebench
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture
def script(capsys: Any) -> Any:
    """The completion script for a shell."""

    def make(shell: str) -> str:
        with pytest.raises(SystemExit) as ended:
            main(["--print-completion", shell])
        assert ended.value.code == 0
        text: str = capsys.readouterr().out
        return text

    return make


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("re", ["reference", "receipt", "reproduce"]),
        ("state co", ["context", "conformance", "compare"]),
        ("grade --pr", ["--pred"]),
        ("gym train --learner se", ["selector"]),
        ("grade --data ro", ["rows.jsonl"]),
        ("model --out pr", ["preds.jsonl"]),
        ("convert pr", ["preds.jsonl"]),
        ("reproduce ID --model qw", ["qwen.gguf"]),
        ("login --server ro", []),
    ],
)
def test_bash_completes_actions_options_choices_and_paths(
    script: Any, tmp_path: Path, words: str, found: list[str]
) -> None:
    (tmp_path / "completion.bash").write_text(script("bash"))
    for name in ("rows.jsonl", "preds.jsonl", "qwen.gguf"):
        (tmp_path / name).touch()
    asked = ["bash", "-c", ASK, "bash", "./completion.bash", "goldevidencebench", *words.split()]
    done = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split() == found


@pytest.mark.parametrize(("shell", "begin", "path"), [("zsh", "#compdef", ":_files"), ("tcsh", "#", "/f/")])
def test_the_scripts_of_other_shells_name_every_command_and_complete_paths(
    script: Any, shell: str, begin: str, path: str
) -> None:
    text = script(shell)
    assert text.startswith(begin)
    assert all(name in text for name in COMMANDS)
    assert path in text
