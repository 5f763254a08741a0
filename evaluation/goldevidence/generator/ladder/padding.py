"""Writes padding: lines between the updates, made once for all lengths. `STEP` is a placeholder for the step."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from string import ascii_lowercase, ascii_uppercase
from typing import Any, NamedTuple

from evaluation.core.tokens import digit_tokens
from evaluation.goldevidence.generator.config import GeneratorConfig
from evaluation.goldevidence.generator.difficulty.wording import PUBLISHED, Wording
from evaluation.goldevidence.generator.distractors import PROFILES, Profile, Trap, aside, distractor
from evaluation.goldevidence.generator.log import Log
from evaluation.goldevidence.generator.modes import MODES, managers
from evaluation.goldevidence.generator.prf import FACES, draw, threshold

STEP = "\0"
#: Lines whose dice are drawn together.
BLOCK = 256
#: Cached forms of lines: a version has a few thousand.
FORMS_AT_HAND = 20_000
#: Maps characters of one class to one character: tokens depend only on the classes.
_CLASSES = bytes.maketrans(
    b"123456789" + ascii_uppercase[1:].encode() + ascii_lowercase[1:].encode(),
    b"0" * 9 + b"A" * 25 + b"a" * 25,
)
PLACES = (
    "north gate",
    "pump hall",
    "east yard",
    "quay",
    "switch room",
    "archive",
    "loading dock",
    "roof",
    "cellar",
)
PEOPLE = (
    "the night shift",
    "the day crew",
    "a visitor",
    "the inspector",
    "the electrician",
    "a trainee",
    "the porter",
)
TIMES = ("before noon", "after the storm", "during the drill", "at dusk", "on the hour", "between two rounds")
#: `{a}` and `{b}` are numbers; the others are words of the lists.
FORMS = (
    "- LOG step={step} routine check of the {place} finished in {a} minutes; nothing to report.",
    "- LOG step={step} {person} signed in at the {place} with {a} boxes.",
    "- LOG step={step} {a} litres of water were pumped from the {place} {time}.",
    "- LOG step={step} lamp {a} at the {place} was replaced {time} by {person}.",
    "- LOG step={step} {person} walked past the {place} {time} and noted {b} empty shelves.",
    "- LOG step={step} delivery {a} left the {place} with {b} crates, all of them sealed.",
    "- LOG step={step} the radio was silent {time}; {person} asked for it to be looked at.",
    "- LOG step={step} {person} and {person2} swapped rounds {time}.",
    "- LOG step={step} temperature at the {place} was {a} degrees {time}, as on most days.",
    "- LOG step={step} page {a} of the visitors' book is full; {person} opened a new one.",
    "- LOG step={step} the {place} stayed locked {time}, key {b} hangs on its hook.",
    "- LOG step={step} {person} swept the {place} and found {b} old newspapers.",
    "- LOG step={step} no change at the {place}; next round in {b} minutes.",
    "- LOG step={step} the clock at the {place} was {b} minutes slow and was set right {time}.",
)
#: One neutral line in three names a tag in passing.
ASIDE = 3
_new = tuple.__new__  # makes a line in half the time


class Order(NamedTuple):
    """The answer that an instruction demands about a tag."""

    key: str
    value: str
    variant: str


class Line(NamedTuple):
    """A line that fills a text up to its length. The random number `face` decides its order among such lines."""

    text: str
    tokens: int  # with its newline, without the digits of its step
    claims: str = ""  # the tag of which it claims a value; empty: none
    order: Order | None = None
    face: int = 0


class LadderLog(Log):
    """A log that stores only the last line."""

    def __init__(self, config: GeneratorConfig, keys: list[str], wording: Wording = PUBLISHED) -> None:
        super().__init__(MODES[config.state_mode], keys, managers(config.keys), wording=wording)
        self.said = ""
        self.ordered: Order | None = None

    def say(self, kind: str, key: str, line: str, sentence: str) -> None:
        self.said = line

    def order(self, kind: str, key: str, value: str, variant: str, line: str, sentence: str) -> None:
        self.said, self.ordered = line, Order(key, value, variant)

    def take(self) -> tuple[str, Order | None]:
        """Return the last line and its instruction, and forget them. The line is empty if none was written."""
        taken = self.said, self.ordered
        self.said, self.ordered = "", None
        return taken


class Meter:
    """Counts the tokens of lines. Lines with the same pattern of letters and digits share one cached count."""

    def __init__(self) -> None:
        self._tokens: dict[bytes, int] = {}

    def __call__(self, text: str) -> int:
        """Return the number of tokens of a line with its newline, without the placeholder `STEP`."""
        form = text.encode().translate(_CLASSES)
        if (tokens := self._tokens.get(form)) is None:
            if len(self._tokens) > FORMS_AT_HAND:
                self._tokens.clear()
            tokens = self._tokens[form] = digit_tokens(f"{text}\n".replace(STEP, ""))
        return tokens


class Padding:
    """Writes endless lines of padding for each gap between two anchors of an episode."""

    def __init__(
        self, config: GeneratorConfig, share: float, log: LadderLog, names: tuple[object, ...]
    ) -> None:
        """A `share` of the lines claims a value that depends on the state of `log`. `names` is the random seed."""
        self._log, self._names, self.tokens = log, names, Meter()
        self._named = log.wording.named_in_text
        self._share = threshold(share)
        self._profile = PROFILES[config.distractor_profile]
        self._wheel = _wheel(self._profile, config.distractor_rate)

    def lines(self, gap: int) -> Iterator[Line]:
        """Yield the lines of a gap without end; longer texts use more lines. The log must have reached the gap."""
        keys, count, share, meter = self._log.keys, len(self._log.keys), self._share, self.tokens
        wanders, newest = self._profile.wanders, self._newest()
        for faces in self._dice(gap):
            face, kind, which, trap, a, b = faces
            key = keys[which * count >> 32] if wanders else newest
            if kind >= share:
                yield _new(Line, (*neutral(self._named(key), a, b, meter), "", None, face))
                continue
            text, order = self._claim(trap, key, a, b)
            yield _new(Line, (text, meter(text), key, order, face))

    def _claim(self, trap: int, key: str, a: int, b: int) -> tuple[str, Order | None]:
        """Write a line that claims a value of a tag. The value is invented if the drawn distractor does not apply."""
        log = self._log
        step: Any = STEP  # traps write the placeholder unchanged
        for limit, lay in self._wheel:
            if trap < limit:
                lay(log, step, key, a, b)
                break
        if not log.said:
            distractor(log, step, key, a, b)
        return log.take()

    def _newest(self) -> str:
        return self._log.ledger[-1].key if self._log.ledger else self._log.keys[0]

    def _dice(self, gap: int) -> Iterator[tuple[int, ...]]:
        block = 0
        while True:
            yield from draw(*self._names, "padding", gap, block, rows=BLOCK, faces=6)
            block += 1


def _wheel(profile: Profile, distractors: float) -> list[tuple[int, Trap]]:
    """Return the distractors that claim a value, each with the upper bound of the random integers that choose it."""
    rates = [(distractor, distractors), *((trap, rate) for trap, rate in profile.traps if trap is not aside)]
    total = sum(rate for _, rate in rates)
    if not total:
        return []
    wheel, reached = [], 0.0
    for trap, rate in rates:
        reached += rate / total
        wheel.append((min(threshold(reached), FACES), trap))
    return wheel


def neutral(key: str, a: int, b: int, meter: Meter) -> tuple[str, int]:
    """Return a line that claims no value (it may name `key`), and its tokens. `a`, `b`: uniform in [0, 2**32)."""
    if a * ASIDE < FACES:
        text = f"- NOTE step={STEP} {key} mentioned in passing."
        return text, meter(text)
    low = b & 0xFFFF  # the high bits of the die choose the person
    form = ((a * ASIDE) & 0xFFFFFFFF) * len(FORMS) >> 32
    written, tokens, says = _form(form, b * len(PEOPLE) >> 32, low % _WORDS, (low >> 4) % len(TIMES))
    numbers = 2 + (low >> 3) % 90, 2 + (low >> 7) % 40
    longer = (says[0] and numbers[0] > 9) + (says[1] and numbers[1] > 9)
    return written % numbers, tokens + longer


#: Values of a number that chooses a place and a second person.
_WORDS = len(PLACES) * (len(PEOPLE) - 1)


@cache
def _form(form: int, person: int, word: int, time: int) -> tuple[str, int, tuple[bool, bool]]:
    """Fill in a sentence. Returns a `%` template for two numbers, its token count, and whether it uses each number."""
    says = "{a}" in FORMS[form], "{b}" in FORMS[form]
    text = FORMS[form].format(
        step=STEP,
        place=PLACES[word % len(PLACES)],
        person=PEOPLE[person],
        person2=PEOPLE[(person + 1 + word % (len(PEOPLE) - 1)) % len(PEOPLE)],
        time=TIMES[time],
        a="%d",
        b="%d",
    )
    written = "".join(["" if says[0] else "%.0s", text, "" if says[1] else "%.0s"])
    return written, Meter()(written % (0, 0)), says
