"""The interpreter of the README's blocks."""

from __future__ import annotations

import pytest

from tests.evaluation.goldevidence.cli.readme.powershell import PowerShell, PowerShellError


def played(*lines: str, **environment: str) -> list[tuple[list[str], dict[str, str]]]:
    """Each command with its environment."""
    seen: list[tuple[list[str], dict[str, str]]] = []
    shell = PowerShell(lambda words: seen.append((words, dict(shell.environment))), environment)
    shell.run(lines)
    return seen


def test_loops_stand_in_each_other_and_set_the_environment() -> None:
    seen = played(
        '$ks = @("2","4")',
        'foreach ($rule in @("none","linear")) {',
        "$env:RULE = $rule",
        "foreach ($k in $ks) {",
        '$env:K = "$k"',
        '$out = "runs/${rule}_k${k}"',
        'tool --out $out --json "$out/a b.json"  --flag',
        "}",
        "}",
        "tool end",
    )
    assert [words for words, _ in seen[:2]] == [
        ["tool", "--out", "runs/none_k2", "--json", "runs/none_k2/a b.json", "--flag"],
        ["tool", "--out", "runs/none_k4", "--json", "runs/none_k4/a b.json", "--flag"],
    ]
    assert [(at["RULE"], at["K"]) for _, at in seen[:4]] == [
        ("none", "2"), ("none", "4"), ("linear", "2"), ("linear", "4"),
    ]  # fmt: skip
    assert seen[4][0] == ["tool", "end"]


def test_numbers_are_a_list_without_brackets_and_comments_are_nothing() -> None:
    seen = played("# comment", "foreach ($k in 2,4,8) {", "tool $k", "}", KEPT="x")
    assert [words[1] for words, _ in seen] == ["2", "4", "8"]
    assert seen[0][1] == {"KEPT": "x"}


@pytest.mark.parametrize("lines", [["tool $nothing"], ["foreach ($k in 1,2) {", "tool $k"]])
def test_what_is_not_there_is_an_error(lines: list[str]) -> None:
    with pytest.raises(PowerShellError):
        played(*lines)
