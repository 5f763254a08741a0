"""Rebuilds the prompt that a run used for a row, without loading a model or querying a server."""

from __future__ import annotations

import logging
from functools import partial
from typing import cast

from evaluation.adapters import load_adapter
from evaluation.adapters.transcripts import TranscriptLine
from evaluation.adapters.transcripts.prompts import Prompt, PromptError, rebuilt_prompt
from evaluation.core.errors import BenchmarkError
from evaluation.core.files.documents.form import SHOWN_CHARACTERS, cut_text
from evaluation.core.records import Row
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.rows import reading
from leaderboard.runs import catalogue, execution, model_files
from leaderboard.runs.models import Run
from leaderboard.submissions import artifacts
from leaderboard.submissions.models import Submission

log = logging.getLogger(__name__)
NOT_SHOWN = (
    "The prompt cannot be rebuilt exactly: its wording has changed since, its text was cut at the model's limit of "
    "tokens, or it contains earlier output of the model."
)
#: Settings of servers, on which no prompt depends.
_PLACES = catalogue.SERVER_SETTINGS | {"server"}


def shown_prompt(submission: Submission, line: TranscriptLine) -> Prompt | None:
    """The prompt of a row, with long turns cut; None if it cannot be rebuilt. Raises storage.DamagedFileError."""
    run = _run_of(submission)
    if run is None or not line["prompt_sha256"]:
        return None
    try:
        prompt = _rebuilt(run, submission, line)
        return Prompt(*(cut_text(turn, SHOWN_CHARACTERS) for turn in (prompt.system, prompt.user)))
    except (BenchmarkError, model_files.ModelFileError) as error:
        log.info("The prompt of %s in run %s: %s", line["id"], run.pk, error)
        return None


def _run_of(submission: Submission) -> Run | None:
    """The run that made a submission; for a shipped submission an equivalent unsaved run."""
    if submission.is_shipped:
        made = submission.provenance
        executor = f"{catalogue.ADAPTER_PREFIX}{made.get('executor', '')}"
        return Run(version=submission.version, executor=executor, settings=made.get("settings") or {})
    return (
        Run.objects.select_related("version__benchmark", "model_file").filter(submission=submission).first()
    )


def _rebuilt(run: Run, submission: Submission, line: TranscriptLine) -> Prompt:
    executor = catalogue.executors_for(run.version).get(run.executor)
    if executor is None:
        raise PromptError("the run's system is no longer installed")
    values = {name: value for name, value in run.settings.items() if name not in _PLACES}
    values = catalogue.with_files(executor, values, None)
    if run.model_file is not None and run.model_file.is_language_model:
        values["model"] = run.model_file.path
    built = {each.episode_id: each.text for each in artifacts.artifacts(submission)}
    return rebuilt_prompt(
        _question(run.version, line["id"]),
        load=partial(
            load_adapter, executor.label, values, {executor.label: executor.factory}, environment={}
        ),
        kind=catalogue.kind_of(run.version),
        protocol=execution.protocol_of(run),
        expected_sha256=line["prompt_sha256"],
        artifacts=built,
    )


def _question(version: Version, row_id: str) -> Row:
    suite, kind = version.suite, catalogue.kind_of(version)
    for row in reading.rows_of(version):
        if row_id in suite.expected([row]).splits:
            cast(dict[str, object], row).pop("gold", None)
            return next(each for each in kind.questions([row]) if each["id"] == row_id)
    raise PromptError("the version has no such row")
