"""The build backend: the wheel has the engine as `goldevidencebench`; in a checkout both names are one module."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType

import pytest

import evaluation

ROOT = Path(__file__).parent.parent
BACKEND = ROOT / ".ci" / "backend" / "engine_wheel.py"
#: They import a library that has an environment of its own.
APART = re.compile(r"\.gym\.(bridges|models)\b|\.harnesses\.(inspect|verifiers)$|__main__$")


@pytest.fixture(scope="module")
def backend() -> ModuleType:
    loader = SourceFileLoader("engine_wheel", str(BACKEND))
    module = module_from_spec(spec_from_loader("engine_wheel", loader))  # type: ignore[arg-type]
    loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("text", "released"),
    [
        ("from evaluation.core import jsonl", "from goldevidencebench.core import jsonl"),
        ("from evaluation import gym", "from goldevidencebench import gym"),
        ("import evaluation\n", "import goldevidencebench\n"),
        ("import evaluation.core.jsonl", "import goldevidencebench.core.jsonl"),
        ('f"evaluation.cli.{name}"', 'f"goldevidencebench.cli.{name}"'),
        ("evaluation.__version__", "goldevidencebench.__version__"),
        ("`python -m evaluation`", "`python -m goldevidencebench`"),
        ("held out, for evaluation. They", "held out, for evaluation. They"),
        ("lm-evaluation-harness", "lm-evaluation-harness"),
        ("(MIT), `evaluation/phrase_quality.py`", "(MIT), `evaluation/phrase_quality.py`"),
        ("from tests.evaluation.core import x", "from tests.evaluation.core import x"),
    ],
)
def test_the_package_is_renamed_and_the_word_is_not(backend: ModuleType, text: str, released: str) -> None:
    assert backend.NAME.sub(backend.RELEASED, text) == released


def test_the_backend_is_short() -> None:
    assert len(BACKEND.read_text().splitlines()) <= 80


def test_no_module_of_a_checkout_exists_under_two_names() -> None:
    """`goldevidencebench` comes with the editable install that `make` makes."""
    names = [
        each.name.removeprefix("evaluation")
        for each in walk_packages(evaluation.__path__, "evaluation.")
        if not APART.search(each.name)
    ]
    assert len(names) > 500
    for name in ("", *names):
        assert import_module(f"goldevidencebench{name}") is import_module(f"evaluation{name}")
    assert evaluation.core.__spec__.name == "evaluation.core"  # type: ignore[attr-defined]


def test_the_second_name_is_a_command_too() -> None:
    words = [sys.executable, "-m", "goldevidencebench", "--version"]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert said == f"goldevidencebench {evaluation.__version__}\n"


def test_a_module_that_is_not_there_is_said_by_its_name() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"evaluation\.nothing"):
        import_module("goldevidencebench.nothing")
