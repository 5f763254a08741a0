"""How far the rubrics of free text agree with labels made by reading: `python -m tests.benchmarks.answers [--misses]`.

Reads answers with labels (`LABELS`): what each decides and which of the candidate phrases it affirms as holding now,
labelled by people who saw neither rules nor gold. The gold of a row is generated anew from seed, track and number.
Prints for each half: Cohen's kappa of the labellers, and of the rubrics with the labels, for *decision* (right or wrong
against the gold) and *violation* (something forbidden is affirmed), with 95% intervals that resample queries.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from evaluation.core import jsonl
from evaluation.statebench.data.truth import Truth, truths
from evaluation.statebench.generator.tracks import generate
from evaluation.statebench.grading.rubrics import RUBRICS
from tests.benchmarks.statebench import best

LABELS = Path(__file__).parents[1] / "evaluation/statebench/grading/affirmed/answers.jsonl"
JUDGES = ("strict@3", "strict@4")
DRAWS = 2_000
Row = Mapping[str, Any]


class Reading(NamedTuple):
    """An answer as a labeller or a rubric reads it."""

    right: bool
    violates: bool


@lru_cache(maxsize=4096)
def truth_of(seed: int, track: str, number: int, query: int) -> Truth:
    """The gold of a row, generated anew."""
    timeline = list(generate([track], number + 1, seed))[number]
    return truths([timeline])[query]


def gold(row: Row) -> Truth:
    """The ground truth of a labelled answer."""
    return truth_of(row["seed"], row["track"], row["number"], row["query_idx"])


def labelled(truth: Truth, label: Row) -> Reading:
    """The reading that a label implies, given the gold.

    An answer is right if its value is affirmed and nothing forbidden is; for yes, no and unclear, if the decision is
    the same; for a refusal, if it refuses; for doubt, if it says that the matter is unclear; for other gold, if all
    that must be mentioned is affirmed.
    """
    affirmed, decision = set(label["affirms"]), label["decision"]
    violates = any(mention.phrase in affirmed for mention in truth.must_not)
    if truth.decision in ("yes", "no", "unclear"):
        right = decision == truth.decision
    elif truth.decision.startswith("refuse"):
        right = decision == "refuse"
    elif truth.decision.startswith("acknowledge"):
        right = decision in ("unclear", "refuse")
    elif truth.in_state:
        right = truth.decision in affirmed
    else:
        right = all(mention.phrase in affirmed for mention in truth.must)
    return Reading(right and not violates, violates)


def judged(rubric: str) -> Callable[[Row], Reading]:
    """The function by which a rubric reads a row."""

    def read(row: Row) -> Reading:
        verdict = RUBRICS[rubric](gold(row))(row["answer"])
        return Reading(verdict.correct and not any(verdict.violations), any(verdict.violations))

    return read


def kappa(one: Sequence[bool], other: Sequence[bool]) -> float:
    """Cohen's kappa of two raters of the same things; 1.0 if both always give the same single label."""
    a, b = np.asarray(one, dtype=bool), np.asarray(other, dtype=bool)
    agreed = float(np.mean(a == b))
    chance = float(np.mean(a) * np.mean(b) + np.mean(~a) * np.mean(~b))
    return 1.0 if chance == 1.0 else (agreed - chance) / (1 - chance)


def interval(queries: Sequence[object], one: Sequence[bool], other: Sequence[bool]) -> tuple[float, float]:
    """The 95% percentile interval of kappa; whole queries are drawn, because their answers are not independent."""
    numbers = {query: number for number, query in enumerate(dict.fromkeys(queries))}
    rows = [np.flatnonzero([numbers[query] == at for query in queries]) for at in range(len(numbers))]
    draw, a, b = np.random.default_rng(0), np.asarray(one), np.asarray(other)
    drawn = []
    for _ in range(DRAWS):
        chosen = np.concatenate([rows[at] for at in draw.integers(len(rows), size=len(rows))])
        drawn.append(kappa(a[chosen], b[chosen]))
    low, high = np.percentile(drawn, [2.5, 97.5])
    return float(low), float(high)


def print_line(name: str, rows: Sequence[Row], ones: Sequence[Reading], others: Sequence[Reading]) -> None:
    """Print a line: agreement and kappa with its interval, for decision and violation."""
    queries = [(row["seed"], row["track"], row["number"], row["query_idx"]) for row in rows]
    told = [f"  {name:28}{len(rows):5}"]
    for field in ("right", "violates"):
        a, b = ([getattr(each, field) for each in side] for side in (ones, others))
        low, high = interval(queries, a, b)
        agreed = float(np.mean(np.equal(a, b)))
        told.append(f"{agreed:8.3f}  {kappa(a, b):.3f} ({low:.3f}-{high:.3f})")
    print("".join(told))


def print_half(half: str, rows: Sequence[Row], *, misses: bool) -> None:
    """Print the lines of one half."""
    print(
        f"\n{half}: {len(rows)} answers\n{'':32}n  decision agreed, kappa (95%)  violation agreed, kappa (95%)"
    )
    labels = [labelled(gold(row), row) for row in rows]
    twice = [row for row in rows if row.get("labels2")]
    if twice:
        seconds = [labelled(gold(row), row["labels2"]) for row in twice]
        print_line("second labeller", twice, [labelled(gold(row), row) for row in twice], seconds)
        same = [row["decision"] == row["labels2"]["decision"] for row in twice]
        print(f"  {'the same decision word':28}{len(twice):5}{np.mean(same):8.3f}")
    for name in JUDGES:
        print_line(name, rows, labels, list(map(judged(name), rows)))
    pairs = [(RUBRICS[JUDGES[-1]](gold(row)), row["answer"]) for row in rows]
    spent = best(lambda: [judge(answer) for judge, answer in pairs])
    print(f"  {JUDGES[-1]} reads {len(pairs) / spent:,.0f} of them a second, on one core")
    for writer in sorted({row["by"] for row in rows}):
        own = [at for at, row in enumerate(rows) if row["by"] == writer]
        of_writer = [rows[at] for at in own]
        read = list(map(judged(JUDGES[-1]), of_writer))
        print_line(f"  {JUDGES[-1]}, {writer}"[:27], of_writer, [labels[at] for at in own], read)
    if misses:
        _list_misses(rows, labels)


def _list_misses(rows: Iterable[Row], labels: Iterable[Reading]) -> None:
    for row, label in zip(rows, labels, strict=True):
        verdict = RUBRICS[JUDGES[-1]](gold(row))(row["answer"])
        read = Reading(verdict.correct, any(verdict.violations))
        if read != label:
            print(
                f"{row['id']} {row['query']} | {row['answer']!r} | {tuple(label)} | {tuple(read)} {verdict.reason}"
            )


def main() -> None:
    """Print both halves of a file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("labels", nargs="?", default=str(LABELS), help="default: %(default)s")
    parser.add_argument("--half", choices=["dev", "held"], help="one half alone")
    parser.add_argument(
        "--misses", action="store_true", help="list what is read otherwise (of the half dev alone)"
    )
    args = parser.parse_args()
    rows = list(jsonl.read(args.labels))
    for half in ("dev", "held"):
        chosen = [row for row in rows if row["half"] == half and args.half in (None, half)]
        if chosen:
            print_half(half, chosen, misses=args.misses and half == "dev")


if __name__ == "__main__":
    main()
