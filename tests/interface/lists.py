"""The kept lists of names, and their changes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path

from tests.interface import addresses, api, commands, environment, formats, names

HERE = Path(__file__).resolve().parent
#: List -> what the present code says in its place.
LISTS: dict[str, Callable[[], set[str]]] = {
    "addresses": addresses.words,
    "api": api.words,
    "commands": commands.words,
    "environment": environment.words,
    "formats": formats.words,
    "names": names.words,
}
#: What has to be sent. These lines may vanish (then it may be left out) and none may come.
NEEDS = "needs "
#: Where the name of a command or a route ends.
INSIDE = re.compile(r" (?=-|argument |query |path |header |takes )")


def kept(name: str) -> list[str]:
    """A kept list."""
    return (HERE / f"{name}.txt").read_text().splitlines()


def write(name: str) -> None:
    """Add the lines of the present code."""
    (HERE / f"{name}.txt").write_text("".join(f"{line}\n" for line in merged(name, LISTS[name]())))


def merged(name: str, now: set[str]) -> list[str]:
    """Old and new lines. Old lines stay even if they were removed on purpose; only lines of `needs` may go."""
    return sorted(now | {line for line in kept(name) if not line.startswith(NEEDS)})


def gone(name: str, now: set[str], on_purpose: Mapping[str, str]) -> list[str]:
    """The lines that vanished without a reason, each with a likely replacement."""
    lost = [line for line in kept(name) if not line.startswith(NEEDS) and line not in now]
    unexplained = [line for line in lost if not _explained(line, on_purpose)]
    new = now - set(kept(name))
    return [f"{line}{_instead(line, new)}" for line in unexplained]


def newly_needed(name: str, now: set[str], on_purpose: Mapping[str, str]) -> list[str]:
    """The things that are required now and were optional."""
    before = set(kept(name))
    added = sorted(line for line in now - before if line.startswith(NEEDS) and _is_old(line, before))
    return [line for line in added if not _explained(line, on_purpose)]


def idle(patterns: Mapping[str, str]) -> list[str]:
    """The patterns that match no line of any list."""
    lines = [line for name in LISTS for line in kept(name)]
    return [one for one in patterns if not any(fnmatchcase(line, one) for line in lines)]


def _is_old(line: str, before: set[str]) -> bool:
    """Whether a line of `needs` is of an old route or command: a new one may require anything."""
    return INSIDE.split(line.removeprefix(NEEDS))[0] in before


def _explained(line: str, on_purpose: Mapping[str, str]) -> bool:
    return any(fnmatchcase(line, one) for one in on_purpose)


def _instead(line: str, new: set[str]) -> str:
    """A new line at the same place, or a similar one."""
    place, colon, _ = line.rpartition(": ")
    same = sorted(one for one in new if colon and one.startswith(f"{place}: "))
    near = same or get_close_matches(line, new, n=1, cutoff=0.9)
    return f"   (now: {near[0]})" if near else ""
