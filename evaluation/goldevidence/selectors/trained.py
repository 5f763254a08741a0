"""`linear` as shipped: trained by `goldevidencebench selector demo` and kept beside this file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.selectors.linear import LinearSelector, parse

SHIPPED = "linear.json"


@cache
def shipped() -> LinearSelector:
    """The selector of the package."""
    return parse(
        json.loads(files("evaluation.goldevidence.selectors").joinpath(SHIPPED).read_text(encoding="utf-8"))
    )


def linear(shown: Sequence[Entry], question: str, key: str) -> Entry | None:
    """The shipped selector's choice."""
    return shipped()(shown, question, key)
