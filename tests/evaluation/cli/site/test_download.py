"""`goldevidencebench download`: two files, one flat file, or Parquet."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from evaluation.cli import main
from evaluation.core import jsonl
from evaluation.core.files.documents.writer import DocumentSpool
from evaluation.core.sealing.keyed_ids import OPEN_KEY
from evaluation.core.suite import get_suite
from evaluation.frames import read_frame
from evaluation.frames.schema import DOCUMENTS, ROWS
from evaluation.remote import options
from evaluation.remote.client import Client

GENERATOR = {"episodes": 2, "steps": 40, "queries": 3, "keys": 5, "chapters": 2, "twins": False}


def lines_of(rows: list[Any]) -> bytes:
    return b"".join(jsonl.dumps(row) + b"\n" for row in rows)


@pytest.fixture
def rows() -> list[Any]:
    """Rows with their texts and gold."""
    suite = get_suite("goldevidence")
    settings = suite.settings.checked({"generator": GENERATOR, "protocol": "open", "key": OPEN_KEY})
    return [dict(row) for item in suite.version(settings).generate() for row in item.rows]


@pytest.fixture
def files(rows: list[Any]) -> dict[str, bytes]:
    """The lines of the two files of a version."""
    spool = DocumentSpool(("document", "book"), OPEN_KEY, {"canary": "mark"})
    short = [spool.part(row) for row in rows]
    names = dict.fromkeys(name for _, name in short)
    documents = b"".join(spool.line(name)[0] + b"\n" for name in names)
    return {"rows": lines_of([row for row, _ in short]), "documents": documents}


@pytest.fixture
def site(
    files: dict[str, bytes], rows: list[Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[..., int]:
    """Run the command in a folder of its own against a site with the version."""
    version = {"id": "gold/tiny", "title": "Tiny", "status": "frozen", "rows": len(rows), "sha256": ""}
    version |= {f"{name}_sha256": hashlib.sha256(lines).hexdigest() for name, lines in files.items()}

    def handle(request: httpx2.Request) -> httpx2.Response:
        what = request.url.path.rpartition("/")[2]
        if what not in files:
            return httpx2.Response(200, json=version)
        return httpx2.Response(200, content=iter([gzip.compress(files[what], mtime=0)]))

    monkeypatch.chdir(tmp_path)
    client = Client("http://site.example", transport=httpx2.MockTransport(handle))
    monkeypatch.setattr(options, "connect", lambda args: client)
    return lambda *words: main(["download", "gold/tiny", *words])


def test_both_files_lie_beside_each_other_and_every_command_reads_them(site, rows, tmp_path, capsys) -> None:
    assert site() == 0
    names = ["gold-tiny.documents.jsonl.gz", "gold-tiny.rows.jsonl.gz"]
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    assert "the texts of the rows, SHA-256" in capsys.readouterr().out
    data = ["--data", names[1]]
    assert main(["run", *data, "--out", "preds.jsonl"]) == 0
    assert main(["validate", *data, "--pred", "preds.jsonl"]) == 0
    assert main(["grade", *data, "--pred", "preds.jsonl", "--results-json", "report.json"]) == 0
    assert json.loads(Path("report.json").read_text())["metrics"]["exact_acc"] == 1
    assert main(["model", "--adapter", "streaming_log", *data, "--out", "model.jsonl"]) in (0, 2)


def test_a_flat_file_has_the_rows_as_they_were_before_they_were_parted(site, rows, tmp_path) -> None:
    assert site("--flat", "--out", "flat.jsonl") == 0
    assert [path.name for path in tmp_path.iterdir()] == ["flat.jsonl"]
    assert Path("flat.jsonl").read_bytes() == lines_of(rows)


def test_parquet_has_each_text_once(site, rows) -> None:
    assert site("--parquet", "--out", "rows.jsonl.gz") == 0
    documents, table = read_frame("documents.parquet", DOCUMENTS), read_frame("rows.parquet", ROWS)
    texts = dict(zip(documents["id"], documents["text"], strict=True))
    assert len(texts) == len(set(texts.values())) == GENERATOR["episodes"]
    assert [texts[name] for name in table["document_id"]] == [row["document"] for row in rows]


def test_what_was_written_is_told_to_programs(site, files, capsys) -> None:
    assert site("--json", "--out", "mine.gz") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["path"], told["sha256"]) == ("mine.gz", hashlib.sha256(files["rows"]).hexdigest())
    assert [(file["what"], file["path"]) for file in told["files"]] == [
        ("rows", "mine.gz"),
        ("documents", "mine.documents.jsonl.gz"),
    ]


def test_documents_with_another_hash_are_not_kept(site, files, tmp_path, capsys) -> None:
    files["documents"] += b"\n"
    assert site() == 2
    assert "the downloaded documents do not have the version's SHA-256" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["gold-tiny.rows.jsonl.gz"]


def test_without_its_documents_a_command_says_what_to_do(site, capsys) -> None:
    assert site("--out", "rows.jsonl.gz") == 0
    Path("documents.jsonl.gz").rename("elsewhere.gz")
    for words in (
        ["run", "--out", "p.jsonl"],
        ["validate", "--pred", "p.jsonl"],
        ["grade", "--pred", "p.jsonl"],
    ):
        Path("p.jsonl").touch()
        assert main([words[0], "--data", "rows.jsonl.gz", *words[1:]]) == 2
        said = capsys.readouterr().err
        assert "there is no documents.jsonl.gz beside the file" in said
        assert "--documents FILE" in said
    assert main(["run", "--data", "rows.jsonl.gz", "--documents", "elsewhere.gz", "--out", "p.jsonl"]) == 0
