"""Adapters are found by name or by module:factory, and llama.cpp is imported only when chosen."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from evaluation.adapters import ADAPTERS, find_factory, load_adapter, settings_of
from evaluation.core.errors import AdapterError, UnknownNameError
from tests.evaluation.conftest import make_row


@pytest.mark.parametrize("name", sorted(ADAPTERS))
def test_every_registered_adapter_has_a_factory(name: str) -> None:
    assert callable(find_factory(name))


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'ledger'"):
        load_adapter("legder")


def test_a_factory_of_ones_own_is_loaded_from_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = (
        "class A:\n    def predict(self, row, *, protocol):\n        return {'value': 'mine'}\nmake = A\n"
    )
    (tmp_path / "my_system.py").write_text(source)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    adapter = load_adapter("my_system:make")
    assert adapter.predict(make_row(), protocol="closed_book") == {"value": "mine"}


@pytest.mark.parametrize(
    "path", ["no_such_module:f", "evaluation.goldevidence.adapters.ledger:nothing", "math:pi"]
)
def test_a_path_that_leads_nowhere_is_a_clear_error(path: str) -> None:
    with pytest.raises(AdapterError, match=path.split(":")[0]):
        load_adapter(path)


def test_settings_for_a_system_that_takes_none_are_refused() -> None:
    with pytest.raises(AdapterError, match="ledger takes no settings, but got k"):
        load_adapter("ledger", {"k": 1})


def test_settings_classes_are_known_without_loading_a_model() -> None:
    assert settings_of(find_factory("ledger")) is None
    llama = settings_of(find_factory("llama_cpp"))
    assert llama is not None
    assert llama.__name__ == "LlamaSettings"


def test_llama_cpp_is_not_imported_with_the_adapters() -> None:
    modules = ", ".join(path.split(":")[0] for path in ADAPTERS.values())
    code = f"import sys, {modules}; sys.exit('llama_cpp' in sys.modules or 'gguf' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
