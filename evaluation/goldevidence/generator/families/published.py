"""Writes an episode in the published format of GoldEvidenceBench: as a log, or as the book derived from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from evaluation.goldevidence.data import book
from evaluation.goldevidence.data.deeds import Deed
from evaluation.goldevidence.data.ledger import LOG_HEADING, Entry
from evaluation.goldevidence.generator.config import GeneratorConfig
from evaluation.goldevidence.generator.difficulty.wording import PUBLISHED
from evaluation.goldevidence.generator.distractors import PROFILES
from evaluation.goldevidence.generator.families.plot import Change, Plot
from evaluation.goldevidence.generator.families.telling import SINCE, Cast, Said
from evaluation.goldevidence.generator.ladder.padding import STEP, LadderLog, Line, Meter, Padding
from evaluation.goldevidence.generator.log import Log
from evaluation.goldevidence.generator.modes import MODES, managers
from evaluation.goldevidence.generator.prf import FACES

#: Rule of a book added to the usual ones.
MORE_RULES = "- Where lines take others back, or say which role may set which tags, the question says how they count.\n"
#: Estimated digits of a step that a line mentions before it is known, with the space before it.
_DIGITS = 3
_NEUTRAL, _ASIDE = f"- LOG step={STEP} ", f"- NOTE step={STEP} "
#: Operation -> sentence in the chapters of a book, for lines that are no update.
_SENTENCES = {
    "RETRACT": "A line of the ledger was taken back.",
    "GRANT": "There was talk of what the {by} may do.",
    "REVOKE": "There was talk of what the {by} may do.",
    "RULE": "There was talk of who may do what.",
}


class PlotLog(LadderLog):
    """Log that tracks the state of the tags while a plot is written, because padding depends on it."""

    def __init__(self, config: GeneratorConfig, mode: str, keys: list[str], *, in_book: bool) -> None:
        """`mode` is the state mode of the plot. With `in_book`, the sentences of the book are stored."""
        Log.__init__(self, MODES[mode], keys, keys if mode == "relational" else managers(config.keys))
        self.said, self.ordered, self._in_book = "", None, in_book

    def decoy(self, key: str, a: int, b: int) -> str:
        """Return a plausible value that the tag does not hold. If values are tags, it is another tag."""
        value = super().decoy(key, a, b)
        return super().decoy(key, (a + FACES // len(self.keys)) % FACES, b) if value == key else value

    def say(self, kind: str, key: str, line: str, sentence: str) -> None:
        """Store the log line in `said`, or the sentence if the text is a book."""
        self.said = sentence if self._in_book else line

    def order(self, kind: str, key: str, value: str, variant: str, line: str, sentence: str) -> None:
        super().order(kind, key, value, variant, sentence if self._in_book else line, sentence)

    def follow(self, deed: Deed, changes: Sequence[Change]) -> None:
        """Update the state after a line of the plot. A claimed value without effect is stored for later padding."""
        for change in changes:
            self._hold(change)
        is_claim = deed.op == "NOTE" or (deed.updates and not changes)
        if is_claim and deed.value is not None and deed.value != self.values.get(deed.key):
            self.past[deed.key].append(deed.value)

    def _hold(self, change: Change) -> None:
        key, value, uid = change
        if key in self.values:
            self.past[key].append(self.values.pop(key))
        if value is not None:
            self.values[key] = value
        self.state[key] = Entry(uid, 0, "CLEAR" if value is None else "SET", key, value)
        self.ledger.append(self.state[key])


class Published:
    """Writes a plot as a log or a book (see `telling.Voice`)."""

    def __init__(
        self,
        config: GeneratorConfig,
        plot: Plot,
        cast: Cast,
        share: float,
        meter: Meter,
        *,
        in_book: bool,
    ) -> None:
        """`share` is the part of the padding that claims a value. `in_book` writes a book instead of a log."""
        keys = sorted(map(cast.key, plot.keys))
        self._log = PlotLog(config, plot.mode, keys, in_book=in_book)
        self._padding = Padding(config, share, self._log, (cast.renaming.salt.hex(),))
        self._in_book, self.meter = in_book, meter
        self._padding.tokens = meter
        self._wanders = PROFILES[config.distractor_profile].wanders
        self._lines: Iterator[Line] | None = None
        self.line_tokens, self.dated = LINE_TOKENS[in_book], not in_book

    def head(self, title: str, keys: Sequence[str]) -> str:
        return self.text(title, keys, [], [])

    def heading(self, number: int) -> str:
        return PUBLISHED.chapter(number)[self._in_book]

    def deed(self, deed: Deed, changes: Sequence[Change]) -> Said:
        since: Any = SINCE
        written = deed._replace(step=0, since=since) if deed.since else deed
        self._log.follow(deed, changes)
        unknown = _DIGITS if deed.since else 0
        if not self._in_book:
            text = written.log_line(STEP)
            return Said(text, self.meter(text) + unknown)
        step: Any = STEP
        text, page = _sentence(deed), written._replace(step=step).line()
        return Said(text, self.meter(text) + self.meter(page) + unknown, page=page)

    def padding(self, gap: int) -> Iterator[Line]:
        # One stream for all gaps, unless lines are about the last tag.
        if self._lines is None or not self._wanders:
            self._lines = self._said(gap)
        return self._lines

    def _said(self, gap: int) -> Iterator[Line]:
        lines = self._padding.lines(gap)
        if not self._in_book:
            return lines
        return (line._replace(text=(said := _in_book(line.text)), tokens=self.meter(said)) for line in lines)

    def text(self, title: str, keys: Sequence[str], lines: Sequence[str], pages: Sequence[str]) -> str:
        if not self._in_book:
            return "\n".join([title, "", LOG_HEADING, *lines, ""])
        return book.render(title, keys, lines, pages).replace(book.RULES, book.RULES + MORE_RULES, 1)


#: Approximate tokens of a line of a plot in a log, and in a book with its page.
LINE_TOKENS = (36, 58)


def _sentence(deed: Deed) -> str:
    if deed.op in _SENTENCES:
        return _SENTENCES[deed.op].format(by=deed.by)
    sentence = PUBLISHED.update(Entry(deed.uid, deed.step, deed.op, deed.key, deed.value))[1]
    return sentence.replace("Word came that", f"The {deed.by} said that") if deed.by else sentence


def _in_book(line: str) -> str:
    if line.startswith(_NEUTRAL):
        said = line[len(_NEUTRAL) :]
        return said[:1].upper() + said[1:]
    if line.startswith(_ASIDE) and line.endswith(" mentioned in passing."):
        return PUBLISHED.claim("aside", 0, line[len(_ASIDE) :].partition(" ")[0])[1]
    return line
