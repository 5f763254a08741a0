"""The environment variables of this benchmark. One that nothing here reads is refused by name.

Other implementations read names of their own behind the same prefix. Ignoring them would run, and perhaps publish,
another system than the one that was meant.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Mapping

from evaluation.core.errors import BenchmarkError

PREFIX = "GOLDEVIDENCEBENCH_"
#: Read by name: the site and its token, the key of a model server, the model of the dense retriever.
OURS = frozenset({"URL", "TOKEN", "API_KEY", "EMBEDDING_MODEL"})
#: Names of another implementation that mean nothing here, and what does the same.
INSTEAD = {
    "REQUIRE_CITATIONS": "each row says whether it asks for citations (`generate --require-citations` writes it, "
    "`grade --citations` overrules it)",
    "STREAM_CHUNK_TOKENS": "--set piece_lines=… counts log lines, not tokens",
    "BUILDER_MODE": "--set build_mode=heuristic, llm_fullscan or llm_perkey",
    "BUILDER_CHUNK_TOKENS": "--set piece_lines=… counts log lines, not tokens",
    "BUILDER_PER_KEY_LLM": "--set build_mode=llm_perkey",
    "RETRIEVAL_K": "--set k=…",
    "RETRIEVAL_WRONG_TYPE": "--set wrong_type=…",
    "RETRIEVAL_ORDER": "--set order=step, reverse or shuffle; where the gold line stands is a condition of a preset",
    "RETRIEVAL_ORDER_SEED": "--set seed=…",
    "RETRIEVAL_DROP_PROB": "--set drop_prob=…",
    "RETRIEVAL_DROP_SEED": "--set seed=…",
    "RETRIEVAL_RERANK": "--set selector=…",
    "RETRIEVAL_RETRIEVER": "--set retriever=…",
    "RETRIEVAL_LINEAR_MODEL": "--set linear_model=… with --set selector=linear",
    "RETRIEVAL_AUTHORITY_FILTER": "--set authority_filter=true",
    "RETRIEVAL_INCLUDE_CLEAR": "--set include_clear=…",
    "RETRIEVAL_SELECTOR_ONLY": "--set selector_only=true",
    "RETRIEVAL_QUERY_SANDWICH": "`query_sandwich` of a preset's conditions",
    "RETRIEVAL_PICK_THEN_ANSWER": "any --set selector=… but none picks first and answers then",
}
_registered: set[str] = set()


class UnknownVariableError(BenchmarkError):
    """Variables are set that nothing here reads."""


def register(*names: str) -> None:
    """Make variables known that your own adapter reads by itself: `register("MY_CACHE")`, without the prefix.

    The fields of the settings class that an adapter's factory is annotated with are known without this.
    """
    _registered.update(name.upper().removeprefix(PREFIX) for name in names)


def refuse_unknown(
    adapter: str = "", environment: Mapping[str, str] = os.environ, *, reads_settings: bool = True
) -> None:
    """Refuse every variable with our prefix that nothing reads.

    Where none is set beside those that every command reads, nothing is imported.

    Args:
        adapter: The system that is to run, whose own settings are known too; empty for none.
        environment: Where the variables are.
        reads_settings: Whether the settings of adapters are taken from the environment here.

    Raises:
        UnknownVariableError: Naming every such variable.
    """
    variables = {
        name.removeprefix(PREFIX) for name in environment if name.startswith(PREFIX) and environment[name]
    }
    if not variables - OURS:
        return
    settings = _names_of_adapters(adapter)
    known = OURS | _registered | (settings if reads_settings else frozenset())
    if unknown := sorted(variables - known):
        hints = (_hint(name, settings, known) for name in unknown)
        lines = (f"  {hint} Then: unset {PREFIX}{name}" for hint, name in zip(hints, unknown, strict=True))
        raise UnknownVariableError("\n".join([_heading(unknown), *lines]))


def _names_of_adapters(chosen: str) -> frozenset[str]:
    """The settings of all registered adapters and of the chosen one, in capitals."""
    from evaluation.adapters import BUILT_IN, added, find_factory, settings_of
    from evaluation.adapters.settings import json_schema

    ours = [factory for adapters in BUILT_IN.values() for factory in adapters.values()]
    factories = [*ours, *added().values(), *([chosen] if ":" in chosen else [])]
    classes = (settings_of(find_factory(factory)) for factory in factories)
    return frozenset(
        name.upper() for cls in classes if cls is not None for name in json_schema(cls)["properties"]
    )


def _heading(unknown: Iterable[str]) -> str:
    names = ", ".join(PREFIX + name for name in unknown)
    return f"{names}: set in the environment, and read by nothing here. The figures would be those of another system."


def _hint(name: str, settings: Iterable[str], known: Iterable[str]) -> str:
    """What to do about a variable."""
    if name in settings:
        return f"Use --set {name.lower()}=…: settings are not taken from the environment here."
    if name in INSTEAD:
        return f"Instead, with `model`: {INSTEAD[name]}."
    near = difflib.get_close_matches(name, sorted(known), n=1)
    return f"Did you mean {PREFIX}{near[0]}?" if near else "Nothing here is called so."
