"""The Celery application, configured by Django settings with the prefix CELERY_."""

from __future__ import annotations

import os
from typing import Any

from celery import Celery
from celery.signals import before_task_publish, task_postrun, task_prerun
from kombu.transport import TRANSPORT_ALIASES

from leaderboard.web import request_ids

TRANSPORT_ALIASES["filesystem"] = "benchsite.broker:Transport"
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
app = Celery("benchsite", task_cls="leaderboard.jobs.code:FittingTask")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@before_task_publish.connect
def send_request_id(headers: dict[str, Any], **_: Any) -> None:
    """Pass the id of the queueing request to the task."""
    headers[request_ids.HEADER] = request_ids.current.get()


@task_prerun.connect
def take_request_id(task: Any, **_: Any) -> None:
    """Set the request id for the task's log lines: the id sent with the message, else a new id."""
    request_ids.current.set(task.request.get(request_ids.HEADER) or request_ids.new())


@task_postrun.connect
def drop_request_id(**_: Any) -> None:
    request_ids.current.set("")
