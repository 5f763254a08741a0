"""Content-addressed files."""

from __future__ import annotations

import gzip
import hashlib

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from leaderboard import storage


def test_a_file_has_the_same_name_packed_and_plain(tmp_path):
    plain, packed = tmp_path / "a.jsonl", tmp_path / "a.jsonl.gz"
    plain.write_bytes(b'{"id": "1"}\n')
    packed.write_bytes(gzip.compress(b'{"id": "1"}\n'))
    assert storage.keep(plain) == storage.keep(packed)


def test_nothing_is_stored_when_writing_fails():
    def write_half() -> None:
        with storage.writing() as writer:
            writer.write(b"half a fi")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_half()
    assert not storage.exists(hashlib.sha256(b"half a fi").hexdigest())


@examples(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.dictionaries(st.text(max_size=5), st.integers(-(2**53), 2**53)), max_size=20))
def test_rows_come_back_as_they_were_written(rows):
    with storage.writing() as writer:
        for row in rows:
            writer.write_row(row)
    assert list(storage.rows(writer.sha256)) == rows


def test_a_changed_file_is_refused(settings):
    with storage.writing() as writer:
        writer.write_row({"id": 1})
    path = settings.STORAGES["artifacts"]["OPTIONS"]["location"] / storage.name_of(writer.sha256)
    path.chmod(0o600)
    path.write_bytes(gzip.compress(b'{"id": 2}\n'))
    with pytest.raises(storage.DamagedFileError, match="does not match"):
        storage.verify(writer.sha256)


def test_a_missing_file_is_named():
    with pytest.raises(storage.DamagedFileError, match="missing"):
        storage.open_packed("0" * 64)
