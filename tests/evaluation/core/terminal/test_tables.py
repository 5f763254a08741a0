"""Tables print names of systems unchanged."""

from __future__ import annotations

import pytest

from evaluation.core.suite import Column
from evaluation.core.terminal import tables
from evaluation.core.terminal.tables import cell_text, interval_text, show_by_split

COLUMNS = [Column("acc", "Accuracy", "…"), Column("other", "Other", "…")]


class Terminal:
    """A standard output that is a terminal."""

    def __init__(self) -> None:
        self.text = ""

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.text += text
        return len(text)

    def flush(self) -> None:
        pass


@pytest.mark.parametrize("name", ["[/b]x", "[red]x", "[link=http://x]y"])
def test_markup_in_a_cell_is_text(name: str, monkeypatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    tables.show(f"board {name}", ("System", name), [(name, "1")])
    assert terminal.text.count(name) == 3


@pytest.mark.parametrize(
    ("ends", "text"),
    [
        ((0.9, 0.95), "0.9000 to 0.9500"),
        ((0.956, 1.0), "at least 0.9560"),
        ((0.0, 0.044), "at most 0.0440"),
        ((0.0, 1.0), "0.0000 to 1.0000"),
        ((-0.1, 0.2), "-0.1000 to 0.2000"),
        ((3.0, 3.0), ""),
        (None, ""),
    ],
)
def test_an_interval_is_told_as_a_range_or_a_bound(ends, text) -> None:
    assert interval_text(ends) == text


def test_a_cell_holds_figure_and_interval() -> None:
    group = {"metrics": {"acc": 1.0, "n": 12, "none": None}, "intervals": {"acc": (0.956, 1.0)}}
    assert [cell_text(group, name) for name in ("acc", "n", "none")] == [
        "1.0000 (at least 0.9560)",
        "12",
        "–",
    ]


def test_splits_are_lines_of_what_they_report(capsys) -> None:
    splits = {name: {"metrics": {"acc": 0.5}, "intervals": {"acc": (0.4, 0.6)}} for name in ("book", "k4")}
    show_by_split("condition", COLUMNS, splits)
    printed = capsys.readouterr().out
    assert "By condition" in printed
    assert printed.count("0.5000 (0.4000 to 0.6000)") == 2
    assert "Other" not in printed


def test_a_single_split_is_no_table(capsys) -> None:
    show_by_split("condition", COLUMNS, {"book": {"metrics": {"acc": 0.5}, "intervals": {}}})
    assert capsys.readouterr().out == ""
