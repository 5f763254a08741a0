"""Code that readers can copy: blocks of the docs and of served pages, and a shell to run them in."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import IO

from markdown_it import MarkdownIt
from markdown_it.token import Token

from evaluation.core import jsonl
from tests.live import ROOT

#: What a command starts with. A block of another kind never does.
PROGRAMS = ("goldevidencebench", "python", "curl", "pip", "make", "gunicorn", "celery", "manage.py")
#: How the kinds of blocks are marked in Markdown; an indented block is not a command.
KINDS = {"sh", "python", "json", "text", "yaml", "django"}
#: Options and redirections that name a file which a command writes.
WRITTEN = re.compile(r"(?:--out|--output|--results-json|-o|>)[ =](?!/dev/|-(?![\w.]))([\w.-]+)")


@dataclass(frozen=True, slots=True)
class Block:
    """A code block; `kind` is the word behind its Markdown fence, empty for an indented block."""

    kind: str
    text: str

    @property
    def first(self) -> str:
        """The first word that is neither a variable nor a comment."""
        words = [word for line in self.text.splitlines() if line[:1] != "#" for word in line.split()]
        return next((word for word in words if not re.match(r"[A-Z_]+=", word)), "")


def documents() -> list[Path]:
    """README, CONTRIBUTING and the docs."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(path: Path) -> list[Block]:
    """The code blocks of a Markdown file, from top to bottom."""
    return [
        Block(token.info.strip(), token.content)
        for token in MarkdownIt("commonmark").parse(path.read_text())
        if token.type in ("fence", "code_block")
    ]


def spans(path: Path) -> list[str]:
    """The code within the sentences of a Markdown file."""
    tokens: list[Token] = MarkdownIt("commonmark").enable("table").parse(path.read_text())
    inside = (child for token in tokens for child in token.children or ())
    return [child.content for child in inside if child.type == "code_inline"]


class Copied(HTMLParser):
    """The `blocks` of a page with a Copy button, the code `spans` within sentences, and its `links`."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks: list[str] = []
        self.spans: list[str] = []
        self.links: list[str] = []
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "a" and given.get("href"):
            self.links.append(given["href"] or "")
        if tag in ("div", "pre", "code"):
            self._open.append("code-block" if tag == "div" and given.get("class") == "code" else tag)
            if tag == "code":
                (self.blocks if "code-block" in self._open else self.spans).append("")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("div", "pre", "code") and self._open:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if self._open[-1:] == ["code"]:
            (self.blocks if "code-block" in self._open else self.spans)[-1] += data


def copied(html: str) -> Copied:
    """The copyable code and the links of a page."""
    result = Copied()
    result.feed(html)
    return result


def not_run(entries: Iterable[tuple[str, str, str]], where: str, text: str) -> str:
    """The beginning by which a list like `NOT_RUN` has a block; empty if the block is to be run."""
    return next((start for page, start, _ in entries if page == where and text.startswith(start)), "")


class Shell:
    """A working folder to run a page's blocks in, with a home of its own."""

    def __init__(self, folder: Path, replace: dict[str, str], **environment: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self._replace = folder, replace
        self._left: list[subprocess.Popen[str]] = []
        (folder / "manage.py").symlink_to(ROOT / "manage.py")
        kept = {name: text for name, text in os.environ.items() if not name.startswith("GOLDEVIDENCEBENCH_")}
        path = f"{Path(sys.executable).parent}{os.pathsep}{kept['PATH']}"
        self.env = kept | {"HOME": str(folder / "home"), "PATH": path, "PYTHONPATH": str(ROOT)} | environment
        self.env.pop("XDG_CONFIG_HOME", None)

    def filled(self, text: str) -> str:
        """A command with the placeholders replaced: the site's address, a token, a free port."""
        for item, own in self._replace.items():
            text = text.replace(item, own)
        return text

    def start(self, text: str, output: IO[str]) -> subprocess.Popen[str]:
        """Start a bash script that stops at the first error; a command that asks for the token gets it."""
        process = subprocess.Popen(
            ["bash", "-euo", "pipefail", "-c", self.filled(text)],
            cwd=self.folder,
            env=self.env,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # of a command that asks for nothing and is over already
            process.stdin.write(self.filled("geb_…\n"))
            process.stdin.close()
        return process

    def leave(self, text: str) -> None:
        """Start a script that runs until it is stopped, as in another terminal."""
        with open(self.folder / "background.log", "w") as output:
            self._left.append(self.start(text, output))

    def close(self) -> None:
        """Stop the scripts left running."""
        for process in self._left:
            end(process)

    def run(self, text: str, *, seconds: float = 600, ends: tuple[int, ...] = (0,)) -> str:
        """Run a script to its end; its output. Fails if the exit code or the written files are not as expected."""
        with tempfile.TemporaryFile(
            "w+"
        ) as message:  # not a pipe: what it leaves in the background would hold it open
            process = self.start(text, message)
            try:
                process.wait(seconds)
            finally:
                end(process)
            message.seek(0)
            output = message.read()
        assert process.returncode in ends, (
            f"{self.filled(text)}\n\nended with {process.returncode}:\n{output}"
        )
        for name in WRITTEN.findall(self.filled(text)):
            _check_written(self.folder / name, text)
        return output


def end(process: subprocess.Popen[str]) -> None:
    """Kill a script and its background processes."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(10)


def _check_written(path: Path, command: str) -> None:
    """Assert that a command wrote a file, not empty and of the type that its name says."""
    if path.is_dir():
        assert any(inside.is_file() for inside in path.rglob("*")), (
            f"{path.name} holds no file after\n{command}"
        )
        return
    assert path.is_file(), f"{path.name} was not written by\n{command}"
    assert path.stat().st_size, f"{path.name} is empty after\n{command}"
    if path.name.endswith(".json"):
        json.loads(path.read_text())
    elif ".jsonl" in path.name:
        assert next(jsonl.read(path)), path.name
