"""Registries: every name exists and is imported late; unknown names give a helpful error."""

from __future__ import annotations

import subprocess
import sys

import pytest

from evaluation.adapters.kinds import KINDS, get_kind
from evaluation.core.errors import UnknownNameError
from evaluation.core.registry import find
from evaluation.core.suite import SUITES, get_suite
from evaluation.goldevidence.retrieval import RETRIEVERS, get_retriever
from evaluation.goldevidence.selectors import SELECTORS, get_selector

REGISTRIES = [
    ("retriever", RETRIEVERS, get_retriever),
    ("selector", SELECTORS, get_selector),
    ("suite", SUITES, get_suite),
    ("kind of rows", KINDS, get_kind),
]


@pytest.mark.parametrize(("kind", "registry", "get"), REGISTRIES, ids=[kind for kind, *_ in REGISTRIES])
def test_every_name_of_a_registry_is_found(kind, registry, get) -> None:
    assert all(get(name) is find(kind, name, registry) for name in registry)


@pytest.mark.parametrize(("kind", "registry", "get"), REGISTRIES, ids=[kind for kind, *_ in REGISTRIES])
def test_an_unknown_name_says_what_is_known_and_which_is_nearest(kind, registry, get) -> None:
    name = next(iter(registry))
    with pytest.raises(UnknownNameError, match=f"unknown {kind} '{name}x'. Did you mean '{name}'?"):
        get(f"{name}x")


def test_a_registry_imports_what_is_asked_for_and_nothing_else() -> None:
    code = (
        "import sys; from evaluation.goldevidence.retrieval import get_retriever; get_retriever('bm25');"
        "print('evaluation.goldevidence.retrieval.tfidf' in sys.modules)"
    )
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert output.stdout.strip() == "False"
