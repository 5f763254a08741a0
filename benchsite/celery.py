"""The Celery application. Settings come from Django's, with the prefix CELERY_."""

from __future__ import annotations

import os

from celery import Celery
from kombu.transport import TRANSPORT_ALIASES

TRANSPORT_ALIASES["filesystem"] = "benchsite.broker:Transport"
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
app = Celery("benchsite")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
