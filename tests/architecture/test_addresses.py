"""The project builds wherever it is checked out, from whatever package source that machine has."""

import re

from tests.support.repository import ROOT, repository_files

# Put together from parts, or this file would be found by its own search.
HOSTS = [
    "pypi" + ".org",
    "python" + "hosted.org",
    "npm" + "js.org",
    "npm" + "js.com",
    "crates" + ".io",
    "debian" + ".org",
]
FOLDERS = ["work", "root", "opt/pypi", "opt/wheels"]
FORBIDDEN = re.compile("|".join([*map(re.escape, HOSTS), *(rf"(?<![\w.~*)}}-])/{folder}/" for folder in FOLDERS)]))


def test_no_file_names_a_package_source_or_a_folder_of_one_machine() -> None:
    found = []
    for path in repository_files():
        text = (ROOT / path).read_text(encoding="utf-8", errors="replace")
        found += [
            f"{path}:{number}: {line.strip()[:100]}"
            for number, line in enumerate(text.splitlines(), 1)
            if FORBIDDEN.search(line)
        ]

    assert found == []
