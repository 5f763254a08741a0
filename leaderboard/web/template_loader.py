"""Removes the indentation of templates: their sources have one tag per line, and pages do not need it."""

from __future__ import annotations

import re

from django.template import Origin
from django.template.loaders import filesystem

#: White space inside these is kept.
VERBATIM = re.compile(r"(<(pre|textarea|script|style)\b.*?</\2\s*>)", re.DOTALL)
#: Block elements: browsers never show white space at their edges.
BLOCKS = (
    "article|aside|body|dd|details|div|dl|dt|fieldset|figcaption|figure|footer|form|h1|h2|h3|h4|head|header|html|legend|"
    "li|link|main|meta|nav|ol|option|p|section|select|summary|table|tbody|td|th|thead|title|tr|ul"
)
BREAK = r"[^\S\n]*\n\s*"
#: A bracket that closes its tag on the next line: `<b\n>` is `<b>`.
BEFORE_BRACKET = re.compile(rf"{BREAK}(?=/?>)")
BEFORE_BLOCK = re.compile(rf"{BREAK}(?=</?(?:{BLOCKS})\b)")
AFTER_BLOCK = re.compile(rf"(</?(?:{BLOCKS})\b[^<>]*>){BREAK}")
#: Line breaks beside these tags are kept, so that the source of a page has lines.
PARTS = r"\{% (?:(?:end)?(?:for|block)|extends|include|load)\b"
BESIDE_PARTS = re.compile(rf"({PARTS}[^%]*%\}}){BREAK}|{BREAK}(?={PARTS})")
ANY_OTHER = re.compile(BREAK)
KEPT = "\0"


class Loader(filesystem.Loader):
    """Loads HTML templates without indentation. Spaces between words stay."""

    def get_contents(self, origin: Origin) -> str:
        source = super().get_contents(origin)
        return unindented(source) if origin.name.endswith(".html") else source


def unindented(source: str) -> str:
    """Remove indentation and most line breaks from an HTML template. The displayed page stays the same."""
    parts = VERBATIM.split(source)
    # Each match of VERBATIM yields two parts: the match, and its tag's name.
    return "".join(part if at % 3 == 1 else _joined(part) for at, part in enumerate(parts) if at % 3 != 2)


def _joined(markup: str) -> str:
    markup = AFTER_BLOCK.sub(r"\1", BEFORE_BLOCK.sub("", BEFORE_BRACKET.sub("", markup)))
    lines = BESIDE_PARTS.sub(lambda found: f"{found[1] or ''}{KEPT}", markup)
    return ANY_OTHER.sub(" ", lines).replace(KEPT, "\n")
