"""Read a server's response: text, row state and cost of the answer. Unreadable responses raise `Failure`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from evaluation.adapters.base import Usage
from evaluation.adapters.servers.failures import Failure, Meaning, error_in, meaning_under_200
from evaluation.adapters.transcripts.record import Exchange, Tokens
from evaluation.core.errors import FORM_FAULTS
from evaluation.core.row_states import RowState

#: `finish_reason` of several servers -> the state of the row.
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
STRANGE = "the server's answer has an unknown form"
_DATA, _DONE = "data:", "[DONE]"
_STREAM = (_DATA, ":", "event:", "id:", "retry:")
#: Line ends of an event stream; not U+2028 or U+0085, which JSON may contain unescaped.
_LINE_END = re.compile(r"\r\n|\r|\n")
_BYTE_ORDER_MARK = "\ufeff"
#: Characters kept of a name sent by a server (model, finish reason), so that it can be stored everywhere.
_LONGEST_NAME = 200
#: Larger counts are not counts of tokens.
_MOST_TOKENS = 1 << 40
#: Fields with the thinking beside a content: DeepSeek, vLLM and OpenRouter, Ollama.
_REASONING = ("reasoning_content", "reasoning", "thinking")


class Said(NamedTuple):
    """Metadata of a reply. A field that the server did not send is empty or None."""

    reasoning: str = ""
    finish_reason: str = ""
    model: str = ""
    fingerprint: str = ""
    reasoning_tokens: int | None = None
    counts_cached: bool = False


class Answered(NamedTuple):
    """One answered request. The seconds of `usage` are the duration of this request."""

    text: str
    trouble: RowState | None
    usage: Usage
    said: Said

    def exchange(self, prompt: str) -> Exchange:
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


def read(content: bytes, charset: str | None, endpoint: str, seconds: float) -> Answered:
    """Read a complete reply with status 200. Raises Failure, and no other exception, for an unreadable body."""
    try:
        # UTF-8 before the server's charset, as JSON has no other
        data = parsed(decoded(content, charset))
        usage = usage_in(data, seconds)
        text, trouble = text_in(data, endpoint)
        return Answered(text, trouble, usage, said_in(data, endpoint))
    except (*FORM_FAULTS, ArithmeticError, RecursionError) as error:
        raise Failure(Meaning.ROW, STRANGE) from error


def decoded(content: bytes, charset: str | None) -> str:
    """The text of a body: UTF-8 first, then the charset that the server names."""
    try:
        return content.decode()
    except UnicodeDecodeError:
        pass
    try:
        return content.decode(charset or "utf-8", "replace")
    except (LookupError, ValueError):
        return content.decode(errors="replace")


def parsed(text: str) -> dict[str, object]:
    """The JSON object in a reply's body; a stream's chunks are joined. Raises Failure if it is invalid or an error."""
    text = text.removeprefix(_BYTE_ORDER_MARK)
    data = _joined(text) if text.lstrip().startswith(_STREAM) else _loaded(text)
    if error := error_in(data):
        raise Failure(
            meaning_under_200({"error": error}),
            f"an error with HTTP 200: {json.dumps(error)}",
        )
    return data


def _loaded(text: str) -> dict[str, object]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Failure(Meaning.LOST, f"{NOT_JSON}: {text}") from error
    if not isinstance(data, dict):
        raise Failure(Meaning.LOST, NO_OBJECT)
    return data


def _joined(text: str) -> dict[str, object]:
    content, thought, called, finish, usage, done = [], [], [], None, None, False
    told: dict[str, object] = {}
    for chunk in _chunks(text):
        if chunk is None:
            done = True
            continue
        if error := error_in(chunk):
            return {"error": error}
        usage = chunk.get("usage") or usage
        told |= {name: chunk[name] for name in ("model", "system_fingerprint", "timings") if chunk.get(name)}
        choice = _choice(chunk)
        part = _part(choice)
        content.append(_text_of(part.get("content")))
        thought.append(_reasoning_of(part))
        called.append(_arguments_of(part))
        finish = choice.get("finish_reason") or finish
    if not done and finish is None:
        raise Failure(Meaning.LOST, BROKEN_STREAM)
    message = {"content": "".join(content) or "".join(called), _REASONING[0]: "".join(thought)}
    return told | {"choices": [{"message": message, "finish_reason": finish}], "usage": usage}


def _chunks(text: str) -> Iterator[dict[str, object] | None]:
    for line in _LINE_END.split(text):
        if not line.startswith(_DATA) or not (payload := line.removeprefix(_DATA).strip()):
            continue
        yield None if payload == _DONE else _loaded(payload)


def _choice(data: Mapping[str, object]) -> dict[str, Any]:
    choices = data.get("choices")
    entries = choices if isinstance(choices, list) else ()
    return next((entry for entry in entries if isinstance(entry, dict)), {})


def _part(choice: Mapping[str, object]) -> dict[str, object]:
    part = choice.get("delta") or choice.get("message")
    return part if isinstance(part, dict) else {"content": choice.get("text")}


def text_in(data: Mapping[str, object], endpoint: str) -> tuple[str, RowState | None]:
    """Text of an answer with its thinking, and the row state (None if complete). Raises Failure if there is no text."""
    choice = data if endpoint == "ollama" else _choice(data)
    if error := choice.get("error"):
        if meaning_under_200(choice) is Meaning.BUSY:
            raise Failure(Meaning.BUSY, f"an error in the answer: {json.dumps(error)}")
        return "", RowState.ERROR
    message = choice.get("message", {"content": choice["text"]} if "text" in choice else None)
    if not isinstance(message, dict):
        raise Failure(Meaning.ROW, NO_CHOICE)
    text = _text_of(message.get("content")) or _arguments_of(message)
    finish = choice.get("finish_reason") or choice.get("done_reason")
    if message.get("refusal") and not text:
        return "", RowState.REFUSED
    return text, TROUBLES.get(str(finish).lower())


def said_in(data: Mapping[str, object], endpoint: str) -> Said:
    """Metadata of a reply. Never fails: missing or malformed fields are left empty."""
    choice = data if endpoint == "ollama" else _choice(data)
    message, counts = choice.get("message"), _object(data.get("usage"))
    return Said(
        reasoning=_reasoning_of(message) if isinstance(message, dict) else "",
        finish_reason=_name(choice.get("finish_reason") or choice.get("done_reason")),
        model=_name(data.get("model")),
        fingerprint=_name(data.get("system_fingerprint")),
        reasoning_tokens=_count(_object(counts.get("completion_tokens_details")).get("reasoning_tokens")),
        counts_cached=_cached(data) is not None,
    )


def _object(data: Any) -> dict[str, object]:
    return data if isinstance(data, dict) else {}


def _name(given: Any) -> str:
    text = given if isinstance(given, str) else ""
    return "".join(letter for letter in text[:_LONGEST_NAME] if letter.isprintable())


def _count(given: Any) -> int | None:
    if isinstance(given, bool) or not isinstance(given, int | float):
        return None
    return int(given) if 0 <= given <= _MOST_TOKENS else None


def _reasoning_of(message: Mapping[str, object]) -> str:
    for name in _REASONING:
        if isinstance(text := message.get(name), str) and text:
            return text
    content = message.get("content")
    parts = (part for part in content if isinstance(part, dict)) if isinstance(content, list) else ()
    thinking = (part.get("thinking") for part in parts if part.get("type") == "thinking")
    return "".join(text if isinstance(text, str) else _text_of(text) for text in thinking)


def _text_of(content: Any) -> str:
    if isinstance(content, list):
        parts = (part for part in content if isinstance(part, dict) and part.get("type") != "thinking")
        return "".join(text for part in parts if isinstance(text := part.get("text"), str))
    if isinstance(content, dict):  # a server that parsed the answer already, or one part without its list
        return text if isinstance(text := content.get("text"), str) else json.dumps(content)
    return content if isinstance(content, str) else json.dumps(content) if content else ""


def _arguments_of(message: Mapping[str, object]) -> str:
    # of the only tool call: some servers implement schemas that way
    calls = message.get("tool_calls")
    if not isinstance(calls, list) or len(calls) != 1:
        return ""
    return _text_of(_object(_object(calls[0]).get("function")).get("arguments"))


def usage_in(data: Mapping[str, object], seconds: float) -> Usage:
    """The cost of an answer as the server reports it; 0 for token counts that it does not report."""
    counts, timings = _object(data.get("usage")), _object(data.get("timings"))
    prompt = _first(counts.get("prompt_tokens"), data.get("prompt_eval_count"), timings.get("prompt_n"))
    written = _first(counts.get("completion_tokens"), data.get("eval_count"), timings.get("predicted_n"))
    reused = _cached(data) or 0
    prompt = with_cached(prompt, reused, read=_count(timings.get("prompt_n")))
    return Usage(
        prompt_tokens=prompt,
        evaluated_tokens=prompt - reused + written,
        reused_tokens=reused,
        generated_tokens=written,
        passes=1,
        wall_s=seconds,
    )


def with_cached(prompt: int, cached: int, *, read: int | None) -> int:
    """Number of prompt tokens including cached tokens, which some servers leave out of `prompt`.

    `read` is the number of tokens that llama.cpp computed outside of its cache. If `prompt` equals it or is below
    `cached`, then `cached` is added.
    """
    # a count that includes cached tokens, as OpenAI's does, is neither smaller than them nor equal to what was read
    # beside the cache
    evidently = cached > prompt or (read is not None and prompt == read)
    return prompt + cached if evidently else prompt


def _first(*given: Any) -> int:
    return next((count for each in given if (count := _count(each)) is not None), 0)


def _cached(data: Mapping[str, object]) -> int | None:
    counts, timings = _object(data.get("usage")), _object(data.get("timings"))
    told = (
        _object(counts.get("prompt_tokens_details")).get("cached_tokens"),
        counts.get("prompt_cache_hit_tokens"),
        timings.get("cache_n"),
    )
    return next((count for each in told if (count := _count(each)) is not None), None)
