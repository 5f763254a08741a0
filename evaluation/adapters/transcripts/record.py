"""One exchange with a model, and the line that is kept of it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NotRequired, TypedDict

from evaluation.adapters.base import Usage
from evaluation.core import jsonl

#: Of a reply, and of the reasoning beside it, in bytes: some 16,000 tokens. What is longer runs in a circle.
MOST_BYTES = 64 << 10


class Keep(StrEnum):
    """What is kept of a run's exchanges."""

    FULL = "full"
    LENGTHS = "lengths"  # of the reasoning its length alone
    OFF = "off"


class Tokens(TypedDict):
    """Counts of one exchange, null where nobody counted. `cached` is part of `prompt`, `reasoning` of `completion`."""

    prompt: int | None
    completion: int | None
    reasoning: int | None
    cached: int | None


class TranscriptLine(TypedDict):
    """A line of a transcripts file. `reply` is as the model wrote it, cut at `MOST_BYTES`, which `cut` then says.

    `reasoning` is what a server sent beside the reply; only its length is there where no more was to be kept.
    """

    id: str
    query_idx: NotRequired[int]
    state: str
    prompt_sha256: str
    reply: str
    reasoning: NotRequired[str]
    reasoning_chars: int
    cut: NotRequired[list[str]]  # fields whose text is longer than what is kept
    finish_reason: str
    tokens: Tokens
    latency_ms: float | None
    model: str
    fingerprint: str
    problem: NotRequired[str]  # why no reply came


@dataclass(frozen=True, slots=True)
class Exchange:
    """What a model was asked for one row, and what came back. `latency_ms` is of the request that was answered."""

    prompt_sha256: str
    reply: str = ""
    reasoning: str = ""
    finish_reason: str = ""
    tokens: Tokens = field(
        default_factory=lambda: Tokens(prompt=None, completion=None, reasoning=None, cached=None)
    )
    latency_ms: float | None = None
    model: str = ""
    fingerprint: str = ""
    problem: str = ""


#: Of a row that no model was asked about, in a run that asks one.
NOT_ASKED = Exchange("")


def prompt_sha256(system: str, user: str) -> str:
    """The SHA-256 of a prompt: of the JSON list of its two turns, before a chat template wraps them.

    Args:
        system: The system prompt.
        user: The user's turn.
    """
    turns = [text.encode("utf-8", "replace").decode() for text in (system, user)]
    return hashlib.sha256(jsonl.dumps(turns)).hexdigest()


def local_tokens(usage: Usage) -> Tokens:
    """The counts of a model that runs here, which separates no reasoning.

    Args:
        usage: What the answer cost.
    """
    written = usage.generated_tokens + usage.forced_tokens
    return Tokens(prompt=usage.prompt_tokens, completion=written, reasoning=None, cached=usage.reused_tokens)


def line_of(
    exchange: Exchange, row_id: str, state: str, *, query_idx: int | None, keep: Keep
) -> TranscriptLine:
    """What is kept of an exchange.

    Args:
        exchange: With the model.
        row_id: Of the question.
        state: What became of the row (`RowState`).
        query_idx: Which query of its timeline it is; None where rows are no queries.
        keep: Whether reasoning is kept, or its length alone.

    Returns:
        The line.
    """
    from evaluation.adapters.thinking import without_thinking  # of no use to who asks no model

    said, thought = exchange.reply, len(exchange.reasoning)
    if keep is Keep.LENGTHS and (bare := without_thinking(said)) != said.strip():
        thought, said = thought + len(said) - len(bare), bare
    reply, reply_cut = _bounded(said)
    reasoning, reasoning_cut = _bounded(exchange.reasoning) if keep is Keep.FULL else ("", False)
    line = TranscriptLine(
        id=row_id,
        state=state,
        prompt_sha256=exchange.prompt_sha256,
        reply=reply,
        reasoning_chars=thought,
        finish_reason=exchange.finish_reason,
        tokens=exchange.tokens,
        latency_ms=exchange.latency_ms,
        model=exchange.model,
        fingerprint=exchange.fingerprint,
    )
    if query_idx is not None:
        line["query_idx"] = query_idx
    if keep is Keep.FULL:
        line["reasoning"] = reasoning
    if cut := [name for name, is_cut in (("reply", reply_cut), ("reasoning", reasoning_cut)) if is_cut]:
        line["cut"] = cut
    if exchange.problem:
        line["problem"] = exchange.problem
    return line


def _bounded(text: str) -> tuple[str, bool]:
    """(the beginning of a text that is kept, whether there was more). Half of a surrogate pair becomes a `?`."""
    data = text.encode("utf-8", "replace")
    return data[:MOST_BYTES].decode("utf-8", "ignore"), len(data) > MOST_BYTES
