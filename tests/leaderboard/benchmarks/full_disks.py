"""Disks and buckets that store less than they are given, for tests of storage."""

from __future__ import annotations

import os
import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage, InMemoryStorage

HERE = "tests.leaderboard.benchmarks.full_disks"


@contextmanager
def no_file_longer_than(limit: int) -> Iterator[None]:
    """The kernel lets this process write no file beyond `limit` bytes: a write fails as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


class CrampedDisk(FileSystemStorage):
    """Files on disk whose first `ROOM` bytes alone can be written."""

    ROOM = 100

    def _save(self, name: str, content: Any) -> str:
        with no_file_longer_than(self.ROOM):
            return super()._save(name, content)


class Bucket(InMemoryStorage):
    """A bucket: a file appears under its name at once, and replaces an earlier one."""

    def get_available_name(self, name: str, max_length: int | None = None) -> str:
        return name

    def _save(self, name: str, content: Any) -> str:
        if self.exists(name):
            self.delete(name)
        return super()._save(name, content)


class ForgetfulBucket(Bucket):
    """A bucket that silently stores half of a file."""

    def _save(self, name: str, content: Any) -> str:
        data = content.read()
        return super()._save(name, ContentFile(data[: len(data) // 2]))


class AnotherName(InMemoryStorage):
    """A storage that never replaces a file: a second one gets another name."""


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """A real file system of `size` in a folder; skips the test where none can be mounted."""
    folder.mkdir(parents=True, exist_ok=True)
    words = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    try:
        made = subprocess.run(words, capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip("this machine has no mount: the same is tested with a limit of the kernel")
    if made.returncode:
        pytest.skip(
            f"no disk can be mounted here ({made.stderr.strip()}): a limit of the kernel tests the same"
        )
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def grow(folder: Path, size: str) -> None:
    """Make room on a small disk."""
    subprocess.run(["mount", "-o", f"remount,size={size}", str(folder)], check=True)


def noise(size: int) -> bytes:
    """Bytes that cannot be compressed."""
    return os.urandom(size)
