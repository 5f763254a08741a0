"""All attackers by name, and the attack plan of a version of StateBench."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from evaluation.attacks.plan import Attacker, AttackPlan, by_name
from evaluation.attacks.statebench import shortcuts
from evaluation.attacks.statebench.dumps import constants, dumps
from evaluation.attacks.statebench.typed import TypedView, typed_attackers
from evaluation.attacks.statebench.view import TimelineView
from evaluation.attacks.statebench.words import WordReader
from evaluation.core.sealing.keyed_ids import OPEN_KEY
from evaluation.statebench.grading.rubrics import TYPED
from evaluation.statebench.presets import IMPORTED, SCENES, Settings

#: Seed of the twin that attackers learn from, used by no preset.
TWIN_SEED = 4_041_592_653
#: Timelines of the twin for each track; for scenes, for each template of a track.
TWIN_COUNT, SCENES_TWIN_COUNT = 6, 2
#: Margin of shortcuts above the best constant, over all rows and on each track.
MARGIN = 0.02
METRICS = (("decision_accuracy", "Decision accuracy"),)
BY_DESIGN = (
    "Its timelines are made from a few published templates; a parser of these can answer many questions."
)


def _learning(view: TimelineView) -> Iterator[Attacker]:
    yield Attacker("null", "Null", "Says nothing.", "floor", shortcuts.NullReader)
    yield Attacker(
        "constant",
        "Constant",
        "The most frequent decision of the public twin, whatever is asked.",
        "floor",
        partial(shortcuts.constant_reader, view=view),
    )
    yield Attacker(
        "position_reader",
        "Position reader",
        "Repeats the text or value at the position, counted from either end, that is most often right in the public "
        "twin.",
        "shortcut",
        partial(shortcuts.position_reader, view=view),
    )
    yield Attacker(
        "id_reader",
        "Id reader",
        "Guesses from timeline ids, and from positions and lengths of lines in the file; learnt on the public twin.",
        "shortcut",
        partial(shortcuts.id_reader, view=view),
    )
    yield Attacker(
        "name_reader",
        "Name reader",
        "Answers by the names of fields and actors, as learnt from the public twin.",
        "shortcut",
        partial(shortcuts.name_reader, view=view),
    )
    yield Attacker(
        "wording_reader",
        "Wording reader",
        "The most frequent answer to questions of this wording in the public twin.",
        "shortcut",
        partial(shortcuts.wording_reader, view=view),
    )


def _word_reader() -> Attacker:
    return Attacker(
        "word_reader",
        "Word reader",
        "Decides by the words of a timeline and of its question, as learnt from the public twin.",
        "shortcut",
        WordReader,
    )


def _parser(view: TimelineView) -> Attacker:
    return Attacker(
        "template_reader",
        "Template reader",
        "Uses the question without names, and the types of the events before it, as learnt from the public twin.",
        "parser",
        partial(shortcuts.template_reader, view=view),
    )


#: For versions that grade free text.
ATTACKERS = by_name(*constants(), *_learning(TimelineView()), *dumps(), _parser(TimelineView()))
#: For versions that grade typed answers.
TYPED_ATTACKERS = by_name(*_learning(TypedView()), *typed_attackers(), _word_reader(), _parser(TypedView()))


def attack_plan(chosen: Settings) -> AttackPlan | None:
    """The attack plan for these settings. Returns None if timelines come from a file: no training rows can be made."""
    if chosen.source == IMPORTED:
        return None
    attackers = TYPED_ATTACKERS if chosen.rubric in TYPED else ATTACKERS
    twin = chosen.having(
        count=SCENES_TWIN_COUNT if chosen.source == SCENES else TWIN_COUNT,
        lengths=chosen.lengths[:1],  # the text around a scene is unrelated to its answer
        seed=TWIN_SEED,
        key=OPEN_KEY,
        public_gold=False,
    )
    return AttackPlan(
        tuple(attackers.values()),
        METRICS,
        twin.as_json(),
        chosen.attack_limits,
        BY_DESIGN,
        margin=MARGIN,
        grouping="track",
    )
