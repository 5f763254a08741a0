"""The words that every page of the site uses, whatever the benchmark. Suites bring their own (`Display.terms`)."""

from __future__ import annotations

from evaluation.core.plugin.examples import Term
from evaluation.core.statistics import KEEP

TERMS = (
    Term("System", "What is tested: a language model, or a model with what is built around it."),
    Term(
        "Version",
        "A benchmark made fixed: its questions, right answers and grader under one SHA-256. Nobody can change it.",
    ),
    Term("Unit", "What is drawn by itself, such as an episode. Questions of one unit share a text."),
    Term("Split", "The questions of a version that are asked in one way, or in one kind of situation."),
    Term("Headline", "The figure that a board is ordered by."),
    Term(
        "Interval",
        "How far a figure could be off: in 95 of 100 versions made in the same way, the 95% interval holds the true "
        "figure.",
    ),
    Term(
        "Rank range",
        "The ranks that a system may have, such as 2–5. All ranges of a board hold together in 95% of versions.",
    ),
    Term("Tied", "Two systems whose rank ranges overlap: the figures do not show which is better."),
    Term("Can still be the best", "No other system is shown to be better."),
    Term(
        "Requirement",
        "A bar of the benchmark. A system that fails it keeps its place, with its ranks in parentheses.",
    ),
    Term(
        "Guessing",
        "The most that a program reaches without understanding the text. A system whose interval reaches it has no "
        "rank.",
    ),
    Term(
        "Effective length",
        f"The longest text, in tokens, up to which a system keeps {KEEP:g} of its accuracy at the shortest, "
        "and stays above guessing, as far as 95% intervals show.",
    ),
    Term(
        "Discrimination",
        "Whether systems that are right on an item are right on the others: a correlation. At 0 it tells nothing.",
    ),
    Term("Token", "A piece of text as a model reads it, about three quarters of an English word."),
    Term(
        "Reference system",
        "An oracle, a floor or a rule that shows what can be reached. It is a line on the board, and never ranked.",
    ),
    Term(
        "Oracle",
        "Knows what the text says with authority: it grades answers, and shows the most that can be reached.",
    ),
    Term("Submission", "One file with the answers of a system to a version."),
    Term(
        "Entry", "The submission that stands for its system on a board, declared before its score was known."
    ),
    Term("Verified", "This site ran the system itself."),
    Term("Run by the authors", "The authors of this site ran the system; its answers came with the source."),
    Term("Self-reported", "The owner of the system ran it and uploaded the answers, which were graded here."),
    Term(
        "Sealed",
        "The right answers are not told: seeds and key were drawn in secret, and stay so until the version is retired.",
    ),
    Term(
        "Public twin",
        "A version made like a sealed one, with its answers in the open. For learning; it ranks nobody.",
    ),
    Term("Open demo", "A version whose seeds are in the source, so that anybody can make its answers."),
    Term(
        "Diagnostic",
        "A version that ranks nobody, because it has too few units or its answers can be guessed.",
    ),
    Term("Not reported", "Shown as a dash. It is never counted as 0."),
)
