"""`.ci/run` fails when tests fail and also when none ran: a green run that tested nothing is worse than a red one."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.repository import ROOT


@pytest.mark.parametrize(("printed", "status", "is_green"), [
    ("===== 812 passed, 3 skipped in 61.20s (0:01:01) =====", 0, True),
    ("===== 1 failed, 811 passed in 61.20s (0:01:01) =====", 2, False),
    ("===== no tests ran in 0.01s =====", 2, False),
    ("===== no tests ran in 0.01s =====", 0, False),
    ("===== 3 skipped in 0.01s =====", 0, False),
    ("===== 90 deselected in 0.01s =====", 0, False),
    ("make: Nothing to be done for 'test'.", 0, False),
])  # fmt: skip
def test_ci_is_green_only_when_tests_ran_and_passed(printed: str, status: int, is_green: bool, tmp_path: Path) -> None:
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", tmp_path / ".ci" / "run")
    make = tmp_path / "make"
    make.write_text(f'#!/bin/sh\n[ "$1" = test ] || exit 0\ncat <<"END"\n{printed}\nEND\nexit {status}\n')
    make.chmod(0o755)
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}

    done = subprocess.run(
        ["bash", ".ci/run"], cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )

    assert (done.returncode == 0) is is_green
    if is_green:
        assert done.stdout.decode().splitlines()[-1] == printed
