"""Draws the charts of a sweep: one per setting that varies, one of recency, and one of retrieval and selection."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from evaluation.core.pages.charts import Chart, Point, Series
from evaluation.core.pages.document import Picture
from evaluation.goldevidence.experiments.summary import Summary
from evaluation.goldevidence.experiments.sweep.figures import by, differing, pooled, setting
from evaluation.goldevidence.experiments.sweep_folder import Run
from evaluation.goldevidence.generator.fields import SETTINGS

#: Setting -> title of the axis. Settings with an order are drawn as lines.
AXES = {
    "steps": "Lines of the log",
    "max_book_tokens": "Limit on words shown",
    "k": "Candidates shown (k)",
    "tail_distractor_steps": "Steps after the last update (tail)",
    "note_rate": "Share of NOTEs",
    "distractor_rate": "Share of distractors",
    "clear_rate": "Share of CLEARs",
    "keys": "Tags",
    "chapters": "Chapters",
    "drop_prob": "Probability of dropping the gold line",
    "order": "Order of the candidates",
    "wrong_type": "Kind of wrong line added",
    "retriever": "Retriever",
    "ties": "Which of two lines with equal scores is ranked first",
    "authority_filter": "Authority filter",
    "state_mode": "State mode",
    "distractor_profile": "Distractors",
}
CATEGORIES = frozenset(
    {"order", "wrong_type", "retriever", "ties", "authority_filter", "state_mode", "distractor_profile"}
)
SYSTEM = "baseline"
#: Settings that change how much a system reads.
COSTS = ("steps", "max_book_tokens", "k", "retriever", "tail_distractor_steps")
MEASURES = {
    "tokens_since_update": "Words since the last update",
    "distractors_since_update": "Distractors since the last update",
    "writes_to_key": "Updates of the tag",
}
NAMES = {
    "value_acc": "Value accuracy",
    "exact_acc": "Exact accuracy",
    "gold_picked_rate": "Gold line picked",
    "selection_rate": "Selection rate",
    "state_integrity_rate": "State integrity",
    "entailment": "Entailment",
    "selected_note_rate": "A NOTE chosen",
}


def axis_charts(runs: Sequence[Run], metrics: Sequence[str] = ("value_acc",)) -> Iterator[Picture]:
    """Yield a chart of each metric (a name in `record.SUMMED`) over each setting that varies, one line per system."""
    others = [name for name in SETTINGS if name not in AXES]
    for axis in differing(runs, [*AXES, *others]):
        for metric in metrics:
            chart = over(runs, axis, metric)
            if any(point.y is not None for series in chart.series for point in series.points):
                yield Picture(f"{metric}-{axis}", chart, _caption(runs, axis, metric))


def over(runs: Sequence[Run], axis: str, metric: str, bars: Sequence[tuple[str, float]] = ()) -> Chart:
    """Draw a metric of `record.SUMMED` over a setting, one line per system. `bars`: named rates such as thresholds."""
    series = [
        Series(str(system), [_point(value, group, metric) for value, group in _groups(own, axis)])
        for system, own in by(runs, lambda run: run.get(SYSTEM)).items()
    ]
    name, title = NAMES.get(metric, metric), AXES.get(axis, axis.replace("_", " "))
    return Chart(f"{name} by {title[0].lower()}{title[1:]}", title, series, axis not in CATEGORIES, bars)


def together(
    runs: Sequence[Run], axis: str, metrics: Sequence[str], bars: Sequence[tuple[str, float]] = ()
) -> Chart:
    """Draw several metrics of one system over a setting, one line per metric. Metrics without data are left out."""
    series = [
        Series(
            NAMES.get(metric, metric), [_point(value, group, metric) for value, group in _groups(runs, axis)]
        )
        for metric in metrics
        if pooled(runs, metric).value is not None
    ]
    title = AXES.get(axis, axis.replace("_", " "))
    names = " and ".join(each.name.lower() for each in series)
    return Chart(f"{names[:1].upper()}{names[1:]}", title, series, axis not in CATEGORIES, bars)


def _groups(runs: Sequence[Run], axis: str) -> Iterator[tuple[Any, list[Run]]]:
    groups = by(runs, lambda run: setting(run, axis))
    known = [value for value in groups if value is not None]
    ordered = sorted(known) if all(isinstance(value, int | float) for value in known) else known
    yield from ((value, groups[value]) for value in (*ordered, *([None] if None in groups else [])))


def _point(value: Any, runs: Sequence[Run], metric: str) -> Point:
    figure = pooled(runs, metric)
    return Point(_said(value), figure.value, *(figure.interval or (None, None)))


def _said(value: Any) -> str:
    match value:
        case None:
            return "all"
        case True:
            return "on"
        case False:
            return "off"
        case float():
            return f"{value:g}"
        case _:
            return str(value)


def _caption(runs: Sequence[Run], axis: str, metric: str) -> str:
    rows = sum(run["data"]["n"] for run in runs)
    others = [name for name in differing(runs, AXES) if name != axis]
    over_what = f", over all of {', '.join(name.replace('_', ' ') for name in others)}" if others else ""
    return f"{rows:,} rows of {len(runs)} runs{over_what}. Whiskers are 95% intervals over episodes."


def cost_charts(runs: Sequence[Run], metric: str = "value_acc") -> Iterator[Picture]:
    """Yield a chart of a metric over tokens per question, with one point per system and amount of text."""
    axes = [SYSTEM, *differing(runs, COSTS)]
    groups = by(runs, lambda run: tuple(str(setting(run, axis)) for axis in axes))
    marks = [(_tokens_a_question(group), group) for group in groups.values()]
    known = sorted(((cost, group) for cost, group in marks if cost), key=itemgetter(0))
    places = tuple(dict.fromkeys(f"{cost:,.0f}" for cost, _ in known))
    if len(places) < 2:
        return
    points: dict[str, list[Point]] = {}
    for cost, group in known:
        points.setdefault(str(group[0].get(SYSTEM)), []).append(_point(f"{cost:,.0f}", group, metric))
    series = [Series(system, own) for system, own in points.items()]
    title = f"{NAMES.get(metric, metric)} by cost"
    chart = Chart(title, "Tokens per question", series, len(axes) > 1, order=places)
    caption = f"{_caption(runs, SYSTEM, metric)} Cheap systems are on the left, accurate ones at the top."
    yield Picture(f"cost-{metric}", chart, caption)


def _tokens_a_question(runs: Sequence[Run]) -> float | None:
    rows, total = sum(run["data"]["n"] for run in runs), 0.0
    for run in runs:
        if (tokens := (run.get("efficiency") or {}).get("tokens")) is None:
            return None
        total += tokens
    return total / rows if rows else None


def recency_charts(summary: Summary) -> Iterator[Picture]:
    for measure, title in MEASURES.items():
        buckets = sorted(
            summary["recency"].get(measure, ()),
            key=lambda each: int(each["bucket"].rstrip("+").partition("-")[0]),
        )
        if len(buckets) < 2:
            continue
        series = [
            Series(NAMES[metric], [Point(bucket["bucket"], bucket[metric]) for bucket in buckets])
            for metric in ("value_acc", "exact_acc")
        ]
        rows = sum(bucket["n"] for bucket in buckets)
        caption = f"{rows:,} rows, graded by the reference's rubric. A bucket excludes its upper bound."
        yield Picture(f"recency-{measure}", Chart(f"Accuracy by {title.lower()}", title, series), caption)


def decomposition_chart(lines: Sequence[Mapping[str, object]]) -> Iterator[Picture]:
    """Yield a chart of each system's mean rates: gold line shown, picked by a selector, cited, and value right."""
    steps = {
        "gold_present_rate": "gold line shown",
        "gold_picked_rate": "picked",
        "selection_rate": "cited",
        "accuracy_when_gold_present": "right where shown",
        "overall_value_acc": "right",
    }
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for line in lines:
        groups.setdefault(f"{line['baseline']}", []).append(line)
    if not groups:
        return
    series = [
        Series(system, [Point(said, _mean([line[name] for line in own])) for name, said in steps.items()])
        for system, own in groups.items()
    ]
    yield Picture(
        "decomposition",
        Chart("Decomposition: shown, picked, cited, right", "Step", series, connected=False),
        f"Means over {len(lines)} runs that show candidates or list the lines they retrieved.",
    )


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
