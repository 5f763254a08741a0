"""`goldevidencebench state compare --judges RESPONSES`: compare the graders of the releases with ours."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from evaluation.core import jsonl
from evaluation.core.terminal.output import print_json
from evaluation.core.terminal.wording import number_of
from evaluation.statebench.cli.reading import table

FIGURES = ("sfrr", "decision_accuracy", "must_mention_rate", "must_not_mention_violation_rate")


def compare(args: argparse.Namespace) -> int:
    """Print the metrics of each rubric and every row on which they disagree."""
    from evaluation.statebench.data.timeline import read_timelines
    from evaluation.statebench.data.truth import truths
    from evaluation.statebench.grading.grade import grade, read_responses
    from evaluation.statebench.interchange.judges import JUDGES, disagreements

    known = truths(read_timelines(args.timelines))
    responses = read_responses(args.judges, known)
    figures = {name: grade(known, responses, rubric=name).metrics for name in JUDGES}
    rows = list(disagreements(known, responses))
    whole = {"figures": figures, "disagreements": [asdict(row) for row in rows]}
    if args.json:
        print_json(whole)
    if args.results_json:
        with jsonl.fresh(args.results_json, sources=[args.timelines, args.judges]) as out:
            out.write(jsonl.dumps(whole))
    lines = [(name, *(metrics[column] for column in FIGURES)) for name, metrics in figures.items()]
    table("Judges", ("rubric", *FIGURES), lines)
    cells = [
        (f"{row.timeline_id}#{row.query_idx}", row.about, row.phrase, *row.says.values(), row.why)
        for row in rows
    ]
    table(number_of(len(rows), "disagreement"), ("query", "about", "phrase", *JUDGES, "why"), cells)
    return 0
