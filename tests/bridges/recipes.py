"""The recipes of a page: code blocks, with the reader's model and settings replaced by test values."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/gym.md"


def recipe(start: str, replace: Mapping[str, str], *, page: Path = PAGE) -> str:
    """The code block that begins with `start`.

    Args:
        start: The first words of the block.
        replace: Text of the block -> text to run instead; each must occur.
        page: Page of the docs.
    """
    tokens = MarkdownIt("commonmark").parse(page.read_text())
    [text] = [token.content for token in tokens if token.type == "fence" and token.content.startswith(start)]
    for theirs, ours in replace.items():
        assert theirs in text, f"the recipe {start!r} has no {theirs!r}"
        text = text.replace(theirs, ours)
    return text


def type_in(text: str, folder: Path) -> str:
    """Run a block of commands in a folder and return its output. Fails with the output if a command fails."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", text],
        cwd=folder,
        env=os.environ | {"PATH": path, "HOME": str(folder)},
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    assert not done.returncode, f"{text}\n{done.stdout}{done.stderr}"
    return done.stdout
