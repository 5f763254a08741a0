"""Settings, variables and modules of the reference implementation, each with our equivalent or advice."""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

PREFIX = "GOLDEVIDENCEBENCH_"
#: Variable of the reference -> the equivalent setting of our adapters.
SETTINGS = {
    "RETRIEVAL_K": "k",
    "RETRIEVAL_WRONG_TYPE": "wrong_type",
    "RETRIEVAL_ORDER": "order",
    "RETRIEVAL_ORDER_SEED": "order_seed",
    "RETRIEVAL_DROP_PROB": "drop_prob",
    "RETRIEVAL_DROP_SEED": "drop_seed",
    "RETRIEVAL_RERANK": "selector",
    "RETRIEVAL_RETRIEVER": "retriever",
    "RETRIEVAL_LINEAR_MODEL": "linear_model",
    "RETRIEVAL_AUTHORITY_FILTER": "authority_filter",
    "RETRIEVAL_INCLUDE_CLEAR": "include_clear",
    "RETRIEVAL_SELECTOR_ONLY": "selector_only",
    "BUILDER_MODE": "build_mode",
}
#: Variables that the grid of a sweep sets, not the settings of its adapters.
OF_GRID = frozenset(
    {
        *SETTINGS,
        "RETRIEVAL_QUERY_SANDWICH",
        "REQUIRE_CITATIONS",
    }
    - {"BUILDER_MODE"}
)
#: Values that state our default.
SAME = {
    "RETRIEVAL_QUERY_SANDWICH": "0",
    "RETRIEVAL_PICK_THEN_ANSWER": "0",
    "RETRIEVAL_DETERMINISTIC_ANSWER": "0",
    "RETRIEVAL_AUTHORITY_SPOOF_RATE": "0",
    "RETRIEVAL_AUTHORITY_SPOOF_SEED": "0",
}
_LINES = "--set piece_lines=… counts log lines, not tokens"
#: Variables without an equivalent setting, and advice.
INSTEAD = {
    "REQUIRE_CITATIONS": "each row says whether it asks for citations (`generate --require-citations` and "
    "`sweep --require-citations` write it, `grade --citations` overrides it)",
    "STREAM_CHUNK_TOKENS": _LINES,
    "BUILDER_CHUNK_TOKENS": _LINES,
    "BUILDER_PER_KEY_LLM": "--set build_mode=llm_perkey asks the model key by key, heuristic asks no model",
    "RETRIEVAL_ORDER": "--set order=step, reverse or shuffle; the position of the gold line is a condition: "
    "`sweep --orders gold_first`",
    "RETRIEVAL_QUERY_SANDWICH": "`sweep --query-sandwich`, or `query_sandwich` of a preset's conditions",
    "RETRIEVAL_PICK_THEN_ANSWER": "--set selector=… (other than none) picks a line first, then answers",
    "RETRIEVAL_DETERMINISTIC_ANSWER": "--adapter retrieval without a model copies the value from the line",
    "RETRIEVAL_AUTHORITY_SPOOF_RATE": "`sweep --spoof-rate` disguises lines, but not in the reference's way",
    "RETRIEVAL_AUTHORITY_SPOOF_SEED": "`sweep --spoof-rate` uses the seed of the rows",
}
#: Prefix of a variable -> the adapter that reads it in the reference; other variables are for all.
_READERS = {"RETRIEVAL_": "retrieval", "STREAM_": "streaming", "BUILDER_": "book_builder"}
#: Prefix of orders that are a condition of the rows, not a setting of an adapter.
_GOLD = "gold_"


class Renamed(NamedTuple):
    """Our equivalent of an adapter of the reference implementation, and the settings that reproduce its defaults."""

    name: str
    settings: Mapping[str, str] = MappingProxyType({})


PACKAGE = "goldevidencebench."
_ADAPTERS = f"{PACKAGE}adapters."
#: The reference's `module:factory` -> ours.
ADAPTERS: dict[str, Renamed] = {
    f"{_ADAPTERS}ledger_adapter:create_adapter": Renamed("ledger"),
    f"{_ADAPTERS}log_to_book_adapter:create_adapter": Renamed("log_to_book"),
    f"{_ADAPTERS}llama_cpp_adapter:create_adapter": Renamed("llama_cpp"),
    f"{_ADAPTERS}retrieval_llama_cpp_adapter:create_adapter": Renamed(
        "retrieval",
        MappingProxyType({"k": "1", "order": "shuffle", "ties": "earliest", "selector": "none"}),
    ),
    f"{_ADAPTERS}streaming_llama_cpp_adapter:create_adapter": Renamed(
        "streaming", MappingProxyType({"stream_mode": "llm"})
    ),
    f"{_ADAPTERS}llm_book_builder_adapter:create_adapter": Renamed(
        "book_builder", MappingProxyType({"build_mode": "llm_fullscan"})
    ),
}
KNOWN = f"Known adapters of the reference: {', '.join(sorted(ADAPTERS))}"


def concerns(name: str, adapter: str) -> bool:
    """True if the reference implementation of our `adapter` reads this variable. `name` is given without prefix."""
    if not adapter or ":" in adapter:
        return False
    reader = next((reader for start, reader in _READERS.items() if name.startswith(start)), adapter)
    return reader == adapter


def translated(environment: Mapping[str, str]) -> Mapping[str, str]:
    """The environment with the reference's variables renamed to ours. Our own variables take precedence."""
    theirs = [name for name in (*SETTINGS, *SAME) if PREFIX + name in environment]
    if not theirs:
        return environment
    ours = dict(environment)
    for name in theirs:
        value = environment[PREFIX + name]
        # it states our default: no setting is needed
        if value in ("", SAME.get(name)):
            del ours[PREFIX + name]
        elif name in SETTINGS and not (name == "RETRIEVAL_ORDER" and value.startswith(_GOLD)):
            ours.setdefault(variable_of(SETTINGS[name]), value)
            del ours[PREFIX + name]
    return ours


def outside_grid(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.removeprefix(PREFIX) not in OF_GRID}


def variable_of(setting: str) -> str:
    """Name of a setting's variable: `GOLDEVIDENCEBENCH_SEED` for `seed`."""
    return PREFIX + setting.upper()


def set_by(setting: str, environment: Mapping[str, str] = os.environ) -> str:
    """Name of the variable that sets a setting: ours or one of the reference. Empty if neither is set."""
    theirs = (PREFIX + name for name, ours in SETTINGS.items() if ours == setting)
    return next((name for name in (variable_of(setting), *theirs) if environment.get(name)), "")


def implied(adapter: str, environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Settings that reproduce the defaults of a reference adapter. Settings from the environment are left out."""
    settings = ADAPTERS[adapter].settings if adapter in ADAPTERS else {}
    return {name: value for name, value in settings.items() if not set_by(name, environment)}
