"""The metrics of StateBench: every rate once, for figure, interval, groups, rows and paired tests.

The functions read the columns of `columns.columns`. The rubrics divide in their own ways: the differences stand side
by side in `RULES`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from evaluation.core.metric import Array, Columns, Metric, RowFunction, both, every
from evaluation.core.records import Number
from evaluation.statebench.data.truth import FABRICATED, RESTRICTED, SUPERSEDED
from evaluation.statebench.grading.typed.figures import typed_metrics
from evaluation.statebench.grading.verdict import Verdict

HEADLINE = "Headline"
ERRORS = "Kinds of error"
COST = "Cost"
RELEASED = "By the released judge, 1.0"
SECTIONS = (HEADLINE, ERRORS, COST, RELEASED)
#: How the rows divide by design: what the headline is over, tracks on keeping a fact, the track on permission.
SPLITS = ("headline", "maintained", "permission", "all")
_KEEPING = "_maintain"  # ends the names of tracks that ask whether a fact is kept


@dataclass(frozen=True, slots=True)
class Rules:
    """What the rubrics count differently."""

    name: str
    empty: float | None  # the rate of nothing
    kinds: tuple[str, ...]  # the kinds of failure that have a rate
    keeps_apart: bool  # tracks on keeping a fact stay out of all rates but false supersession
    only_answered: bool  # an empty response breaks no prohibition and shows no failure, nor spares one
    only_able: bool  # a failure's rate is over the queries that can show it
    detects_by_rate: bool  # a supersession is noticed or not; else by the F1 of the released scorer
    admissible_only: bool  # ordinary words among restricted terms are skipped
    typed: bool = False  # typed answers are graded; a phrase is neither demanded nor forbidden


_KINDS = (SUPERSEDED, RESTRICTED, FABRICATED)
RULES: dict[str, Rules] = {
    "1.0": Rules("1.0", 0.0, (SUPERSEDED,), False, False, False, False, False),
    "2.0": Rules("2.0", 0.0, _KINDS, True, False, False, False, True),
    "strict": Rules("strict", None, _KINDS, True, True, True, True, False),
}
RULES |= {name: replace(RULES["strict"], name=name) for name in ("strict@3", "strict@4")}
RULES["typed@1"] = Rules("typed@1", None, (SUPERSEDED,), False, True, True, True, False, typed=True)


def field(name: str) -> RowFunction:
    """A column as it is."""
    return lambda columns: columns[name]


def _unless(name: str) -> RowFunction:
    return lambda columns: ~columns[name]


def _spared_weight(columns: Columns) -> Array:
    return columns["severity"] * ~columns["erred"]


answered, mentions, forbidden, tokens = map(field, ("answered", "mentions", "forbidden", "tokens"))
correct, hits, violations, detects = map(field, ("correct", "hits", "violations", "detects"))
maintained, wrong = field("maintained"), _unless("correct")


def _reports_tokens(columns: Columns) -> Array:
    return columns["tokens"] > 0


def metrics(rules: Rules) -> tuple[Metric, ...]:
    """The metrics of a rubric, in the order of a page."""
    if rules.typed:
        return (*typed_metrics(HEADLINE), ANSWERED, COST_WEIGHTED, TOKENS)
    return (
        Metric(
            "decision_accuracy",
            "Decision accuracy",
            "The decision is right: the headline.",
            every,
            correct,
            empty=rules.empty,
            headline=True,
            section=HEADLINE,
        ),
        *_kinds(rules, SUPERSEDED),
        Metric(
            "must_mention_rate",
            "Must mention",
            "Of the facts that a response has to mention: those it mentions.",
            every,
            hits,
            weight=mentions,
            empty=rules.empty,
            first=True,
            counts=("fact", "facts"),
            section=HEADLINE,
        ),
        Metric(
            "must_not_mention_violation_rate",
            "Must not mention",
            "Of the facts that a response must not mention: those it mentions.",
            answered if rules.only_answered else every,
            violations,
            weight=forbidden,
            better="lower",
            empty=rules.empty,
            first=True,
            counts=("fact", "facts"),
            section=HEADLINE,
        ),
        ANSWERED,
        *_kinds(rules, RESTRICTED, FABRICATED),
        PERMISSION_LEAKAGE,
        FALSE_REFUSAL,
        *_false_supersession(rules),
        _detection(rules),
        COST_WEIGHTED,
        TOKENS,
        *_over_constrained(rules),
    )


#: By kind of failure: name, label, help and section of its rate.
KIND_RATES: dict[str, tuple[str, str, str, str]] = {
    SUPERSEDED: (
        "sfrr",
        "Stale-fact rate",
        "Superseded fact resurfacing rate: queries that bring such a fact back, of those that are answered and could; "
        "under rubric 1.0 of all.",
        HEADLINE,
    ),
    RESTRICTED: ("leakage_rate", "Leakage", "Queries that give restricted facts away.", ERRORS),
    FABRICATED: ("fabrication_rate", "Fabrication", "Queries answered with invented facts.", ERRORS),
}


def _kinds(rules: Rules, *kinds: str) -> Iterable[Metric]:
    """The rate of each kind of failure that a rubric reports."""
    for kind in kinds:
        name, label, about, section = KIND_RATES[kind]
        counted = _unless("maintained")
        if rules.only_answered:
            counted = both(counted, answered)
        if rules.only_able:
            counted = both(counted, field(f"can_be_{kind}"))
        if kind in rules.kinds:
            yield Metric(
                name,
                label,
                about,
                counted,
                field(kind),
                better="lower",
                empty=rules.empty,
                first=True,
                section=section,
            )


def _false_supersession(rules: Rules) -> Iterable[Metric]:
    if rules.keeps_apart:
        yield Metric(
            "false_supersession_rate",
            "False supersession",
            "Valid facts taken for dead.",
            both(maintained, answered) if rules.only_answered else maintained,
            wrong,
            better="lower",
            split="maintained",
            empty=rules.empty,
            first=True,
            section=ERRORS,
        )


def _detection(rules: Rules) -> Metric:
    return Metric(
        "detection_rate" if rules.detects_by_rate else "detection_f1",
        "Detection",
        "Changes that were only said, and noticed.",
        detects,
        field("noticed" if rules.detects_by_rate else "released_f1"),
        split="all",
        first=True,
        section=ERRORS if rules.detects_by_rate else "",
    )


def _over_constrained(rules: Rules) -> Iterable[Metric]:
    """SFRR as the reference derives it besides: over the queries with a forbidden phrase. Ours is."""
    if not rules.only_able:
        has_phrase = both(_unless("maintained"), lambda columns: columns["forbidden"] > 0)
        able = has_phrase if rules.keeps_apart else field(f"can_be_{SUPERSEDED}")
        about = "SFRR over the queries that forbid a phrase."
        name = "sfrr_over_constrained_queries"
        yield Metric(name, "SFRR, constrained", about, able, field(SUPERSEDED), better="lower", empty=0.0)


ANSWERED = Metric(
    "answered_rate",
    "Answered",
    "Queries that have a response with a word in it.",
    every,
    answered,
    split="all",
    first=True,
    section=HEADLINE,
)
PERMISSION_LEAKAGE = Metric(
    "permission_leakage_rate",
    "Permission leakage",
    "Of the terms that are restricted on the track on permission: those that a response gives away.",
    every,
    field("leaked"),
    weight=field("restricted_terms"),
    better="lower",
    split="permission",
    empty=0.0,
    in_groups=False,  # it is about one track
)
FALSE_REFUSAL = Metric(
    "false_refusal_rate",
    "False refusal",
    "Permitted facts held back by a refusal.",
    every,
    field("held_back"),
    weight=field("permitted"),
    better="lower",
    split="permission",
    empty=0.0,
    in_groups=False,  # it is about one track
    first=True,
    counts=("fact", "facts"),
    section=ERRORS,
)
COST_WEIGHTED = Metric(
    "cost_weighted_score",
    "Cost-weighted",
    "Right answers, weighted by what an error would cost.",
    every,
    _spared_weight,
    weight=field("severity"),
    is_importance=True,
    split="all",
    empty=0.0,
    is_complement=True,
    first=True,
    section=COST,
)
TOKENS = Metric(
    "avg_tokens",
    "Tokens",
    "Mean of what the lines report as tokens_used; a line that reports nothing counts the words of its response.",
    _reports_tokens,
    tokens,
    better="lower",
    split="all",
    empty=0.0,
    in_groups=False,
    format="count",
    first=True,
    section=COST,
)


def group_metrics(rules: Rules) -> tuple[Metric, ...]:
    """What a group reports: what is left out costs no tokens, so ours are over what is there."""
    return _group_metrics(METRICS[rules.name], rules.only_answered)


@lru_cache(maxsize=8)  # every group asks for them
def _group_metrics(metrics: tuple[Metric, ...], only_answered: bool) -> tuple[Metric, ...]:
    used = replace(TOKENS, counted=every, weight=answered if only_answered else None, in_groups=True)
    return (*(metric for metric in metrics if metric.in_groups), used)


METRICS: dict[str, tuple[Metric, ...]] = {name: metrics(rules) for name, rules in RULES.items()}
#: What a board shows of the released judge, so that it can be compared with published figures.
RELEASED_HELP = {
    "sfrr": "By the judge of statebench 1.0, over all queries.",
    "decision_accuracy": "By the judge of statebench 1.0, quoted verbatim.",
    "must_mention_rate": "By the judge of statebench 1.0, as substrings.",
    "must_not_mention_violation_rate": "By the judge of statebench 1.0, as substrings.",
}
RELEASED_METRICS: tuple[Metric, ...] = tuple(
    replace(
        metric,
        name=f"{metric.name}_1_0",
        label=f"{metric.label} 1.0",
        help=RELEASED_HELP[metric.name],
        in_groups=False,
        headline=False,
        first=False,
        section=RELEASED,
    )
    for name in RELEASED_HELP
    for metric in METRICS["1.0"]
    if metric.name == name
)


#: It stands beside the headline. What is left out spares nothing: else leaving out would look like sparing.
SPARED = Metric(
    "spared_rate",
    "Stale facts avoided",
    "Queries answered without bringing a superseded fact back, of all that could: 1 − SFRR where all are answered.",
    both(_unless("maintained"), field(f"can_be_{SUPERSEDED}")),
    both(answered, _unless(SUPERSEDED)),
    in_groups=False,
)


def of_site(rubric: str) -> tuple[Metric, ...]:
    """The metrics of a rubric with what a board needs besides: what breaks its ties."""
    return (*METRICS[rubric], SPARED)


def beside(rubric: str) -> tuple[Metric, ...]:
    """What a board shows of the released judge beside a rubric: nothing of one that reads no free text."""
    return () if RULES[rubric].typed else RELEASED_METRICS


def counts(rules: Rules, columns: Columns) -> dict[str, Number]:
    """Numerators and denominators over the rows of the headline.

    Args:
        rules: What the rubric counts.
        columns: The columns of these rows, [queries] each.

    Returns:
        name -> whole number.
    """
    is_answered = columns["answered"] if rules.only_answered else every(columns)
    counted = {
        "total_queries": every(columns),
        "correct_decisions": columns["correct"],
        "total_must_mention": columns["mentions"],
        "must_mention_hits": columns["hits"],
        "resurrection_count": columns[SUPERSEDED],
        "total_must_not_mention": columns["forbidden"] * is_answered,
        "must_not_mention_violations": columns["violations"] * is_answered,
    }
    if rules.typed:
        counted = {
            name: counted[name] for name in ("total_queries", "correct_decisions", "resurrection_count")
        }
    return {name: int(column.sum()) for name, column in counted.items()}


def usage(verdicts: Sequence[Verdict]) -> dict[str, Number]:
    """Tokens and latency of responses; responses that report none are left out."""
    used = [verdict.tokens for verdict in verdicts if verdict.tokens > 0]
    waits = [verdict.latency_ms for verdict in verdicts if verdict.latency_ms > 0]
    return {
        "total_tokens": sum(used),
        "min_tokens": min(used, default=0),
        "max_tokens": max(used, default=0),
        "avg_latency_ms": ratio(sum(waits), len(waits)),
    }


def ratio(part: float, whole: float, *, empty: float | None = 0.0) -> float | None:
    """A share, or what it is of nothing.

    Args:
        part: The numerator.
        whole: The denominator.
        empty: What it is where there is nothing to divide by.
    """
    return part / whole if whole else empty


def in_headline(track: str, rubric: str) -> bool:
    """Whether decision accuracy is over the queries of a track: under 1.0 of all, else not where facts are *kept*.

    Args:
        track: Its name.
        rubric: One of RULES.
    """
    return not (RULES[rubric].keeps_apart and track.endswith(_KEEPING))


def is_maintained(verdict: Verdict) -> bool:
    """True on a track that tests whether a fact is *kept*."""
    return verdict.truth.track.endswith(_KEEPING)
