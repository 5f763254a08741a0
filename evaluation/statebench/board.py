"""What a board shows of StateBench: every figure, how to read it, and which way is better."""

from __future__ import annotations

from evaluation.suites import Column

COLUMNS: tuple[Column, ...] = (
    Column("decision_accuracy", "Decision", "The decision is right: the headline.", headline=True),
    Column(
        "sfrr",
        "SFRR",
        "Superseded facts brought back, of the queries that could show it.",
        better="lower",
        per_row="sfrr",
    ),
    Column("must_mention_rate", "Must mention", "Required facts that are mentioned."),
    Column(
        "must_not_mention_violation_rate",
        "Must not mention",
        "Forbidden facts that are mentioned.",
        better="lower",
    ),
    Column(
        "leakage_rate",
        "Leakage",
        "Queries that give restricted facts away.",
        better="lower",
        per_row="leakage",
    ),
    Column(
        "fabrication_rate",
        "Fabrication",
        "Queries answered with invented facts.",
        better="lower",
        per_row="fabrication",
    ),
    Column("false_refusal_rate", "False refusal", "Permitted facts held back by a refusal.", better="lower"),
    Column(
        "false_supersession_rate",
        "False supersession",
        "Valid facts taken for dead.",
        better="lower",
        per_row="false_supersession",
    ),
    Column("detection_rate", "Detection", "Changes that were only said, and noticed."),
    Column("cost_weighted_score", "Cost-weighted", "Right answers, weighted by what an error would cost."),
    Column("answered_rate", "Answered", "Queries that have a response."),
    Column(
        "avg_tokens", "Tokens", "Mean tokens of a response.", better="lower", format="count", per_row="tokens"
    ),
    Column("sfrr_1_0", "SFRR 1.0", "By the judge of statebench 1.0, over all queries.", better="lower"),
    Column("decision_accuracy_1_0", "Decision 1.0", "By the judge of statebench 1.0, quoted verbatim."),
    Column("must_mention_rate_1_0", "Must mention 1.0", "By the judge of statebench 1.0, as substrings."),
    Column(
        "must_not_mention_violation_rate_1_0",
        "Must not mention 1.0",
        "By the judge of statebench 1.0, as substrings.",
        better="lower",
    ),
)
