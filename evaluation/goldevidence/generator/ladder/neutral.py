"""Neutral lines: what an episode's log says of nothing that is asked. They name no tag, or a tag without a value."""

from __future__ import annotations

from evaluation.goldevidence.generator.prf import below

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
#: One neutral line in so many names a tag, in passing.
ASIDE = 3


def neutral(step: object, key: str, a: int, b: int) -> str:
    """A line that says nothing of any value.

    Args:
        step: What stands for its step.
        key: The tag that it may name.
        a: A die, uniform in [0, 2**32).
        b: A second die.
    """
    if below(a, ASIDE) == 0:
        return f"- NOTE step={step} {key} mentioned in passing."
    person = below(b, len(PEOPLE))
    low = b & 0xFFFF  # of a die whose high bits chose the person
    return FORMS[below((a * ASIDE) & 0xFFFFFFFF, len(FORMS))].format(
        step=step,
        place=PLACES[low % len(PLACES)],
        person=PEOPLE[person],
        person2=PEOPLE[(person + 1 + low % (len(PEOPLE) - 1)) % len(PEOPLE)],
        time=TIMES[(low >> 4) % len(TIMES)],
        a=2 + (low >> 3) % 90,
        b=2 + (low >> 7) % 40,
    )
