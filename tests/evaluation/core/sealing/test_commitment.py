"""A commitment binds gold and key, and can be checked once both are published."""

from __future__ import annotations

import gzip
import hashlib
import hmac
from pathlib import Path

import pytest

from evaluation.cli import main
from evaluation.core.sealing.commitment import commitment, content_sha256

KEY, GOLD = "ab" * 32, b'{"id":1}\n{"id":2}\n'


def test_it_is_a_keyed_hash_of_the_hash_of_the_lines() -> None:
    gold = hashlib.sha256(GOLD).hexdigest()
    expected = hmac.new(
        b"\xab" * 32, b"goldevidencebench commitment 1\n" + gold.encode(), "sha256"
    ).hexdigest()
    assert commitment(KEY, gold) == expected
    assert commitment("cd" * 32, gold) != expected


@pytest.mark.parametrize("packed", [False, True])
def test_the_hash_of_a_file_is_that_of_its_lines(packed: bool, tmp_path: Path) -> None:
    (tmp_path / "gold").write_bytes(gzip.compress(GOLD) if packed else GOLD)
    assert content_sha256(tmp_path / "gold") == hashlib.sha256(GOLD).hexdigest()


def test_the_command_says_whether_published_gold_fits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "gold.gz").write_bytes(gzip.compress(GOLD))
    (tmp_path / "other.gz").write_bytes(gzip.compress(GOLD + b'{"id":3}\n'))
    known = commitment(KEY, hashlib.sha256(GOLD).hexdigest())
    for name, key, code in (("gold.gz", KEY, 0), ("other.gz", KEY, 1), ("gold.gz", "cd" * 32, 1)):
        args = ["--gold", str(tmp_path / name), "--key", key, "--commitment", known.upper()]
        assert main(["commitment", *args]) == code
        assert ("The gold matches" in capsys.readouterr().out) == (code == 0)


def test_a_key_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "gold").write_bytes(GOLD)
    args = ["--gold", str(tmp_path / "gold"), "--key", "secret", "--commitment", "0" * 64]
    assert main(["commitment", *args]) == 2
