"""All attackers by name, and the attack plan of a version of GoldEvidenceBench."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import ceil
from typing import cast

from evaluation.attacks.goldevidence import shortcuts
from evaluation.attacks.goldevidence.artifacts import with_artifacts
from evaluation.attacks.goldevidence.families import KindConstant, MostWords
from evaluation.attacks.goldevidence.guesses import AnyLineOfKey, ConstantReader, MostMentioned, NullReader
from evaluation.attacks.goldevidence.joining import learner, places, relatives
from evaluation.attacks.goldevidence.joining.notes import FileNotes, take_notes
from evaluation.attacks.goldevidence.sentences import KeywordReader, LastMention, PackReader
from evaluation.attacks.goldevidence.template import TemplateReader
from evaluation.attacks.plan import DOZEN, Attacker, AttackPlan, Joiner, Joining, Records, by_name
from evaluation.core.records import GradingRecord, Prediction
from evaluation.core.report import Report
from evaluation.core.sealing.keyed_ids import OPEN_KEY
from evaluation.core.suite import SuiteVersion
from evaluation.goldevidence.conditions.conditions import Condition
from evaluation.goldevidence.generator.config import GeneratorConfig
from evaluation.goldevidence.generator.difficulty.packs import BUILT_IN
from evaluation.goldevidence.generator.fields import DISGUISED, PROSE
from evaluation.goldevidence.generator.ladder.rungs import KILO
from evaluation.goldevidence.generator.ladder.settings import Ladder
from evaluation.goldevidence.presets import Settings
from evaluation.goldevidence.protocols import Protocol
from evaluation.goldevidence.version import GoldVersion

#: Seed of the twin that attackers learn from, used by no preset.
TWIN_SEED = 4_041_592_653
#: Units of the twin: ten are enough to expose an informative id, and cost little beside the version's own.
TWIN_UNITS = 10
TWIN_QUERIES = 4  # of each of them
TWIN_LENGTHS = (8 * KILO, 32 * KILO)  # for a ladder that begins above: the twin must fit in memory
#: Most lines of a twin's log: enough to learn positions, ids and names; the 40,000 lines of a million tokens would take
#: hundreds of megabytes for ten logs.
TWIN_STEPS = 4_000
#: Metrics, the headline's first; those of candidate rows only apply to versions with such rows.
METRICS = (
    ("exact_acc", "Exact"),
    ("value_acc", "Value"),
    ("selection_rate", "Selection"),
    ("condition_value_acc", "Value among candidates"),
)
BY_DESIGN = "The form of its lines is published, so a parser of that form can compute the answers."

ATTACKERS = by_name(
    Attacker("null", "Null", "Answers null to everything.", "floor", NullReader),
    Attacker(
        "constant",
        "Constant",
        "The most frequent answer of the public twin to questions of the same wording.",
        "floor",
        ConstantReader,
    ),
    Attacker(
        "random_line",
        "Random line of the key",
        "Any of the lines about the key that is asked for.",
        "floor",
        AnyLineOfKey,
    ),
    Attacker("last_line", "Last line", "The line that is shown last.", "shortcut", shortcuts.LastLine),
    Attacker(
        "position_reader",
        "Position reader",
        "The line at the position, counted from either end, that most answers have in the public twin.",
        "shortcut",
        shortcuts.position_reader,
    ),
    Attacker(
        "id_reader",
        "Id reader",
        "Picks a line by ids, and by order and length of lines in the file, as learnt from the public twin.",
        "shortcut",
        shortcuts.id_reader,
    ),
    Attacker(
        "name_reader",
        "Name reader",
        "Picks a line by the names and the metadata beside the text, as learnt from the public twin.",
        "shortcut",
        shortcuts.name_reader,
    ),
    Attacker(
        "template_reader",
        "Template reader",
        "Parses the published form of the lines with a dozen regular expressions.",
        "parser",
        TemplateReader,
    ),
)
#: Further attackers for texts in other forms than the published one.
OF_OTHER_FORMS = by_name(
    Attacker(
        "last_mention",
        "Last mention",
        "The last line that names the tag and has an id and a value, whatever the line says.",
        "shortcut",
        LastMention,
    ),
    Attacker(
        "keyword_reader",
        "Keyword reader",
        "The last line about the tag that contains one of a dozen words for a change.",
        "shortcut",
        KeywordReader,
    ),
    Attacker(
        "pack_reader",
        "Pack reader",
        "Parses every form of text in our source code: other names and descriptions of tags, and the sentences of its "
        "pack (a set of templates).",
        "parser",
        PackReader,
    ),
)
BY_PACK = (
    "Its sentences come from a pack (a set of templates) in our source code, so a parser of that pack can read "
    "them."
)
BY_LIKE_PACK = (
    "Its sentences come from a pack (a set of templates) outside our source code, but resemble those of the pack in "
    "the source code, so a parser of that pack can read them, too."
)
BY_OTHER_FORMS = "The forms of its lines and questions are in our source code, so a parser can read them."

#: For versions of several lengths, whose long texts mention each key often.
MOST_MENTIONED = Attacker(
    "most_mentioned",
    "Most mentioned",
    "The value that the text states most often for the key, in any kind of line.",
    "shortcut",
    MostMentioned,
)
#: Further attackers for questions that need many lines.
OF_FAMILIES = by_name(
    Attacker(
        "kind_constant",
        "Constant of each kind",
        "The most frequent answer of the public twin to questions of this kind, whatever their parameters.",
        "floor",
        KindConstant,
    ),
    Attacker(
        "most_words",
        "Most words of the question",
        "The line with an id and a value that shares the most words with the question, and the last value in it.",
        "shortcut",
        MostWords,
    ),
)

#: Programs that see all rows of a file before they answer. Each is run if a version has what it looks at.
JOINERS = by_name(
    Joiner(
        "joined_by_ids",
        "Places, joined by ids",
        "Compares rows that share line ids: takes the line whose positions in these rows most resemble those of right "
        "lines in the public twin.",
        "join",
        places.PlaceJoiner(lambda notes: notes.by_ids, places.by_id),
    ),
    Joiner(
        "joined_by_words",
        "Places, joined by words",
        "Compares rows that share ids, values or names, also if only digits differ: takes the line whose positions in "
        "these rows most resemble those of right lines in the public twin.",
        "join",
        places.PlaceJoiner(lambda notes: notes.by_overlap, places.by_rank),
    ),
    Joiner(
        "joined_by_look",
        "Places, joined by look",
        "Compares rows with as many lines and the same question, names ignored: takes the line about the tag at the "
        "position where these rows most often show a line about their tag.",
        "join",
        places.shape_joiner,
    ),
    Joiner(
        "joined_by_structure",
        "Places, joined by structure",
        "Compares rows with the same sequence of operations on tags, names ignored: takes the line whose positions in "
        "these rows most resemble those of right lines in the public twin. Lines are matched by their order in steps.",
        "parser",
        places.PlaceJoiner(lambda notes: notes.by_form, places.by_rank),
    ),
    Joiner(
        "differences",
        "Differences of twins",
        "The line about the tag that has a different value in another row with the same line ids or words.",
        "join",
        relatives.difference_joiner,
    ),
    Joiner(
        "missing_lines",
        "Missing lines",
        "Compares rows that share line ids: takes the line about the tag that some of these rows lack, and answers "
        "null in the rows that lack it.",
        "join",
        relatives.missing_joiner,
    ),
    Joiner(
        "carried",
        "Short answers, carried upward",
        "Reads only the texts of the shortest length, and repeats their answers in longer rows that share ids or "
        "words.",
        "join",
        relatives.carried_joiner,
    ),
    Joiner(
        "carried_by_structure",
        "Short answers, by structure",
        "Reads only the texts of the shortest length. If the answer is, for example, the third line about the tag, it "
        "takes the third line also in longer texts whose tags come up in the same sequence (names ignored).",
        "parser",
        relatives.form_joiner,
    ),
    Joiner(
        "learner",
        "Learner of single rows",
        "Weighs positions and ids of lines by the gold of half of the units; graded on the other half.",
        "shortcut",
        learner.single_learner,
        taught=True,
    ),
    Joiner(
        "joined_learner",
        "Learner of joined rows",
        "Like the learner of single rows, but also weighs where and how often rows with the same line ids or words "
        "show a line, and how these rows differ.",
        "join",
        learner.joined_learner,
        taught=True,
    ),
)


def attack_plan(chosen: Settings) -> AttackPlan:
    cells = len(chosen.state_modes) * len(chosen.distractor_profiles)
    generator = _short(chosen.generator).having(
        episodes=ceil(TWIN_UNITS / cells), queries=min(TWIN_QUERIES, chosen.generator.queries)
    )
    twin = chosen.having(
        seeds=(TWIN_SEED,),
        generator=generator,
        key=OPEN_KEY,
        public_gold=bool(chosen.generator.families),  # sealed versions reserve some pairs of meaning
        ladder=_shortest(chosen),
    )
    known = ATTACKERS | OF_OTHER_FORMS if chosen.generator.is_reworded else ATTACKERS
    attackers = tuple(known.values())
    if chosen.ladder is not None:
        attackers = (*attackers, MOST_MENTIONED)
    if chosen.generator.families:
        attackers = (*attackers, *OF_FAMILIES.values())
    if chosen.shows is Protocol.BUILD:
        attackers = tuple(replace(each, build=with_artifacts(each.build)) for each in attackers)
    builds = chosen.shows is Protocol.BUILD
    return AttackPlan(
        attackers,
        METRICS,
        twin.as_json(),
        chosen.attack_limits,
        _by_design(generator),
        _means(generator),
        Joining(partial(take_notes, builds=builds), tuple(_joiners(chosen, builds=builds))),
        joinable(chosen),
        _grade_each,
    )


def _grade_each(
    version: SuiteVersion, records: Records, files: Iterable[Iterable[Prediction]]
) -> Iterator[Report]:
    return cast(GoldVersion, version).grade_each(records(), files)


def joinable(chosen: Settings) -> str:
    """Say in a sentence why rows can be joined. Empty since revision `DISGUISED`, which varies ids and values."""
    if chosen.generator.revision >= DISGUISED:
        return ""
    shared = [
        *(["the candidates of one question occur in several rows"] if len(chosen.conditions) > 1 else []),
        *(["the same facts occur in texts of several lengths"] if chosen.ladder else []),
        *(["twins differ only in the lines that answer"] if chosen.generator.twins else []),
    ]
    if not shared:
        return ""
    return (
        f"Rows can be joined: they share ids and values, and {', '.join(shared)}. A system that reads all rows before "
        "answering can complete one row from another; only runs of this site show rows one at a time."
    )


def _joiners(chosen: Settings, *, builds: bool) -> Iterator[Joiner[FileNotes]]:
    names = [
        *(["joined_by_ids", "joined_by_words", "joined_by_look", "joined_by_structure"] if chosen.conditions else []),
        *(["differences"] if chosen.generator.twins else []),
        *(["missing_lines"] if _loses_lines(chosen.conditions) else []),
        *(["carried", "carried_by_structure"] if chosen.ladder else []),
        "learner",
        "joined_learner",
    ]  # fmt: skip
    for name in names:
        joiner = JOINERS[name]
        yield replace(joiner, answer=partial(_after_artifacts, joiner)) if builds else joiner


def _loses_lines(conditions: Sequence[Condition]) -> bool:
    """True if some rows of a question may lack the line that answers it, while other rows show this line."""
    return len(conditions) > 1 and (
        any(condition.drop_prob for condition in conditions)
        or len({condition.retriever for condition in conditions}) > 1
    )


def _after_artifacts(
    joiner: Joiner[FileNotes], notes: FileNotes, told: Sequence[GradingRecord]
) -> Iterable[Prediction]:
    yield from notes.artifacts
    yield from joiner.answer(notes, told)


def _shortest(settings: Settings) -> Ladder | None:
    """A ladder (set of text lengths) with one short length, for training; None if `settings` has no ladder.

    One length is enough, as ledger, ids and questions are the same at each length.
    """
    if (ladder := settings.ladder) is None:
        return None
    for tokens in TWIN_LENGTHS:
        if tokens < ladder.lengths[0] and settings.fits(shorter := ladder.having(lengths=(tokens,))):
            return shorter
    return ladder.having(lengths=ladder.lengths[:1])


def _by_design(generator: GeneratorConfig) -> str:
    if not generator.is_reworded:
        return BY_DESIGN
    if generator.wording != PROSE:
        return BY_OTHER_FORMS
    return BY_PACK if generator.pack == BUILT_IN else BY_LIKE_PACK


def _means(generator: GeneratorConfig) -> str:
    if generator.wording != PROSE:
        return DOZEN
    return "Parsers of its pack" if generator.pack == BUILT_IN else "Parsers of the pack in the source code"


def _short(generator: GeneratorConfig) -> GeneratorConfig:
    """The generator of the training rows: at most TWIN_STEPS steps, with the same share of them as tail."""
    if generator.steps <= TWIN_STEPS:
        return generator
    tail = generator.tail_distractor_steps * TWIN_STEPS // generator.steps
    chapters = min(generator.chapters, TWIN_STEPS)
    return generator.having(steps=TWIN_STEPS, tail_distractor_steps=tail, chapters=chapters)
