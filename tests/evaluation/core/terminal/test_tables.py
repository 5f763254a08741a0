"""Tables show what they are given, whatever a system is called."""

from __future__ import annotations

import pytest

from evaluation.core.terminal import tables


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
