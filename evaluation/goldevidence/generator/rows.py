"""Builds the rows of an episode: texts, questions, gold and meta in the benchmark's row format."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from evaluation.goldevidence.data import book, recency
from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.data.rubrics import DEFAULT_SUPPORT_K
from evaluation.goldevidence.generator import queries
from evaluation.goldevidence.generator.difficulty import episode as difficulty
from evaluation.goldevidence.generator.log import Log
from evaluation.goldevidence.generator.queries import Query, State
from evaluation.goldevidence.generator.renaming import Renaming
from evaluation.goldevidence.generator.twins import Flip
from evaluation.goldevidence.records import EpisodeRow, Gold, Meta

if TYPE_CHECKING:
    from evaluation.goldevidence.generator.config import GeneratorConfig

SCHEMA_VERSION = "0.1"
Orders = Mapping[str, tuple[str, str]]  # key -> its latest instruction: value, variant
TITLE = "# GoldEvidenceBench Episode"  # the first line of both texts, followed by the id


def episode_rows(
    config: GeneratorConfig,
    seed: int,
    episode: str,
    log: Log,
    flips: Sequence[Flip],
    asked: Sequence[Query],
) -> list[EpisodeRow]:
    """Return the rows of an episode, of its twin (ids end in T) and, from revision 2, without instructions (C)."""
    title = f"{TITLE} {episode}"
    document, text = _texts(config, title, log, log.lines, log.prose, log.pages)
    metas = _metas(config, seed, document, log, log.lines, asked, log.orders)
    twin_rows: list[EpisodeRow] = []
    base_metas = metas
    if flips:
        base_metas = [meta | link_of(config, episode, "base", flips) for meta in metas]
        world = log.state | {flip.entry.key: flip.entry for flip in flips}
        changed, *others = _flipped(log, flips)
        texts = _texts(config, title, log, changed, *others)
        if any(
            log.ledger[flip.place].op != flip.entry.op for flip in flips
        ):  # a SET in place of a CLEAR has more words
            metas = _metas(config, seed, texts[0], log, changed, asked, log.orders)
        twin_metas = [meta | link_of(config, episode, "twin", flips) for meta in metas]
        ledger = _ledger(config, log, flips)
        twin_rows = _rows(config, f"{episode}T", *texts, world, asked, twin_metas, ledger)
    clean_rows: list[EpisodeRow] = []
    if config.revision > 1 and any(meta["has_instruction"] for meta in metas):
        base_metas = [
            meta | _pairing(episode, "with" if meta["has_instruction"] else "") for meta in base_metas
        ]
        clean_rows = _without_instructions(config, seed, episode, log, asked)
    ledger = _ledger(config, log)
    base_rows = _rows(config, episode, document, text, log.state, asked, base_metas, ledger)
    return [*base_rows, *twin_rows, *clean_rows]


class Told(NamedTuple):
    """One text of an episode: its log, and the questions in the names of this text."""

    log: Log
    renaming: Renaming
    asked: Sequence[Query]
    flips: Sequence[Flip]  # changes of the twin under the names of this text; empty without a twin


def disguised_rows(
    config: GeneratorConfig, seed: int, episode: str, base: Told, twin: Told | None, clean: Told | None
) -> list[EpisodeRow]:
    """Like `episode_rows`, for texts that each have their own names. `clean` is the text without instructions."""
    ordered = [query.key in base.log.orders for query in base.asked]

    def linked(place: int, variant: str) -> Meta:
        pairing = _pairing(episode, "with" if ordered[place] else "") if clean and variant == "base" else {}
        flips = (twin if twin and variant == "twin" else base).flips
        return (link_of(config, episode, variant, flips) if twin else {}) | pairing

    made = [*_told_rows(config, seed, episode, base, [linked(n, "base") for n in range(len(ordered))])]
    if twin is not None:
        links = [linked(n, "twin") for n in range(len(ordered))]
        made += _told_rows(config, seed, f"{episode}T", twin, links)
    if clean is not None:
        pairs = [_pairing(episode, "without") if one else None for one in ordered]
        made += _told_rows(config, seed, f"{episode}C", clean, pairs)
    return made


def _told_rows(
    config: GeneratorConfig, seed: int, episode: str, told: Told, links: Sequence[Meta | None]
) -> Iterator[EpisodeRow]:
    log = told.log
    document, text = _texts(config, f"{TITLE} {episode}", log, log.lines, log.prose, log.pages)
    named: Meta = {"disguise": told.renaming.salt.hex()}
    metas = [
        meta | link | named
        for meta, link in zip(
            _metas(config, seed, document, log, log.lines, told.asked, log.orders), links, strict=True
        )
        if link is not None
    ]
    asked = [query for query, link in zip(told.asked, links, strict=True) if link is not None]
    return iter(_rows(config, episode, document, text, log.state, asked, metas, _ledger(config, log)))


def link_of(config: GeneratorConfig, episode: str, variant: str, flips: Sequence[Flip]) -> Meta:
    """Return the meta fields that link a row to the rows of its twin; `variant` is base or twin."""
    entries = [flip.entry for flip in flips]
    link: Meta = {
        "twin_group": episode,
        "twin_variant": variant,
        "twin_flip_uid": entries[0].uid,
        "twin_flip_key": entries[0].key,
    }
    if config.revision == 1:
        return link
    return link | {
        "twin_flip_uids": [entry.uid for entry in entries],
        "twin_flip_keys": [entry.key for entry in entries],
    }


def _pairing(episode: str, side: str) -> Meta:
    pairing: Meta = {"instruction_group": episode}
    if side:
        pairing["instruction_pair"] = side
    return pairing


def _without_instructions(
    config: GeneratorConfig, seed: int, episode: str, log: Log, asked: Sequence[Query]
) -> list[EpisodeRow]:
    """Build the rows about keys with an instruction again, with texts from which the instructions are removed."""
    lines, prose = (
        [line for number, line in enumerate(lines) if number not in log.order_lines]
        for lines in (log.lines, log.prose)
    )
    document, text = _texts(config, f"{TITLE} {episode}", log, lines, prose, log.pages)
    metas = [
        meta | _pairing(episode, "without")
        for meta in _metas(config, seed, document, log, log.lines, asked, {}, log.order_lines)
    ]
    chosen = [number for number, query in enumerate(asked) if query.key in log.orders]
    return _rows(
        config,
        f"{episode}C",
        document,
        text,
        log.state,
        [asked[number] for number in chosen],
        [metas[number] for number in chosen],
        _ledger(config, log),
    )


def _texts(
    config: GeneratorConfig,
    title: str,
    log: Log,
    lines: Sequence[str],
    prose: Sequence[str],
    pages: Sequence[str],
) -> tuple[str, str]:
    # A twin has the title of its base: no text tells them apart.
    if config.is_difficult:
        return difficulty.texts_of(config, title, log, lines, prose, pages)
    document = "\n".join([title, "", "## Episode Log", *lines, ""])
    return document, book.render(title, log.keys, prose, pages)


def _flipped(log: Log, flips: Sequence[Flip]) -> tuple[list[str], list[str], list[str]]:
    lines, prose, pages = log.lines.copy(), log.prose.copy(), log.pages.copy()
    for place, entry in flips:
        number = log.line_of[place]
        lines[number], prose[number], pages[place] = log.wording.update(entry)
    return lines, prose, pages


def _ledger(config: GeneratorConfig, log: Log, flips: Sequence[Flip] = ()) -> str:
    if not config.has_hidden_ledger:
        return ""
    entries: list[Entry] = log.ledger.copy()
    for place, entry in flips:
        entries[place] = entry
    return difficulty.explicit(entries)


def _metas(
    config: GeneratorConfig,
    seed: int,
    document: str,
    log: Log,
    lines: Sequence[str],
    asked: Sequence[Query],
    orders: Orders,
    without: Collection[int] = (),
) -> list[Meta]:
    keys = {query.key: None for query in asked}
    if config.is_reworded:
        recencies = difficulty.measure(log, lines, without, keys)
    else:
        recencies = recency.measure(document, log.ledger, keys)
    most = config.max_support_k  # rows state only an unusual limit
    asked_support: Meta = {} if most == DEFAULT_SUPPORT_K else {"max_support_k": most}
    metas: list[Meta] = []
    for number, query in enumerate(asked, 1):
        value, variant = orders.get(query.key, (None, None))
        metas.append(
            {
                "seed": seed,
                "steps": config.steps,
                "requires_citation": config.require_citations,
                "key": query.key,
                "q_index": number,
                "state_mode": config.state_mode,
                "distractor_profile": config.distractor_profile,
                "query_type": "derived" if query.derived_op else "direct",
                "derived_op": query.derived_op,
                "derived_manager": query.manager,
                "has_instruction": variant is not None,
                "instruction_value": value,
                "instruction_variant": variant,
                **recencies[query.key],
                **asked_support,
            }
        )
        if query.name is not None:
            metas[-1]["asked_as"] = query.name.kind
    return metas


def _rows(
    config: GeneratorConfig,
    episode: str,
    document: str,
    text: str,
    state: State,
    asked: Sequence[Query],
    metas: Sequence[Meta],
    ledger: str,
) -> list[EpisodeRow]:
    return [
        {
            "id": f"{episode}-Q{meta['q_index']:03d}",
            "episode_id": episode,
            "schema_version": SCHEMA_VERSION,
            "document": document,
            "book": text,
            "question": queries.text(query, config),
            "gold": _gold(query, state, ledger),
            "meta": meta,
        }
        for query, meta in zip(asked, metas, strict=True)
    ]


def _gold(query: Query, state: State, ledger: str) -> Gold:
    answer = queries.gold(query, state)
    if ledger:
        answer["ledger"] = ledger
    return answer
