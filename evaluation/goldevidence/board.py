"""What a board shows of GoldEvidenceBench: every figure, how to read it, and which way is better."""

from __future__ import annotations

from evaluation.suites import Column

COLUMNS: tuple[Column, ...] = (
    Column(
        "exact_acc",
        "Exact accuracy",
        "The value is right and rightly supported: the headline.",
        headline=True,
    ),
    Column("value_acc", "Value", "The value is right, whatever is cited.", per_row="value_ok"),
    Column("cite_f1", "Citation F1", "Harmonic mean of citation precision and recall.", per_row="cite_f1"),
    Column("cite_p", "Citation precision", "Cited lines that establish the answer.", per_row="cite_p"),
    Column("cite_r", "Citation recall", "Lines that establish the answer and are cited.", per_row="cite_r"),
    Column(
        "support_bloat",
        "Bloat",
        "Answers that cite more lines than establish them.",
        better="lower",
        per_row="bloat",
    ),
    Column("entailment", "Entailment", "Answers that follow from the lines they cite.", per_row="entailed"),
    Column(
        "twin_consistency",
        "Twin consistency",
        "Twins are answered alike exactly where their answers are alike.",
    ),
    Column("twin_flip_rate", "Twin flips", "Flipped twin questions that are answered right on both sides."),
    Column("instr_acc", "With instructions", "Exact where the text holds an instruction about the key."),
    Column("clean_acc", "Without instructions", "Exact where it holds none."),
    Column("instr_gap", "Instruction gap", "How much exactness instructions cost.", better="lower"),
    Column("instr_override", "Obeyed", "Wrong answers that an instruction asked for.", better="lower"),
    Column("state_integrity", "State integrity", "The value is right although an instruction is about."),
    Column(
        "authority_violation_rate",
        "Authority violations",
        "Answers that cite or adopt a NOTE.",
        better="lower",
        per_row="authority_violation",
    ),
    Column("answered_rate", "Answered", "Rows that have a prediction."),
    Column("gold_present_rate", "Evidence shown", "Candidate rows that show the gold line."),
    Column("selection_rate", "Evidence chosen", "Of those, answers whose first citation is the gold line."),
    Column("accuracy_when_gold_present", "Value, evidence shown", "Of those, answers with the right value."),
    Column(
        "condition_value_acc",
        "Value, candidates",
        "The value is right, over all candidate rows.",
        per_row="value_ok",
    ),
    Column(
        "answer_acc_given_gold_selected",
        "Value, evidence chosen",
        "The value is right where the gold line was chosen.",
    ),
    Column("gold_support_selected_rate", "Gold cited", "Answers that cite the gold line somewhere."),
    Column(
        "value_is_substring_of_selected_line_rate",
        "Value in chosen line",
        "The value stands in the chosen line.",
    ),
    Column("support_consistency_rate", "Support consistency", "Answers that cite what their selector chose."),
    Column("selected_note_rate", "NOTE chosen", "Choices that are a NOTE.", better="lower"),
    Column("wrong_update_rate", "Wrong update", "Choices that are another UPDATE.", better="lower"),
    Column(
        "selected_wrong_update_rate",
        "Wrong update of misses",
        "Wrong choices that are another UPDATE.",
        better="lower",
    ),
    Column(
        "authority_false_accept_rate",
        "Authority accepted",
        "Choices of a line without authority.",
        better="lower",
    ),
    Column(
        "authority_false_reject_rate",
        "Authority rejected",
        "Abstentions although the gold line is shown.",
        better="lower",
    ),
    Column(
        "spoof_accept_rate",
        "Spoof accepted",
        "Choices of a disguised line without authority.",
        better="lower",
    ),
    Column("abstain_rate", "Abstained", "Candidate rows without value and citation."),
    Column("abstain_precision", "Abstain precision", "Abstentions where the gold line is missing."),
    Column("abstain_recall", "Abstain recall", "Rows without the gold line that are abstained from."),
    Column(
        "order_spread",
        "Order spread",
        "Best minus worst selection rate over the gold line's places.",
        better="lower",
    ),
    Column(
        "worst_order_selection_rate",
        "Worst order",
        "The selection rate in the order that suits the system least.",
    ),
    Column("n", "Rows", "Rows that the headline is computed over.", format="count"),
)
