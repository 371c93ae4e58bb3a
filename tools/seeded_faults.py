"""Does the suite notice? Faults of fourteen kinds are put into a scratch copy, one by one: each must turn a test red.

    python -m tools.seeded_faults              all of them; ends with 1 if one survives
    python -m tools.seeded_faults --only dns   those whose kind or name holds that text
    python -m tools.seeded_faults --check      only whether each still finds its place in the source

What the tests printed goes to the standard error.

The faults stand in `faults/`: exact text of the source, what takes its place, and the tests that must fail.
Text that is not there exactly once is an error, so that the list cannot outlive the code. This tree is only read.
"""

import argparse
import ast
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

import msgspec
import yaml

ROOT = Path(__file__).resolve().parents[1]
LISTS = Path(__file__).parent / "faults"
PATIENCE_S, PATIENCE_GREEN_S = 600, 1800
"""How long the tests of one fault may take altogether, and those of all without any."""
_FAILED = re.compile(r"^FAILED (.+?)(?: - (.*))?$", re.MULTILINE)
_DEEPEST = 40


class Edit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A text of one file and what takes its place. One line may be a part; several are whole, at any depth."""

    file: str
    old: str
    new: str

    def applied(self, source: str) -> str:
        """The source with the fault in it. Raises `Lost` unless the text is there exactly once."""
        old, new = self.old.rstrip("\n"), self.new.rstrip("\n")
        if "\n" not in old + new:
            if source.count(old) != 1:
                raise Lost(f"{self.file} has {source.count(old)} times: {old}")
            return source.replace(old, new)
        for depth in range(0, _DEEPEST, 4):
            deep_old, deep_new = (textwrap.indent(text, " " * depth) + "\n" for text in (old, new))
            if f"\n{deep_old}" in source:
                if source.count(deep_old) != 1:
                    raise Lost(f"{self.file} has several times:\n{old}")
                return source.replace(deep_old, deep_new)
        raise Lost(f"{self.file} has no longer:\n{old}")


class Fault(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something that must not be: which of the fourteen kinds it is of, where, and who should notice."""

    group: str
    name: str
    edits: tuple[Edit, ...]
    tests: tuple[str, ...]
    postgres: bool = False
    """Whether it is one of PostgreSQL's; the others are tried without, which is quicker."""


class Lost(Exception):
    """A fault does not find its place any more."""


class Seen(NamedTuple):
    """What came of a fault."""

    fault: Fault
    caught_by: str | None
    seconds: float
    printed: str


def faults() -> list[Fault]:
    """The whole list."""
    read = (yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(LISTS.glob("*.yaml")))
    return [fault for listed in read for fault in msgspec.convert(listed, list[Fault])]


def texts(fault: Fault, root: Path = ROOT) -> dict[str, str]:
    """The files of a tree as the fault makes them. Raises `Lost`, and `SyntaxError` where it is no Python."""
    found: dict[str, str] = {}
    for edit in fault.edits:
        source = found.get(edit.file) or (root / edit.file).read_text(encoding="utf-8")
        found[edit.file] = edit.applied(source)
    for name, text in found.items():
        if name.endswith(".py"):
            ast.parse(text, name)
    return found


def missing(tests: Iterable[str]) -> list[str]:
    """Those that are not there."""
    found = []
    for test in tests:
        file, _, name = test.partition("::")
        name, path = name.partition("[")[0], ROOT / file
        if not path.exists() or (name and f"def {name}(" not in path.read_text(encoding="utf-8")):
            found.append(test)
    return found


# The scratch copy


def copied(into: Path) -> None:
    """This tree as git would commit it, with what of it is compiled."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode()
    for name in set(listed.split("\0")):
        if name and (ROOT / name).is_file():
            (into / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, into / name)
    # Some tests ask git which files there are.
    subprocess.run(["git", "init", "--quiet"], cwd=into, check=True)
    for folder in {Path(name).parent for name in listed.split("\0") if name.endswith(".py")}:
        if (ROOT / folder / "__pycache__").is_dir():
            shutil.copytree(ROOT / folder / "__pycache__", into / folder / "__pycache__")


def pytest_in(scratch: Path, tests: Sequence[str], *options: str, patience_s: float = PATIENCE_S) -> tuple[int, str]:
    """Run these tests there; the exit code and what was printed."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TURNWRIGHT_", "PYTEST_"))}
    # Nothing is compiled to stay: it is told from its source by whole seconds and length, and a fault is quicker.
    env = {**kept, "PYTHONPATH": str(scratch), "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "400"}
    command = [sys.executable, "-m", "pytest", "-q", "--tb=line", "-rf", "-p", "no:cacheprovider", *options, *tests]
    try:
        done = subprocess.run(
            command, cwd=scratch, env=env, capture_output=True, text=True, check=False, timeout=patience_s
        )
    except subprocess.TimeoutExpired as late:
        return -1, f"not done after {late.timeout:.0f} s"
    return done.returncode, done.stdout + done.stderr


def tried(fault: Fault, scratch: Path) -> Seen:
    """Put the fault in, look who notices, and take it out again."""
    options = ["-x", "--timeout=240", *([] if fault.postgres else ["--no-postgres"])]
    paths = {scratch / edit.file for edit in fault.edits}
    before = [(path, path.read_bytes(), path.stat()) for path in paths]
    for name, text in texts(fault, scratch).items():
        (scratch / name).write_text(text, encoding="utf-8")
    begun = time.monotonic()
    try:
        code, printed = pytest_in(scratch, fault.tests, *options)
    finally:
        for path, content, times in before:
            path.write_bytes(content)
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    # A test that cannot be collected, or runs out of all time, has noticed nothing.
    found = [test for test, why in _FAILED.findall(printed) if code == 1 and "Failed: Timeout (>" not in why]
    return Seen(fault, found[0] if found else None, time.monotonic() - begun, printed)


def all_tried(chosen: Sequence[Fault], jobs: int) -> Iterator[Seen]:
    """What came of each, in their order; several at a time, each in a copy of its own."""
    with tempfile.TemporaryDirectory(prefix="tw-faults-") as folder:
        free: SimpleQueue[Path] = SimpleQueue()
        for number in range(jobs):
            scratch = Path(folder) / f"copy{number}"
            copied(scratch)
            free.put(scratch)

        def one(fault: Fault) -> Seen:
            scratch = free.get()
            try:
                return tried(fault, scratch)
            finally:
                free.put(scratch)

        with ThreadPoolExecutor(jobs) as threads:
            yield from threads.map(one, chosen)


def green(chosen: Sequence[Fault], jobs: int) -> tuple[bool, str]:
    """Whether the same tests pass in a copy without any fault."""
    tests = list(dict.fromkeys(test for fault in chosen for test in fault.tests))
    with tempfile.TemporaryDirectory(prefix="tw-faults-") as folder:
        copied(Path(folder))
        options = ("-n", str(jobs), "--dist", "worksteal", "--timeout=300")
        code, printed = pytest_in(Path(folder), tests, *options, patience_s=PATIENCE_GREEN_S)
    return code == 0, printed


def row(cells: Mapping[str, str]) -> str:
    """A line of the table."""
    return "| " + " | ".join(cells.values()) + " |"


def main(arguments: Sequence[str] | None = None) -> int:
    """Try them and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", nargs="*", default=[""], help="those whose kind or name holds one of these texts")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time (2)")
    parser.add_argument("--check", action="store_true", help="run no test: does each still find its place?")
    parser.add_argument("--without-green", action="store_true", help="do not run the tests of the unchanged copy")
    given = parser.parse_args(arguments)
    chosen = [one for one in faults() if any(text.lower() in f"{one.group} {one.name}".lower() for text in given.only)]
    for fault in chosen:
        texts(fault)
        if gone := missing(fault.tests):
            raise Lost(f"{fault.name}: no test {', '.join(gone)}")
    if given.check:
        print(f"{len(chosen)} faults of {len({one.group for one in chosen})} kinds find their place")
        return 0
    if not given.without_green:
        is_green, printed = green(chosen, given.jobs)
        print("unchanged:", printed.strip().rpartition("\n")[2], flush=True)
        if not is_green:
            print(printed)
            return 1
    print(row({"group": "kind", "fault": "fault", "test": "caught by", "seconds": "s"}))
    print("|---|---|---|---|", flush=True)
    survived = 0
    for seen in all_tried(chosen, given.jobs):
        survived += seen.caught_by is None
        caught = seen.caught_by or "**NOBODY**"
        print(row({"1": seen.fault.group, "2": seen.fault.name, "3": caught, "4": f"{seen.seconds:.0f}"}), flush=True)
        print(textwrap.indent(seen.printed[-1500:], "    "), file=sys.stderr, flush=True)
    kinds = len({one.group for one in chosen})
    print(f"{len(chosen)} faults of {kinds} kinds: {len(chosen) - survived} caught, {survived} survived")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
