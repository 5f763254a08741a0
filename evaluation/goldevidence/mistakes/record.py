"""Full records of mistakes: the lines shown, in order, the line chosen, the right answer, and the reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias, TypedDict, cast

from evaluation.goldevidence.data.answers import Answer
from evaluation.goldevidence.data.case import Case
from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.data.rubrics import Options
from evaluation.goldevidence.data.shown import Candidates, Shown
from evaluation.goldevidence.grading.failures import failure
from evaluation.goldevidence.grading.verdicts import Verdict
from evaluation.goldevidence.records import Candidate, EpisodeRow

WRONG_SELECTION, RETRIEVAL_MISS = "wrong_selection", "retrieval_miss"
AUTHORITY_VIOLATION, BAD_CITATION = "authority_violation", "bad_citation"
WRONG_ABSTENTION, WRONG_VALUE = "wrong_abstention", "wrong_value"
KINDS: dict[str, str] = {
    WRONG_SELECTION: "The right line was shown, but the first citation is another line.",
    RETRIEVAL_MISS: "The system's own retrieval did not show the right line.",
    AUTHORITY_VIOLATION: "A line without authority is cited, or its value is adopted.",
    BAD_CITATION: "The value is right but its citations are not, or a cited line does not exist.",
    WRONG_ABSTENTION: "No answer although the right line was shown, or a value although no shown line establishes one.",
    WRONG_VALUE: "The value is wrong, and no other kind applies.",
}
#: Origin of the lines of a record.
CANDIDATES, OWN, TEXT = "candidates", "shown_uids", "text"
RIGHT = "right"  # kind of a record without a mistake
#: Kinds in which a wrong line was preferred: the source of hard negatives.
ABOUT_LINES = frozenset({WRONG_SELECTION, RETRIEVAL_MISS, AUTHORITY_VIOLATION})


class Judged:
    """One answer with its verdict and its kinds of mistake."""

    def __init__(self, case: Case, answer: Answer, shown: Shown, verdict: Verdict, options: Options) -> None:
        self.case, self.answer, self.shown, self.verdict, self.options = case, answer, shown, verdict, options
        self.has_candidates = isinstance(shown, Candidates)
        #: The line that answers the question, if it is exactly one.
        self.gold_uid = case.gold_ids[0] if case.op != "reports" and len(case.gold_ids) == 1 else ""
        self.abstained = answer.value is None and not answer.cited
        self.required = options.requires(case.asks_citation)

    @property
    def own(self) -> tuple[str, ...] | None:
        """Ids of the lines that the system retrieved from a whole text. Returns None if the prediction lists none."""
        return None if self.has_candidates else self.answer.shown

    @property
    def gold_shown(self) -> bool:
        """True if the lines that the answerer saw establish the answer."""
        if self.has_candidates:
            return self.case.present
        return self.own is None or set(self.case.gold_ids) <= set(self.own)

    @property
    def kinds(self) -> list[str]:
        """Kinds of mistake. Empty if the answer is right or abstains rightly."""
        found = list(self._particular())
        rightly_silent = self.abstained and not self.gold_shown
        return found if found or self.verdict.value_ok or rightly_silent else [WRONG_VALUE]

    def _particular(self) -> Iterator[str]:
        verdict, cited = self.verdict, self.answer.cited
        if self.required and self.gold_uid and self.gold_shown and cited and self._chose_another(cited[0]):
            yield WRONG_SELECTION
        if self.own is not None and self.gold_uid and not self.gold_shown:
            yield RETRIEVAL_MISS
        if verdict.violation:
            yield AUTHORITY_VIOLATION
        if self.required and (self._is_ill_supported() or any(self.shown.line(uid) is None for uid in cited)):
            yield BAD_CITATION
        if self._abstains_wrongly():
            yield WRONG_ABSTENTION

    def _chose_another(self, first: str) -> bool:
        return first != self.gold_uid and self.shown.line(first) is not None

    def _is_ill_supported(self) -> bool:
        return bool(self.verdict.value_ok) and not self.verdict.exact

    def _abstains_wrongly(self) -> bool:
        if self.abstained:
            return self.gold_shown and self.case.gold is not None
        return not self.gold_shown and self.answer.value is not None and not self.verdict.value_ok


LineShown: TypeAlias = Candidate


class Given(TypedDict):
    value: str | None
    support_ids: list[str]


class Mistake(TypedDict):
    id: str
    kind: str
    kinds: list[str]  # all of the row
    episode_id: str
    unit: str
    condition: str
    key: str
    question: str
    shown_from: str
    shown: list[LineShown]
    missed: list[LineShown]  # lines that establish the answer but were not shown
    chosen: LineShown | None  # the first line cited
    answer: Given
    right: Given  # null and no lines if no line shown establishes an answer
    why: str


def lines_shown(row: EpisodeRow, judged: Judged) -> tuple[str, list[LineShown]]:
    """The source and the lines that the system chose among, in the order shown.

    Sources are `candidates`, `shown_uids` (the lines that the prediction lists) and `text` (all lines of a whole text
    about the tags of the question and of the citations).
    """
    if judged.has_candidates:
        remarks = {line["uid"]: line["remark"] for line in row["candidates"] if line.get("remark")}
        return CANDIDATES, [line_shown(entry, remarks.get(entry.uid)) for entry in judged.shown.entries()]
    if judged.own is not None:
        return OWN, [line_shown(entry) for entry in _found(judged, judged.own)]
    concerned = {judged.case.key} | {
        entry.key for entry in _found(judged, [*judged.case.gold_ids, *judged.answer.cited])
    }
    return TEXT, [line_shown(entry) for entry in judged.shown.entries() if entry.key in concerned]


def records(row: EpisodeRow, judged: Judged) -> Iterator[Mistake]:
    kinds = judged.kinds
    if not kinds:
        return
    told = _told(row, judged)
    for kind in kinds:
        yield {**told, "kind": kind, "kinds": kinds, "why": why(kind, judged)}


def right_record(row: EpisodeRow, judged: Judged) -> Mistake:
    """The record of a row without a mistake, of kind `right`. It serves to train on right answers too."""
    return {**_told(row, judged), "kind": RIGHT, "kinds": [], "why": ""}


def _told(row: EpisodeRow, judged: Judged) -> Mistake:
    case, answer = judged.case, judged.answer
    shown_from, shown = lines_shown(row, judged)
    chosen = next((line_shown(entry) for entry in _found(judged, answer.cited[:1])), None)
    right: Given = {"value": None, "support_ids": []}
    missed: list[LineShown] = []
    if judged.gold_shown or judged.own is not None:
        right = {"value": case.gold, "support_ids": case.gold_ids}
        known = {line["uid"] for line in shown}
        missed = [line_shown(entry) for entry in _found(judged, case.gold_ids) if entry.uid not in known]
    return {
        "id": cast(str, case.id),
        "kind": "",
        "kinds": [],
        "episode_id": str(row.get("episode_id", "")),
        "unit": case.unit,
        "condition": case.condition,
        "key": case.key,
        "question": row["question"],
        "shown_from": shown_from,
        "shown": shown,
        "missed": missed,
        "chosen": chosen,
        "answer": {
            "value": None if answer.value is None else encodable(answer.value),
            "support_ids": list(map(encodable, answer.cited)),
        },
        "right": right,
        "why": "",
    }


def why(kind: str, judged: Judged) -> str:
    match kind:
        case "wrong_selection":
            return _why_wrong_line(judged)
        case "retrieval_miss":
            lines = len(judged.own or ())
            return f"The {lines} lines shown lack {_named(judged, judged.gold_uid)}, which establishes the answer."
        case "wrong_abstention" if judged.abstained:
            rights = [_named(judged, uid) for uid in judged.case.gold_ids]
            establish = "was shown, which establishes" if len(rights) == 1 else "were shown, which establish"
            return f"Nothing was answered, although {' and '.join(rights)} {establish} the answer."
        case "wrong_abstention":
            return f"{_value(judged)} was answered, although no line shown establishes an answer: null was right."
    _, sentence = failure(judged.case, judged.answer, judged.shown, judged.verdict, judged.options.rules)
    return encodable(sentence or "The question requires other citations.")


def encodable(text: str) -> str:
    """Replace lone surrogates, which UTF-8 cannot encode."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _why_wrong_line(judged: Judged) -> str:
    uid = judged.answer.cited[0]
    chosen = next(_found(judged, [uid]))
    right, named = _named(judged, judged.gold_uid), f"step {chosen.step} ({uid})"
    if chosen.op == "NOTE":
        return f"The answer chose {named}, a NOTE, which establishes nothing; {right} does."
    if not chosen.authoritative:
        return f"The answer chose {named}, which has no UPDATE marker; {right} is valid."
    if chosen.key != judged.case.key:
        return f"The answer chose {named}, which is about {chosen.key}; {right} is valid."
    about = (entry for entry in judged.shown.entries() if entry.key == judged.case.key)
    later = [entry for entry in about if entry.authoritative and entry.step > chosen.step]
    if not later:
        return f"The answer chose {named}; {right} is valid."
    next_one = min(later, key=lambda entry: entry.step)
    became = "cleared" if next_one.op == "CLEAR" else "overwritten"
    valid = "" if next_one.uid == judged.gold_uid else f"; {right} is valid"
    return f"The answer chose {named}, {became} at step {next_one.step} ({next_one.uid}){valid}."


def _named(judged: Judged, uid: str) -> str:
    line = judged.shown.line(uid)
    return uid if line is None else f"step {line[0]} ({uid})"


def _value(judged: Judged) -> str:
    value = encodable(judged.answer.value or "")
    return repr(value if len(value) <= 80 else f"{value[:79]}…")


def _found(judged: Judged, uids: Sequence[str]) -> Iterator[Entry]:
    for uid in uids:
        line = judged.shown.line(uid)
        if line is not None:
            yield Entry(uid, *line)


def line_shown(entry: Entry, remark: str | None = None) -> LineShown:
    """A ledger entry as a record, with the `remark` shown beside it, if any."""
    line = cast(LineShown, entry._asdict())
    return line | {"remark": remark} if remark else line
