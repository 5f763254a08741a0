"""Makes files that the Hugging Face Hub reads: `eval.yaml` of a data set, `.eval_results` and model-index of a model.

https://huggingface.co/docs/hub/eval-results and https://github.com/huggingface/hub-docs/blob/main/modelcard.md
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import yaml
from django.conf import settings

from leaderboard.benchmarks.models import Version
from leaderboard.submissions.models import Submission

FRAMEWORK = "goldevidencebench"
CONFIG, SPLIT = "default", "test"


def eval_yaml(version: Version) -> str:
    """Make `eval.yaml`, which turns a data set with the rows of a version into a benchmark of the Hub."""
    about = " ".join((version.description or version.benchmark.summary).split())
    return yaml.safe_dump(
        {
            "name": f"{version.benchmark.title}: {version.title}",
            "description": about,
            "evaluation_framework": FRAMEWORK,
            "tasks": [{"id": version.slug, "config": CONFIG, "split": SPLIT}],
        },
        sort_keys=False,
        allow_unicode=True,
    )


def dataset_id(version: Version) -> str:
    """Id that we propose for the version's data set on the Hub: `<benchmark>/<version>`."""
    return f"{version.benchmark.slug}/{version.slug}"


def eval_results(submission: Submission, whole: Callable[[str], str]) -> str:
    """Make a file for the folder `.eval_results` in the model's repository. The submission must be graded."""
    version, system = submission.version, submission.system
    graded = submission.graded_at or submission.created_at
    said = (system.harness, system.quantization, submission.origin.label, f"grader {version.grader}")
    entry: dict[str, Any] = {
        "dataset": {"id": dataset_id(version), "task_id": version.slug},
        "value": submission.result,
        "date": f"{graded:%Y-%m-%d}",
        "source": {"url": whole(submission.get_absolute_url()), "name": settings.SITE_NAME},
        "notes": ", ".join(filter(None, said)),
    }
    return yaml.safe_dump([entry], sort_keys=False, allow_unicode=True)


def model_index(submission: Submission, whole: Callable[[str], str]) -> str:
    """Make metadata for the head of a model's README.md on the Hub. The submission must be graded."""
    version, headline = submission.version, submission.version.headline
    result: dict[str, Any] = {
        "task": {"type": "question-answering"},
        "dataset": {
            "name": f"{version.benchmark.title}: {version.title}",
            "type": dataset_id(version),
            "config": CONFIG,
            "split": SPLIT,
        },
        "metrics": [{"type": headline.name, "value": submission.result, "name": headline.label}],
        "source": {"url": whole(submission.get_absolute_url()), "name": settings.SITE_NAME},
    }
    return yaml.safe_dump(
        {"model-index": [{"name": submission.system.title, "results": [result]}]},
        sort_keys=False,
        allow_unicode=True,
    )
