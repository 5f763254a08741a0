"""`-` instead of a file on a command line: standard input or standard output."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, redirect_stdout

from evaluation.core.errors import BenchmarkError

STANDARD = "-"  # as `jsonl.STANDARD_OUTPUT`, which is slow to import
INPUTS = frozenset(
    {"--in", "--data", "--pred", "--documents", "--timelines", "--responses", "--judges", "--vectors"}
)
OUTPUTS = frozenset(
    {
        "--out",
        "--out-json",
        "--out-csv",
        "--out-decomposition",
        "--out-decomp-csv",
        "--rows-out",
        "--results-json",
    }
)
_BY_ENDING = "the format of this file follows from the ending of its name"
#: Outputs that cannot be a stream, and why; for every command, or for one.
REFUSED = {
    "--verdicts-out": _BY_ENDING,
    "--metrics-out": _BY_ENDING,
    "--out-frame": _BY_ENDING,
    "model --out": "the run keeps its journal and transcripts beside that file",
    "download --out": "the documents are written beside that file, and a broken download is continued there",
    "sweep --out": "a sweep writes a folder",
    "bench --out": "a bench writes a folder",
}


@contextmanager
def opened(words: Sequence[str]) -> Iterator[list[str]]:
    """Save standard input to a temporary file, and yield the words with its path in place of `-` for an input.

    Raises BenchmarkError if `-` is used twice, or for an option that needs a path.
    """
    places = list(_places(words))
    inputs = [at for at, option in places if option in INPUTS or not option]
    outputs = [option for _, option in places if option in OUTPUTS]
    _check(words[0] if words else "", [option for _, option in places])
    if outputs and "--json" in words:
        raise BenchmarkError(f"--json prints its document to standard output: name a path for {outputs[0]}")
    for count, name in ((len(inputs), "input"), (len(outputs), "output")):
        if count > 1:
            raise BenchmarkError(
                f"standard {name} is one stream, but {count} options use it: name files for all but one"
            )
    # prints must not mix with an output that goes to standard output
    with redirect_stdout(sys.stderr) if outputs else nullcontext():
        if not inputs:
            yield list(words)
            return
        # a file, as commands read their inputs more than once, and a stream can be read once
        with _kept_input() as path:
            yield [_with_path(word, path) if at in inputs else word for at, word in enumerate(words)]


def _places(words: Sequence[str]) -> Iterator[tuple[int, str]]:
    for at, word in enumerate(words):
        option, equals, value = word.partition("=")
        if option.startswith("--") and equals and value == STANDARD:
            yield at, option
        elif word == STANDARD and at:
            before = words[at - 1]
            yield at, before if before.startswith("--") and "=" not in before else ""


def _check(command: str, options: Sequence[str]) -> None:
    for option in options:
        if why := REFUSED.get(option) or REFUSED.get(f"{command} {option}"):
            raise BenchmarkError(f"{option} cannot be -, as {why}: name a path")


@contextmanager
def _kept_input() -> Iterator[str]:
    from pathlib import Path  # slow to import, and seldom needed
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="goldevidencebench-") as folder:
        path = Path(folder, "standard-input")
        with path.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield str(path)


def _with_path(word: str, path: str) -> str:
    option, equals, _ = word.partition("=")
    return f"{option}={path}" if equals else path
