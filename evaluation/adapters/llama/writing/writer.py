"""Write answers of a given form with a llama.cpp engine, evaluating as few tokens as possible.

Each answer is a generator that yields the tokens to feed next and receives the logits after them. With one sequence,
answers are written one after another, and each reuses the prefix that it shares with the previous answer. With several
sequences, answers are fed in common batches. The last bits of the logits then depend on the rows in a batch, so the
runner keeps the batches of a resumed run unchanged.
"""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

import numpy as np

from evaluation.adapters.base import Usage
from evaluation.adapters.forms import Choice, Fixed, Form, Free, Prose, Thinking
from evaluation.adapters.llama.engine import Engine, Feed, Logits
from evaluation.adapters.llama.writing.beginnings import Beginnings
from evaluation.adapters.llama.writing.drafting import Ahead, Draft
from evaluation.adapters.llama.writing.grammar import Grammar
from evaluation.core.rng import Stream

Steps: TypeAlias = Generator[list[int], Logits, str]


@dataclass(slots=True)
class Task:
    """One answer to write. `cut`: the text ended at its token limit, and the model might have continued."""

    prompt: list[int]
    form: Form
    stream: Stream
    text: str = ""
    usage: Usage = field(default_factory=Usage)
    cut: bool = False


@dataclass(slots=True, eq=False)
class _Slot:
    task: Task
    seq: int
    position: int
    pending: list[int]
    steps: Steps
    started: bool = False


class _Closing:
    """Finds the tokens that complete a text. A complete text matches the regular expression `own`."""

    def __init__(self, writer: Writer, own: str) -> None:
        self._writer, self._own = writer, re.compile(own.encode()) if own else None

    def end(self, written: bytes, token: int) -> bytes | None:
        """The part of `token` that ends the text, or None if the token does not end it."""
        if self._own is None:
            return None
        found = self._own.match(written + self._writer.engine.piece(token))
        return found[0][len(written) :] if found and found.end() > len(written) else None

    def tokens(self, written: bytes) -> list[int]:
        if self._own is None:
            return []
        return [token for token in self._writer.quoting if self.end(written, token) is not None]


class Writer:
    """Writes answers with one engine. At temperature 0 it is greedy, else it samples from each task's random stream."""

    def __init__(
        self,
        engine: Engine,
        *,
        parallel: int = 1,
        temperature: float = 0.0,
        reuse: bool = True,
        draft: Draft | None = None,
    ) -> None:
        self.engine, self.parallel, self.temperature = engine, parallel, temperature
        self._beginnings = Beginnings(engine, reuse=reuse)
        self._draft = draft

    @cached_property
    def quoting(self) -> list[int]:
        """The tokens that contain a quotation mark: only these can end a value."""
        return [token for token, text in enumerate(self.engine.pieces) if b'"' in text]

    def write(self, tasks: Sequence[Task]) -> None:
        """Fill `text` and `usage` of every task. A common prefix of the tasks is evaluated once."""
        if not self.engine.alone:
            self._write_together(tasks)
            return
        for task in tasks:
            self._write_alone(task)

    def _write_alone(self, task: Task) -> None:
        head = self._beginnings.take_up(task.prompt, task.usage)
        steps = self._steps(task, task.prompt[head:])
        slot = _Slot(task, 0, head, next(steps), steps)
        ahead = Ahead(self.engine, self._draft) if self._draft else None
        try:
            while True:
                started = time.perf_counter()
                if ahead:
                    row, fed = ahead.decode(slot.position, slot.pending)
                else:
                    [row], fed = self.engine.decode([Feed(0, slot.position, slot.pending)]), len(slot.pending)
                more = self._advance(slot, row, fed)
                _account(slot, time.perf_counter() - started, passes=int(fed > 0))
                if not more:
                    break
        finally:
            steps.close()

    def _write_together(self, tasks: Sequence[Task]) -> None:
        head = self._beginnings.load([task.prompt for task in tasks], tasks[0].usage)
        for task in tasks:
            task.usage.prompt_tokens = len(task.prompt)
        for task in tasks[1:]:
            task.usage.reused_tokens = head
        waiting, free = deque(tasks), list(range(self._width(tasks, head), 0, -1))
        live: list[_Slot] = []
        try:
            while waiting or live:
                while waiting and free:
                    live.append(self._start(waiting.popleft(), free.pop(), head))
                for slot in self._step(live):
                    live.remove(slot)
                    free.append(slot.seq)
                    self.engine.drop(slot.seq)
        finally:
            for slot in live:
                slot.steps.close()
                self.engine.drop(slot.seq)

    def longest(self, form: Form) -> int:
        """An upper bound on the number of tokens of an answer in this form."""
        size = 0
        for part in form:
            match part:
                case Fixed(text):
                    size += len(self.engine.tokenize(text))
                case Free(room=room) | Prose(room=room):
                    size += room
                case Choice(options):
                    size += max(len(option) for option in options)
                case Thinking(room, begin, end):
                    size += room + len(begin) + len(end)
        return size

    def _width(self, tasks: Sequence[Task], head: int) -> int:
        longest = max(len(task.prompt) - head + self.longest(task.form) for task in tasks)
        return max(1, min(self.parallel, len(tasks), (self.engine.context - head) // longest))

    def _start(self, task: Task, seq: int, head: int) -> _Slot:
        steps = self._steps(task, task.prompt[head:])
        self.engine.fork(seq)
        return _Slot(task, seq, head, next(steps), steps)

    def _step(self, live: list[_Slot]) -> list[_Slot]:
        started = time.perf_counter()
        rows = self.engine.decode([Feed(slot.seq, slot.position, slot.pending) for slot in live])
        done = [
            slot
            for slot, row in zip(live, rows, strict=True)
            if not self._advance(slot, row, len(slot.pending))
        ]
        seconds = (time.perf_counter() - started) / len(live)
        for slot in live:
            _account(slot, seconds)
        return done

    def _advance(self, slot: _Slot, row: Logits, fed: int) -> bool:
        slot.position += len(slot.pending)
        slot.task.usage.evaluated_tokens += fed
        try:
            slot.pending = slot.steps.send(row)
        except StopIteration as end:
            slot.task.text = end.value
            return False
        return True

    def _steps(self, task: Task, pending: list[int]) -> Steps:
        """Generator that writes one answer: it yields tokens to feed, receives logits, and returns the text."""
        # `unfed`, the end of a part, is tokenized together with the text after it, so that the model meets the tokens
        # it would write itself
        text, unfed = "", ""
        for part in task.form:
            match part:
                case Fixed(fixed):
                    text += fixed
                    forced = self.engine.tokenize(unfed + fixed)
                    pending, unfed = pending + forced, ""
                    task.usage.forced_tokens += len(forced)
                case Free():
                    written, pending, unfed = yield from self._free(part, pending, task)
                    text += written
                case Choice(options):
                    chosen, pending = yield from self._choice(options, unfed, pending, task)
                    text, unfed = text + chosen, ""
                case Prose():
                    written, pending = yield from self._prose(part, pending, task)
                    text += written
                case Thinking():
                    written, pending, unfed = yield from self._thinking(part, pending, task)
                    text += f"<think>{written}</think>"
        return text

    def _free(
        self, part: Free, pending: list[int], task: Task
    ) -> Generator[list[int], Logits, tuple[str, list[int], str]]:
        """Write a free part. Returns its text, tokens to feed next, and characters to feed with the next part."""
        grammar, written = Grammar(self.engine, part.grammar), b""
        closing = _Closing(self, part.own)
        try:
            while True:
                token = self._pick((yield pending), grammar, closing, written, task.stream)
                task.usage.generated_tokens += 1
                if self.engine.is_end(token):
                    return written.decode(errors="replace"), [], ""
                if (end := closing.end(written, token)) is not None:
                    return (written + end).decode(errors="replace"), [], end.decode(errors="replace")
                grammar.accept(token)
                written += self.engine.piece(token)
                pending = [token]
                if part.eager and grammar.may_end():
                    return written.decode(errors="replace"), pending, ""
        finally:
            grammar.close()

    def _thinking(
        self, part: Thinking, pending: list[int], task: Task
    ) -> Generator[list[int], Logits, tuple[str, list[int], str]]:
        """Write thoughts. Returns their text, tokens to feed next, and characters to feed with the next part."""
        mark, written, text = part.end.strip(), b"", ""
        before, _, behind = part.end.partition(mark)
        closing = self.engine.tokenize(before + mark, special=True)
        pending = pending + self.engine.tokenize(part.begin, special=True)
        for _ in range(part.room):
            token = self._draw((yield pending), task.stream)
            task.usage.generated_tokens += 1
            if self.engine.is_end(token):
                # an end of the turn is not fed: the answer is still to come
                pending = []
                break
            pending = [token]
            written += self.engine.piece(token, special=True)
            text, found, _ = written.decode(errors="ignore").partition(mark)
            if found:
                return text, pending, behind
        task.usage.forced_tokens += len(closing)
        return text, pending + closing, behind

    def _prose(
        self, part: Prose, pending: list[int], task: Task
    ) -> Generator[list[int], Logits, tuple[str, list[int]]]:
        """Write prose. Returns its text and the tokens to feed next. Control tokens are kept: some mark thinking."""
        written = b""
        for _ in range(part.room):
            token = self._draw((yield pending), task.stream)
            task.usage.generated_tokens += 1
            pending = [token]
            if self.engine.is_end(token):
                break
            written += self.engine.piece(token, special=True)
            text = written.decode(errors="ignore")
            if cuts := [at for stop in part.stops if (at := text.find(stop)) >= 0]:
                return text[: min(cuts)], pending
        else:
            task.cut = True
        return written.decode(errors="ignore"), pending

    def _choice(
        self, options: Sequence[str], unfed: str, pending: list[int], task: Task
    ) -> Generator[list[int], Logits, tuple[str, list[int]]]:
        """Let the model choose an option, token by token where the options differ.

        Returns the option and the tokens that the model has not read yet.
        """
        alive = {option: self.engine.tokenize(unfed + option) for option in options}
        depth = 0
        while len(alive) > 1:
            branches = sorted({tokens[depth] for tokens in alive.values()})
            token = branches[0]
            if len(branches) > 1:
                logits = yield pending
                pending = []
                token = branches[self._draw(logits[branches], task.stream)]
                task.usage.generated_tokens += 1
            else:
                task.usage.forced_tokens += 1
            pending = [*pending, token]
            alive = {option: tokens for option, tokens in alive.items() if tokens[depth] == token}
            depth += 1
        (option, tokens) = next(iter(alive.items()))
        return option, pending + tokens[depth:]

    def _pick(
        self, logits: Logits, grammar: Grammar, closing: _Closing, written: bytes, stream: Stream
    ) -> int:
        """Choose the next token. The likeliest is tried first, because filtering the whole vocabulary is slow."""
        if self.temperature == 0:
            best = int(logits.argmax())
            if grammar.allows(best) or closing.end(written, best) is not None:
                return best
        allowed = grammar.masked(logits)
        ends = closing.tokens(written)
        allowed[ends] = logits[ends]
        return self._draw(allowed, stream)

    def _draw(self, logits: Logits, stream: Stream) -> int:
        if self.temperature == 0:
            return int(logits.argmax())
        weights = np.exp((logits - logits.max()).astype(np.float64) / self.temperature)
        total = weights.cumsum()
        return int(np.searchsorted(total, stream.random() * total[-1], side="right"))


def _account(slot: _Slot, seconds: float, *, passes: int = 1) -> None:
    usage = slot.task.usage
    usage.passes += passes
    if slot.started:
        usage.decode_s += seconds
    else:
        usage.prefill_s += seconds
        slot.started = True
    usage.wall_s = usage.prefill_s + usage.decode_s
