"""An untrusted file is read within limits, from its first byte on."""

from __future__ import annotations

import gzip
import io
import resource
import subprocess
import sys
import time
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluation.core.files import limits
from evaluation.core.files.limits import MB, Bounds, RefusedError
from evaluation.core.suite import Problem

pytestmark = pytest.mark.timing


@pytest.fixture
def write(tmp_path):
    def to(content: bytes):
        path = tmp_path / "sent"
        path.write_bytes(content)
        return path

    return to


@pytest.fixture
def refused(write):
    """The error code of a refused file; None if it is read to its end."""

    def code(content: bytes, bounds: Bounds | None = None) -> str | None:
        try:
            for _ in limits.lines(write(content), bounds or Bounds()):
                pass
        except RefusedError as error:
            return error.problem.code
        return None

    return code


def test_the_ratio_holds_from_the_first_megabyte_on(refused) -> None:
    honest = b"".join(b'{"id":"E%06d","value":null}\n' % number for number in range(60_000))
    assert refused(gzip.compress(honest)) is None
    assert refused(gzip.compress(b"x" * 99 + b"\n")) is None
    assert refused(gzip.compress((b"x" * 99 + b"\n") * 9_000)) is None  # below a megabyte all may pack so
    assert refused(gzip.compress((b"x" * 99 + b"\n") * 100_000)) == "expands_too_far"
    assert refused(gzip.compress(b"\n" * (3 * MB))) == "expands_too_far"


def test_the_refusal_of_a_bomb_says_how_to_send_an_honest_file(write) -> None:
    with pytest.raises(RefusedError, match="200 times its size: send it without gzip"):
        list(limits.lines(write(gzip.compress(b"\n" * (3 * MB))), Bounds()))


def test_members_of_a_gzip_file_are_read_one_after_the_other_and_counted(refused, write) -> None:
    members = b"".join(gzip.compress(b"%d\n" % number) for number in range(500))
    assert [line for _, line in limits.lines(write(members), Bounds())] == [
        b"%d" % number for number in range(500)
    ]
    assert refused(members, replace(Bounds(), max_members=499)) == "too_many_members"
    assert refused(gzip.compress(b"") * 20_001) == "too_many_members"


def test_padding_after_a_gzip_file_is_nothing_and_rubbish_is_damage(refused, write) -> None:
    packed = gzip.compress(b"a\nb\n")
    assert [line for _, line in limits.lines(write(packed + b"\0" * 700_000), Bounds())] == [b"a", b"b"]
    assert refused(packed + b"\0" * 7 + packed) is None
    assert refused(packed + b"rubbish") == "damaged_gzip"
    assert refused(packed[:-3]) == "damaged_gzip"
    assert refused(packed[:-8] + bytes(8)) == "damaged_gzip"


def test_nesting_and_values_are_bounded_before_a_parser_runs(write) -> None:
    content = b'{"a":' * 40 + b"1" + b"}" * 40 + b"\n" + b"[" + b"1," * 20_000 + b"1]\n" + b'{"a": 1}\n'
    first, second, third = (line for _, line in limits.lines(write(content), Bounds()))
    assert isinstance(first, Problem)
    assert isinstance(second, Problem)
    assert (first.code, second.code, third) == ("nested_too_deeply", "too_many_values", b'{"a": 1}')
    assert first.message == "The JSON is nested too deeply: at most 32 levels are accepted."


def test_the_bytes_of_a_file_are_bounded_alike(write) -> None:
    content = b"a line\n" * 1000
    assert b"".join(limits.chunks(write(gzip.compress(content)), Bounds())) == content
    assert b"".join(limits.chunks(write(content), Bounds())) == content
    with pytest.raises(RefusedError, match="unpacks to more"):
        list(limits.chunks(write(gzip.compress(bytes(3 * MB))), Bounds()))


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    members=st.lists(st.binary(max_size=300) | st.sampled_from([b"", b"x" * 70_000]), min_size=1, max_size=5)
)
def test_gzip_is_unpacked_as_the_library_does(write, members) -> None:
    packed = b"".join(map(gzip.compress, members))
    assert (
        b"".join(limits.chunks(write(packed), Bounds())) == gzip.GzipFile(fileobj=io.BytesIO(packed)).read()
    )


BOMBS = {
    "one line of a gigabyte": lambda: gzip.compress(bytes(MB)) * 1024,
    "blank lines": lambda: gzip.compress(b"\n" * (100 * MB)),
    "a million members": lambda: gzip.compress(b"") * 1_000_000,
    "bad lines": lambda: gzip.compress(b"x\n" * (14 * MB // 2), 9),
}


@pytest.mark.parametrize("name", BOMBS)
def test_no_bomb_takes_long_or_much_memory(name, tmp_path) -> None:
    path = tmp_path / "bomb"
    path.write_bytes(BOMBS[name]())
    code = (
        "import sys, resource; from pathlib import Path; from evaluation.core.files import limits\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "try:\n    sum(1 for _ in limits.lines(Path(sys.argv[1]), limits.Bounds()))\n"
        "except limits.RefusedError: pass\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    usage, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", code, path], capture_output=True, text=True, timeout=60, check=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime - usage.ru_utime
    assert seconds < 3, f"{seconds:.1f} s of {time.monotonic() - started:.1f} s"
    assert int(done.stdout) < 30_000  # KB
