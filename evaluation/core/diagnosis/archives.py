"""ZIP and tar archives, called by what lies in them. Many tools write a ZIP file under an ending of their own."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evaluation.core.diagnosis.tools import ONE_A_LINE

#: The header of an entry of a ZIP file: its length of name and of extra field, then the name.
_ENTRY = re.compile(rb"PK\x03\x04.{22}(..)..", re.DOTALL)
_EMPTY_ZIP = b"PK\x05\x06"
TAR_MARK, TAR_MARK_AT = b"ustar", 257
#: An entry that a file of this kind holds -> code, what it is, what to do.
KINDS = (
    (r"_journal/|header\.json$", "inspect_log", "a log of inspect_ai (.eval). `inspect log dump` prints its samples; "
     f"the reply of each is in output.completion. Write {ONE_A_LINE}, with the id of a row and its answer."),
    (r".*\.npy$", "numpy", f"arrays of NumPy (.npz). Write {ONE_A_LINE}, with the ids of the rows."),
    (r"xl/", "spreadsheet", f"an Excel workbook. Export the sheet as {ONE_A_LINE}."),
    (r"(word|ppt)/", "document", f"a Word document or a presentation. Send {ONE_A_LINE}."),
    (r"mimetype$", "spreadsheet", f"an OpenDocument file. Export the sheet as {ONE_A_LINE}."),
    (r".*(^|/)data\.pkl$", "weights", "weights of PyTorch. Send what the model answered, and not the model."),
)  # fmt: skip


def named_by_entries(head: bytes) -> tuple[str, str] | None:
    """Name an archive by its entries.

    Args:
        head: The first bytes of a file.

    Returns:
        A code, and what it is with what to do about it; None where it is no such archive.
    """
    if head.startswith((b"PK\x03\x04", _EMPTY_ZIP)):
        return _of_zip(_zip_entries(head))
    if head[TAR_MARK_AT : TAR_MARK_AT + len(TAR_MARK)] == TAR_MARK:
        first = head[:100].split(b"\0", 1)[0].decode("utf-8", "replace")
        return (
            "tar",
            f"a tar archive{_named([first])}. Unpack it and send the JSON Lines, plain or packed with gzip.",
        )
    return None


def _of_zip(entries: Sequence[str]) -> tuple[str, str]:
    for pattern, code, what in KINDS:
        if any(re.match(pattern, entry) for entry in entries):
            return code, what
    return "zip", (
        f"a ZIP archive{_named(entries)}. Unpack it and send the JSON Lines; gzip is the only packing that is taken."
    )


def _zip_entries(head: bytes) -> list[str]:
    """The names of the entries whose headers lie in the first bytes."""
    found = []
    for entry in _ENTRY.finditer(head):
        size = int.from_bytes(entry[1], "little")
        found.append(head[entry.end() : entry.end() + size].decode("utf-8", "replace"))
    return found


def _named(entries: Sequence[str]) -> str:
    few = ", ".join(repr(name[:60]) for name in entries[:3] if name)
    more = ", …" if len(entries) > 3 else ""
    return f" ({few}{more})" if few else ""
