"""Summarizes a sweep: one record per run, and aggregates over all runs."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from operator import itemgetter
from pathlib import Path
from typing import Any, TypedDict

import orjson

from evaluation.core.errors import FORM_FAULTS, BenchmarkError
from evaluation.goldevidence.data.buckets import EDGES
from evaluation.goldevidence.experiments import recency
from evaluation.goldevidence.experiments.sweep_folder import Run, RunFiles, read_runs, run_files, runs_of
from evaluation.goldevidence.experiments.traces import Trace, choice_of, mean_rank
from evaluation.goldevidence.grading.choices import Choice
from evaluation.goldevidence.grading.decomposition import decompose, decomposition_line
from evaluation.goldevidence.retrieval import LATEST

_SIZE = re.compile(r"(?<=.)_s\d+q\d+$")  # the size in the name of a sweep
Edges = Mapping[str, Sequence[int]]

AVERAGED = (
    "value_acc",
    "exact_acc",
    "cite_f1",
    "entailment",
    "instr_override_rate",
    "state_integrity_rate",
)
RETRIEVAL = (
    "accuracy_when_gold_present",
    "gold_picked_rate",
    "selection_rate",
    "gold_present_rate",
    "answer_acc_given_gold_selected",
    "value_is_substring_of_selected_line_rate",
    "support_consistency_rate",
    "gold_support_selected_rate",
    "selected_note_rate",
    "selected_wrong_update_rate",
    "wrong_update_rate",
    "spoof_accept_rate",
)
COLLECTED = (*RETRIEVAL, "value_acc_when_gold_selected", "drop_rate", "decomposition_line")
#: Settings that identify a cell: the system, and the view it is shown.
CELL = (
    "baseline",
    "condition",
    "retrieval_k",
    "retrieval_order",
    "retrieval_wrong_type",
    "retrieval_drop_prob",
    "retrieval_retriever",
    "retrieval_ties",
    "retrieval_rerank",
    "authority_filter",
)


class Summary(TypedDict, total=False):
    """The content of `summary.json`: aggregates over the runs of a sweep, with the fields in this order."""

    rows: int
    overall: dict[str, float]
    overall_raw: dict[str, float]
    by_group: list[dict[str, object]]
    by_group_raw: list[dict[str, object]]
    retrieval: dict[str, object]  # if runs kept traces
    by_cell: list[dict[str, object]]
    recency: dict[str, list[recency.Bucket]]  # field of `buckets.EDGES` -> its buckets


def summarize(combined: str | Path, edges: Edges = EDGES) -> Summary:
    """Summarize a `combined.json`: averages over runs, groups and cells, retrieval rates, and accuracy by recency.

    A cell is one system under one condition; its runs differ in seed and generated data. A group is one cell, state
    mode and distractor profile. `edges` maps words, distractors or writes to the limits of their recency buckets:
    strictly increasing integers >= 1. Raises BenchmarkError for other edges, or a file that is not a sweep.
    """
    for field, of_field in edges.items():
        if not of_field or list(of_field) != sorted(set(of_field)) or of_field[0] < 1:
            raise BenchmarkError(
                f"the edges of {field} must be strictly increasing integers >= 1: {list(of_field)}"
            )
    with _naming_file(combined):
        runs = read_runs(combined)
        return _summary(combined, edges, runs, [_choices(combined, run) for run in runs])


@contextmanager
def _naming_file(path: str | Path) -> Iterator[None]:
    try:
        yield
    except FORM_FAULTS as error:
        raise BenchmarkError(f"{path}: not in the form of a sweep ({error!r})") from error


def _summary(
    combined: str | Path, edges: Edges, runs: Sequence[Run], choices: Sequence[Sequence[Choice]]
) -> Summary:
    traces = [trace for run in runs for trace in run.get("retrieval_stats") or []]
    summary: Summary = {
        "rows": len(runs),
        "overall": _means(runs, "metrics"),
        "overall_raw": _means(runs, "metrics_raw"),
        "by_group": list(_groups(runs, "metrics")),
        "by_group_raw": list(_groups(runs, "metrics_raw")),
    }
    if traces:
        summary["retrieval"] = _retrieval(runs, choices)
    summary["by_cell"] = list(_cells(runs, choices))
    counts = [run.get("recency") or _counted(run, run_files(combined, run)) for run in runs]
    summary["recency"] = {field: recency.buckets(counts, field, edges[field]) for field in EDGES}
    return summary


def decompositions(combined: str | Path) -> Iterator[dict[str, object]]:
    """Yield the settings, the rates of retrieval and selection, and the overall metrics of each run with traces."""
    with _naming_file(combined):
        runs = read_runs(combined)
        yield from _decompositions(runs, (_choices(combined, run) for run in runs))


def summary_and_decompositions(
    combined: str | Path, runs: Sequence[Run]
) -> tuple[Summary, list[dict[str, object]]]:
    """Return the results of `summarize` and `decompositions`. Raises BenchmarkError if the file is not a sweep."""
    with _naming_file(combined):
        choices = [_choices(combined, run) for run in runs]
        return _summary(combined, EDGES, runs, choices), list(_decompositions(runs, choices))


def _decompositions(runs: Iterable[Run], of_runs: Iterable[Sequence[Choice]]) -> Iterator[dict[str, object]]:
    for run, choices in zip(runs, of_runs, strict=True):
        if traces := run.get("retrieval_stats"):
            rates, selects = decompose(choices), any(trace.get("selected_uid") for trace in traces)
            yield (
                _settings(run, traces[0])
                | {name: rates[name] for name in RETRIEVAL}
                | _overall(run)
                | {
                    "value_acc_when_gold_selected": rates["answer_acc_given_gold_selected"],
                    "spoof_accept_rate": rates["spoof_accept_rate"] if selects else None,
                    "spoof_accept_rate_non_gold": _spoof_non_gold(choices),
                }
            )


def flat_runs(combined: str | Path, runs: Sequence[Run] | None = None) -> list[dict[str, object]]:
    """Return one record per run: settings, metrics, and `raw_…` metrics of unedited answers. Raises BenchmarkError."""
    with _naming_file(combined):
        return list(map(_flat, runs_of(combined, runs)))


def _flat(run: Run) -> dict[str, object]:
    return (
        {name: run.get(name) for name in ("adapter_schema_version", "baseline", "protocol")}
        | {name: value for name, value in run.get("config", {}).items() if not name.endswith("_list")}
        | {name: run.get(name) for name in ("seed", "steps", "state_mode", "distractor_profile")}
        | {"data_path": run.get("data", {}).get("path"), "n": run.get("data", {}).get("n")}
        | (run.get("env") or {})
        | (run.get("metrics") or {})
        | {f"raw_{name}": value for name, value in (run.get("metrics_raw") or {}).items()}
    )


def collect(root: str | Path, *, latest_only: bool = False) -> list[dict[str, object]]:
    """Return one record per system and condition of each folder with a `summary.json`, by path; seeds are pooled.

    A summary without cells, as older releases and the reference write it, gives one record. `latest_only`: of sweeps
    whose names differ only in size (`_s3q16`), keep the newest. Raises BenchmarkError for a file that is not a summary.
    """
    lines = [line for path in sorted(Path(root).rglob("summary.json")) for line in _collected(path)]
    if latest_only:
        newest = {line["pattern"]: line["run_dir"] for line in sorted(lines, key=itemgetter("mtime"))}
        lines = [line for line in lines if newest[line["pattern"]] == line["run_dir"]]
    return lines


def to_csv(lines: Iterable[Mapping[str, object]]) -> str:
    """Return CSV with columns sorted by name; missing values are empty."""
    rows = list(lines)
    columns = sorted({name for row in rows for name in row})
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _collected(path: Path) -> list[dict[str, object]]:
    with _naming_file(path):
        summary = orjson.loads(path.read_bytes())
        whole = {"rows": summary["rows"], "overall": summary["overall"]}
        pooled = whole | {"retrieval": summary.get("retrieval", {})}
        return [_line_of(cell, path) for cell in summary.get("by_cell") or [pooled]]


def _line_of(cell: Mapping[str, Any], path: Path) -> dict[str, Any]:
    name, overall, retrieval = path.parent.resolve().name, cell["overall"], cell.get("retrieval", {})
    return (
        {
            "run_dir": str(path.parent),
            "run_name": name,
            "pattern": _SIZE.sub("", name),
            "mtime": path.stat().st_mtime,
        }
        | {setting: cell.get(setting) for setting in CELL}
        | {"rows": cell["rows"]}
        | {metric: overall.get(f"{metric}_mean") for metric in AVERAGED}
        | {metric: retrieval.get(metric) for metric in COLLECTED}
    )


def _choices(combined: str | Path, run: Run) -> list[Choice]:
    """Return a Choice for each row with a trace: which line the answer selected, and whether it is right."""
    traces = {trace["id"]: trace for trace in run.get("retrieval_stats") or []}
    if all("choice" in trace for trace in traces.values()):
        return [Choice(*trace["choice"]) for trace in traces.values()]
    files = run_files(combined, run)
    return [
        choice_of(row, files.predictions[row["id"]], traces[row["id"]])
        for row in files.rows
        if row["id"] in traces and row["id"] in files.predictions
    ]


def _means(runs: Iterable[Run], field: str) -> dict[str, float]:
    columns = {
        name: [run[field][name] for run in runs if (run.get(field) or {}).get(name) is not None]
        for name in AVERAGED
    }
    return {f"{name}_mean": sum(values) / len(values) for name, values in columns.items() if values}


def _groups(runs: Iterable[Run], field: str) -> Iterator[dict[str, object]]:
    groups: dict[tuple[str, str], dict[str, list[Run]]] = {}
    for run in runs:
        if run.get(field):
            of_data = groups.setdefault((run["state_mode"], run["distractor_profile"]), {})
            of_data.setdefault(str(_cell(run)), []).append(run)
    for (mode, profile), cells in sorted(groups.items()):
        for members in cells.values():
            data = {"state_mode": mode, "distractor_profile": profile, "n": len(members)}
            yield data | _cell(members[0]) | _means(members, field)


def _cells(runs: Sequence[Run], choices: Sequence[Sequence[Choice]]) -> Iterator[dict[str, object]]:
    cells: dict[str, list[int]] = {}
    for number, run in enumerate(runs):
        cells.setdefault(str(_cell(run)), []).append(number)
    for numbers in cells.values():
        own = [runs[number] for number in numbers]
        cell = _cell(own[0]) | {"rows": len(own), "overall": _means(own, "metrics")}
        if any(run.get("retrieval_stats") for run in own):
            cell["retrieval"] = _retrieval(own, [choices[number] for number in numbers])
        yield cell


def _cell(run: Run) -> dict[str, object]:
    """Return the settings of a run that are listed in CELL, with None for settings that the run does not record."""
    first = (run.get("retrieval_stats") or [{}])[0]
    known = (run.get("identity") or {}).get("condition") or {}
    config = run.get("config") or {}
    system = (run.get("identity") or {}).get("system") or {}
    rerank = first.get("rerank_mode") or (system.get("settings") or {}).get("selector")
    return {
        "baseline": run.get("baseline"),
        "condition": config.get("condition"),
        "retrieval_k": known.get("k", first.get("k")),
        "retrieval_order": known.get("order", first.get("order")),
        "retrieval_wrong_type": known.get("wrong_type", first.get("wrong_type")),
        "retrieval_drop_prob": known.get("drop_prob", first.get("drop_prob")),
        "retrieval_retriever": known.get("retriever", first.get("retriever")),
        "retrieval_ties": known.get("ties", LATEST if known else None),
        "retrieval_rerank": rerank,
        "authority_filter": config.get("authority_filter"),
    }


def _retrieval(runs: Iterable[Run], of_runs: Iterable[Sequence[Choice]]) -> dict[str, object]:
    runs, choices = list(runs), [choice for of_run in of_runs for choice in of_run]
    traces = [trace for run in runs for trace in run.get("retrieval_stats") or []]
    value_acc = _means(runs, "metrics").get("value_acc_mean")
    rates = decompose(choices)
    return {
        "n": len(traces),
        "gold_in_context_rate": sum(trace["correct_included"] is True for trace in traces) / len(traces),
        "correct_rank_mean": mean_rank(traces),
        "drop_rate": sum(trace.get("dropped_correct") is True for trace in traces) / len(traces),
        "gold_present_count": sum(choice.present for choice in choices),
        **{name: rates[name] for name in RETRIEVAL},
        "value_acc_when_gold_selected": rates["answer_acc_given_gold_selected"],
        "spoof_accept_rate_non_gold": _spoof_non_gold(choices),
        "decomposition_line": decomposition_line(rates | {"value_acc": value_acc}),
    }


def _spoof_non_gold(choices: Iterable[Choice]) -> float | None:
    selections = [choice for choice in choices if choice.present and choice.selected]
    wrong = sum(choice.forged_selected and not choice.cites_gold for choice in selections)
    return wrong / len(selections) if selections else None


def _counted(run: Run, files: RunFiles) -> recency.Counts:
    asked = run.get("config", {}).get("require_citations", True)
    return recency.count(files.rows, files.predictions, citations=asked)


def _settings(run: Run, first: Trace) -> dict[str, object]:
    return {
        "baseline": run.get("baseline"),
        "seed": run.get("seed"),
        "state_mode": run.get("state_mode"),
        "distractor_profile": run.get("distractor_profile"),
        "steps": run.get("steps"),
        "queries": run.get("data", {}).get("n"),
        "max_book_tokens": run.get("config", {}).get("max_book_tokens"),
        "retrieval_k": first.get("k"),
        "retrieval_wrong_type": first.get("wrong_type"),
        "retrieval_order": first.get("order"),
        "retrieval_drop_prob": first.get("drop_prob"),
        "retrieval_rerank": first.get("rerank_mode"),
        "pick_then_answer": first.get("pick_then_answer"),
    }


def _overall(run: Run) -> dict[str, object]:
    metrics = run.get("metrics", {})
    return {
        f"overall_{name}": metrics.get(name) for name in ("value_acc", "exact_acc", "cite_f1", "entailment")
    }
