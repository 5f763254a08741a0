"""Writes the report of a sweep: settings, tables and plots, as Markdown, SVG and one HTML page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import orjson

from evaluation.adapters.runner import TRUNCATED
from evaluation.core.pages.document import Document, Heading, Part, Table, Text
from evaluation.core.row_states import unanswered
from evaluation.core.terminal.wording import number_of
from evaluation.goldevidence.experiments.summary import Summary, flat_runs, summary_and_decompositions, to_csv
from evaluation.goldevidence.experiments.sweep.figures import by, differing, pooled, setting
from evaluation.goldevidence.experiments.sweep.plots import (
    AXES,
    axis_charts,
    cost_charts,
    decomposition_chart,
    recency_charts,
)
from evaluation.goldevidence.experiments.sweep_folder import SWEEP, Run, runs_of

MOST_LINES = 24  # rows of a table that fit on a screen
FIGURES = {
    "gold_present_rate": "shown",
    "gold_picked_rate": "picked",
    "selection_rate": "cited",
    "accuracy_when_gold_present": "right when shown",
    "value_acc": "value",
    "exact_acc": "exact",
    "cite_f1": "cite F1",
    "entailment": "entailed",
    "instr_override_rate": "override",
    "state_integrity_rate": "integrity",
}
DECOMPOSITION = {
    "gold_present_rate": "shown",
    "gold_picked_rate": "picked",
    "selection_rate": "cited",
    "accuracy_when_gold_present": "right when shown",
    "overall_value_acc": "right",
    "selected_note_rate": "a NOTE chosen",
    "wrong_update_rate": "wrong update",
}


def write_report(
    combined: str | Path,
    folder: str | Path,
    tables: Tables | None = None,
    runs: Sequence[Run] | None = None,
) -> Path:
    """Write `report.md`, `report.html` and `plots/`. Reads tables and runs if not given. Raises BenchmarkError."""
    name = Path(combined).resolve().parent.name
    document = Document(f"Sweep {name}")
    runs = runs_of(combined, runs)
    if runs:
        document.add(*report_parts(runs, tables or tables_of(combined, runs)))
        document.add(*what_ran(Path(combined).parent, runs))
    else:
        document.add(Text("No cell is done yet."))
    return document.write(folder)


def report_parts(runs: Sequence[Run], tables: Tables) -> Iterator[Part]:
    rows, seeds = sum(run["data"]["n"] for run in runs), len({run["seed"] for run in runs})
    yield Text(f"{number_of(len(runs), 'run')} over {number_of(seeds, 'seed')}, {number_of(rows, 'row')}.")
    yield Heading("Figures")
    yield figures_table(runs)
    yield from efficiency(runs)
    yield from cost_charts(runs)
    charts = list(axis_charts(runs))
    if charts:
        yield Heading("By setting")
        yield from charts
    if lines := tables.decompositions:
        yield Heading("Decomposition")
        yield Text(
            "Picked: share of the rows showing the gold line in which a selector picked it before the model was asked "
            "(–: no system records it). Cited: share whose answer cites it."
        )
        yield from decomposition_chart(lines)
        if len(lines) <= MOST_LINES:
            yield _decomposition_table(runs, lines)
        else:
            yield Text(f"{number_of(len(lines), 'run')}: each is a line of decomposition.csv.")
    summary = tables.summary
    if any(summary["recency"].values()):
        yield Heading("Recency")
        yield from recency_charts(summary)
        yield _recency_table(summary)


def figures_table(runs: Sequence[Run]) -> Table:
    """Return a table of metrics per combination of the settings that vary; the seeds are pooled."""
    axes = ["baseline", *differing(runs, AXES)]
    groups = by(runs, lambda run: tuple(str(setting(run, axis)) for axis in axes))
    shown = [name for name in FIGURES if pooled(runs, name).value is not None]
    headings = ["system", *(axis.replace("_", " ") for axis in axes[1:]), "rows"]
    headings += [FIGURES[name] for name in shown]
    rows = []
    for key, group in groups.items():
        figures = [pooled(group, name) for name in shown]
        count = sum(run["data"]["n"] for run in group)
        rows.append([*key, f"{count:,}", *(each.text for each in figures)])
    return Table(headings, rows)


def efficiency(runs: Sequence[Run]) -> Iterator[Part]:
    """Yield a table of tokens, seconds and unanswered rows, with one line per system."""
    rows = []
    for system, own in by(runs, lambda run: str(run["baseline"])).items():
        asked = sum(run["data"]["n"] for run in own)
        costs = [run.get("efficiency") or {} for run in own]
        tokens, wall, passes = (
            sum(cost.get(name) or 0 for cost in costs) for name in ("tokens", "wall_s", "passes")
        )
        if asked:
            paces = [f"{tokens / asked:,.0f}", f"{passes:,}", f"{wall:.3f}", f"{wall / asked:.5f}"]
            rows.append([system, f"{asked:,}", *paces, *_unanswered(own)])
    yield Heading("Efficiency")
    yield Text(
        "Tokens are counted by the model; for rules they are the words shown. Rows without an answer count as wrong. "
        "A cut prompt was longer than the model's context, so the model read only a part."
    )
    headings = (
        "system",
        "rows",
        "tokens/query",
        "passes",
        "seconds",
        "seconds/query",
        "no answer",
        "cut prompts",
    )
    yield Table(headings, rows)


def _unanswered(runs: Sequence[Run]) -> tuple[str, str]:
    states = [run["row_states"] for run in runs if run.get("row_states")]
    cut = [run["provenance"][TRUNCATED] for run in runs if TRUNCATED in (run.get("provenance") or {})]
    without = f"{sum(unanswered(each) for each in states):,}" if states else "–"
    return without, f"{sum(cut):,}" if cut else "–"


def what_ran(folder: Path, runs: Sequence[Run]) -> Iterator[Part]:
    """Yield a table of what is needed to repeat the sweep: versions, command, and each system's model and settings."""
    rows = []
    if (path := folder / SWEEP).exists():
        told = orjson.loads(path.read_bytes())["provenance"]
        rows = [
            [name, str(told[name])] for name in ("engine", "commit", "python", "command") if told.get(name)
        ]
        rows += [[name, value] for name, value in told["environment"].items()]
    for system, own in by(runs, lambda run: str(run["baseline"])).items():
        rows += [[f"{system}: {name}", text] for name, text in _system_items(own[0])]
    if rows:
        yield Heading("What ran")
        yield Table(("item", "value"), rows)


def _system_items(run: Run) -> Iterator[tuple[str, str]]:
    told, who = run.get("provenance") or {}, (run.get("identity") or {}).get("system") or {}
    if model := told.get("model"):
        known = [model.get(name) for name in ("file", "architecture", "quantization")]
        yield (
            "model",
            ", ".join(str(each) for each in known if each) if isinstance(model, dict) else str(model),
        )
        yield "SHA-256", str(model.get("sha256", "–")) if isinstance(model, dict) else "–"
    if prompt := told.get("prompt"):
        yield "prompt", f"{prompt['set']}, wording {prompt['wording']}, {prompt['shots']} examples"
    if settings := who.get("settings"):
        yield "settings", ", ".join(f"{name}={value}" for name, value in settings.items())


def _decomposition_table(runs: Sequence[Run], lines: Sequence[Mapping[str, object]]) -> Table:
    traced = [run for run in runs if run.get("retrieval_stats")]
    headings = ["system", "seed", "mode", "condition", *DECOMPOSITION.values()]
    rows = []
    for run, line in zip(traced, lines, strict=True):
        condition = (run.get("config") or {}).get(
            "condition"
        ) or f"k{line['retrieval_k']} {line['retrieval_order']}"
        if (run.get("config") or {}).get("authority_filter"):
            condition += ", filter on"
        figures = ["–" if line[name] is None else f"{line[name]:.3f}" for name in DECOMPOSITION]
        rows.append([str(line["baseline"]), str(line["seed"]), str(line["state_mode"]), condition, *figures])
    return Table(headings, rows)


def _recency_table(summary: Summary) -> Table:
    rows = [
        [
            measure.replace("_", " "),
            bucket["bucket"],
            str(bucket["n"]),
            f"{bucket['value_acc']:.3f}",
            f"{bucket['exact_acc']:.3f}",
        ]
        for measure, buckets in summary["recency"].items()
        for bucket in buckets
    ]
    return Table(("measure", "bucket", "rows", "value", "exact"), rows)


class Tables(NamedTuple):
    summary: Summary
    decompositions: list[dict[str, object]]


def tables_of(combined: str | Path, runs: Sequence[Run] | None = None) -> Tables:
    """Compute the summary and the decomposition of a sweep. Raises BenchmarkError if the file is not a sweep."""
    return Tables(*summary_and_decompositions(combined, runs_of(combined, runs)))


def write_tables(combined: str | Path, runs: Sequence[Run] | None = None) -> Tables:
    """Write `summary.json`, `summary.csv`, `decomposition.csv` and `recency.csv`. Raises BenchmarkError."""
    folder, runs = Path(combined).parent, runs_of(combined, runs)
    known = tables_of(combined, runs)
    (folder / "summary.json").write_bytes(orjson.dumps(known.summary, option=orjson.OPT_INDENT_2))
    tables = {
        "summary.csv": flat_runs(combined, runs),
        "decomposition.csv": known.decompositions,
        "recency.csv": recency_lines(known.summary),
    }
    for name, lines in tables.items():
        (folder / name).write_text(to_csv(lines), encoding="utf-8")
    return known


def recency_lines(summary: Summary) -> Iterator[dict[str, object]]:
    for measure, buckets in summary["recency"].items():
        for bucket in buckets:
            yield {"measure": measure, **bucket}
