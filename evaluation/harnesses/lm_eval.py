"""Write a version as a task folder for lm-evaluation-harness, scored by our grader."""

from __future__ import annotations

import re
from pathlib import Path

from evaluation.core import jsonl
from evaluation.harnesses.rows import graded_rows_of

TASK = """\
task: {name}
dataset_path: json
dataset_kwargs:
  data_files:
    test: {rows}
test_split: test
output_type: generate_until
doc_to_text: !function oracle.prompt
doc_to_target: ""
process_results: !function oracle.score
generation_kwargs:
  until: []
  do_sample: false
  max_gen_toks: 256
metric_list:
  - metric: score
    aggregation: mean
    higher_is_better: true
metadata:
  version: 1
"""
#: Rows are JSON in one column: otherwise the harness gives all rows the fields of all others.
ORACLE = '''\
"""Written by `goldevidencebench bridge lm-eval`: prompts and scores of its own grader."""

import json

from {package} import messages, verdict


def prompt(doc):
    return "\\n\\n".join(turn["content"] for turn in messages(json.loads(doc["row"]), {prompt!r}))


def score(doc, results):
    return {{"score": verdict(json.loads(doc["row"]), results[0]).score}}
'''


def write_task(version: str, out: str | Path, *, site: str = "", prompt: str = "") -> str:
    """Write the task of a version into a folder. Returns the name of the task.

    `prompt`: a prompt set. If empty, the suite's default is used. Raises BenchmarkError if the version has no gold.
    """
    found, folder = graded_rows_of(version, site), Path(out)
    name = "goldevidencebench_" + (re.sub(r"\W+", "_", Path(version).name.split(".")[0]).strip("_") or "rows")
    rows = folder / "rows.jsonl"
    jsonl.write(rows, ({"id": row["id"], "row": jsonl.dumps(row).decode()} for row in found))
    (folder / f"{name}.yaml").write_text(TASK.format(name=name, rows=rows.resolve()))
    (folder / "oracle.py").write_text(ORACLE.format(package=__name__.partition(".")[0], prompt=prompt))
    return name
