"""The kept installations: unpacked, migrated and running with the present code."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import httpx2

from tests.installations import reading
from tests.installations.comparing import called, joined
from tests.live import LiveSite

HERE = Path(__file__).resolve().parent
#: By the commit whose code made them.
COMMITS = ("c53810c", "54763fa")
#: What a data folder is made of besides its database. The first release with benches is that of 54763fa.
FOLDERS = ("artifacts", "broker", "runs", "models", "benches")


class Kept:
    """An installation as an old release left it, in a folder named by that release's commit."""

    def __init__(self, commit: str) -> None:
        self.commit = commit
        self.folder = HERE / commit
        self.cast: dict[str, Any] = json.loads((self.folder / "cast.json").read_text())
        self.figures: dict[str, Any] = json.loads((self.folder / "figures.json").read_text())

    def unpack(self, folder: Path) -> None:
        """Unpack it into an empty data folder, without migrating."""
        for name in FOLDERS:
            if (self.folder / name).is_dir():
                shutil.copytree(self.folder / name, folder / name)
        with closing(sqlite3.connect(folder / "site.sqlite3")) as database:
            database.executescript(self._sql())

    def _sql(self) -> str:
        """The database as SQL text; it may be stored compressed."""
        packed = self.folder / "site.sql.gz"
        if packed.exists():
            return gzip.decompress(packed.read_bytes()).decode()
        return (self.folder / "site.sql").read_text()

    def site(self, folder: Path, **options: str) -> LiveSite:
        """A site with the present code over an unpacked folder; entering it migrates."""
        servers = {"MODEL_SERVERS": self.cast["servers"], "API_READS_PER_MINUTE": "1000000"}
        return LiveSite(folder, **servers, **options)


class Upgraded:
    """A kept installation, served by the present code."""

    def __init__(self, kept: Kept, site: LiveSite) -> None:
        self.kept, self.site, self.cast = kept, site, kept.cast

    def token(self, who: str) -> dict[str, str]:
        """The header of a script, with a token of the old release."""
        return {"Authorization": f"Bearer {self.cast['tokens'][who]}"}

    def api(self, who: str = "sam") -> reading.Api:
        """The API, signed in by a token of the old release."""
        return reading.Api(self.site.url, self.cast["tokens"][who])

    @contextmanager
    def browser(self, mail: str) -> Iterator[httpx2.Client]:
        """A browser signed in by the form, with the address and the password of the old release."""
        with httpx2.Client(base_url=self.site.url, follow_redirects=True, timeout=60) as client:
            page = client.get("/accounts/login/").text
            fields = {"login": f"{mail}@example.org", "password": self.cast["password"]}
            fields["csrfmiddlewaretoken"] = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', page)[0]
            assert client.post("/accounts/login/", data=fields).status_code == 200
            assert "sessionid" in client.cookies, f"{mail} cannot sign in any more"
            yield client

    def read(self) -> dict[str, Any]:
        """Read what it shows now."""
        return reading.read(self.site.url, self.cast["tokens"]["sam"], self.cast["tokens"])

    def recorded(self, *, settled: bool) -> dict[str, Any]:
        """The record of the old code, before or after a worker's remaining work; with present names of accounts."""
        figures = self.kept.figures
        record = joined(figures["before"], figures["after"]) if settled else figures["before"]
        result: dict[str, Any] = called(record, self._names())
        return result

    def _names(self) -> dict[str, str]:
        """Old -> present name of each account, which may have been changed; found by the tokens."""
        collected = {}
        for name in self.cast["people"].keys() & {"admin", "аda"}:
            with self.api(name) as api:
                collected[name] = api.get("/tokens/current")["user"]
        return collected


def predictions(browser: httpx2.Client, submission: str) -> bytes:
    """The file of a submission, downloaded from its page by staff."""
    answer = browser.get(f"/submissions/{submission}/predictions.jsonl.gz")
    assert answer.status_code == 200
    return gzip.decompress(answer.content)


def row_counts(path: Path) -> dict[str, int]:
    """The number of rows of every database table with users' data."""
    with closing(sqlite3.connect(path)) as database:
        tables = [name for (name,) in database.execute("select name from sqlite_master where type = 'table'")]
        own = [name for name in tables if name.startswith(("leaderboard_", "auth_user", "account_"))]
        return {name: database.execute(f'select count(*) from "{name}"').fetchone()[0] for name in own}
