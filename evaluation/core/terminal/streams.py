"""`-` in place of a file on a command line: standard input, or standard output."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, redirect_stdout

from evaluation.core.errors import BenchmarkError

STANDARD = "-"  # as `jsonl.STANDARD_OUTPUT`, which is not imported before a command needs it
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
_BY_ENDING = "the kind of that file is told by the ending of its name"
#: Outputs that are no single stream, and why; of every command, or of one.
REFUSED = {
    "--verdicts-out": _BY_ENDING,
    "--metrics-out": _BY_ENDING,
    "--out-frame": _BY_ENDING,
    "model --out": "the run keeps its journal and transcripts beside that file",
    "download --out": "the documents lie beside that file, and a broken download goes on there",
    "sweep --out": "a sweep writes a folder",
    "bench --out": "a bench writes a folder",
}


@contextmanager
def opened(words: Sequence[str]) -> Iterator[list[str]]:
    """A command line whose `-` for an input names a file that holds all of standard input.

    Commands read their files more than once, and a stream can be read once. While standard output takes a file, prints
    go to standard error.

    Args:
        words: The command and what follows it.

    Raises:
        BenchmarkError: Standard input or output is named twice, or the output is no single stream.
    """
    places = list(_places(words))
    inputs = [at for at, option in places if option in INPUTS or not option]
    outputs = [option for _, option in places if option in OUTPUTS]
    _check(words[0] if words else "", [option for _, option in places])
    for count, name in ((len(inputs), "input"), (len(outputs), "output")):
        if count > 1:
            raise BenchmarkError(
                f"standard {name} is one stream, and {count} files are to be it: name the others"
            )
    with redirect_stdout(sys.stderr) if outputs else nullcontext():
        if not inputs:
            yield list(words)
            return
        with _kept_input() as path:
            yield [_with_path(word, path) if at in inputs else word for at, word in enumerate(words)]


def _places(words: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Where `-` stands, and the option that it is the value of; empty for an argument without one."""
    for at, word in enumerate(words):
        option, equals, value = word.partition("=")
        if option.startswith("--") and equals and value == STANDARD:
            yield at, option
        elif word == STANDARD and at:
            before = words[at - 1]
            yield at, before if before.startswith("--") and "=" not in before else ""


def _check(command: str, options: Sequence[str]) -> None:
    """Raises BenchmarkError for an output that is no single stream."""
    for option in options:
        if why := REFUSED.get(option) or REFUSED.get(f"{command} {option}"):
            raise BenchmarkError(f"{option} - is not standard output here, as {why}: name a path")


@contextmanager
def _kept_input() -> Iterator[str]:
    """A file with all of standard input, there until the block ends."""
    from pathlib import Path  # a command without standard input need not wait for these
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="goldevidencebench-") as folder:
        path = Path(folder, "standard-input")
        with path.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield str(path)


def _with_path(word: str, path: str) -> str:
    option, equals, _ = word.partition("=")
    return f"{option}={path}" if equals else path
