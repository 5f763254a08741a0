"""Every attacker by name, and the plan by which a version is attacked."""

from __future__ import annotations

from evaluation.attacks.plan import Attacker, AttackPlan
from evaluation.attacks.statebench import guesses, shortcuts
from evaluation.core.sealing.keyed_ids import OPEN_KEY
from evaluation.core.sealing.limits import AttackLimit
from evaluation.statebench.presets import IMPORTED, Settings

#: Of the twin that attackers learn from. No preset has it.
TWIN_SEED = 4_041_592_653
#: Timelines of each track in the twin.
TWIN_COUNT = 6
#: Most timelines end with what decides them: repeating the last text that mentions what is asked reaches .66 over all
#: tracks. That is where the figures of this suite begin, and what a shortcut may reach.
DECLARED = (AttackLimit(metric="decision_accuracy", floor=0.66, ceiling=0.75),)
METRICS = (("decision_accuracy", "Decision accuracy"),)
BY_DESIGN = (
    "Its timelines are made from a few published templates, so that a parser of those can answer many."
)

ATTACKERS = {
    attacker.name: attacker
    for attacker in (
        Attacker("null", "Null", "Says nothing.", "floor", guesses.NullReader),
        Attacker(
            "constant",
            "Constant",
            "The most frequent decision of the public twin, whatever is asked.",
            "floor",
            guesses.constant_reader,
        ),
        Attacker(
            "position_reader",
            "Position reader",
            "Repeats the text, counted from either end, that answers most often in the public twin.",
            "shortcut",
            shortcuts.position_reader,
        ),
        Attacker(
            "id_reader",
            "Id reader",
            "What ids, the order of lines in the file and their lengths say in the public twin.",
            "shortcut",
            shortcuts.id_reader,
        ),
        Attacker(
            "name_reader",
            "Name reader",
            "What the names of fields and actors say in the public twin.",
            "shortcut",
            shortcuts.name_reader,
        ),
        Attacker(
            "last_mention",
            "Last mention",
            "Repeats the last text that shares the most words with the question.",
            "shortcut",
            guesses.LastMention,
        ),
        Attacker(
            "template_reader",
            "Template reader",
            "Knows the question without its names and the types of events, and what answered them in the public twin.",
            "parser",
            shortcuts.template_reader,
        ),
    )
}


def attack_plan(chosen: Settings) -> AttackPlan | None:
    """How a version of these settings is attacked; None where its timelines come from a file: they have no twin."""
    if chosen.source == IMPORTED:
        return None
    twin = chosen.having(count=TWIN_COUNT, seed=TWIN_SEED, key=OPEN_KEY, public_gold=False)
    limits = (*chosen.attack_limits, *DECLARED)  # the first of a metric holds
    return AttackPlan(tuple(ATTACKERS.values()), METRICS, twin.as_json(), limits, BY_DESIGN)
