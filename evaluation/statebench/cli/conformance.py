"""Commands `state conformance`, which checks an implementation of StateBench, and `state serve`, which serves one."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluation.core import jsonl
from evaluation.core.terminal.arguments import above_zero, port
from evaluation.core.terminal.output import print_json
from evaluation.core.terminal.wording import number_of

if TYPE_CHECKING:
    from evaluation.remote.records import Conformance
    from evaluation.statebench.conformance.requirements import Judged
    from evaluation.statebench.conformance.suite import Report

Arguments = argparse.Namespace
_NAMED = 3  # failed vectors listed per reason


def configure(parser: argparse.ArgumentParser) -> None:
    from evaluation.remote import options

    parser.add_argument("--vectors", help="a file of vectors (default: those of the package)")
    parser.add_argument(
        "--seed",
        type=_seed,
        metavar="N",
        help="seed of the generated timelines (default: random, and printed)",
    )
    parser.add_argument(
        "--timelines",
        type=_timelines,
        metavar="N",
        help="number of generated timelines (default 300; 0 with --vectors)",
    )
    parser.add_argument("--url", help="address of an implementation behind HTTP (default: ours, in process)")
    parser.add_argument(
        "--timeout",
        type=above_zero,
        default=30.0,
        metavar="S",
        help="seconds to wait for one answer over HTTP (default 30)",
    )
    parser.add_argument("--name", help="name of the implementation in the report (default: the address)")
    parser.add_argument("--results-json", metavar="FILE", help="write the report to FILE")
    parser.add_argument("--upload", action="store_true", help="send the report to the site")
    parser.add_argument("--system", help="with --upload: one of your systems, or the name of a new one")
    options.configure(parser)


def run(args: Arguments) -> int:
    """Return 0 if every vector passes, and 1 if a vector fails or the site refuses the report."""
    # Before the checks, which may run for minutes.
    _check_upload(args)
    report = _report(args)
    if args.results_json:
        jsonl.save(args.results_json, jsonl.dumps(report))
    if not args.json:
        _print_report(report)
    elif not args.upload:
        print_json(report)
    taken = _upload(args, report) if args.upload else True
    return 0 if taken and report["passed"] == report["total"] else 1


def _seed(text: str) -> int:
    from evaluation.statebench.conformance.model.running import read_seed

    try:
        return read_seed(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _timelines(text: str) -> int:
    from evaluation.statebench.conformance.model.running import MOST_TIMELINES

    if not text.isdecimal() or int(text) > MOST_TIMELINES:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 to {MOST_TIMELINES}")
    return int(text)


def _check_upload(args: Arguments) -> None:
    from evaluation.core.errors import BenchmarkError
    from evaluation.remote import credentials

    if args.upload and not args.system:
        raise BenchmarkError("--upload needs --system: one of your systems, or the name of a new one")
    if args.system and not args.upload:
        raise BenchmarkError("--system needs --upload, which sends the report to the site")
    if args.upload and not credentials.token(url := credentials.server(args.server)):
        raise BenchmarkError(f"no token for {url}: run `goldevidencebench login --server {url}` first")


def _report(args: Arguments) -> Report:
    from rich.progress import MofNCompleteColumn

    from evaluation.core.secrets import redact
    from evaluation.remote.options import bar
    from evaluation.statebench.conformance.checks.properties import PROPERTIES
    from evaluation.statebench.conformance.model.aspects import ASPECTS
    from evaluation.statebench.conformance.model.running import TIMELINES
    from evaluation.statebench.conformance.remote import over_http
    from evaluation.statebench.conformance.suite import OURS, Verdict, fingerprint, report, run_conformance
    from evaluation.statebench.conformance.vectors import builtin, read_vectors

    implementation = over_http(args.url, seconds=args.timeout) if args.url else None
    vectors = read_vectors(args.vectors) if args.vectors else builtin()
    timelines = args.timelines if args.timelines is not None else 0 if args.vectors else TIMELINES
    verdict_count = len(vectors) + len(PROPERTIES) + (len(ASPECTS) if timelines else 0)
    with bar(MofNCompleteColumn()) as progress:
        task = progress.add_task("asking", total=verdict_count)

        def watch(verdict: Verdict) -> None:
            progress.update(task, advance=1, description=verdict.name)

        verdicts = run_conformance(vectors, implementation, seed=args.seed, timelines=timelines, watch=watch)
    called = args.name or redact(args.url or "") or OURS
    return report(verdicts, implementation=called, vectors_sha256=fingerprint(vectors))


def _print_report(report: Report) -> None:
    from rich.console import Console
    from rich.table import Table

    from evaluation.statebench.conformance.requirements import credit

    shown = [row for row in report["requirements"] if row["passed"] is not None]
    table = Table("requirement", "", "verdict", "vectors")
    for row in shown:
        table.add_row(row["id"], row["text"], "pass" if row["passed"] else "FAIL", credit(row))
    Console().print(table)
    for reason, names in _failures(report["vectors"]).items():
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        print(_plain(f"{', '.join(names[:_NAMED])}{more}: {reason}"))
    passed = sum(row["passed"] is True for row in shown)
    print(
        f"{passed} of {len(shown)} requirements, {report['passed']} of {report['total']} vectors pass "
        f"(suite revision {report['suite_revision']}{_drawn(report)})"
    )
    if left := [row["id"] for row in report["requirements"] if row["passed"] is None]:
        print(f"not tested by these vectors: {', '.join(left)}")


def _drawn(report: Report) -> str:
    # Seed and count let the reader generate the same timelines again.
    if not report["timelines"]:
        return ""
    return f", {number_of(report['timelines'], 'timeline')} of seed {report['seed']}"


def _failures(vectors: Sequence[Judged]) -> dict[str, list[str]]:
    """Group the names of failed vectors by reason: one reason instead of fifty if a server is down."""
    reasons: dict[str, list[str]] = {}
    for vector in vectors:
        if not vector["passed"]:
            reasons.setdefault(vector["evidence"], []).append(vector["name"])
    return reasons


def _plain(text: str) -> str:
    """Join the text to one line without control characters, because third-party evidence goes to a terminal."""
    return "".join(one if one.isprintable() else "�" for one in " ".join(text.split()))


def _upload(args: Arguments, report: Report) -> bool:
    from evaluation.remote import options
    from evaluation.remote.client import ClientError
    from evaluation.remote.records import Conformance

    try:
        with options.connect(args) as client, tempfile.NamedTemporaryFile(suffix=".json") as file:
            file.write(jsonl.dumps(_slim(report)))
            file.flush()
            kept = client.post_file("/conformance", Path(file.name), Conformance, system=args.system)
    except ClientError as error:
        options.print_refusal("report", error, as_json=args.json)
        return False
    if args.json:
        print_json(kept.raw)
    else:
        print(f"{kept.system.name}: the site stored the report{_judged(kept)}\n{kept.url}")
    return True


def _judged(kept: Conformance) -> str:
    if not kept.vectors_missing:
        return ""
    return (
        f": {kept.requirements_passed} of {kept.requirements_total} requirements pass, "
        f"{kept.vectors_total} of {kept.vectors_expected} vectors were run"
    )


def _slim(report: Mapping[str, Any]) -> dict[str, object]:
    """The fields of a report that the site reads. Requirements are left out: the site judges them from the vectors."""
    read = ("name", "passed", "requirements", "failed", "evidence")
    vectors = [{name: row[name] for name in read} for row in report["vectors"]]
    header = ("implementation", "suite_revision", "vectors_sha256", "seed", "timelines")
    return {name: report[name] for name in header} | {"vectors": vectors}


def configure_serve(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (default 127.0.0.1)")
    parser.add_argument("--port", type=port, default=8801, help="the port (default 8801; 0 for a free one)")
    parser.add_argument(
        "--json", action="store_true", dest="url_as_json", help="print the address as one JSON document"
    )


def serve(args: Arguments) -> int:
    """Serve our implementation until interrupted."""
    from evaluation.statebench.conformance.remote import make_server

    server = make_server(args.host, args.port)
    url = f"http://{args.host}:{server.server_port}/"
    print(f"answering on {url}", file=sys.stderr)
    if args.url_as_json:  # now, as there is no end
        print(jsonl.dumps({"url": url}).decode(), flush=True)
    with server:
        server.serve_forever()
    return 0
