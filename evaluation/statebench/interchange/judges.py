"""Compares rubrics on one file of responses: where their verdicts differ, and why."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from evaluation.statebench.data.truth import Mention, Truth
from evaluation.statebench.grading.grade import Responses, judge_all
from evaluation.statebench.grading.rubrics import DEFAULT_RUBRIC, RUBRICS, TYPED
from evaluation.statebench.grading.verdict import Verdict

#: Without `strict@3`, which differs from `strict` only in ignoring thinking.
JUDGES = tuple(name for name in RUBRICS if name != "strict@3" and name not in TYPED)
RIGHT, WRONG = "right", "wrong"
FOUND, LACKING, DENIED, UNSCORED = "found", "not found", "denied", "not scored"


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A decision or phrase on which rubrics disagree. `says` has the verdict of each rubric, `why` the likely cause."""

    timeline_id: str
    query_idx: int
    track: str
    about: str  # decision, must mention or must not mention
    phrase: str  # of the ground truth
    says: dict[str, str]
    why: str


def disagreements(
    known: Iterable[Truth], responses: Responses, rubrics: Iterable[str] = JUDGES
) -> Iterator[Disagreement]:
    """Yield the disagreements of rubrics, query by query. Missing responses count as empty. Raises UnknownNameError."""
    truths = list(known)
    verdicts = {name: judge_all(truths, responses, rubric=name) for name in rubrics}
    for index, truth in enumerate(truths):
        of_query = {name: verdicts[name][index] for name in verdicts}
        for about, phrase, says in _judged(truth, of_query):
            if len(set(says.values())) > 1:
                why = _why(about, phrase, says, of_query)
                yield Disagreement(truth.timeline_id, truth.index, truth.track, about, phrase, says, why)


def _judged(truth: Truth, verdicts: Mapping[str, Verdict]) -> Iterator[tuple[str, str, dict[str, str]]]:
    yield "decision", truth.decision, {n: RIGHT if v.correct else WRONG for n, v in verdicts.items()}
    must = {name: _states(verdict.hits, truth.must) for name, verdict in verdicts.items()}
    must_not = {
        name: _states(verdict.violations, truth.must_not, skipped=verdict.skipped, denied=verdict.negated)
        for name, verdict in verdicts.items()
    }
    for about, mentions, states in (
        ("must mention", truth.must, must),
        ("must not mention", truth.must_not, must_not),
    ):
        for place, mention in enumerate(mentions):
            yield about, mention.phrase, {name: states[name][place] for name in states}


def _states(
    marks: Sequence[bool],
    mentions: Sequence[Mention],
    *,
    skipped: Collection[str] = (),
    denied: Collection[str] = (),
) -> list[str]:
    """Return the state of each phrase: found, denied, missing, or not scored.

    `marks` says of each scored phrase whether it was found. Phrases in `skipped` are not scored, and those in
    `denied` were found in a negated sentence.
    """
    scored = [place for place, mention in enumerate(mentions) if mention.phrase not in skipped]
    if len(scored) != len(marks):  # strict skips empty phrases
        scored = [place for place in scored if mentions[place].phrase.strip()]
    states = [UNSCORED] * len(mentions)
    for place, mark in zip(scored, marks, strict=True):
        states[place] = FOUND if mark else DENIED if mentions[place].phrase in denied else LACKING
    return states


def _why(about: str, phrase: str, says: Mapping[str, str], verdicts: Mapping[str, Verdict]) -> str:
    if UNSCORED in says.values():
        ordinary = "an ordinary word, which 2.0 does not score"
        return ordinary if phrase.strip() else "an empty phrase, which matches every response"
    if DENIED in says.values():
        return "mentioned but not affirmed"
    if about != "decision":
        return "part of another word or number, or spelled differently"
    for name in (DEFAULT_RUBRIC, "strict"):
        if says.get(name) == WRONG:
            return verdicts[name].reason or ""
    quoted = phrase.lower() not in ("yes", "no")
    return "decided by evidence, not by a quote" if quoted else "yes or no was found in another word"
