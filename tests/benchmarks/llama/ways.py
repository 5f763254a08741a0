"""Ways to answer rows, with the cost of each."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol
from unittest.mock import patch

from evaluation.adapters import load_adapter
from evaluation.adapters.llama.engine import PIECE, Engine, EngineSettings, Feed, common_prefix
from evaluation.adapters.llama.library import llama_api, may_repack
from evaluation.adapters.runner import RunSummary, run
from evaluation.core.records import Row
from evaluation.goldevidence.adapters.answer_forms import answer_grammar
from evaluation.goldevidence.adapters.episode_rows import KIND
from evaluation.goldevidence.adapters.rules import cited_at_most
from evaluation.goldevidence.adapters.shown import shown

READ, WRITTEN = 384, 20  # tokens that a pace is taken of
CONTEXT, MOST_CHARS, MOST_TOKENS, PROTOCOL = 4096, 40, 96, "closed_book"


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU seconds of one thread, token counts, and the answers in order of the rows (empty if there are none)."""

    seconds: float
    evaluated: int
    reused: int
    sampled: int
    answers: list[Any] = field(default_factory=list)


class Way(Protocol):
    """A way to answer rows."""

    name: str

    def cost(self, rows: Sequence[Row]) -> Cost: ...


class Ours:
    """The adapter, with a model that stays loaded."""

    def __init__(self, model: str, name: str, settings: Mapping[str, Any]) -> None:
        values = {"model": model, "context": CONTEXT, "max_value_chars": MOST_CHARS, "threads": 1, **settings}
        self.name, self.adapter = name, load_adapter("llama_cpp", values)

    def cost(self, rows: Sequence[Row]) -> Cost:
        """Answer the rows as a run would, with an empty cache."""
        self.adapter.model.engine.cut(0)
        answers: dict[str, Any] = {}
        started = time.process_time()
        summary = run(
            rows,
            self.adapter,
            protocol=PROTOCOL,
            kind=KIND,
            on_row=lambda result: answers.update({result.id: result.prediction}),
        )
        seconds, usage = time.process_time() - started, summary.usage
        told = [answers[row["id"]] for row in rows]
        return Cost(seconds, usage.evaluated_tokens, usage.reused_tokens, usage.generated_tokens, told)

    def prompts(self, rows: Sequence[Row]) -> list[tuple[Any, list[int]]]:
        """The prompt of each row, and its tokens."""
        asks = [self.adapter.ask_for(row, shown(row, PROTOCOL)) for row in rows]
        return [(ask, self.adapter.model._tokens(ask)) for ask in asks]


class Plain:
    """`llama_cpp.Llama`, as its documentation calls it."""

    name = "plain"

    def __init__(self, model: str) -> None:
        import llama_cpp

        api = llama_api()
        defaults = api.llama_model_default_params

        def careful() -> Any:  # what ours does on processors where repacked weights end the process
            params = defaults()
            params.use_extra_bufts = may_repack("auto", api.llama_print_system_info())
            return params

        llama_cpp.llama_cpp.llama_model_default_params = careful
        try:
            self._llama = llama_cpp.Llama(model, n_ctx=CONTEXT, n_threads=1, n_threads_batch=1, verbose=False)
        finally:
            llama_cpp.llama_cpp.llama_model_default_params = defaults
        self._asker = Ours(model, "", {})

    def cost(self, rows: Sequence[Row]) -> Cost:
        """Answer the rows one by one. Token counts are those that the library reports."""
        from llama_cpp import LlamaGrammar

        asked = [
            (ask, LlamaGrammar.from_string(self._grammar(row), verbose=False))
            for row, (ask, _) in zip(rows, self._asker.prompts(rows), strict=True)
        ]
        self._llama.reset()
        evaluated = sampled = reused = 0
        started = time.process_time()
        for ask, grammar in asked:
            turns = [{"role": "system", "content": ask.system}, {"role": "user", "content": ask.user}]
            held = list(self._llama._input_ids)
            reply = self._llama.create_chat_completion(
                turns, grammar=grammar, temperature=0.0, max_tokens=MOST_TOKENS
            )
            usage = reply["usage"]
            prompt = list(self._llama._input_ids)[: usage["prompt_tokens"]]
            kept = common_prefix([held, prompt[:-1]])
            reused += kept
            evaluated += usage["total_tokens"] - kept
            sampled += usage["completion_tokens"]
        return Cost(time.process_time() - started, evaluated, reused, sampled)

    def _grammar(self, row: Any) -> str:
        ids = shown(row, PROTOCOL).ids
        return answer_grammar(ids, MOST_CHARS, most=min(cited_at_most(row), len(ids)))


class Bound:
    """The least work possible: only the necessary tokens and steps, by the engine alone.

    Each shared beginning is evaluated once. After a prompt comes the adapter's own output, in as many steps as it had
    to decide: fixed text between two decisions goes with the token before it, text after the last one is left out.
    """

    name = "bound"

    def __init__(self, model: str, asked: Ours) -> None:
        self._asked = asked
        self._engine = Engine(model, EngineSettings(context=CONTEXT, batch=512, threads=1, ubatch=512))

    def cost(self, rows: Sequence[Row]) -> Cost:
        """Evaluate our adapter's prompts and outputs."""
        summary, fed = self._fed(rows)
        engine, evaluated, reused = self._engine, 0, 0
        engine.cut(0)
        started = time.process_time()
        for first, *steps in fed:
            kept = engine.cut(common_prefix([engine.held, first[:-1]]))
            engine.decode([Feed(0, kept, first[kept:])])
            at = len(first)
            for step in steps:
                engine.decode([Feed(0, at, step)])
                at += len(step)
            evaluated, reused = evaluated + at - kept, reused + kept
        return Cost(time.process_time() - started, evaluated, reused, summary.usage.generated_tokens)

    def _fed(self, rows: Sequence[Row]) -> tuple[RunSummary, list[list[list[int]]]]:
        """Run our adapter; for each row the tokens of its prompt with fixed text, then those of each decision."""
        engine = self._asked.adapter.model.engine
        decode, take_up = engine.decode, engine.take_up
        fed: list[list[list[int]]] = []

        def beginning(tokens: Sequence[int], *, reuse: bool = True) -> int:
            fed.append([])
            return int(take_up(tokens, reuse=reuse))

        def feeding(feeds: Sequence[Feed]) -> Any:
            [feed] = feeds
            fed[-1].append([*engine.held, *feed.tokens] if not fed[-1] else list(feed.tokens))
            return decode(feeds)

        with patch.object(engine, "take_up", beginning), patch.object(engine, "decode", feeding):
            summary = run(rows, self._asked.adapter, protocol=PROTOCOL, kind=KIND)
        return summary, sorted(fed)


def pace(model: str) -> tuple[float, float]:
    """The CPU time of one thread for a token.

    Args:
        model: The GGUF file.

    Returns:
        Milliseconds for a token that is read, in pieces as our adapter reads, and for a token that is written.
    """
    engine = Engine(model, EngineSettings(context=CONTEXT, batch=512, threads=1, ubatch=PIECE))
    try:
        tokens = [number % (engine.vocab_size - 1) for number in range(1, READ * 7, 7)]
        engine.decode([Feed(0, 0, tokens[:PIECE])])  # memory is touched
        engine.cut(0)
        started = time.process_time()
        engine.decode([Feed(0, 0, tokens)])
        read = time.process_time()
        for step in range(WRITTEN):
            engine.decode([Feed(0, READ + step, tokens[step : step + 1])])
        return 1000 * (read - started) / READ, 1000 * (time.process_time() - read) / WRITTEN
    finally:
        engine.close()
