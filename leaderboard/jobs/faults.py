"""Temporary faults of the platform, such as a full disk: jobs wait and are retried, and never get the score 0."""

from __future__ import annotations

import errno
import gzip

from django.db import InterfaceError, OperationalError

DATABASE = "the database is not reachable"
STORAGE = "the storage is not reachable"
FULL = "the disk is full"
MISSING = "a file of this site is missing"
#: Labels in the counters of `jobs.numbers`.
LABELS = {DATABASE: "database", STORAGE: "storage", FULL: "disk", MISSING: "file"}
#: Packages whose errors count as storage faults. Matched by name: none has to be installed.
CLIENTS = {"botocore", "boto3", "s3transfer", "urllib3", "redis", "kombu"}


class PassingError(Exception):
    """Base class of the site's own temporary faults; `reason` goes into the message to the job's owner."""

    reason = MISSING


def passing(error: BaseException | None) -> str:
    """The reason of a temporary fault, for the job's owner; empty for other errors."""
    while error is not None:
        if reason := _reason(error):
            return reason
        error = error.__cause__
    return ""


def _reason(error: BaseException) -> str:
    if isinstance(error, PassingError):
        return error.reason
    if isinstance(error, (OperationalError, InterfaceError)):
        return DATABASE
    if isinstance(error, gzip.BadGzipFile):  # a subclass of OSError, but the file is damaged
        return ""
    if isinstance(error, OSError):
        return FULL if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) else STORAGE
    return STORAGE if type(error).__module__.partition(".")[0] in CLIENTS else ""
