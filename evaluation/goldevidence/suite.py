"""Registers GoldEvidenceBench as a suite."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, cast

from evaluation.core import jsonl
from evaluation.core.plugin import Account, Replay, RowReplays
from evaluation.core.records import GradingRecord, JsonObject, Row, RowGold, ShownVerdict, Verdict
from evaluation.core.suite import (
    ExpectedRows,
    Fields,
    Integrity,
    Line,
    Preset,
    Problem,
    RowPreview,
    Suite,
    SystemSpec,
    Unseen,
)
from evaluation.goldevidence import presets, protocols, public
from evaluation.goldevidence import replay as replays
from evaluation.goldevidence.artifacts.built import BUILT
from evaluation.goldevidence.data.answers import ANSWER_FIELDS, in_plain_form, read, row_state
from evaluation.goldevidence.data.redact import redact
from evaluation.goldevidence.data.shown import held_by
from evaluation.goldevidence.display import DISPLAY
from evaluation.goldevidence.expected import expected_of
from evaluation.goldevidence.generator.ladder.rungs import rung_tokens
from evaluation.goldevidence.grading.frozen import of_rows
from evaluation.goldevidence.line_oddities import given, rules_of
from evaluation.goldevidence.line_problems import problem_in
from evaluation.goldevidence.records import Candidate, EpisodeGold, EpisodeRecord, EpisodeRow, EpisodeVerdict
from evaluation.goldevidence.version import GoldVersion

#: Fields of a verdict that reveal the place of its row.
PLACING = frozenset({"unit", "mistake", "gold_shown", "gold_present", "twin_consistent", "twin_flipped"})


class Episodes(RowReplays):
    """Shows episodes as timelines, with one lane per key."""

    def replay(self, row: Row, row_id: str, *, state: bool = True) -> Replay | None:
        seen = replays.replay(cast(EpisodeRow, row))
        return seen if state or seen is None else seen.without_state()

    def account(self, row: Row, seen: Replay | None, verdict: Verdict) -> Account:
        if seen is None:
            return super().account(row, seen, verdict)
        return replays.account(cast(EpisodeRow, row), seen, cast(EpisodeVerdict, verdict))

    def answers(self, record: GradingRecord) -> Iterator[tuple[str, RowGold]]:
        return replays.answers(cast(EpisodeRecord, record))

    def with_answer(self, row: Row, answer: RowGold) -> Row:
        return replays.with_answer(cast(EpisodeRow, row), cast(EpisodeGold, answer))

    def row_labels(self, row: Row) -> Mapping[str, str]:
        """Return the labels stated in the row: question type, mode, length, depth and others."""
        return replays.row_labels(cast(EpisodeRow, row))


def answer_key(data: Mapping[str, object]) -> str:
    """Return a text that is the same for equal answers, whatever their form and order; empty for an abstention."""
    answer = read(data)
    if answer is None:
        return ""
    told = in_plain_form(answer, "", ()).without_null_word
    return "" if told.value is None and not told.cited else json.dumps([told.value, sorted(set(told.cited))])


def mistake_key(verdict: Verdict) -> str:
    """Return a text that identifies a wrong answer; empty if it is right or null, or the gold was not shown."""
    judged = cast(EpisodeVerdict, verdict)
    if judged["value"] is None or judged.get("value_ok", True) or judged.get("gold_shown") is False:
        return ""
    said = judged.get("mistake") or [judged["value"], sorted(set(judged["cited"]))]
    return json.dumps([judged["unit"], *said])


def unseen(verdict: Verdict) -> Unseen | None:
    """Tell whether value and citations are right although the row hides its gold line. Returns None for other rows."""
    judged = cast(EpisodeVerdict, verdict)
    gold = judged.get("gold")  # absent if it is withheld
    if judged.get("gold_shown", True) or not gold or gold["value"] is None:
        return None
    cited = set(gold["support_ids"]) & set(judged.get("cited") or ())
    return Unseen(right=bool(judged.get("value_ok")), cited=bool(cited))


class GoldEvidence(Suite):
    """Implements the suite; see `Suite` for the contract of each member."""

    name = "goldevidence"
    title = "GoldEvidenceBench"
    settings = presets.Settings
    fields = Fields(public.TEXTS, ids=("id",), answers=ANSWER_FIELDS, placing=PLACING)
    display = DISPLAY
    row_kind = "evaluation.goldevidence.adapters.episode_rows:KIND"
    attacks = "evaluation.attacks.goldevidence.registry:attack_plan"
    bench = "evaluation.goldevidence.experiments.bench.offer:BENCHES"
    artifacts = BUILT
    replays = Episodes()
    integrity = Integrity(answer_key, mistake_key, unseen, unshown_citations="own_unshown_citation_rate")

    def presets(self) -> Mapping[str, Preset]:
        about = presets.ABOUT
        return {name: Preset(each.as_json(), about.get(name, "")) for name, each in presets.PRESETS.items()}

    def version(self, settings: Mapping[str, object]) -> GoldVersion:
        return GoldVersion(self, presets.Settings.from_json(settings))

    def systems(self) -> Mapping[str, SystemSpec]:
        from evaluation.goldevidence.systems.registry import SYSTEMS  # they import the suite's parts

        return SYSTEMS

    def expected(self, records: Iterable[JsonObject], *, lines: bool = False) -> ExpectedRows:
        """Return ids and splits of the rows to answer; `lines` adds the ids of each row's lines. Raises RowError."""
        if not lines:
            return expected_of(records)
        held: dict[str, str] = {}

        def passing() -> Iterator[Mapping[str, object]]:
            for record in records:
                yield record
                held.update(held_by(record))

        return replace(expected_of(passing()), lines=held)

    def read_line(self, data: Any, expected: ExpectedRows) -> Line | Problem:
        if self.row_id(data) is None:
            return Problem("no_id", _missing_id(data))
        if problem := problem_in(data, expected):
            return problem
        return Line(row_state(data, any_form=rules_of(expected).any_form), given(data, expected))

    def public_row(self, row: Row, *, labels: bool = False) -> Row:
        return public.public_row(cast(EpisodeRow, row), labels=labels)

    def overtold(self, row: Row) -> Iterator[str]:
        return public.overtold(cast(EpisodeRow, row))

    def form_of(self, split: str) -> str:
        """Return `candidates`, or the length or protocol of a whole text."""
        whole = protocols.is_whole(split) or rung_tokens(split) is not None
        return split if whole else public.CANDIDATES

    def row_previews(self, row: Row) -> list[RowPreview]:
        shown = cast(EpisodeRow, row)
        if (candidates := shown.get("candidates")) is not None:
            parts = [("Candidates", "\n".join(map(_candidate_text, candidates)))]
        else:
            texts = [("Book", shown.get("book")), ("Document", shown.get("document"))]
            parts = [(heading, text) for heading, text in texts if text]
        answer = f'{{"id": "{row["id"]}", "value": "…", "support_ids": ["U……"]}}'
        return [RowPreview(row["id"], shown["question"], parts, answer)]

    def redact(self, verdict: Verdict, *, own: bool) -> ShownVerdict:
        """Remove the gold from a verdict and, for readers other than the submitter, the right parts of the answer."""
        return redact(cast(EpisodeVerdict, verdict), own=own)

    def record_of_rows(self, record: GradingRecord, row_ids: Collection[str]) -> GradingRecord | None:
        return of_rows(cast(EpisodeRecord, record), row_ids)


SUITE = GoldEvidence()


def _missing_id(data: Mapping[str, object]) -> str:
    if "id" in data:
        return f"The line names no row: its 'id' must be a text, not {jsonl.kind(data['id'])}."
    return "The line names no row: give the row's 'id', a text."


def _candidate_text(line: Candidate) -> str:
    tail = "" if line["value"] is None else f" = {line['value']}"
    remark = f" ({line['remark']})" if line.get("remark") else ""
    return f"[{line['uid']}] step={line['step']} {line['op']} {line['key']}{tail}{remark}"
