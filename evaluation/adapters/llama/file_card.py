"""A model card from GGUF metadata: developer, base model, licence.

Missing keys are left out, not guessed: the base model may have another developer, and no key says whether the weights
are open.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

#: Field of the card -> metadata keys; the first key present counts.
KEYS: dict[str, tuple[str, ...]] = {
    "developer": ("general.organization", "general.author"),
    "licence": ("general.license.name", "general.license"),
    "licence_url": ("general.license.link",),
    "basename": ("general.basename",),
    "version": ("general.version",),
    "finetune": ("general.finetune",),
    "size_label": ("general.size_label",),
    "quantized_by": ("general.quantized_by",),
}
#: Keys with the origin of the file: its own repository before the one that it was converted from.
PLACES = (
    "general.repo_url",
    "general.source.repo_url",
    "general.source.huggingface.repository",
    "general.url",
    "general.source.url",
)
HUB = frozenset({"huggingface.co", "hf.co"})
_HUB_ID = re.compile(r"\A[\w.-]+/[\w.-]+\Z")
#: Part of a Hub URL between repository and revision.
_REVISION = frozenset({"tree", "commit", "resolve", "blob"})
_REVISION_NAME = re.compile(r"\A[\w.-]+\Z")
LONGEST = 200  # characters of a text


def file_card(field: Callable[[str], Any]) -> dict[str, str]:
    """Fields of a model card that the metadata states: those in `KEYS`, `hub_id`, `hub_revision` and `base_model`."""
    said = {name: next(filter(None, (_text(field(key)) for key in keys)), "") for name, keys in KEYS.items()}
    places = map(_on_hub, (_text(field(key)) for key in PLACES))
    hub_id, revision = next((place for place in places if place[0]), ("", ""))
    said |= {"hub_id": hub_id, "hub_revision": revision, "base_model": _base_model(field)}
    if not said["licence_url"].startswith(("https://", "http://")):
        said["licence_url"] = ""
    return {name: text for name, text in said.items() if text}


def _text(value: Any) -> str:
    return " ".join(value.split())[:LONGEST] if isinstance(value, str) else ""


def _on_hub(place: str) -> tuple[str, str]:
    """The id and revision of the Hub repository that an id or URL names. Both are empty for any other text."""
    if _HUB_ID.match(place):
        return place, ""
    try:
        address = urlsplit(place)
    except ValueError:  # such as http://[
        return "", ""
    host = (address.hostname or "").removeprefix("www.")
    if host not in HUB:
        return "", ""
    parts = [part for part in address.path.split("/") if part]
    if len(parts) < 2 or parts[0] in ("datasets", "spaces", "papers", "docs", "blog"):
        return "", ""
    named = len(parts) > 3 and parts[2] in _REVISION and _REVISION_NAME.match(parts[3])
    revision = parts[3] if named else ""
    hub_id = f"{parts[0]}/{parts[1]}"
    return (hub_id, revision) if _HUB_ID.match(hub_id) else ("", "")


def _base_model(field: Callable[[str], Any]) -> str:
    base = "general.base_model.0."
    hub_id, _ = _on_hub(_text(field(f"{base}repo_url")))
    words = (_text(field(f"{base}organization")), _text(field(f"{base}name")), _text(field(f"{base}version")))
    return hub_id or (" ".join(filter(None, words)) if words[1] else "")
