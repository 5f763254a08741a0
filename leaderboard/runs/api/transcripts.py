"""API of transcripts: the prompt that a run sent to its model for a row, and the reply."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from django.http import Http404, HttpRequest
from ninja import Field, Query, Router, Schema

from leaderboard.runs import prompts
from leaderboard.submissions import transcripts
from leaderboard.submissions.models import Submission
from leaderboard.web.api.fields import Words, example
from leaderboard.web.api.openapi import problems
from leaderboard.web.api.problems import ProblemError

router = Router(tags=["Submissions"])


class PromptOut(Schema):
    """The two turns sent to the model, without its chat template. Long turns are cut in the middle."""

    system: str = Field(description="The turn of the role `system`.")
    user: str = Field(description="The turn of the role `user`.")


class TokensOut(Schema):
    """Token counts; null if unknown. `cached` is part of `prompt`, and `reasoning` is part of `completion`."""

    prompt: int | None = Field(description="Tokens that were sent.")
    completion: int | None = Field(description="Tokens that the model wrote.")
    reasoning: int | None = Field(description="Completion tokens that are reasoning.")
    cached: int | None = Field(description="Sent tokens that the server took from its cache.")


class TranscriptOut(Schema):
    """Prompt and reply of a row."""

    model_config = example(
        id="r3f9a0c1d27be",
        state="answered",
        prompt=None,
        prompt_problem="the prompt would be different now",
        prompt_sha256="5f2c…",
        reply='{"value": "teal-0123", "support_ids": ["U1A2B3C"]}',
        reasoning_chars=0,
        finish_reason="stop",
        tokens={"prompt": 5120, "completion": 31, "reasoning": None, "cached": 4980},
        latency_ms=812.4,
        model="qwen2.5-7b-q4_k_m.gguf",
        fingerprint="",
    )

    id: str = Field(description="The row's id.")
    query_idx: int | None = Field(None, description="Number of the query, for rows of a timeline.")
    prediction: dict[str, Any] | None = Field(
        None, description="The prediction read from the reply; null in older runs."
    )
    state: str = Field(description="`answered`, `abstained`, or why there is no answer.")
    prompt: PromptOut | None = Field(
        description="Rebuilt from the row; null if it can no longer be rebuilt exactly."
    )
    prompt_problem: str = Field(description="Why the prompt is null; else empty.")
    prompt_sha256: str = Field(description="SHA-256 of the JSON list of the two turns.")
    reply: str = Field(description="The model's reply, up to 64 kB.")
    reasoning: str | None = Field(None, description="The model's reasoning; null: only its length is stored.")
    reasoning_chars: int = Field(description="Length of the reasoning, in characters.")
    cut: list[str] = Field(default_factory=list, description="Which of `reply` and `reasoning` are cut off.")
    finish_reason: str = Field(description="Why the model stopped, as reported by the server.")
    tokens: TokensOut = Field(description="Token counts of the exchange.")
    latency_ms: float | None = Field(description="Milliseconds until the reply; null: not measured.")
    model: str = Field(description="Name of the model, as reported by the server.")
    fingerprint: str = Field(description="The server's fingerprint of its build; empty: unknown.")
    problem: str | None = Field(None, description="Why there is no reply.")


class RowId(Schema):
    row: Annotated[
        Words, Field(max_length=200, description="Id of the row; for a query of a timeline `TIMELINE#0`.")
    ]


@router.get(
    "/{uuid:id}/transcript",
    response=TranscriptOut,
    exclude_none=False,
    summary="Prompt and reply of a model for one row",
    openapi_extra=problems(403),
)
def get_transcript(request: HttpRequest, id: UUID, requested: Query[RowId]) -> Any:
    """Return the transcript of a row of a run with a model. 403 for sealed versions; 404 if there is none."""
    submission = Submission.objects.get_visible(request.user, id)
    if reason := transcripts.why_withheld(submission, request.user):
        raise ProblemError(403, "transcripts-withheld", reason)
    line = transcripts.find(submission, {requested.row}).get(requested.row)
    if line is None:
        raise Http404
    found = prompts.shown_prompt(submission, line)
    prompt = found and {"system": found.system, "user": found.user}
    return {**line, "prompt": prompt, "prompt_problem": "" if found else prompts.NOT_SHOWN}
