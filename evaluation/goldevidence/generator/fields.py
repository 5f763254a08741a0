"""The generator's settings as a table of defaults, bounds and descriptions, read without pydantic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from evaluation.goldevidence.data.families import FAMILIES
from evaluation.goldevidence.generator.distractors import PROFILES
from evaluation.goldevidence.generator.modes import MODES

#: No version asks for more citations: they would only copy the ledger.
MOST_CITATIONS = 100
#: Revision 1 writes the rows of earlier releases byte by byte; 2 has the same logs with other twins and pairs. From 3
#: on each text of an episode has names of its own (`telling`), so that its rows cannot be joined.
LATEST_REVISION = DISGUISED = 3
PROSE = "prose"
WORDINGS = ("published", PROSE)


class Setting(NamedTuple):
    """Default, description and bounds of a setting. A float is a share from 0 to 1."""

    default: Any
    description: str
    low: float | None = None
    high: float | None = None
    choices: Sequence[str] | None = None


SETTINGS: dict[str, Setting] = {
    "episodes": Setting(20, "Number of episodes per mode, profile and seed.", 1, 100_000),
    "steps": Setting(220, "Number of log lines per episode.", 1, 100_000),
    "keys": Setting(14, "Number of tags whose values change.", 1, 10_000),
    "queries": Setting(12, "Number of questions about an episode.", 1, 999),
    "derived_query_rate": Setting(0.35, "Share of questions about a property of values, such as parity."),
    "chapters": Setting(8, "Number of chapters of the book.", 1, 1_000),
    "twins": Setting(True, "Give each episode a counterfactual twin."),
    "distractor_rate": Setting(0.50, "Share of steps that are distractors."),
    "clear_rate": Setting(0.08, "Share of updates that clear their tag."),
    "note_rate": Setting(0.12, "Share of steps that are notes (kv_commentary only)."),
    "tail_distractor_steps": Setting(0, "Steps at the end in which nothing is updated.", 0, 100_000),
    "require_citations": Setting(True, "Require that an answer cites its line."),
    "max_support_k": Setting(3, "Maximum number of lines that an answer may cite.", 1, MOST_CITATIONS),
    "state_mode": Setting("kv", "How values change.", choices=list(MODES)),
    "distractor_profile": Setting("instruction", "Profile of the distractors.", choices=list(PROFILES)),
    "revision": Setting(
        1,
        "1: a twin differs in one answer. 2: in at least half, and rows with instructions are also asked without them. "
        "3: each text has names, values and ids of its own, so that rows cannot be joined.",
        1,
        LATEST_REVISION,
    ),
    "aliases": Setting(0.0, "Share of tags with a second name, which the text introduces."),
    "indirect_rate": Setting(
        0.0, "Probability that a question describes its tag, if a description fits that tag alone."
    ),
    "near_values": Setting(0.0, "Share of values that differ from the previous value in a single character."),
    "unsorted_ledger": Setting(False, "Shuffle the book's ledger."),
    "book_ledger": Setting(True, "End the book with a ledger; otherwise the chapters are authoritative."),
    "wording": Setting(
        WORDINGS[0],
        "published: the benchmark's line grammar. prose: sentences of a pack, without a ledger.",
    ),
    "pack": Setting("harbour", "Pack of sentences for prose: the built-in pack, or a pack of the operator."),
    "pack_sha256": Setting("", "SHA-256 of the operator's pack."),
    "families": Setting(
        (),
        "Families of questions that need many lines; episodes take turns. Requires a ladder.",
        choices=FAMILIES,
    ),
    "chain_hops": Setting(6, "Maximum hops of a chain; the minimum is 3.", 3, 6),
    "aggregate_span": Setting(16, "Most updates between the two steps of a question about changes.", 4, 200),
    "nth_most": Setting(8, "Largest n of the n-th update; the smallest is 2.", 2, 8),
    "grants": Setting(24, "Number of grants, revocations and rules of an episode about rights.", 4, 200),
}
#: Settings that make texts harder than the published ones.
DIFFICULTIES = frozenset(
    {
        "aliases",
        "book_ledger",
        "indirect_rate",
        "near_values",
        "pack",
        "pack_sha256",
        "unsorted_ledger",
        "wording",
    }
)
#: Settings of questions that need many lines.
OF_FAMILIES = frozenset({"families", "chain_hops", "aggregate_span", "nth_most", "grants"})
#: Settings that JSON data leaves out at their default; see `SettingsModel.newer`.
NEWER = DIFFICULTIES | OF_FAMILIES | {"revision"}
