"""Rows for others to answer: under which names they stand, what of them may be read, and whether they say too much.

A public row shows its texts and repeats what its question says. Seed, unit, twin, condition, order, place and drop stay
in the grading record.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from evaluation.core.sealing import keyed_ids
from evaluation.core.suite import Row
from evaluation.goldevidence.data.case import CLOSED_BOOK
from evaluation.goldevidence.data.rubrics import DEFAULT_SUPPORT_K
from evaluation.goldevidence.generator import queries
from evaluation.goldevidence.generator.rows import SCHEMA_VERSION, TITLE

#: What a row shows a system to read.
TEXTS = ("document", "book", "question", "candidates")
LONG = ("document", "book")
#: What `meta` repeats of the question, and whether that stands before and after the candidates.
SAID = ("key", "query_type", "derived_op", "derived_manager", "requires_citation", "max_support_k")
META = (*SAID, "query_sandwich")
#: What `meta` of a published data set may hold besides: its ids and texts are known as they are.
LABELS = ("q_index", "state_mode", "distractor_profile", "steps", "condition")
FIELDS = frozenset({"id", "episode_id", "schema_version", "meta", *TEXTS})
LINE = frozenset({"uid", "step", "op", "key", "value", "remark"})
CANDIDATES = "candidates"


def named(unit: str, rows: Iterable[Row], key: str) -> tuple[str, list[Row]]:
    """The unit and its rows (with gold, as generated) under keyed ids; so are the titles of their texts.

    A twin has an id and a title of its own: nothing but its text tells that it is one, and of which episode.
    """
    titled: dict[tuple[str, str], str] = {}  # rows of an episode go on sharing their texts
    found = []
    for row in rows:
        episode, meta = row["episode_id"], row["meta"]
        name = f"{meta['seed']}:{episode}"
        condition = meta.get("condition") or CLOSED_BOOK
        known = keyed_ids.unit_id(key, unit=name, kind="episode")
        for text in LONG:
            if text in row and (text, episode) not in titled:
                _, _, below = row[text].partition("\n")
                titled[text, episode] = f"{TITLE} {known}\n{below}"
        row_id = keyed_ids.row_id(key, unit=name, question=f"Q{meta['q_index']:03d}", condition=condition)
        texts = {text: titled[text, episode] for text in LONG if text in row}
        if "twin_group" in meta:
            meta = meta | {"twin_group": _unit_id(key, meta["seed"], unit)}
        found.append(row | {"id": row_id, "episode_id": known, "meta": meta} | texts)
    return _unit_id(key, found[0]["meta"]["seed"], unit) if found else unit, found


def _unit_id(key: str, seed: int, unit: str) -> str:
    return keyed_ids.unit_id(key, unit=f"{seed}:{unit}")


def public_row(row: Row, *, labels: bool) -> Row:
    """The row without gold, and without what helps to find it."""
    known, names = row["meta"], (*META, *LABELS) if labels else META
    meta = {name: known[name] for name in names if name in known}
    if meta.get("derived_op") == "reports":  # its key is one that the answer names
        meta.pop("key", None)
    if not labels and not meta.get("requires_citation"):  # then the question names no number
        meta.pop("max_support_k", None)
    hidden = {"gold"} if labels or any(row.get(name) for name in LONG) else {"gold", "episode_id"}
    return {name: value for name, value in row.items() if name not in hidden} | {"meta": meta}


def kind_of(row: Mapping[str, Any]) -> str:
    """What a public row shows of its condition: whether it shows the whole text or candidates."""
    return CLOSED_BOOK if row.get("candidates") is None else CANDIDATES


def overtold(row: Mapping[str, Any]) -> Iterator[str]:
    """What a public row says beside its text and its id, each in a few words; nothing where it is as it has to be."""
    yield from (f"the field {name!r}" for name in row.keys() - FIELDS)
    if row.get("schema_version") != SCHEMA_VERSION:
        yield "the schema version"
    asked = queries.read(row["question"])
    if asked is None:
        yield "a question in another form"
    elif _said(asked) != {name: value for name, value in row["meta"].items() if name in SAID}:
        yield "a meta that is not what the question says"
    yield from (f"meta.{name}" for name in row["meta"].keys() - set(META))
    yield from _overtold_in_texts(row)


def _overtold_in_texts(row: Mapping[str, Any]) -> Iterator[str]:
    texts = [row[name] for name in LONG if row.get(name)]
    if bool(texts) != ("episode_id" in row):
        yield "an episode without its text"
    if texts and not keyed_ids.is_keyed(row.get("episode_id")):
        yield "an episode_id of another form"
    for text in texts:
        if text.partition("\n")[0] != f"{TITLE} {row.get('episode_id')}":
            yield "the title of a text"
    for line in row.get("candidates") or ():
        yield from (f"{name!r} of a candidate" for name in line.keys() - LINE)


def _said(asked: queries.Asked) -> dict[str, Any]:
    """The meta that follows from a question."""
    meta: dict[str, Any] = {
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
