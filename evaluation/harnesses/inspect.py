"""Tasks of Inspect: `inspect eval goldevidencebench/ladder -T version=rows.jsonl.gz`. Needs the extra `inspect`.

The scorer is the grader of `goldevidencebench grade`. A sample is a row; the standard error is clustered by `unit`.
Rows whose gold a site withholds stay unscored: `goldevidencebench convert` converts the log to predictions.
"""

from __future__ import annotations

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState, generate

from evaluation import door
from evaluation.core.records import Row
from evaluation.harnesses.rows import rows_of

#: Metadata of a sample: the row, and its unit to cluster errors by.
ROW, UNIT = "row", "unit"


@task
def ladder(version: str = "goldevidence:ladder_short", site: str = "", prompt: str = "") -> Task:
    """Inspect task: questions about texts of several lengths."""
    return _task(version, site, prompt)


@task
def order_bias(version: str = "goldevidence:order_bias_short", site: str = "", prompt: str = "") -> Task:
    """Inspect task: questions about the same candidate lines in several orders."""
    return _task(version, site, prompt)


@task
def authority(version: str = "goldevidence:authority_short", site: str = "", prompt: str = "") -> Task:
    """Inspect task: questions about lines of which only some have the authority to change the state."""
    return _task(version, site, prompt)


@task
def decisions(version: str = "statebench:decisions_short", site: str = "", prompt: str = "") -> Task:
    """Inspect task: decisions that depend on which facts are still valid."""
    return _task(version, site, prompt)


@scorer(metrics=[mean(), stderr(cluster=UNIT)])
def oracle() -> Scorer:
    """Make a scorer that gives each row its value of the headline metric, as in `goldevidencebench grade`."""

    async def score(state: TaskState, target: Target) -> Score:
        row, reply = state.metadata[ROW], state.output.completion
        if state.output.error or state.output.stop_reason == "unknown":
            return Score.unscored(reason="scoring_failed", explanation=state.output.error)
        try:
            found = door.verdict(row, reply)
        except door.WithheldError as error:
            return Score.unscored(reason="scoring_failed", explanation=str(error))
        if found.score is None:
            return Score.unscored(
                reason="scoring_failed", explanation=f"the metric {found.headline} does not count this row"
            )
        return Score(value=found.score, answer=reply, metadata={**found.figures, UNIT: found.unit})

    return score


def _task(version: str, site: str, prompt: str) -> Task:
    found = rows_of(version, site)
    return Task(
        dataset=MemoryDataset([_sample(row, prompt) for row in found], name=version),
        solver=generate(),
        scorer=oracle(),
        metadata={"version": version},
    )


def _sample(row: Row, prompt: str) -> Sample:
    system, user = door.messages(row, prompt)
    return Sample(
        id=row["id"],
        input=[ChatMessageSystem(content=system["content"]), ChatMessageUser(content=user["content"])],
        metadata={ROW: dict(row), UNIT: door.unit_of(row)},
    )
