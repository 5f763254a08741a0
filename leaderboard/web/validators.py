"""Forbidden characters in texts of users: they break feeds (invalid in XML) and PostgreSQL (NUL).

Names and texts shown beside names must not contain invisible characters either. With them, different names would
look alike, or a line would be displayed in another order.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from django import forms

#: Control characters except tab and line ends, lone surrogates, and noncharacters.
FORBIDDEN = r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff"
_FORBIDDEN_CHARACTER = re.compile(f"[{FORBIDDEN}\ud800-\udfff]")
#: Invisible although not of category Cf: fillers, joiners, variation selectors.
_DRAWN_AS_NOTHING = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)
#: Cf: bidirectional marks, zero-width characters, soft hyphens, tags. Zl and Zp: separators of lines and paragraphs.
_NOT_SEEN = frozenset({"Cf", "Zl", "Zp"})


def unseen_problem(text: str) -> str:
    """A sentence about the first invisible character of a text; empty if there is none."""
    for letter in text:
        if unicodedata.category(letter) in _NOT_SEEN or _DRAWN_AS_NOTHING.match(letter):
            return f"Remove the invisible character U+{ord(letter):04X}."
    return ""


def forbidden_in(text: str) -> str:
    """The first forbidden character as `U+000C`, empty if there is none."""
    match = _FORBIDDEN_CHARACTER.search(text)
    return f"U+{ord(match[0]):04X}" if match else ""


def texts_in(value: Any) -> Iterator[str]:
    """Every text in a JSON value, including the keys of objects."""
    match value:
        case str():
            yield value
        case dict():
            for name, member in value.items():
                yield name
                yield from texts_in(member)
        case list():
            for item in value:
                yield from texts_in(item)


def printable(text: str) -> str:
    return _FORBIDDEN_CHARACTER.sub("", text)


if TYPE_CHECKING:
    Form = forms.BaseForm
else:
    Form = object


class PrintableTextMixin(Form):
    """A form that refuses forbidden characters in all text fields. Put it before the form class."""

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        for name, value in list(data.items()):
            if code := forbidden_in("".join(texts_in(value))):
                self.add_error(name, f"Remove the control character {code}.")
        return data
