"""Conditions: one way each of showing the same question with a few ledger lines instead of the whole book.

A condition is frozen with a version, so that what was shown, and whether the gold line was among it, is
known to the oracle and never taken from a submission. Drop, shuffle and disguise depend on the seed, the
row's id and the condition's name alone. Where exactly k lines are shown (`conditions.exact`), only the shuffle does:
which lines are shown, and how, is the same in every order, and in a twin.

Only questions that one ledger line answers become condition rows (`eligible`): a `reports` question has
several gold lines or none, and "the gold line" would not mean anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Self, cast

from pydantic import AfterValidator, Field, model_validator

from evaluation.core.checks import in_message
from evaluation.core.rng import Stream
from evaluation.core.settings import OneOf, Rate, SettingsModel, StrictBool, StrictInt, StrictStr, refused
from evaluation.goldevidence.conditions import exact
from evaluation.goldevidence.conditions.perturb import ORDERS, RESTS, Disguised, arrange, drop, spoof
from evaluation.goldevidence.data.case import CLOSED_BOOK
from evaluation.goldevidence.data.ledger import Entry, unclear
from evaluation.goldevidence.records import Candidate, EpisodeRow, Meta
from evaluation.goldevidence.retrieval import (
    EARLIEST,
    LATEST,
    RETRIEVERS,
    RIVALS,
    TIES,
    Pool,
    candidates,
    get_retriever,
)

SEPARATOR = "@"
MOST_SEED = 2**31 - 1
#: Of `meta`: what candidates do not bear out, and what would give their gold line away.
OF_TEXT = frozenset({"last_update_step", "instruction_pair"})
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def _is_name(value: str) -> str:
    if not _NAME.fullmatch(value):
        raise refused(f"must be letters, digits, '.', '_' or '-', at most 64, not {in_message(value)}.")
    if value == CLOSED_BOOK:
        raise refused(f"{CLOSED_BOOK!r} names the rows that show the whole book; choose another.")
    return value


class Condition(SettingsModel):
    """How candidates are chosen and shown. Without a name it gets one that says what it is.

    Raises SettingsError naming every field that does not validate.
    """

    newer: ClassVar[frozenset[str]] = frozenset(
        {"exact", "other_keys", "notes", "rest", "ties", "order_seed", "drop_seed"}
    )

    name: Annotated[StrictStr, AfterValidator(_is_name)] = Field(description="Its name in ids and tables.")
    k: StrictInt = Field(4, ge=1, le=1000, description="Lines that are shown.")
    order: Annotated[str, OneOf(ORDERS)] = Field("shuffle", description="Where the gold line stands.")
    wrong_type: Annotated[str, OneOf(RIVALS)] = Field("same_key", description="What the other lines are.")
    drop_prob: Rate = Field(0.0, description="How often the gold line is left out.")
    include_clear: StrictBool = Field(True, description="Whether lines that empty a tag may be shown.")
    query_sandwich: StrictBool = Field(False, description="The question before and after the candidates.")
    retriever: Annotated[str, OneOf(RETRIEVERS)] = Field("key", description="How candidates are found.")
    spoof_rate: Rate = Field(0.0, description="Share of lines with disguised authority.")
    exact: StrictBool = Field(False, description="Exactly k lines, filled up with those of other tags.")
    other_keys: StrictInt = Field(0, ge=0, le=1000, description="Of exactly k: lines of other tags.")
    notes: StrictInt = Field(0, ge=0, le=1000, description="Of exactly k: notes, where there are some.")
    rest: Annotated[str, OneOf(RESTS)] = Field(
        "ascending", description="How the other lines are sorted by step."
    )
    ties: Annotated[str, OneOf(TIES)] = Field(LATEST, description="Which of equal scores comes first.")
    order_seed: StrictInt = Field(0, ge=0, le=MOST_SEED, description="Another shuffle of the same lines.")
    drop_seed: StrictInt = Field(
        0, ge=0, le=MOST_SEED, description="Another choice of rows that lose theirs."
    )

    @model_validator(mode="before")
    @classmethod
    def _named(cls, data: Any) -> Any:
        named = isinstance(data, Mapping) and "name" not in data
        return {"name": condition_name(data), **data} if named else data

    @model_validator(mode="after")
    def _fits(self) -> Self:
        extra = self.other_keys + self.notes
        if not self.exact and extra:
            raise refused("need 'exact': they are part of exactly k lines.", field="other_keys")
        if self.exact and self.wrong_type != "same_key":
            raise refused(
                "has no meaning where exactly k lines are shown; use other_keys.", field="wrong_type"
            )
        if extra >= self.k:
            raise refused(
                f"and notes must stay below k ({self.k}): a line of the tag is shown, too.",
                field="other_keys",
            )
        if extra and self.retriever != "key":
            raise refused(f"and notes need the retriever 'key', not {self.retriever!r}.", field="other_keys")
        return self


def condition_name(settings: Mapping[str, Any]) -> str:
    """`k4-gold_first`; what differs from the defaults is added: `bm25-k2-shuffle-drop0.4`, `exact4-shuffle-note1`."""
    retriever, rival = settings.get("retriever", "key"), settings.get("wrong_type", "same_key")
    rest = settings.get("rest", "ascending")
    parts = [
        retriever if retriever != "key" else "",
        f"{'exact' if settings.get('exact') else 'k'}{settings.get('k', 4)}",
        settings.get("order", "shuffle"),
        rest if rest != "ascending" else "",
        f"other{settings['other_keys']}" if settings.get("other_keys") else "",
        f"note{settings['notes']}" if settings.get("notes") else "",
        rival if rival != "same_key" else "",
        f"drop{settings['drop_prob']}" if settings.get("drop_prob") else "",
        f"spoof{settings['spoof_rate']}" if settings.get("spoof_rate") else "",
        "" if settings.get("include_clear", True) else "noclear",
        "sandwich" if settings.get("query_sandwich") else "",
        "earliest" if settings.get("ties", LATEST) == EARLIEST else "",
        *(f"{name}{seed}" for name, seed in _seeds(settings) if seed),
    ]
    return "-".join(str(part) for part in parts if part)


def _seeds(settings: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """What a seed of its own adds to a name."""
    yield "oseed", settings.get("order_seed", 0)
    yield "dseed", settings.get("drop_seed", 0)


def eligible(row: EpisodeRow) -> bool:
    """Whether exactly one ledger line answers the question.

    A row without its instructions is not: candidates show no instructions, so it would repeat the row with them.
    """
    meta = row["meta"]
    if meta.get("derived_op") == "reports" or meta.get("instruction_pair") == "without":
        return False
    return len(row["gold"].get("support_ids") or ()) == 1


def condition_row(
    row: EpisodeRow,
    pool: Pool | Sequence[Entry],
    condition: Condition,
    seed: int,
    known: dict[str, list[Disguised]] | None = None,
) -> EpisodeRow:
    """The row under a condition, id `<row id>@<condition name>`, without document and book.

    `candidates` are `{uid, step, op, key, value}` in the order shown, a disguised one with a `remark`. `gold` also
    holds `present` (the gold line is shown and no later line without a marker puts it in doubt; its `value` is what
    held, shown or not) and, by id, the disguises (`spoofed`); both go when the gold goes. `meta.last_update_step`
    would give the gold line away and is left out.

    Args:
        row: An eligible row with gold.
        pool: The ledger of its book.
        condition: How candidates are chosen and shown.
        seed: What is drawn depends on it, on the row's id and on the condition's name.
        known: By permutation, the lines that were chosen before; new ones are entered.

    Returns:
        A new row; the one given stays as it is.
    """
    name = f"{row['id']}{SEPARATOR}{condition.name}"
    gold = row["gold"]["support_ids"][0]
    pool, stream = pool if isinstance(pool, Pool) else Pool(pool), Stream(seed, _drawn_by(name, condition))
    meta = cast(Meta, {field: value for field, value in row["meta"].items() if field not in OF_TEXT})
    if condition.exact:
        meta["permutation"] = permutation = f"{row['id']}{SEPARATOR}{_without_order(condition)}"
        lines = {} if known is None else known
        if permutation not in lines:
            lines[permutation] = _exactly(row, pool, condition, gold, seed)
        shown = _arranged(lines[permutation], gold, condition, _order(row, condition, seed, stream))
    else:
        shown = _shown(row, pool, condition, gold, seed, stream)
    kept = {field: value for field, value in row.items() if field not in ("document", "book")}
    return cast(EpisodeRow, kept) | {
        "id": name,
        "candidates": [_public(line) for line in shown],
        "gold": row["gold"]
        | {
            "present": _establishes(gold, row["meta"]["key"], [line.entry for line in shown]),
            "spoofed": {line.entry.uid: line.kind for line in shown if line.kind},
        },
        "meta": meta | {"condition": condition.name, "query_sandwich": condition.query_sandwich},
    }


def condition_rows(
    rows: Iterable[EpisodeRow], entries: Sequence[Entry], conditions: Iterable[Condition], seed: int
) -> Iterator[EpisodeRow]:
    """Every eligible row of one episode under every condition, condition by condition.

    Args:
        rows: The rows of the episode, with gold.
        entries: The ledger of its book.
        conditions: How candidates are chosen and shown.
        seed: See `condition_row`.

    Returns:
        The condition rows, with gold.
    """
    pool, asked = Pool(entries), [row for row in rows if eligible(row)]
    known: dict[str, list[Disguised]] = {}
    for condition in conditions:
        for row in asked:
            yield condition_row(row, pool, condition, seed, known)


def shown_entries(row: EpisodeRow) -> list[Entry]:
    """The candidates of a condition row as ledger entries, in the order shown."""
    return [
        Entry(line["uid"], line["step"], line["op"], line["key"], line["value"]) for line in row["candidates"]
    ]


def _exactly(row: EpisodeRow, pool: Pool, condition: Condition, gold: str, seed: int) -> list[Disguised]:
    """The lines of every permutation of a question, by rising step."""
    meta, pool = row["meta"], pool if condition.include_clear else pool.without_clear
    asked = f"{meta.get('twin_group', row['episode_id'])}-Q{meta.get('q_index')}"  # a twin's is its base's
    stream = Stream(seed, asked, _without_order(condition))
    dropped = condition.drop_prob > 0 and stream.chance(condition.drop_prob)
    if condition.retriever == "key":
        lines = exact.fill(
            pool,
            meta["key"],
            gold,
            k=condition.k,
            other_keys=condition.other_keys,
            notes=condition.notes,
            dropped=dropped,
            stream=stream,
        )
    else:
        ranked = pool.rank(get_retriever(condition.retriever), row["question"], meta["key"])
        lines = exact.first_ranked(ranked, gold, k=condition.k, dropped=dropped)
    return spoof(lines, condition.spoof_rate, stream)


def _arranged(lines: Sequence[Disguised], gold: str, condition: Condition, stream: Stream) -> list[Disguised]:
    by_uid = {line.entry.uid: line for line in lines}
    entries = [line.entry for line in lines]
    return [by_uid[entry.uid] for entry in arrange(entries, gold, condition.order, stream, condition.rest)]


@lru_cache(maxsize=256)
def _without_order(condition: Condition) -> str:
    """What the permutations of a question share, in the manner of a name."""
    return condition_name({**condition.as_json(), "order": "", "rest": "ascending", "order_seed": 0})


def _drawn_by(name: str, condition: Condition) -> str:
    """The name of a row that its draws depend on: seeds of their own have streams of their own, and change no other."""
    for label, seed in reversed(list(_seeds(condition.as_json()))):
        name = name.removesuffix(f"-{label}{seed}")
    return name


def _order(row: EpisodeRow, condition: Condition, seed: int, stream: Stream) -> Stream:
    """What the shuffle of a row draws from."""
    own = condition.order_seed
    return Stream(seed, row["id"], "order", own) if own else stream


def _shown(
    row: EpisodeRow, pool: Pool, condition: Condition, gold: str, seed: int, stream: Stream
) -> list[Disguised]:
    retrieved = candidates(
        pool if condition.include_clear else pool.without_clear,
        row["question"],
        row["meta"]["key"],
        k=condition.k,
        retriever=condition.retriever,
        wrong_type=condition.wrong_type,
        ties=condition.ties,
    )
    kept = drop(retrieved, gold, condition.drop_prob, stream)
    if own := condition.drop_seed:
        kept = drop(retrieved, gold, condition.drop_prob, Stream(seed, row["id"], "drop", own))
    arranged = arrange(kept, gold, condition.order, stream, condition.rest)
    if condition.order_seed:
        own_order = _order(row, condition, seed, stream)
        arranged = arrange(kept, gold, condition.order, own_order, condition.rest)
    return spoof(arranged, condition.spoof_rate, stream)


def _establishes(gold: str, key: str, shown: Sequence[Entry]) -> bool:
    return any(entry.uid == gold for entry in shown) and not unclear((entry[1:] for entry in shown), key)


def _public(line: Disguised) -> Candidate:
    public = cast(Candidate, line.entry._asdict())
    return public | {"remark": line.remark} if line.remark else public
