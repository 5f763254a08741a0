"""The engine's wheel: built from this source, served to pip, and named by the guide where there is one."""

from __future__ import annotations

import zipfile
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from leaderboard.management.commands import demo
from leaderboard.web import engine

ADDRESS = f"/download/{engine.NAME}"


@pytest.fixture
def wheel() -> Path:
    engine.path().parent.mkdir()
    engine.path().write_bytes(b"PK wheel")
    return engine.path()


@pytest.mark.parametrize("page", ["docs", "submit", "tokens"])
def test_without_a_wheel_the_guide_installs_from_a_checkout(client: Any, user: Any, page: str) -> None:
    client.force_login(user)
    shown = client.get(reverse(f"leaderboard:{page}")).text
    assert "<code>pip install .</code>" in shown
    assert "<code>uvx --from . goldevidencebench --help</code>" in shown
    assert client.get(ADDRESS).status_code == 404


@pytest.mark.parametrize("page", ["docs", "submit", "tokens"])
def test_with_a_wheel_the_guide_gives_the_line_that_installs_it(
    client: Any, user: Any, wheel: Path, page: str
) -> None:
    client.force_login(user)
    shown = client.get(reverse(f"leaderboard:{page}")).text
    assert f"<code>pip install http://testserver{ADDRESS}</code>" in shown
    assert f"<code>uvx --from http://testserver{ADDRESS} goldevidencebench --help</code>" in shown
    assert "<code>pip install .</code>" not in shown
    assert "--from ." not in shown


def test_the_wheel_is_sent_as_pip_takes_it(db: None, client: Any, wheel: Path) -> None:
    answer = client.get(ADDRESS)
    assert b"".join(answer.streaming_content) == wheel.read_bytes()
    assert answer["Content-Type"] == "application/octet-stream"
    assert engine.NAME in answer["Content-Disposition"]
    assert client.get("/download/goldevidencebench-9.9-py3-none-any.whl").status_code == 404
    assert client.post(ADDRESS).status_code == 405


@pytest.mark.wheel
def test_the_wheel_holds_the_engine_and_no_more(wheel: Path) -> None:
    earlier = wheel.with_name("goldevidencebench-0.0.1-py3-none-any.whl")
    earlier.touch()
    out = StringIO()
    call_command("build_engine", stdout=out)
    assert out.getvalue().strip() == str(wheel)
    assert [*wheel.parent.iterdir()] == [wheel]
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0].split("-")[0] for name in names} == {"goldevidencebench"}
    own = ("py.typed", "goldevidence/selectors/linear.json", "statebench/detection/learned/weights.npz")
    assert {f"goldevidencebench/{name}" for name in own} <= set(names)


def test_a_wheel_that_cannot_be_built_is_said_and_stops_no_demo(
    db: None, wheel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "PIP_WHEEL", ("-c", "import sys; sys.exit('ERROR: no setuptools')"))
    with pytest.raises(CommandError, match=r"cannot be built: no setuptools$"):
        call_command("build_engine")
    assert demo.build_engine() == "no setuptools"
    assert [*wheel.parent.iterdir()] == [wheel]
