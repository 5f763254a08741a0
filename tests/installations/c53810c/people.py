"""Users of the site: in a browser, and by scripts."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import httpx2
from contents import PASSWORD

from tests.live import LiveSite


class Person:
    """A user in a browser."""

    def __init__(self, site: LiveSite, name: str) -> None:
        self.name = name
        self.http = httpx2.Client(base_url=site.url, follow_redirects=True, timeout=60)

    def fill_in(self, address: str, *, files: Any = None, **fields: str) -> httpx2.Response:
        """Fill in the form of a page, and send it."""
        page = self.http.get(address).text
        fields["csrfmiddlewaretoken"] = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', page)[0]
        sent = self.http.post(address, data=fields, files=files)
        assert sent.status_code == 200, f"{address} answered {sent.status_code}: {sent.text[-3000:]}"
        return sent

    def sign_up(self, mail: str) -> None:
        fields = {"username": self.name, "email": f"{mail}@example.org"}
        self.fill_in("/accounts/signup/", **fields, password1=PASSWORD, password2=PASSWORD)

    def sign_in(self) -> None:
        self.fill_in("/accounts/login/", login=self.name, password=PASSWORD)

    def make_token(self, name: str, *scopes: str, days: int | None = None) -> str:
        """Make a token; its secret."""
        self.http.get("/account/tokens/")
        headers = {"X-CSRFToken": self.http.cookies["csrftoken"]}
        expected = {"name": name, "scopes": scopes, "days": days}
        made = self.http.post("/api/v1/tokens", json=expected, headers=headers)
        assert made.status_code == 201, made.text
        return str(made.json()["secret"])

    def submit(self, version: str, system: str, file: Path) -> str:
        """Send a predictions file by the page; the id of its submission."""
        page = self.http.get(f"/submit/?version={version}").text
        chosen = re.findall(r'<option value="(\d+)" selected', page)[0]
        fields = {"version": chosen, "system": "", "name": system, "kind": "llm", "visibility": "public"}
        with file.open("rb") as opened:
            sent = self.fill_in("/submit/", files={"file": ("preds.jsonl", opened)}, **fields)
        return str(re.findall(r"/submissions/([0-9a-f-]{36})/", str(sent.url))[0])


class Script:
    """A user's script, signed in by a token."""

    def __init__(self, site: LiveSite, folder: Path, token: str) -> None:
        self._site, self._folder, self._token = site, folder, token
        self._http = httpx2.Client(headers={"Authorization": f"Bearer {token}"}, timeout=60)

    def send(self, method: str, path: str, **options: Any) -> Any:
        """Call the API; its answer."""
        answer = self._http.request(method, f"{self._site.url}/api/v1{path}", **options)
        assert answer.is_success, f"{path} answered {answer.status_code}: {answer.text[:3000]}"
        return answer.json() if answer.content else None

    def submit(self, version: str, system: str, file: Path, *, key: str = "", **fields: Any) -> str:
        """Send a predictions file; the id of its submission."""
        headers = {"Idempotency-Key": key} if key else {}
        fields |= {"version": version, "system": system}
        sent = self.send("POST", "/submissions", params=fields, content=file.read_bytes(), headers=headers)
        return str(sent["id"])

    def command(self, *words: str | Path) -> str:
        """Run `goldevidencebench …` as this user; its output."""
        done = self._site.command(self._folder, *map(str, words), GOLDEVIDENCEBENCH_TOKEN=self._token)
        assert done.returncode == 0, done.stdout + done.stderr
        return str(done.stdout)
