"""Extracts ledger entries from a log with a language model, chunk by chunk or key by key."""

from __future__ import annotations

import re
from collections.abc import Iterator

from evaluation.adapters.base import Usage
from evaluation.adapters.llama.language_model import Ask, LanguageModel
from evaluation.goldevidence.adapters.answer_forms import citation_form, ledger_lines_form
from evaluation.goldevidence.adapters.prompts import Prompts
from evaluation.goldevidence.adapters.selection import Selection
from evaluation.goldevidence.adapters.shown import Shown
from evaluation.goldevidence.data.ledger import LEDGER_HEADING, Entry, parse_book

_UID = re.compile(r"\[(U[0-9A-F]{6})\]")
MAX_VALUE = 64  # characters of a value in an extracted line


def pieces(document: str, lines: int) -> Iterator[str]:
    """Split a log into chunks of up to `lines` lines, leaving out headings."""
    body = [line for line in document.splitlines() if line.startswith("- ")]
    for start in range(0, len(body), lines):
        yield "\n".join(body[start : start + lines])


def extract_lines(model: LanguageModel, prompts: Prompts, piece: str, name: str) -> tuple[list[Entry], Usage]:
    """Return the state changes that the model finds in a chunk of a log, and the cost.

    Lines with ids that are not in the chunk are dropped. The model is not called for a chunk without ids. `name` seeds
    the random stream.
    """
    ids = set(_UID.findall(piece))
    if not ids:
        return [], Usage()
    form = ledger_lines_form(max_lines=len(ids), max_chars=MAX_VALUE)
    [reply] = model.ask([Ask(name, prompts.extract, f"{piece}\n\nLines that change the state:", form)])
    entries = parse_book(f"{LEDGER_HEADING}\n{reply.text}")
    return [entry for entry in entries if entry.uid in ids], reply.usage


def latest_of_keys(
    model: LanguageModel, prompts: Prompts, entries: list[Entry], name: str
) -> tuple[list[Entry], Usage]:
    """Return the highest-scored entry of each key (keys sorted), and the cost of scoring."""
    usage, chosen = Usage(), []
    selection = Selection(model, prompts, calibrate=True)
    for key in sorted({entry.key for entry in entries}):
        lines = [entry for entry in entries if entry.key == key]
        scores, spent = _scores(model, prompts, selection, lines, f"{name}/{key}")
        usage += spent
        chosen.append(lines[max(range(len(lines)), key=scores.__getitem__)])
    return chosen, usage


def _scores(
    model: LanguageModel, prompts: Prompts, selection: Selection, lines: list[Entry], name: str
) -> tuple[list[float], Usage]:
    text, key = "\n".join(entry.line() for entry in lines), lines[0].key
    if prompts.legacy:
        asked, form = prompts.latest(key), citation_form([entry.uid for entry in lines])
        return model.score(Ask(name, prompts.system, f"{text}\n\n{asked}", form))
    seen = Shown("candidates", text, tuple(lines))
    score = selection.by_label if len(lines) <= len(model.labels) else selection.by_text
    return score(name, seen, prompts.latest(key))
