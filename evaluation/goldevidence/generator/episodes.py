"""Generates episodes and their twins. An episode with its twin is a unit, which is graded together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.generator import queries, rows, twins
from evaluation.goldevidence.generator.difficulty.episode import named_by, wording_of
from evaluation.goldevidence.generator.distractors import PROFILES, distractor
from evaluation.goldevidence.generator.fields import DISGUISED
from evaluation.goldevidence.generator.log import Log
from evaluation.goldevidence.generator.modes import MODES, managers
from evaluation.goldevidence.generator.pace import Pace, Value
from evaluation.goldevidence.generator.prf import draw, free_id, threshold
from evaluation.goldevidence.generator.queries import Draft, Query, State
from evaluation.goldevidence.generator.telling import asked_of, renamed_flip, tell
from evaluation.goldevidence.generator.twins import Flip
from evaluation.goldevidence.records import EpisodeRow

if TYPE_CHECKING:
    from evaluation.goldevidence.generator.config import GeneratorConfig


@dataclass(frozen=True, slots=True)
class Unit:
    """An episode with its twin (the same with some answers changed). Confidence intervals resample whole units."""

    key: str
    rows: list[EpisodeRow]


def generate_units(
    config: GeneratorConfig, seed: int = 0, *, first: int = 1, protocol: str = ""
) -> Iterator[Unit]:
    """Yield one unit per episode, numbered from `first`. From revision 3 on, the texts depend on `protocol`."""
    return (
        generate_unit(config, seed, index, first=first, protocol=protocol) for index in range(config.episodes)
    )


def generate_unit(
    config: GeneratorConfig, seed: int, index: int, *, first: int = 1, protocol: str = ""
) -> Unit:
    """Generate episode `index` (from 0) of a seed, independently of other episodes; see `generate_units`."""
    names = ("goldevidence", config.state_mode, config.distractor_profile, seed, index)
    episode = f"E{first + index:04d}"
    if config.revision >= DISGUISED:
        return _disguised_unit(config, seed, episode, names, protocol)
    return _unit(config, seed, episode, names)


def _disguised_unit(
    config: GeneratorConfig, seed: int, episode: str, names: tuple[object, ...], protocol: str
) -> Unit:
    """Generate a unit in which no two texts share names."""
    plot = write_log(config, *names, fills=False)
    drafted = queries.drafts(config, plot.state, None, *names)
    flips = twins.choose_half(plot, drafted, *names) if config.twins else []
    flipped = plot.ledger.copy()
    worlds: list[State] = [plot.state]
    if flips:
        worlds.append(plot.state | {flip.entry.key: flip.entry for flip in flips})
        for place, entry in flips:
            flipped[place] = entry
    asked = queries.choose(config, drafted, worlds)

    def told(variant: str, ledger: Sequence[Entry], *, orders: bool = True) -> rows.Told:
        log, renaming = tell(config, ledger, names, f"{protocol}{variant}", orders=orders)
        about = [asked_of(query, renaming) for query in asked]
        changed = [renamed_flip(flip, renaming) for flip in flips]
        named = _named(config, log, about, [flip.entry.uid for flip in changed])
        return rows.Told(log, renaming, named, changed)

    base = told("base", plot.ledger)
    twin = told("twin", flipped) if flips else None
    clean = told("clean", plot.ledger, orders=False) if base.log.orders else None
    return Unit(episode, rows.disguised_rows(config, seed, episode, base, twin, clean))


def _unit(config: GeneratorConfig, seed: int, episode: str, names: tuple[object, ...]) -> Unit:
    log = write_log(config, *names)
    flips, drafted = _flips_and_drafts(config, log, names)
    worlds: list[State] = [log.state]
    if flips:
        worlds.append(log.state | {flip.entry.key: flip.entry for flip in flips})
    uids = [flip.entry.uid for flip in flips]
    asked = _named(config, log, queries.choose(config, drafted, worlds), uids)
    return Unit(episode, rows.episode_rows(config, seed, episode, log, flips, asked))


def _named(
    config: GeneratorConfig, log: Log, asked: Sequence[Query], flipped: Sequence[str]
) -> Sequence[Query]:
    if not config.is_reworded:
        return asked
    calls = named_by(config, log, [query.key for query in asked], flipped)
    return [
        query if query.manager is not None else query._replace(name=name)
        for query, name in zip(asked, calls, strict=True)
    ]


def _flips_and_drafts(
    config: GeneratorConfig, log: Log, names: tuple[object, ...]
) -> tuple[list[Flip], list[Draft]]:
    """Choose the twin's changes and the questions. Only in revision 1 the changes are chosen first."""
    if config.revision == 1:
        flips = [twins.choose(log, *names)] if config.twins else []
        return flips, queries.drafts(config, log.state, flips[0].entry.key if flips else None, *names)
    drafted = queries.drafts(config, log.state, None, *names)
    return twins.choose_half(log, drafted, *names) if config.twins else [], drafted


def write_log(config: GeneratorConfig, *names: object, fills: bool = True) -> Log:
    """Write an episode's log, with distractors if `fills`. The last `tail_distractor_steps` steps have no update."""
    keys = [f"tag.{number:02d}" for number in range(config.keys)]
    wording = wording_of(config, keys, names)
    log = Log(
        MODES[config.state_mode],
        keys,
        managers(config.keys),
        wording=wording,
        near=config.near_values,
        names=names,
    )
    told = wording.told_at()
    profile = PROFILES[config.distractor_profile]
    disturbed, count = threshold(config.distractor_rate), len(keys)
    tail = config.steps - config.tail_distractor_steps
    starts = {
        1 + chapter * config.steps // config.chapters: chapter + 1 for chapter in range(config.chapters)
    }
    pace = Pace(draw(*names, "steps", rows=config.steps, faces=13), log.decoy)
    if profile.pace is not None:
        pace = profile.pace(log, pace.dice, tail, names)
    update = _updates(config, log, pace.value, profile.note)
    wanders, follows, wheel = profile.wanders, profile.follows, profile.wheel
    trapped = wheel[-1][0] if wheel else 0  # most steps have no trap
    for step, (k, op, u, a, b, chance, wander, c, d, trap, key_of_trap, e, f) in enumerate(pace.dice, 1):
        if step in starts:
            log.say("chapter", "", *wording.chapter(starts[step]))
        if step in told:
            for tag, name in told[step]:
                log.say("alias", tag, *wording.alias(step, tag, name))
        key = keys[k * count >> 32]
        if step <= tail:
            update(step, key, op, u, a, b)
        if not fills:
            continue
        if step > tail or chance < disturbed:
            distractor(log, step, keys[wander * count >> 32] if wanders else key, c, d)
        if trap < trapped:
            lay = next(each for limit, each in wheel if trap < limit)
            beside = not wanders or (follows and key_of_trap & 1)
            lay(log, step, key if beside else keys[key_of_trap * count >> 32], e, f)
    return log


def _updates(
    config: GeneratorConfig, log: Log, value: Value, note_of: Callable[[Log, str, int, int], str] | None
) -> Callable[[int, str, int, int, int, int], None]:
    """Return a function that writes one step's update.

    The first update is a SET, and the last key that has a value is never cleared: each episode ends with a value to ask
    for and to change in a twin.
    """
    note = threshold(config.note_rate) if log.mode.notes else 0
    clear = note + threshold(config.clear_rate)
    used, values, write = log.used, log.values, log.update

    def update(step: int, key: str, op: int, number: int, a: int, b: int) -> None:
        uid = f"U{number >> 8:06X}"
        if uid in used:
            uid = free_id(number, used)
        used.add(uid)
        if op < note and log.state:
            said = note_of(log, key, a, b) if note_of else log.decoy(key, a, b)
            write(uid, step, "NOTE", key, said)
        elif note <= op < clear and key in values and len(values) > 1:
            write(uid, step, "CLEAR", key, None)
        else:
            write(uid, step, "SET", key, value(key, a, b))

    return update
