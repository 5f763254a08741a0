"""Figures of known systems over the presets: `python -m tests.benchmarks.anchors [preset …] [--model]`.

Over each preset, under its open seeds, every reference system that answers any of its questions, the best attacker of
each role, and SmolLM2-135M over a sample of what is at most 2k tokens long. It writes `reached.json`, from which pages
read them, and the tables of docs/benchmarks.md. The model is asked where no figures of it are stored for the same rows;
with `--model` always. A few minutes, and with the model a quarter of an hour of one core.
"""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, cast

from evaluation.attacks.plan import AttackPlan, plan_of
from evaluation.attacks.running import attack, sealed_lines
from evaluation.core import jsonl
from evaluation.core.plugin.reached import (
    ALL,
    BEST,
    CROSSED,
    Grouping,
    KnownSystem,
    Line,
    Reached,
    ReachedRate,
)
from evaluation.core.records import Prediction
from evaluation.core.report import Report
from evaluation.core.rng import Stream
from evaluation.core.suite import Item, SuiteVersion
from evaluation.goldevidence.adapters.llama_cpp import LlamaSettings, create_adapter
from evaluation.goldevidence.experiments.anchors import reached as stored
from evaluation.goldevidence.experiments.anchors.records import PACKAGE
from evaluation.goldevidence.presets import PRESETS
from evaluation.goldevidence.records import EpisodeRow
from evaluation.goldevidence.suite import SUITE
from tests.smollm2 import model_path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "benchmarks.md"
BEGIN, END = "<!-- begin: make anchors -->\n", "<!-- end: make anchors -->"
#: preset -> its metric, the groupings of its table, and how many of its units are measured (0: all).
MEASURED: Mapping[str, tuple[str, tuple[str, ...], int]] = {
    "deep": ("exact_acc", ("condition", "family", "length_family"), 0),
    "deep_short": ("exact_acc", ("condition", "family", "length_family"), 0),
    "deep_long": (
        "exact_acc",
        ("condition", "family", "length_family"),
        10,
    ),  # two plots of each family, 80 MB
    "ladder": ("exact_acc", ("condition",), 0),
    "ladder_short": ("exact_acc", ("condition",), 0),
    "ladder_long": ("exact_acc", ("condition",), 10),
    "order_bias": ("selection_rate", ("condition",), 0),
    "order_bias_short": ("selection_rate", ("condition",), 0),
    "standard": ("exact_acc", ("condition", "state_mode"), 0),
    "standard_short": ("exact_acc", ("condition", "state_mode"), 0),
}
LABELS = {
    "condition": "condition",
    "family": "family",
    "length_family": "length and family",
    "state_mode": "state mode",
}
#: Presets of the demo: the longer ones have the same kinds of short rows, or none.
FOR_A_MODEL = ("deep_short", "ladder_short", "order_bias_short", "standard_short")
#: Its sample: tokens of the longest text, units, questions of each.
LONGEST, MODEL_UNITS, MODEL_ROWS = 2048, 10, 4
MODEL = "SmolLM2-135M-Instruct"


class Part(NamedTuple):
    """Some rows of a version, with the version that grades them."""

    version: SuiteVersion
    items: Sequence[Item]

    @property
    def rows(self) -> Iterator[EpisodeRow]:
        """The public rows."""
        return (cast(EpisodeRow, SUITE.public_row(row)) for item in self.items for row in item.rows)

    def graded(self, predictions: Iterable[Prediction], ids: Collection[str] | None = None) -> Report:
        """The report of some predictions; with ids over these rows alone."""
        records = (item.gold for item in self.items)
        if ids is None:
            return self.version.grade(records, predictions)
        some = (SUITE.record_of_rows(record, ids) for record in records)
        return self.version.grade([record for record in some if record is not None], predictions)


class Recording:
    """A version that also stores every report it makes, with the groups that attacks leave out."""

    def __init__(self, version: SuiteVersion) -> None:
        self._version, self.reports = version, list[Report]()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._version, name)

    def grade(self, records: Any, predictions: Any) -> Report:
        """Grade, and store the report."""
        self.reports.append(self._version.grade(records, predictions))
        return self.reports[-1]

    def grade_each(self, records: Iterable[Any], files: Iterable[Any]) -> Iterator[Report]:
        """The report of each file, graded lazily."""
        kept = list(records)
        return (self.grade(kept, file) for file in files)


def measured(preset: str, *, ask: bool, known: Reached | None) -> Reached:
    """The figures of a preset.

    Args:
        preset: Its name.
        ask: Whether to ask the model even if `known` has its figures.
        known: The stored figures of the preset.
    """
    metric, names, most = MEASURED[preset]
    settings = PRESETS[preset].as_json()
    version = SUITE.version(settings)
    part = Part(version, list(islice(version.generate(), most or None)))
    rows_digest = rows_sha256(settings)
    systems = list(references(part, metric, names))
    groupings = [Grouping(name, LABELS[name], parts(name, part, systems)) for name in names]
    systems += attackers(part, metric, names)
    settings_digest = stored.settings_sha256(settings)
    same = known is not None and (known.rows_sha256, known.settings_sha256) == (rows_digest, settings_digest)
    models = [each for each in known.systems if each.role == "model"] if known and same else []
    if preset in FOR_A_MODEL and (ask or not models) and model_path():
        models = list(model(part, metric, names))
    return Reached(
        preset=preset,
        settings_sha256=settings_digest,
        rows_sha256=rows_digest,
        metric=metric,
        units=len(part.items),
        of_units=version.count(),
        rows=sum(len(item.rows) for item in part.items),
        groupings=groupings,
        systems=[*systems, *models],
    )


def rows_sha256(settings: Mapping[str, object]) -> str:
    """The SHA-256 of the rows of the first unit under these settings."""
    digest = hashlib.sha256()
    for row in next(SUITE.version(settings).generate()).rows:
        digest.update(jsonl.dumps(dict(row)))
    return digest.hexdigest()


def references(part: Part, metric: str, names: Sequence[str]) -> Iterator[KnownSystem]:
    """The deterministic systems that answer any of the questions."""
    shows = cast(Any, part.version.settings).shows
    for name, spec in part.version.systems().items():
        if not spec.reference:
            continue  # it needs a model
        system = spec.build()
        said = [system.predict(row, protocol=shows.reads) for row in part.rows]
        if any(each["value"] is not None for each in said):
            figures = rates(part.graded(said), metric, names)
            yield KnownSystem(name, cast(Any, spec.reference), spec.description, figures)


def attackers(part: Part, metric: str, names: Sequence[str]) -> Iterator[KnownSystem]:
    """The best attacker of each role in each part; without intervals, as trained attackers answer half of the units."""
    version, plan = part.version, plan_of(part.version)
    assert plan is not None
    lines, _ = sealed_lines(SUITE, part.items, version.shared_texts)
    recording = Recording(version)
    attack(cast(SuiteVersion, recording), lines, lambda: (item.gold for item in part.items))
    found = list(zip(programs(plan), recording.reports, strict=True))
    counted = {name: each.rows for name, each in rates(part.graded([]), metric, names).items()}
    for role, label in BEST.items():
        figures = [rates(report, metric, names) for program, report in found if program.role == role]
        if not figures:
            continue
        best = {
            name: ReachedRate(max(each[name].value for each in figures if name in each), None, None, rows)
            for name, rows in counted.items()
            if any(name in each for each in figures)
        }
        who = ", ".join(program.label.lower() for program, _ in found if program.role == role)
        yield KnownSystem(label, role, f"In each part the best attacker of {len(figures)}: {who}.", best)


def programs(plan: AttackPlan) -> list[Any]:
    """Attackers and joiners in the order in which they are graded."""
    return [*plan.attackers, *(plan.joining.joiners if plan.joining else ())]


def rates(report: Report, metric: str, names: Sequence[str]) -> dict[str, ReachedRate]:
    """The figure over all rows and over each group that reports it."""
    found: dict[str, ReachedRate] = {}
    sums = report.sums.get(metric)
    if sums is not None:
        found[ALL] = rate(report.metrics[metric], report.intervals.get(metric), sums.sums[..., 1].sum())
    for name in names:
        for group, figures in report.groups.get(name, {}).items():
            if (value := figures["metrics"].get(metric)) is not None:
                rows = report.group_rows[name][group][metric]
                found[group] = rate(value, (figures.get("intervals") or {}).get(metric), rows)
    return found


def rate(value: Any, ends: Any, rows: float) -> ReachedRate:
    """Round a figure and its interval to three digits."""
    low, high = (round(end, 3) for end in ends) if ends else (None, None)
    return ReachedRate(round(float(value), 3), low, high, round(float(rows)))


def parts(name: str, part: Part, systems: Sequence[KnownSystem]) -> list[str]:
    """The groups of a grouping that have figures, in the order of the rows."""
    groups = part.graded([]).groups.get(name, {})
    return [group for group in groups if any(group in each.rates for each in systems)]


def model(part: Part, metric: str, names: Sequence[str]) -> Iterator[KnownSystem]:
    """SmolLM2 over a sample of the rows of at most 2k tokens; nothing if no row is that short."""
    lengths = {rung.split for rung in part.version.rungs if rung.tokens <= LONGEST}
    rows = list(sampled(part, lengths))
    if not rows:
        return
    mode = "answer" if lengths else "select"
    settings = LlamaSettings.model_validate(
        {"model": model_path(), "mode": mode, "truncation": "none", "threads": 1, "context": 4096}
    )
    shown, said = [cast(EpisodeRow, SUITE.public_row(row)) for row in rows], list[Prediction]()
    adapter = create_adapter(settings)
    try:
        protocol = cast(Any, part.version.settings).shows.reads
        for batch in adapter.batches(shown):
            answers = adapter.predict_batch(batch, protocol=protocol)
            said += [{"id": row["id"]} | dict(each.output) for row, each in zip(batch, answers, strict=True)]
    finally:
        adapter.close()
    figures = rates(part.graded(said, {row["id"] for row in rows}), metric, names)
    splits = lengths or {row["meta"]["condition"] for row in rows}
    kept = {name: each for name, each in figures.items() if name.partition(CROSSED)[0] in splits}
    about = f"A language model, {mode}, prompt standard@1, over {len(rows)} questions of {MODEL_UNITS} units."
    yield KnownSystem(MODEL, "model", about, kept, sampled=True)


def sampled(part: Part, lengths: Collection[str]) -> Iterator[EpisodeRow]:
    """Up to four random rows of each of ten units: of texts of these lengths, else of different conditions."""
    step = max(1, len(part.items) // MODEL_UNITS)
    for number, item in enumerate(part.items[::step][:MODEL_UNITS]):
        rows, lot = [cast(EpisodeRow, row) for row in item.rows], Stream("sample of a model", number)
        if lengths:
            some = [row for row in rows if row["meta"].get("length") in lengths]
            for _ in range(min(MODEL_ROWS, len(some))):
                yield some.pop(lot.below(len(some)))
            continue
        by_condition: dict[str, list[EpisodeRow]] = {}
        for row in rows:
            if row.get("candidates") is not None:
                by_condition.setdefault(row["meta"]["condition"], []).append(row)
        names = list(by_condition)
        for place in range(min(MODEL_ROWS, len(names))):
            some = by_condition[names[(number * MODEL_ROWS + place) % len(names)]]
            yield some[lot.below(len(some))]


def tables(all_reached: Iterable[Reached]) -> Iterator[str]:
    """The lines of the tables in docs/benchmarks.md."""
    for each in all_reached:
        whole = f"{each.units} of its {each.of_units}" if each.units < each.of_units else f"{each.units}"
        yield f"**`{each.preset}`**, {METRIC_WORDS[each.metric]}, {each.rows:,} rows of {whole} units:"
        for table in each.tables:
            yield f"\n| system | {' | '.join(table.headings)} |"
            yield f"|---|{'---|' * len(table.parts)}"
            for line in table.lines:
                yield f"| {names_of(line)} | {' | '.join(cell(line, rate) for rate in line.cells)} |"
        yield ""


def names_of(line: Line) -> str:
    """The names of a table line; systems under their command-line names."""
    plain = {*BEST.values(), MODEL}
    names = ", ".join(name if name in plain else f"`{name}`" for name in line.names)
    return f"{names} and {line.others} others" if line.others else names


def cell(line: Line, figure: ReachedRate | None) -> str:
    """A table cell: `.53`, or for a sample `.10 (.02–.31, n 20)`."""
    if figure is None:
        return "–"
    if not line.is_sampled:
        return two_digits(figure.value)
    ends = (
        ""
        if figure.low is None or figure.high is None
        else f"{two_digits(figure.low)}–{two_digits(figure.high)}, "
    )
    return f"{two_digits(figure.value)} ({ends}n {figure.rows})"


def two_digits(value: float) -> str:
    """A rate with two digits, without the zero before the point."""
    return f"{value:.2f}".removeprefix("0")


METRIC_WORDS = {"exact_acc": "exact answers", "selection_rate": "gold line chosen"}


def write(all_reached: Sequence[Reached]) -> None:
    """Write `reached.json` and the tables of docs/benchmarks.md."""
    Path(str(files(PACKAGE).joinpath(stored.FILE))).write_text(stored.as_text(all_reached), encoding="utf-8")
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, behind = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n{chr(10).join(tables(all_reached))}{END}{behind}", encoding="utf-8")


def main(arguments: list[str]) -> None:
    """Measure the given presets, else all, and save after each."""
    for preset in [name for name in arguments if name in MEASURED] or MEASURED:
        started = time.perf_counter()
        made = measured(preset, ask="--model" in arguments, known=known().get(preset))
        now = known() | {preset: made}  # another process may have written meanwhile
        write([now[name] for name in MEASURED if name in now])
        print(f"{preset}: {time.perf_counter() - started:.0f} s", flush=True)


def known() -> dict[str, Reached]:
    """The stored figures of each preset."""
    stored.reached.cache_clear()
    return {each.preset: each for each in stored.reached()}


if __name__ == "__main__":
    main(sys.argv[1:])
