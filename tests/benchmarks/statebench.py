"""How fast StateBench replays, assembles and scores, and whether its cost stays linear.

    python -m tests.benchmarks.statebench

It takes the released dev split where the reference data is there, else timelines of our generator. Targets:
process + context >= 10,000 timelines/s, scoring >= 50,000 responses/s, linear in the number of facts.

What is read off a text is kept for when the same words come again. So there are two speeds, and both are shown: of
texts that the process has never seen (`first reading`), and of timelines read again (all other lines).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from evaluation.core import jsonl
from evaluation.statebench.conformance.vectors.writing import supersede, timeline, write
from evaluation.statebench.data.timeline import check_timeline
from evaluation.statebench.data.truth import truths
from evaluation.statebench.generator.tracks import TRACKS, generate
from evaluation.statebench.grading.grade import judge_all
from evaluation.statebench.grading.rubrics import RUBRICS
from evaluation.statebench.strategies import STRATEGIES, build_context, build_contexts
from tests.reference import ROOT

Rows = list[dict[str, Any]]

REPEATS = 25
SIZES = (250, 500, 1000, 2000, 4000)


def best(work: Callable[[], object]) -> float:
    """Seconds of CPU of the fastest of some runs: what the work costs without the neighbours' noise."""
    fastest = float("inf")
    for _ in range(REPEATS):
        started = time.process_time()
        work()
        fastest = min(fastest, time.process_time() - started)
    return fastest


def timelines() -> Rows:
    """The release's dev split, or as many of our own."""
    path = ROOT / "state/data/dev.jsonl"
    return list(jsonl.read(path)) if path.exists() else list(generate(list(TRACKS), 14, 0))


def first_reading(rows: Rows) -> None:
    """Timelines per second where nothing is known yet: the data once, then as many of ours from other seeds."""
    started = time.process_time()
    for row in rows:
        build_contexts(row)
    print(
        f"{'state_based, first reading':32}{len(rows) / (time.process_time() - started):12,.0f} timelines/s"
    )
    unseen = iter([list(generate(list(TRACKS), 14, seed)) for seed in range(1, REPEATS + 1)])
    spent = best(lambda: [build_contexts(row) for row in next(unseen)])
    print(f"{'  the same, generated':32}{14 * len(TRACKS) / spent:12,.0f} timelines/s")


def replaying(rows: Rows) -> None:
    """Timelines per second, per strategy; all queries of a timeline at once, and one by one."""
    print(f"{'check':32}{len(rows) / best(lambda: [check_timeline(row) for row in rows]):12,.0f} timelines/s")
    for name in STRATEGIES:
        spent = best(lambda name=name: [build_contexts(row, strategy=name) for row in rows])
        print(f"{name:32}{len(rows) / spent:12,.0f} timelines/s")
    queries = [(row, n) for row in rows for n in range(sum(e["type"] == "query" for e in row["events"]))]
    spent = best(lambda: [build_context(row, n) for row, n in queries])
    print(f"{'state_based, query by query':32}{len(queries) / spent:12,.0f} queries/s")


def scoring(rows: Rows) -> None:
    """Responses per second: short ones, and whole contexts."""
    known = truths(rows)
    echoes = iter([context.text for row in rows for context in build_contexts(row)])
    contexts = {(truth.timeline_id, truth.index): {"response": next(echoes)} for truth in known}
    short = {key: {"response": f"No, {truth.decision}."} for key, truth in zip(contexts, known, strict=True)}
    for rubric, prepare in RUBRICS.items():
        judges = [prepare(truth) for truth in known]
        for label, answers in (("short", short), ("context-sized", contexts)):
            texts = [str(answer["response"]) for answer in answers.values()]
            pairs = list(zip(judges, texts, strict=True))
            spent = best(lambda pairs=pairs: [judge(text) for judge, text in pairs])
            print(f"{f'rubric {rubric}, {label}':32}{len(pairs) / spent:12,.0f} responses/s")
        spent = best(lambda rubric=rubric: judge_all(known, short, rubric=rubric))
        print(f"{f'rubric {rubric}, with preparation':32}{len(known) / spent:12,.0f} responses/s")


def scaling() -> None:
    """Milliseconds for timelines of growing size: chains, plain facts, a dense graph of dependencies."""
    print(f"{'facts':>8}{'plain':>12}{'chain':>12}{'dependent':>12}   ms")
    for size in SIZES:
        plain = [write(f"gauge_{n}", f"Gauge {n} of hall {n % 7} reads {n} bar") for n in range(size)]
        chain = [write("v0", "value 0")] + [
            supersede(f"v{n}", f"value {n}", of=f"v{n - 1}") for n in range(1, size)
        ]
        related = [
            write(f"n{n}", f"node {n}", id=f"N{n}", depends_on=[f"N{m}" for m in range(max(0, n - 8), n)])
            for n in range(size)
        ]
        related.append(supersede("root", "new root", of="N0"))
        stories = [timeline(*events, query="What does gauge 17 read?") for events in (plain, chain, related)]
        spent = [best(lambda story=story: build_context(story, budget=512)) for story in stories]
        print(f"{size:>8}" + "".join(f"{1000 * seconds:>12.2f}" for seconds in spent))


if __name__ == "__main__":
    data = timelines()
    first_reading(data)
    replaying(data)
    scoring(data)
    scaling()
