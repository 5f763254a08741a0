"""Writing texts to a file: each once, and those of one length padded to one size."""

from __future__ import annotations

from evaluation.core import jsonl
from evaluation.core.files.documents import form
from evaluation.core.files.documents.writer import DocumentSpool
from evaluation.core.sealing.keyed_ids import OPEN_KEY


def spool() -> DocumentSpool:
    return DocumentSpool(("document", "book"), OPEN_KEY, {"canary": "mark"})


def test_a_text_stands_once_however_many_rows_have_it() -> None:
    documents = spool()
    texts = [f"text {number % 7}" for number in range(50)]
    parted = [documents.part({"id": f"r{place}", "book": text}) for place, text in enumerate(texts)]
    assert len(documents) == 7
    names = [name for _, name in parted]
    assert len(set(names)) == 7
    for text, (short, name) in zip(texts, parted, strict=True):
        assert short["document_id"] == name == form.name_of({"book": text}, OPEN_KEY)
        assert jsonl.parse(documents.line(name)[0]) == {"id": name, "book": text, "canary": "mark"}


def test_a_row_without_a_long_text_stays_as_it_is() -> None:
    row = {"id": "r1", "candidates": [1], "book": ""}
    assert spool().part(row) == (row, "")


def test_documents_of_a_form_and_group_have_one_length_and_others_another() -> None:
    documents = spool()
    short, medium = ("2k", "book", "a"), ("2k", "book", "a" * 9)
    texts = [short, medium, ("8k", "book", "a" * 50), ("2k", "document", "aa")]
    names = [documents.part({"id": "r", field: text}, group)[1] for group, field, text in texts]
    lines = [documents.line(name) for name in names]
    assert [kind for _, kind in lines] == [0, 0, 1, 2]
    assert len(lines[0][0]) == len(lines[1][0]) < len(lines[2][0])
    assert lines[0][0].endswith(b"}" + b" " * 8)
