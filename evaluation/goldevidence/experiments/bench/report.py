"""Writes the report of a bench: the thresholds first, then each part with its chart and metrics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from evaluation.core.pages.document import Document, Heading, Part, Picture, Table, Text
from evaluation.core.terminal.wording import number_of
from evaluation.goldevidence.experiments.bench.bars import Judged
from evaluation.goldevidence.experiments.bench.parts import PARTS
from evaluation.goldevidence.experiments.bench.running import Bench
from evaluation.goldevidence.experiments.sweep.plots import over, together
from evaluation.goldevidence.experiments.sweep.report import efficiency, figures_table, what_ran
from evaluation.goldevidence.experiments.sweep_folder import Run

#: Part -> metric -> the threshold drawn with it.
DRAWN = {
    "standard": {"value_acc": "value"},
    "path": {"state_integrity_rate": "integrity"},
    "k": {"selection_rate": "selection"},
    "authority": {"value_acc": "authority", "selected_note_rate": "notes"},
}


def write_report(bench: Bench, folder: str | Path) -> Path:
    return bench_report(bench, folder).write(folder)


def bench_report(bench: Bench, folder: str | Path) -> Document:
    document = Document(f"Bench of {bench.system}, {bench.size.name}")
    document.add(*_summary(bench))
    for name, runs in bench.runs.items():
        document.add(*_part(name, runs, bench.judged))
    if every := [run for runs in bench.runs.values() for run in runs]:
        document.add(*efficiency(every), *what_ran(Path(folder) / next(iter(bench.runs)), every))
    return document


def bars_table(judged: Sequence[Judged]) -> Table:
    rows = [
        [
            each.bar.name,
            each.bar.part,
            each.bar.said,
            each.figure.text,
            each.figure.ends,
            _said(each),
            "yes" if each.is_certain else "no",
        ]
        for each in judged
    ]
    return Table(("bar", "part", "threshold", "measured", "95% interval", "result", "certain"), rows)


def _said(judged: Judged) -> str:
    return {None: "not reported", True: "pass", False: "fail"}[judged.reached]


def _summary(bench: Bench) -> Iterator[Part]:
    if bench.unfinished is not None:
        yield Text("This bench is not finished: parts are missing below.")
    if not bench.judged:
        return
    results = [_said(each) for each in bench.judged]
    said = ", ".join(f"{results.count(each)} {each}" for each in dict.fromkeys(results))
    yield Heading("Bars")
    yield Text(f"{number_of(len(bench.judged), 'bar')}: {said}.")
    yield bars_table(bench.judged)
    yield Text(
        "A result is certain if the whole 95% interval over episodes lies on one side of the threshold. More seeds "
        "give narrower intervals."
    )
    yield Table(("bar", "meaning"), [[each.bar.name, each.bar.help] for each in bench.judged])


def _part(name: str, runs: Sequence[Run], judged: Sequence[Judged]) -> Iterator[Part]:
    part = PARTS[name]
    rows = sum(run["data"]["n"] for run in runs)
    yield Heading(part.title)
    yield Text(f"{part.help} {number_of(len(runs), 'run')}, {number_of(rows, 'row')}.")
    yield from _charts(name, runs, judged)
    yield figures_table(runs)


def _charts(name: str, runs: Sequence[Run], judged: Sequence[Judged]) -> Iterator[Picture]:
    part, caption = PARTS[name], "Whiskers are 95% intervals over episodes."
    if len({run["baseline"] for run in runs}) == 1:
        bars = [level for metric in part.metrics for level in _levels(name, metric, judged)]
        yield Picture(name, together(runs, part.axis, part.metrics, bars), caption)
        return
    for metric in part.metrics:
        chart = over(runs, part.axis, metric, _levels(name, metric, judged))
        yield Picture(f"{name}-{metric}", chart, caption)


def _levels(name: str, metric: str, judged: Sequence[Judged]) -> list[tuple[str, float]]:
    wanted = DRAWN.get(name, {}).get(metric)
    return [
        (f"{each.bar.name}: {each.bar.said}", each.bar.threshold)
        for each in judged
        if each.bar.name == wanted
    ]
