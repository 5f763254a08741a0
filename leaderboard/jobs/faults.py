"""Faults that pass by themselves: a full disk, a storage or a database that is away for a while.

Work that meets one waits and is tried again, however long that takes: it is no fault of the file, costs nobody a quota
and is never a score of 0. A file that holds something else than its name says is no such fault.
"""

from __future__ import annotations

import errno
import gzip

from django.db import InterfaceError, OperationalError

DATABASE = "the database is not reachable"
STORAGE = "the storage is not reachable"
FULL = "the disk is full"
MISSING = "a file of this site is not where it belongs"
#: What the clients of buckets, caches and brokers raise; none of these packages has to be installed.
CLIENTS = {"botocore", "boto3", "s3transfer", "urllib3", "redis", "kombu"}


class PassingError(Exception):
    """A fault that says itself that it passes; `reason` is what is in the way."""

    reason = MISSING


def passing(error: BaseException | None) -> str:
    """What is in the way, where it may pass by itself, in words for the owner of the work; else empty."""
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
    if isinstance(error, gzip.BadGzipFile):  # an OSError by birth, and a damaged file
        return ""
    if isinstance(error, OSError):
        return FULL if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) else STORAGE
    return STORAGE if type(error).__module__.partition(".")[0] in CLIENTS else ""
