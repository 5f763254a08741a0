"""Check a server before a run: does it know the model, is its context long enough, does its answer have the right form?

First we read the server's description of itself, which costs nothing: the list of models (`max_model_len` with vLLM),
`/props` of llama-server, `/api/show` and `/api/ps` of Ollama, `/api/v0/models` of LM Studio. Then we ask one small
question with all settings of the run, so that a refused setting is found before the first row.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from evaluation.adapters.replies import Reply
from evaluation.adapters.servers.failures import Meaning
from evaluation.adapters.servers.requests import (
    body_of,
    optional_in,
    refused_in,
    root_of,
    settings_in,
    without,
)
from evaluation.adapters.servers.server import Server
from evaluation.core.checks import nearest
from evaluation.core.errors import FORM_FAULTS, AdapterError
from evaluation.core.row_states import ADVICE, RowState

log = logging.getLogger(__name__)
NAME = "(the probe; probe=false leaves it out)"
_HTTP = ": HTTP "  # in a problem: it is a refusal, not an unreadable reply
MOST_SAID = 200  # characters of an unreadable answer
MOST_NAMED = 5  # models, in a message
#: `owned_by` in the list of models -> kind of server.
KINDS = {"llamacpp": "llama-server", "vllm": "vllm", "library": "ollama", "organization_owner": "lm_studio"}
GREATER = "Ollama: num_ctx, llama-server: -c, vLLM: --max-model-len, LM Studio: Context Length"


@dataclass(slots=True)
class Report:
    """Findings about a server. `context` is the server's limit in tokens, None if unknown."""

    kind: str = ""
    models: list[str] = field(default_factory=list)
    context: int | None = None
    state: str = ""  # of the answer
    said: str = ""  # the answer itself, if it is unreadable

    def as_dict(self, model: str) -> dict[str, object]:
        """The findings for a run's provenance. `model`: name of the model in the settings."""
        found: dict[str, object] = {"answer": self.state, **({"said": self.said} if self.said else {})}
        if self.kind:
            found["kind"] = self.kind
        if self.models:
            found["model_listed"] = is_listed(model, self.models)
        return found | ({"context": self.context} if self.context else {})


def probe(
    server: Server,
    system: str,
    user: str,
    constraint: Mapping[str, object],
    state_of: Callable[[Reply], RowState],
) -> Report:
    """Check a server, and ask it one small question with the settings of the run. Likely problems are logged.

    `state_of` returns the row state of the reply. Raises AdapterError with advice, and Stopped.
    """
    [(report, reply)] = server.results(lambda name: [_probed(server, system, user, constraint)], [NAME])
    state = state_of(reply)
    report.state = state.value
    if state in (RowState.UNREADABLE, RowState.CUT_OFF):
        report.said = _excerpt(reply.text)
    _warn(server, report)
    return report


def _probed(server: Server, system: str, user: str, constraint: Mapping[str, object]) -> tuple[Report, Reply]:
    """Check the server and ask the question. Runs in a thread, so that a stop need not wait for the server."""
    report = _looked_at(server)
    _check_context(server, report)
    try:
        reply = _asked(server, system, user, constraint)
    except AdapterError as error:
        raise AdapterError(f"{error}{_hint(server, report)}") from error
    if report.kind == "ollama" and server.settings.endpoint != "ollama":
        report.context = _loaded_context(server)  # known once the model is in memory
        _check_context(server, report)
    return report, reply


def _asked(server: Server, system: str, user: str, constraint: Mapping[str, object]) -> Reply:
    reply = server.ask(system, user, NAME, constraint)
    if reply.trouble is not RowState.ERROR:
        return reply
    problem = server.last_problem or "it broke off"
    body = body_of(server.settings, system, user, constraint)
    for names in _trials(server, body):
        server.leave_out(names)
        reply = server.ask(system, user, NAME, constraint)
        if reply.trouble is not RowState.ERROR:
            log.warning(
                "The server refuses %s: left out of all further requests. Its message: %s",
                " and ".join(names),
                problem,
            )
            return reply
    named = " and ".join(settings_in(problem))
    advice = f" The server's message names these settings: {named}." if named else ""
    raise AdapterError(f"the server does not answer a small test question: {problem}{advice}")


def _trials(server: Server, body: Mapping[str, object]) -> Iterator[list[str]]:
    """Yield lists of fields to leave out of a request: those that error messages name, then each alone, then all."""
    named: list[str] = []
    while server.last_meaning is Meaning.ROW:
        more = refused_in(server.last_problem, without(body, named))
        if not more:
            break
        named += more
        yield list(named)
    if server.last_meaning is Meaning.ROW and _HTTP in server.last_problem:
        parts = optional_in(body)
        yield from ([name] for name in parts if [name] != named)
        if parts != named:
            yield parts


def is_listed(model: str, models: list[str]) -> bool:
    """True if a server lists a model. A name without tag means `:latest`, as in Ollama."""
    return model in models or f"{model}:latest" in models


def _looked_at(server: Server) -> Report:
    settings = server.settings
    if settings.endpoint == "ollama":
        root = root_of(settings.base_url)
        names = [entry.get("name") for entry in _entries(server.look_up(f"{root}/api/tags"), "models")]
        shown = server.look_up(f"{root}/api/show", {"model": settings.model})
        return Report("ollama", [name for name in names if isinstance(name, str)], _trained_context(shown))
    entries = _entries(server.look_up("models"), "data")
    names = [entry.get("id") for entry in entries]
    report = Report(models=[name for name in names if isinstance(name, str)])
    for entry in entries:
        report.kind = report.kind or KINDS.get(str(entry.get("owned_by")), "")
    own = next((entry for entry in entries if entry.get("id") == settings.model), {})
    report.context = _number(own, "max_model_len", "context_length")
    if report.kind == "llama-server":
        props = server.look_up(f"{root_of(settings.base_url)}/props")
        report.context = _number(props.get("default_generation_settings"), "n_ctx")
    elif report.kind == "lm_studio":
        listed = _entries(server.look_up(f"{root_of(settings.base_url)}/api/v0/models"), "data")
        own = next((entry for entry in listed if entry.get("id") == settings.model), {})
        report.context = _number(own, "loaded_context_length", "max_context_length")
    return report


def _entries(data: Mapping[str, object], name: str) -> list[dict[str, object]]:
    entries = data.get(name)
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []


def _number(data: Any, *names: str) -> int | None:
    values = (data.get(name) for name in names) if isinstance(data, dict) else ()
    numbers = (value for value in values if isinstance(value, int) and not isinstance(value, bool))
    return next((number for number in numbers if number > 0), None)


def _trained_context(shown: Mapping[str, Any]) -> int | None:
    try:
        about: dict[str, object] = shown["model_info"]
        return _number(about, *(name for name in about if name.endswith(".context_length")))
    except FORM_FAULTS:
        return None


def _loaded_context(server: Server) -> int | None:
    running = _entries(server.look_up(f"{root_of(server.settings.base_url)}/api/ps"), "models")
    own = (entry for entry in running if is_listed(server.settings.model, [str(entry.get("name"))]))
    return _number(next(own, {}), "context_length")


def _check_context(server: Server, report: Report) -> None:
    wanted = server.settings.context
    if report.context is not None and report.context < wanted:
        raise AdapterError(
            f"the server's context is {report.context:,} tokens, but the setting `context` is {wanted:,}: long prompts"
            f" would be cut or refused. Give the server a larger one ({GREATER}), or set context={report.context}"
        )


def _hint(server: Server, report: Report) -> str:
    model = server.settings.model
    if not report.models or is_listed(model, report.models):
        return ""
    named = ", ".join(report.models[:MOST_NAMED]) + (", …" if len(report.models) > MOST_NAMED else "")
    return f" The server lists {named}, but not {model!r}: set model.{nearest(model, report.models)}"


def _excerpt(text: str) -> str:
    line = " ".join(text.split())
    line = "".join(letter for letter in line if letter.isprintable())
    return line[:MOST_SAID] + ("…" if len(line) > MOST_SAID else "")


def _warn(server: Server, report: Report) -> None:
    # likely problems do not stop a run, as a real question may do better
    if report.state in ADVICE:
        said = f" The server said: {report.said}" if report.said else ""
        log.warning(
            "The probe's answer was %s.%s %s",
            report.state.replace("_", " "),
            said,
            ADVICE[RowState(report.state)],
        )
    if hint := _hint(server, report):
        log.warning("The probe was answered, but the setting `model` may be wrong.%s", hint)
