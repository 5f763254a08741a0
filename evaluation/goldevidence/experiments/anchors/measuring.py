"""Measures a published row without a language model: the answer is read off the selected line by rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from evaluation.core.rng import Stream
from evaluation.goldevidence.conditions.perturb import Disguised, arrange, spoof
from evaluation.goldevidence.data import answers
from evaluation.goldevidence.data.case import case_of
from evaluation.goldevidence.data.ledger import Entry, parse_book
from evaluation.goldevidence.data.rubrics import Options
from evaluation.goldevidence.data.shown import ShownReader
from evaluation.goldevidence.experiments.anchors.data import selector_of
from evaluation.goldevidence.experiments.anchors.records import Run
from evaluation.goldevidence.experiments.traces import Trace, choice_of, trace
from evaluation.goldevidence.grading.choices import Choice
from evaluation.goldevidence.grading.decomposition import decompose
from evaluation.goldevidence.grading.resolve_gold import resolve_gold
from evaluation.goldevidence.grading.verdicts import judge
from evaluation.goldevidence.records import CanonicalPrediction, EpisodeRow
from evaluation.goldevidence.retrieval import EARLIEST, Pool
from evaluation.goldevidence.selectors import Selector
from evaluation.goldevidence.selectors.rules import answer, authority_filter
from evaluation.goldevidence.systems import baselines

Figures = dict[str, float]
#: The reference's rubric, because these are its figures.
RULES = Options(rubric="reference")


def figures_of(run: Run, rows: Sequence[EpisodeRow]) -> Figures:
    """Measure the figures of a published row, by published name. Rates are from 0 to 1, tokens are counts."""
    if run.protocol:
        return _baseline(run, rows)
    selector = selector_of(run.system)
    predictions, choices = zip(*(_chosen(row, run, selector) for row in rows), strict=True)
    rates = {name: rate for name, rate in decompose(choices).items() if rate is not None}
    wrongly = [choice.forged_selected and not choice.cites_gold for choice in choices]
    return rates | _exact(rows, predictions) | {"spoof_accept_rate_non_gold": sum(wrongly) / len(rows)}


def rates_of(run: Run, rows: Iterable[EpisodeRow], selector: Selector) -> Figures:
    """Measure the rates of `selector` on the lines that `run` shows; the system named in `run` is ignored."""
    choices = [_chosen(row, run, selector)[1] for row in rows]
    return {name: rate for name, rate in decompose(choices).items() if rate is not None}


def _baseline(run: Run, rows: Sequence[EpisodeRow]) -> Figures:
    cost = baselines.Efficiency()
    predictions = list(baselines.run(rows, run.system, run.protocol, cost))
    return _exact(rows, predictions) | {"tokens/query": cost.tokens_per_query or 0.0}


def _chosen(row: EpisodeRow, run: Run, selector: Selector) -> tuple[CanonicalPrediction, Choice]:
    shown, record = _shown(row, run)
    entries = [line.entry for line in shown]
    line = selector(authority_filter(entries) if run.gate else entries, row["question"], row["meta"]["key"])
    prediction: CanonicalPrediction = {"id": row["id"], "value": None, "support_ids": []}
    if line is not None:
        value = answer(line, row["meta"]["derived_op"])
        prediction = {"id": row["id"], "value": value, "support_ids": [line.uid]}
        record |= {"selected_uid": line.uid}
    if run.spoof_rate:
        record["selected_spoofed"] = line is not None and any(
            each.kind is not None and each.entry.uid == line.uid for each in shown
        )
    return prediction, choice_of(row, prediction, record)


def _shown(row: EpisodeRow, run: Run) -> tuple[list[Disguised], Trace]:
    rival = "same_key" if run.retriever == "key" else "none"
    retrieved, record = trace(
        row,
        pool_of(row["book"], run.gate),
        k=run.k,
        retriever=run.retriever,
        wrong_type=rival,
        ties=EARLIEST,  # as the reference ranks equal scores
    )
    stream = Stream("published figures", row["id"], row["meta"]["seed"])
    if run.order:
        retrieved = arrange(retrieved, record["correct_uid"], run.order, stream)
    return spoof(retrieved, run.spoof_rate, stream), record


def _exact(rows: Iterable[EpisodeRow], predictions: Iterable[Mapping[str, object]]) -> Figures:
    exact = list(_verdicts(rows, predictions))
    return {"exact_acc": sum(exact) / len(exact)}


def _verdicts(rows: Iterable[EpisodeRow], predictions: Iterable[Mapping[str, object]]) -> Iterator[bool]:
    read = ShownReader(RULES.rules)
    for row, prediction in zip(rows, predictions, strict=True):
        shown = read(row)
        case = resolve_gold(case_of(row), shown, RULES.rules)
        yield bool(judge(case, answers.read(prediction), shown, RULES).exact)


@lru_cache(maxsize=64)
def pool_of(book: str, gate: bool) -> Pool:
    """Return the lines of a book that may be retrieved. `gate` leaves out lines without authority, such as NOTEs."""
    entries: list[Entry] = parse_book(book)
    return Pool(authority_filter(entries) if gate else entries)
