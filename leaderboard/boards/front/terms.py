"""The glossary terms that every page uses, whatever the benchmark. Suites add their own (`Display.terms`)."""

from __future__ import annotations

from evaluation.core.plugin.examples import Term
from evaluation.core.statistics import KEEP

TERMS = (
    Term("System", "The subject of a test: a language model, or a model with the software around it."),
    Term(
        "Version",
        "A frozen state of a benchmark: questions, correct answers and grader under one SHA-256. It cannot be changed.",
    ),
    Term(
        "Unit",
        "An independently drawn part of a version, such as an episode. Questions of one unit share a text.",
    ),
    Term("Split", "The questions of a version asked in one way, or in one kind of situation."),
    Term("Headline", "The metric that a board is ordered by."),
    Term(
        "Interval",
        "The uncertainty of a figure: in 95 of 100 versions made in the same way, the 95% interval contains the true "
        "value.",
    ),
    Term(
        "Rank range",
        "The ranks that a system may have, such as 2–5. In 95 of 100 versions made in the same way, all ranges of a "
        "board contain the true ranks.",
    ),
    Term("Tied", "Two systems whose rank ranges overlap, so that they may have the same rank."),
    Term("Can still be the best", "No other system is shown to be better."),
    Term(
        "Requirement",
        "A threshold that the benchmark sets. A system that fails it keeps its ranks, shown in parentheses.",
    ),
    Term(
        "Guessing",
        "The best score of a program that does not understand the text. A system has a rank only if its whole "
        "interval is better than this score.",
    ),
    Term(
        "Effective length",
        f"The length of text, in tokens, up to which a system keeps {KEEP:.0%} of the accuracy that it has on the "
        "shortest texts, and stays above guessing, by 95% intervals.",
    ),
    Term(
        "Discrimination",
        "The correlation between being right on an item and being right on the other items. An item at 0 does not "
        "tell strong systems from weak systems.",
    ),
    Term("Token", "A piece of text as a model reads it, about three quarters of an English word."),
    Term(
        "Reference system",
        "A program for comparison: an oracle, a floor or a rule. It is listed on the board and never ranked.",
    ),
    Term("Oracle", "A program that knows the correct answers. Its score is the highest that can be reached."),
    Term("Submission", "One file with the answers of a system to a version."),
    Term(
        "Entry", "The submission that represents its system on a board, declared before its score was known."
    ),
    Term("Verified", "This site ran the system itself."),
    Term(
        "Run by the authors", "The authors of this site ran the system; the source code includes its answers."
    ),
    Term("Self-reported", "The owner of the system ran it and uploaded the answers, which were graded here."),
    Term(
        "Sealed",
        "The correct answers are secret: seeds and key were drawn in secret and are published only when the version is "
        "retired.",
    ),
    Term(
        "Public twin",
        "A version made like a sealed one, with public answers. For development; it has no ranks.",
    ),
    Term("Open demo", "A version whose seeds are in the source code: its answers are public."),
    Term(
        "Diagnostic", "A version without ranks, because it has too few units or its answers can be guessed."
    ),
    Term("Not reported", "A missing figure. It is shown as a dash and never counted as 0."),
)
