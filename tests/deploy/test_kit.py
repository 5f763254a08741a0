"""The files of docs/deploy are valid for Docker, Compose, systemd and nginx, and agree with settings and docs."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from tests.deploy.kit import COMMON, KIT, Unit, example
from tests.deploy.stack import certificate, write_configuration
from tests.interface.environment import read_by
from tests.services import ROOT, free_port

SETTINGS = read_by("benchsite")
#: Read by the units, by compose, or by the client of S3; not by the site.
OF_THE_KIT = {
    *("WEB_BIND", "WEB_WORKERS", "WEB_THREADS", "WORKER_PROCESSES", "GRADING_PROCESSES", "POSTGRES_PASSWORD"),
    *("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_DEFAULT_REGION"),
}
UNITS = (
    "benchsite-backup.service",
    "benchsite-setup.service",
    "benchsite-web.service",
    "benchsite-worker@grading.service",
    "benchsite-worker@models.service",
    "benchsite-worker@servers.service",
)
#: 0 is a process that can do nothing, 10 one without any restriction: `systemd-analyze security`.
MOST_EXPOSURE = 2.0
BIN = Path(sys.executable).parent


def ran(*words: str | Path, **variables: str) -> str:
    """A command's output. Fails with the output if the command fails."""
    env = os.environ | variables
    done = subprocess.run([*map(str, words)], cwd=ROOT, env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_every_setting_stands_in_the_example_and_in_the_manual() -> None:
    assert example().keys() >= SETTINGS, "add them to docs/deploy/.env.example"
    assert example().keys() - SETTINGS == OF_THE_KIT
    table = (ROOT / "docs" / "settings.md").read_text()
    rows = [row.partition("|")[0] for row in re.findall(r"^\| (`.*)", table, re.MULTILINE)]
    assert {name for row in rows for name in re.findall(r"`([A-Z0-9_]+)`", row)} == SETTINGS


def test_what_the_example_comments_out_is_the_default(tmp_path: Path) -> None:
    off = set(re.findall(r"^#([A-Z0-9_]+)=", (KIT / ".env.example").read_text(), re.MULTILINE))
    shown = {name: example()[name] for name in (off & SETTINGS) - {"DATA_DIR", "LOG_LEVEL"}}
    assert loaded(tmp_path, shown) == loaded(tmp_path, {})


def loaded(folder: Path, settings: Mapping[str, str]) -> dict[str, str]:
    """The settings of a process with this environment."""
    code = (
        "import json; from benchsite import settings as s; "
        "print(json.dumps({name: repr(value) for name, value in vars(s).items() if name.isupper()}))"
    )
    env = {
        "PATH": os.environ["PATH"],
        "DATA_DIR": str(folder),
        "SECRET_KEY": "one",
        "PYTHONHASHSEED": "0",
    } | settings
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def test_the_dockerfile_has_nothing_that_hadolint_minds() -> None:
    assert ran(BIN / "hadolint", KIT / "Dockerfile") == ""


def test_the_compose_file_follows_its_schema_and_sets_up_as_the_unit_does(tmp_path: Path) -> None:
    ran(BIN / "check-jsonschema", "--builtin-schema", "vendor.compose-spec", KIT / "compose.yaml")
    services = yaml.safe_load((KIT / "compose.yaml").read_text())["services"]
    unit = Unit("benchsite-setup.service", tmp_path)
    lines = [line.partition("manage.py ")[2] for line in unit.values("ExecStart")]
    assert [line.partition("manage.py ")[2] for line in services["setup"]["command"][2].splitlines()] == lines
    queues = [
        service["command"].split()[7]
        for service in services.values()
        if "celery" in str(service.get("command"))
    ]
    assert queues == ["grading", "models", "servers"]


@pytest.mark.systemd
@pytest.mark.parametrize("name", UNITS)
def test_systemd_takes_the_unit_and_finds_it_well_confined(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "etc" / "systemd" / "system"
    (folder / COMMON.parent.name).mkdir(parents=True)
    unit = Unit(name, tmp_path)
    (folder / name).write_text(unit.own)
    (folder / COMMON.parent.name / COMMON.name).write_text(unit.common)
    assert ran("systemd-analyze", "verify", folder / name, SYSTEMD_UNIT_PATH=f"{folder}:") == ""
    said = ran("systemd-analyze", f"--root={tmp_path}", "security", "--offline=true", name)
    (level,) = re.findall(r"Overall exposure level for \S+: ([\d.]+)", said)
    assert float(level) <= MOST_EXPOSURE


def test_the_units_run_what_the_manual_types() -> None:
    manual = (ROOT / "docs" / "operations.md").read_text()
    for name in UNITS:
        for line in Unit(name, Path("/nowhere")).values("ExecStart"):
            program, words = Path(line.split()[0]).name, line.split()[1:]
            typed = [program, *words[: 3 if program != "python" else 2]]
            assert " ".join(typed) in manual, typed


@pytest.mark.nginx
@pytest.mark.openssl
def test_nginx_takes_the_configuration(tmp_path: Path) -> None:
    certificate(tmp_path / "tls")
    write_configuration(tmp_path, [8001, 8002], port=free_port(), plain_port=free_port())
    assert "is successful" in ran("nginx", "-t", "-p", tmp_path, "-c", "nginx.conf", "-e", "stderr")


def test_nginx_lets_through_what_the_site_takes() -> None:
    """1 MB is left for the other fields of a form."""
    everywhere, admin = re.findall(r"client_max_body_size (\d+)m;", (KIT / "nginx.conf").read_text())
    assert int(everywhere) << 20 > int(example()["UPLOAD_MAX_BYTES"]) + (1 << 20)
    assert int(admin) << 20 > int(example()["IMPORT_MAX_BYTES"]) + (1 << 20)


def test_a_worker_is_killed_before_another_may_take_its_lease() -> None:
    (stop,) = Unit("benchsite-worker@grading.service", Path("/nowhere")).values("TimeoutStopSec")
    assert int(stop) < int(example()["LEASE_SECONDS"])


def test_the_image_has_all_that_the_site_is_tested_with() -> None:
    site, deploy, test = (pinned(ROOT / ".ci" / f"{name}.lock") for name in ("site", "deploy", "test"))
    assert site <= deploy <= test, "run make lock"
    assert {name for name, _ in deploy} >= {"boto3", "llama-cpp-python"}


def pinned(path: Path) -> set[tuple[str, str]]:
    """(package, version) of each line of a lock file."""
    return set(re.findall(r"^([\w.-]+)==(\S+)", path.read_text(), re.MULTILINE))


def test_the_page_of_the_kit_names_each_of_its_files() -> None:
    page = (KIT / "README.md").read_text()
    assert [path.name for path in KIT.iterdir() if path.name not in page and path.name != "README.md"] == []


def test_the_manual_is_four_screens() -> None:
    """A screen is 55 lines of 120 characters."""
    lines = (ROOT / "docs" / "operations.md").read_text().splitlines()
    assert sum(max(1, -(-len(line) // 120)) for line in lines) <= 4 * 55, (
        "move what is looked up to a page of its own"
    )
