"""`goldevidencebench download`: download the rows of a version, and the documents that they name."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from evaluation.core.records import Row
from evaluation.core.terminal.output import print_json
from evaluation.core.terminal.wording import number_of
from evaluation.remote import options

if TYPE_CHECKING:
    from evaluation.remote.client import Client
    from evaluation.remote.download import RemoteFile

ROWS = "rows.jsonl.gz"
HELP = "Download the rows of a version and the documents that they name; resumes a partial download."


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("version", help="benchmark/version, as listed by `goldevidencebench versions`")
    parser.add_argument(
        "--out",
        type=Path,
        help="where to write the rows (default: BENCHMARK-VERSION.rows.jsonl.gz); documents are written beside the "
        "rows, with `documents` instead of `rows` in the file name",
    )
    parser.add_argument(
        "--flat",
        action="store_true",
        help="write one file whose rows contain their texts, instead of two files",
    )
    parser.add_argument(
        "--parquet",
        action="store_true",
        help="also write rows and documents as Parquet files beside them (needs the extra frames)",
    )
    options.configure(parser)


def run(args: argparse.Namespace) -> int:
    """Download the files of a version. Each file must be complete and have the SHA-256 that the site states."""
    from evaluation.remote.download import files_of, flatten, place_of
    from evaluation.remote.records import Version

    with options.connect(args) as client:
        version = client.get(f"/versions/{args.version}", Version)
        out = args.out or Path(f"{version.id.replace('/', '-')}.rows.jsonl.gz")
        files = files_of(version)
        if args.flat and len(files) > 1:
            folder = out.with_name(f".{out.name}.apart")  # kept after a failure, to resume
            folder.mkdir(parents=True, exist_ok=True)
            fetch(client, files, folder / ROWS)
            flatten(folder / ROWS, place_of(files[1], folder / ROWS), out)
            shutil.rmtree(folder)
            written = [(out, files[0])]
        else:
            fetch(client, files, out)
            written = [(place_of(file, out), file) for file in files]
    if args.parquet:
        written += _as_parquet(written)
    _report(args, written, version.rows)
    return 0


def _as_parquet(written: list[tuple[Path, RemoteFile]]) -> list[tuple[Path, RemoteFile]]:
    from evaluation.cli.suites import suite_of
    from evaluation.core import jsonl
    from evaluation.core.suite import get_suite
    from evaluation.frames import rows_frame, write_document_file, write_frame
    from evaluation.frames.schema import ROWS

    made = []
    for path, file in written:
        target = path.with_name(f"{path.name.removesuffix('.gz').removesuffix('.jsonl')}.parquet")
        if file.what == "rows":
            rows = cast(Iterator[Row], jsonl.read(path))
            write_frame(rows_frame(rows, get_suite(suite_of(str(path)))), ROWS, target, sources=[path])
        else:
            with jsonl.fresh(target, sources=[path]) as out:
                write_document_file(jsonl.read(path), out)
        made.append((target, file))
    return made


def fetch(client: Client, files: list[RemoteFile], out: Path) -> None:
    """Download the files of a version with a progress bar. Rows are written to `out`, documents beside it."""
    from rich.progress import DownloadColumn, TransferSpeedColumn

    from evaluation.remote.download import download, place_of

    with options.bar(DownloadColumn(), TransferSpeedColumn()) as progress:
        for file in files:
            place = place_of(file, out)
            task = progress.add_task(place.name, total=None)

            def tell(done: int, total: int, task: Any = task) -> None:
                progress.update(task, completed=done, total=total)

            download(client, file, place, progress=tell)


def _report(args: argparse.Namespace, written: list[tuple[Path, RemoteFile]], rows: int) -> None:
    found = [
        {"what": file.what, "path": str(path), "bytes": path.stat().st_size, "sha256": file.sha256}
        for path, file in written
    ]
    if args.json:
        first = {name: value for name, value in found[0].items() if name != "what"}
        print_json(first | {"rows": rows, "files": found})
        return
    for path, file in written:
        what = number_of(rows, "row") if file.what == "rows" else "the texts of the rows"
        print(f"{path}: {what}, SHA-256 {file.sha256[:12]}… checked")
