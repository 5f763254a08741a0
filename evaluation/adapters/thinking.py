"""Remove a model's thinking from its text, which leaves the answer.

Without a closing mark, thinking extends to the end of the text. Without an opening mark (which was in the prompt),
thinking begins at the start of the text.
"""

from __future__ import annotations

import re

_NAMES = r"(?:seed:)?think|thinking|thoughts?|reasoning|reflection|scratchpad"
#: Qwen, DeepSeek, GLM, Hunyuan, Seed; Magistral; Command; OpenThinker; Apertus; Kimi; Gemma.
_BEGIN = (
    rf"<(?:{_NAMES})(?:\s[^<>]*)?>",
    r"\[THINK\]",
    r"<\|START_THINKING\|>",
    r"<\|begin_of_thought\|>",
    r"<\|inner_prefix\|>",
    r"◁think▷",
    r"<\|channel>\s*thought",
)
_END = (
    rf"</(?:{_NAMES})\s*>",
    r"\[/THINK\]",
    r"<\|END_THINKING\|>",
    r"<\|end_of_thought\|>",
    r"<\|inner_suffix\|>",
    r"◁/think▷",
    r"<channel\|>",
)
#: Marks to feed a thinking model that does not write them itself, as its template spells them.
_PAIRS = (
    ("<think>\n", "</think>\n\n"),
    ("[THINK]", "[/THINK]"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<seed:think>", "</seed:think>"),
    ("<|inner_prefix|>", "<|inner_suffix|>"),
)
_MARK = re.compile(f"(?P<begin>{'|'.join(_BEGIN)})|(?P<end>{'|'.join(_END)})", re.I)
_OPENED = re.compile(f"(?:{'|'.join(_BEGIN)})\\s*\\Z", re.I)
#: gpt-oss speaks in channels (the "harmony" format), of which `final` is the answer.
_CHANNEL = re.compile(
    r"<\|channel\|>\s*(?P<name>\w+)[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>"
    r"(?P<text>.*?)(?=<\|(?:end|return|call|start|channel)\|>|\Z)",
    re.S,
)
#: The same from a server that drops the control tokens and keeps the words between them.
_BARE_CHANNELS = re.compile(r"\A\s*analysis.*?assistant\s*final(?P<text>.*)\Z", re.S)
_CONTROL = re.compile(r"<\|[^<>|\s]{1,40}\|>")


def without_thinking(text: str) -> str:
    rest: list[str] = []
    position, inside = 0, False
    text = _final_channel(text)
    for mark in _MARK.finditer(text):
        if mark["begin"] and not inside:
            rest.append(text[position : mark.start()])
            inside = True
        elif mark["end"] and inside:
            position, inside = mark.end(), False
        elif mark["end"]:
            rest, position = [], mark.end()
    if not inside:
        rest.append(text[position:])
    return _CONTROL.sub("", "".join(rest)).strip()


def begins_inside(prompt: str) -> bool:
    """True if a prompt ends with an opening mark, so that the model continues with thinking."""
    return _OPENED.search(prompt) is not None


def thinking_marks(template: str) -> tuple[str, str] | None:
    """Begin and end mark of thinking in a chat template. None if it has no such marks, or uses channels (gpt-oss)."""
    return next(((begin, end) for begin, end in _PAIRS if end.strip() in template), None)


def _final_channel(text: str) -> str:
    if "<|channel|>" in text:
        before = text[: text.index("<|channel|>")].removesuffix("<|start|>assistant")
        finals = [match["text"] for match in _CHANNEL.finditer(text) if match["name"] == "final"]
        return before + (finals[-1] if finals else "")
    bare = _BARE_CHANNELS.match(text)
    return bare["text"] if bare else text
