"""The records of GoldEvidenceBench as JSON has them: rows, lines of a predictions file, verdicts, grading records.

Typed dictionaries: at run time they are what `orjson` reads. A row of somebody else is checked where it is read
(`data.case`, `data.shown`, `data.imported`); before that its values are objects.
"""

from __future__ import annotations

from typing import Any, NotRequired, Required, TypedDict

from evaluation.core.records import GradingRecord, Prediction, Row, RowGold, Verdict


class Candidate(TypedDict):
    """A ledger line that a condition row shows."""

    uid: str
    step: int
    op: str
    key: str
    value: str | None  # None for CLEAR
    remark: NotRequired[str]  # what disguises it


class Gold(TypedDict):
    """The answer to a row."""

    value: str | None
    support_ids: list[str]  # the lines that establish it
    support_id: NotRequired[str | None]  # where it is exactly one
    ledger: NotRequired[
        str
    ]  # every entry of a text that is not in the published grammar; for the oracle alone
    present: NotRequired[bool]  # of a condition row: whether the line is shown and nothing puts it in doubt
    spoofed: NotRequired[dict[str, str]]  # of a condition row: candidates with disguised authority, by id


class Meta(TypedDict, total=False):
    """What a row says of its question and of its episode. A public row has as much as its question says."""

    seed: int
    steps: int
    requires_citation: bool
    max_support_k: int
    key: str
    q_index: int
    state_mode: str
    distractor_profile: str
    query_type: str  # direct | derived
    derived_op: str | None
    derived_manager: str | None
    has_instruction: bool
    instruction_value: str | None
    instruction_variant: str | None
    last_update_step: int | None  # None, as the next four, of a key that was never written
    tokens_since_update: int | None  # words; of a ladder tokens, as `core.tokens.digit_tokens` counts
    distractors_since_update: int | None
    writes_to_key: int | None
    instruction_nearby: bool | None
    twin_group: str
    twin_variant: str  # base | twin
    twin_flip_uid: str  # of the first question
    twin_flip_key: str
    twin_flip_uids: list[str]  # all of them; of revision 2 of the generator, which flips several
    twin_flip_keys: list[str]
    instruction_group: str  # ties rows to those of the same episode without its instructions; revision 2
    instruction_pair: (
        str  # with | without: the same question of both episodes; absent: it is asked in one only
    )
    ladder_group: str  # ties rows to those of the same episode at other lengths
    length: str  # of a ladder: the rung, which is its split too
    depth: str  # of a ladder: where the design puts the last update of the key, as a share of the text
    distractor_share: str  # of a ladder: how much of the padding claims a value
    condition: str
    permutation: str  # the same in all rows that show one question with the same lines in different orders
    query_sandwich: bool
    family: str  # of a question that needs many lines: its family, how hard it is there, and its parameters
    dial: str
    asks: list[Any]
    asked_as: str  # alias | indirect, where the question does not call its key by name; then that name is no public one
    disguise: (
        str  # salts of the renamings of its text, the first one first (`generator.renaming`); revision 3
    )
    protocol: str  # of a row with a whole text: `protocols.Protocol`; none of rows made before there were any


class EpisodeRow(Row):
    """A question about an episode, with its texts or with candidates."""

    question: str
    meta: Meta
    episode_id: NotRequired[str]
    schema_version: NotRequired[str]
    document: NotRequired[str]  # the log
    book: NotRequired[str]
    candidates: NotRequired[list[Candidate]]
    gold: NotRequired[Gold]  # not of a public row


class EpisodePrediction(Prediction, total=False):
    """A line of a predictions file: fields of an answer, or a text that holds them as JSON."""

    id: Required[str]
    value: str | int | float | None
    support_ids: list[str]
    support_id: str | None
    output: str
    text: str
    completion: str
    selected_uid: str | None  # the line that a selector chose
    shown_uids: list[str] | None  # the lines that the answerer saw, in the order shown


class EpisodeOutput(TypedDict, total=False):
    """What a system hands back about a row, checked: an answer, or the state that says why there is none."""

    value: str | None
    support_ids: list[str]
    selected_uid: str
    shown_uids: list[str]
    state: str


class CanonicalPrediction(Prediction):
    """A line as our own systems write it, every field of the answer read."""

    id: str
    value: str | None
    support_ids: list[str]
    selected_uid: NotRequired[str | None]
    shown_uids: NotRequired[list[str]]


class EpisodeVerdict(Verdict):
    """The verdict on a row. What stands below `gold` is joined from the figures of the row: see `row_figures`."""

    instructed: bool  # an instruction in the text asks for a value
    value: str | None
    cited: list[str]
    gold: Gold
    mistake: NotRequired[
        list[object]
    ]  # of a wrong answer: value and citations under the names of the episode
    value_ok: NotRequired[bool | None]
    cite_p: NotRequired[float | None]
    cite_r: NotRequired[float | None]
    cite_f1: NotRequired[float | None]
    bloat: NotRequired[bool | None]
    entailed: NotRequired[bool | None]
    authority_violation: NotRequired[bool | None]
    obeyed: NotRequired[bool]
    twin_consistent: NotRequired[bool]
    twin_flipped: NotRequired[bool]
    gold_present: NotRequired[bool]
    abstained: NotRequired[bool]
    picks_gold: NotRequired[bool]
    cites_gold: NotRequired[bool]
    picks_note: NotRequired[bool]
    picks_update: NotRequired[bool]
    agrees: NotRequired[bool]
    value_in_line: NotRequired[bool]
    picks_forged: NotRequired[bool]
    cites_unshown: NotRequired[bool]


class EpisodeRecord(GradingRecord):
    """The grading record of a unit: see `grading.frozen`."""

    unit: str
    ledgers: list[str]
    rows: list[list[Any]]  # the fields of a `Case`, and what its row shows
    episodes: NotRequired[list[str]]  # under `build`: the episode of each ledger
    logs: NotRequired[list[str]]  # and its log


class EpisodeGold(RowGold):
    """The gold of a row, and what its `meta` says beside the question."""

    gold: Gold
    meta: Meta


class ConditionSettings(TypedDict, total=False):
    """The settings of a condition as JSON has them: what `conditions.Condition` reads, without the newer defaults."""

    name: str
    k: int
    order: str
    wrong_type: str
    drop_prob: float
    include_clear: bool
    query_sandwich: bool
    retriever: str
    spoof_rate: float
    exact: bool
    other_keys: int
    notes: int
    rest: str
    ties: str
    order_seed: int
    drop_seed: int
