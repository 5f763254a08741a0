"""Texts of a plot in the benchmark's line grammar: a log, or a book whose ledger holds the lines with an id."""

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

#: What a book says beside its usual rules.
MORE_RULES = "- Where lines take others back, or say which role may set which tags, the question says how they count.\n"
#: Digits of a step that stands in a line and is not known yet, and the space before it.
_DIGITS = 3
_NEUTRAL, _ASIDE = f"- LOG step={STEP} ", f"- NOTE step={STEP} "
#: What the chapters of a book make of lines that are no update by anybody.
_SENTENCES = {
    "RETRACT": "A line of the ledger was taken back.",
    "GRANT": "There was talk of what the {by} may do.",
    "REVOKE": "There was talk of what the {by} may do.",
    "RULE": "There was talk of who may do what.",
}


class PlotLog(LadderLog):
    """The log beside a telling: what padding has to know of the tags at its place."""

    def __init__(self, config: GeneratorConfig, mode: str, keys: list[str], *, in_book: bool) -> None:
        """Nothing is written yet.

        Args:
            config: The settings of the generator.
            mode: The state mode of the plot; values of `relational` plots are tags.
            keys: The tags.
            in_book: Whether the sentences of the book are wanted, instead of the lines of the log.
        """
        Log.__init__(self, MODES[mode], keys, keys if mode == "relational" else managers(config.keys))
        self.said, self.ordered, self._in_book = "", None, in_book

    def decoy(self, key: str, a: int, b: int) -> str:
        """A plausible value that the tag does not hold; no tag reports to itself.

        Args:
            key: The tag.
            a: A die, uniform in [0, 2**32).
            b: A second die.
        """
        value = super().decoy(key, a, b)
        return super().decoy(key, (a + FACES // len(self.keys)) % FACES, b) if value == key else value

    def say(self, kind: str, key: str, line: str, sentence: str) -> None:
        """Keep a line until the next.

        Args:
            kind: Left out.
            key: Left out.
            line: The line of the log.
            sentence: What the chapters of a book make of it.
        """
        self.said = sentence if self._in_book else line

    def order(self, kind: str, key: str, value: str, variant: str, line: str, sentence: str) -> None:
        """The same of a line that orders to answer a value.

        Args:
            kind: Left out.
            key: The key that it is about.
            value: The value.
            variant: What kind of order it is.
            line: The line of the log.
            sentence: What the chapters of a book make of it.
        """
        super().order(kind, key, value, variant, sentence if self._in_book else line, sentence)

    def hold(self, change: Change) -> None:
        """Give a tag its value from now on; the one before is past."""
        key, value, uid = change
        if key in self.values:
            self.past[key].append(self.values.pop(key))
        if value is not None:
            self.values[key] = value
        self.state[key] = Entry(uid, 0, "CLEAR" if value is None else "SET", key, value)
        self.ledger.append(self.state[key])

    def claimed(self, deed: Deed) -> None:
        """A value that a line gave a tag in vain: it may be echoed."""
        if deed.value is not None and deed.value != self.values.get(deed.key):
            self.past[deed.key].append(deed.value)


class Published:
    """The voice of a log or a book."""

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
        """Nothing is written yet.

        Args:
            config: The settings of the generator.
            plot: The story.
            cast: What its names are in the text.
            share: Of the padding, how much claims a value.
            meter: Counts tokens, and knows the lines of other texts.
            in_book: Whether a book is written, instead of a log.
        """
        keys = sorted(map(cast.key, plot.keys))
        self._log = PlotLog(config, plot.mode, keys, in_book=in_book)
        self._padding = Padding(config, share, self._log, (cast.renaming.salt.hex(),))
        self._in_book, self.meter = in_book, meter
        self._padding.tokens = meter
        self._wanders = PROFILES[config.distractor_profile].wanders
        self._lines: Iterator[Line] | None = None
        self.line_tokens, self.dated = LINE_TOKENS[in_book], not in_book

    def head(self, title: str, keys: Sequence[str]) -> str:
        """Title, rules and glossary; of a log title and heading."""
        return self.text(title, keys, [], [])

    def heading(self, number: int) -> str:
        """A chapter, or a segment of a log."""
        return PUBLISHED.chapter(number)[self._in_book]

    def deed(self, deed: Deed, changes: Sequence[Change]) -> Said:
        """A line of the plot."""
        since: Any = SINCE
        written = deed._replace(step=0, since=since) if deed.since else deed
        for change in changes:
            self._log.hold(change)
        if deed.op == "NOTE" or (deed.updates and not changes):
            self._log.claimed(deed)
        unknown = _DIGITS if deed.since else 0
        if not self._in_book:
            text = written.log_line(STEP)
            return Said(text, self.meter(text) + unknown)
        step: Any = STEP
        text, page = _sentence(deed), written._replace(step=step).line()
        return Said(text, self.meter(text) + self.meter(page) + unknown, page=page)

    def padding(self, gap: int) -> Iterator[Line]:
        """Rumours, echoes, recaps, orders, asides and neutral lines."""
        if (
            self._lines is None or not self._wanders
        ):  # one stream for all gaps, unless lines are about the last tag
            self._lines = self._said(gap)
        return self._lines

    def _said(self, gap: int) -> Iterator[Line]:
        lines = self._padding.lines(gap)
        if not self._in_book:
            return lines
        return (line._replace(text=(said := _in_book(line.text)), tokens=self.meter(said)) for line in lines)

    def text(self, title: str, keys: Sequence[str], lines: Sequence[str], pages: Sequence[str]) -> str:
        """The log, or the book with its ledger."""
        if not self._in_book:
            return "\n".join([title, "", LOG_HEADING, *lines, ""])
        return book.render(title, keys, lines, pages).replace(book.RULES, book.RULES + MORE_RULES, 1)


#: Tokens of a line of a plot in a log, and in a book with its page, about.
LINE_TOKENS = (36, 58)


def _sentence(deed: Deed) -> str:
    """The sentence for a line in the chapters of a book: without id, step or authority."""
    if deed.op in _SENTENCES:
        return _SENTENCES[deed.op].format(by=deed.by)
    sentence = PUBLISHED.update(Entry(deed.uid, deed.step, deed.op, deed.key, deed.value))[1]
    return sentence.replace("Word came that", f"The {deed.by} said that") if deed.by else sentence


def _in_book(line: str) -> str:
    """A neutral line as a sentence; sentences stay as they are."""
    if line.startswith(_NEUTRAL):
        said = line[len(_NEUTRAL) :]
        return said[:1].upper() + said[1:]
    if line.startswith(_ASIDE) and line.endswith(" mentioned in passing."):
        return PUBLISHED.claim("aside", 0, line[len(_ASIDE) :].partition(" ")[0])[1]
    return line
