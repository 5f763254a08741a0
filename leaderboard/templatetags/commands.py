"""Commands for readers to copy, with the addresses of this site filled in."""

from __future__ import annotations

from django import template
from django.template import Context
from django.urls import reverse

from leaderboard.benchmarks.downloads import documents_name, gold_name, rows_name
from leaderboard.benchmarks.models import Version
from leaderboard.web import engine

register = template.Library()

#: Default commands by step; a suite may override them (`Display.commands`). `rows` is the downloaded file and `url` its
#: address; `documents` and `documents_url` the same for texts in a file of their own.
COMMANDS = {
    "download": "curl --fail --output {rows} {url}",
    "download_both": "curl --fail --output {rows} {url} --output {documents} {documents_url}",
    "answer": "goldevidencebench run --suite {suite} --data {rows} --out preds.jsonl",
    "commitment": "goldevidencebench commitment --gold {gold} --key {key} --commitment {commitment}",
    "own_model": "goldevidencebench model --adapter llama_cpp --set model=yours.gguf --data {rows} --out preds.jsonl",
    "submit": 'goldevidencebench submit {version} preds.jsonl --system "My model" --wait --server {site}',
    "check": "goldevidencebench validate --suite {suite} --data {rows} --pred preds.jsonl",
}


@register.simple_tag(takes_context=True)
def site_command(context: Context, command: str) -> str:
    """The command with this site's address as `--server`, because the command's default is another site."""
    return f"{command} --server {context['request'].build_absolute_uri('/').rstrip('/')}"


@register.simple_tag(takes_context=True)
def engine_address(context: Context) -> str:
    """Address of the engine's wheel; empty if none was built."""
    if not engine.is_built():
        return ""
    address: str = context["request"].build_absolute_uri(reverse("leaderboard:engine", args=[engine.NAME]))
    return address


@register.simple_tag(takes_context=True)
def version_command(context: Context, version: Version, step: str) -> str:
    """The command for a `step` with a version: the suite's own command, else the default in `COMMANDS`."""
    names = {
        "rows": rows_name(version),
        "url": _url(context, version, "rows"),
        "suite": version.benchmark.suite,
        "version": f"{version.benchmark.slug}/{version.slug}",
        "site": context["request"].build_absolute_uri("/").rstrip("/"),
    }
    if version.documents_sha256:
        names |= {"documents": documents_name(version), "documents_url": _url(context, version, "documents")}
        step = "download_both" if step == "download" else step
    command = version.suite.display.commands.get(step) or COMMANDS[step]
    if step == "commitment":  # only shown once the key is published
        names |= {
            "gold": gold_name(version),
            "key": version.settings["key"],
            "commitment": version.commitment,
        }
    return command.format(**names)


def _url(context: Context, version: Version, what: str) -> str:
    place = [version.benchmark.slug, version.slug]
    address: str = context["request"].build_absolute_uri(reverse(f"leaderboard:version_{what}", args=place))
    return address
