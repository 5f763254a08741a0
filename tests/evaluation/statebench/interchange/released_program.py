"""Run by the interpreter of a released package: its schema reads timelines, its judge grades responses.

Reads `timelines.jsonl` and `responses.jsonl` of the folder named. Writes `schema.jsonl`, each id with the schema's
refusal, and `verdicts.jsonl`, the judge's verdict on each response without a language model. The package is unchanged.
"""

import json
import sys
from pathlib import Path

from pydantic import ValidationError
from statebench.evaluation.judge import ResponseJudge
from statebench.schema.timeline import Timeline

JUDGED = {
    "decision_correct": bool,
    "actual_decision": lambda decision: decision,
    "must_mention_hits": list,
    "must_not_mention_violations": list,
    "resurrected_superseded": bool,
    # of 2.0 alone
    "violations_by_kind": dict,
    "skipped_phrases": list,
    "negated_mentions": list,
}


def main(folder: Path) -> None:
    """Read, check, judge, write."""
    queries, checked = {}, []
    for row in _rows(folder / "timelines.jsonl"):
        try:
            timeline = Timeline.model_validate(row)
        except ValidationError as fault:
            checked.append({"id": row["id"], "refused": str(fault)})
            continue
        checked.append({"id": timeline.id, "refused": None})
        for index, query in enumerate(timeline.get_queries()):
            queries[timeline.id, index] = (timeline, query)
    judge = ResponseJudge(use_llm_judge=False)
    verdicts = [_judged(judge, queries, row) for row in _rows(folder / "responses.jsonl")]
    _write(folder / "schema.jsonl", checked)
    _write(folder / "verdicts.jsonl", verdicts)


def _judged(judge, queries, row):
    timeline, query = queries[row["timeline_id"], row["query_idx"]]
    result = judge.judge(
        row["response"], query.ground_truth, timeline.id, row["query_idx"], timeline.track, timeline.domain
    )
    return {name: read(getattr(result, name)) for name, read in JUDGED.items() if hasattr(result, name)}


def _rows(path: Path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def _write(path: Path, rows) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
