"""Judge of the rubric `strict@4`, which judges a response by the statements that it affirms."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from evaluation.statebench.data.dumps import DUMP, NOTHING_SAID, is_dump
from evaluation.statebench.data.truth import Mention, Truth
from evaluation.statebench.grading.affirmed.decision import (
    BOTH,
    NO,
    UNCLEAR,
    YES,
    decide,
    is_unclear,
    refuses,
)
from evaluation.statebench.grading.affirmed.marks import Kind, bears_on_phrases, decides, words
from evaluation.statebench.grading.affirmed.plain import MAX_WORDS, plain
from evaluation.statebench.grading.affirmed.reading import RIVALS, YIELDS, Force, Item, Reading, Span, read
from evaluation.statebench.grading.affirmed.sought import Sought, quantities, sought
from evaluation.statebench.grading.phrases import strict_form
from evaluation.statebench.grading.verdict import Verdict
from evaluation.statebench.language.values import Value

_REFUSAL = re.compile(r"\b(?:refuse|decline|withhold|not (?:share|disclose))")
_DOUBT = re.compile(r"\b(?:uncertain|clarif|acknowledge|insufficient|unknown)")
_LEAD = re.compile(r"(?:no|yes)[.,:;!]")
_OPENING = re.compile(r"\W*(yes|no)\b")
_TO_READER = re.compile(r"\b(?:you|your|which|please|clarify|specify)\b[^?]*\?")
_WHICH = re.compile(r"\bwhich\b[^?]*\?")
_SENTENCE = re.compile(r"[.;!?¶](?!\d)")
#: Words of quantities derived from the one asked for, or compared with it.
_OTHER_MATTER = re.compile(
    r"\b(?:quote|total|totals|altogether|in all|sum|comes? to|order|offer|difference|saves?|saving|for \d+|\d+ of them"
    r"|more than|less than|above|over|below|invoice|margin|plus|deposit)\b"
)
#: Forces with which required evidence still counts as mentioned.
_MENTIONED = frozenset(
    {Force.AFFIRMED, Force.ENDED, Force.PAST, Force.REPORTED, Force.SUPPOSED, Force.CLAIMED}
)
_HOW: dict[Force, str] = {
    Force.AFFIRMED: "leaves open",
    Force.DENIED: "denies",
    Force.OPEN: "leaves open",
    Force.FORMER: "calls former",
    Force.PAST: "states only as past",
    Force.REPORTED: "only reports",
    Force.CLAIMED: "only reports",
    Force.SUPPOSED: "only supposes",
    Force.ASKED: "only asks about",
    Force.ENDED: "says is over",
    Force.ASIDE: "sets aside",
    Force.RETRACTED: "takes back",
}


@dataclass(frozen=True, slots=True)
class _Gold:
    phrases: tuple[Sought, ...]
    must: tuple[int, ...]
    must_not: tuple[int, ...]
    decision: int  # number of the phrase that is the decision, -1 if it is not a value
    expected: str
    kinds: frozenset[str] = field(default_factory=frozenset)

    def kind(self, key: int) -> str:
        value = self.phrases[key].value if key < len(self.phrases) else None
        return value.kind if value else ""


def strict_4(truth: Truth) -> Callable[[str], Verdict]:
    """Prepare the judge for a ground truth (docs/statebench.md). Raises RowError for an invalid regular expression."""
    gold, mentions = _gold(truth), [each for each in truth.must_not if each.phrase.strip()]
    constrained = frozenset(truth.kind(mention) for mention in mentions)
    judge_decision = _decisions(truth, gold)

    def judge(response: str) -> Verdict:
        text, was_cut = plain(response)
        said = _Said(gold, text)
        hits = [said.mentions(key) for key in gold.must]
        violations = [said.affirms(key) for key in gold.must_not]
        verdict = Verdict(truth, response, None, False, hits, violations, constrained)
        if said.spans:
            _enter(verdict, mentions, [bool(said.said_of(key)) for key in gold.must_not])
        if dumped := is_dump(response, truth.lines):
            decided, right = judge_decision(_Said(gold, plain(NOTHING_SAID)[0]))
        else:
            decided, right = judge_decision(said) if text else (None, False)
        verdict.correct = right and not any(violations)
        verdict.decision = decided
        if was_cut or not verdict.correct or not all(hits):
            verdict.reason = DUMP if dumped else _reason(verdict, said, was_cut)
        return verdict

    return judge


def _enter(verdict: Verdict, mentions: Sequence[Mention], said: Sequence[bool]) -> None:
    for mention, violated, is_said in zip(mentions, verdict.violations, said, strict=True):
        if violated:
            verdict.kinds.setdefault(verdict.truth.kind(mention), []).append(mention.phrase)
        elif is_said:
            verdict.negated.append(mention.phrase)


def _gold(truth: Truth) -> _Gold:
    found: dict[Sought, int] = {}

    def number(mention: Mention) -> int:
        return found.setdefault(sought(mention), len(found))

    must = tuple(number(each) for each in truth.must if each.phrase.strip())
    must_not = tuple(number(each) for each in truth.must_not if each.phrase.strip())
    expected = strict_form(truth.decision)
    is_value = bool(expected) and (truth.in_state or not must) and expected not in (YES, NO, UNCLEAR)
    labelled = not truth.in_state and (_REFUSAL.search(expected) or _DOUBT.search(expected))
    decision = number(Mention(truth.decision)) if is_value and not labelled else -1
    kinds = frozenset(each.value.kind for each in found if each.value is not None)
    return _Gold(tuple(found), must, must_not, decision, expected, kinds)


class _Said:
    def __init__(self, gold: _Gold, text: str) -> None:
        self.gold, self.text = gold, text
        values = quantities(text, gold.kinds) if gold.kinds else ()
        self.spans = [
            Span(start, end, key)
            for key, phrase in enumerate(gold.phrases)
            for start, end in phrase.found(text, values)
        ]
        self.rivals: list[str] = []
        if values and gold.decision >= 0:
            self._add_rivals(gold.phrases[gold.decision].rivals(values))
        self._reading: Reading | None = None
        self.lead, self.spoken = "", words(text)
        if _LEAD.match(text):
            self.lead, self.spoken = self.spoken[0], self.spoken[1:]
        self.by_key: dict[int, list[Item]] = {}
        if self.spans:
            self.spans.sort()
            for item in self.items(text):
                self.by_key.setdefault(item.key, []).append(item)

    def _add_rivals(self, rivals: Iterable[Value]) -> None:
        known = {span.start for span in self.spans}
        for value in rivals:
            if value.start not in known:
                self.spans.append(Span(value.start, value.start + len(value.text), RIVALS + len(self.rivals)))
                self.rivals.append(value.text.strip())

    @property
    def reading(self) -> Reading:
        if self._reading is None:
            self._reading = read(self.text, self.spans)
        return self._reading

    def items(self, text: str) -> Sequence[Item]:
        # Most responses are short and plain; skip the full reading when no word can change a phrase's force.
        if not bears_on_phrases(text, self.spoken):
            return [Item(*span, Force.AFFIRMED) for span in self.spans]
        return self.reading.phrases()

    def decision(self) -> str | None:
        # An opening yes or no that nothing later bears on needs no full reading.
        if self.lead and not decides(self.text, self.spoken):
            return self.lead
        return decide(self.reading)

    def said_of(self, key: int) -> Sequence[Item]:
        return self.by_key.get(key, ())

    def mentions(self, key: int) -> bool:
        """True if the phrase with this key is stated and not denied. The phrase of the decision must be affirmed."""
        if key == self.gold.decision:
            return self.affirms(key)
        return any(item.force in _MENTIONED for item in self.said_of(key))

    def affirms(self, key: int) -> bool:
        """True if the phrase with this key is affirmed. Past or reported phrases count if nothing contradicts them."""
        items = self.by_key.get(key)
        if items is None:
            return False
        forces = {item.force for item in items} if len(items) > 1 else (items[0].force,)
        if Force.AFFIRMED in forces:
            return len(self.by_key) == 1 or not self._is_undecided(key)
        return not YIELDS.isdisjoint(forces) and not self._is_outdone(key)

    def _is_undecided(self, key: int) -> bool:
        if len(self.by_key) < 2 or not any(self.is_flatly_affirmed(other) for other in self._rivals_of(key)):
            return False
        items = self.reading.items
        unknown = any(item.decides is Kind.UNKNOWN and is_unclear(item) for item in items)
        return unknown or (self.reading.asks and _WHICH.search(self.text) is not None)

    def _is_outdone(self, key: int) -> bool:
        if any(self.is_flatly_affirmed(other) for other in self._rivals_of(key)):
            return True
        if any(item.decides is Kind.UNKNOWN and is_unclear(item) for item in self.reading.items):
            return self.gold.decision >= 0
        first = min(item.start for item in self.said_of(key))
        turns = [at for at in self.reading.contrasts if at > first]
        if self.gold.decision < 0:
            return bool(turns)
        later = [item for other in self._rivals_of(key) for item in self.said_of(other)]
        return any(item.force in YIELDS and any(at < item.start for at in turns) for item in later)

    def is_flatly_affirmed(self, key: int) -> bool:
        return any(item.force is Force.AFFIRMED for item in self.said_of(key))

    def _rivals_of(self, key: int) -> Iterable[int]:
        """Return the keys of other phrases that, by the ground truth, answer the same question."""
        gold = self.gold
        if gold.decision >= 0:
            return [
                other
                for other in self.by_key
                if other != key and (other == gold.decision or other not in gold.must)
            ]
        kind = gold.kind(key)
        return [other for other in self.by_key if other != key and kind and gold.kind(other) == kind]

    def shows_evidence(self) -> bool:
        """True if all required phrases are affirmed, and phrases that a wrong answer would affirm are forbidden."""
        gold = self.gold
        return bool(gold.must and gold.must_not) and all(map(self.affirms, gold.must))

    def affirmed_rivals(self) -> list[str]:
        """Return the affirmed quantities that contradict the decision, in their original spelling."""
        if not self.rivals:
            return []
        told = [(text, RIVALS + number) for number, text in enumerate(self.rivals)]
        return [text for text, key in told if self.affirms(key) and not self._is_another_matter(key)]

    def _is_another_matter(self, key: int) -> bool:
        if not self.is_flatly_affirmed(self.gold.decision):
            return False
        item = self.said_of(key)[0]
        before = _SENTENCE.split(self.text[: item.start])[-1]
        after = _SENTENCE.split(self.text[item.end :], maxsplit=1)[0]
        return _OTHER_MATTER.search(f"{before} … {after}") is not None


Decide = Callable[[_Said], tuple[str | None, bool]]


def _decisions(truth: Truth, gold: _Gold) -> Decide:
    expected = gold.expected
    if expected in (YES, NO, UNCLEAR):
        return lambda said: _yes_or_no(said, expected)
    if gold.decision >= 0:
        return lambda said: _given(expected, said.affirms(gold.decision) and not said.affirmed_rivals())
    if not truth.in_state and _REFUSAL.search(expected):
        return lambda said: _given(expected, refuses(said.reading) or said.decision() == NO)
    if not truth.in_state and _DOUBT.search(expected):
        return lambda said: _given(expected, _is_in_doubt(said))
    return lambda said: _given(expected, _has_evidence(said))


def _given(expected: str, right: bool) -> tuple[str | None, bool]:
    return (expected, True) if right else (None, False)


def _yes_or_no(said: _Said, expected: str) -> tuple[str | None, bool]:
    decided = said.decision()
    if decided is None and said.shows_evidence():
        decided = expected
    return (None if decided == BOTH else decided), decided == expected


def _is_in_doubt(said: _Said) -> bool:
    unclear = any(map(is_unclear, said.reading.items))
    return unclear or (said.reading.asks and _TO_READER.search(said.text) is not None)


def _has_evidence(said: _Said) -> bool:
    opening = _OPENING.match(said.gold.expected)
    opposite = {YES: NO, NO: YES}[opening[1]] if opening else None
    return all(map(said.affirms, said.gold.must)) and (opposite is None or said.decision() != opposite)


def _reason(verdict: Verdict, said: _Said, was_cut: bool) -> str:
    if not verdict.response.strip():
        return "there is no response"
    parts = [f"only its first {MAX_WORDS} words are graded"] if was_cut else []
    if not verdict.correct:
        parts += _wrong(verdict, said)
    missed = [
        said.gold.phrases[key] for key, hit in zip(said.gold.must, verdict.hits, strict=True) if not hit
    ]
    if missed:
        parts.append("it does not mention " + ", ".join(repr(each.text) for each in missed))
    for kind, mentions in verdict.kinds.items():
        parts.append(f"it affirms {', '.join(map(repr, mentions))} ({kind})")
    return "; ".join(parts)


def _wrong(verdict: Verdict, said: _Said) -> Iterable[str]:
    gold = said.gold
    if gold.expected in (YES, NO, UNCLEAR):
        decided = said.decision()
        if decided == BOTH:
            yield "it says both yes and no"
        elif decided is None:
            yield (
                "it only asks"
                if said.reading.asks
                else f"it makes no decision where the answer is {gold.expected!r}"
            )
        elif decided != gold.expected:
            yield f"it says {decided!r} where the answer is {gold.expected!r}"
    elif gold.decision >= 0:
        yield from _wrong_value(said)
    elif not verdict.kinds:
        yield f"it does not express the decision {verdict.truth.decision!r}"


def _wrong_value(said: _Said) -> Iterable[str]:
    gold = said.gold
    wanted = gold.phrases[gold.decision].text
    if rivals := said.affirmed_rivals():
        if said.affirms(gold.decision):
            yield f"it affirms both {wanted!r} and {', '.join(map(repr, rivals))}"
        else:
            yield f"it affirms {', '.join(map(repr, rivals))} and not {wanted!r}"
    elif items := said.said_of(gold.decision):
        if not said.affirms(gold.decision):
            yield f"it {_HOW[items[-1].force]} {wanted!r}"
    elif any(map(is_unclear, said.reading.items)):
        yield "it says that the answer is unknown or withheld"
    else:
        yield f"it does not state {wanted!r}"
