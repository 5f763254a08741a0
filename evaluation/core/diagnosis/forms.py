"""Recognise files that are not JSON Lines by their first bytes."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Sequence

from evaluation.core.checks import Finding
from evaluation.core.diagnosis import tools
from evaluation.core.diagnosis.tools import ONE_A_LINE

HEAD = 1 << 16  # bytes examined
_WEIGHTS = "Send the model's answers, not the model."
#: First bytes, code, description with advice.
MAGIC: tuple[tuple[bytes, str, str], ...] = (
    (b"\x1f\x8b", "gzip_in_gzip", "a gzip file inside a gzip file. Unpack it once and send it again."),
    (b"PAR1", "parquet", f"a Parquet table. Export it as {ONE_A_LINE}: with pandas, "
     "df.to_json('preds.jsonl', orient='records', lines=True)."),
    (b"7z\xbc\xaf\x27\x1c", "7z", "a 7z archive. Unpack it and send the JSON Lines, plain or packed with gzip."),
    (b"Rar!\x1a\x07", "rar", "a RAR archive. Unpack it and send the JSON Lines, plain or packed with gzip."),
    (b"\x04\x22\x4d\x18", "lz4", "packed with LZ4. Send it plain, or packed with gzip."),
    (b"GGUF", "weights", f"weights of a model (GGUF). {_WEIGHTS}"),
    (b"\x89HDF\r\n", "hdf5", f"an HDF5 file. Write {ONE_A_LINE}."),
    (b"\x93NUMPY", "numpy", f"an array of NumPy (.npy). Write {ONE_A_LINE}, with the ids of the rows."),
    (b"Obj\x01", "avro", f"an Avro file. Export it as {ONE_A_LINE}."),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "spreadsheet", f"an old Office file. Export it as {ONE_A_LINE}."),
    (b"\x89PNG", "picture", f"a picture. Send {ONE_A_LINE}."),
    (b"\xff\xd8\xff", "picture", f"a picture. Send {ONE_A_LINE}."),
    (b"\x28\xb5\x2f\xfd", "zstd", "packed with Zstandard. Send it plain, or packed with gzip."),
    (b"BZh", "bzip2", "packed with bzip2. Send it plain, or packed with gzip."),
    (b"\xfd7zXZ", "xz", "packed with xz. Send it plain, or packed with gzip."),
    (b"%PDF", "pdf", f"a PDF. Send {ONE_A_LINE}."),
    (b"SQLite format 3", "sqlite", f"a SQLite database. Export its table as {ONE_A_LINE}."),
    (b"ARROW1", "arrow", f"an Arrow file. Export it as {ONE_A_LINE}."),
    (b"\x80\x04", "pickle", f"a Python pickle. Write {ONE_A_LINE} with the module json."),
    (b"\x80\x05", "pickle", f"a Python pickle. Write {ONE_A_LINE} with the module json."),
)  # fmt: skip
#: Byte order marks of refused encodings. UTF-32 first: its mark begins with that of UTF-16.
MARKS = ((b"\xff\xfe\x00\x00", "UTF-32"), (b"\x00\x00\xfe\xff", "UTF-32"), (b"\xff\xfe", "UTF-16"),
         (b"\xfe\xff", "UTF-16"))  # fmt: skip
#: Share of zeros at even or odd positions that means UTF-16, where every second byte of ASCII text is 0.
ZEROS = 0.3
#: Most bytes of a safetensors header, the limit of its own reader. The file starts with its length in eight bytes.
MOST_HEADER = 100_000_000
DELIMITERS = {
    ",": ("csv", "a CSV table"),
    "\t": ("tsv", "a TSV table"),
    ";": ("csv", "a CSV table with semicolons"),
}
FEWEST_FIELDS, TABLE_LINES = 2, 8
_HTML = re.compile(rb"<!doctype html|<html[\s>]|<head[\s>]|<body[\s>]", re.IGNORECASE)
_PYTHON = re.compile(r"\{\s*'[^'\n]*'\s*:")
#: Header of a ZIP entry: length of the name and of the extra field, then the name.
_ENTRY = re.compile(rb"PK\x03\x04.{22}(..)..", re.DOTALL)
_EMPTY_ZIP = b"PK\x05\x06"
TAR_MARK, TAR_MARK_AT = b"ustar", 257
#: Pattern of an entry name, code, description with advice.
KINDS = (
    (r"_journal/|header\.json$", "inspect_log", "a binary log of inspect_ai (.eval). Send it with `goldevidencebench "
     "submit` where inspect_ai is installed, or send the JSON that `inspect log convert FILE.eval --to json "
     "--output-dir .` writes."),
    (r".*\.npy$", "numpy", f"arrays of NumPy (.npz). Write {ONE_A_LINE}, with the ids of the rows."),
    (r"xl/", "spreadsheet", f"an Excel workbook. Export the sheet as {ONE_A_LINE}."),
    (r"(word|ppt)/", "document", f"a Word document or a presentation. Send {ONE_A_LINE}."),
    (r"mimetype$", "spreadsheet", f"an OpenDocument file. Export the sheet as {ONE_A_LINE}."),
    (r".*(^|/)data\.pkl$", "weights", f"weights of PyTorch. {_WEIGHTS}"),
)  # fmt: skip


def form_of(head: bytes) -> Finding | None:
    """Recognise the format of a file from its first (unpacked) bytes. Returns None if the file may be JSON Lines."""
    for magic, code, what in MAGIC:
        if head.startswith(magic):
            return _seems(code, what)
    if named := named_by_entries(head):
        return _seems(*named)
    if head[8:12] == b"DUCK":
        return _seems("duckdb", f"a DuckDB database. Export its table as {ONE_A_LINE}.")
    if head[8:10] == b'{"' and 2 <= int.from_bytes(head[:8], "little") < MOST_HEADER:
        return _seems("weights", f"weights of a model (safetensors). {_WEIGHTS}")
    if encoding := _encoding(head):
        return _seems(
            "utf16", f"text in {encoding}. Save it as UTF-8: in Python, open(path, 'w', encoding='utf-8')."
        )
    text = head.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").lstrip()
    if not text:
        return None
    if _HTML.match(text[:2000].encode()) or text.startswith("<?xml"):
        return _seems("html", "a web page, perhaps from a failed download. Send the predictions themselves.")
    if text.startswith(("[", "{")):
        return _json_form(text)
    return _table(text)


def _seems(code: str, what: str) -> Finding:
    return Finding(
        code, f"This seems to be {what}" if not what.startswith("packed") else f"This file is {what}"
    )


def _encoding(head: bytes) -> str:
    for mark, name in MARKS:
        if head.startswith(mark):
            return name
    sample = head[:4096]
    zeros = max(sample[0::2].count(0), sample[1::2].count(0))
    return "UTF-16" if len(sample) >= 8 and zeros > ZEROS * len(sample) else ""


def _json_form(text: str) -> Finding | None:
    first = text.split("\n", 1)[0].rstrip()
    if text.startswith("["):
        if tool := tools.recognise_text(text):
            return tool
        if (items := _value(first)) is None or isinstance(items, list):
            return _seems("json_list", f"one JSON list of all answers. Write {ONE_A_LINE}, without brackets and commas "
                          "around them: jq -c '.[]' file.json > preds.jsonl.")  # fmt: skip
        return None
    value = _value(first)
    if isinstance(value, dict):
        return _one_object(text, first, value)
    if value is None and (tool := tools.recognise_text(text)):
        return tool
    if _PYTHON.match(first):
        return _seems("python_text", "printed Python dictionaries, with single quotes. Write each line with "
                      "json.dumps(…).")  # fmt: skip
    if first in ("{", '{"') or (value is None and "\n" in text and _value_at_start(text)):
        return _seems("json_object", f"JSON that spans several lines. Write {ONE_A_LINE}: "
                      "jq -c . file.json > preds.jsonl.")  # fmt: skip
    if _value_at_start(first):
        return _seems("joined_lines", f"JSON objects without a line break between them. Write {ONE_A_LINE}.")
    return None


def _one_object(text: str, first: str, value: dict[str, object]) -> Finding | None:
    """Recognise a file with a single JSON object that maps ids to answers or contains a list of answers."""
    if text.strip() != first or len(value) == 0:
        return None
    if tool := tools.recognise_fields(value):
        return tool
    nested = [
        name for name, each in value.items() if isinstance(each, list) and each and isinstance(each[0], dict)
    ]
    if nested:
        return _seems("json_object", f"one JSON object with its answers in {nested[0]!r}. Write {ONE_A_LINE}: "
                      f"jq -c '.{nested[0]}[]' file.json > preds.jsonl.")  # fmt: skip
    if len(value) > 1 and all(isinstance(each, dict) for each in value.values()):
        return _seems("json_object", f"one JSON object with an answer under each id. Write {ONE_A_LINE}, with the id "
                      "as a field.")  # fmt: skip
    return None


def _value(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _value_at_start(text: str) -> bool:
    try:
        return isinstance(json.JSONDecoder().raw_decode(text)[0], dict)
    except (ValueError, RecursionError):
        return False


def _table(text: str) -> Finding | None:
    """Recognise a table, in which every line has as many fields as the first line."""
    lines = text.splitlines()[: TABLE_LINES + 1]
    # the last line may be cut where the first bytes end
    whole = lines[:-1] if len(lines) > TABLE_LINES else lines
    for delimiter, (code, what) in DELIMITERS.items():
        try:
            rows = [row for row in csv.reader(io.StringIO("\n".join(whole)), delimiter=delimiter) if row]
        except csv.Error:
            continue
        widths = {len(row) for row in rows}
        if len(rows) > 1 and len(widths) == 1 and max(widths) >= FEWEST_FIELDS and _is_header(rows[0]):
            head = ", ".join(repr(name) for name in rows[0][:4])
            return _seems(code, f"{what} ({head}). Export it as {ONE_A_LINE}: with pandas, "
                          "df.to_json('preds.jsonl', orient='records', lines=True).")  # fmt: skip
    return None


def _is_header(row: list[str]) -> bool:
    return all(name.strip() and len(name) <= 60 and not name.lstrip().startswith("{") for name in row)


def named_by_entries(head: bytes) -> tuple[str, str] | None:
    """Recognise a ZIP or tar archive by its beginning. Returns (code, description with advice), or None."""
    if head.startswith((b"PK\x03\x04", _EMPTY_ZIP)):
        return _zip_form(_zip_entries(head))
    if head[TAR_MARK_AT : TAR_MARK_AT + len(TAR_MARK)] == TAR_MARK:
        first = head[:100].split(b"\0", 1)[0].decode("utf-8", "replace")
        return (
            "tar",
            f"a tar archive{_named([first])}. Unpack it and send the JSON Lines, plain or packed with gzip.",
        )
    return None


def _zip_form(entries: Sequence[str]) -> tuple[str, str]:
    for pattern, code, what in KINDS:
        if any(re.match(pattern, entry) for entry in entries):
            return code, what
    return "zip", (
        f"a ZIP archive{_named(entries)}. Unpack it and send the JSON Lines, plain or packed with gzip."
    )


def _zip_entries(head: bytes) -> list[str]:
    found = []
    for entry in _ENTRY.finditer(head):
        size = int.from_bytes(entry[1], "little")
        found.append(head[entry.end() : entry.end() + size].decode("utf-8", "replace"))
    return found


def _named(entries: Sequence[str]) -> str:
    few = ", ".join(repr(name[:60]) for name in entries[:3] if name)
    more = ", …" if len(entries) > 3 else ""
    return f" ({few}{more})" if few else ""
