"""Makes an installation with the code of commit 54763fa, and records what it shows.

In a checkout of that commit: `python <here>/make.py <a new folder>`. README.md beside this file says what is in it.
It works as `c53810c/make.py` and uses its parts: real servers, users over HTTP, a Celery worker, SIGKILL.
"""

from __future__ import annotations

import gzip
import json
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
EARLIER = HERE.parent / "c53810c"
sys.path[:0] = [str(EARLIER), str(Path.cwd()), str(HERE.parent)]

import keeping  # noqa: E402
import make as earlier  # noqa: E402  (that of c53810c)
import reading  # noqa: E402  (the reader that the tests use, too)
from contents import PASSWORD, SERVERS  # noqa: E402
from people import Person  # noqa: E402

from tests.live import LiveSite  # noqa: E402  (of the checkout)

sys.path.append(str(HERE))
from holdings import (  # noqa: E402
    DEMO,
    PEOPLE,
    RUN_BY_THE_SITE,
    SMALL,
    STAFF,
    TRACKS,
    VERSIONS,
)

SEALED, OPEN, PUBLIC = "goldevidencebench/sealed", "goldevidencebench/open", "goldevidencebench/public"
BUILT, LENGTHS = "goldevidencebench/two-phases", "goldevidencebench/lengths"
STATES, PROSE = "statebench/states", "goldevidencebench/prose-short"
#: What a worker still has to do, by table and states.
PENDING = {
    "submission": ("queued", "grading"),
    "run": ("queued", "running"),
    "bench": ("queued", "running"),
    "modelcheck": ("queued", "running"),
    "version": ("draft", "freezing"),
}
#: A start of the machine, as leases note it: nothing to be told of.
BOOT = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
NO_BOOT = "00000000-0000-4000-8000-000000000000"


class Maker(earlier.Maker):
    """Makes the installation, scene by scene."""

    def __init__(self, site: LiveSite, folder: Path) -> None:
        super().__init__(site, folder)
        self.cast |= {"people": PEOPLE | STAFF, "benches": {}}

    def inside(self, act: str, *, killed: bool = False, **arguments: Any) -> str:
        """Run an act of `inside.py`; its output."""
        words = [sys.executable, str(HERE / "inside.py"), act, json.dumps(arguments)]
        done = subprocess.run(words, env=self.site.env, capture_output=True, text=True)
        assert done.returncode == (-9 if killed else 0), done.stdout + done.stderr
        return done.stdout.strip().rpartition("\n")[2]

    def gather(self) -> None:
        """People sign up, staff sign in, and all make tokens."""
        self.inside("staff", password=PASSWORD)
        self.people = {name: Person(self.site, name) for name in (*PEOPLE, *STAFF)}
        for name, person in self.people.items():
            person.sign_up(PEOPLE[name]) if name in PEOPLE else person.sign_in()
        for name in ("ada", "ben", "mia", "sam"):
            self._add_token(name, name, "read", "submit", *(["staff"] if name == "sam" else []))
        self._add_token("expired", "ada", "read", days=1)
        self.inside("expire", name="expired")
        self._add_token("revoked", "ben", "read")
        self.scripts["revoked"].send("DELETE", "/tokens/current")

    def freeze(self) -> None:
        """The versions whose rows are made here, a twin, those of the demo, and those that are imported."""
        for suite, name, settings, how in VERSIONS:
            self.inside("freeze", suite=suite, name=name, settings=settings, how=how)
        self.site.manage("make_twin", SEALED)
        self.site.manage("seed_presets")
        for suite, name in DEMO:
            self.inside("freeze_demo", suite=suite, name=name)
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
        earlier._take_gold_out(wrong, line=25)
        self.inside("refuse_import", name="refused", file=str(wrong))

    def run_systems(self) -> None:
        """The site runs the engine's systems, one over a part of the rows, and loads the shipped runs."""
        for version, systems in RUN_BY_THE_SITE.items():
            for system in systems:
                self.site.manage("run_system", system, version)
        self.site.manage("run_system", "bm25+latest_step", SEALED, "--limit", "2")
        words = [sys.executable, "-m", "leaderboard.management.shipped", "load"]
        done = subprocess.run(words, env=self.site.env, capture_output=True, text=True)
        assert "3 taken." in done.stdout, done.stdout + done.stderr

    def answer(self) -> None:
        """Predictions files as people make them: downloaded rows, answered by a command, some spoilt."""
        ada, files = self.scripts["ada"], self.files
        for version in RUN_BY_THE_SITE:
            benchmark, _, name = version.partition("/")
            rows, files[name] = self.folder / f"{name}-rows.jsonl.gz", self.folder / f"{name}.jsonl"
            if benchmark == "statebench":
                ada.command("download", version, "--out", rows)
                ada.command("state", "answer", "--timelines", rows, "--out", files[name])
            else:
                ada.command("download", version, "--flat", "--out", rows)
                ada.command("run", "--data", rows, "--out", files[name])
        for every in (3, 4, 5, 6, 7):
            files[f"wrong {every}"] = self._changed("sealed", every=every, value="amber-1")
        files["silent"] = self._changed("sealed", every=2, value=None)
        files["wrong lengths"] = self._changed("lengths", every=2, value="amber-1")
        files["wrong states"] = self._changed("states", every=2, response="I do not know.")
        files["half a book"] = self._halved(files["two-phases"])

    def _halved(self, source: Path) -> Path:
        """The same predictions over books in which every other line with an id is missing."""
        target = self.folder / "half-a-book.jsonl"
        rows = [json.loads(line) for line in source.read_text().splitlines()]
        for row in rows:
            if "artifact" in row:
                lines = row["artifact"].splitlines(keepends=True)
                missing = [line for line in lines if line.startswith("- [")][::2]
                row["artifact"] = "".join(line for line in lines if line not in missing)
        target.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
        return target

    def submit(self) -> None:
        """People send files: by the command line, by the API, by the browser; declared and not, public and private."""
        sent, files = self.cast["submissions"], self.files
        ada, ben, mia = (self.scripts[name] for name in ("ada", "ben", "mia"))
        words = ["--system", "Ledger reader", "--kind", "pipeline", "--parameters", "7B", "--quantization"]
        words += ["Q5_K_M", "--note", "By the command line", "--json"]
        sent["command line"] = json.loads(ada.command("submit", SEALED, files["sealed"], *words))["id"]
        sent["declared"] = ada.submit(SEALED, "Careful", files["wrong 7"], entry="true", note="Chosen before")
        sent["undeclared"] = ada.submit(SEALED, "Careful", files["wrong 6"], note="A second try")
        sent["private"] = ada.submit(SEALED, "Secret weapon", files["wrong 3"], visibility="private")
        sent["withdrawn"] = ada.submit(SEALED, "Mistake", files["silent"])
        sent["keyed"] = ben.submit(
            SEALED, "Wrong often", files["wrong 3"], key="once", tokens_per_query=120.5
        )
        sent["second try"] = ben.submit(SEALED, "Wrong often", files["silent"], note="second try")
        for number in (1, 2, 3):
            again = {"entry": "true", "repeats": 3} if number == 1 else {}
            sent[f"repeat {number}"] = mia.submit(SEALED, "Sampler", files[f"wrong {number + 3}"], **again)
        sent["lonely repeat"] = mia.submit(SEALED, "Slow sampler", files["wrong 4"], entry="true", repeats=2)
        sent["built"] = ada.submit(BUILT, "Scribe", files["two-phases"], entry="true")
        sent["half built"] = ben.submit(BUILT, "Torn book", files["half a book"])
        sent["privately built"] = ben.submit(BUILT, "Torn book", files["two-phases"], visibility="private")
        sent["lengths"] = ben.submit(LENGTHS, "Wrong often", files["wrong lengths"])
        sent["public"] = ben.submit(PUBLIC, "Wrong often", files["public"])
        sent["twin"] = ada.submit(f"{SEALED}-twin", "Careful", files["sealed-twin"])
        sent["beside a shipped one"] = ada.submit(PROSE, "Ledger reader", files["prose-short"])
        sent["unpublished"] = ben.submit(STATES, "Shy", files["states"])
        sent["declared states"] = mia.submit(STATES, "Sampler", files["wrong states"], entry="true")
        sent["imported"] = ben.submit("goldevidencebench/imported", "Wrong often", files["imported"])
        sent["released"] = ben.submit("statebench/released", "Shy", files["released"])
        sent["retired"] = ada.submit("goldevidencebench/retired", "Ledger reader", files["retired"])
        sent["browser"] = self.people["ada"].submit(STATES, "Browser's", files["wrong states"])

    def bench_systems(self) -> None:
        """Run a bench of a rule to its end."""
        self.cast["benches"]["finished"] = self._bench("latest_step", ["order"])
        self.work()

    def _bench(self, system: str, parts: list[str]) -> str:
        expected = {"executor": system, "size": "smoke", "seeds": 1, "parts": parts}
        return str(self.scripts["sam"].send("POST", "/benches", json=expected)["id"])

    def leave_in_the_middle(self) -> None:
        """Leave work queued, or killed halfway; no worker continues it here."""
        sent, made, benches = self.cast["submissions"], self.cast["runs"], self.cast["benches"]
        ada = self.scripts["ada"]
        self.inside(
            "freeze",
            suite="goldevidence",
            name="waiting",
            settings={"generator": SMALL},
            how="secret",
            later=True,
        )
        halfway = {"tracks": TRACKS[:1], "count": 2}
        self.inside("freeze", suite="statebench", name="halfway", settings=halfway, how="secret", later=True)
        self.inside("die_freezing", killed=True, name="halfway")
        sent["half-graded"] = ada.submit(SEALED, "Half-graded", self.files["wrong 5"])
        self._take("grade_submission")
        self.inside("die_grading", killed=True, pk=sent["half-graded"])
        made["in the middle"] = self.inside("start", version="open", executor="adapter:ledger")
        self.inside("die_running", killed=True, pk=made["in the middle"], after=5)
        benches["in the middle"] = self._bench("latest_step", ["order", "k"])
        self._take("execute_bench")
        self.inside("die_benching", killed=True, pk=benches["in the middle"], after=3)
        benches["queued"] = self._bench("positional_last", ["order"])
        sent["queued"] = ada.submit(STATES, "Queued", self.files["states"], key="queued")
        expected = {"version": SEALED, "executor": "adapter:ledger"}
        made["queued"] = self.scripts["sam"].send("POST", "/runs", json=expected)["id"]
        self.inside("queue_messages")

    def _take(self, task: str) -> None:
        """Remove a message, as a worker that dies from it does."""
        (message,) = (path for path in keeping.messages(self.site.folder) if keeping.task_of(path)[1] == task)
        message.unlink()

    def _is_idle(self) -> bool:
        """Whether no work is left: no job, no rank to compute, and no message (the last ends with the worker)."""
        waiting = [
            f"select count(*) from leaderboard_{table} where status in {states}"
            for table, states in PENDING.items()
        ]
        waiting.append("select count(*) from leaderboard_dueplacements")
        return not (any(map(self._ask, waiting)) or keeping.messages(self.site.folder))

    def read(self) -> dict[str, Any]:
        """Read what the site shows now."""
        return reading.read(self.site.url, self.cast["tokens"]["sam"], self.cast["tokens"])

    def play(self) -> None:
        """Play all scenes."""
        for scene in (
            self.gather, self.freeze, self.run_systems, self.answer, self.submit, self.work, self.regrade,
            self.work, self.fail, self.settle, self.check_conformance, self.run_models, self.bench_systems,
            self.leave_in_the_middle,
        ):  # fmt: skip
            print(scene.__name__, flush=True)
            scene()


def keep(folder: Path, out: Path, cast: dict[str, Any]) -> None:
    """Copy the files of an installation, without the name and the boot id of the machine."""
    keeping.copy(folder, out, cast)
    shutil.copytree(folder / "benches", out / "benches")
    for path in out.rglob("*"):
        if path.is_file() and path.suffix in (".sql", ".json", ".msg", ".jsonl", ".journal", ".md"):
            path.write_text(_anonymous(path.read_text()))
    database = out / "site.sql"
    (out / "site.sql.gz").write_bytes(gzip.compress(database.read_bytes(), mtime=0))
    database.unlink()


def _anonymous(text: str) -> str:
    return re.sub(rf"\b{re.escape(socket.gethostname())}\b", keeping.HOST, text).replace(BOOT, NO_BOOT)


def make(out: Path) -> None:
    """Make an installation, keep it, and record what it shows before and after the next worker's work."""
    out.mkdir(parents=True)
    environment = {"MODEL_SERVERS": SERVERS, "API_READS_PER_MINUTE": "1000000"}
    environment |= {"LEASE_SECONDS": "15", "REAP_SECONDS": "2"}
    with (
        tempfile.TemporaryDirectory() as work,
        tempfile.TemporaryDirectory() as folder,
        LiveSite(Path(folder), **environment) as site,
    ):
        site.start_web()
        maker = Maker(site, Path(work))
        maker.play()
        keep(Path(folder), out, maker.cast)
        before = maker.read()
        maker.work()
        keeping.write_figures(out / "figures.json", before, maker.read())


if __name__ == "__main__":
    make(Path(sys.argv[1]))
