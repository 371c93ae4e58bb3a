"""The same bytes in another process, with another seed of hashes, another time zone and another language."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.laws.again import fingerprint, store
from tests.laws.cases import Case, golden_cases, log_of
from tests.laws.generate import fight, rulesets
from tests.laws.tape import Tape
from tests.support.repository import ROOT
from tests.support.sizes import sized

FIGHTS = sized(25, 25, 200)


def stored_cases() -> list[Case]:
    """Every golden fight, and some by chance, always the same ones."""
    found = list(golden_cases())
    for name in rulesets():
        for number in range(FIGHTS):
            found.extend(fight(Tape(random.Random(number).randbytes(1200)), name))
    return found


@pytest.mark.parametrize(
    ("seed", "zone", "language"), [("1", "Asia/Kathmandu", "pl_PL.UTF-8"), ("4242", "America/St_Johns", "C")]
)
def test_another_process_gives_the_same_bytes(tmp_path: Path, seed: str, zone: str, language: str) -> None:
    cases, path = stored_cases(), tmp_path / "commands"
    store(cases, path)
    env = {**os.environ, "PYTHONHASHSEED": seed, "TZ": zone, "LC_ALL": language}

    done = subprocess.run(
        [sys.executable, "-m", "tests.laws.again", str(path)],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    expected = [fingerprint(log_of(case.outcome), case.outcome.state) for case in cases]
    assert done.stdout.split() == expected
