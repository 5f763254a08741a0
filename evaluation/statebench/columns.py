"""What a board shows of StateBench: every figure, how to read it, and which way is better."""

from __future__ import annotations

from evaluation.core.suite import Column, Unranked

HEADLINE = "Headline"
ERRORS = "Kinds of error"
COST = "Cost"
RELEASED = "By the released judge, 1.0"

COLUMNS: tuple[Column, ...] = (
    Column(
        "decision_accuracy",
        "Decision accuracy",
        "The decision is right: the headline.",
        headline=True,
        section=HEADLINE,
    ),
    Column(
        "sfrr",
        "SFRR",
        "Superseded fact resurfacing rate: queries that bring such a fact back, of those that are answered and could; "
        "under rubric 1.0 of all.",
        better="lower",
        per_row="sfrr",
        section=HEADLINE,
    ),
    Column(
        "must_mention_rate",
        "Must mention",
        "Of the facts that a response has to mention: those it mentions.",
        section=HEADLINE,
    ),
    Column(
        "must_not_mention_violation_rate",
        "Must not mention",
        "Of the facts that a response must not mention: those it mentions.",
        better="lower",
        section=HEADLINE,
    ),
    Column("answered_rate", "Answered", "Queries that have a response with a word in it.", section=HEADLINE),
    Column(
        "leakage_rate",
        "Leakage",
        "Queries that give restricted facts away.",
        better="lower",
        per_row="leakage",
        section=ERRORS,
    ),
    Column(
        "fabrication_rate",
        "Fabrication",
        "Queries answered with invented facts.",
        better="lower",
        per_row="fabrication",
        section=ERRORS,
    ),
    Column(
        "false_refusal_rate",
        "False refusal",
        "Permitted facts held back by a refusal.",
        better="lower",
        section=ERRORS,
    ),
    Column(
        "false_supersession_rate",
        "False supersession",
        "Valid facts taken for dead.",
        better="lower",
        per_row="false_supersession",
        section=ERRORS,
    ),
    Column("detection_rate", "Detection", "Changes that were only said, and noticed.", section=ERRORS),
    Column(
        "cost_weighted_score",
        "Cost-weighted",
        "Right answers, weighted by what an error would cost.",
        section=COST,
    ),
    Column(
        "avg_tokens",
        "Tokens",
        "Mean of what the lines report as tokens_used; a line that reports nothing counts the words of its response.",
        better="lower",
        format="count",
        per_row="tokens",
        section=COST,
    ),
    Column(
        "sfrr_1_0",
        "SFRR 1.0",
        "By the judge of statebench 1.0, over all queries.",
        better="lower",
        section=RELEASED,
    ),
    Column(
        "decision_accuracy_1_0",
        "Decision accuracy 1.0",
        "By the judge of statebench 1.0, quoted verbatim.",
        section=RELEASED,
    ),
    Column(
        "must_mention_rate_1_0",
        "Must mention 1.0",
        "By the judge of statebench 1.0, as substrings.",
        section=RELEASED,
    ),
    Column(
        "must_not_mention_violation_rate_1_0",
        "Must not mention 1.0",
        "By the judge of statebench 1.0, as substrings.",
        better="lower",
        section=RELEASED,
    ),
)
TIE_BREAKER = Column(
    "spared_rate",
    "Spared",
    "Queries answered without bringing a superseded fact back, of all that could: 1 − SFRR where all are answered.",
)
#: Strategies build a context and send it as their answer: nobody decides, and what the grader reads as a decision is
#: what the text happens to say. So they are shown by what their contexts hold (`strategies.measure`).
UNRANKED = {
    "strategy": Unranked(
        reason="no model decides",
        title="Strategies without a model",
        about="A strategy without a model decides nothing: it answers with the context that it would show a model.",
        measures=(
            Column(
                "coverage", "Coverage", "Of the phrases that an answer has to mention: those in the context."
            ),
            Column(
                "live_values", "Live facts shown", "Of the values of facts that hold: those in the context."
            ),
            Column(
                "dead_values",
                "Dead facts shown",
                "Of the values of superseded facts: those in the context.",
                better="lower",
            ),
            Column(
                "resurrection",
                "Resurrection",
                "Queries whose context holds a phrase that an answer must not mention.",
                better="lower",
            ),
            Column(
                "tokens_mean",
                "Tokens",
                "Mean length of a context, in tokens.",
                better="lower",
                format="count",
            ),
        ),
        columns=(
            "sfrr",
            "must_mention_rate",
            "must_not_mention_violation_rate",
            "leakage_rate",
            "avg_tokens",
        ),
    ),
}
