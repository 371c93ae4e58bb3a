"""import-linter sees packages only: a folder without `__init__.py` would be free of every contract, and silently so."""

from pathlib import Path

from tests.support.repository import ROOT, repository_files


def test_every_folder_of_code_is_a_package() -> None:
    folders = {
        path.parent for path in repository_files() if path.suffix == ".py" and path.parts[0] in {"app", "rulesets"}
    }

    assert Path("app/engine") in folders
    assert [str(folder) for folder in sorted(folders) if not (ROOT / folder / "__init__.py").exists()] == []
