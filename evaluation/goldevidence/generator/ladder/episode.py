"""Writes the anchors of an episode: lines that its texts of every length contain (updates, notes and headings)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.generator.config import GeneratorConfig
from evaluation.goldevidence.generator.difficulty.wording import FAKE_UID, PUBLISHED, Wording
from evaluation.goldevidence.generator.distractors import PROFILES
from evaluation.goldevidence.generator.ladder.design import Design
from evaluation.goldevidence.generator.ladder.padding import STEP, LadderLog, Padding
from evaluation.goldevidence.generator.ladder.room import notes_beside
from evaluation.goldevidence.generator.prf import FACES, below, draw, free_id, threshold

#: Largest shift of a heading from the start of an equal part, as a share of a part.
MOVED = 0.4


@dataclass(slots=True)
class Anchor:
    """A heading or entry in the texts of every length. In `text` its step is `STEP`, which `tokens` does not count."""

    place: float
    text: str
    tokens: int
    entry: Entry | None


class Writer:
    """Writes the anchors of an episode one by one, because padding depends on the state at its position."""

    def __init__(
        self,
        config: GeneratorConfig,
        design: Design,
        names: tuple[object, ...],
        *,
        text: tuple[object, ...] = (),
        wording: Wording = PUBLISHED,
        plot: Sequence[Entry] = (),
    ) -> None:
        """`names` is the random seed; padding and headings also depend on `text`. `plot`: entries drawn beforehand."""
        self._config, self._design, self._names = config, design, names
        self._text, self._plot = text, iter(plot)
        self.log = LadderLog(config, sorted(tag.key for tag in design.tags), wording)
        self.padding = Padding(config, design.share, self.log, (*names, *text))
        self._note = PROFILES[config.distractor_profile].note
        self._clear = threshold(config.clear_rate)
        self._used = {FAKE_UID}
        #: (place, tie breaker, tag or heading, operation) of each anchor; a heading has no operation
        self.places = sorted([*self._headings(), *self._updates(), *self._notes()])

    def anchors(self) -> Iterator[Anchor]:
        """Yield the anchors by position. The log always ends with the anchor just yielded."""
        places = self.places
        dice = draw(*self._names, "anchors", rows=len(places), faces=4)
        for (place, _, key, op), faces in zip(places, dice, strict=True):
            if not op:
                # the heading's first newline merges with that of the line before
                yield Anchor(place, key, self.padding.tokens(key) - 1, None)
                continue
            if (known := next(self._plot, None)) is not None:
                self.log.update(*known)
                entry = known
            else:
                entry = self._write(key, op, *faces)
            text = line_of(entry, self.log.wording)
            yield Anchor(place, text, self.padding.tokens(text), entry)

    def _headings(self) -> Iterator[tuple[float, int, str, str]]:
        chapters = self._config.chapters
        moves = [0.0] * chapters
        if self._text:  # equal places of headings would reveal which texts belong together
            dice = draw(*self._names, *self._text, "headings", rows=chapters, faces=1)
            moves = [0.0, *((2 * die / FACES - 1) * MOVED for (die,) in dice)][:chapters]
        for number, moved in enumerate(moves):
            yield (number + moved) / chapters, 0, f"\n### Segment {number + 1}", ""

    def _updates(self) -> Iterator[tuple[float, int, str, str]]:
        for number, tag in enumerate(self._design.tags, 1):
            yield from ((place, number, tag.key, "SET") for place in tag.places)

    def _notes(self) -> Iterator[tuple[float, int, str, str]]:
        rate, keys = self._config.note_rate if self.log.mode.notes else 0.0, self.log.keys
        count = notes_beside(rate, sum(len(tag.places) for tag in self._design.tags))
        for place, which in draw(*self._names, "notes", rows=count, faces=2):
            yield place / FACES, len(keys) + 1, keys[below(which, len(keys))], "NOTE"

    def _write(self, key: str, op: str, number: int, chance: int, a: int, b: int) -> Entry:
        """Append an entry to the ledger. The last tag with a value is never cleared, so that a value remains."""
        log, uid = self.log, free_id(number, self._used)
        if op == "NOTE":
            said = self._note(log, key, a, b) if self._note else log.decoy(key, a, b)
            log.update(uid, 0, "NOTE", key, said)
        elif chance < self._clear and key in log.values and len(log.values) > 1:
            log.update(uid, 0, "CLEAR", key, None)
        else:
            log.update(uid, 0, "SET", key, log.decoy(key, a, b))
        return log.ledger[-1]


def line_of(entry: Entry, wording: Wording = PUBLISHED) -> str:
    return wording.update(entry)[0].replace(f"step={entry.step}", f"step={STEP}", 1)
