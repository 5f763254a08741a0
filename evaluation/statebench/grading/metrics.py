"""The metrics of StateBench, computed from the arrays of `columns`. `RULES` lists how the rubrics differ."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from evaluation.core.metric import Columns, Metric, RowFunction, both, every
from evaluation.core.records import Number
from evaluation.statebench.data.truth import FABRICATED, RESTRICTED, SUPERSEDED
from evaluation.statebench.grading.typed.figures import field, typed_metrics
from evaluation.statebench.grading.verdict import Verdict

HEADLINE = "Headline"
ERRORS = "Kinds of error"
COST = "Cost"
RELEASED = "By the judge of statebench 1.0"
SECTIONS = (HEADLINE, ERRORS, COST, RELEASED)
#: Splits of the rows: those of the headline, tracks on keeping a fact, the permission track, all.
SPLITS = ("headline", "maintained", "permission", "all")
_KEEPING = "_maintain"  # suffix of tracks on keeping a fact


@dataclass(frozen=True, slots=True)
class Rules:
    name: str
    empty: float | None  # a rate without rows
    kinds: tuple[str, ...]  # kinds of failure with a rate
    keeps_apart: bool  # tracks on keeping a fact count only for false supersession
    only_answered: bool  # an empty response is excluded from rates of failures
    only_able: bool  # a failure's rate is over the queries that can show it
    detects_by_rate: bool  # detection is a rate; else the F1 of the released scorer
    admissible_only: bool  # ordinary words among restricted terms are skipped
    typed: bool = False  # typed answers are graded, without required or forbidden phrases


_KINDS = (SUPERSEDED, RESTRICTED, FABRICATED)
RULES: dict[str, Rules] = {
    "1.0": Rules("1.0", 0.0, (SUPERSEDED,), False, False, False, False, False),
    "2.0": Rules("2.0", 0.0, _KINDS, True, False, False, False, True),
    "strict": Rules("strict", None, _KINDS, True, True, True, True, False),
}
RULES |= {name: replace(RULES["strict"], name=name) for name in ("strict@3", "strict@4")}
RULES["typed@1"] = Rules("typed@1", None, (SUPERSEDED,), False, True, True, True, False, typed=True)


def _unless(name: str) -> RowFunction:
    return lambda columns: ~columns[name]


answered, mentions, forbidden, tokens = map(field, ("answered", "mentions", "forbidden", "tokens"))
correct, hits, violations, detects = map(field, ("correct", "hits", "violations", "detects"))
maintained, wrong = field("maintained"), _unless("correct")


def metrics(rules: Rules) -> tuple[Metric, ...]:
    if rules.typed:
        return (*typed_metrics(HEADLINE), ANSWERED, COST_WEIGHTED, TOKENS)
    return (
        Metric(
            "decision_accuracy",
            "Decision accuracy",
            "Share of queries with the right decision. The headline metric.",
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
            "Share of the required facts that responses mention.",
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
            "Share of the forbidden facts that responses mention.",
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


#: Kind of failure -> name, label, help and section of its rate.
KIND_RATES: dict[str, tuple[str, str, str, str]] = {
    SUPERSEDED: (
        "sfrr",
        "Stale-fact rate",
        "Superseded fact resurfacing rate: share of responses that bring a superseded fact back, among answered "
        "queries where this can happen (under rubric 1.0: all queries).",
        HEADLINE,
    ),
    RESTRICTED: (
        "leakage_rate",
        "Leakage",
        "Share of queries whose response reveals restricted facts.",
        ERRORS,
    ),
    FABRICATED: ("fabrication_rate", "Fabrication", "Share of queries whose response invents facts.", ERRORS),
}


def _kinds(rules: Rules, *kinds: str) -> Iterable[Metric]:
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
            "Share of queries whose response treats a valid fact as superseded.",
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
        (
            "Of the queries about a change that is only mentioned in conversation, the share whose response states the "
            "new value and not the old one."
            if rules.detects_by_rate
            else "Mean F1 of the released scorer over the queries about a change that is only mentioned in "
            "conversation."
        ),
        detects,
        field("noticed" if rules.detects_by_rate else "released_f1"),
        split="all",
        first=True,
        section=ERRORS if rules.detects_by_rate else "",
    )


def _over_constrained(rules: Rules) -> Iterable[Metric]:
    if not rules.only_able:
        has_phrase = both(_unless("maintained"), lambda columns: columns["forbidden"] > 0)
        able = has_phrase if rules.keeps_apart else field(f"can_be_{SUPERSEDED}")
        about = "Stale-fact rate over the queries with a forbidden phrase."
        name = "sfrr_over_constrained_queries"
        yield Metric(
            name, "Stale-fact rate, constrained", about, able, field(SUPERSEDED), better="lower", empty=0.0
        )


ANSWERED = Metric(
    "answered_rate",
    "Answered",
    "Share of queries with a non-empty response.",
    every,
    answered,
    split="all",
    first=True,
    section=HEADLINE,
)
PERMISSION_LEAKAGE = Metric(
    "permission_leakage_rate",
    "Permission leakage",
    "Share of the restricted terms on the permission track that responses reveal.",
    every,
    field("leaked"),
    weight=field("restricted_terms"),
    better="lower",
    split="permission",
    empty=0.0,
    in_groups=False,  # concerns one track only
)
FALSE_REFUSAL = Metric(
    "false_refusal_rate",
    "False refusal",
    "Share of permitted facts withheld by a refusal.",
    every,
    field("held_back"),
    weight=field("permitted"),
    better="lower",
    split="permission",
    empty=0.0,
    in_groups=False,  # concerns one track only
    first=True,
    counts=("fact", "facts"),
    section=ERRORS,
)
COST_WEIGHTED = Metric(
    "cost_weighted_score",
    "Cost-weighted",
    "Right answers, weighted by the cost of an error.",
    every,
    lambda columns: columns["severity"] * ~columns["erred"],
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
    "Mean of tokens_used. For a line without this field, the words of the response are counted.",
    lambda columns: columns["tokens"] > 0,
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
    """Return the metrics of a group of queries, such as a track.

    Under our rubrics the mean of tokens excludes missing responses, which cost nothing.
    """
    return _group_metrics(METRICS[rules.name], rules.only_answered)


@lru_cache(maxsize=8)  # called for every group
def _group_metrics(metrics: tuple[Metric, ...], only_answered: bool) -> tuple[Metric, ...]:
    used = replace(TOKENS, counted=every, weight=answered if only_answered else None, in_groups=True)
    return (*(metric for metric in metrics if metric.in_groups), used)


METRICS: dict[str, tuple[Metric, ...]] = {name: metrics(rules) for name, rules in RULES.items()}
#: Metrics of the released judge on a board, for comparison with published results.
RELEASED_HELP = {
    "sfrr": "The stale-fact rate by the judge of statebench 1.0, over all queries.",
    "decision_accuracy": "By the judge of statebench 1.0: the response quotes the right decision.",
    "must_mention_rate": "By the judge of statebench 1.0: phrases are matched as substrings.",
    "must_not_mention_violation_rate": "By the judge of statebench 1.0: phrases are matched as substrings.",
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


#: Shown beside the headline. An unanswered query does not count as avoiding a stale fact.
SPARED = Metric(
    "spared_rate",
    "Stale facts avoided",
    "Share of queries answered without a superseded fact, among all queries where one can come back. Equals "
    "1 − stale-fact rate if all are answered.",
    both(_unless("maintained"), field(f"can_be_{SUPERSEDED}")),
    both(answered, _unless(SUPERSEDED)),
    in_groups=False,
)


def site_metrics(rubric: str) -> tuple[Metric, ...]:
    return (*METRICS[rubric], SPARED)


def beside(rubric: str) -> tuple[Metric, ...]:
    """Return the metrics of the released judge, shown for comparison. Empty for a typed rubric."""
    return () if RULES[rubric].typed else RELEASED_METRICS


def counts(rules: Rules, columns: Columns) -> dict[str, Number]:
    """Count integer numerators and denominators over the queries of the headline.

    Args:
        columns: Columns of these rows, [queries] each.
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
    used = [verdict.tokens for verdict in verdicts if verdict.tokens > 0]
    waits = [verdict.latency_ms for verdict in verdicts if verdict.latency_ms > 0]
    return {
        "total_tokens": sum(used),
        "min_tokens": min(used, default=0),
        "max_tokens": max(used, default=0),
        "avg_latency_ms": ratio(sum(waits), len(waits)),
    }


def ratio(part: float, whole: float, *, empty: float | None = 0.0) -> float | None:
    return part / whole if whole else empty


def in_headline(track: str, rubric: str) -> bool:
    """True if a track counts in the headline. Some rubrics exclude tracks whose name ends in "_maintain"."""
    return not (RULES[rubric].keeps_apart and track.endswith(_KEEPING))
