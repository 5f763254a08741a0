"""Rubrics: sets of grading rules, with one field per rule. Versions from revision 4 on use `strict@4`."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import asdict, dataclass, replace
from typing import Any

from evaluation.core.checks import Checks
from evaluation.core.errors import UnknownNameError
from evaluation.core.files.version_files import AnswerForm
from evaluation.goldevidence.data.answers import NULL_WORD, Answer, answer_form, in_plain_form
from evaluation.goldevidence.data.ledger import AUTHORITATIVE


@dataclass(frozen=True, slots=True)
class Rubric:
    """Grading rules that can differ between rubrics. The defaults are those of `strict`."""

    name: str  # revisions of a rubric share its metrics
    revision: int
    #: A missing prediction is wrong even if the gold is null, entails nothing and makes no pair.
    missing_is_wrong: bool = True
    unread_is_wrong: bool = True  # a prediction without a readable answer is wrong in the same way
    null_word_is_null: bool = True  # the word "null" as a value is null
    citing_nothing_entails: bool = False  # an empty citation entails null even if the gold has lines to cite
    pairs_ask_the_same: bool = True  # both questions of a twin pair have to be the same
    flips_are_correct: bool = True  # a flip counts if both answers are right, not if they merely differ
    override_is_wrong: bool = True  # an instruction counts as followed only if it asks for a wrong value
    bloat_before_cut: bool = True  # all citations count as bloat, not only the first k
    empty_equals_empty: bool = True  # no gold line and no citation is F1 1, not 0
    reports_from_latest: bool = True  # `reports` reads the latest cited entry of each key, not all of them
    shows_book: bool = True  # citations are looked up in the book's ledger, not in the episode log
    notes_violate: bool = True  # an answer that cites a NOTE is never exact
    gold_has_authority: bool = True  # a gold line that is a NOTE gives way to the latest authoritative line
    markers_count: bool = True  # a line without a marker establishes nothing; if it comes last, null is right
    each_line_once: bool = True  # citing a line twice is citing it once
    nothing_is_zero: bool = False  # value_acc and exact_acc of no rows are 0, not "not applicable"
    any_form: bool = False  # answers that differ only in form are equal: see `data.forms`

    @property
    def answer_form(self) -> AnswerForm:
        return answer_form(any_form=self.any_form)

    def is_silence(self, answer: Answer) -> bool:
        """True if a prediction is no answer: it says why there is none, or (in some rubrics) it cannot be read."""
        return answer.state is not None or (self.unread_is_wrong and not answer.parsed)

    def as_counted(
        self,
        answer: Answer | None,
        key: str,
        holds: Container[str],
        values: Callable[[], Container[str | None]],
    ) -> Answer | None:
        """Return the answer as graded; None for a missing prediction. For `holds` and `values` see `in_plain_form`."""
        if answer is None:
            return None
        if self.any_form:
            answer = in_plain_form(answer, key, holds, values)
        if answer.value != NULL_WORD or not self.null_word_is_null:
            return answer
        return answer.without_null_word

    def establishes(self, op: str) -> bool:
        """True if a line with this operation may change state."""
        return op in AUTHORITATIVE if self.markers_count else op != "NOTE"


_REFERENCE = Rubric(
    name="reference",
    revision=1,
    missing_is_wrong=False,
    unread_is_wrong=False,
    null_word_is_null=False,
    citing_nothing_entails=True,
    pairs_ask_the_same=False,
    flips_are_correct=False,
    override_is_wrong=False,
    bloat_before_cut=False,
    empty_equals_empty=False,
    reports_from_latest=False,
    shows_book=False,
    notes_violate=False,
    gold_has_authority=False,
    markers_count=False,
    each_line_once=False,
    nothing_is_zero=True,
)
_STRICT = Rubric(name="strict", revision=3)
RUBRICS: dict[str, Rubric] = {
    "reference": _REFERENCE,
    "strict": _STRICT,
    "strict@4": replace(_STRICT, revision=4, any_form=True),
}
DEFAULT_RUBRIC = "strict@4"
DEFAULT_SUPPORT_K = 3
CITATIONS = ("auto", "on", "off")
SUPPORT_METRICS = ("f1", "exact")


@dataclass(frozen=True, slots=True)
class Options:
    """Options of grading. Raises SettingsError with every invalid option."""

    rubric: str = DEFAULT_RUBRIC
    citations: str = "auto"  # auto: if the row asks for them
    support_metric: str = "f1"  # f1: all gold lines are cited; exact: these and no others
    max_support_k: int = DEFAULT_SUPPORT_K  # citations after the first k do not count
    entailment: bool = True  # an exact answer has to follow from its citations

    def __post_init__(self) -> None:
        if not isinstance(self.rubric, str) or self.rubric not in RUBRICS:
            raise UnknownNameError("rubric", str(self.rubric), RUBRICS)
        checks = Checks(self)
        checks.one_of("citations", CITATIONS)
        checks.one_of("support_metric", SUPPORT_METRICS)
        checks.integer("max_support_k", 1, 10_000)
        checks.boolean("entailment")
        checks.done()

    @property
    def rules(self) -> Rubric:
        return RUBRICS[self.rubric]

    def requires(self, asked: bool) -> bool:
        """True if an answer must cite; `asked` says whether the row asks for citations."""
        match self.citations:
            case "on":
                return True
            case "off":
                return False
            case _:
                return asked

    def as_dict(self) -> dict[str, Any]:
        """Return the options and the rubric's revision as JSON data, from which a result can be reproduced."""
        return asdict(self) | {"revision": self.rules.revision}
