"""Arguments whose help is made when it is printed."""

from __future__ import annotations

import argparse

import pytest

from evaluation.core.terminal.arguments import LateHelp


def test_a_late_help_is_made_when_it_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    made = list[str]()

    def make() -> str:
        made.append("once")
        return "one of a, b (default %(default)s)"

    parser = argparse.ArgumentParser()
    parser.add_argument("--system", default="a", help=LateHelp(make))
    assert parser.parse_args([]).system == "a"
    assert made == []
    with pytest.raises(SystemExit):
        parser.parse_args(["--help"])
    assert "one of a, b (default a)" in capsys.readouterr().out
