"""Strategies that know only the transcript: nothing, all of it, its latest words, or what is found in it."""

from __future__ import annotations

from collections.abc import Iterable

from evaluation.statebench.context.assemble import Context, identity_line, shorten
from evaluation.statebench.context.opening import visible_events
from evaluation.statebench.context.relevance import Relevance
from evaluation.statebench.data.tokens import Tokenizer
from evaluation.statebench.facts.layers import identity_from
from evaluation.statebench.language.words import stems
from evaluation.statebench.records import Timeline

Line = tuple[int, str]  # position in the transcript, "speaker: text"

_SAME_TOPIC = 0.5  # share of content words by which a later turn replaces an earlier one


def no_memory(timeline: Timeline, query_idx: int, budget: int, count: Tokenizer) -> Context:
    """Who asks, and nothing else: what a model knows without memory."""
    return close(timeline, [], budget, count)


def transcript_replay(timeline: Timeline, query_idx: int, budget: int, count: Tokenizer) -> Context:
    """The conversation word by word, the latest turns that fit."""
    return close(
        timeline, fit(reversed(transcript(timeline, query_idx)), budget, count, timeline), budget, count
    )


def transcript_latest_wins(timeline: Timeline, query_idx: int, budget: int, count: Tokenizer) -> Context:
    """The conversation without turns that a later one on the same topic replaces."""
    kept: list[Line] = []
    topics: list[frozenset[str]] = []
    for position, line in reversed(transcript(timeline, query_idx)):
        words = stems(line)
        if not any(len(words & topic) >= _SAME_TOPIC * min(len(words), len(topic)) for topic in topics):
            kept.append((position, line))
            topics.append(words)
    return close(timeline, fit(kept, budget, count, timeline), budget, count)


def rag_transcript(timeline: Timeline, query_idx: int, budget: int, count: Tokenizer) -> Context:
    """The turns that share words with the query, the most similar first into the budget."""
    lines = transcript(timeline, query_idx)
    _, query = visible_events(timeline, query_idx)
    relevance = Relevance(stems(query["prompt"]), (), [stems(line) for _, line in lines])
    ranked = [(score, line) for line in lines if (score := relevance.score(stems(line[1]))) > 0]
    ranked.sort(key=lambda pair: (-pair[0], -pair[1][0]))
    return close(timeline, fit((line for _, line in ranked), budget, count, timeline), budget, count)


def transcript(timeline: Timeline, query_idx: int) -> list[Line]:
    """The turns before a query in order of time.

    Args:
        timeline: The timeline in release format.
        query_idx: Which of its queries, from 0.

    Returns:
        (position, "speaker: text") of each turn.
    """
    events, _ = visible_events(timeline, query_idx)
    turns = [event for _, event in events if event["type"] == "conversation_turn"]
    return [(position, f"{turn['speaker']}: {turn['text']}") for position, turn in enumerate(turns)]


def fit(lines: Iterable[Line], budget: int, count: Tokenizer, timeline: Timeline) -> list[str]:
    """As many lines as fit beside the identity.

    Args:
        lines: The lines with their positions, in the order in which they are tried.
        budget: Tokens at most, those of the identity included.
        count: Tokens of a text.
        timeline: Whose identity stands above them.

    Returns:
        The lines that fit, in order of time.
    """
    left = budget - count(_identity(timeline) + "\n")
    taken = []
    for position, line in lines:
        if (price := count(line + "\n")) <= left:
            taken.append((position, line))
            left -= price
    return [line for _, line in sorted(taken)]


def close(timeline: Timeline, lines: list[str], budget: int, count: Tokenizer) -> Context:
    """Identity and lines as a context that keeps its budget.

    Args:
        timeline: Whose identity stands above the lines.
        lines: The lines, in order of time; the first ones go where not all fit.
        budget: Tokens at most.
        count: Tokens of a text.

    Returns:
        The context, never over its budget.
    """
    identity = shorten(_identity(timeline), budget, count)
    while lines and count("\n".join([identity, *lines])) > budget:
        lines = lines[1:]
    text = "\n".join(part for part in (identity, *lines) if part)
    return Context(text, count(text), budget, [], {"identity": [identity], "working_set": lines})


def _identity(timeline: Timeline) -> str:
    return identity_line(identity_from(timeline["initial_state"]["identity_role"]))
