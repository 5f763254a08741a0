"""Tasks of StateBench: one query of one timeline, answered in free text (tracks) or by a typed answer (scenes)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import cast

from evaluation.adapters.prompt_sets import PromptChoice
from evaluation.core.errors import BenchmarkError
from evaluation.core.records import GradingRecord, JsonObject
from evaluation.core.rng import Stream
from evaluation.core.tokens import digit_tokens
from evaluation.gym.families import SCENE, Family
from evaluation.gym.levels import Level, growing
from evaluation.gym.parts import Made, Message, Reply, Score
from evaluation.statebench.adapters.prompts import DEFAULT, SETS, Prompts
from evaluation.statebench.adapters.typed_form import typed_constraint
from evaluation.statebench.data.truth import Truth, read_record
from evaluation.statebench.data.typed_gold import UNCLEAR
from evaluation.statebench.grading.rubrics import get_rubric
from evaluation.statebench.grading.typed.judge import TypedJudge
from evaluation.statebench.grading.verdict import Verdict
from evaluation.statebench.presets import SCENES
from evaluation.statebench.records import Timeline, TimelineRecord, row_id
from evaluation.statebench.strategies import build_context
from evaluation.statebench.suite import SUITE

#: The default strategy of models on the leaderboards, with room for a whole timeline.
STRATEGY, BUDGET = "state_based", 4096
TYPED_PROMPT = TYPED_RUBRIC = "typed@1"
#: Most tokens of unrelated text around a scene.
LONGEST = 4096


def made(family: Family, level: Level, seed: int, drawn: Stream, order: str) -> Made:
    """Generate a task from one query, chosen by `drawn`, of a new timeline. Raises BenchmarkError for any `order`."""
    if order:
        raise BenchmarkError(
            "`order` applies only to candidate lines (families select_…), not to conversations"
        )
    settings: dict[str, object] = {"tracks": [family.what], "count": 1, "seed": seed, "public_gold": True}
    if family.form == SCENE:
        length = growing(64, LONGEST, level.length) if level.length else 0
        settings |= {"source": SCENES, "templates": 1, "lengths": [length], "rubric": TYPED_RUBRIC}
    version = SUITE.version(settings)
    [item] = version.generate()
    prompt = TYPED_PROMPT if family.form == SCENE else DEFAULT
    full, whole = cast(Timeline, item.rows[0]), cast(TimelineRecord, item.gold)
    asked = drawn.below(len(whole["queries"]))
    name = row_id(full["id"], asked)
    record = cast(TimelineRecord, SUITE.record_of_rows(item.gold, {name}))
    row = cast(Timeline, SUITE.public_row(full))
    [truth] = read_record(record)
    judge = get_rubric(version.settings.rubric)(truth)
    oracle = TypedOracle(truth, judge) if isinstance(judge, TypedJudge) else QueryOracle(truth, judge)
    asks = json.dumps([seed, family.what, asked])
    return Made(
        row,
        messages(row, asked, prompt),
        schema_of(family),
        asks,
        cast(GradingRecord, record),
        version,
        oracle,
    )


def schema_of(family: Family) -> JsonObject:
    """JSON schema of a reply: a text, or a decision with value and evidence."""
    if family.form != SCENE:
        return {"type": "string"}
    wanted = cast(JsonObject, typed_constraint()["response_format"])
    schema: JsonObject = wanted["json_schema"]["schema"]
    return schema


def contexts(timeline: Mapping[str, object]) -> Iterator[str]:
    """Yield the user prompt for each query of a timeline, without worked examples."""
    row = cast(Timeline, SUITE.public_row(cast(Timeline, timeline)))
    for number in range(len(_queries(row))):
        yield messages(row, number)[-1]["content"]


def messages(timeline: Timeline, number: int, prompt: str = "") -> list[Message]:
    """Build the chat of a query of a public timeline, in a prompt set's first wording. Raises UnknownNameError."""
    prompts, asked = _prompts(prompt or DEFAULT), _queries(timeline)[number]
    context = build_context(timeline, number, strategy=STRATEGY, budget=BUDGET).text
    return [
        {"role": "system", "content": prompts.system},
        {"role": "user", "content": prompts.answer(context, asked)},
    ]


def _queries(timeline: Timeline) -> list[str]:
    return [event["prompt"] for event in timeline["events"] if event["type"] == "query"]


@cache
def _prompts(name: str) -> Prompts:
    chosen = SETS[name]
    return Prompts(PromptChoice(chosen, "a", chosen.shots))


class QueryOracle:
    """The oracle of one query answered in free text. See `parts.Oracle`."""

    def __init__(self, truth: Truth, judge: Callable[[str], Verdict]) -> None:
        self._truth, self._judge = truth, judge

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


class TypedOracle:
    """The oracle of one query with a typed answer. See `parts.Oracle`."""

    def __init__(self, truth: Truth, judge: TypedJudge) -> None:
        self._truth, self._judge = truth, judge

    def score(self, reply: Reply) -> Score:
        verdict, tokens = self._verdict(reply), digit_tokens(_text(reply))
        typed, gold = verdict.typed, self._truth.answer
        if typed is None or gold is None or not typed.answered:
            return Score(0.0, 0.0, tokens=tokens)
        silent, is_open = verdict.decision == UNCLEAR, gold["decision"] == UNCLEAR
        return Score(
            total=float(verdict.correct),
            readable=1.0,
            authority_kept=float(not any(verdict.violations)) if gold["dead"] else None,
            value_right=None if typed.value is None else float(typed.value),
            citation_right=float(typed.evidence == "live") if gold["live"] else None,
            abstained_rightly=float(silent and is_open) if silent or is_open else None,
            tokens=tokens,
        )

    def choice(self, reply: Reply) -> object:
        return self._verdict(reply).decision

    @property
    def right(self) -> str:
        gold = self._truth.answer
        assert gold is not None  # the judge refuses a truth without
        because = [each["text"] for each in gold["live"]]
        return json.dumps({"decision": gold["decision"], "value": gold["value"], "because": because})

    def _verdict(self, reply: Reply) -> Verdict:
        return self._judge.line({"response": reply} if isinstance(reply, str) else reply)


def _text(reply: Reply) -> str:
    text = reply if isinstance(reply, str) else reply.get("response")
    return text if isinstance(text, str) else ""
