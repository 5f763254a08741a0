"""Makes an installation with the code of commit c53810c, and records what it shows.

In a checkout of that commit: `python <here>/make.py <a new folder>`. README.md beside this file says what is in it.
Every part is real: gunicorn serves the site, people sign up and send files over HTTP, a Celery worker grades, and
processes are killed by SIGKILL.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(Path.cwd()), str(HERE.parent)]

import keeping  # noqa: E402
import reading  # noqa: E402  (the reader that the tests use, too)
from contents import PASSWORD, PEOPLE, RUN_BY_THE_SITE, SERVERS, SMALL, STAFF, TRACKS, VERSIONS  # noqa: E402
from people import Person, Script  # noqa: E402

from tests.live import LiveSite, wait_for  # noqa: E402  (of the checkout)
from tests.tiny_gguf import CHAT_TEMPLATE, write_tiny_gguf  # noqa: E402

SEALED, OPEN, STATES = "goldevidencebench/sealed", "goldevidencebench/open", "statebench/states"
PENDING = (
    "select (select count(*) from leaderboard_submission where status in ('queued', 'grading'))"
    " + (select count(*) from leaderboard_run where status in ('queued', 'running'))"
)


class Maker:
    """Makes the installation, scene by scene. `cast` lists its accounts and objects for the tests."""

    def __init__(self, site: LiveSite, folder: Path) -> None:
        self.site, self.folder = site, folder
        self.people: dict[str, Person] = {}
        self.scripts: dict[str, Script] = {}
        self.files: dict[str, Path] = {}
        self.cast: dict[str, Any] = {"password": PASSWORD, "people": PEOPLE | STAFF, "servers": SERVERS}
        self.cast |= {"tokens": {}, "submissions": {}, "runs": {}}

    def inside(self, act: str, *, killed: bool = False, **arguments: Any) -> str:
        """Run an act of `inside.py`; its output."""
        words = [sys.executable, str(HERE / "inside.py"), act, json.dumps(arguments)]
        done = subprocess.run(words, env=self.site.env, capture_output=True, text=True)
        assert done.returncode == (-9 if killed else 0), done.stdout + done.stderr
        return done.stdout.strip()

    def gather(self) -> None:
        """People sign up, staff sign in, and all make tokens."""
        self.inside("staff", password=PASSWORD)
        self.people = {name: Person(self.site, name) for name in (*PEOPLE, *STAFF)}
        for name, person in self.people.items():
            person.sign_up(PEOPLE[name]) if name in PEOPLE else person.sign_in()
        for name in ("ada", "ben", "admin", "аda", "sam"):
            self._add_token(name, name, "read", "submit", *(["staff"] if name == "sam" else []))
        self._add_token("expired", "ada", "read", days=1)
        self.inside("expire", name="expired")
        self._add_token("revoked", "ben", "read")
        self.scripts["revoked"].send("DELETE", "/tokens/current")

    def _add_token(self, title: str, owner: str, *scopes: str, days: int | None = None) -> None:
        self.cast["tokens"][title] = secret = self.people[owner].make_token(title, *scopes, days=days)
        self.scripts[title] = Script(self.site, self.folder, secret)

    def freeze(self) -> None:
        """Freeze versions whose rows are made here, and imported ones."""
        for suite, name, settings, secret in VERSIONS:
            self.inside("freeze", suite=suite, name=name, settings=settings, secret=secret)
        flat, states, wrong = (self.folder / name for name in ("flat.jsonl", "states.jsonl", "wrong.jsonl"))
        ada, small = self.scripts["ada"], ["--no-twins"]
        for name in SMALL.keys() - {"twins"}:
            small += [f"--{name}", str(SMALL[name])]
        ada.command("generate", "--out", flat, "--seed", "11", *small)
        ada.command("generate", "--out", wrong, "--seed", "12", *small, "--queries", "15")
        ada.command(
            "state", "generate", "--out", states, "--seed", "5", "--count", "1", "--tracks", *TRACKS[:3]
        )
        self._import("goldevidence", "goldevidencebench/imported", {"generator": SMALL}, flat)
        self._import("statebench", "statebench/released", {"source": "import", "rubric": "1.0"}, states)
        _take_gold_out(wrong, line=25)
        self.inside("refuse_import", name="refused", file=str(wrong))

    def _import(self, suite: str, version: str, settings: dict[str, Any], file: Path) -> None:
        self.inside("preset", suite=suite, name=version.partition("/")[2], settings=settings)
        self.site.manage("import_rows", version, str(file))

    def run_systems(self) -> None:
        """The site runs the engine's systems, one of them over a part of the rows."""
        for version, systems in RUN_BY_THE_SITE.items():
            for system in systems:
                self.site.manage("run_system", system, version)
        self.site.manage("run_system", "bm25+latest_step", SEALED, "--limit", "2")

    def answer(self) -> None:
        """Predictions files as people make them: downloaded rows, answered by a command, some spoilt."""
        ada, files = self.scripts["ada"], self.files
        for version in RUN_BY_THE_SITE:
            benchmark, _, name = version.partition("/")
            rows, files[name] = self.folder / f"{name}-rows.jsonl.gz", self.folder / f"{name}.jsonl"
            ada.command("download", version, "--out", rows)
            if benchmark == "statebench":
                ada.command("state", "answer", "--timelines", rows, "--out", files[name])
            else:
                ada.command("run", "--data", rows, "--out", files[name])
        files["wrong"] = self._changed("sealed", every=3, value="amber-1")
        files["silent"] = self._changed("sealed", every=2, value=None)
        files["wrong states"] = self._changed("states", every=2, response="I do not know.")

    def _changed(self, source: str, *, every: int, **changes: Any) -> Path:
        """The same predictions, with one of every `every` changed."""
        target = self.folder / f"{source}-{every}-{'-'.join(map(str, changes.values()))}.jsonl"
        rows = map(json.loads, self.files[source].read_text().splitlines())
        changed = (row | changes if number % every == 0 else row for number, row in enumerate(rows))
        target.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in changed))
        return target

    def submit(self) -> None:
        """People send files: by the command line, by the API, by the browser; in public and in private."""
        sent, files = self.cast["submissions"], self.files
        ada, ben = self.scripts["ada"], self.scripts["ben"]
        words = ["--system", "Ledger reader", "--kind", "pipeline", "--parameters", "7B", "--quantization"]
        words += ["Q5_K_M", "--note", "By the command line", "--json"]
        sent["command line"] = json.loads(ada.command("submit", SEALED, files["sealed"], *words))["id"]
        sent["keyed"] = ben.submit(SEALED, "Wrong often", files["wrong"], key="once", tokens_per_query=120.5)
        sent["second try"] = ben.submit(SEALED, "Wrong often", files["silent"], note="second try")
        sent["private"] = ada.submit(SEALED, "Secret weapon", files["wrong"], visibility="private")
        sent["withdrawn"] = ada.submit(SEALED, "Mistake", files["silent"])
        sent["unpublished"] = ben.submit(STATES, "Shy", files["states"])
        sent["reserved name"] = self.scripts["admin"].submit(SEALED, "Mine", files["silent"])
        sent["look-alike"] = self.scripts["аda"].submit(STATES, "Ledger reader", files["wrong states"])
        sent["imported"] = ben.submit("goldevidencebench/imported", "Wrong often", files["imported"])
        sent["released"] = ben.submit("statebench/released", "Shy", files["released"])
        sent["retired"] = ada.submit("goldevidencebench/retired", "Ledger reader", files["retired"])
        sent["browser"] = self.people["ada"].submit(STATES, "Browser's", files["wrong states"])

    def regrade(self) -> None:
        """Submissions graded by an earlier grader wait for the present one."""
        for number, every in enumerate((2, 3, 100), 1):
            file = self._changed("open", every=every, value="x")
            pk = self.scripts["ben"].submit(OPEN, f"Try {number}", file)
            self.cast["submissions"][f"regraded {number}"] = pk
        self.inside("grade_by_earlier_grader", version="open")
        self.site.manage("regrade", "--version", OPEN, "--no-wait")

    def fail(self) -> None:
        """A submission whose stored file was damaged before it was graded; the file was repaired afterwards."""
        pk = self.scripts["ben"].submit(SEALED, "Unlucky", self._changed("sealed", every=5, value="amber-2"))
        self.cast["submissions"]["failed"] = pk
        key = pk.replace("-", "")
        name = self._ask(f"select file_sha256 from leaderboard_submission where id = '{key}'")
        (path,) = (self.site.folder / "artifacts").glob(f"*/{name}.jsonl.gz")
        whole = path.read_bytes()
        path.write_bytes(whole[:-20])
        self.work()
        path.write_bytes(whole)

    def settle(self) -> None:
        """Change graded submissions as people do."""
        sent = self.cast["submissions"]
        self.scripts["ada"].send("POST", f"/submissions/{sent['withdrawn']}/withdraw")
        self.scripts["ben"].send("POST", f"/submissions/{sent['unpublished']}/unpublish")
        self.inside("retire", name="retired")

    def check_conformance(self) -> None:
        """Our own report, and one of a store that fails a vector and was not asked three others."""
        self.site.manage("run_conformance")
        path = self.folder / "report.json"
        self.scripts["ada"].command("state", "conformance", "--results-json", path)
        report = json.loads(path.read_text())
        report |= {"implementation": "ada's store 0.3", "vectors": report["vectors"][3:]}
        vector = report["vectors"][4]
        vector |= {"passed": False, "failed": vector["requirements"][:1], "evidence": "the fact is gone"}
        self.scripts["ada"].send("POST", "/conformance", params={"system": "Store"}, json=report)

    def run_models(self) -> None:
        """A model file; runs that finished, were cancelled, failed."""
        models, made = self.site.folder / "models", self.cast["runs"]
        models.mkdir()
        write_tiny_gguf(models / "tiny.gguf", chat_template=CHAT_TEMPLATE, width=16, layers=1, context=8192)
        self.inside("register", name="tiny.gguf")
        expected = {"version": OPEN, "executor": "adapter:llama_cpp", "model": "tiny.gguf"}
        expected |= {"conditions": ["k3-gold_first"], "settings": {"threads": 1, "context": 2048}}
        made["finished"] = self.scripts["sam"].send("POST", "/runs", json=expected)["id"]
        self.work()
        made["cancelled"] = self.inside("start", version="sealed", executor="adapter:ledger")
        self.inside("stop_running", pk=made["cancelled"], after=4)
        server = {"executor": "adapter:openai_compatible", "values": {"server": "house"}}
        made["failed"] = self.inside("start", version="open", **server)
        self.inside("fail_running", pk=made["failed"])

    def leave_in_the_middle(self) -> None:
        """Leave work queued, or killed halfway; no worker continues it here."""
        sent, made, ada = self.cast["submissions"], self.cast["runs"], self.scripts["ada"]
        later = {"secret": True, "later": True}
        self.inside("freeze", suite="goldevidence", name="waiting", settings={"generator": SMALL}, **later)
        halfway = {"tracks": TRACKS[:1], "count": 2}
        self.inside("freeze", suite="statebench", name="halfway", settings=halfway, **later)
        self.inside("die_freezing", killed=True, name="halfway")
        sent["half-graded"] = ada.submit(SEALED, "Half-graded", self.files["wrong"])
        (message,) = keeping.messages(self.site.folder)
        message.unlink()  # the worker that dies has taken it
        self.inside("die_grading", killed=True, pk=sent["half-graded"])
        made["in the middle"] = self.inside("start", version="open", executor="adapter:ledger")
        self.inside("die_running", killed=True, pk=made["in the middle"], after=5)
        sent["queued"] = ada.submit(STATES, "Queued", self.files["states"], key="queued")
        expected = {"version": SEALED, "executor": "adapter:ledger"}
        made["queued"] = self.scripts["sam"].send("POST", "/runs", json=expected)["id"]
        self.inside("queue_messages")

    def work(self) -> None:
        """Let a worker do all that is queued."""
        worker = self.site.start_worker()
        wait_for(self._is_idle, seconds=300, what="the worker", every=0.5)
        worker.terminate()
        worker.wait(60)

    def _is_idle(self) -> bool:
        """Whether no work is left, and no message (the last ends with the worker)."""
        unfrozen = "select count(*) from leaderboard_version where status in ('draft', 'freezing')"
        return not (self._ask(PENDING) or self._ask(unfrozen) or keeping.messages(self.site.folder))

    def _ask(self, question: str) -> Any:
        with closing(sqlite3.connect(self.site.folder / "site.sqlite3", timeout=20)) as database:
            return database.execute(question).fetchone()[0]

    def read(self) -> dict[str, Any]:
        """Read what the site shows now."""
        return reading.read(self.site.url, self.cast["tokens"]["sam"])

    def play(self) -> None:
        """Play all scenes."""
        for scene in (
            self.gather, self.freeze, self.run_systems, self.answer, self.submit, self.work, self.regrade,
            self.work, self.fail, self.settle, self.check_conformance, self.run_models, self.leave_in_the_middle,
        ):  # fmt: skip
            print(scene.__name__, flush=True)
            scene()


def _take_gold_out(path: Path, *, line: int) -> None:
    """Spoil a row, so that it cannot be graded."""
    lines = path.read_text().splitlines()
    row = json.loads(lines[line - 1])
    lines[line - 1] = json.dumps({name: value for name, value in row.items() if name != "gold"})
    path.write_text("\n".join(lines) + "\n")


def make(out: Path) -> None:
    """Make an installation, keep it, and record what it shows before and after the next worker's work."""
    out.mkdir(parents=True)
    environment = {"MODEL_SERVERS": SERVERS, "API_READS_PER_MINUTE": "1000000"}
    environment |= {"LEASE_SECONDS": "1", "REAP_SECONDS": "1"}
    with (
        tempfile.TemporaryDirectory() as work,
        tempfile.TemporaryDirectory() as folder,
        LiveSite(Path(folder), **environment) as site,
    ):
        site.start_web()
        maker = Maker(site, Path(work))
        maker.play()
        keeping.copy(Path(folder), out, maker.cast)
        before = maker.read()
        maker.work()
        keeping.write_figures(out / "figures.json", before, maker.read())


if __name__ == "__main__":
    make(Path(sys.argv[1]))
