"""The deterministic systems that anyone can run: baselines, selectors, retrievers.

`SYSTEMS[name].build()` returns an object with `predict(row) -> {"id", "value", "support_ids"}`. Systems with a selector
add `selected_uid`, the selected line, and `shown_uids`, the lines to select from. No system reads gold.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from evaluation.core.errors import UnknownNameError
from evaluation.goldevidence.generator.ladder.rungs import rung_name
from evaluation.goldevidence.records import CanonicalPrediction, EpisodeRow
from evaluation.goldevidence.retrieval import EARLIEST, LATEST
from evaluation.goldevidence.selectors import get_selector
from evaluation.goldevidence.systems.pipeline import Pipeline
from evaluation.goldevidence.systems.two_phases import TwoPhases

#: Tokens that the two window systems keep: for the short and the long ladder, less than every length but the first.
WINDOWS = (2048, 16384)
CANDIDATES, LADDERS, FAMILIES = "candidates", "ladders", "families"


class System(Protocol):
    def predict(self, row: EpisodeRow, *, protocol: str = "closed_book") -> CanonicalPrediction:
        """Return `{"id", "value", "support_ids"}` and, with a selector, `selected_uid` and `shown_uids`."""


@dataclass(frozen=True, slots=True)
class SystemSpec:
    """A named system. `kind` is baseline, selector or retriever.

    `reference` says why boards do not rank a system: it is an oracle, a floor (a baseline that uses only positions) or
    a rule (written or trained for the ledger's format). It is empty for systems that boards rank, such as language
    models.

    `only_over` restricts a system to versions with `CANDIDATES`, `LADDERS` or `FAMILIES`; empty allows all versions.
    Selectors by position run only over `CANDIDATES`: in a whole text the last line of a tag is mostly the answer.
    """

    name: str
    kind: str
    description: str
    build: Callable[[], System]
    reference: str = ""
    only_over: str = ""
    contexts: int = 0  # these systems build no contexts


def _selector(
    name: str,
    description: str,
    *,
    selector: str = "",
    gate: bool = False,
    reference: str = "rule",
    only_over: str = "",
) -> SystemSpec:
    def build() -> System:
        return TwoPhases(Pipeline(get_selector(selector or name), gate=gate))

    return SystemSpec(name, "selector", description, build, reference, only_over)


def _retriever(
    name: str, description: str, *, retriever: str, ties: str = LATEST, reference: str = "rule"
) -> SystemSpec:
    def build() -> System:
        pipeline = Pipeline(
            get_selector("latest_step"), retriever=retriever, ties=ties, gate=True, same_key=True
        )
        return TwoPhases(pipeline)

    return SystemSpec(f"{name}+latest_step", "retriever", description, build, reference)


def _baseline(name: str, description: str, *, reference: str) -> SystemSpec:
    def build() -> System:
        from evaluation.goldevidence.systems.baselines import get_baseline

        return TwoPhases(get_baseline(name))

    return SystemSpec(name, "baseline", description, build, reference)


def _long_log(
    name: str, description: str, made: Callable[[Any], Any], reference: str, only_over: str = ""
) -> SystemSpec:
    """A system that `made` builds from the module `long_logs`. The slow import of the module waits until `build`."""

    def build() -> System:
        from evaluation.goldevidence.systems import long_logs

        return TwoPhases(made(long_logs))

    return SystemSpec(name, "baseline", description, build, reference, only_over)


def _window(tokens: int) -> SystemSpec:
    description = f"Keeps the last {tokens:,} tokens of the text and replays the ledger's lines in them."
    return _long_log(
        f"window_{rung_name(tokens)}", description, lambda logs: logs.Window(tokens), "rule", LADDERS
    )


def _parser(name: str, description: str, fault: str) -> SystemSpec:
    def build() -> System:
        from evaluation.goldevidence.systems import families

        return TwoPhases(families.Parser(getattr(families, fault)))

    return SystemSpec(name, "baseline", description, build, "rule", FAMILIES)


_SPECS = (
    _baseline(
        "naive",
        "Takes the last colour (`jade-0002`) written beside the key anywhere in the text, traps included. "
        "Like the naive baseline of the reference implementation, it cannot read the values of counters, sets and "
        "managers.",
        reference="floor",
    ),
    _baseline("ledger", "Replays the ledger's authoritative lines: the upper bound.", reference="oracle"),
    _selector(
        "positional_first",
        "Takes the first line shown.",
        selector="first_shown",
        reference="floor",
        only_over=CANDIDATES,
    ),
    _selector(
        "positional_last",
        "Takes the last line shown.",
        selector="last_occurrence",
        reference="floor",
        only_over=CANDIDATES,
    ),
    _selector(
        "last_occurrence",
        "Takes the last line shown: the usual way to read a log in order of time.",
        reference="floor",
        only_over=CANDIDATES,
    ),
    _selector("latest_step", "Takes the line with the greatest step, even if it is a NOTE."),
    _selector("prefer_set_latest", "Takes the latest SET line, and so overlooks a CLEAR."),
    _selector("prefer_update_latest", "Takes the latest line that is not a NOTE."),
    _selector("linear", "A linear model over 18 features, trained on the gold lines."),
    _selector(
        "note_citing",
        "Takes the latest NOTE, if there is one: made to fail the gate.",
        selector="latest_note",
    ),
    _selector(
        "latest_step+gate",
        "Takes the line with the greatest step among the lines with authority; abstains if no line has authority.",
        selector="latest_step",
        gate=True,
    ),
    _selector(
        "linear+gate", "The linear model, restricted to lines with authority.", selector="linear", gate=True
    ),
    _retriever(
        "bm25",
        "BM25 retrieves lines of the ledger without notes (k=8, equal scores latest first); the answer is the key's "
        "line with the greatest step.",
        retriever="bm25",
    ),
    _retriever(
        "tfidf",
        "TF-IDF retrieves lines of the ledger without notes (k=8, equal scores latest first); the answer is the key's "
        "line with the greatest step.",
        retriever="tfidf",
    ),
    _retriever("bm25_earliest", "BM25 with equal scores earliest first.", retriever="bm25", ties=EARLIEST),
    _retriever(
        "tfidf_earliest", "TF-IDF with equal scores earliest first.", retriever="tfidf", ties=EARLIEST
    ),
    _long_log(
        "last_mention",
        "Takes the last line with `tag = value`, distractors included.",
        lambda logs: logs.Mentions(logs.last_mention),
        "floor",
    ),
    _long_log(
        "random_mention",
        "Takes a random line with `tag = value`.",
        lambda logs: logs.Mentions(logs.random_mention),
        "floor",
    ),
    *map(_window, WINDOWS),
    _long_log(
        "bm25_lines+latest_step",
        "BM25 retrieves lines of the whole text (k=32, equal scores latest first); the answer is the tag's latest "
        "UPDATE among them. Questions of families (about several lines) are answered by rule from the lines retrieved.",
        lambda logs: logs.LineRetriever(),
        "rule",
        LADDERS,
    ),
    _parser(
        "mentions_counted",
        "Parses and answers by rule, but when counting over tags it treats notes as updates and ignores the step that "
        "the question names.",
        "counts_mentions",
    ),
    _parser("hop_short", "Parses and answers by rule, but stops a chain one hop early.", "stops_early"),
    _parser(
        "retracted_counted",
        "Parses and answers by rule, but counts updates that were retracted.",
        "ignores_retractions",
    ),
    _parser(
        "revoked_counted",
        "Parses and answers by rule, but treats every right to update tags as permanent: it ignores revocations.",
        "ignores_revocations",
    ),
    _parser(
        "word_overlap",
        "Parses and answers by rule, but takes the thing whose name shares most words with a question.",
        "overlaps_words",
    ),
    _retriever(
        "dense",
        "Embeddings of a local GGUF retrieve lines of the ledger without notes (k=8, equal scores latest first); the "
        "answer is the key's line with the greatest step.",
        retriever="dense",
        reference="",  # a model chooses the lines
    ),
)
SYSTEMS: dict[str, SystemSpec] = {spec.name: spec for spec in _SPECS}


def get_system(name: str) -> SystemSpec:
    """A system by name. Raises UnknownNameError with the nearest match."""
    if name not in SYSTEMS:
        raise UnknownNameError("system", name, SYSTEMS)
    return SYSTEMS[name]
