"""The file of API tokens, each sent to its own server only. Environment variables override the file."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path

DEFAULT_URL = "http://127.0.0.1:8000"


@dataclass(slots=True)
class Credentials:
    """The server used last, and a token for each server."""

    url: str = DEFAULT_URL
    tokens: dict[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def load(cls) -> Credentials:
        """Read the file. If the file is missing or damaged, return the default URL without tokens."""
        try:
            data = json.loads(path().read_text())
            return cls(url=str(data["url"]), tokens=dict(data["tokens"]))
        except (OSError, ValueError, KeyError, TypeError):
            return cls()

    def save(self) -> None:
        target = path()
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        fresh = target.with_suffix(".new")
        fresh.unlink(missing_ok=True)
        with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
            json.dump({"url": self.url, "tokens": self.tokens}, out, indent=2)
        fresh.replace(target)


def path() -> Path:
    """Path of the file of API tokens, `~/.config/goldevidencebench/credentials.json`, or under XDG_CONFIG_HOME."""
    base = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(base) / "goldevidencebench" / "credentials.json"


def server(requested: str | None) -> str:
    """URL of the requested server. If None, the URL in the environment, or of the server used last."""
    url = requested or os.environ.get("GOLDEVIDENCEBENCH_URL") or Credentials.load().url
    return url.rstrip("/")


def token(url: str) -> str:
    return os.environ.get("GOLDEVIDENCEBENCH_TOKEN") or Credentials.load().tokens.get(url, "")
