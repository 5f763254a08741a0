"""The sweeps of the benchmark's own README as commands of ours, read from its blocks as they are typed there."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from itertools import product

from tests.reference import reference_path

#: What the reference reads from the environment, and our option.
OPTIONS = {
    "RETRIEVAL_K": "--k-list",
    "RETRIEVAL_ORDER": "--orders",
    "RETRIEVAL_WRONG_TYPE": "--wrong-type",
    "RETRIEVAL_RETRIEVER": "--retrievers",
    "RETRIEVAL_RERANK": "--selectors",
}
#: Variables without an option here, with the values that they have there: our shuffles follow the seed of the rows.
SAME = {"RETRIEVAL_ORDER_SEED": "0"}
ADAPTERS = {
    "goldevidencebench.adapters.retrieval_llama_cpp_adapter:create_adapter": "retrieval",
    "goldevidencebench.adapters.llama_cpp_adapter:create_adapter": "llama_cpp",
}
DEFAULT_K = "4"  # the reference's, where nobody says another
_SET = re.compile(r"\$(env:GOLDEVIDENCEBENCH_)?(\w+)\s*=\s*(.+)")
_LOOP = re.compile(r"foreach \(\$(\w+) in (.+?)\) ?\{")


def sweeps() -> list[tuple[str, list[str]]]:
    """Every sweep, (section, our words behind `goldevidencebench`); a loop is as many sweeps as it has rounds."""
    blocks = json.loads(reference_path("gold/documented_commands.json").read_text())
    return [(block["section"], words) for block in blocks for words in _of_block(block["lines"])]


def lines() -> int:
    """How many lines of the README are sweeps."""
    blocks = json.loads(reference_path("gold/documented_commands.json").read_text())
    return sum(line.startswith("goldevidencebench sweep") for block in blocks for line in block["lines"])


def _of_block(block: list[str]) -> Iterator[list[str]]:
    variables, loops = dict[str, str](), dict[str, list[str]]()
    for line in block:
        if match := _LOOP.match(line):
            loops[match[1]] = _values(match[2], variables)
        elif line.startswith("goldevidencebench sweep"):
            for values in product(*loops.values()):
                yield _command(line, variables, dict(zip(loops, values, strict=True)))
        elif match := _SET.match(line):
            variables[(match[1] or "") + match[2]] = match[3].strip()


def _values(text: str, variables: dict[str, str]) -> list[str]:
    text = variables.get(text.removeprefix("$"), text)
    return [each.strip().strip('"') for each in text.removeprefix("@(").removesuffix(")").split(",")]


def _command(line: str, variables: dict[str, str], loop: dict[str, str]) -> list[str]:
    def filled(text: str) -> str:
        text = text.strip('"')
        for name, value in {**loop, "outDir": variables.get("outDir", "").strip('"')}.items():
            text = text.replace(f"${{{name}}}", value).replace(f"${name}", value)
        return filled(text) if "$" in text else text

    words = [filled(word) for word in shlex.split(line)[1:]]
    place = words.index("--adapter") + 1
    words[place] = ADAPTERS[words[place]]
    read = {
        name.removeprefix("env:GOLDEVIDENCEBENCH_"): filled(value)
        for name, value in variables.items()
        if name.startswith("env:")
    }
    return words + list(_options(read, words[place]))


def _options(read: dict[str, str], adapter: str) -> Iterator[str]:
    for name, value in SAME.items():
        assert read.pop(name, value) == value
    if adapter == "retrieval":
        read.setdefault("RETRIEVAL_K", DEFAULT_K)
    if read.pop("RETRIEVAL_AUTHORITY_FILTER", "0") == "1":
        yield from ("--authority-filter", "on")
    if model := read.pop("RETRIEVAL_LINEAR_MODEL", ""):
        yield from ("--set", f"linear_model={model}")
    for name, value in read.items():
        yield from (OPTIONS[name], value)
