"""What the commands that talk to a site have in common."""

from __future__ import annotations

import argparse
import json
import sys
import time
from typing import TYPE_CHECKING, Any

from evaluation.remote import credentials
from evaluation.remote.client import REFUSED, Client, ClientError

if TYPE_CHECKING:
    from rich.progress import Progress

PENDING = ("queued", "grading")
POLL_SECONDS = 1.0


def configure(parser: argparse.ArgumentParser) -> None:
    """`--server` and `--json`."""
    parser.add_argument(
        "--server",
        metavar="URL",
        help="the site (default: $GOLDEVIDENCEBENCH_URL, or where you signed in last)",
    )
    parser.add_argument("--json", action="store_true", help="print the answer as JSON")


def connect(args: argparse.Namespace) -> Client:
    """A client for the chosen site, with its token if there is one."""
    url = credentials.server(args.server)
    return Client(url, credentials.token(url))


def print_json(data: Any) -> None:
    """JSON for programs."""
    print(json.dumps(data, indent=2, ensure_ascii=False))


def bar(*columns: Any) -> Progress:
    """A progress bar on the error stream, drawn only where a person is watching."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    console = Console(stderr=True)
    shown = (TextColumn("{task.description}", markup=False), BarColumn(), *columns)
    return Progress(*shown, console=console, transient=True, disable=not console.is_terminal)


def wait(client: Client, submission_id: str, *, seconds: float) -> dict[str, Any]:
    """Follow a submission until it is graded, failed or withdrawn. Raises ClientError after `seconds`."""
    from rich.progress import TextColumn

    deadline = time.monotonic() + seconds
    with bar(TextColumn("{task.percentage:.0f}%")) as progress:
        task = progress.add_task("queued", total=100)
        while True:
            found: dict[str, Any] = client.get(f"/submissions/{submission_id}")
            if found["status"] not in PENDING:
                return found
            progress.update(task, description=found["status"], completed=found["progress"])
            if time.monotonic() > deadline:
                reason = f" ({found['error']})" if found["error"] else ""
                raise ClientError(
                    f"still {found['status']} after {seconds:.0f} s{reason}. It goes on: {found['url']}"
                )
            time.sleep(POLL_SECONDS)


def describe(submission: dict[str, Any]) -> str:
    """A submission in one line: what, how far, how good."""
    system, headline = submission["system"], submission["headline"]
    text = f"{system['name']} on {submission['version']}: {submission['status']}"
    if headline is not None:
        text += f", {interval(headline)}"
    if submission["error"]:
        text += f": {submission['error']}"
    return "\n".join([text, *_outcome(submission), submission["url"]])


def _outcome(submission: dict[str, Any]) -> list[str]:
    """The gates that failed, each with its threshold, or the place on the board. An older site tells neither."""
    failed = [gate for gate in submission.get("gates") or () if gate["state"] == "fail"]
    if failed:
        return [
            f"not ranked: gate {gate['letter']}, {gate['name']}, failed. {gate['help']}" for gate in failed
        ]
    at = submission.get("standing")
    if not at:
        return []
    if at["rank"] is None:
        return [f"on the board, not ranked: {at['reason']}"] if at.get("reason") else []
    between = f" (range {at['low']} to {at['high']})" if at["low"] != at["high"] else ""
    shared = f", shared by {at['sharing']}" if at.get("sharing", 1) > 1 else ""
    return [f"on the board: rank {at['rank']} of {at['among']}{shared}{between}"]


def interval(figure: dict[str, Any]) -> str:
    """`0.9200 [0.8800, 0.9500]`, or `not reported`."""
    if figure["value"] is None:
        return "not reported"
    text = f"{figure['value']:.4f}"
    return text if figure["low"] is None else f"{text} [{figure['low']:.4f}, {figure['high']:.4f}]"


def print_refusal(path: str, error: ClientError, *, as_json: bool) -> None:
    """Why the site refused a file, for people or for programs. Raises any other error again."""
    if error.status != REFUSED:
        raise error
    if as_json:
        print_json(error.problem)
    else:
        print_problems(path, error)


def print_problems(path: str, error: ClientError) -> None:
    """Why a file was refused, line by line, in the words of the check behind `validate`."""
    for one in error.problem.get("problems", []):
        place = ":".join(str(part) for part in (path, one["line"], one["column"]) if part)
        print(f"{place}: {one['message']}", file=sys.stderr)
    print(f"goldevidencebench: {error}", file=sys.stderr)
