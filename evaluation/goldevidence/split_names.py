"""Builds names of a version's splits for readers: `k4-gold_first` is "4 lines, gold first"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from evaluation.core.plugin.examples import Term
from evaluation.core.terminal.wording import number_of
from evaluation.goldevidence.conditions.perturb import GOLD_AT
from evaluation.goldevidence.generator.ladder.rungs import rung_tokens
from evaluation.goldevidence.protocols import Protocol
from evaluation.goldevidence.records import ConditionSettings

WHOLE = {
    Protocol.CLOSED: Term("Whole book", "The row shows the whole book."),
    Protocol.OPEN: Term("Whole log", "The row shows the whole log."),
    Protocol.BUILD: Term(
        "Built book",
        "The system reads the log first, builds a text from it, and answers only from that text.",
    ),
}
PLACES = {
    "gold_first": ("gold first", "the gold line comes first"),
    "gold_middle": ("gold in the middle", "the gold line is in the middle"),
    "gold_last": ("gold last", "the gold line comes last"),
    "shuffle": ("shuffled", "the lines are shuffled"),
    **{
        order: (f"gold at position {place}", f"the gold line is at position {place}")
        for order, place in GOLD_AT.items()
    },
}
#: Order of the other lines: in few words and in more.
RESTS = {
    "ascending": ("rest earliest first", "the other lines are sorted, earliest first"),
    "descending": ("rest latest first", "the other lines are sorted, latest first"),
    "shuffled": ("rest shuffled", "the other lines are shuffled"),
}


def split_term(settings: Mapping[str, Any], name: str) -> Term:
    if found := next((term for protocol, term in WHOLE.items() if protocol.split_name == name), None):
        return found
    if tokens := rung_tokens(name):
        return Term(f"{name} tokens", f"The row shows a log of about {tokens:,} tokens.")
    conditions = (each for each in settings.get("conditions", ()) if each.get("name") == name)
    condition = next(conditions, None)
    return _condition_term(condition) if condition else Term(name, "")


def split_labels(settings: Mapping[str, object], names: Iterable[str]) -> dict[str, str]:
    """Return a label for each split; all labels differ."""
    called = {name: split_term(settings, name).name for name in names}
    times = Counter(called.values())
    return {name: label if times[label] == 1 else f"{label} ({name})" for name, label in called.items()}


def _condition_term(condition: ConditionSettings) -> Term:
    lines, (place, where) = (
        number_of(condition.get("k", 4), "line"),
        PLACES[condition.get("order", "shuffle")],
    )
    more = list(_more(condition))
    short = ", ".join((lines, place, *(words for words, _ in more if words)))
    whole = "; ".join((where, *(words for _, words in more if words)))
    return Term(short, f"Instead of the whole text, the row shows {lines}{_rival(condition)}: {whole}.")


def _rival(condition: ConditionSettings) -> str:
    """The wrong line shown beside the `k` lines, if there is one (see `retrieval.candidates`)."""
    if condition.get("exact") or condition.get("retriever", "key") != "key":
        return ""
    rivals = {"same_key": " and one older line of the tag", "other_key": " and one line of another tag"}
    return rivals.get(condition.get("wrong_type", "same_key"), "")


def _more(condition: ConditionSettings) -> Iterable[tuple[str, str]]:
    """Yield (short label, long label) per further difference from the default condition. Short labels may be empty."""
    retriever, drop = condition.get("retriever"), condition.get("drop_prob")
    spoof = condition.get("spoof_rate")
    if retriever and retriever != "key":
        yield f"found by {retriever}", f"the lines are retrieved by {retriever}, not by their tag"
    rest = condition.get("rest", "ascending")
    if rest != "ascending" or condition.get("order") in GOLD_AT:
        yield RESTS[rest]
    if (rival := condition.get("wrong_type", "same_key")) != "same_key":
        yield f"{rival}".replace("_", " "), ""
    if condition.get("other_keys"):
        yield "", f"at least {number_of(condition['other_keys'], 'line')} about another tag"
    if condition.get("notes"):
        yield "", f"at least {number_of(condition['notes'], 'NOTE')}, if the ledger has that many"
    if drop:
        yield f"gold left out in {drop:.0%}", f"{drop:.0%} of the rows lack the gold line"
    if spoof:
        yield (
            f"{spoof:.0%} disguised",
            f"in {spoof:.0%} of the lines the marker (UPDATE or NOTE) is missing, or a remark contradicts it",
        )
    if not condition.get("include_clear", True):
        yield "no CLEAR", "no line clears a tag"
    if condition.get("query_sandwich"):
        yield "asked twice", "the question comes before and after the lines"
    if condition.get("ties") == "earliest":
        yield "ties earliest first", "of lines with equal scores the earliest is ranked first"
