"""The kit's files parsed, with the paths of a scratch folder in place of /opt, /etc and /var."""

from __future__ import annotations

import re
import shlex
import socket
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.services import ROOT

KIT = ROOT / "docs" / "deploy"
#: What systemd adds to every unit of that prefix.
COMMON = KIT / "benchsite-.service.d" / "site.conf"
#: A line of .env.example: a setting, commented out where it shows the default.
SETTING = re.compile(r"^(?P<off>#?)(?P<name>[A-Z][A-Z0-9_]*)=(?P<value>.*)$", re.MULTILINE)


def example() -> dict[str, str]:
    """Every setting of .env.example with its value."""
    return {found["name"]: found["value"] for found in SETTING.finditer((KIT / ".env.example").read_text())}


def filled(settings: Mapping[str, str]) -> str:
    """.env.example as an operator fills it in. Raises KeyError for a setting that it does not have."""
    left = dict(settings)

    def line(found: re.Match[str]) -> str:
        name = found["name"]
        return f"{name}={left.pop(name)}" if name in left else found[0]

    text = SETTING.sub(line, (KIT / ".env.example").read_text())
    if left:
        raise KeyError(f".env.example lacks {', '.join(left)}")
    return text


class Unit:
    """A systemd unit with the paths of one node.

    Args:
        name: Name of the unit, such as `benchsite-worker@grading.service`.
        folder: Folder of the node: its `.env`, its /etc/benchsite, and its state.
    """

    def __init__(self, name: str, folder: Path) -> None:
        stem, _, instance = name.removesuffix(".service").partition("@")
        self.folder = folder
        file = KIT / f"{stem}{'@' if instance else ''}.service"
        self.own, self.common = self._here(file.read_text()), self._here(COMMON.read_text())
        self._specifiers = {"%i": instance, "%H": socket.gethostname()}

    def _here(self, text: str) -> str:
        for there, here in {
            "/opt/benchsite/.venv/bin/": f"{Path(sys.executable).parent}/",
            "/opt/benchsite/.env": str(self.folder / ".env"),
            "/opt/benchsite": str(ROOT),
            "/etc/benchsite": str(self.folder / "etc"),
            "/var/lib/benchsite": str(self.folder / "state"),
        }.items():
            text = text.replace(there, here)
        return text

    def values(self, name: str) -> list[str]:
        """All values of a setting in order: the unit's own, then those shared by all units."""
        text = f"{self.own}\n{self.common}".replace("\\\n", " ")
        found = re.findall(rf"^{name}=(.*)$", text, re.MULTILINE)
        for specifier, value in self._specifiers.items():
            found = [each.replace(specifier, value) for each in found]
        return found

    def environment(self) -> dict[str, str]:
        """The environment of its processes: the unit's own variables, then those of its files."""
        words = [word for value in self.values("Environment") for word in shlex.split(value)]
        env = dict(word.split("=", 1) for word in words)
        for name in self.values("EnvironmentFile"):
            path = Path(name.removeprefix("-"))
            if path.exists() or not name.startswith("-"):
                lines = [line for line in path.read_text().splitlines() if line and line[0] != "#"]
                env |= {
                    key: " ".join(shlex.split(value))
                    for key, _, value in (line.partition("=") for line in lines)
                }
        return env

    def commands(self) -> list[list[str]]:
        """The commands of `ExecStart`, with variables filled in."""
        env = self.environment()
        return [
            [re.sub(r"\$\{(\w+)\}", lambda found: env[found[1]], word) for word in shlex.split(line)]
            for line in self.values("ExecStart")
        ]

    def make_state(self) -> None:
        """Create the folders of `StateDirectory`."""
        for line in self.values("StateDirectory"):
            for word in line.split():
                (self.folder / "state" / Path(word).relative_to("benchsite")).mkdir(
                    parents=True, exist_ok=True
                )
