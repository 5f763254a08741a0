"""Episodes: the steps of a log, and the unit (an episode with its twin) that is graded together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from evaluation.core.suite import Row
from evaluation.goldevidence.generator import queries, rows, twins
from evaluation.goldevidence.generator.config import GeneratorConfig
from evaluation.goldevidence.generator.distractors import PROFILES, distractor
from evaluation.goldevidence.generator.log import FAKE_UID, Log
from evaluation.goldevidence.generator.modes import MODES, managers
from evaluation.goldevidence.generator.prf import FACES, draw, threshold
from evaluation.goldevidence.generator.queries import State


@dataclass(frozen=True, slots=True)
class Unit:
    """One episode with its twin: what the bootstrap resamples. Rows of one variant share their texts."""

    key: str
    rows: list[Row]


def generate_units(config: GeneratorConfig, seed: int = 0, *, first: int = 1) -> Iterator[Unit]:
    """The episodes of one seed, numbered from `first`. What happens in one does not depend on its number."""
    names = ("goldevidence", config.state_mode, config.distractor_profile, seed)
    for index in range(config.episodes):
        yield _unit(config, seed, f"E{first + index:04d}", (*names, index))


def _unit(config: GeneratorConfig, seed: int, episode: str, names: tuple[object, ...]) -> Unit:
    log = write_log(config, *names)
    flip = twins.choose(log, *names) if config.twins else None
    worlds: list[State] = [log.state]
    if flip:
        worlds.append(log.state | {flip.entry.key: flip.entry})
    asked = queries.choose(config, worlds, flip.entry.key if flip else None, *names)
    return Unit(episode, rows.episode_rows(config, seed, episode, log, flip, asked))


def write_log(config: GeneratorConfig, *names: object) -> Log:
    """The log of one episode: an update per step, then the tail; distractors and traps in between."""
    keys = [f"tag.{number:02d}" for number in range(config.keys)]
    log = Log(MODES[config.state_mode], keys, managers(config.keys))
    profile = PROFILES[config.distractor_profile]
    disturbed, count = threshold(config.distractor_rate), len(keys)
    tail = config.steps - config.tail_distractor_steps
    starts = {
        1 + chapter * config.steps // config.chapters: chapter + 1 for chapter in range(config.chapters)
    }
    update = _updates(config, log)
    dice = draw(*names, "steps", rows=config.steps, faces=13)
    for step, (k, op, u, a, b, chance, wander, c, d, trap, key_of_trap, e, f) in enumerate(dice, 1):
        if step in starts:
            log.say(f"\n### Segment {starts[step]}", f"\n## Chapter {starts[step]}")
        key = keys[k * count >> 32]
        if step <= tail:
            update(step, key, op, u, a, b)
        if step > tail or chance < disturbed:
            distractor(log, step, keys[wander * count >> 32] if profile.wanders else key, c, d)
        for limit, lay in profile.wheel:
            if trap < limit:
                lay(log, step, keys[key_of_trap * count >> 32] if profile.wanders else key, e, f)
                break
    return log


def _updates(config: GeneratorConfig, log: Log) -> Callable[[int, str, int, int, int, int], None]:
    """Writes the update of one step from its dice: one each for operation and id, two for the value.

    The first update is a SET, and the last live key is never cleared: every episode ends with something
    to ask about and to flip.
    """
    note = threshold(config.note_rate) if log.mode.notes else 0
    clear = note + threshold(config.clear_rate)
    used = {FAKE_UID}

    def update(step: int, key: str, op: int, number: int, a: int, b: int) -> None:
        uid = f"U{number >> 8:06X}"
        while uid in used:
            number = (number + 256) % FACES
            uid = f"U{number >> 8:06X}"
        used.add(uid)
        if op < note and log.state:
            log.update(uid, step, "NOTE", key, log.decoy(key, a, b))
        elif note <= op < clear and key in log.values and len(log.values) > 1:
            log.update(uid, step, "CLEAR", key, None)
        else:
            log.update(uid, step, "SET", key, log.decoy(key, a, b))

    return update
