"""`goldevidencebench download`: the rows of a version."""

from __future__ import annotations

import argparse
from pathlib import Path

from evaluation.core.terminal.wording import number_of
from evaluation.remote import options

HELP = "Download the rows of a version; goes on where it broke off."


def configure(parser: argparse.ArgumentParser) -> None:
    """Which version, and where to."""
    parser.add_argument("version", help="as `goldevidencebench versions` lists it: benchmark/version")
    parser.add_argument(
        "--out", type=Path, help="where to write it (default: BENCHMARK-VERSION.rows.jsonl.gz)"
    )
    options.configure(parser)


def run(args: argparse.Namespace) -> int:
    """The file is complete and has the version's SHA-256, or it is not there."""
    from rich.progress import DownloadColumn, TransferSpeedColumn

    from evaluation.remote.download import download

    with options.connect(args) as client, options.bar(DownloadColumn(), TransferSpeedColumn()) as progress:
        version = client.get(f"/versions/{args.version}")
        out = args.out or Path(f"{version['id'].replace('/', '-')}.rows.jsonl.gz")
        task = progress.add_task(out.name, total=None)
        size = download(
            client,
            version,
            out,
            progress=lambda done, total: progress.update(task, completed=done, total=total),
        )
    if args.json:
        options.print_json(
            {"path": str(out), "bytes": size, "rows": version["rows"], "sha256": version["rows_sha256"]}
        )
    else:
        print(f"{out}: {number_of(version['rows'], 'row')}, SHA-256 {version['rows_sha256'][:12]}… checked")
    return 0
