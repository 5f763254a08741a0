"""Normalises the form of answers without knowing the gold: used by `strict` from revision 4 on, warned about before."""

from __future__ import annotations

import re
import unicodedata

#: Hyphens and minus signs that typography and spreadsheets put in place of `-`.
_HYPHENS = "\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2212\ufe58\ufe63\uff0d"
_QUOTES = "\"'`\u201c\u201d\u201e\u2018\u2019\u201a\u00ab\u00bb"
_PLAIN_HYPHENS = str.maketrans(dict.fromkeys(_HYPHENS, "-"))
#: Marks of a value that may need normalising. Nearly all values have none and skip the work.
_SUSPECT = re.compile(rf"[{_QUOTES}=]|\.0*$|[^\x20-\x7e]")
_TAG = re.compile(r"tag\.\d{2,}", re.IGNORECASE)
_WHOLE_FLOAT = re.compile(r"(-?\d+)\.0+")
_ID = re.compile(r"(?<![A-Za-z0-9])[Uu][0-9A-Fa-f]{6}(?![A-Za-z0-9])")
_PLAIN_ID = re.compile(r"U[0-9A-F]{6}")


def plain(value: str, key: str = "") -> str:
    """Return the value in plain form; unchanged if nothing would be left.

    Removed are surrounding quotes and backticks, a final full stop, typographic hyphens, zero-width characters, a
    leading `key = ` (of any tag if `key` is empty), and a trailing `.0` of a whole number.
    """
    if not _SUSPECT.search(value):
        return value
    text = "".join(each for each in value.translate(_PLAIN_HYPHENS) if unicodedata.category(each) != "Cf")
    text = _bare(text.replace("\u00a0", " ").strip())
    front, equals, told = text.partition("=")
    if equals and _names(front.strip().strip(_QUOTES), key):
        text = _bare(told.strip().strip(_QUOTES))
    if whole := _WHOLE_FLOAT.fullmatch(text):
        text = whole[1]
    return text or value


def _names(front: str, key: str) -> bool:
    return front.casefold() == key.casefold() if key else _TAG.fullmatch(front) is not None


def _bare(text: str) -> str:
    """Strip surrounding quotes, and one full stop inside or outside of the quotes."""
    stops = 0
    while True:
        text = text.strip()
        if len(text) > 1 and text[0] in _QUOTES and text[-1] in _QUOTES:
            text = text[1:-1]
        elif not stops and len(text) > 1 and text.endswith(".") and not text.endswith(".."):
            text, stops = text[:-1], 1
        else:
            return text


def is_id(text: str) -> bool:
    return _PLAIN_ID.fullmatch(text) is not None


def ids_of(text: str) -> list[str]:
    """Return the ids named in a citation, in capitals and in order; ignore other words."""
    return [found.upper() for found in _ID.findall(text)]
