"""Tasks of StateBench: one query of one timeline, and the oracle of its version's rubric."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import cast

from evaluation.adapters.prompt_sets import PromptChoice
from evaluation.core.errors import BenchmarkError
from evaluation.core.records import GradingRecord, Row
from evaluation.core.rng import Stream
from evaluation.core.tokens import digit_tokens
from evaluation.gym.families import Family
from evaluation.gym.levels import Level
from evaluation.gym.parts import Made, Message, Reply, Score
from evaluation.statebench.adapters.prompts import DEFAULT, SETS, Prompts
from evaluation.statebench.data.truth import Truth, read_record
from evaluation.statebench.grading.rubrics import get_rubric
from evaluation.statebench.records import Timeline, TimelineRecord, row_id
from evaluation.statebench.strategies import build_context
from evaluation.statebench.suite import SUITE

#: What models on the boards are shown where nobody chooses, with room for all of a timeline.
STRATEGY, BUDGET = "state_based", 4096


def made(family: Family, level: Level, seed: int, drawn: Stream, order: str) -> Made:
    """One query of a timeline of a version that nobody froze. Tracks have no dials: the level changes nothing.

    Args:
        family: Its family.
        level: Its dials.
        seed: Of the generator.
        drawn: What the query is drawn from.
        order: Empty.

    Raises:
        BenchmarkError: An order is asked for.
    """
    if order:
        raise BenchmarkError("only lines to choose among have an order; a conversation has its own")
    settings = {"tracks": [family.what], "count": 1, "seed": seed, "public_gold": True}
    version = SUITE.version(settings)
    [item] = version.generate()
    full, whole = cast(Timeline, item.rows[0]), cast(TimelineRecord, item.gold)
    asked = drawn.below(len(whole["queries"]))
    name = row_id(full["id"], asked)
    record = cast(TimelineRecord, SUITE.record_of_rows(item.gold, {name}))
    row = cast(Timeline, SUITE.public_row(full))
    messages: list[Message] = [
        {"role": "system", "content": _prompts().system},
        {"role": "user", "content": [*contexts(full)][asked]},
    ]
    [truth] = read_record(record)
    oracle = QueryOracle(truth, version.settings.rubric)
    asks = json.dumps([full["id"], asked])
    return Made(row, messages, {"type": "string"}, asks, cast(GradingRecord, record), version, oracle)


def contexts(timeline: Mapping[str, object]) -> Iterator[str]:
    """What a model is shown for each query of a timeline, the query included.

    Args:
        timeline: With its ground truth, or public.
    """
    row = cast(Timeline, SUITE.public_row(cast(Row, timeline)))
    asked = [event["prompt"] for event in row["events"] if event["type"] == "query"]
    for number, prompt in enumerate(asked):
        yield _prompts().answer(build_context(row, number, strategy=STRATEGY, budget=BUDGET).text, prompt)


@cache
def _prompts() -> Prompts:
    chosen = SETS[DEFAULT]
    return Prompts(PromptChoice(chosen, "a", chosen.shots))


class QueryOracle:
    """The truth of one query, and the judge of its rubric. See `parts.Oracle`."""

    def __init__(self, truth: Truth, rubric: str) -> None:
        self._truth, self._judge = truth, get_rubric(rubric)(truth)

    def score(self, reply: Reply) -> Score:
        text = _text(reply)
        if not text.strip():
            return Score(0.0, 0.0)
        verdict = self._judge(text)
        return Score(
            total=float(verdict.correct),
            readable=1.0,
            authority_kept=float(not any(verdict.violations)) if self._truth.must_not else None,
            value_right=float(verdict.correct),
            citation_right=float(all(verdict.hits)) if self._truth.must else None,
            tokens=digit_tokens(text),
        )

    def choice(self, reply: Reply) -> object:
        return self._judge(_text(reply)).decision

    @property
    def right(self) -> str:
        decided = self._truth.decision
        said = [decided.capitalize() if decided in ("yes", "no") else decided]
        said += [
            mention.phrase for mention in self._truth.must if mention.phrase.lower() not in decided.lower()
        ]
        return ". ".join(said) + "."


def _text(reply: Reply) -> str:
    text = reply if isinstance(reply, str) else reply.get("response")
    return text if isinstance(text, str) else ""
