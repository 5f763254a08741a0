"""The metrics of rows that show candidates: decomposition, authority and abstention."""

from __future__ import annotations

from functools import partial

from evaluation.core.metric import Metric, both, every
from evaluation.goldevidence.grading.choices import Selected
from evaluation.goldevidence.grading.metrics.row_functions import (
    abstained,
    candidates,
    chosen,
    cited,
    is_known,
    is_set,
    missing,
    note,
    picked,
    picks,
    present,
    selected,
    share_of_one,
    value_ok,
    wrong_update,
    wrongly_chosen,
)
from evaluation.goldevidence.grading.metrics.sections import ABSTENTION, AUTHORITY, SELECTION

of_candidates = partial(Metric, split="conditional")
_selection = partial(of_candidates, section=SELECTION)
_authority = partial(of_candidates, section=AUTHORITY)
_abstention = partial(of_candidates, section=ABSTENTION)

#: The steps of the decomposition, which ends with `condition_value_acc`, and further metrics that explain them.
DECOMPOSITION: tuple[Metric, ...] = (
    _selection(
        "gold_present_rate",
        "Evidence shown",
        "Of the candidate rows, the share that shows the gold line.",
        candidates,
        present,
        first=True,
        neutral=True,
        by_split=True,
    ),
    _selection(
        "gold_picked_rate",
        "Evidence picked",
        "Of the rows that show the gold line and whose prediction states the selector's pick (`selected_uid`), the "
        "share where the gold line is the pick, whatever the answer cites.",
        both(present, is_known("selector_picks")),
        is_set("selector_picks"),
        by_split=True,
    ),
    _selection(
        "selection_rate",
        "Evidence chosen",
        "Of the rows that show the gold line, the share whose answer cites that line first.",
        present,
        picks,
        first=True,
        chance="selection_chance",
        by_split=True,
    ),
    _selection(
        "answer_acc_given_gold_selected",
        "Value, evidence chosen",
        "Of the rows whose first citation is the gold line, the share with the right value.",
        picked,
        value_ok,
        by_split=True,
    ),
    _selection(
        "accuracy_when_gold_present",
        "Value, evidence shown",
        "Of the rows that show the gold line, the share with the right value.",
        present,
        value_ok,
        by_split=True,
    ),
    _selection(
        "condition_value_acc",
        "Value, candidates",
        "Of all candidate rows, the share with the right value.",
        every,
        value_ok,
        in_groups=False,
    ),
    _selection(
        "gold_support_selected_rate",
        "Gold cited",
        "Of the rows that show the gold line, the share whose answer cites this line, first or later.",
        present,
        is_set("cites_gold"),
    ),
    _selection(
        "value_is_substring_of_selected_line_rate",
        "Value in chosen line",
        "Of the rows whose first citation is the gold line, the share whose value occurs in this line.",
        both(picked, is_known("value_in_line")),
        is_set("value_in_line"),
    ),
    _selection(
        "support_consistency_rate",
        "Support consistency",
        "Of the rows that show the gold line and whose prediction states the selector's pick, the share that cites the "
        "pick first.",
        both(present, is_known("agrees")),
        is_set("agrees"),
    ),
    _selection(
        "wrong_update_rate",
        "Wrong update",
        "Of the rows that show the gold line and cite a shown line, the share that cites another UPDATE first.",
        chosen,
        wrong_update,
        better="lower",
        by_split=True,
    ),
    _selection(
        "selected_wrong_update_rate",
        "Wrong update among misses",
        "Of the rows that show the gold line and cite another shown line first, the share that cites an UPDATE first.",
        wrongly_chosen,
        wrong_update,
        better="lower",
    ),
    _authority(
        "selected_note_rate",
        "NOTE chosen",
        "Of the rows that show the gold line and cite a shown line, the share that cites a NOTE first.",
        chosen,
        note,
        better="lower",
        by_split=True,
    ),
    _authority(
        "authority_false_accept_rate",
        "False accept",
        "Of the rows that cite a shown line, the share whose first citation is a line without authority.",
        cited,
        selected(Selected.NOTE, Selected.UNMARKED),
        better="lower",
    ),
    _authority(
        "authority_false_reject_rate",
        "False reject",
        "Of the rows that show the gold line, the share where the system abstains.",
        present,
        abstained,
        better="lower",
    ),
    _authority(
        "spoof_accept_rate",
        "Spoof accepted",
        "Of the rows that show a line with false authority (a NOTE that quotes an UPDATE, or a line without a marker), "
        "the share that cites such a line first.",
        is_set("forged_shown"),
        is_set("forged_selected"),
        better="lower",
    ),
    _abstention(
        "abstain_rate",
        "Abstained",
        "Of the candidate rows, the share answered with neither value nor citation.",
        candidates,
        abstained,
        neutral=True,
    ),
    _abstention(
        "abstain_precision",
        "Abstain precision",
        "Of the abstentions, the share in rows that do not show the gold line.",
        abstained,
        missing,
    ),
    _abstention(
        "abstain_recall",
        "Abstain recall",
        "Of the rows that do not show the gold line, the share where the system abstains.",
        missing,
        abstained,
        first=True,
        by_split=True,
    ),
)
#: Rows may show more lines than `k`, or fewer if a book has no more; so chance is computed from the lines.
SELECTION_CHANCE = _selection(
    "selection_chance",
    "Chosen by chance",
    "Of the rows that show the gold line, the expected share where a random line shown is the gold line.",
    present,
    share_of_one("shown"),
    neutral=True,
    by_split=True,
)
