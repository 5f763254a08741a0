"""Names of models: whether two of them are of one, as servers write them."""

from __future__ import annotations

import re

UNNAMED = "default"  # of the settings: the server chooses
#: What stands behind a name for a state of the same model: its date, or the tag that Ollama adds.
_STATE = re.compile(r"[-:@](latest|\d{4}-\d{2}-\d{2}|\d{8}|\d{4}|\d{2}-\d{4}|\d{2}-\d{2})$", re.I)
_FILE = re.compile(r"\.gguf$", re.I)


def public(name: str) -> str:
    """A name without the folders of a file on the server's disk.

    Args:
        name: As the server gives it.
    """
    return re.split(r"[/\\]", name)[-1] if re.match(r"/|\\|[A-Za-z]:[/\\]", name) else name


def is_same(asked: str, answered: str) -> bool:
    """Whether the model that answered is the one that was asked for, as far as their names say.

    Args:
        asked: As the settings have it; one that leaves it to the server fits any.
        answered: As a reply has it; one that does not say fits any.
    """
    if asked == UNNAMED or not answered:
        return True
    return _plain(asked) == _plain(answered)


def _plain(name: str) -> str:
    """A name without the provider, folder, file type and state of its model."""
    last = re.split(r"[/\\]", name.strip())[-1]
    return _FILE.sub("", _STATE.sub("", last)).casefold()
