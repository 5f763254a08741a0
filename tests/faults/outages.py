"""Faults that only `make faults` causes: they take minutes, the right to mount a disk, or servers of their own."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from evaluation.core import jsonl
from evaluation.goldevidence.suite import SUITE
from tests.faults.scenarios import Scenario, killed_while, upload
from tests.faults.site import DisturbedSite, Outcome, strike
from tests.live import free_port, wait_for
from tests.services import PostgresServer, bucket, redis

IMPORTED = {"generator": {"episodes": 60, "steps": 120, "queries": 8}}
MARKED = "select count(*) from leaderboard_dueplacements"
IMPORT = """
from pathlib import Path
from leaderboard.benchmarks import importing
from leaderboard.models import Benchmark, Preset
benchmark = Benchmark.objects.get(suite="goldevidence")
preset, _ = Preset.objects.get_or_create(benchmark=benchmark, name="imported", settings=VALUES)
importing.start(preset, Path(PATH), slug=SLUG, wake_worker=False)
"""
THRICE = """
from leaderboard.jobs import dispatch
for _ in range(3):
    dispatch.enqueue("grade_submission", KEY)
    dispatch.enqueue("place_version", 1)
"""
FAKETIME = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)


def killed_while_ranking(folder: Path, rounds: int, rng: random.Random) -> Outcome:
    """Kill workers between a grade and the placements that it triggers. Late placements count as lost."""
    with DisturbedSite(folder, rng=rng) as site:
        site.start_web()
        worker = site.start_worker(concurrency=2)
        for _ in range(rounds):
            site.upload()
            wait_for(lambda: _is_marked(site), seconds=60, what="placements to be due", every=0.02)
            time.sleep(rng.uniform(0, 2.5))
            if not strike(worker, rng):
                worker = site.start_worker(concurrency=2)
        outcome = site.settle()
        with contextlib.suppress(AssertionError):
            wait_for(lambda: not _is_marked(site), seconds=240, what="placements of all grades")
        outcome.lost += _is_marked(site)
        return outcome


def _is_marked(site: DisturbedSite) -> bool:
    return bool(site.query(MARKED)[0][0])


def delivered_four_times(folder: Path, rounds: int, rng: random.Random) -> Outcome:
    """Deliver each message four times, to two workers of two processes."""
    with DisturbedSite(folder, rng=rng) as site:
        site.start_web()
        for _ in range(2):
            site.start_worker(concurrency=2)
        for _ in range(rounds):
            upload(site)
            for key in site.accepted[-4:]:
                site.shell(THRICE.replace("KEY", repr(key)))
        return site.settle()


def disk_full(folder: Path, rounds: int, rng: random.Random) -> Outcome:
    """Fill the disk of a site at a random moment, with some kB left, and free it again."""
    with _disk(folder / "disk", megabytes=256) as disk, DisturbedSite(disk, rng=rng) as site:
        site.start_web()
        worker = site.start_worker(concurrency=2)
        for _ in range(rounds):
            upload(site)
            time.sleep(rng.uniform(0, 1))
            filler = _fill(disk, leave=rng.choice((0, 4, 16, 64, 256, 1024)) << 10)
            time.sleep(rng.uniform(1, 4))
            filler.unlink()
            site.upload()
            if worker.poll() is not None:
                worker = site.start_worker(concurrency=2)
        return site.settle()


@contextmanager
def _disk(folder: Path, *, megabytes: int) -> Iterator[Path]:
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def _fill(disk: Path, *, leave: int) -> Path:
    """Fill a disk but for `leave` bytes; the file that fills it."""
    path, room = disk / "filler", os.statvfs(disk)
    with path.open("wb") as file, contextlib.suppress(OSError):
        os.posix_fallocate(file.fileno(), 0, max(1, room.f_bavail * room.f_frsize - leave))
    return path


def wrong_clocks(folder: Path, rounds: int, rng: random.Random) -> Outcome:
    """Run two workers, one two hours late and one two hours early; kill one of them now and then."""
    if FAKETIME is None:
        raise RuntimeError("libfaketime is not installed (Debian's package of that name)")
    clocks = ({"LD_PRELOAD": str(FAKETIME), "FAKETIME": f"{hours}h"} for hours in ("-2", "+2"))
    settings = list(clocks)
    with DisturbedSite(folder, rng=rng) as site:
        site.start_web()
        workers = [site.start_worker(concurrency=2, **each) for each in settings]
        for _ in range(rounds):
            upload(site)
            time.sleep(rng.uniform(0, 1))
            which = rng.randrange(2)
            if not strike(workers[which], rng):
                workers[which] = site.start_worker(concurrency=2, **settings[which])
        return site.settle()


def database_away(seconds: float, folder: Path, rounds: int, rng: random.Random) -> Outcome:
    """Stop PostgreSQL for `seconds`, in the middle of gradings."""
    with PostgresServer() as database, DisturbedSite(folder, rng=rng, database_url=database.url) as site:
        site.start_web()
        site.start_worker(concurrency=2)
        with site.readers():
            for _ in range(rounds):
                upload(site)
                time.sleep(rng.uniform(0, 1))
                database.stop()
                time.sleep(seconds)
                database.start()
                site.upload()
            return site.settle()


def redis_away(seconds: float, folder: Path, rounds: int, rng: random.Random) -> Outcome:
    """Stop Redis, broker and cache, for `seconds`; it comes back empty."""
    port = free_port()
    address = f"redis://127.0.0.1:{port}/0"
    with DisturbedSite(folder, rng=rng, broker_url=address, CACHE_URL=address) as site, ExitStack() as stack:
        broker = stack.enter_context(redis(folder, port=port))
        site.start_web()
        site.start_worker(concurrency=2)
        with site.readers():
            for _ in range(rounds):
                upload(site)
                broker.kill()
                broker.wait()
                site.upload()
                time.sleep(seconds)
                broker = stack.enter_context(redis(folder, port=port))
                site.upload()
            return site.settle()


def bucket_away(seconds: float, folder: Path, rounds: int, rng: random.Random) -> Outcome:
    """Let the bucket of the artifacts accept connections and answer none for `seconds`."""
    with bucket() as (server, settings), DisturbedSite(folder, rng=rng, **settings) as site:
        site.start_web()
        site.start_worker(concurrency=2)
        with site.readers():
            for _ in range(rounds):
                upload(site)
                os.kill(server.pid, signal.SIGSTOP)
                time.sleep(seconds)
                os.kill(server.pid, signal.SIGCONT)
                site.upload()
            return site.settle()


def rabbitmq_restarts(folder: Path, rounds: int, rng: random.Random) -> Outcome:
    """Kill RabbitMQ, the broker, during uploads; it comes back."""
    port = free_port()
    with (
        DisturbedSite(folder, rng=rng, broker_url=f"amqp://guest:guest@127.0.0.1:{port}//") as site,
        ExitStack() as stack,
    ):
        broker = stack.enter_context(_rabbitmq(folder / "rabbit", port))
        site.start_web()
        site.start_worker(concurrency=2)
        for _ in range(rounds):
            upload(site)
            time.sleep(rng.uniform(0, 2))
            _kill_rabbitmq(broker, port)
            site.upload()
            broker = stack.enter_context(_rabbitmq(folder / "rabbit", port))
            site.upload()
        return site.settle()


@contextmanager
def _rabbitmq(folder: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """A RabbitMQ with a folder of its own, which a later one reuses."""
    folder.mkdir(exist_ok=True)
    places = {"RABBITMQ_MNESIA_BASE": folder, "RABBITMQ_LOG_BASE": folder, "HOME": folder}
    ports = {
        "RABBITMQ_NODE_PORT": port,
        "RABBITMQ_DIST_PORT": port + 1,
        "RABBITMQ_NODENAME": f"faults{port}@localhost",
    }
    told = {name: str(value) for name, value in {**places, **ports}.items()}
    (folder / "plugins").write_text("[].")
    (folder / "rabbitmq.conf").write_text(f"listeners.tcp.local = 127.0.0.1:{port}\n")
    told |= {"RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq.conf"), "RABBITMQ_CONF_ENV_FILE": "/dev/null"}
    told["RABBITMQ_ENABLED_PLUGINS_FILE"] = str(folder / "plugins")
    with (folder / "output").open("ab") as output:
        server = subprocess.Popen(
            ["/usr/lib/rabbitmq/bin/rabbitmq-server"], env=os.environ | told, stdout=output, stderr=output,
            start_new_session=True,
        )  # fmt: skip
    try:
        wait_for(partial(_listens, port), seconds=120, what="RabbitMQ")
        yield server
    finally:
        _kill_rabbitmq(server, port)


def _kill_rabbitmq(server: subprocess.Popen[bytes], port: int) -> None:
    """Kill the script and the server that it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(server.pid, signal.SIGKILL)
    server.wait()
    wait_for(lambda: not _listens(port), seconds=60, what="RabbitMQ to be gone")


def _listens(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


def _import(site: DisturbedSite) -> None:
    path = site.folder / "rows.jsonl"
    if not path.exists():
        jsonl.write(path, (row for item in SUITE.version(IMPORTED).generate() for row in item.rows))
    site.drafts.append(f"import-{len(site.drafts)}")
    named = f"PATH, SLUG, VALUES = {str(path)!r}, {site.drafts[-1]!r}, {IMPORTED!r}\n"
    site.shell(named + IMPORT)


OUTAGES = (
    Scenario("workers killed in mid-import", (), killed_while(_import)),
    Scenario("workers killed between grade and placements", (), killed_while_ranking),
    Scenario("every message four times, to two workers", (), delivered_four_times),
    Scenario("the disk of the site full, with 0 to 1,024 kB left", (), disk_full),
    Scenario("clocks of workers two hours early and late, and kills", (), wrong_clocks),
    Scenario("RabbitMQ killed and restarted beside uploads", (), rabbitmq_restarts),
    *(
        Scenario(f"{what} away for {said}", (), partial(away, seconds), most_rounds=most)
        for seconds, said, most in ((30, "30 s", 5), (300, "5 minutes", 1))
        for what, away in (("PostgreSQL", database_away), ("Redis", redis_away), ("the bucket", bucket_away))
    ),
)
