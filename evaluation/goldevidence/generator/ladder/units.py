"""Generates the units of a ladder: an episode at every length, with its questions and perhaps its twin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evaluation.goldevidence.data.rubrics import DEFAULT_SUPPORT_K
from evaluation.goldevidence.generator import queries, twins
from evaluation.goldevidence.generator.config import GeneratorConfig
from evaluation.goldevidence.generator.difficulty.wording import PUBLISHED
from evaluation.goldevidence.generator.episodes import Unit
from evaluation.goldevidence.generator.fields import DISGUISED
from evaluation.goldevidence.generator.ladder.design import Design, Tag, design
from evaluation.goldevidence.generator.ladder.episode import Writer, line_of
from evaluation.goldevidence.generator.ladder.layout import Episode, Layout, lay_out
from evaluation.goldevidence.generator.ladder.rungs import rung_name
from evaluation.goldevidence.generator.ladder.settings import Ladder
from evaluation.goldevidence.generator.log import Log
from evaluation.goldevidence.generator.prf import below, draw, threshold
from evaluation.goldevidence.generator.queries import Draft, Query, State
from evaluation.goldevidence.generator.renaming import Renaming, salt_named
from evaluation.goldevidence.generator.rows import SCHEMA_VERSION, TITLE, link_of
from evaluation.goldevidence.generator.telling import Disguised, asked_of, renamed_flip
from evaluation.goldevidence.generator.twins import DRAWS, Flip, flipped_keys, flipped_value
from evaluation.goldevidence.records import EpisodeRow, Meta

#: As long as the published id of an episode.
_KEYED = "u0a0a0a0a0a0a"


def ladder_units(config: GeneratorConfig, ladder: Ladder, seed: int, *, first: int) -> Iterator[Unit]:
    """Yield one unit per episode, rows shortest first. An episode's number, from `first`, determines its design."""
    for index in range(config.episodes):
        names = ("goldevidence", "ladder", config.state_mode, config.distractor_profile, seed, index)
        planned = design(config, ladder, first + index - 1, *names)
        if config.revision >= DISGUISED:
            yield _disguised_unit(config, ladder, seed, f"E{first + index:04d}", planned, names)
            continue
        episode = lay_out(config, ladder.lengths, Writer(config, planned, names), f"{TITLE} {_KEYED}")
        yield _unit(config, seed, f"E{first + index:04d}", episode, planned, names)


def _unit(
    config: GeneratorConfig,
    seed: int,
    name: str,
    episode: Episode,
    planned: Design,
    names: tuple[object, ...],
) -> Unit:
    drafted, tags = _drafts(config, planned, names)
    flipped = flips(episode, drafted, names) if config.twins else []
    state = episode.writer.log.state
    world = state | {flip.entry.key: flip.entry for flip in flipped}
    worlds: list[State] = [state, world] if flipped else [state]
    asked = queries.choose(config, drafted, worlds)
    rows: list[EpisodeRow] = []
    for layout in episode.layouts:
        metas = list(_metas(config, seed, name, episode, layout, planned, tags, asked))
        for variant, held, changed in (("base", state, []), ("twin", world, flipped))[: len(worlds)]:
            linked = [meta | link_of(config, name, variant, flipped) for meta in metas] if flipped else metas
            rows += _rows(config, name, episode, layout, asked, linked, held, changed)
    return Unit(name, rows)


def _disguised_unit(
    config: GeneratorConfig,
    ladder: Ladder,
    seed: int,
    name: str,
    planned: Design,
    names: tuple[object, ...],
) -> Unit:
    """Generate a unit in which each text has its own names and padding."""
    drafted, tags = _drafts(config, planned, names)
    plot = _plot(config, planned, names)
    state, flipped = plot.state, twins.choose_half(plot, drafted, *names) if config.twins else []
    worlds: list[State] = [state, state | {flip.entry.key: flip.entry for flip in flipped}]
    asked = queries.choose(config, drafted, worlds if flipped else worlds[:1])
    entries = plot.ledger.copy()
    for place, entry in flipped:
        entries[place] = entry
    ledgers = {"base": plot.ledger, "twin": entries} if flipped else {"": plot.ledger}
    rows: list[EpisodeRow] = []
    for length in ladder.lengths:
        for variant, ledger in ledgers.items():
            text = ("text", rung_name(length), variant)
            wording = Disguised(PUBLISHED, Renaming(salt_named(*names, *text), config.state_mode), {}, {})
            writer = Writer(config, planned, names, text=text, wording=wording, plot=ledger)
            episode = lay_out(config, (length,), writer, f"{TITLE} {_KEYED}")
            changed = [renamed_flip(flip, wording.renaming) for flip in flipped]
            link: Meta = link_of(config, name, variant, changed) if variant else {}
            metas = [
                meta | link
                for meta in _metas(config, seed, name, episode, episode.layouts[0], planned, tags, asked)
            ]
            rows += _told_rows(config, name, variant, episode, asked, metas, wording)
    return Unit(name, rows)


def _plot(config: GeneratorConfig, planned: Design, names: tuple[object, ...]) -> Log:
    writer = Writer(config, planned, names)
    for _ in writer.anchors():
        pass
    return writer.log


def _told_rows(
    config: GeneratorConfig,
    name: str,
    variant: str,
    episode: Episode,
    asked: Sequence[Query],
    metas: Sequence[Meta],
    wording: Disguised,
) -> Iterator[EpisodeRow]:
    [layout], renaming = episode.layouts, wording.renaming
    own = f"{name}{'T' if variant == 'twin' else ''}-{rung_name(layout.length)}"
    document = episode.text(f"{TITLE} {name}", layout, {})
    state = {renaming.tag(key): wording.entry(entry) for key, entry in episode.writer.log.state.items()}
    for query, meta in zip(asked, metas, strict=True):
        about, ordered = asked_of(query, renaming), meta["instruction_value"]
        renamed: Meta = {
            "key": about.key,
            "derived_manager": about.manager,
            "instruction_value": ordered and renaming.value(ordered),
            "disguise": renaming.salt.hex(),
        }
        yield {
            "id": f"{own}-Q{meta['q_index']:03d}",
            "episode_id": own,
            "schema_version": SCHEMA_VERSION,
            "document": document,
            "question": queries.text(about, config),
            "gold": queries.gold(about, state),
            "meta": meta | renamed,
        }


def _drafts(
    config: GeneratorConfig, planned: Design, names: tuple[object, ...]
) -> tuple[list[Draft], list[Tag]]:
    tags = list(planned.tags[: config.queries])
    derived = threshold(config.derived_query_rate)
    faces = list(draw(*names, "questions", rows=len(tags), faces=2))
    for place, (face, _) in enumerate(faces):
        other = place + below(face, len(tags) - place)
        tags[place], tags[other] = tags[other], tags[place]
    return [Draft(tag.key, face < derived) for tag, (_, face) in zip(tags, faces, strict=True)], tags


def _metas(
    config: GeneratorConfig,
    seed: int,
    name: str,
    episode: Episode,
    layout: Layout,
    planned: Design,
    tags: Sequence[Tag],
    asked: Sequence[Query],
) -> Iterator[Meta]:
    orders, since = episode.orders(layout), episode.claims_since(layout)
    split, last = rung_name(layout.length), episode.writer.log.state
    most = config.max_support_k
    for number, (query, tag) in enumerate(zip(asked, tags, strict=True), 1):
        place = episode.place_of(last[tag.key].uid)
        order = orders.get(tag.key)
        meta: Meta = {
            "seed": seed,
            "steps": layout.step,
            "requires_citation": config.require_citations,
            "key": query.key,
            "q_index": number,
            "state_mode": config.state_mode,
            "distractor_profile": config.distractor_profile,
            "query_type": "derived" if query.derived_op else "direct",
            "derived_op": query.derived_op,
            "derived_manager": query.manager,
            "has_instruction": order is not None,
            "instruction_value": order.value if order else None,
            "instruction_variant": order.variant if order else None,
            "last_update_step": layout.steps[place],
            "tokens_since_update": layout.reached - layout.ends[place],
            "distractors_since_update": since[place][tag.key],
            "writes_to_key": tag.cell.writes,
            "instruction_nearby": episode.is_ordered_since(layout, place, tag.key),
            "condition": split,
            "length": split,
            "depth": f"{tag.cell.depth:g}",
            "distractor_share": f"{planned.share:g}",
            "ladder_group": name,
        }
        yield meta if most == DEFAULT_SUPPORT_K else meta | {"max_support_k": most}


def _rows(
    config: GeneratorConfig,
    name: str,
    episode: Episode,
    layout: Layout,
    asked: Sequence[Query],
    metas: Sequence[Meta],
    state: State,
    changed: Sequence[Flip],
) -> Iterator[EpisodeRow]:
    """Build the rows of one text. The text of a twin has its own id, but the title of the original episode."""
    own = f"{name}{'T' if changed else ''}-{rung_name(layout.length)}"
    instead = {flip.place: line_of(flip.entry) for flip in changed}
    document = episode.text(f"{TITLE} {name}", layout, instead)
    for query, meta in zip(asked, metas, strict=True):
        yield {
            "id": f"{own}-Q{meta['q_index']:03d}",
            "episode_id": own,
            "schema_version": SCHEMA_VERSION,
            "document": document,
            "question": queries.text(query, config),
            "gold": queries.gold(query, state),
            "meta": meta,
        }


def flips(episode: Episode, drafted: Sequence[Draft], names: tuple[object, ...]) -> list[Flip]:
    """Choose changes as `twins.choose_half` does. `place` of a Flip: number of the anchor. `names`: the random seed."""
    keys = list(flipped_keys(drafted))
    dice = list(draw(*names, "flips", rows=DRAWS * len(keys), faces=2))
    return [_flip(episode, key, dice[DRAWS * n : DRAWS * (n + 1)]) for n, key in enumerate(keys)]


def _flip(episode: Episode, key: str, dice: Sequence[tuple[int, ...]]) -> Flip:
    log = episode.writer.log
    entry = log.state[key]
    place = episode.place_of(entry.uid)
    claimed = [line.text for gap in episode.gaps[place:] for line in gap.lines if line.claims == key]
    later = "\n".join(claimed)
    value = flipped_value(log, entry, dice, lambda value: f"{key} = {value}" in later)
    return Flip(place, entry._replace(op="SET", value=value))
