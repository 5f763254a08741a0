"""Celery's broker in a folder, with messages written atomically: reading a half-written message would kill a worker."""

from __future__ import annotations

import os
import tempfile
import time
import uuid
from typing import Any

from kombu.transport import filesystem
from kombu.utils.json import dumps


class Channel(filesystem.Channel):
    """Writes each message to a temporary file and then renames it, so that no worker reads half a message."""

    def _put(self, queue: str, payload: Any, **options: Any) -> None:  # type: ignore[override] # as its parent names it
        name = f"{round(time.monotonic() * 1000)}_{uuid.uuid4()}.{queue}.msg"
        with tempfile.NamedTemporaryFile(
            "w", dir=self.data_folder_out, prefix="unfinished-", delete=False
        ) as file:
            file.write(dumps(payload))
        os.replace(file.name, os.path.join(self.data_folder_out, name))


class Transport(filesystem.Transport):
    Channel = Channel
