"""One exchange with a model, and its transcript line."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NotRequired, TypedDict, cast

from evaluation.adapters.base import Usage
from evaluation.core import jsonl
from evaluation.core.records import Prediction

#: Bytes kept of a reply, and of the reasoning beside it: some 16,000 tokens. Longer text is mostly a loop.
MOST_BYTES = 64 << 10


class Keep(StrEnum):
    """How much of a model's replies is stored in transcripts."""

    FULL = "full"
    LENGTHS = "lengths"  # only the length of the reasoning
    OFF = "off"


class Tokens(TypedDict):
    """Token counts of one exchange, null if unknown. `prompt` includes `cached`, `completion` includes `reasoning`."""

    prompt: int | None
    completion: int | None
    reasoning: int | None
    cached: int | None


class TranscriptLine(TypedDict):
    """A line of a transcripts file. `reply` is the model's text.

    `reasoning` is reasoning that a server sent beside the reply; `Keep.LENGTHS` stores only its length.
    """

    id: str
    query_idx: NotRequired[int]
    prediction: NotRequired[Prediction]  # the line of the predictions file: what was made of the reply
    state: str
    prompt_sha256: str
    reply: str
    reasoning: NotRequired[str]
    reasoning_chars: int
    cut: NotRequired[list[str]]  # fields that were cut at `MOST_BYTES`
    finish_reason: str
    tokens: Tokens
    latency_ms: float | None
    model: str
    fingerprint: str
    problem: NotRequired[str]  # why no reply came


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request to a model about one row, and the reply. `latency_ms` excludes failed attempts."""

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


#: For a row without a request, in a run with a model.
NOT_ASKED = Exchange("")


def prompt_sha256(system: str, user: str) -> str:
    """SHA-256 of a prompt: of the JSON list [system, user], without a chat template."""
    turns = [text.encode("utf-8", "replace").decode() for text in (system, user)]
    return hashlib.sha256(jsonl.dumps(turns)).hexdigest()


def local_tokens(usage: Usage) -> Tokens:
    """Token counts of a local model; its reasoning is not counted separately."""
    written = usage.generated_tokens + usage.forced_tokens
    return Tokens(prompt=usage.prompt_tokens, completion=written, reasoning=None, cached=usage.reused_tokens)


def line_of(
    exchange: Exchange, row_id: str, state: str, *, prediction: Prediction, keep: Keep
) -> TranscriptLine:
    from evaluation.adapters.thinking import without_thinking  # only needed with a model

    said, thought = exchange.reply, len(exchange.reasoning)
    if keep is Keep.LENGTHS and (bare := without_thinking(said)) != said.strip():
        thought, said = thought + len(said) - len(bare), bare
    reply, reply_cut = _bounded(said)
    reasoning, reasoning_cut = _bounded(exchange.reasoning) if keep is Keep.FULL else ("", False)
    line = TranscriptLine(
        id=row_id,
        prediction=prediction,
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
    if (query_idx := prediction.get("query_idx")) is not None:
        line["query_idx"] = cast(int, query_idx)
    if keep is Keep.FULL:
        line["reasoning"] = reasoning
    if cut := [name for name, is_cut in (("reply", reply_cut), ("reasoning", reasoning_cut)) if is_cut]:
        line["cut"] = cut
    if exchange.problem:
        line["problem"] = exchange.problem
    return line


def _bounded(text: str) -> tuple[str, bool]:
    """The beginning of a text (at most MOST_BYTES), and True if it was cut. Lone surrogates become `?`."""
    data = text.encode("utf-8", "replace")
    return data[:MOST_BYTES].decode("utf-8", "ignore"), len(data) > MOST_BYTES
