"""A case: one question with its correct answer (gold), and the facts that grading needs besides the long texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from evaluation.core.errors import RowError
from evaluation.core.records import JsonObject
from evaluation.goldevidence.data.answers import cited_ids, normalize
from evaluation.goldevidence.data.families import FAMILY_OF, is_of_family
from evaluation.goldevidence.generator.renaming import Renamings, renamings
from evaluation.goldevidence.protocols import protocol_of

CLOSED_BOOK = "closed_book"
_LOW, _HIGH = -(2**31), 2**31 - 1  # of the columns of a gradebook


class Case(NamedTuple):
    """One question, its gold, and facts for grading. `instruction` is the value that the text demands as answer."""

    id: str | int
    unit: str  # unit of resampling: the twin group, else the instruction group, else the episode
    condition: str  # for a whole text the name of its protocol: "closed_book" …
    mode: str
    profile: str
    query_type: str
    key: str
    op: Any
    manager: Any
    gold: str | None
    gold_ids: list[str]
    asks_citation: bool
    instructed: bool
    instruction: str | None
    twin_group: str | None
    q_index: int
    tokens: int | None  # words since the key's last update
    distractors: int | None  # about the key, since its last update
    writes: int | None  # updates of the key
    present: bool  # whether the gold line was shown
    spoofed: dict[str, str]  # shown lines with disguised authority, by id
    # Newer fields: a record leaves them out at the end of a row where they have their defaults (`grading.frozen`).
    instruction_pair: str = ""  # with | without the instructions: the unit asks the question both ways
    permutation: str = ""  # shared by rows of one question that show the same lines in different orders
    depth: str = ""  # ladder: place of the last update, as a share of the text: "0.1"
    share: str = ""  # ladder: share of the padding that claims a value: "0.25"
    disguise: str = ""  # salts of the renamings of the row: see `before`
    family: str = ""  # family of a question that needs many lines (`data.families`)
    dial: str = ""  # difficulty within the family: hops, the n of the n-th update, misleading lines
    asks: Sequence[Any] = ()  # the parameters of its question

    @property
    def length_depth(self) -> str:
        """Text length and relative position of the answer, as in `8k|0.1`; empty if the row has no `depth`."""
        return f"{self.condition}|{self.depth}" if self.depth else ""

    @property
    def before(self) -> Renamings | None:
        """Renamings from the row's names back to the original names of its episode; None if the row was not renamed."""
        return renamings(self.disguise, self.mode) if self.disguise else None

    @property
    def family_dial(self) -> str:
        """Question family and difficulty, as in `chain|4`; empty for other rows."""
        return f"{self.family}|{self.dial}" if self.family else ""


def case_of(row: JsonObject) -> Case:
    """Read the case of a row with gold. Raises RowError naming the wrong field."""
    row_id, gold, meta = row.get("id"), row.get("gold"), row.get("meta")
    if not isinstance(row_id, (str, int)):
        raise RowError("the row has no usable 'id': it must be a text")
    if not isinstance(gold, dict):
        raise RowError(f"row {row_id!r} has no usable 'gold': it must be an object")
    if not isinstance(meta, dict):
        raise RowError(f"row {row_id!r} has no usable 'meta': it must be an object")
    group = meta.get("twin_group")
    episode = meta.get("instruction_group", meta.get("ladder_group", row.get("episode_id", row_id)))
    q_index = _integer(meta.get("q_index"))
    return Case(
        id=row_id,
        unit=_text(group if group is not None else episode),
        condition=_text(meta.get("condition")) or whole_split(row),
        mode=_text(meta.get("state_mode")),
        profile=_text(meta.get("distractor_profile")),
        query_type=_text(meta.get("query_type")),
        key=_text(meta.get("key")),
        op=meta.get("derived_op"),
        manager=meta.get("derived_manager"),
        gold=normalize(gold.get("value")),
        gold_ids=cited_ids(gold),
        asks_citation=bool(meta.get("requires_citation")),
        instructed=bool(meta.get("has_instruction")),
        instruction=normalize(meta.get("instruction_value")),
        twin_group=None if group is None or q_index is None else _text(group),
        q_index=q_index or 0,
        tokens=_integer(meta.get("tokens_since_update")),
        distractors=_integer(meta.get("distractors_since_update")),
        writes=_integer(meta.get("writes_to_key")),
        present=_is_shown(row, gold),
        spoofed=gold["spoofed"] if isinstance(gold.get("spoofed"), dict) else {},
        instruction_pair=_text(meta.get("instruction_pair")),
        permutation=_text(meta.get("permutation")),
        depth=_text(meta.get("depth")),
        share=_text(meta.get("distractor_share")),
        disguise=_text(meta.get("disguise")),
        **_family_fields(row_id, meta),
    )


def _family_fields(row_id: object, meta: JsonObject) -> dict[str, Any]:
    if not is_of_family(meta):
        return {}
    family, asks = FAMILY_OF[meta["derived_op"]], meta.get("asks")
    if meta.get("family") != family or not isinstance(asks, list):
        raise RowError(
            f"row {row_id!r} asks a question of the family {family}, but 'family' or 'asks' does not match"
        )
    return {"family": family, "dial": _text(meta.get("dial")), "asks": asks}


def whole_split(row: JsonObject) -> str:
    """Return the split (subset of rows) to which a whole text belongs. Raises RowError for an unknown protocol."""
    protocol = protocol_of(row)
    return CLOSED_BOOK if protocol is None else protocol.split_name


def _is_shown(row: JsonObject, gold: JsonObject) -> bool:
    candidates = row.get("candidates")
    if "present" in gold or not isinstance(candidates, list):
        return bool(gold.get("present", True))
    uids = [line.get("uid") for line in candidates if isinstance(line, dict)]
    return any(uid in uids for uid in cited_ids(gold))


def _text(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else str(value)


def _integer(value: Any) -> int | None:
    """Return a value as an integer, also from "1" and 1.0 as in the reference; None if it is not a number."""
    if type(value) is int and _LOW <= value <= _HIGH:  # nearly all values
        return value
    try:
        return max(_LOW, min(int(value), _HIGH))
    except (TypeError, ValueError, OverflowError):
        return None
