"""The files of this repository as git would commit them, for tests that read the project itself."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def repository_files() -> list[Path]:
    """Tracked files and new ones that no .gitignore leaves out; paths are relative to ROOT."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode()
    return sorted(Path(name) for name in set(listed.split("\0")) if name and (ROOT / name).is_file())
