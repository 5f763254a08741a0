"""`--json` and `--quiet`, the same for every command.

With `--json` standard output is one JSON document: the data that the command prints with `print_json`, and the files
that were written. Other printed text is dropped. With `--quiet` standard error has only errors (`print_error`).
"""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext, redirect_stderr, redirect_stdout
from typing import Any, TextIO


class _Dropped(io.StringIO):
    """Replaces a stream and drops all text. It stores the JSON document of the command."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self.stream = stream
        self.document: Any = None

    def write(self, text: str) -> int:
        return len(text)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add `--json` (if the command does not define it) and `--quiet` to a command, or to all of its subcommands."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for sub in action.choices.values():
                add_options(sub)
            return
    if "--json" not in parser._option_string_actions:
        parser.add_argument("--json", action="store_true", help="print only the result, as one JSON document")
    parser.add_argument(
        "--quiet", action="store_true", help="print no progress and no hints on standard error, only errors"
    )


@contextmanager
def applied(args: argparse.Namespace) -> Iterator[None]:
    """Apply `--json` and `--quiet` in the block. The JSON document is printed if the block ends without exception."""
    with silent(args.quiet):
        if not getattr(args, "json", False):
            yield
            return
        from evaluation.core import jsonl  # slow to import, and not needed to show text

        dropped = _Dropped(sys.stdout)
        with redirect_stdout(dropped), jsonl.watched() as written:
            yield
        print_json(_with_files(dropped.document, written))


def silent(quiet: bool) -> redirect_stderr[Any] | nullcontext[None]:
    """Context in which hints and progress on standard error are dropped if `quiet`."""
    return redirect_stderr(_Dropped(sys.stderr)) if quiet else nullcontext()


def print_json(document: Any) -> None:
    """Print the JSON document of a command. With `--json` it is printed when the command ends, as the only output."""
    import orjson  # slow to import, and not needed to show text

    if isinstance(sys.stdout, _Dropped):
        sys.stdout.document = document
    else:
        print(
            orjson.dumps(document, default=str, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS).decode()
        )


def print_error(text: str) -> None:
    """Print an error message on standard error, even with `--quiet`."""
    print(text, file=sys.stderr.stream if isinstance(sys.stderr, _Dropped) else sys.stderr)


def _with_files(document: Any, written: Mapping[str, int | None]) -> Any:
    if document is None:
        document = {}
    if not isinstance(document, dict) or {"out", "files"} & document.keys():
        return document
    files = [_described(path, rows) for path, rows in written.items()]
    found = [each for each in files if each is not None]
    return document | {"files": found} if found or not document else document


def _described(path: str, rows: int | None) -> dict[str, object] | None:
    import hashlib
    from pathlib import Path

    if not Path(path).is_file():
        return None
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    counted: dict[str, object] = {"path": path} | ({} if rows is None else {"rows": rows})
    return counted | {"sha256": digest}
