"""Recognise files that are not predictions, by field names: output of other tools, and our own reports."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from evaluation.core.checks import Finding

ONE_A_LINE = "one JSON object on each line (JSON Lines)"
CONVERT = "`goldevidencebench convert` turns it into predictions"


class Output(NamedTuple):
    """A kind of output file of another tool, recognised by a JSON object that has all of these `fields`."""

    code: str
    what: str
    fields: tuple[str, ...]
    advice: str


#: The first match counts. Field names come from the tools' documentation and sources.
OUTPUTS = (
    Output("lm_eval_samples", "samples of lm-evaluation-harness", ("doc_id", "resps"),
           CONVERT),
    Output("lm_eval_results", "results of lm-evaluation-harness", ("results", "versions", "n-shot"),
           "It contains scores and no answers; with --log_samples the harness writes the replies as well"),
    Output("lm_eval_results", "results of lm-evaluation-harness", ("results", "configs", "versions"),
           "It contains scores and no answers; with --log_samples the harness writes the replies as well"),
    Output("inspect_log", "a log of inspect_ai", ("version", "status", "eval"),
           CONVERT),
    Output("inspect_samples", "samples of inspect_ai", ("epoch", "input", "target", "messages"),
           CONVERT),
    Output("batch_output", "the output of a batch of OpenAI's API", ("custom_id", "response"),
           CONVERT),
    Output("batch_output", "the output of a batch of Anthropic's API", ("custom_id", "result"),
           CONVERT),
    Output("batch_input", "the requests of a batch, and not its output", ("custom_id", "method", "body"),
           "Send the batch's output, converted with `goldevidencebench convert`"),
    Output("helm", "a run of HELM", ("adapter_spec", "request_states"),
           "The model's replies are in 'request_states', under result.completions"),
    Output("helm", "a specification of a run of HELM", ("adapter_spec", "scenario_spec"),
           "It contains no answers: they are in scenario_state.json"),
    Output("helm", "predictions of HELM", ("instance_id", "predicted_text"),
           "The model's replies are in 'predicted_text'"),
    Output("helm", "statistics of HELM", ("name", "count", "sum_squared"),
           "It contains scores and no answers: they are in scenario_state.json"),
    Output("helm", "statistics of HELM", ("instance_id", "stats"),
           "It contains scores and no answers: they are in scenario_state.json"),
    Output("promptfoo", "results of promptfoo", ("promptIdx", "testIdx"),
           "The model's replies are in response.output"),
    Output("promptfoo", "results of promptfoo", ("evalId", "results"),
           "The model's replies are in results.results, under response.output"),
    Output("promptfoo", "results of promptfoo", ("version", "timestamp", "results"),
           "The model's replies are under response.output"),
    Output("openai_evals", "a log of OpenAI's evals", ("run_id", "event_id"), "The model's replies are in 'data'"),
    Output("chat", "conversations for training", ("messages",), "Send the model's answers, one line for each row"),
    Output("notebook", "a Jupyter notebook", ("cells", "nbformat"), "Run it and send the file that it writes"),
    Output("statebench_results", "a result report of StateBench", ("overall_sfrr", "tracks"),
           "It contains scores and no answers: send the responses that were judged"),
    Output("statebench_results", "a result report of StateBench", ("baseline", "aggregate", "per_run"),
           "It contains scores and no answers: send the responses that were judged"),
    Output("statebench_results", "a leaderboard submission of StateBench", ("protocol_version", "per_seed_results"),
           "It contains scores and no answers: send the responses that were judged"),
    Output("own_results", "a report of `goldevidencebench state grade`", ("rubric", "metrics", "tracks"),
           "It contains scores and no answers: send the responses that it graded (--responses)"),
    Output("own_results", "a report of `goldevidencebench grade`", ("metrics", "intervals", "groups"),
           "It contains scores and no answers: send the predictions that it graded (--pred)"),
    Output("own_results", "the results of a run (--results-json)", ("row_states", "efficiency"),
           "It contains scores and no answers: send the predictions of the run (--out)"),
    Output("own_results", "the results of a run (--results-json)", ("efficiency", "metrics"),
           "It contains scores and no answers: send the predictions of the run (--out)"),
    Output("own_results", "the results of a run (--results-json)", ("baseline", "data", "protocols"),
           "It contains scores and no answers: send the predictions of the run (--out)"),
    Output("own_transcripts", "transcripts of a run", ("prompt_sha256", "reply"),
           "Send the predictions of the run, from the same folder"),
)  # fmt: skip
_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?|[{}\[\]]', re.DOTALL)


def recognise_text(text: str) -> Finding | None:
    """Recognise a tool by the beginning of its output: a JSON object or list of objects, truncated anywhere."""
    return recognise_fields(first_fields(text))


def recognise_lines(records: Sequence[Mapping[str, object]], share: float) -> Finding | None:
    """Recognise a tool if its output makes up at least a `share` of these records."""
    for output in OUTPUTS:
        if sum(all(name in record for name in output.fields) for record in records) >= share * len(records):
            return _finding(output)
    return None


def recognise_fields(names: Collection[str]) -> Finding | None:
    """Recognise a tool by the field names of one object in its output."""
    return next((_finding(one) for one in OUTPUTS if all(name in names for name in one.fields)), None)


def first_fields(text: str) -> set[str]:
    """Field names of the first JSON object in a text, which may be truncated."""
    start = text.find("{")
    if start < 0 or text[:start].strip(" \t\r\n[\ufeff"):
        return set()
    depth, names = 0, set[str]()
    for token in _TOKEN.finditer(text, start):
        if token[0] in ("{", "["):
            depth += 1
        elif token[0] in ("}", "]"):
            depth -= 1
            if not depth:
                break
        elif depth == 1 and token[2]:
            names.add(_unescaped(token[1]))
    return names


def _unescaped(name: str) -> str:
    try:
        return str(json.loads(f'"{name}"'))
    except ValueError:
        return name


def _finding(output: Output) -> Finding:
    named = ", ".join(repr(name) for name in output.fields)
    return Finding(
        output.code,
        f"This seems to be {output.what} ({named}). {output.advice}. A file of predictions is {ONE_A_LINE}, with the "
        "id of a row and its answer.",
    )
