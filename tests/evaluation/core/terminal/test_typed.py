"""Command lines in which variables stand in for options."""

from __future__ import annotations

import pytest

from evaluation.core.terminal.typed import Typed, is_typed, values_of


def test_a_variable_is_taken_unless_another_value_was_typed() -> None:
    typed = Typed(["--k", "8"])
    assert typed.take("GEB_K", "4", ["--k", "4"], typed=is_typed(typed.words, "--k")) == []
    assert typed.take("GEB_ORDER", "shuffle", ["--order", "shuffle"], typed=False) == ["--order", "shuffle"]
    assert typed.others({"GEB_K": "4", "GEB_ORDER": "shuffle", "HOME": "/"}) == {"HOME": "/"}


def test_what_is_said_hides_secrets(capsys: pytest.CaptureFixture[str]) -> None:
    typed = Typed([], hints=["`a` is here `b`"])
    typed.take("GEB_API_KEY", "sesame-open", ["--key", "…"], typed=False)
    typed.take("GEB_MODEL", "https://me:sesame@host/m", ["--model", "https://me:sesame@host/m"], typed=False)
    typed.say(["GEB_OTHER"])
    said = capsys.readouterr().err
    assert "`a` is here `b`" in said
    assert "not used by this command: GEB_OTHER" in said
    assert "GEB_API_KEY=(hidden)" in said
    assert "sesame" not in said


def test_values_are_found_in_both_forms() -> None:
    assert values_of(["--set", "a=1", "--set=b=2", "--settle", "x"], "--set") == ["a=1", "b=2"]
    assert is_typed(["--k-list=4"], "--k-list")
    assert not is_typed(["--k", "4"], "--k-list")
