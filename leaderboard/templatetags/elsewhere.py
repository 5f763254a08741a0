"""Results and versions in the formats of other sites, to copy from a page."""

from __future__ import annotations

from django import template
from django.template import Context

from leaderboard.benchmarks.models import Version
from leaderboard.boards.sharing import croissant, hub
from leaderboard.submissions.models import Submission

register = template.Library()


@register.simple_tag(takes_context=True)
def eval_results(context: Context, submission: Submission) -> str:
    """YAML for the folder `.eval_results` of a model on the Hugging Face Hub."""
    return hub.eval_results(submission, context["request"].build_absolute_uri)


@register.simple_tag(takes_context=True)
def model_index(context: Context, submission: Submission) -> str:
    """YAML for the head of a model card on the Hugging Face Hub."""
    return hub.model_index(submission, context["request"].build_absolute_uri)


@register.simple_tag(takes_context=True)
def load_dataset_line(context: Context, version: Version) -> str:
    """The call of the library `datasets` that loads the rows."""
    address = context["request"].build_absolute_uri(croissant.address(version))
    return f'load_dataset("parquet", data_files="{address}", split="train")'


@register.simple_tag
def hub_dataset(version: Version) -> str:
    """The id of the data set that the YAML names."""
    return hub.dataset_id(version)
