"""Absolute URLs and snippets of this site, for readers to copy elsewhere."""

from __future__ import annotations

from urllib.parse import urlencode

from django import template
from django.http import HttpRequest
from django.template import Context
from django.urls import reverse

from leaderboard.benchmarks.models import Version
from leaderboard.boards.sharing import croissant, hub
from leaderboard.submissions.models import Submission, System

register = template.Library()
register.simple_tag(hub.dataset_id, name="hub_dataset")


@register.simple_tag(takes_context=True)
def full_url(context: Context, path: str) -> str:
    request: HttpRequest = context["request"]
    return request.build_absolute_uri(path)


@register.simple_tag
def submit_url(version: Version, system: str | None = None) -> str:
    """Absolute URL of the form to submit a file for the version, with a preselected `system` if given."""
    query = {"version": f"{version.benchmark.slug}/{version.slug}"} | ({"system": system} if system else {})
    return f"{reverse('leaderboard:submit')}?{urlencode(query, safe='/')}"


@register.simple_tag
def badge_url(system: System, version: Version) -> str:
    path = reverse("leaderboard:system_badge", args=[system.owner.get_username(), system.slug])
    return f"{path}?{urlencode({'version': f'{version.benchmark.slug}/{version.slug}'}, safe='/')}"


@register.simple_tag(takes_context=True)
def badge_markdown(context: Context, system: System, version: Version) -> str:
    """Markdown of the badge, linked to the system's page."""
    picture = full_url(context, badge_url(system, version))
    words = f"{system.name} on {version.title}".translate(
        str.maketrans("[]", "()")
    )  # brackets would end the link
    return f"[![{words}]({picture})]({full_url(context, system.get_absolute_url())})"


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
    address = full_url(context, croissant.address(version))
    return f'load_dataset("parquet", data_files="{address}", split="train")'
