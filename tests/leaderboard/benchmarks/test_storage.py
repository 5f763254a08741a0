"""Content-addressed files."""

from __future__ import annotations

import errno
import gzip
import hashlib

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from leaderboard.benchmarks import sources, storage
from tests.leaderboard.benchmarks import full_disks
from tests.leaderboard.benchmarks.full_disks import noise
from tests.leaderboard.benchmarks.stored import names, path_of, stored


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


@pytest.fixture
def files(settings):
    """Chooses the storage of the site's files."""

    def choose(backend, **options):
        settings.STORAGES = settings.STORAGES | {
            "artifacts": {"BACKEND": f"{full_disks.HERE}.{backend}", "OPTIONS": options}
        }
        return storages["artifacts"]

    return choose


@pytest.mark.parametrize("left", [0, 1, 20, -1])
def test_a_torn_file_under_its_final_name_is_written_again(left):
    data = noise(5000)
    name = stored(data)
    whole = path_of(name).read_bytes()
    path_of(name).write_bytes(whole[:left])
    with pytest.raises(storage.DamagedFileError):
        storage.verify(name)
    assert stored(data) == name
    assert b"".join(storage.lines(name)) == data
    assert names() == [f"{name}.jsonl.gz"]


def test_what_is_there_and_whole_is_not_written_again():
    name = stored(b"a\n")
    before = path_of(name).stat()
    assert stored(b"a\n") == name
    assert path_of(name).stat().st_ino == before.st_ino


@examples(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(min_size=1, max_size=3000), st.floats(0, 1, exclude_max=True), st.booleans())
def test_no_cut_and_no_changed_byte_is_ever_taken_for_the_file(data, share, changed):
    name = stored(data)
    whole = path_of(name).read_bytes()
    cut = int(share * len(whole))
    rest = bytes([whole[cut] ^ 255]) + whole[cut + 1 :] if changed else b""
    path_of(name).write_bytes(whole[:cut] + rest)
    try:
        storage.verify(name)  # a byte of the gzip header that means nothing
    except storage.DamagedFileError:
        assert stored(data) == name
    assert b"".join(storage.lines(name)) == data
    path_of(name).unlink()


def test_a_write_that_the_kernel_refuses_leaves_nothing_under_any_name(files, tmp_path):
    files("CrampedDisk", location=tmp_path / "disk")
    data = noise(5000)
    with pytest.raises(OSError, match="too large"):
        stored(data)
    assert not storage.exists(hashlib.sha256(data).hexdigest())
    assert names() == []


def test_a_full_disk_leaves_nothing_under_any_name_and_room_mends_it(files, tmp_path):
    with full_disks.small_disk(tmp_path / "disk", "64k") as disk:
        files("FileSystemStorage", location=disk)
        data = noise(200_000)
        with pytest.raises(OSError, match="No space left"):
            stored(data)
        assert names() == []
        full_disks.grow(disk, "1m")
        storage.verify(stored(data))


def test_a_full_disk_does_not_cost_the_file_that_stands_there_already(files, tmp_path):
    name = stored(noise(300))
    damaged = path_of(name).read_bytes()[:-3]
    files("CrampedDisk", location=tmp_path / "disk")
    path_of(name).parent.mkdir(parents=True)
    path_of(name).write_bytes(damaged)
    keep = path_of(name).read_bytes()
    with pytest.raises(OSError, match="too large"):
        stored(noise(300))
    assert path_of(name).read_bytes() == keep


def test_a_bucket_that_keeps_less_than_it_was_given_is_found_out_before_it_is_trusted(files):
    bucket = files("ForgetfulBucket")
    data = noise(5000)
    with pytest.raises(storage.DamagedFileError):
        stored(data)
    assert not bucket.exists(storage.name_of(hashlib.sha256(data).hexdigest()))


@pytest.mark.parametrize("backend", ["Bucket", "AnotherName"])
def test_a_torn_object_of_a_bucket_is_replaced_under_its_own_name(files, backend):
    bucket = files(backend)
    data = noise(5000)
    name = storage.name_of(hashlib.sha256(data).hexdigest())
    bucket.save(name, ContentFile(gzip.compress(data)[:-10]))
    assert stored(data) == hashlib.sha256(data).hexdigest()
    storage.verify(hashlib.sha256(data).hexdigest())
    assert bucket.listdir(name[:2])[1] == [name[3:]]


def test_a_disk_that_cannot_be_read_is_no_damaged_file(monkeypatch):
    name = stored(b"a\n")

    def unreadable(*_):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(gzip.GzipFile, "readinto", unreadable)
    monkeypatch.setattr(gzip.GzipFile, "read1", unreadable)
    with pytest.raises(OSError, match="Input/output") as error:
        storage.verify(name)
    assert not isinstance(error.value, storage.DamagedFileError)


def test_a_missing_file_is_told_apart_from_a_damaged_one():
    with pytest.raises(storage.MissingFileError):
        storage.verify("0" * 64)


def test_what_waits_to_be_imported_is_there_as_a_whole_or_not_at_all(files, tmp_path):
    source = tmp_path / "rows.jsonl"
    source.write_bytes(noise(5000))
    files("CrampedDisk", location=tmp_path / "disk")
    with pytest.raises(OSError, match="too large"):
        sources.receive(source)
    assert names() == []
