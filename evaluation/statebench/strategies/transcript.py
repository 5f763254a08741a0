"""Strategies that use only the transcript: no turns, latest turns, latest per topic, retrieval, or extracts."""

from __future__ import annotations

from collections.abc import Iterable

from evaluation.statebench.context.assemble import Context, identity_line, shorten
from evaluation.statebench.context.relevance import Relevance
from evaluation.statebench.context.state import visible_events
from evaluation.statebench.data.tokens import Tokenizer
from evaluation.statebench.detection.clause import clauses
from evaluation.statebench.detection.cues import STATUS
from evaluation.statebench.facts.layers import identity_from
from evaluation.statebench.language.words import sentences, stems
from evaluation.statebench.records import Timeline

Line = tuple[int, str]  # position in the transcript, "speaker: text"
_SAME_TOPIC = 0.5  # shared content words with which a later turn replaces an earlier one
_KEPT = 12  # sentences in a summary
_FADE = 0.9  # decay of a sentence's weight per turn


def no_memory(timeline: Timeline, query_idx: int, budget: int, count: Tokenizer) -> Context:
    """Build a context that has only the reader's identity."""
    return close(timeline, [], budget, count)


def transcript_replay(timeline: Timeline, query_idx: int, budget: int, count: Tokenizer) -> Context:
    """Build a context of the latest turns that fit the budget, verbatim."""
    return close(timeline, reversed(transcript(timeline, query_idx)), budget, count)


def transcript_latest_wins(timeline: Timeline, query_idx: int, budget: int, count: Tokenizer) -> Context:
    """Build a context of the turns that no later turn on the same topic replaces."""
    kept: list[Line] = []
    topics: list[frozenset[str]] = []
    for position, line in reversed(transcript(timeline, query_idx)):
        words = stems(line)
        if not any(len(words & topic) >= _SAME_TOPIC * min(len(words), len(topic)) for topic in topics):
            kept.append((position, line))
            topics.append(words)
    return close(timeline, kept, budget, count)


def rag_transcript(timeline: Timeline, query_idx: int, budget: int, count: Tokenizer) -> Context:
    """Build a context of the turns that share words with the query. The most similar turns are chosen first."""
    lines = transcript(timeline, query_idx)
    _, query = visible_events(timeline, query_idx)
    relevance = Relevance(stems(query["prompt"]), (), [stems(line) for _, line in lines])
    ranked = [(score, line) for line in lines if (score := relevance.score(stems(line[1]))) > 0]
    ranked.sort(key=lambda pair: (-pair[0], -pair[1][0]))
    return close(timeline, (line for _, line in ranked), budget, count)


def transcript(timeline: Timeline, query_idx: int) -> list[Line]:
    """List the turns before a query in order of time, each with its position, as "speaker: text"."""
    events, _ = visible_events(timeline, query_idx)
    turns = [event for _, event in events if event["type"] == "conversation_turn"]
    return [(position, f"{turn['speaker']}: {turn['text']}") for position, turn in enumerate(turns)]


def close(timeline: Timeline, lines: Iterable[Line], budget: int, count: Tokenizer) -> Context:
    """Build a context of the reader's identity and the first of `lines` that fit, shown in order of time."""
    reader = identity_line(identity_from(timeline["initial_state"]["identity_role"]))
    left = budget - count(reader + "\n")
    taken = []
    for position, line in lines:
        if (price := count(line + "\n")) <= left:
            taken.append((position, line))
            left -= price
    identity, shown = shorten(reader, budget, count), [line for _, line in sorted(taken)]
    # A subword tokenizer may count the whole higher than the sum of its lines.
    while shown and count("\n".join([identity, *shown])) > budget:
        shown = shown[1:]
    text = "\n".join(part for part in (identity, *shown) if part)
    return Context(text, count(text), budget, [], {"identity": [identity], "working_set": shown})


def rolling_summary(timeline: Timeline, query_idx: int, budget: int, count: Tokenizer) -> Context:
    """Build a context of the best-scoring sentences. Rare words score higher; scores decay with every later turn."""
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
    return close(timeline, (line for _, line in kept), budget, count)


def fact_extraction(timeline: Timeline, query_idx: int, budget: int, count: Tokenizer) -> Context:
    """Build a context of assertions with a value or a status. On each subject only the last assertion is used."""
    facts: dict[frozenset[str], Line] = {}
    for position, line in transcript(timeline, query_idx):
        _, _, text = line.partition(": ")
        for number, clause in enumerate(clauses(text)):
            if clause.values or STATUS.search(clause.lowered):
                subject = clause.stems - stems(" ".join(value.text for value in clause.values))
                facts.pop(subject, None)
                facts[subject] = (position * 1000 + number, clause.text)
    newest_first = sorted(facts.values(), reverse=True)
    return close(timeline, newest_first, budget, count)
