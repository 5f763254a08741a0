"""Downloads of a site in `goldevidencebench mistakes`: open answers are read, sealed ones refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evaluation.core import jsonl
from evaluation.core.errors import RowError
from evaluation.core.files.documents import beside
from evaluation.goldevidence.mistakes import reading
from evaluation.goldevidence.mistakes.reading import Tally, mistakes
from leaderboard.benchmarks import public_rows, storage
from leaderboard.benchmarks.models import Version


def downloaded(version: Version, folder: Path) -> str:
    """Write the rows of a version and their texts to files; the path of the rows."""
    rows = folder / "rows.jsonl"
    for path, sha256 in ((rows, version.rows_sha256), (folder / "documents.jsonl", version.documents_sha256)):
        path.write_bytes(b"".join(line.rstrip(b"\n") + b"\n" for line in storage.lines(sha256)))
    return str(rows)


def silence(rows: str) -> str:
    """A predictions file that answers null to everything."""
    path = Path(rows).with_name("answers.jsonl")
    jsonl.write(path, ({"id": row["id"], "value": None, "support_ids": []} for row in jsonl.read(rows)))
    return str(path)


def test_rows_of_a_public_version_teach(make_version: Any, tmp_path: Path) -> None:
    rows = downloaded(make_version(public_gold=True, protocol="closed"), tmp_path)
    assert all(public_rows.FIELD in row for row in jsonl.read(rows))
    tally = Tally()
    assert list(mistakes(rows, silence(rows), tally=tally))
    assert tally.kinds["wrong_abstention"] > 0


@pytest.mark.parametrize("is_sealed", [True, False])
def test_rows_without_their_gold_are_refused_and_so_are_those_to_which_it_was_added(
    make_version: Any, tmp_path: Path, is_sealed: bool
) -> None:
    version = make_version(sealed=is_sealed, protocol="closed")
    rows = downloaded(version, tmp_path)
    with pytest.raises(RowError, match="has no gold"):
        list(mistakes(rows, silence(rows)))
    leaked = str(tmp_path / "leaked.jsonl")
    jsonl.write(leaked, leaking(version, rows))
    with pytest.raises(RowError, match="its gold must not be used for training"):
        list(mistakes(leaked, silence(leaked)))


def leaking(version: Version, rows: str) -> Iterator[Any]:
    """Public rows with the gold that the settings of their version make."""
    made = {row["id"]: row["gold"] for item in version.bound.generate() for row in item.rows}  # type: ignore[typeddict-item]
    for row in beside.read(rows):
        yield {**row, "gold": made[row["id"]]}


def test_the_field_of_the_canary_is_the_same_in_engine_and_site() -> None:
    assert reading.CANARY == public_rows.FIELD
