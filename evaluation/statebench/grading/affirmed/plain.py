"""Reduces a response to plain text of at most 80 words without markup. From a JSON object, only the answer is taken."""

from __future__ import annotations

import json
import re
from typing import Any

from evaluation.adapters.thinking import without_thinking
from evaluation.statebench.grading.phrases import strict_form
from evaluation.statebench.language.values import TENS, UNITS

#: End of a line in the plain form; unlike a full stop it cannot end an abbreviation.
LINE = "¶"
MAX_WORDS = 80
_LONGEST, _MARKED = 2_000, 8_000  # maximum characters without and with markup
_CUT = re.compile(rf"(?:\S+\s+){{{MAX_WORDS - 1}}}\S+(?=\s+\S)")
_SHORTEST_CUT = 2 * MAX_WORDS  # characters: any text of 81 words is longer
_THINKS = re.compile(r"[<\[◁]|\A\s*analysis", re.I)
_MARKUP = re.compile(r"[*_`~#|>{\[<\n—–→•=]|->")
_FENCE = re.compile(r"```[\w-]*[^\S\n]*\n?|~~~[\w-]*\n")
_STRUCK = re.compile(r"~~[^~\n]+~~|<(del|s|strike)>[^<]*</\1>", re.I)
_TAG = re.compile(r"</?(?:b|i|em|strong|u|code|p|br|ins|mark|span|li|ul|ol)\s*/?>", re.I)
_EMPHASIS = re.compile(r"\*+|`+|(?<!\w)_+(?=\w)|(?<=[\w.!?%])_+(?!\w)")
_LINE_START = re.compile(r"^\s*(?:#{1,6}\s+|[-*•+]\s+|\(?\d{1,2}[.)]\s+)(?=\S)")
_RULE = re.compile(r"[\s|:=+-]+")
_ARROW = re.compile(r"\s*(?:→|⇒|->|=>|-->)\s*")
_DASH = re.compile(r"\s*[—–]\s*(?!\d)|(?<!\d)\s*[—–]\s*")
_PAIR = re.compile(r'"(\w+)"\s*:\s*(?:"((?:[^"\\]|\\.)*)"?|([^\s,{}\[\]"]+))')
#: Fields of a JSON object that hold the answer; without any of them all fields are read.
_ANSWERS = ("decision", "answer", "value", "response", "result", "final_answer", "final", "output")
_TOLD = {True: "yes", False: "no", None: ""}
_COMPOUND = re.compile(rf"\b({'|'.join(TENS)})[- ]({'|'.join(UNITS[1:10])})\b")
_CONTRACTED = re.compile(r"\b(i|it|we|he|she|you|that|they|here|what|there)('(?:m|re|s|ve|ll))\b")
_WRITTEN_OUT = {"'m": " am", "'re": " are", "'s": " is", "'ve": " have", "'ll": " will"}
_STAMP = re.compile(r"\b(\d{4}-\d\d-\d\d)t\d\d:\d\d(?::\d\d)?(?:\.\d+)?z?\b")
_SPACED = re.compile(r"(?<=[$€£])\d{1,3}(?: \d{3})+\b|\b\d{1,3}(?: \d{3})+(?= ?[$€£])")
_BEHIND = re.compile(r"(?<![$€£\d])(\d[\d,.]{0,20}k?) ?([$€£])(?! ?\d)")


def plain(response: str) -> tuple[str, bool]:
    """Return the response as plain text in `strict_form`, and whether it was cut to MAX_WORDS words.

    Thinking is left out, and LINE replaces line ends.
    """
    text = without_thinking(response) if _THINKS.search(response) else response.strip()
    long, text = len(text) > _MARKED, text[:_MARKED]
    if _MARKUP.search(text):
        text = _unmarked(text)
    cut = _CUT.match(text) if len(text) > _SHORTEST_CUT else None
    kept = (cut[0] if cut else text)[:_LONGEST]
    form = strict_form(kept)
    if "'" in form:
        form = _CONTRACTED.sub(lambda found: found[1] + _WRITTEN_OUT[found[2]], form)
    if "$" in form or "€" in form or "£" in form:
        form = _BEHIND.sub(r"\2\1", _SPACED.sub(lambda found: found[0].replace(" ", ""), form))
    if "-" in form and ":" in form:
        form = _STAMP.sub(r"\1", form)
    if "ty-" in form or "ty " in form:
        form = _COMPOUND.sub(lambda found: str(10 * (TENS.index(found[1]) + 2) + UNITS.index(found[2])), form)
    return form, long or len(kept) < len(text)


def _unmarked(text: str) -> str:
    if "```" in text or "~~~" in text:
        text = _FENCE.sub("\n", text).strip()
    if text[:1] in "{[":
        text = _told(text)
    if "~~" in text or "<" in text:
        text = _TAG.sub(" ", _STRUCK.sub(" ", text))
    if "**" in text or "`" in text or "_" in text or "*" in text:
        text = "\n".join(_EMPHASIS.sub("", _LINE_START.sub("", line)) for line in text.split("\n"))
    text = _DASH.sub(" - ", _ARROW.sub(" → ", text))
    return _lines(text.split("\n")) if "\n" in text or text[:1] in "#>|-" else text


def _lines(lines: list[str]) -> str:
    """Join lines as sentences. A line that ends with a colon continues in the next line."""
    told: list[str] = []
    headings: list[str] = []
    for number, raw in enumerate(lines):
        line = raw.strip()
        if not line or line.startswith(">"):
            continue
        if "|" in line:
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if _RULE.fullmatch(line):
                continue
            if (
                number + 1 < len(lines)
                and "-" in lines[number + 1]
                and _RULE.fullmatch(lines[number + 1].strip())
            ):
                headings = cells
                continue
            line = f" {LINE} ".join(_cell(cell, at, headings) for at, cell in enumerate(cells) if cell)
        elif _RULE.fullmatch(line):
            continue
        else:
            headings = []
        line = _LINE_START.sub("", line)
        told.append(line if line.endswith(":") else f"{line} {LINE}")
    return " ".join(told)


def _cell(cell: str, at: int, headings: list[str]) -> str:
    return f"{headings[at]}: {cell}" if at < len(headings) and headings[at] else cell


def _told(text: str) -> str:
    """Return the statements in a JSON text, which may be truncated. Any other text is returned unchanged."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        data = {}
        for name, quoted, bare in _PAIR.findall(text):
            data[name] = quoted or {"true": True, "false": False, "null": None}.get(bare, bare)
        if not data:
            return text
    return f" {LINE} ".join(_statements(data))


def _statements(data: Any) -> list[str]:
    if isinstance(data, list):
        return [told for each in data[:MAX_WORDS] for told in _statements(each)]
    if not isinstance(data, dict):
        return [_scalar(data)]
    named = {str(name).lower(): value for name, value in data.items()}
    answers = [_scalar(named[name]) for name in _ANSWERS if name in named]
    if answers:
        return [answer for answer in answers if answer != "value"]
    return [f"{name.replace('_', ' ')}: {_scalar(value)}" for name, value in named.items()]


def _scalar(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return _TOLD[value]
    if isinstance(value, (dict, list)):
        return f" {LINE} ".join(_statements(value))
    return str(value)
