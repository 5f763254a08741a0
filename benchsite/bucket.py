"""S3 storage that limits waiting: at most two threads of a process wait while the bucket does not respond."""

from __future__ import annotations

import threading
import time
from typing import Any

from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.exceptions import ConnectTimeoutError
from storages.backends.s3 import S3Storage

#: Timeouts of a connection and of each read; both are tried twice.
CONNECT_S, READ_S = 3, 10
#: Threads of a process that may wait for a response: two of its four stay free.
MOST_WAITING = 2
#: Longest wait of a further thread for its turn, counted from the start of the newest waiting thread.
PATIENCE_S = 1.0
#: Bounded operations. Uploads are excluded: their duration depends on their size.
READS = ("HeadObject", "GetObject")


class Waiting:
    """Counts the threads of this process that wait for the bucket, and limits their number."""

    def __init__(self) -> None:
        self._since: dict[int, float] = {}
        self._left = threading.Condition()

    def begin(self, **_: Any) -> None:
        """Register this thread. Raises ConnectTimeoutError if too many threads wait and none gets an answer in time."""
        with self._left:
            if not self._left.wait_for(lambda: len(self._since) < MOST_WAITING, self._patience()):
                raise ConnectTimeoutError(endpoint_url="the bucket, which does not respond")
            self._since[threading.get_ident()] = time.monotonic()

    def end(self, **_: Any) -> None:
        with self._left:
            self._since.pop(threading.get_ident(), None)
            self._left.notify()

    def _patience(self) -> float:
        newest = max(self._since.values(), default=time.monotonic())
        return max(0.0, newest + PATIENCE_S - time.monotonic())


class Bucket(S3Storage):
    """django-storages' S3 storage, with a limit on the number of threads that wait for the bucket."""

    waiting = Waiting()

    def __init__(self, **options: Any) -> None:
        retries = {"total_max_attempts": 2, "mode": "standard"}
        config = Config(connect_timeout=CONNECT_S, read_timeout=READ_S, retries=retries)
        # No helper threads and no retries: only the calling thread is counted as waiting.
        transfer = TransferConfig(use_threads=False, num_download_attempts=1)
        super().__init__(client_config=config, transfer_config=transfer, **options)

    @property
    def connection(self) -> Any:
        """The client, with hooks that register waiting threads."""
        is_new = getattr(self._connections, "connection", None) is None
        connection = super().connection
        if is_new:
            events = connection.meta.client.meta.events
            for read in READS:
                events.register(f"before-call.s3.{read}", self.waiting.begin)
                events.register(f"after-call.s3.{read}", self.waiting.end)
                events.register(f"after-call-error.s3.{read}", self.waiting.end)
        return connection
