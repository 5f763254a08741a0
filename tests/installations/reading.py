"""Reading a running site over HTTP, as a script does: figures, ranks, states and counts.

Nothing of the project is imported here, so that the same reader works on an old release and the present one. A
submission made by a run of the site is called `run:<id of the run>`, as it may not exist yet when a record is begun;
every other one is called by its own id.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import httpx2

Record = dict[str, Any]
#: Of a board's row: where it stands. Apart from the figures, since ranking may change where figures stay.
RANKS = ("rank", "rank_low", "rank_high", "tied_with_next", "tie_group")
#: When a run sent its submission in says nothing of an installation whose runs are still to end.
MOMENT = "submitted"
#: Sections whose values are lists of texts under the names of columns, which stand under this key.
COLUMNS = "columns"
#: Of a board's row: what it is ranked by. Its other figures are those of the submission.
HEADLINE = ("headline", "headline_low", "headline_high", "tie_breaker", "tokens_per_query", "attempts")
STATES = ("version", "source", "verified", "visibility", "status", "shown", "rows", "conditions")
STATES += ("submitter", "note", "revision", "error", "tokens_per_query")
#: What lists say of it since releases have it.
LISTED = ("headline", "row_states", "repeats", "repeat", "repeats_graded", "run_sd", "statistics")
TIMES = ("created_at", "graded_at", "withdrawn_at")
#: Accounts that read their own submissions.
OWNERS = ("ada", "ben", "mia")
COMPARED = ("differences", "conditions", "rows")
VERSION = ("title", "status", "featured", "grader", "sha256", "rows_sha256", "rows", "units", "conditions")
#: What a version says of itself since releases have it.
OF_VERSION = ("figure_step", "uploads", "twin", "twin_of")
SYSTEM = ("name", "kind", "parameters", "quantization", "description", "link")
RUN = ("version", "executor", "model", "settings", "conditions", "row_limit")
RUN += ("status", "rows_done", "rows_total", "error")
REPORT = ("implementation", "verified", "conforms", "requirements_passed", "requirements_total", "failed")
REPORT += ("not_run", "vectors_passed", "vectors_total", "vectors_expected", "vectors_missing")
REPORT += ("vectors_sha256",)
BENCH = ("suite", "name", "executor", "size", "status", "cells_done", "cells_total", "bars", "error")
#: Of a board's row: why it has no rank.
UNRANKED = ("not_ranked", "reference", "entry")
#: What a board's page says before its table, and to those who link to it.
SENTENCES = {
    "who leads": re.compile(r'<p class="who-leads">(.*?)</p>', re.DOTALL),
    "description": re.compile(r'<meta name="description" content="(.*?)"', re.DOTALL),
}
#: A run's history names the machine of its worker, which differs from machine to machine.
WORKER = re.compile(r" on \S+")


class Api:
    """A site's API, with a token."""

    def __init__(self, url: str, token: str) -> None:
        self._http = httpx2.Client(base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=60)

    def __enter__(self) -> Api:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def fetch(self, address: str, **query: Any) -> httpx2.Response:
        """The answer at an address. Raises AssertionError unless it is 200."""
        answer = self._http.get(address, params=query or None)
        assert answer.status_code == 200, f"{address} answered {answer.status_code}: {answer.text[:300]}"
        return answer

    def get(self, path: str, **query: Any) -> Any:
        """The JSON at a path of the API."""
        return self.fetch(f"/api/v1{path}", **query).json()

    def find(self, path: str, **query: Any) -> Any:
        """The JSON at a path of the API; None if this release or this reader has none."""
        answer = self._http.get(f"/api/v1{path}", params=query or None)
        return None if answer.status_code == 404 else self.get(path, **query)

    def items(self, path: str, **query: Any) -> list[Record]:
        """All items of a list, page by page."""
        page = self.get(path, limit=100, **query)
        result: list[Record] = page["items"]
        while page["next"]:
            page = self.fetch(page["next"]).json()
            result += page["items"]
        return result


def read(url: str, token: str, owners: Mapping[str, str]) -> Record:
    """Everything that staff can read of a site's results, and that accounts can read of their own submissions.

    Args:
        url: Address of the site.
        token: Token with the scopes read and staff.
        owners: Name of an account -> its token; other names are left out.
    """
    with Api(url, token) as api, ThreadPoolExecutor(4) as pool:

        def each(read_one: Callable[[Api, Any], Any], keys: Iterable[str]) -> Record:
            """The result for each key, a few at once."""
            listed = list(keys)
            return dict(zip(listed, pool.map(partial(read_one, api), listed), strict=True))

        runs, submissions = api.items("/runs"), api.items("/submissions")
        names = _names(runs, submissions)
        graded = [one["id"] for one in submissions if one["grader"]]
        sent = [pk for pk in graded if names[pk] == pk]
        means = {
            one["id"] for one in submissions if one["source"] == "mean"
        }  # which have no rows of their own
        versions = [one["id"] for one in api.items("/versions")]
        boards = each(partial(_boards, names), versions)
        return {
            "versions": each(_version, versions),
            "systems": each(_system, map(_address, api.items("/systems"))),
            "submissions": {names[one["id"]]: _submission(one) for one in submissions},
            "times": {one["id"]: _picked(one, TIMES) for one in submissions if names[one["id"]] == one["id"]},
            "events": _renamed(each(_events, names), names),
            "figures": _renamed(each(_figures, graded), names),
            "groups": each(_groups, sent),
            "verdicts": each(_verdicts, [pk for pk in sent if pk not in means]),
            "boards": {version: item["figures"] for version, item in boards.items()},
            "ranks": {version: item["ranks"] for version, item in boards.items()},
            "exports": each(partial(_export, names), versions),
            "comparisons": each(partial(_comparison, names), versions),
            "conformance": each(_report, [str(one["id"]) for one in api.items("/conformance")]),
            "runs": {one["id"]: _run(one) for one in runs},
            "benches": {one["id"]: _bench(one) for one in _if_there(api, "/benches")},
            "standings": {version: item["standings"] for version, item in boards.items()},
            "measures": each(partial(_measures, names), versions),
            "sentences": each(_sentences, versions),
            "owners": _of_owners(url, {name: owners[name] for name in OWNERS if name in owners}),
        }


def _if_there(api: Api, path: str) -> list[Record]:
    return api.items(path) if api.find(path) else []


def _of_owners(url: str, tokens: Mapping[str, str]) -> Record:
    """The figures that its owner sees of each submission."""
    collected: Record = {}
    for token in tokens.values():
        with Api(url, token) as api:
            own = [one["id"] for one in api.items("/submissions", mine="true") if one["grader"]]
            collected |= {pk: {"figures": _reported(api, pk), "groups": _groups(api, pk)} for pk in own}
    return collected


def _reported(api: Api, submission: str) -> Record:
    """The newest reported figures, by metric."""
    result = api.get(f"/submissions/{submission}/metrics")["metrics"]
    return {one["name"]: one["value"] for one in result if one["value"] is not None}


def _names(runs: list[Record], submissions: list[Record]) -> dict[str, str]:
    """The id of each submission -> its name in the record."""
    of_runs = {run["submission"]: f"run:{run['id']}" for run in runs if run["submission"]}
    return {one["id"]: of_runs.get(one["id"], one["id"]) for one in submissions}


def _renamed(record: Record, names: dict[str, str]) -> Record:
    return {names[key]: value for key, value in record.items()}


def _picked(record: Record, names: Iterable[str]) -> Record:
    return {name: record[name] for name in names}


def _there(record: Record, names: Iterable[str]) -> Record:
    return {name: record[name] for name in names if name in record}


def _address(system: Record) -> str:
    return f"{system['owner']}/{system['slug']}"


def _version(api: Api, version: str) -> Record:
    result = api.get(f"/versions/{version}")
    more = _there(result, OF_VERSION) | {"attacks": _attacks(result.get("attacks") or {})}
    more |= {
        name: result[name][part]
        for name, part in (("headline", "name"), ("answers", "state"))
        if name in result
    }
    return _picked(result, VERSION) | more


def _attacks(report: Record) -> Record:
    """The figures of attackers by metric, and whether they are above their ceiling."""
    return {
        attacker["name"]: {one["metric"]: [one["value"], one["above"]] for one in attacker["scores"]}
        for attacker in report.get("attackers", ())
    }


def _system(api: Api, system: str) -> Record:
    result = api.get(f"/systems/{system}")
    attempts = {one["version"]: [one["graded"], one["withdrawn"]] for one in result["attempts"]}
    return _picked(result, SYSTEM) | {"attempts": attempts}


def _submission(record: Record) -> Record:
    gates = {gate["letter"]: gate["state"] for gate in record["gates"]}
    more = {"system": _address(record["system"]), "flags": [flag["code"] for flag in record["flags"]]}
    return _picked(record, STATES) | _there(record, LISTED) | more | {"gates": gates}


def _events(api: Api, submission: str) -> list[list[Any]]:
    result = api.get(f"/submissions/{submission}/events")
    return [[event["kind"], event["detail"], event["actor"]] for event in result]


def _figures(api: Api, submission: str) -> Record:
    """The figures of every revision: `[value, low, high]` by metric, and rows by failure."""
    path = f"/submissions/{submission}/metrics"
    numbers = sorted(one["revision"] for one in api.get(path)["revisions"])
    return {str(number): _revision(api.get(path, revision=number)) for number in numbers}


def _revision(record: Record) -> Record:
    metrics = {one["name"]: [one["value"], one["low"], one["high"]] for one in record["metrics"]}
    return {"grader": record["grader"], "metrics": metrics, "failures": record["failures"]}


def _groups(api: Api, submission: str) -> Record:
    """The reported figures of groups of rows, by `grouping=group`."""
    return {
        f"{grouping}={name}": {
            metric: one["value"] for metric, one in group.items() if one["value"] is not None
        }
        for grouping, members in api.get(f"/submissions/{submission}/metrics")["groups"].items()
        for name, group in members.items()
    }


def _verdicts(api: Api, submission: str) -> Record:
    """The number of verdicts by outcome, and the first of each whole, with the id of its question."""
    path = f"/submissions/{submission}/rows"
    labels = Counter(row["label"] for row in api.items(path))
    first = api.get(path, limit=1, questions="true")["items"][0]
    question = first.pop("row")
    return {"labels": labels, "first": first, "question": question["id"]}


def _boards(names: dict[str, str], api: Api, version: str) -> Record:
    """The whole board, and by `facet=part` the board of every part of its rows."""
    whole = api.get(f"/leaderboard/{version}", limit=100)
    parts = [(facet, part) for facet, parts in whole["facets"].items() for part in parts]
    pages = {f"{facet}={part}": {facet: part} for facet, part in parts}
    boards = {name: api.get(f"/leaderboard/{version}", limit=100, **part) for name, part in pages.items()}
    boards = {"all": whole} | boards
    return {
        "figures": {name: _rows(board, names, HEADLINE) for name, board in boards.items()},
        "ranks": {name: _rows(board, names, RANKS) for name, board in boards.items()},
        "standings": {name: _standings(board, names) for name, board in boards.items()},
    }


def _rows(board: Record, names: dict[str, str], columns: Iterable[str]) -> Record:
    return {names[row["submission"]]: [row[name] for name in columns] for row in board["items"]}


def _standings(board: Record, names: dict[str, str]) -> Record:
    """The statements above a board, and why unranked systems have no rank."""
    unranked = {names[row["submission"]]: _there(row, UNRANKED) for row in board["items"]}
    return _there(board, ("summary", "total")) | {"unranked": unranked}


def _measures(names: dict[str, str], api: Api, version: str) -> Record:
    """The measures of the contexts of unranked strategies."""
    result = api.find(f"/leaderboard/{version}/measures") or {"items": []}
    return {
        f"{names.get(str(one.pop('submission', '')), '')}/{one.get('budget', '')}": one
        for one in result["items"]
    }


def _sentences(api: Api, version: str) -> Record:
    """The sentences on the page of a board."""
    page = api.fetch(f"/boards/{version}/").text
    return {name: " ".join(" ".join(found.findall(page)).split()) for name, found in SENTENCES.items()}


def _export(names: dict[str, str], api: Api, version: str) -> Record:
    """The board's CSV as texts, by submission; without the ranks, which are recorded separately."""
    lines = list(csv.DictReader(io.StringIO(api.fetch(f"/boards/{version}/export.csv").text)))
    apart = ("submission", MOMENT, *RANKS)
    columns = [name for name in lines[0] if name not in apart] if lines else []
    rows = {names[line["submission"]]: [line[name] for name in columns] for line in lines}
    return {COLUMNS: columns, **rows}


def _comparison(names: dict[str, str], api: Api, version: str) -> Record:
    """The comparison of the first two of a board, in the order of their names here: the tables as texts."""
    shown = [row["submission"] for row in api.get(f"/leaderboard/{version}", limit=100)["items"]]
    two = sorted(shown, key=lambda pk: names[pk])[:2]
    if len(two) < 2:
        return {}
    result = {table: api.fetch(f"/compare/{table}.csv", s=two).text for table in COMPARED}
    lines = {table: list(csv.reader(io.StringIO(text))) for table, text in result.items()}
    return {
        table: {COLUMNS: heading[1:], **{row[0]: row[1:] for row in rows}}
        for table, (heading, *rows) in lines.items()
    }


def _report(api: Api, report: str) -> Record:
    result = api.get(f"/conformance/{report}")
    judged = {one["id"]: one["passed"] for one in result["requirements"]}
    return (
        _picked(result, REPORT)
        | {"system": result["system"] and _address(result["system"])}
        | {"requirements": judged}
    )


def _bench(record: Record) -> Record:
    events = [WORKER.sub(" on a worker", event["what"]) for event in record["events"]]
    return _picked(record, BENCH) | {"parts": [part["done"] for part in record["parts"]], "events": events}


def _run(record: Record) -> Record:
    events = [WORKER.sub(" on a worker", event["what"]) for event in record["events"]]
    return _picked(record, RUN) | {"events": events}
