"""What a server sent, read: the text of an answer, what is said against it, and what it took.

Read are chat and plain completions, Ollama's own form, and a stream of `data:` lines where none was asked for. What is
none of these is a `Failure`; nothing of it is taken for an answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from evaluation.adapters.base import Usage
from evaluation.adapters.servers.failures import Failure, Meaning, meaning_of, status_in
from evaluation.adapters.transcripts.record import Exchange, Tokens
from evaluation.core.errors import FORM_FAULTS
from evaluation.core.records import JsonObject
from evaluation.core.row_states import RowState

#: What `finish_reason` says of an answer, by the words of several servers.
TROUBLES = {
    "length": RowState.CUT_OFF,
    "max_tokens": RowState.CUT_OFF,
    "model_length": RowState.CUT_OFF,
    "content_filter": RowState.REFUSED,
    "content-filter": RowState.REFUSED,
    "safety": RowState.REFUSED,
    "refusal": RowState.REFUSED,
    "error": RowState.ERROR,
    "abort": RowState.ERROR,
}
NOT_JSON, NO_OBJECT = "the server's answer is not JSON", "the server's answer is not a JSON object"
NO_CHOICE = "the server's answer has no choices[0] text"
BROKEN_STREAM = "the server's stream broke off"
_DATA, _DONE = "data:", "[DONE]"
#: What servers call the thinking beside a content: DeepSeek, vLLM and OpenRouter, Ollama.
_REASONING = ("reasoning_content", "reasoning", "thinking")


class Said(NamedTuple):
    """What a reply says of itself, beside its text and what it took; empty or None where it does not say."""

    reasoning: str = ""
    finish_reason: str = ""
    model: str = ""
    fingerprint: str = ""
    reasoning_tokens: int | None = None
    counts_cached: bool = False


class Answered(NamedTuple):
    """One request that was answered. The seconds of its usage are how long this request took."""

    text: str
    trouble: RowState | None
    usage: Usage
    said: Said

    def exchange(self, prompt: str) -> Exchange:
        """It as a line of the transcripts."""
        usage, said = self.usage, self.said
        tokens = Tokens(
            prompt=usage.prompt_tokens or None,
            completion=usage.generated_tokens if usage.prompt_tokens else None,
            reasoning=said.reasoning_tokens,
            cached=usage.reused_tokens if said.counts_cached else None,
        )
        ms = round(1000 * usage.wall_s, 1)
        return Exchange(
            prompt, self.text, said.reasoning, said.finish_reason, tokens, ms, said.model, said.fingerprint
        )


def parsed(text: str) -> dict[str, Any]:
    """The object in the body of a reply that came with 200.

    Args:
        text: The body.

    Returns:
        A completion, a stream put together as one.

    Raises:
        Failure: It is no JSON, a stream that broke off, or an error object.
    """
    data = _joined(text) if text.lstrip().startswith((_DATA, ":", "event:")) else _loaded(text)
    if data.get("error"):
        raise Failure(
            meaning_of(status_in(data), data), f"an error with HTTP 200: {json.dumps(data['error'])}"
        )
    return data


def _loaded(text: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Failure(Meaning.LOST, f"{NOT_JSON}: {text}") from error
    if not isinstance(data, dict):
        raise Failure(Meaning.LOST, NO_OBJECT)
    return data


def _joined(text: str) -> dict[str, Any]:
    """A stream as one completion. It ends with `[DONE]`, or says why it ended: else it broke off."""
    content, thought, finish, usage, done = [], [], None, None, False
    told: dict[str, Any] = {}
    for chunk in _chunks(text):
        if chunk is None:
            done = True
            continue
        if chunk.get("error"):
            return {"error": chunk["error"]}
        usage = chunk.get("usage") or usage
        told |= {name: chunk[name] for name in ("model", "system_fingerprint") if chunk.get(name)}
        for choice in (chunk.get("choices") or [])[:1]:
            part = choice.get("delta") or choice.get("message") or {"content": choice.get("text")}
            content.append(_text_of(part.get("content")))
            thought.append(_reasoning_of(part))
            finish = choice.get("finish_reason") or finish
    if not done and finish is None:
        raise Failure(Meaning.LOST, BROKEN_STREAM)
    message = {"content": "".join(content), _REASONING[0]: "".join(thought)}
    return told | {"choices": [{"message": message, "finish_reason": finish}], "usage": usage}


def _chunks(text: str) -> Iterator[dict[str, Any] | None]:
    """The objects of a stream, None for its end. What is not `data:` is no answer: comments that keep a line open."""
    for line in text.splitlines():
        if not line.startswith(_DATA):
            continue
        payload = line.removeprefix(_DATA).strip()
        yield None if payload == _DONE else _loaded(payload)


def text_in(data: JsonObject, endpoint: str) -> tuple[str, RowState | None]:
    """The text of an answer, and what the server says against it. What stands beside the content is thinking.

    Args:
        data: A reply.
        endpoint: The way that was asked: chat, completions or ollama.

    Returns:
        The text; `RowState` or None.

    Raises:
        Failure: It holds no text, nor a word why.
    """
    try:
        choice = data if endpoint == "ollama" else data["choices"][0]
        if choice.get("error"):
            return "", RowState.ERROR
        message = choice["message"] if "message" in choice else {"content": choice["text"]}
        text = _text_of(message.get("content"))
        refusal, finish = message.get("refusal"), choice.get("finish_reason") or choice.get("done_reason")
    except FORM_FAULTS as error:
        raise Failure(Meaning.ROW, NO_CHOICE) from error
    if refusal and not text:
        return "", RowState.REFUSED
    return text, TROUBLES.get(str(finish).lower())


def said_in(data: JsonObject, endpoint: str) -> Said:
    """What a reply says of itself. It never fails: what is not there, or has another form, is left empty.

    Args:
        data: A reply that `text_in` could read.
        endpoint: The way that was asked: chat, completions or ollama.
    """
    choice = data if endpoint == "ollama" else data["choices"][0]
    finish = choice.get("finish_reason") or choice.get("done_reason")
    message, usage = choice.get("message"), data.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    return Said(
        reasoning=_reasoning_of(message) if isinstance(message, dict) else "",
        finish_reason=str(finish or ""),
        model=str(data.get("model") or ""),
        fingerprint=str(data.get("system_fingerprint") or ""),
        reasoning_tokens=_count_in(counts.get("completion_tokens_details"), "reasoning_tokens"),
        counts_cached=_count_in(counts.get("prompt_tokens_details"), "cached_tokens") is not None,
    )


def _count_in(details: Any, name: str) -> int | None:
    count = details.get(name) if isinstance(details, dict) else None
    return count if isinstance(count, int) else None


def _reasoning_of(message: JsonObject) -> str:
    """The thinking of a message: a field beside its content, or parts of it."""
    for name in _REASONING:
        if isinstance(text := message.get(name), str) and text:
            return text
    content = message.get("content")
    parts = (part for part in content if isinstance(part, dict)) if isinstance(content, list) else ()
    thinking = (part.get("thinking") for part in parts if part.get("type") == "thinking")
    return "".join(text if isinstance(text, str) else _text_of(text) for text in thinking)


def _text_of(content: Any) -> str:
    """The text of a message: a text, null, or a list of parts, of which thinking is one kind."""
    if isinstance(content, list):
        parts = (part for part in content if isinstance(part, dict) and part.get("type") != "thinking")
        return "".join(text for part in parts if isinstance(text := part.get("text"), str))
    return str(content or "")


def usage_in(data: JsonObject, seconds: float) -> Usage:
    """What an answer took, as the server counts it; zero tokens where it does not say.

    Args:
        data: A reply.
        seconds: How long it was waited for.
    """
    try:
        counts = data.get("usage") or {
            "prompt_tokens": data.get("prompt_eval_count"),
            "completion_tokens": data.get("eval_count"),
        }
        prompt, written = int(counts.get("prompt_tokens") or 0), int(counts.get("completion_tokens") or 0)
        reused = int((counts.get("prompt_tokens_details") or {}).get("cached_tokens") or 0)
    except FORM_FAULTS:
        prompt = written = reused = 0
    return Usage(
        prompt_tokens=prompt,
        evaluated_tokens=prompt - reused + written,
        reused_tokens=reused,
        generated_tokens=written,
        passes=1,
        wall_s=seconds,
    )
