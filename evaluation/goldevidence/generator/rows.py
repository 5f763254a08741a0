"""The rows of an episode: its texts, questions, gold and meta in the benchmark's row format."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evaluation.core.suite import Row
from evaluation.goldevidence.data import book, recency
from evaluation.goldevidence.data.rubrics import DEFAULT_SUPPORT_K
from evaluation.goldevidence.generator import queries
from evaluation.goldevidence.generator.config import GeneratorConfig
from evaluation.goldevidence.generator.log import Log, written
from evaluation.goldevidence.generator.queries import Query, State
from evaluation.goldevidence.generator.twins import Flip

SCHEMA_VERSION = "0.1"
TITLE = "# GoldEvidenceBench Episode"  # and its id: the first line of both texts


def episode_rows(
    config: GeneratorConfig, seed: int, episode: str, log: Log, flip: Flip | None, asked: Sequence[Query]
) -> list[Row]:
    """The rows of the base and, with a flip, of its twin. Rows of one variant share their two texts."""
    title = f"{TITLE} {episode}"
    document, text = _texts(title, log, log.lines, log.prose, log.pages)
    metas = _metas(config, seed, document, log, asked)
    if flip is None:
        return _rows(config, episode, document, text, log.state, asked, metas)
    twin = f"{episode}T"
    link = {
        "twin_group": episode,
        "twin_variant": "base",
        "twin_flip_uid": flip.entry.uid,
        "twin_flip_key": flip.entry.key,
    }
    base_rows = _rows(config, episode, document, text, log.state, asked, [meta | link for meta in metas])
    link["twin_variant"] = "twin"
    document, text = _texts(title, log, *_flipped(log, flip))
    world = log.state | {flip.entry.key: flip.entry}
    return base_rows + _rows(config, twin, document, text, world, asked, [meta | link for meta in metas])


def _texts(
    title: str, log: Log, lines: Sequence[str], prose: Sequence[str], pages: Sequence[str]
) -> tuple[str, str]:
    """Document and book. A twin has the title of its base: nothing in the text tells them apart."""
    document = "\n".join([title, "", "## Episode Log", *lines, ""])
    return document, book.render(title, log.keys, prose, pages)


def _flipped(log: Log, flip: Flip) -> tuple[list[str], list[str], list[str]]:
    """The log's lines, prose and pages with one entry exchanged in all three."""
    lines, prose, pages = log.lines.copy(), log.prose.copy(), log.pages.copy()
    at = log.line_of[flip.place]
    lines[at], prose[at], pages[flip.place] = written(flip.entry)
    return lines, prose, pages


def _metas(
    config: GeneratorConfig, seed: int, document: str, log: Log, asked: Sequence[Query]
) -> list[dict[str, Any]]:
    """The meta of every question. It holds for the twin too: a flip moves no line and adds no word."""
    recencies = recency.measure(document, log.ledger, {query.key: None for query in asked})
    most = config.max_support_k  # rows that ask for the usual number do not say so
    asked_support = {} if most == DEFAULT_SUPPORT_K else {"max_support_k": most}
    metas = []
    for number, query in enumerate(asked, 1):
        value, variant = log.orders.get(query.key, (None, None))
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
    return metas


def _rows(
    config: GeneratorConfig,
    episode: str,
    document: str,
    text: str,
    state: State,
    asked: Sequence[Query],
    metas: Sequence[dict[str, Any]],
) -> list[Row]:
    return [
        {
            "id": f"{episode}-Q{meta['q_index']:03d}",
            "episode_id": episode,
            "schema_version": SCHEMA_VERSION,
            "document": document,
            "book": text,
            "question": queries.text(query, config),
            "gold": queries.gold(query, state),
            "meta": meta,
        }
        for query, meta in zip(asked, metas, strict=True)
    ]
