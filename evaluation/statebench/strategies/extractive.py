"""A rolling summary and extracted facts, without a model: sentences are chosen, never rewritten.

With a model the same strategies rewrite instead: see `condensed`.
"""

from __future__ import annotations

from evaluation.statebench.context.assemble import Context
from evaluation.statebench.context.relevance import Relevance
from evaluation.statebench.data.tokens import Tokenizer
from evaluation.statebench.detection.clause import clauses
from evaluation.statebench.detection.status import STATUS
from evaluation.statebench.language.words import sentences, stems
from evaluation.statebench.records import Timeline
from evaluation.statebench.strategies.transcript import Line, close, fit, transcript

_KEPT = 12  # sentences a summary holds at a time
_FADE = 0.9  # what a sentence keeps of its weight with every turn that passes


def rolling_summary(timeline: Timeline, query_idx: int, budget: int, count: Tokenizer) -> Context:
    """After every turn the weightiest sentences stay: rare words and typed values weigh, age fades."""
    kept: list[tuple[float, Line]] = []
    lines = transcript(timeline, query_idx)
    words = [stems(line) for _, line in lines]
    weights = Relevance(frozenset().union(*words), (), words)
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
