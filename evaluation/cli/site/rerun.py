"""Answer rows of a published run again, with the same model."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import closing, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, cast

from evaluation.adapters import load_adapter, row_limit
from evaluation.adapters.determinism import untimed
from evaluation.adapters.kinds import RowKind, get_kind
from evaluation.adapters.llama.model_file import sha256
from evaluation.adapters.runner import RowResult, run
from evaluation.cli.site.download import fetch
from evaluation.core import jsonl
from evaluation.core.files.artifacts import is_artifact
from evaluation.core.files.documents import beside
from evaluation.core.records import Prediction, Row
from evaluation.core.sealing.commitment import content_sha256
from evaluation.remote import options
from evaluation.remote.client import Client
from evaluation.remote.download import files_of
from evaluation.remote.records import Basis, RunOf, Version
from evaluation.remote.reproduction import CannotError

#: Settings that name other files than the model.
OTHER_FILES = ("builder_model", "draft_model", "embedding_model", "linear_model", "lora")


class Rerun(NamedTuple):
    """Result of a rerun: how many rows were answered again, and the ids of the rows whose prediction differs."""

    rows: int
    different: list[str]


def rerun(client: Client, basis: Basis, model: Path | None, limit: int) -> Rerun:
    """Answer rows of a run again, with its adapter, settings and `model` file, and compare the predictions.

    `limit` rows are spread over splits and lengths as by `model --limit`. Raises CannotError if the run used no local
    model, `model` differs, or rows or predictions are not public, and BenchmarkError if the model cannot be loaded or a
    recorded setting is unknown here.
    """
    made = _run_of(basis)
    path = _checked(made, model)
    kind = get_kind(basis.suite)
    with TemporaryDirectory() as folder:
        recorded = _recorded(client, basis, kind, Path(folder, "predictions.jsonl.gz"))
        rows = Path(folder, "rows.jsonl.gz")
        fetch(client, files_of(client.get(f"/versions/{basis.version}", Version)), rows)
        questions = _sampled(rows, kind, recorded.keys(), limit)
    adapter: Any = load_adapter(made.adapter, _settings(made, path), kind.adapters, environment={})
    given: dict[str, Any] = {}
    with closing(adapter) if hasattr(adapter, "close") else nullcontext(), options.bar() as progress:
        task = progress.add_task("rows", total=len(questions))

        def keep(result: RowResult) -> None:
            given[result.id] = jsonl.parse(jsonl.dumps(result.prediction))
            progress.advance(task)

        summary = run(questions, adapter, protocol=made.protocol, kind=kind, on_row=keep)
    if summary.paused:
        raise CannotError(summary.pause_reason)
    return Rerun(len(given), [id for id in given if untimed(given[id]) != untimed(recorded[id])])


def _run_of(basis: Basis) -> RunOf:
    made = basis.run
    if made is None:
        raise CannotError("--rerun: the submission was not made by a run of a local model file")
    if not basis.predictions:
        raise CannotError(f"--rerun: {basis.withheld}")
    # the record comes from a site, which must choose neither code on this machine nor a server to send rows to
    if ":" in made.adapter or made.settings.get("url"):
        raise CannotError(
            "--rerun: the run's record names code or a server to use, which a site may not choose for this machine"
        )
    if others := [name for name in OTHER_FILES if made.settings.get(name)]:
        raise CannotError(f"--rerun: the run used more files than the model ({', '.join(others)})")
    return made


def _checked(made: RunOf, model: Path | None) -> Path:
    wanted = f"{made.model}, SHA-256 {made.sha256}"
    if model is None:
        raise CannotError(f"--rerun needs the run's model: --model FILE ({wanted})")
    if not model.is_file():
        raise CannotError(f"no file {model}: --model must be {wanted}")
    if (found := sha256(model)) != made.sha256:
        raise CannotError(f"{model} is a different model (SHA-256 {found}): --model must be {wanted}")
    return model


def _settings(made: RunOf, path: Path) -> dict[str, Any]:
    return {name: str(path) if value == made.model else value for name, value in made.settings.items()}


def _recorded(client: Client, basis: Basis, kind: RowKind, path: Path) -> dict[str, Prediction]:
    file = basis.predictions[0]
    assert file.url is not None  # only gold can be generated from settings
    client.fetch(file.url, path)
    if content_sha256(path) != file.content_sha256:
        raise CannotError("--rerun: the published predictions differ from the graded ones (SHA-256)")
    lines = (line for line in jsonl.read(path) if not is_artifact(line))
    return {kind.answered(line): cast(Prediction, line) for line in lines}


def _sampled(path: Path, kind: RowKind, known: Collection[str], limit: int) -> list[Row]:
    rows: Any = beside.read(path, "")
    candidates = (each for each in row_limit.candidates(rows, kind) if each.id in known)
    asked = row_limit.spread(candidates, limit)
    again: Any = beside.read(path, "")
    return [question for question in kind.questions(again) if question["id"] in asked]
