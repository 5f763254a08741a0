"""Makes public rows: replaces ids by keyed ids, removes fields that help to find the gold, and checks the result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, cast

from evaluation.core.records import JsonObject
from evaluation.core.sealing import keyed_ids
from evaluation.goldevidence.data.case import CLOSED_BOOK, whole_split
from evaluation.goldevidence.data.rubrics import DEFAULT_SUPPORT_K
from evaluation.goldevidence.generator import queries
from evaluation.goldevidence.generator.ladder.rungs import rung_tokens
from evaluation.goldevidence.generator.rows import SCHEMA_VERSION, TITLE
from evaluation.goldevidence.protocols import NAMES, Protocol
from evaluation.goldevidence.records import EpisodeRow, Meta

#: Fields of a row that a system reads.
TEXTS = ("document", "book", "question", "candidates")
LONG: Final = ("document", "book")
#: Fields of `meta` that repeat facts of the question.
OF_QUESTION: Final = (
    "key",
    "query_type",
    "derived_op",
    "derived_manager",
    "requires_citation",
    "max_support_k",
)
META: Final = (*OF_QUESTION, "query_sandwich", "protocol", "length")
#: Further fields of `meta` in a published data set, whose ids and texts are known anyway.
LABELS: Final = ("q_index", "state_mode", "distractor_profile", "steps", "condition")
FIELDS = frozenset({"id", "episode_id", "schema_version", "meta", *TEXTS})
LINE = frozenset({"uid", "step", "op", "key", "value", "remark"})
CANDIDATES = "candidates"
GROUPS: Final = frozenset(
    {"twin_group", "instruction_group", "ladder_group"}  # fields of `meta` that link the rows of a unit
)


def named(
    unit: str, rows: Iterable[EpisodeRow], key: str, *, whole: str = CLOSED_BOOK
) -> tuple[str, list[EpisodeRow]]:
    """Return the published id of the unit, and its rows with published ids, also in the titles of their texts.

    Published ids are hashes with the secret `key`, so they do not reveal which episode is a twin (the same episode with
    changed answers). `whole` is the split name of rows that show a whole text.
    """
    titled: dict[tuple[str, str], str] = {}  # rows of an episode keep sharing their texts
    renamed = []
    for row in rows:
        episode, meta = row["episode_id"], row["meta"]
        name = f"{meta['seed']}:{episode}"
        split = meta.get("condition") or whole
        known = keyed_ids.unit_id(key, unit=name, kind="episode")
        for text in LONG:
            if text in row and (text, episode) not in titled:
                _, _, below = row[text].partition("\n")
                titled[text, episode] = f"{TITLE} {known}\n{below}"
        row_id = keyed_ids.row_id(key, unit=name, question=f"Q{meta['q_index']:03d}", split=split)
        texts: dict[str, object] = {text: titled[text, episode] for text in LONG if text in row}
        for group in GROUPS.intersection(meta):
            meta = cast(Meta, {**meta, group: _unit_id(key, meta["seed"], unit)})
        renamed.append(cast(EpisodeRow, {**row, "id": row_id, "episode_id": known, "meta": meta, **texts}))
    return _unit_id(key, renamed[0]["meta"]["seed"], unit) if renamed else unit, renamed


def _unit_id(key: str, seed: int, unit: str) -> str:
    return keyed_ids.unit_id(key, unit=f"{seed}:{unit}")


def public_row(row: EpisodeRow, *, labels: bool) -> EpisodeRow:
    """Copy a row without its gold and the fields that help to find the gold. If `labels`, the fields LABELS stay."""
    known, names = dict(row["meta"]), (*META, *LABELS) if labels else META
    meta = cast(Meta, {name: known[name] for name in names if name in known})
    if (
        meta.get("derived_op") == "reports" or "asked_as" in known
    ):  # the answer, or the text, would reveal the key
        meta.pop("key", None)
    if not labels and not meta.get("requires_citation"):  # then the question has no number either
        meta.pop("max_support_k", None)
    hidden = {"gold"} if labels or any(row.get(name) for name in LONG) else {"gold", "episode_id"}
    kept = {name: value for name, value in row.items() if name not in hidden}
    return cast(EpisodeRow, kept | {"meta": meta})


def kind_of(row: JsonObject) -> str:
    """Return the kind of a row: `candidates`, or else its text length, or else its `whole_split`."""
    if row.get("candidates") is not None:
        return CANDIDATES
    return length_of(row) or whole_split(row)


def length_of(row: JsonObject) -> str:
    """Return the name of the length of a ladder row, such as `8k`; empty for other rows."""
    length = row["meta"].get("length") if isinstance(row.get("meta"), dict) else None
    return length if isinstance(length, str) else ""


def overtold(row: EpisodeRow) -> Iterator[str]:
    """Yield short descriptions of forbidden facts in a public row."""
    yield from (f"the field {name!r}" for name in row.keys() - FIELDS)
    if row.get("schema_version") != SCHEMA_VERSION:
        yield "the schema version"
    asked = queries.read(row["question"])
    if asked is None:
        yield "a question in an unknown form"
    elif _meta_of_question(asked) != {
        name: value for name, value in row["meta"].items() if name in OF_QUESTION
    }:
        yield "a meta that differs from the question"
    yield from (f"meta.{name}" for name in row["meta"].keys() - set(META))
    yield from _overtold_in_texts(row)


def _overtold_in_texts(row: EpisodeRow) -> Iterator[str]:
    texts = [row[name] for name in LONG if row.get(name)]
    yield from _beside_protocol(row)
    if bool(texts) != ("episode_id" in row):
        yield "an episode without its text"
    if texts and not keyed_ids.is_keyed(row.get("episode_id")):
        yield "an episode_id in an unknown form"
    for text in texts:
        if text.partition("\n")[0] != f"{TITLE} {row.get('episode_id')}":
            yield "the title of a text"
    for line in row.get("candidates") or ():
        yield from (f"{name!r} of a candidate" for name in line.keys() - LINE)


def _beside_protocol(row: EpisodeRow) -> Iterator[str]:
    """Yield short descriptions of parts that a row's protocol forbids. Older rows may contain both texts."""
    if "length" in row["meta"] and rung_tokens(length_of(row)) is None:
        yield "an unknown length"
    if (name := row["meta"].get("protocol")) is None:
        return
    if name not in NAMES or row.get("candidates") is not None:
        yield "a protocol that does not apply to the row"
        return
    if shown := [text for text in LONG if text in row and text != Protocol(name).text]:
        yield f"the {shown[0]}, which {name!r} does not show"


def _meta_of_question(asked: queries.Asked) -> Meta:
    meta: Meta = {
        "query_type": "derived" if asked.derived_op else "direct",
        "derived_op": asked.derived_op,
        "derived_manager": asked.manager,
        "requires_citation": asked.most is not None,
    }
    if asked.key is not None:
        meta["key"] = asked.key
    if asked.most not in (None, DEFAULT_SUPPORT_K):
        meta["max_support_k"] = asked.most
    return meta
