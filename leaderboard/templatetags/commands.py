"""The commands that a newcomer copies, with this site's own addresses in them."""

from __future__ import annotations

from django import template
from django.template import Context
from django.urls import reverse

from leaderboard.benchmarks.models import Version
from leaderboard.web import engine

register = template.Library()

#: What to type, step by step. `rows` is the downloaded file, `url` its address.
COMMANDS = {
    "download": "curl --fail --output {rows} {url}",
    "answer": "goldevidencebench run --baseline ledger --data {rows} --out preds.jsonl",
    "check": "goldevidencebench validate --data {rows} --pred preds.jsonl",
}
#: What another suite types instead, or beside it.
OTHERWISE = {
    ("statebench", "answer"): "goldevidencebench state answer --timelines {rows} --out preds.jsonl",
    ("statebench", "check"): "goldevidencebench validate --suite statebench --data {rows} --pred preds.jsonl",
    ("statebench", "strategy"): "goldevidencebench state answer --timelines {rows} --strategy rag_transcript "
    "--out rag-preds.jsonl",
    (
        "statebench",
        "model",
    ): "goldevidencebench model --adapter llama_cpp --data {rows} --out model-preds.jsonl "
    "--set model=model.gguf --set strategy=state_based --set budget=2048",
}


@register.simple_tag(takes_context=True)
def site_command(context: Context, command: str) -> str:
    """A command that talks to this site, with its address: another site is the default of the command line."""
    return f"{command} --server {context['request'].build_absolute_uri('/').rstrip('/')}"


@register.simple_tag(takes_context=True)
def engine_address(context: Context) -> str:
    """Where this site offers the engine's wheel; empty where none was built."""
    if not engine.is_built():
        return ""
    address: str = context["request"].build_absolute_uri(reverse("leaderboard:engine", args=[engine.NAME]))
    return address


@register.simple_tag(takes_context=True)
def version_command(context: Context, version: Version, step: str) -> str:
    """One command of `COMMANDS`, filled in for a version."""
    address = reverse("leaderboard:version_rows", args=[version.benchmark.slug, version.slug])
    rows = f"{version.benchmark.slug}-{version.slug}.rows.jsonl.gz"
    command = OTHERWISE.get((version.benchmark.suite, step)) or COMMANDS[step]
    return command.format(rows=rows, url=context["request"].build_absolute_uri(address))
