"""Asking an implementation, which may be anybody's code."""

from __future__ import annotations

from typing import Any

from evaluation.core import jsonl
from evaluation.core.errors import AdapterError
from evaluation.statebench.conformance.protocol import Implementation, Request


def ask(implementation: Implementation, request: Request) -> Any:
    """The answer as it reads after its way through JSON, so that in process and over HTTP are judged alike.

    Args:
        implementation: What is asked.
        request: The question.

    Returns:
        Whatever it answered.

    Raises:
        AdapterError: It failed, or what it answered cannot be written as JSON.
    """
    try:
        answer = implementation(request)
    except AdapterError:
        raise
    except Exception as error:  # anybody's code: whatever it does is its verdict
        raise AdapterError(f"the implementation raised {type(error).__name__}: {error}") from error
    try:
        return jsonl.parse(jsonl.dumps(answer))
    except TypeError as error:
        raise AdapterError(f"the answer cannot be written as JSON: {error}") from error
