"""Makes records of results for Every Eval Ever, schema 0.3.0 (https://github.com/evaleval/every_eval_ever)."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC
from io import BytesIO
from typing import Any

from django.conf import settings
from django.urls import reverse

import evaluation
from leaderboard.benchmarks.models import Version
from leaderboard.submissions.models import Submission, System
from leaderboard.submissions.models.card import CARD_FIELDS
from leaderboard.submissions.scores import score_tables, trials
from leaderboard.submissions.scores.score_tables import FigureLine

SCHEMA = "0.3.0"
AVAILABILITY = {"open": "open_weights", "conditions": "open_weights", "closed": "closed_weights"}
Whole = Callable[[str], str]


def record(submission: Submission, whole: Whole) -> dict[str, Any]:
    """Make the record of a graded submission. `whole` makes a path an absolute URL."""
    version, model = submission.version, _model(submission.system)
    graded = (submission.graded_at or submission.created_at).astimezone(UTC)
    moment = str(int(graded.timestamp()))
    return {
        "schema_version": SCHEMA,
        "evaluation_id": f"{version.benchmark.slug}-{version.slug}/{model['id'].replace('/', '_')}/{moment}",
        "evaluation_timestamp": moment,
        "retrieved_timestamp": moment,
        "source_metadata": {
            "source_name": settings.SITE_NAME,
            "source_type": "evaluation_run",
            "source_organization_name": settings.SITE_NAME,
            "source_organization_url": whole(reverse("leaderboard:front")),
            "evaluator_relationship": "other"
            if submission.origin == Submission.Origin.REPORTED
            else "third_party",
            "additional_details": {
                "submission": whole(submission.get_absolute_url()),
                "origin": submission.origin.label,
                "version_sha256": version.sha256,
            },
        },
        "eval_library": {"name": "goldevidencebench", "version": evaluation.__version__},
        "model_info": model,
        "evaluation_results": [*_results(submission, whole)],
    }


def path_of(submission: Submission, model_id: str) -> str:
    """Path of a record in the data store: `data/<collection>/<developer>/<model>/<id>.json`."""
    return f"data/{submission.version.benchmark.slug}/{model_id}/{submission.pk}.json"


def archive(submissions: Iterable[Submission], whole: Whole) -> bytes:
    """Make a zip of the records of graded submissions, with the paths of the data store. Its bytes are reproducible."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for submission in submissions:
            made = record(submission, whole)
            entry = zipfile.ZipInfo(path_of(submission, made["model_info"]["id"]))
            packed.writestr(entry, json.dumps(made, indent=2, ensure_ascii=False), zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _model(system: System) -> dict[str, Any]:
    """The `model_info` of a record. Its id is the model's id on the Hub if known, else `<owner>/<slug>`."""
    known = system.hub_id if "/" in system.hub_id else ""
    card = {name: str(value) for name in CARD_FIELDS if (value := getattr(system, name)) not in (None, "")}
    told = {
        name: value for name in ("kind", "reading", "harness", "seen") if (value := getattr(system, name))
    }
    return {
        "name": system.title,
        "id": known or f"{system.owner.get_username()}/{system.slug}",
        **({"developer": system.developer} if system.developer else {}),
        "additional_details": {
            "deployment_type": "unknown",
            "model_availability": AVAILABILITY.get(system.weights, "unknown"),
            "system": system.name,
            **card,
            **told,
        },
    }


def _results(submission: Submission, whole: Whole) -> Iterator[dict[str, Any]]:
    """Results of a record: one per reported metric, the headline first. Leaves out purely descriptive metrics."""
    version, score = submission.version, submission.score
    if score is None:
        return
    lines = score_tables.figures(version, trials.readable(submission, score), submission.system.kind)
    for line in sorted(lines, key=lambda line: not line.column.headline):
        if line.value is not None and not line.column.neutral:
            yield _result(version, submission, line, whole)


def _result(version: Version, submission: Submission, line: FigureLine, whole: Whole) -> dict[str, Any]:
    column = line.column
    address = whole(reverse("leaderboard:version_rows", args=[version.benchmark.slug, version.slug]))
    bounds = {"score_type": "continuous", "min_score": 0, "max_score": 1} if column.format == "ratio" else {}
    return {
        "evaluation_result_id": f"{submission.pk}/{column.name}",
        "evaluation_name": f"{version.benchmark.title}: {version.title}",
        "source_data": {
            "dataset_name": f"{version.benchmark.slug}-{version.slug}",
            "source_type": "url",
            "url": [address],
        },
        "metric_config": {
            "evaluation_description": column.help,
            "metric_id": f"{version.benchmark.slug}.{column.name}",
            "metric_name": column.label,
            "metric_unit": "proportion" if bounds else column.format,
            "lower_is_better": column.better == "lower",
            **bounds,
        },
        "score_details": {"score": line.value, **_uncertainty(line)},
    }


def _uncertainty(line: FigureLine) -> dict[str, Any]:
    if line.interval is None:
        return {}
    low, high = line.interval
    known: dict[str, Any] = {
        "confidence_interval": {"lower": low, "upper": high, "confidence_level": 0.95, "method": "by unit"}
    }
    return {"uncertainty": known | ({"num_samples": line.denominator} if line.denominator else {})}
