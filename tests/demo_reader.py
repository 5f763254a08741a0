"""A reader of the demo, signed in as staff, with a token and folders to work in."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests import copied
from tests.copied import Shell
from tests.live import LiveDemo, free_port
from tests.tiny_gguf import CHAT_TEMPLATE, write_tiny_gguf

PASSWORD = "a-long-pass-phrase-1"
MODELS = ("qwen.gguf", "model.gguf")


@pytest.fixture(scope="session")
def demo_visitor(demo: LiveDemo) -> Iterator[httpx2.Client]:
    """A client signed in as staff, by the page."""
    demo.shell(
        "from django.contrib.auth import get_user_model as g; "
        f"g().objects.create_superuser('maintainer', 'm@example.org', {PASSWORD!r})"
    )
    with httpx2.Client(base_url=demo.url, follow_redirects=True, timeout=60) as client:
        post(client, "/accounts/login/", login="maintainer", password=PASSWORD)
        yield client


def post(client: httpx2.Client, path: str, **fields: str) -> httpx2.Response:
    """Send the form of a page; the answer."""
    client.get(path)
    fields["csrfmiddlewaretoken"] = client.cookies["csrftoken"]
    response = client.post(path, data=fields, headers={"Referer": str(client.base_url)})
    assert response.status_code == 200, response.text
    return response


@pytest.fixture(scope="session")
def demo_token(demo_visitor: httpx2.Client) -> str:
    """A token made on the page of tokens, as the docs say."""
    page = post(demo_visitor, "/account/tokens/", name="docs", scopes="staff", days="30").text
    return next(text for text in copied.copied(page).blocks if re.fullmatch(r"geb_[\w-]+", text))


@pytest.fixture(scope="session")
def demo_shell(demo: LiveDemo, demo_token: str) -> Iterator[Any]:
    """Opens folders to work in, by name."""
    replace = {"http://127.0.0.1:8000": demo.url, "geb_…": demo_token, "8801": str(free_port())}
    site = {name: demo.env[name] for name in ("DATA_DIR", "DJANGO_SETTINGS_MODULE")}
    with tempfile.TemporaryDirectory() as folder:
        opened: dict[str, Shell] = {}

        def open_shell(called: str) -> Shell:
            if called not in opened:
                opened[called] = Shell(Path(folder) / called, replace, **site)
            return opened[called]

        yield open_shell
        for each in opened.values():
            each.close()


def give_models(folder: Path) -> None:
    """Write models that end their turn soon: a run whose answers are all cut off would pause."""
    for model in MODELS:
        write_tiny_gguf(folder / model, context=1536, chat_template=CHAT_TEMPLATE, terse=True)
