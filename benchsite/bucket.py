"""The bucket that files lie in, which may hang: what asks it ends, and threads are left for pages.

A process has few threads. While a bucket says nothing, two of them wait for it, and any other that asks it is told
at once that it is away.
"""

from __future__ import annotations

import threading
import time
from typing import Any

from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.exceptions import ConnectTimeoutError
from storages.backends.s3 import S3Storage

#: How long a connection may take, and how long the bucket may say nothing; each is tried twice.
CONNECT_S, READ_S = 3, 10
#: How many threads of a process wait for the first word of an answer: two of four are left.
MOST_WAITING = 2
#: How long the next one waits for one of them, unless they have waited for so long already.
PATIENCE_S = 1.0
#: What is asked before anything else. What is sent to the bucket takes as long as it is large, and is not counted.
READS = ("HeadObject", "GetObject")


class Waiting:
    """The threads of a process that wait for the bucket's answer."""

    def __init__(self) -> None:
        self._since: dict[int, float] = {}
        self._left = threading.Condition()

    def begin(self, **_: Any) -> None:
        """Wait among the others. Raises ConnectTimeoutError where too many do and none is answered."""
        with self._left:
            if not self._left.wait_for(lambda: len(self._since) < MOST_WAITING, self._patience()):
                raise ConnectTimeoutError(endpoint_url="the bucket, which answers no other request")
            self._since[threading.get_ident()] = time.monotonic()

    def end(self, **_: Any) -> None:
        """The answer is there, or will not come."""
        with self._left:
            self._since.pop(threading.get_ident(), None)
            self._left.notify()

    def _patience(self) -> float:
        newest = max(self._since.values(), default=time.monotonic())
        return max(0.0, newest + PATIENCE_S - time.monotonic())


class Bucket(S3Storage):
    """django-storages' storage in a bucket, within bounds."""

    waiting = Waiting()

    def __init__(self, **options: Any) -> None:
        retries = {"total_max_attempts": 2, "mode": "standard"}
        config = Config(connect_timeout=CONNECT_S, read_timeout=READ_S, retries=retries)
        # In the caller's own thread, which is counted, and once.
        transfer = TransferConfig(use_threads=False, num_download_attempts=1)
        super().__init__(client_config=config, transfer_config=transfer, **options)

    @property
    def connection(self) -> Any:
        """The client, which says when it begins to wait and when it is answered."""
        is_new = getattr(self._connections, "connection", None) is None
        connection = super().connection
        if is_new:
            events = connection.meta.client.meta.events
            for read in READS:
                events.register(f"before-call.s3.{read}", self.waiting.begin)
                events.register(f"after-call.s3.{read}", self.waiting.end)
                events.register(f"after-call-error.s3.{read}", self.waiting.end)
        return connection
