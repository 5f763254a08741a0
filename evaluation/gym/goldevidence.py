"""Tasks of GoldEvidenceBench: the settings of a version for a level, a row as a task, and the oracle of a row."""

from __future__ import annotations

import json
from functools import cache, partial
from typing import cast

from evaluation.adapters.prompt_sets import PromptChoice
from evaluation.core.errors import BenchmarkError
from evaluation.core.rng import Stream
from evaluation.core.tokens import digit_tokens
from evaluation.goldevidence.adapters.answer_forms import answer_schema
from evaluation.goldevidence.adapters.prompts import SETS, Prompts
from evaluation.goldevidence.adapters.rules import cited_at_most
from evaluation.goldevidence.adapters.shown import Shown as Seen
from evaluation.goldevidence.adapters.shown import shown
from evaluation.goldevidence.data.answers import Answer, AnswerError, read
from evaluation.goldevidence.data.case import Case
from evaluation.goldevidence.data.families import MOST_LINES
from evaluation.goldevidence.data.rubrics import Options
from evaluation.goldevidence.data.shown import Candidates, Held, Shown
from evaluation.goldevidence.generator.fields import LATEST_REVISION, PROSE
from evaluation.goldevidence.grading.frozen import from_record
from evaluation.goldevidence.grading.verdicts import Verdict, judge, values_of
from evaluation.goldevidence.mistakes.record import Judged
from evaluation.goldevidence.protocols import protocol_of
from evaluation.goldevidence.records import EpisodeRecord, EpisodeRow
from evaluation.goldevidence.suite import SUITE
from evaluation.goldevidence.version import GoldVersion, options_of
from evaluation.gym.families import BOOK, LOG, SELECT, Family
from evaluation.gym.levels import Level, between, growing
from evaluation.gym.parts import Made, Message, Reply, Score

PROMPT = "ruled@1"
#: Generator seeds to try until an episode has a question that a single line answers.
TRIES = 8


def settings_of(family: Family, level: Level, seed: int, drawn: Stream, order: str = "") -> dict[str, object]:
    """Settings of one episode, in prose if the random stream `drawn` says so. An empty `order` means shuffled lines."""
    prose = drawn.chance(level.prose)
    match family.form:
        case "select":
            more = _selection(family, level, order)
        case "deep":
            more = _deep(family, level, prose=prose)
        case form:
            more = _whole(family, level, form, prose=prose)
    return {"seeds": [seed], "public_gold": True, **more}


def _episode(level: Level, most: int) -> dict[str, object]:
    steps = growing(24, most, level.length)
    writes = 1.5 + 6.5 * level.rivals  # for each tag
    return {
        "episodes": 1,
        "steps": steps,
        "keys": max(4, round(steps / writes)),
        "queries": 1,
        "chapters": 3,
        "twins": False,
        "clear_rate": 0.05,
        "note_rate": 0.4 * level.notes,
        "revision": LATEST_REVISION,
    }


def _selection(family: Family, level: Level, order: str) -> dict[str, object]:
    k = between(2, 16, level.k)
    notes = round(level.notes * (k - 1) / 3) if family.what == "kv_commentary" else 0
    others = round((1 - level.rivals) * (k - 1 - notes) / 2)
    condition = {
        "name": order or "shuffle",  # a generated name has no room for rates with many digits
        "k": k,
        "exact": True,
        "order": order or "shuffle",
        "rest": "shuffled",
        "notes": notes,
        "other_keys": others,
        "spoof_rate": level.spoofed / 2,
        "drop_prob": 0.4 * level.drops,
    }
    generator = _episode(level, 240) | {
        "state_mode": family.what,
        "derived_query_rate": 0.0,
        "distractor_profile": "easy",
        "near_values": 0.6 * level.aliases,
    }
    return {"protocol": "closed", "generator": generator, "conditions": [condition]}


def _whole(family: Family, level: Level, form: str, *, prose: bool) -> dict[str, object]:
    tail = {"tail_distractor_steps": growing(24, 600, level.length) // 4}
    generator = (
        _episode(level, 600)
        | tail
        | {
            "state_mode": family.what,
            "derived_query_rate": 0.0,
            "distractor_profile": "instruction_suite" if level.spoofed >= 0.5 else "adversarial",
            "distractor_rate": 0.3 + 0.4 * level.length,
            "aliases": 0.6 * level.aliases,
            "indirect_rate": 0.5 * level.aliases,
            "near_values": 0.6 * level.aliases,
        }
    )
    if prose and family.what in ("kv", "kv_commentary"):
        generator |= {"wording": PROSE, "book_ledger": False}
    return {"protocol": {BOOK: "closed", LOG: "open"}[form], "generator": generator}


def _deep(family: Family, level: Level, *, prose: bool) -> dict[str, object]:
    generator: dict[str, object] = {
        "episodes": 1,
        "keys": 12,
        "queries": 1,
        "chapters": 4,
        "twins": False,
        "max_support_k": MOST_LINES,
        "distractor_profile": "instruction_suite",
        "revision": LATEST_REVISION,
        "families": [family.what],
        "chain_hops": between(3, 6, level.hops),
        "aggregate_span": between(4, 24, level.hops),
        "nth_most": between(2, 8, level.hops),
        "grants": between(4, 32, level.scopes),
    }
    if prose:
        generator |= {"wording": PROSE, "book_ledger": False}
    ladder = {"lengths": [growing(2048, 16384, level.length)], "shares": [0.25 + 0.5 * level.rivals]}
    return {"protocol": "open", "generator": generator, "ladder": ladder}


def made(family: Family, level: Level, seed: int, drawn: Stream, order: str) -> Made:
    """Generate a task from a row of a new version. The random stream `drawn` decides whether its text is prose.

    Raises BenchmarkError if no question of the family is found, or `order` is set for a family without candidate lines.
    """
    if order and family.form != SELECT:
        raise BenchmarkError(
            f"`order` applies only to candidate lines (families select_…), not to the form {family.form!r}"
        )
    settings = settings_of(family, level, seed, drawn, order)
    for shift in range(TRIES):
        version = SUITE.version(settings | {"seeds": [seed - shift]})
        for item in version.generate():
            rows = [row for row in item.rows if ("candidates" in row) == (family.form == SELECT)]
            if rows:
                full = cast(EpisodeRow, rows[-1])
                record = cast(EpisodeRecord, SUITE.record_of_rows(item.gold, {full["id"]}))
                return _made(full, record, version)
    raise BenchmarkError("this seed gives no question of this family at this level: use another seed")


def _made(full: EpisodeRow, record: EpisodeRecord, version: GoldVersion) -> Made:
    row = cast(EpisodeRow, SUITE.public_row(full))
    seen = _seen(row)
    [(case, held)] = from_record(record)
    return Made(
        row=row,
        messages=messages(row),
        schema=answer_schema(seen.ids, most=cited_at_most(row)),
        asks=json.dumps([version.settings.seeds, case.permutation or [row["question"], seen.text]]),
        record=record,
        version=version,
        oracle=EpisodeOracle(full, case, held, options_of(version.settings)),
    )


def messages(row: EpisodeRow, prompt: str = "") -> list[Message]:
    """Build the chat of a public row, in the first wording of a prompt set. Raises UnknownNameError."""
    chat = _prompts(prompt or PROMPT).answer(_seen(row), row["question"], most=cited_at_most(row))
    return [{"role": "system", "content": chat.system}, {"role": "user", "content": chat.user}]


def _seen(row: EpisodeRow) -> Seen:
    protocol = protocol_of(row)
    return shown(row, protocol.reads if protocol else "closed_book")


@cache
def _prompts(name: str) -> Prompts:
    chosen = SETS[name]
    return Prompts(PromptChoice(chosen, "a", chosen.shots))


class EpisodeOracle:
    """The oracle of one row: it knows the right answer, and scores replies. See `parts.Oracle`."""

    def __init__(self, row: EpisodeRow, case: Case, lines: Shown, options: Options) -> None:
        self.row, self.case, self.lines, self._options = row, case, lines, options
        self._holds, self._values = Held(lines), partial(values_of, case, lines)
        self._tempts = bool(case.spoofed) or lines.has_note(case.key)

    def score(self, reply: Reply) -> Score:
        tokens = digit_tokens(reply) if isinstance(reply, str) else 0
        answer = self.read(reply)
        if answer is None or answer.state is not None or not answer.parsed:
            return Score(0.0, 0.0, tokens=tokens)
        return self._parts(answer, judge(self.case, answer, self.lines, self._options), tokens)

    def choice(self, reply: Reply) -> object:
        answer, before = self.read(reply), self.case.before
        if answer is None:
            return None
        if not answer.cited:
            value = answer.value
            return value if before is None or value is None else before.answer_before(value, self.case.op)
        return answer.cited[0] if before is None else before.uid_before(answer.cited[0])

    @property
    def right(self) -> str:
        case, silent = self.case, not self.is_shown
        lines = list(case.gold_ids[: self._options.max_support_k])
        told = {"value": None if silent else case.gold}
        cites = self._options.requires(case.asks_citation)
        return json.dumps(told | ({"support_ids": [] if silent else lines} if cites else {}))

    @property
    def is_shown(self) -> bool:
        """True if the row shows the lines that establish the answer."""
        return self.case.present if isinstance(self.lines, Candidates) else True

    def read(self, reply: Reply) -> Answer | None:
        """Read the answer in a reply, as the grader counts it. Returns None if the reply is unreadable."""
        rules = self._options.rules
        line = {"output": reply} if isinstance(reply, str) else reply
        try:
            answer = read(line, any_form=rules.any_form)
        except AnswerError:
            return None
        return rules.as_counted(answer, self.case.key, self._holds, self._values)

    def judged(self, reply: Reply) -> Judged | None:
        """Read and grade the answer in a reply, to classify mistakes. Returns None if the reply is unreadable."""
        answer = self.read(reply)
        if answer is None or answer.state is not None or not answer.parsed:
            return None
        verdict = judge(self.case, answer, self.lines, self._options)
        return Judged(self.case, answer, self.lines, verdict, self._options)

    def _parts(self, answer: Answer, verdict: Verdict, tokens: int) -> Score:
        case, silent = self.case, answer.value is None and not answer.cited
        required = bool(verdict.required)
        seen = self.is_shown
        told = seen if answer.shown is None or not seen else set(case.gold_ids) <= set(answer.shown)
        chosen = float(answer.cited[:1] == case.gold_ids) if len(case.gold_ids) == 1 and seen else None
        return Score(
            total=float(verdict.exact) if seen else float(silent),
            readable=1.0,
            evidence_shown=float(told),
            line_chosen=chosen if required else None,
            authority_kept=float(not verdict.violation) if self._tempts else None,
            value_right=float(verdict.value_ok) if seen else None,
            citation_right=self._cited_right(verdict) if required and seen else None,
            abstained_rightly=float(silent and not seen) if silent or not seen else None,
            tokens=tokens,
        )

    def _cited_right(self, verdict: Verdict) -> float:
        complete = verdict.hits == verdict.golds and not verdict.bloat
        return float(complete and (verdict.entailed or not verdict.judged) and not verdict.violation)
