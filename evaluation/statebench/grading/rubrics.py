"""Rubrics, which prepare the ground truth of a query once and then judge responses to it.

`1.0` and `2.0` reproduce the deterministic judges of statebench 1.0.2 and 2.0.0 (MIT), faults included, to compare
published results. `strict` is ours (docs/statebench.md lists its repairs); its revision 4 is in `affirmed`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from evaluation.adapters.thinking import without_thinking
from evaluation.core.errors import UnknownNameError
from evaluation.statebench.data.truth import SUPERSEDED, Mention, Truth
from evaluation.statebench.grading import decisions, phrases
from evaluation.statebench.grading.affirmed.judge import strict_4
from evaluation.statebench.grading.permission import is_admissible
from evaluation.statebench.grading.typed.judge import TypedJudge
from evaluation.statebench.grading.verdict import Verdict
from evaluation.statebench.language import words
from evaluation.statebench.language.words import bounded_pattern

Judge = Callable[[str], Verdict]

_NEGATION_WINDOW = 40
_NEGATION_CUES = (
    "not ",
    "n't ",
    "no longer",
    "never",
    "cannot",
    "can not",
    "instead of",
    "rather than",
    "no more",
    "avoid ",
    "without ",
    "isn't",
    "wasn't",
    "aren't",
    "weren't",
    "don't",
    "doesn't",
    "didn't",
    "superseded",
    "outdated",
    "previously",
    "used to be",
    "was changed",
    "no longer valid",
    "not valid",
    "invalid",
)
_NEGATIONS = re.compile("|".join(map(re.escape, _NEGATION_CUES)))


def released_1(truth: Truth) -> Judge:
    """Make a judge like statebench 1.0.2. All forbidden phrases count as stale facts, and alternatives are ignored."""
    must = [phrases.substring_matcher(mention.phrase) for mention in truth.must]
    must_not = [(mention.phrase, phrases.substring_matcher(mention.phrase)) for mention in truth.must_not]
    expected = phrases.released_form(truth.decision)
    constrained = frozenset({SUPERSEDED} if must_not else ())

    def judge(response: str) -> Verdict:
        text = phrases.released_form(response)
        decision, correct = decisions.decide_released(text, expected)
        violations = [matches(text) for _, matches in must_not]
        mentioned = [phrase for (phrase, _), hit in zip(must_not, violations, strict=True) if hit]
        kinds = {SUPERSEDED: mentioned} if mentioned else {}
        return Verdict(
            truth,
            response,
            decision,
            correct,
            [matches(text) for matches in must],
            violations,
            constrained,
            kinds,
        )

    return judge


def released_2(truth: Truth) -> Judge:
    """Make a judge like statebench 2.0.0. Ordinary words are not scored, and negated mentions are excused."""
    must = [phrases.bounded_matcher(mention.phrase) for mention in truth.must]
    scored = [mention for mention in truth.must_not if is_admissible(mention.phrase)]
    must_not = [(mention, phrases.bounded_matcher(mention.phrase)) for mention in scored]
    skipped = [mention.phrase for mention in truth.must_not if not is_admissible(mention.phrase)]
    expected = phrases.released_form(truth.decision)
    constrained = frozenset(truth.kind(mention) for mention in scored)

    def judge(response: str) -> Verdict:
        text = phrases.released_form(response)
        decision, correct = decisions.decide_bounded(text, expected)
        verdict = Verdict(
            truth,
            response,
            decision,
            correct,
            [matches(text) for matches in must],
            [],
            constrained,
            {},
            skipped,
        )
        for mention, matches in must_not:
            mentioned = matches(text)
            negated = mentioned and _always_negated(text, mention.phrase)
            _record(verdict, mention, mentioned=mentioned, negated=negated)
        return verdict

    return judge


def strict(truth: Truth) -> Judge:
    """Make our first judge. It finds whole words and alternatives, and gives a reason for every fault."""
    must = [(mention, phrases.strict_matcher(mention)) for mention in truth.must if mention.phrase.strip()]
    must_not = [
        (mention, phrases.strict_matcher(mention)) for mention in truth.must_not if mention.phrase.strip()
    ]
    expected = phrases.strict_form(truth.decision)
    value = phrases.strict_matcher(Mention(truth.decision)) if truth.in_state else None
    constrained = frozenset(truth.kind(mention) for mention, _ in must_not)

    def judge(response: str) -> Verdict:
        text = phrases.strict_form(response)
        hits = [matches(text) for _, matches in must]
        verdict = Verdict(truth, response, None, False, hits, [], constrained)
        for mention, matches in must_not:
            mentioned = matches(text)
            _record(
                verdict, mention, mentioned=mentioned, negated=mentioned and _strictly_negated(text, mention)
            )
        clean = bool(text) and all(hits) and not any(verdict.violations)
        if expected in ("yes", "no"):
            verdict.decision, verdict.correct = decisions.decide_strict(text, expected)
        elif value is not None:
            verdict.decision, verdict.correct = (expected, True) if value(text) else (None, False)
        else:
            right = clean and not decisions.contradicts(text, expected)
            verdict.decision, verdict.correct = (expected, True) if right else (None, False)
        if not clean or not verdict.correct:
            missed = [mention.phrase for (mention, _), hit in zip(must, hits, strict=True) if not hit]
            verdict.reason = _reason(verdict, text, expected, missed)
        return verdict

    return judge


def strict_3(truth: Truth) -> Judge:
    """Make a judge by revision 3 of `strict`. It is like our first judge, but leaves out thinking."""
    judge = strict(truth)
    return lambda response: judge(without_thinking(response))


#: Judge of free text beside typed answers.
FREE_TEXT = strict_4


def typed_1(truth: Truth) -> TypedJudge:
    """Make a judge of typed answers and the free text beside them. Raises RowError without typed gold."""
    return TypedJudge(truth, FREE_TEXT)


#: Revisions of `strict` stay for the versions frozen while each was the default; the last is the present one.
RUBRICS: dict[str, Callable[[Truth], Judge]] = {
    "1.0": released_1,
    "2.0": released_2,
    "strict": strict,
    "strict@3": strict_3,
    "strict@4": strict_4,
    "typed@1": typed_1,
}
DEFAULT_RUBRIC = "strict@4"
#: Rubrics that ignore thinking.
BARE = frozenset({"strict@3", "strict@4", "typed@1"})
#: Rubrics that grade the field `answer` of a line.
TYPED = frozenset({"typed@1"})


def get_rubric(name: str) -> Callable[[Truth], Judge]:
    """Return the rubric with this name, which makes a judge from a ground truth. Raises UnknownNameError."""
    if name not in RUBRICS:
        raise UnknownNameError("rubric", name, RUBRICS)
    return RUBRICS[name]


def _record(verdict: Verdict, mention: Mention, *, mentioned: bool, negated: bool) -> None:
    verdict.violations.append(mentioned and not negated)
    if negated:
        verdict.negated.append(mention.phrase)
    elif mentioned:
        verdict.kinds.setdefault(verdict.truth.kind(mention), []).append(mention.phrase)


def _always_negated(text: str, phrase: str) -> bool:
    phrase = phrases.released_form(phrase)
    if phrase.startswith("regex:"):
        return False
    parts = [part.strip() for part in phrase.split("|") if part.strip()]
    starts = [start for part in parts for start in words.starts(text, part, bounded_pattern(part))]
    return bool(starts) and all(_is_negated(_before(text, start)) for start in starts)


def _strictly_negated(text: str, mention: Mention) -> bool:
    starts = phrases.strict_starts(phrases.strict_wordings(mention), text)
    return bool(starts) and all(_is_negated(decisions.last_clause(_before(text, start))) for start in starts)


def _before(text: str, start: int) -> str:
    return text[max(0, start - _NEGATION_WINDOW) : start]


def _is_negated(window: str) -> bool:
    return _NEGATIONS.search(window) is not None


def _reason(verdict: Verdict, text: str, expected: str, missed: list[str]) -> str:
    if not verdict.response.strip():
        return "there is no response"
    parts = []
    if expected in ("yes", "no") and not verdict.correct:
        decided = f"says {verdict.decision!r}" if verdict.decision else "makes no decision"
        parts.append(f"it {decided} where the answer is {expected!r}")
    elif verdict.truth.in_state and not verdict.correct:
        parts.append(f"it does not state {verdict.truth.decision!r}")
    elif decisions.contradicts(text, expected):
        parts.append(f"it says the opposite of {verdict.truth.decision!r}")
    if missed:
        parts.append("it does not mention " + ", ".join(map(repr, missed)))
    for kind, mentions in verdict.kinds.items():
        parts.append(f"it mentions {', '.join(map(repr, mentions))} ({kind})")
    return "; ".join(parts)
