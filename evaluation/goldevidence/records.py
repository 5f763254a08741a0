"""Records of GoldEvidenceBench as JSON: rows, lines of a predictions file, verdicts, grading records.

At run time these typed dictionaries are plain dictionaries of `orjson`. Rows of imported data sets are checked on
reading (`data.case`, `data.shown`, `data.imported`); until then their values are of type object.
"""

from __future__ import annotations

from typing import Any, NotRequired, Required, TypedDict

from evaluation.core.records import GradingRecord, Prediction, Row, RowGold, Verdict


class Candidate(TypedDict):
    """A candidate: a ledger line that a row shows."""

    uid: str
    step: int
    op: str
    key: str
    value: str | None  # None for CLEAR
    remark: NotRequired[str]  # its disguise


class Gold(TypedDict):
    value: str | None
    support_ids: list[str]  # the lines that establish it
    support_id: NotRequired[str | None]  # if it is exactly one
    ledger: NotRequired[str]  # every entry of a text outside the published grammar; only for the oracle
    present: NotRequired[bool]  # condition row: the line is shown and nothing puts it in doubt
    spoofed: NotRequired[
        dict[str, str]
    ]  # condition row: id -> disguise, of candidates with disguised authority


class Meta(TypedDict, total=False):
    """Facts about a row's question and episode. A public row has only the facts that its question reveals."""

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
    last_update_step: int | None  # None, like the next four, for a key that was never written
    tokens_since_update: int | None  # words; in a ladder tokens of `core.tokens.digit_tokens`
    distractors_since_update: int | None
    writes_to_key: int | None
    instruction_nearby: bool | None
    twin_group: str
    twin_variant: str  # base | twin
    twin_flip_uid: str  # for the first question
    twin_flip_key: str
    twin_flip_uids: list[str]  # all of them; revision 2 of the generator, which flips several
    twin_flip_keys: list[str]
    instruction_group: str  # links rows to those of the same episode without its instructions; revision 2
    instruction_pair: str  # with | without: the question is in both episodes; absent: in one only
    ladder_group: str  # links rows to those of the same episode at other lengths
    length: str  # ladder: the rung, also its split
    depth: str  # ladder: planned place of the key's last update, as a share of the text
    distractor_share: str  # ladder: share of the padding that claims a value
    condition: str
    permutation: str  # the same in all rows that show one question with the same lines in different orders
    query_sandwich: bool
    family: str  # question that needs many lines: its family; below, its difficulty there and its parameters
    dial: str
    asks: list[Any]
    asked_as: str  # alias | indirect, if the question does not name its key; then `key` is not public
    disguise: str  # salts of the renamings of its text, in order (`generator.renaming`); revision 3
    protocol: str  # row with a whole text: `protocols.Protocol`; absent in rows from before protocols


class EpisodeRow(Row):
    question: str
    meta: Meta
    episode_id: NotRequired[str]
    schema_version: NotRequired[str]
    document: NotRequired[str]  # the log
    book: NotRequired[str]
    candidates: NotRequired[list[Candidate]]
    gold: NotRequired[Gold]  # absent in a public row


class EpisodePrediction(Prediction, total=False):
    """A line of a predictions file: answer fields, or a text that contains them as JSON."""

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
    """The checked output of a system: an answer, or a row state if there is no answer."""

    value: str | None
    support_ids: list[str]
    selected_uid: str
    shown_uids: list[str]
    state: str


class CanonicalPrediction(Prediction):
    """A predictions line as our own systems write it, with all answer fields."""

    id: str
    value: str | None
    support_ids: list[str]
    selected_uid: NotRequired[str | None]
    shown_uids: NotRequired[list[str]]


class EpisodeVerdict(Verdict):
    """The verdict on a row. Fields after `mistake` are metrics of the row, which `row_figures.with_fields` adds."""

    instructed: bool  # an instruction in the text asks for a value
    value: str | None
    cited: list[str]
    gold: Gold
    mistake: NotRequired[list[object]]  # wrong answer: value and citations under the names of the episode
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
    unit: str
    ledgers: list[str]
    rows: list[list[Any]]  # the fields of a `Case`, and the lines its row shows
    episodes: NotRequired[list[str]]  # under `build`: the episode of each ledger
    logs: NotRequired[list[str]]  # and its log


class EpisodeGold(RowGold):
    gold: Gold
    meta: Meta


class ConditionSettings(TypedDict, total=False):
    """A condition as JSON, as `conditions.Condition` reads it. Fields added later may be missing."""

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
