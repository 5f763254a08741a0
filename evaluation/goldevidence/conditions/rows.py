"""Builds the row of a condition: chooses the lines to show, orders them, and drops or disguises some."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, cast

from evaluation.core.rng import Stream
from evaluation.goldevidence.conditions import exact
from evaluation.goldevidence.conditions.fields import condition_name, seed_labels
from evaluation.goldevidence.conditions.own_names import disguised, public
from evaluation.goldevidence.conditions.perturb import Disguised, arrange, drop, spoof
from evaluation.goldevidence.data.ledger import Entry, unclear
from evaluation.goldevidence.records import EpisodeRow, Meta
from evaluation.goldevidence.retrieval import Pool, candidates, get_retriever

if TYPE_CHECKING:
    from evaluation.goldevidence.conditions.conditions import Condition

_fields = itemgetter(*Entry._fields)
_new = tuple.__new__  # makes an Entry in a third of the time, a dozen times per row
SEPARATOR = "@"
#: Fields of `meta` that do not apply to candidates or would give the gold line away.
OF_TEXT = frozenset({"last_update_step", "instruction_pair"})


def eligible(row: EpisodeRow) -> bool:
    """True if exactly one ledger line answers the question.

    Rows with a text from which the instructions were removed are not eligible.
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
    """Build the row of a condition from an eligible row: id `<row id>@<condition name>`, without document and book.

    `candidates` are `{uid, step, op, key, value}` in the order shown; disguised lines also have a `remark`. `gold`
    gains two fields: `present` is True if the lines shown establish the answer; `spoofed` maps ids of disguised lines
    to the kind of disguise. `gold.value` is right whichever lines are shown. `meta.last_update_step` is left out,
    because it would reveal the gold line. `known` caches lines across calls.
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
    made = cast(EpisodeRow, kept) | {
        "id": name,
        "candidates": list(map(public, shown)),
        "gold": row["gold"]
        | {
            "present": _establishes(gold, row["meta"]["key"], [line.entry for line in shown]),
            "spoofed": {line.entry.uid: line.kind for line in shown if line.kind},
        },
        "meta": meta | {"condition": condition.name, "query_sandwich": condition.query_sandwich},
    }
    return disguised(made, shown) if "disguise" in meta else made


def condition_rows(
    rows: Iterable[EpisodeRow], entries: Sequence[Entry], conditions: Iterable[Condition], seed: int
) -> Iterator[EpisodeRow]:
    """Yield every eligible row of one episode under each condition in turn."""
    pool, asked = Pool(entries), [row for row in rows if eligible(row)]
    known: dict[str, list[Disguised]] = {}
    for condition in conditions:
        for row in asked:
            yield condition_row(row, pool, condition, seed, known)


def shown_entries(row: EpisodeRow) -> list[Entry]:
    return [_new(Entry, _fields(line)) for line in row["candidates"]]


def _exactly(row: EpisodeRow, pool: Pool, condition: Condition, gold: str, seed: int) -> list[Disguised]:
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
        scorer = get_retriever(condition.retriever)
        ranked = pool.rank(scorer, row["question"], meta["key"], condition.ties)
        lines = exact.first_ranked(ranked, gold, k=condition.k, dropped=dropped)
    return spoof(lines, condition.spoof_rate, stream)


def _arranged(lines: Sequence[Disguised], gold: str, condition: Condition, stream: Stream) -> list[Disguised]:
    by_uid = {line.entry.uid: line for line in lines}
    entries = [line.entry for line in lines]
    return [by_uid[entry.uid] for entry in arrange(entries, gold, condition.order, stream, condition.rest)]


@lru_cache(maxsize=256)
def _without_order(condition: Condition) -> str:
    return condition_name({**condition.as_json(), "order": "", "rest": "ascending", "order_seed": 0})


def _drawn_by(name: str, condition: Condition) -> str:
    # A seed of its own has a stream of its own: setting it leaves the other draws unchanged.
    for label in reversed(seed_labels(condition.order_seed, condition.drop_seed)):
        name = name.removesuffix(f"-{label}")
    return name


def _order(row: EpisodeRow, condition: Condition, seed: int, stream: Stream) -> Stream:
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
