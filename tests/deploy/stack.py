"""The stack of docs/deploy as loopback processes: nginx in front of nodes with their own folders, `.env` and ports."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import httpx2

from tests.deploy.kit import KIT, Unit, filled
from tests.live import kill, wait_for
from tests.services import ROOT, free_port

#: What systemd leaves of an environment, and where the checkout is found that is not installed.
BARE = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "PYTHONPATH": str(ROOT)}


class Node:
    """A machine: a folder of its own, the settings of its `.env`, and the processes of its units."""

    def __init__(self, folder: Path, settings: Mapping[str, str], *, web_port: int) -> None:
        self.folder, self.web_port = folder, web_port
        folder.mkdir()
        self.state = folder / "state"
        self.address = f"http://127.0.0.1:{web_port}"
        bind = {"WEB_BIND": f"127.0.0.1:{web_port}", "WEB_WORKERS": "1"}
        (folder / ".env").write_text(filled(dict(settings) | bind))
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    def run(self, name: str) -> None:
        """Run a unit that ends, command by command."""
        unit = Unit(name, self.folder)
        unit.make_state()
        for words in unit.commands():
            self.command(words, unit)

    def manage(self, *words: str, **variables: str) -> str:
        """`python manage.py …` as the operator types it, with the settings of `.env`."""
        unit = Unit("benchsite-setup.service", self.folder)
        return self.command([unit.commands()[0][0], "manage.py", *words], unit, **variables)

    def command(self, words: Sequence[str], unit: Unit, **variables: str) -> str:
        """Run one command of a unit; its output. Fails with the output."""
        env = self._environment(unit) | variables
        done = subprocess.run(words, cwd=ROOT, env=env, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, f"{words}\n{done.stdout}{done.stderr}"
        return done.stdout

    def start(self, name: str) -> None:
        """Start a unit that keeps running."""
        unit = Unit(name, self.folder)
        unit.make_state()
        (words,) = unit.commands()
        with (self.folder / f"{name}.log").open("ab") as log:
            self.processes[name] = subprocess.Popen(
                words, cwd=ROOT, env=self._environment(unit), stdout=log, stderr=log,
                stdin=subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip

    def _environment(self, unit: Unit) -> dict[str, str]:
        """The environment of a unit's processes; systemd sets HOME to that of the account."""
        return BARE | {"HOME": str(self.state)} | unit.environment()

    def kill(self) -> None:
        """Power off: kill every process of the machine at once."""
        for process in self.processes.values():
            kill(process)
        self.processes.clear()


@contextlib.contextmanager
def nginx(folder: Path, web_ports: Sequence[int], *, port: int) -> Iterator[str]:
    """Run nginx with the kit's configuration in front of the nodes; the address of its TLS server.

    Args:
        folder: Replaces /etc/nginx.
        web_ports: Ports of the nodes.
        port: Port of TLS; the plain server gets a free one.
    """
    folder.mkdir()
    certificate(folder / "tls")
    write_configuration(folder, web_ports, port=port, plain_port=free_port())
    with (folder / "nginx.log").open("wb") as log:
        process = subprocess.Popen(
            ["nginx", "-p", str(folder), "-c", "nginx.conf", "-e", "stderr"],
            stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
    try:
        yield f"https://localhost:{port}"
    finally:
        kill(process)


def write_configuration(folder: Path, web_ports: Sequence[int], *, port: int, plain_port: int) -> None:
    """Write the kit's files with free loopback ports in place of 80, 443 and 8000, and a distribution's own files."""
    text = (KIT / "nginx.conf").read_text()
    for there, here in {"80": plain_port, "443 ssl": f"{port} ssl"}.items():
        text, found = re.subn(
            rf"listen {there} default_server;", f"listen 127.0.0.1:{here} default_server;", text
        )
        assert found == 1, f"nginx.conf does not listen on {there}"
    (folder / "benchsite.conf").write_text(text)
    (server,) = re.findall(r"^server .*;$", (KIT / "upstream.conf").read_text(), re.MULTILINE)
    lines = [server.replace("8000", str(each)) for each in web_ports]
    (folder / "benchsite-upstream.conf").write_text("\n".join(lines))
    places = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    around = [
        *(["user root;"] if os.getuid() == 0 else []),
        "daemon off; worker_processes 1; pid nginx.pid; events {}",
        "http { access_log off;",
        *(f"{place}_temp_path temp_{place};" for place in places),
        "include benchsite.conf; }",
    ]
    (folder / "nginx.conf").write_text("\n".join(around))


def certificate(folder: Path) -> None:
    """Make a certificate of localhost where nginx.conf expects it."""
    folder.mkdir()
    words = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
    names = "-addext subjectAltName=DNS:localhost -keyout privkey.pem -out fullchain.pem"
    subprocess.run([*words.split(), *names.split()], cwd=folder, check=True, capture_output=True)


def wait_for_web(address: str) -> None:
    """Wait until a page is answered."""

    def answers() -> bool:
        with contextlib.suppress(httpx2.TransportError):
            return httpx2.get(address, timeout=10).status_code < 500
        return False

    wait_for(answers, seconds=180, what=address)
