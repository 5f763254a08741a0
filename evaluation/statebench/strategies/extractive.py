"""A rolling summary and extracted facts, without a model: sentences are chosen, never rewritten.

With a model (a function prompt -> completion, as issue 5's adapters offer) the same strategies rewrite
instead.
"""

from __future__ import annotations

from collections.abc import Callable

from evaluation.statebench.context import Context
from evaluation.statebench.detection.clause import clauses
from evaluation.statebench.detection.slot import STATUS
from evaluation.statebench.relevance import Relevance
from evaluation.statebench.strategies.transcript import Line, Timeline, close, fit, transcript
from evaluation.statebench.tokens import Tokenizer
from evaluation.statebench.words import sentences, stems

Complete = Callable[[str], str]

_KEPT = 12  # sentences a summary holds at a time
_FADE = 0.9  # what a sentence keeps of its weight with every turn that passes


def rolling_summary(timeline: Timeline, query_idx: int, budget: int, count: Tokenizer) -> Context:
    """After every turn the weightiest sentences stay: rare words and typed values weigh, age fades."""
    kept: list[tuple[float, Line]] = []
    lines = transcript(timeline, query_idx)
    words = [stems(line) for _, line in lines]
    weights = Relevance(frozenset().union(*words), frozenset(), words)
    for position, line in lines:
        kept = [(weight * _FADE, old) for weight, old in kept]
        for number, sentence in enumerate(sentences(line)):
            order = position * 1000 + number
            kept.append((weights.score(stems(sentence)) / (1 + len(stems(sentence))), (order, sentence)))
        kept = sorted(kept, key=lambda pair: (-pair[0], -pair[1][0]))[:_KEPT]
    return close(timeline, fit((line for _, line in kept), budget, count, timeline), budget, count)


def fact_extraction(timeline: Timeline, query_idx: int, budget: int, count: Tokenizer) -> Context:
    """Assertions that hold a value or a status; of those with the same subject the last one wins."""
    facts: dict[frozenset[str], Line] = {}
    for position, line in transcript(timeline, query_idx):
        _, _, text = line.partition(": ")
        for number, clause in enumerate(clauses(text)):
            if clause.values or STATUS.search(clause.lowered):
                subject = clause.stems - stems(" ".join(value.text for value in clause.values))
                facts.pop(subject, None)
                facts[subject] = (position * 1000 + number, clause.text)
    newest_first = sorted(facts.values(), reverse=True)
    return close(timeline, fit(newest_first, budget, count, timeline), budget, count)


def with_model(complete: Complete, instruction: str) -> Callable[[Timeline, int, int, Tokenizer], Context]:
    """A strategy that asks a model to condense the transcript, turn by turn, under an instruction."""

    def strategy(timeline: Timeline, query_idx: int, budget: int, count: Tokenizer) -> Context:
        notes = ""
        for _, line in transcript(timeline, query_idx):
            notes = complete(
                f"{instruction}\n\nNotes so far:\n{notes}\n\nNew turn:\n{line}\n\nNotes:"
            ).strip()
        lines = list(enumerate(notes.splitlines()))
        return close(timeline, fit(reversed(lines), budget, count, timeline), budget, count)

    return strategy


SUMMARIZE = "Keep a running summary of this conversation. State only what holds now."
EXTRACT = "Keep a list of facts from this conversation, one per line. Replace a fact when it changes."
