"""StateBench on a site: plots by system, track and budget, texts of pages, and example commands."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import cast

from evaluation.core.plugin import Axis, Curves, Display, Scatter, SplitPage, SplitWords
from evaluation.core.plugin.examples import Term
from evaluation.core.records import Row
from evaluation.statebench.example import TERMS, example
from evaluation.statebench.grading.rubrics import TYPED
from evaluation.statebench.interchange.changes import Changes
from evaluation.statebench.interchange.export import to_release
from evaluation.statebench.interchange.release import RELEASES, Release
from evaluation.statebench.records import Timeline

#: Track -> the situation, for readers.
SITUATIONS = {
    "supersession": "A fact is replaced, once or several times, after it was repeated loudly.",
    "supersession_detection": "A change is only mentioned in conversation: no record marks the old value as replaced.",
    "supersession_maintain": "A turn mentions a fact without making it invalid.",
    "environmental_freshness": "A signal from outside replaces an older signal.",
    "repair_propagation": "A base value is corrected, and values derived from it need a review.",
    "commitment_durability": "A preference changes, but a commitment stays.",
    "scope_permission": "One fact is public, another restricted, and the reader is not cleared for it.",
    "scope_leak": "Hypothetical and drafted values must never become facts.",
    "authority_hierarchy": "A lower authority tries to overwrite a fact of a higher authority, and fails.",
    "enterprise_privacy": "A reader from one company asks for the data of another.",
    "interruption_resumption": "A digression must be forgotten, and the task resumed.",
    "hallucination_resistance": "Facts that were never stated must not be invented.",
    "causality": "A constraint decides the answer.",
    "dependency_chain": "Values are derived in two steps from a base value that changes.",
    "brutal_realistic": "A long thread of several people, with three changes and three questions.",
    "task_scopes": "One value is valid within a task, another outside the task.",
    "expiry": "A value is valid until a day, or from a day on.",
    "delegation": "The right to decide is delegated, withdrawn or passed on.",
}


def split_term(settings: Mapping[str, object], name: str) -> Term:
    """Title and description of a track. The description of an unknown track is empty."""
    return Term(name.replace("_", " ").capitalize(), SITUATIONS.get(name, ""))


SFRR = Axis("sfrr", "Stale-fact rate", "Superseded facts that resurface", better="lower")
DECISIONS = Axis("decision_accuracy", "Decision accuracy")
BY_TRACK = Scatter(
    "tracks",
    "Superseded facts and right decisions, by track",
    "Each point is a track; points that coincide share a label. Higher: more right decisions; further left: fewer "
    "superseded facts come back.",
    across=SFRR,
    up=DECISIONS,
    grouping="track",
    noun="track",
    no_across="no answered query there could bring a superseded fact back",
)
BUDGETS = Curves(
    "budgets",
    "Contexts over the token budget",
    "Measured without a model. Coverage is the share of required phrases in the context; resurrection the share of "
    "queries whose context contains a forbidden phrase. Below: tokens used; the dotted line is the budget.",
    x="budget",
    x_title="Token budget",
    unit="tokens",
    amount="tokens_mean",
    rates={"coverage": ("Coverage", "good"), "resurrection": ("Resurrection", "bad")},
    columns={
        "budget": "Budget",
        "coverage": "Coverage",
        "resurrection": "Resurrection",
        "dead_values": "Outdated facts",
        "live_values": "Current facts",
        "tokens_mean": "Tokens",
        "over_budget": "Over budget",
    },
)
TRADE_OFF = Scatter(
    "trade-off",
    "Superseded facts and right decisions",
    "Each point is a system; points that coincide share a label. Higher: more right decisions; further left: fewer "
    "superseded facts come back.",
    across=SFRR,
    up=DECISIONS,
)


def _exported(release: Release, row: Row) -> Mapping[str, object]:
    return to_release(cast(Timeline, row), release, Changes())


def answer_line(settings: Mapping[str, object], line: str) -> str:
    """Adapt an example line of answers: `answer` replaces `response` if the version grades typed answers."""
    typed = '"answer": {"decision": "yes", "value": "…", "because": ["…"]}'
    return line.replace('"response": "…"', typed) if settings.get("rubric") in TYPED else line


DISPLAY = Display(
    summary="Facts change over a timeline: does a system act on the current ones, not on superseded ones?",
    unit="timeline",
    asked=("query", "queries"),
    formats={f"statebench-{name}": partial(_exported, release) for name, release in RELEASES.items()},
    plots=(BY_TRACK, BUDGETS),
    questions={
        "decisions": "Does a system decide by the facts valid now?",
        "quick": "Do superseded facts come back?",
        "standard": "Do superseded facts come back?",
    },
    page=SplitPage(
        slug="tracks",
        grouping="track",
        noun="track",
        whole="All tracks",
        help="Results and cost of each system in one kind of situation.",
        plot=TRADE_OFF,
        heading="The trade-off",
    ),
    splits=SplitWords(
        noun="track",
        help="Each track is one kind of situation.",
        hidden="a file answers all of them",
        hidden_beside="every query of StateBench",
        named=split_term,
    ),
    commands={
        "answer": "goldevidencebench state answer --timelines {rows} --out preds.jsonl",
        "check": "goldevidencebench validate --suite statebench --data {rows} --pred preds.jsonl",
        "strategy": "goldevidencebench state answer --timelines {rows} --strategy rag_transcript --out rag-preds.jsonl",
        "model": "goldevidencebench model --adapter llama_cpp --data {rows} --out model-preds.jsonl "
        "--set model=model.gguf --set strategy=state_based --set budget=2048",
    },
    parameters={
        "track": "Rank on the queries of one track only.",
        "length": "Rank only on timelines of one length: the number of tokens of unrelated talk in them.",
        "domain": "Rank only on timelines of one domain.",
        "span": "Rank only on timelines of one time span: minutes, hours, days, weeks or months.",
    },
    answer_line=answer_line,
    demo=("decisions_short", "quick"),
    in_short="People decide, correct each other and change their minds while an assistant keeps the record. Does it "
    "act on the current facts, without reviving replaced ones or revealing restricted ones?",
    example=example,
    terms=TERMS,
)
