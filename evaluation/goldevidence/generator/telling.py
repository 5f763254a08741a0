"""Writes each text of an episode independently from the same plot (the ledger), from revision 3 on.

A text keeps the updates and their order under its own renaming, with its own distractors, instructions, asides, aliases
and chapter breaks. The texts of an episode and its twin have no more in common than the texts of two episodes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.generator.difficulty.episode import draw_aliases, wording_with
from evaluation.goldevidence.generator.difficulty.wording import Alias, Said, Wording
from evaluation.goldevidence.generator.distractors import ORDERING, PROFILES, distractor
from evaluation.goldevidence.generator.log import Log
from evaluation.goldevidence.generator.modes import MODES, managers
from evaluation.goldevidence.generator.prf import FACES, below, draw, salt_of, threshold
from evaluation.goldevidence.generator.queries import Query
from evaluation.goldevidence.generator.renaming import Renaming, renamed_steps, salt_named
from evaluation.goldevidence.generator.twins import Flip

if TYPE_CHECKING:
    from evaluation.goldevidence.generator.config import GeneratorConfig

#: Random shift of a chapter's start, as a share of a chapter.
JITTER = 0.4


class Disguised(Wording):
    """A wording that renames the tags, values, ids and steps that it writes. Keys of `aliases` are original tags."""

    def __init__(
        self, inner: Wording, renaming: Renaming, steps: Mapping[int, int], aliases: Mapping[str, Alias]
    ) -> None:
        """`steps` maps plot steps to text steps (default: unchanged). `aliases` uses the tags and steps of the plot."""
        self.inner, self.renaming, self.aliases = inner, renaming, aliases
        self.published, self.ids_in_claims, self.salt = inner.published, inner.ids_in_claims, inner.salt
        self._steps = steps
        self._known: dict[Entry, Entry] = {}

    def entry(self, entry: Entry) -> Entry:
        if (renamed := self._known.get(entry)) is None:
            renamed = self._known[entry] = self.renaming.entry(entry, self.step(entry.step))
        return renamed

    def step(self, step: int) -> int:
        return self._steps.get(step, step)

    def update(self, entry: Entry) -> tuple[str, str, str]:
        return self.inner.update(self.entry(entry))

    def page(self, entry: Entry) -> str:
        return self.inner.page(self.entry(entry))

    def named_in_text(self, key: str) -> str:
        return self.renaming.tag(key)

    def claim(self, kind: str, step: int, key: str, value: str = "", uid: str = "") -> Said:
        renaming = self.renaming
        return self.inner.claim(
            kind,
            self.step(step),
            renaming.tag(key),
            renaming.value(value) if value else "",
            renaming.uid(uid) if uid else "",
        )

    def alias(self, step: int, key: str, name: str) -> Said:
        return self.inner.alias(self.step(step), self.renaming.tag(key), name)

    def chapter(self, number: int) -> Said:
        return self.inner.chapter(number)


def tell(
    config: GeneratorConfig,
    plot: Sequence[Entry],
    names: tuple[object, ...],
    text: str,
    *,
    orders: bool = True,
) -> tuple[Log, Renaming]:
    """Write one text of an episode. Returns its log and its renaming.

    `plot` is the ledger by rising step; `text` identifies this text among those of the episode. If `orders` is false,
    the text has no lines that instruct an answer.
    """
    own = (*names, "text", text)
    renaming = Renaming(salt_named(*own), config.state_mode)
    keys = [f"tag.{number:02d}" for number in range(config.keys)]
    wording = _wording(config, keys, own, renaming)
    log = Log(
        MODES[config.state_mode],
        keys,
        managers(config.keys),
        wording=wording,
        near=config.near_values,
        names=own,
    )
    _Teller(config, log, own, orders=orders).tell(plot)
    return _renamed(log, wording), renaming


def asked_of(query: Query, renaming: Renaming) -> Query:
    """Return a question about the plot in the names that a text uses."""
    manager = None if query.manager is None else renaming.value(query.manager)
    return query._replace(key=renaming.tag(query.key), manager=manager)


def renamed_flip(flip: Flip, renaming: Renaming) -> Flip:
    """Return a changed entry in the names that a text uses. Its step remains that of the plot."""
    return flip._replace(entry=renaming.entry(flip.entry, flip.entry.step))


class _Teller:
    """Writes the updates of a plot step by step, with randomly drawn lines between them."""

    def __init__(self, config: GeneratorConfig, log: Log, names: tuple[object, ...], *, orders: bool) -> None:
        self._config, self._log, self._names = config, log, names
        self._profile = PROFILES[config.distractor_profile]
        self._orders = orders

    def tell(self, plot: Sequence[Entry]) -> None:
        config, log = self._config, self._log
        written = {step: list(entries) for step, entries in groupby(plot, attrgetter("step"))}
        headings, told = dict(self._headings()), log.wording.told_at()
        tail, disturbed = (
            config.steps - config.tail_distractor_steps,
            threshold(config.distractor_rate),
        )
        newest = log.keys[0]
        for step, (chance, *dice) in enumerate(draw(*self._names, "between", rows=config.steps, faces=8), 1):
            if step in headings:
                log.say("chapter", "", *log.wording.chapter(headings[step]))
            for tag, name in told.get(step, ()):
                log.say("alias", tag, *log.wording.alias(step, tag, name))
            for entry in written.get(step, ()):
                log.used.add(entry.uid)
                log.update(*entry)
                newest = entry.key
            self._disturb(step, newest, dice, claims=step > tail or chance < disturbed)

    def _disturb(self, step: int, newest: str, dice: Sequence[int], *, claims: bool) -> None:
        wander, c, d, trap, key_of_trap, e, f = dice
        log, profile, keys = self._log, self._profile, self._log.keys
        if claims:
            distractor(log, step, keys[below(wander, len(keys))] if profile.wanders else newest, c, d)
        lay = next((each for limit, each in profile.wheel if trap < limit), None)
        if lay is None or (lay in ORDERING and not self._orders):
            return
        beside = not profile.wanders or (profile.follows and key_of_trap & 1)
        lay(log, step, newest if beside else keys[below(key_of_trap, len(keys))], e, f)

    def _headings(self) -> Iterator[tuple[int, int]]:
        """Yield (step, chapter number), so that chapters are about equally long and none is empty."""
        chapters, steps = self._config.chapters, self._config.steps
        dice = draw(*self._names, "chapters", rows=chapters, faces=1)
        last = 0
        for chapter, (die,) in enumerate(dice):
            moved = chapter + (2 * die / FACES - 1) * JITTER if chapter else 0
            last = min(max(last + 1, 1 + int(moved * steps / chapters)), steps - chapters + chapter + 1)
            yield last, chapter + 1


def _wording(
    config: GeneratorConfig, keys: Sequence[str], names: tuple[object, ...], renaming: Renaming
) -> Disguised:
    salt, steps = salt_of(*names, "wording"), renamed_steps(renaming.salt, range(1, config.steps + 1))
    aliases = draw_aliases(keys, config.steps, config.aliases, salt) if config.is_reworded else {}
    told = {renaming.tag(key): Alias(name, steps[since]) for key, (name, since) in aliases.items()}
    return Disguised(wording_with(config, salt, told), renaming, steps, aliases)


def _renamed(log: Log, wording: Disguised) -> Log:
    tag, value = wording.renaming.tag, wording.renaming.value
    log.ledger = [wording.entry(entry) for entry in log.ledger]
    log.state = {tag(key): wording.entry(entry) for key, entry in log.state.items()}
    log.values = {tag(key): value(held) for key, held in log.values.items()}
    log.orders = {tag(key): (value(ordered), variant) for key, (ordered, variant) in log.orders.items()}
    log.kinds = [(kind, tag(key) if key else "") for kind, key in log.kinds]
    log.keys = sorted(map(tag, log.keys))
    log.wording = wording.inner
    return log
