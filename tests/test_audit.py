"""The locks hold no package on the list of vulnerable ones, and the audit would find one."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

CI = Path(__file__).resolve().parents[1] / ".ci"


def audit(folder: Path) -> tuple[int, str]:
    done = subprocess.run([sys.executable, folder / "audit"], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def test_no_lock_pins_what_is_known_to_be_vulnerable() -> None:
    code, said = audit(CI)
    assert code == 0, said


def test_a_vulnerable_version_is_named_with_its_lock(tmp_path: Path) -> None:
    for name in ("audit", "advisories.json"):
        shutil.copy(CI / name, tmp_path)
    (tmp_path / "old.lock").write_text("pyarrow==22.0.0 \\\n    --hash=sha256:0\n")
    code, said = audit(tmp_path)
    assert code == 1
    assert "pyarrow 22.0.0 (old.lock): GHSA-rgxp-2hwp-jwgg, >=15.0.0,<23.0.1" in said
