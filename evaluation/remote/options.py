"""Options and output shared by the commands that talk to a site."""

from __future__ import annotations

import argparse
import time
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from evaluation.core.checks import Problem
from evaluation.core.diagnosis import grouped
from evaluation.core.terminal.output import print_error, print_json
from evaluation.core.terminal.wording import number_of
from evaluation.remote import credentials
from evaluation.remote.client import REFUSED, Client, ClientError

if TYPE_CHECKING:
    from rich.progress import Progress

    from evaluation.remote.records import Figure, Submission

PENDING = ("queued", "grading")
POLL_SECONDS = 1.0


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--server",
        metavar="URL",
        help="URL of the site (default: $GOLDEVIDENCEBENCH_URL, else the site of the last login)",
    )


def connect(args: argparse.Namespace) -> Client:
    url = credentials.server(args.server)
    return Client(url, credentials.token(url))


def bar(*columns: Any) -> Progress:
    """A progress bar on standard error, drawn only on a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    console = Console(stderr=True)
    shown = (TextColumn("{task.description}", markup=False), BarColumn(), *columns)
    return Progress(*shown, console=console, transient=True, disable=not console.is_terminal)


def wait(client: Client, submission_id: str, *, seconds: float) -> Submission:
    """Follow a submission until it is graded, failed or withdrawn. Raises ClientError after `seconds`."""
    from rich.progress import TextColumn

    from evaluation.remote.records import Submission

    deadline = time.monotonic() + seconds
    with bar(TextColumn("{task.percentage:.0f}%")) as progress:
        task = progress.add_task("queued", total=100)
        while True:
            submission = client.get(f"/submissions/{submission_id}", Submission)
            if submission.status not in PENDING:
                return submission
            progress.update(task, description=submission.status, completed=submission.progress)
            if time.monotonic() > deadline:
                reason = f" ({submission.error})" if submission.error else ""
                raise ClientError(
                    f"still {submission.status} after {seconds:.0f} s{reason}. Grading continues: {submission.url}"
                )
            time.sleep(POLL_SECONDS)


def describe(submission: Submission) -> str:
    text = f"{submission.system.name} on {submission.version}: {submission.status}"
    if submission.repeat:
        text += f", repeat {submission.repeat} of {submission.repeats}"
    if submission.headline is not None:
        text += f", {score(submission)}"
    if submission.error:
        text += f": {submission.error}"
    return "\n".join([text, *_outcome(submission), submission.url])


def score(submission: Submission) -> str:
    """The headline metric with its interval, plus the number of rows of a partial run. Empty before grading."""
    if submission.headline is None:
        return ""
    trial = submission.trial
    over = f", a trial over {trial.rows:,} of {trial.of:,} rows" if trial else ""
    return f"{interval(submission.headline)}{over}"


def _outcome(submission: Submission) -> list[str]:
    """Texts about the rank and the failed requirements. Empty for a run over a part of the rows, or an older site."""
    if submission.trial is not None:
        return []
    failed = [gate for gate in submission.gates if gate.state == "fail"]
    unmet = [f"requirement not met: {gate.help}" for gate in failed]
    if submission.held_back:
        return [submission.held_back, *unmet]
    at = submission.standing
    if at is None:
        return unmet
    if at.rank is None:
        return [f"on the board, not ranked: {at.reason}", *unmet] if at.reason else unmet
    between = f"{at.low}–{at.high}" if at.low != at.high else f"{at.rank}"
    between = f"({between})" if failed else between
    tied = f", tied with {number_of(at.sharing - 1, 'other')}" if at.sharing > 1 else ""
    return [f"on the board: rank {between} of {at.among}{tied}", *unmet]


def interval(figure: Figure) -> str:
    """A metric as text: `0.9200 [0.8800, 0.9500]`, or `not reported`."""
    return bounded(figure.value, figure.low, figure.high)


def bounded(value: float | None, low: float | None, high: float | None) -> str:
    """A number with its interval as text: `0.9200 [0.8800, 0.9500]`. Without `low` or `high`, only the number."""
    if value is None:
        return "not reported"
    text = f"{value:.4f}"
    return text if low is None or high is None else f"{text} [{low:.4f}, {high:.4f}]"


def print_refusal(path: str, error: ClientError, *, as_json: bool) -> None:
    """Print why the site refused a file, as text or JSON. Raises `error` again if it is not a refusal."""
    if error.status != REFUSED:
        raise error
    if as_json:
        print_json(error.problem)
    else:
        print_problems(path, error)


def print_problems(path: str, error: ClientError) -> None:
    """Print the problems of a refused file, in the format of `goldevidencebench validate`."""
    known = {field.name for field in fields(Problem)}
    told = error.problem.get("problems", [])
    for group in grouped(Problem(**{name: one[name] for name in known & one.keys()}) for one in told):
        print_error(group.sentence(path))
    print_error(f"goldevidencebench: {error}")
