"""What a run exchanged with its model about one row."""

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
    """The two turns that the model was asked with, before its chat template; of a long one beginning and end."""

    system: str
    user: str


class TokensOut(Schema):
    """Counts of the exchange; null where nobody counted. `cached` is part of `prompt`, `reasoning` of `completion`."""

    prompt: int | None
    completion: int | None
    reasoning: int | None
    cached: int | None


class TranscriptOut(Schema):
    """What a run of this site asked its model about a row, and what came back."""

    model_config = example(
        id="r3f9a0c1d27be",
        state="answered",
        prompt=None,
        prompt_problem="its prompt would be another one now",
        prompt_sha256="5f2c…",
        reply='{"value": "teal-0123", "support_ids": ["U1A2B3C"]}',
        reasoning_chars=0,
        finish_reason="stop",
        tokens={"prompt": 5120, "completion": 31, "reasoning": None, "cached": 4980},
        latency_ms=812.4,
        model="qwen2.5-7b-q4_k_m.gguf",
        fingerprint="",
    )

    id: str
    query_idx: int | None = Field(None, description="Of a timeline: which query.")
    state: str = Field(description="`answered`, `abstained`, or why there is no answer.")
    prompt: PromptOut | None = Field(
        description="Made anew from the row; null where it would be another one now."
    )
    prompt_problem: str = Field(description="Why the prompt is null; else empty.")
    prompt_sha256: str = Field(description="Of the JSON list of the two turns.")
    reply: str = Field(description="As the model wrote it, up to 64 kB.")
    reasoning: str | None = Field(
        None, description="What the server sent beside it; null: only its length is kept."
    )
    reasoning_chars: int
    cut: list[str] = Field(default_factory=list, description="Which of reply and reasoning were longer.")
    finish_reason: str
    tokens: TokensOut
    latency_ms: float | None
    model: str = Field(description="As the server calls it.")
    fingerprint: str
    problem: str | None = Field(None, description="Why no reply came.")


class RowId(Schema):
    row: Annotated[
        Words, Field(max_length=200, description="The row's id; of a timeline's query `TIMELINE#0`.")
    ]


@router.get(
    "/{uuid:id}/transcript",
    operation_id="leaderboard_api_transcripts_get_transcript",
    response=TranscriptOut,
    exclude_none=False,
    summary="What a model was asked about a row, and what it replied",
    openapi_extra=problems(403),
)
def get_transcript(request: HttpRequest, id: UUID, requested: Query[RowId]) -> Any:
    """Of submissions that a run of this site made with a model. Of a sealed version nobody sees them; 404 where no
    transcript is kept.
    """
    submission = Submission.objects.get_visible(request.user, id)
    if reason := transcripts.why_withheld(submission, request.user):
        raise ProblemError(403, "transcripts-withheld", reason)
    line = transcripts.find(submission, {requested.row}).get(requested.row)
    if line is None:
        raise Http404
    found = prompts.shown_prompt(submission, line)
    prompt = found and {"system": found.system, "user": found.user}
    return {**line, "prompt": prompt, "prompt_problem": "" if found else prompts.NOT_SHOWN}
