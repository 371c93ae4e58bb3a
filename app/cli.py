"""The command line: serve, migrate, token, openapi, backup, verify, replay, export, import, and demo.

Exit codes: 0 done, 1 found something wrong, 2 used wrongly (by typer itself), 3 cannot be done here and now.
"""

import asyncio
import gc
import importlib.util
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn

import typer
from pydantic import ValidationError

from app.config import Settings

FAILED, USED_WRONGLY, IMPOSSIBLE = 1, 2, 3
OPENAPI = Path(__file__).resolve().parent.parent / "openapi" / "openapi.json"

cli = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help="Turnwright.")
Database = Annotated[str | None, typer.Option("--database", help="Database URL, instead of TURNWRIGHT_DATABASE_URL.")]


def _settings(**given: Any) -> Settings:
    """A setting that cannot be ends the command: named, but without its value, which may be a secret."""
    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        told = [f"TURNWRIGHT_{'.'.join(map(str, one['loc'])).upper()}: {one['msg']}" for one in error.errors()]
        _stop("\n".join(told), USED_WRONGLY)


def _stop(message: str, code: int = IMPOSSIBLE) -> NoReturn:
    typer.echo(message, err=True)
    raise typer.Exit(code)


def _own_errors() -> tuple[type[Exception], ...]:
    from sqlalchemy.exc import OperationalError

    from app.engine.reasons import BadRuleset
    from app.persistence.work import PersistenceError

    return (BadRuleset, PersistenceError, OperationalError)


def _told(error: Exception) -> str:
    """The error in its own words; a database that cannot be reached is quoted without the way to it."""
    found = getattr(error, "orig", None)
    return str(error) if found is None else f"The database cannot be used: {str(found).strip()}"


@cli.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port; 0 takes any that is free.")] = None,
    workers: Annotated[int | None, typer.Option(help="Processes; more than one needs PostgreSQL.")] = None,
    database: Database = None,
    migrate_first: Annotated[bool, typer.Option("--migrate/--no-migrate", help="Bring the schema up to date.")] = True,
) -> None:
    """Serve until told to stop."""
    settings = _settings(host=host, port=port, workers=workers, database_url=database)
    if settings.workers > 1 and not settings.is_postgres:
        _stop("More than one worker needs PostgreSQL: set TURNWRIGHT_DATABASE_URL.")
    gc.disable()  # until everything is loaded, which the application says
    from app.catalog import Catalog

    try:
        catalog = Catalog.load(settings.rulesets_folder)
        if migrate_first:
            _migrate(settings)
        admin = asyncio.run(_first_admin(settings, catalog))
    except _own_errors() as error:
        _stop(_told(error))
    _serve(settings, catalog, admin)


def _migrate(settings: Settings) -> None:
    from app.persistence.schema import migrate

    migrate(settings.database_url)


async def _first_admin(settings: Settings, catalog: Any) -> str | None:
    """A first admin's token, if there is none yet. The server is not running then, so the database is ours."""
    from app.persistence.database import open_database
    from app.services import tokens

    async with open_database(settings.database_url) as database:
        service = _bare_service(database, catalog)
        if await tokens.has_admin(service):
            return None
        return await tokens.create_admin(service, "first admin")


def _bare_service(database: Any, catalog: Any = None) -> Any:
    """Enough of a service for tokens, which need no ruleset."""
    from app.catalog import Catalog
    from app.services.service import Service

    return Service(database.writer, database.store, database.hub, catalog or Catalog({}))


def _serve(settings: Settings, catalog: Any, admin: str | None) -> None:
    import os
    import socket

    import uvicorn

    from app.api.connection import Connection
    from app.api.crowd import Crowd

    options: dict[str, Any] = {
        "host": settings.host,
        "access_log": False,
        "log_config": None,
        "server_header": False,
        "date_header": True,
        "timeout_keep_alive": settings.keep_alive_s,
        # uvicorn refuses at its limit, not beyond it.
        "limit_concurrency": None if settings.connections is None else settings.connections + 1,
        "timeout_graceful_shutdown": int(settings.shutdown_s),
        "loop": "uvloop" if importlib.util.find_spec("uvloop") else "asyncio",
        "http": partial(
            Connection,
            head_s=settings.head_timeout_s,
            head_limit=settings.head_limit,
            crowd=Crowd(settings.connections_per_address, os.environ.get("FORWARDED_ALLOW_IPS", "127.0.0.1")),
        ),
        "ws": "none",
        # A worker that does not answer its parent for so long is killed. Five seconds, which is what goes without
        # saying, kill one on a busy machine while it still loads the rulesets, and the next one, for ever.
        "timeout_worker_healthcheck": 60,
        "lifespan": "on",
    }
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        # Closing a connection does not end it while its reader takes nothing of what is buffered; the system does.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(settings.stream_stall_s * 1000))
    try:
        listener.bind((settings.host, settings.port))
    except OSError as error:
        _stop(f"Cannot listen on {settings.host}:{settings.port}: {error.strerror}.")
    _announce(settings, listener.getsockname()[1], admin)
    if settings.workers > 1:
        from uvicorn.supervisors import Multiprocess

        _end_in_order(lambda: None)
        for name in ("host", "port", "workers", "database_url"):
            os.environ[f"TURNWRIGHT_{name.upper()}"] = str(getattr(settings, name))
        config = uvicorn.Config("app.main:application", factory=True, workers=settings.workers, **options)
        Multiprocess(config, sockets=[listener]).run()
        return
    from app.api import logs
    from app.main import create_app

    pen = logs.set_up(settings.log_level, as_json=settings.log_json)
    server = uvicorn.Server(uvicorn.Config(create_app(settings, catalog=catalog, has_process=True), **options))
    _end_in_order(lambda: setattr(server, "should_exit", True))
    server.run(sockets=[listener])
    pen.close()
    if not server.started:
        raise typer.Exit(IMPOSSIBLE)


def _end_in_order(stop: Callable[[], None]) -> None:
    """Take signals until the server does, which raises them again once it has ended in order: that is no failure."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop())


def _announce(settings: Settings, port: int, admin: str | None) -> None:
    shown = f"[{settings.host}]" if ":" in settings.host else settings.host
    if settings.host in ("0.0.0.0", "::"):
        shown = "127.0.0.1"
    address = settings.public_url or f"http://{shown}:{port}"
    typer.echo(f"Turnwright serves on {address}")
    if settings.docs:
        typer.echo(f"Documentation:       {address}/docs")
    if settings.table_view:
        typer.echo(f"Table view:          {address}/table/ENCOUNTER#token=TOKEN")
    if admin is not None:
        typer.echo("")
        typer.echo("The first admin's token, shown this once:")
        typer.echo(f"  {admin}")
        typer.echo("Open a campaign with it:")
        typer.echo(
            f"  curl -s {address}/v1/campaigns -H 'Authorization: Bearer {admin}' "
            """-H 'Content-Type: application/json' -d '{"name": "Thursday"}'"""
        )
    typer.echo("", nl=True)
    sys.stdout.flush()


@cli.command()
def migrate(
    database: Database = None,
    revision: Annotated[str, typer.Option(help="Where to, `base` is nothing.")] = "head",
) -> None:
    """Bring the database's schema to this version."""
    from app.persistence.schema import migrate as walk

    try:
        walk(_settings(database_url=database).database_url, revision)
    except _own_errors() as error:
        _stop(_told(error))
    typer.echo("The database is up to date." if revision == "head" else f"The database stands at {revision}.")


@cli.command()
def token(
    name: Annotated[str, typer.Option(help="What it is called in lists.")] = "admin",
    database: Database = None,
) -> None:
    """Make another admin's token and print it. On SQLite the server must not be running."""
    from app.persistence.database import open_database
    from app.services import tokens

    async def make() -> str:
        async with open_database(_settings(database_url=database).database_url) as opened:
            return await tokens.create_admin(_bare_service(opened), name)

    try:
        typer.echo(asyncio.run(make()))
    except _own_errors() as error:
        _stop(_told(error))


@cli.command()
def openapi(
    check: Annotated[bool, typer.Option("--check", help="Only say whether the committed file is true.")] = False,
) -> None:
    """Write openapi/openapi.json, or check it."""
    from app.api.openapi import written
    from app.main import create_app

    text = written(create_app(_settings()))
    if not check:
        OPENAPI.parent.mkdir(exist_ok=True)
        OPENAPI.write_text(text, encoding="utf-8")
        typer.echo(f"Written: {OPENAPI.name}")
    elif not OPENAPI.is_file() or OPENAPI.read_text(encoding="utf-8") != text:
        _stop("openapi/openapi.json is not what the application says: run `turnwright openapi`.", FAILED)
    else:
        typer.echo("openapi/openapi.json is true.")


def _backup_errors() -> tuple[type[Exception], ...]:
    return (OSError, *_own_errors())


@cli.command()
def backup(
    target: Annotated[Path, typer.Argument(help="The file to write; it must not exist.")],
    database: Database = None,
) -> None:
    """Copy a SQLite database while it is in use. For PostgreSQL use pg_dump."""
    from app.persistence.backup import backup as copy

    settings = _settings(database_url=database)
    if settings.is_postgres:
        _stop("A PostgreSQL database is copied by its own tools: pg_dump.")
    try:
        copy(settings.database_url, target)
    except FileExistsError:
        _stop(f"{target} exists already.")
    except _backup_errors() as error:
        _stop(str(error))
    typer.echo(f"Copied to {target}")


@cli.command()
def verify(database: Database = None) -> None:
    """Look at everything that is stored: logs without gaps, hash chains, states equal to the fold of their events."""
    _report(_settings(database_url=database), None)


@cli.command(name="export")
def export_(
    encounter: Annotated[str, typer.Argument(help="Id of the encounter: enc_...")],
    target: Annotated[Path, typer.Argument(help="The file to write; it must not exist.")],
    database: Database = None,
) -> None:
    """Write an encounter with rules and log to a file of JSON lines. On SQLite the server must not be running."""
    from app.services.caller import Caller
    from app.services.errors import ServiceError
    from app.services.transfer import export

    async def write(opened: Any, catalog: Any) -> str:
        service = _bare_service(opened, catalog)
        lines = await export(service, Caller("", "admin"), encounter)
        with target.open("xb") as file:
            async for chunk in lines:
                file.write(chunk)
        return f"Written: {target}"

    _transfer(database, write, (FileExistsError, ServiceError))


@cli.command(name="import")
def import_(
    source: Annotated[Path, typer.Argument(help="A file that was exported.")],
    campaign: Annotated[str, typer.Argument(help="Id of the campaign: cmp_...")],
    database: Database = None,
) -> None:
    """Make an encounter from an exported file. On SQLite the server must not be running."""
    from app.api.strict_json import check_line
    from app.services.caller import Attempt, Caller
    from app.services.errors import ServiceError
    from app.services.transfer import bring_in

    async def read(opened: Any, catalog: Any) -> str:
        service = _bare_service(opened, catalog)
        with source.open("rb") as file:
            made = await bring_in(service, Caller("", "admin"), campaign, None, file, Attempt(), check_line)
        return f"Made: {made.created}"

    _transfer(database, read, (OSError, ServiceError))


def _transfer(database: str | None, work: Callable[[Any, Any], Any], errors: tuple[type[Exception], ...]) -> None:
    from app.catalog import Catalog
    from app.persistence.database import open_database

    settings = _settings(database_url=database)

    async def carried() -> str:
        async with open_database(settings.database_url) as opened:
            told: str = await work(opened, Catalog.load(settings.rulesets_folder))
            return told

    try:
        typer.echo(asyncio.run(carried()))
    except (*errors, *_own_errors()) as error:
        _stop(_told(error), FAILED)


@cli.command()
def replay(
    encounter: Annotated[str, typer.Argument(help="Id of the encounter: enc_...")],
    database: Database = None,
) -> None:
    """Fold an encounter's events anew and compare what comes out with what is stored."""
    _report(_settings(database_url=database), encounter)


def _report(settings: Settings, only: str | None) -> None:
    from app.catalog import Catalog
    from app.persistence.schema import demand_schema
    from app.persistence.verify import verify as look
    from app.services.rerun import Rerun

    try:
        demand_schema(settings.database_url)
        report = look(settings.database_url, only, Rerun(Catalog.load(settings.rulesets_folder)))
    except _own_errors() as error:
        _stop(_told(error))
    for finding in report.findings:
        typer.echo(finding, err=True)
    if only is not None and not report.encounters:
        _stop(f"There is no encounter {only}.")
    for one in report.unproven:
        typer.echo(one.text)
    typer.echo(f"{report.encounters} encounters, {report.events} events, {len(report.findings)} findings.")
    typer.echo(f"{report.dice_checked} dice checked, {report.dice_unchecked} not, {report.dice_reported} of the table.")
    if report.findings:
        raise typer.Exit(FAILED)


@cli.command()
def demo(
    ruleset: Annotated[str, typer.Option(help="Whose rules.")] = "dark_heresy_2e",
    language: Annotated[Literal["en", "ru", "pl", "all"], typer.Option(help="Language of the story.")] = "en",
    space: Annotated[
        Literal["map", "stated", "both"], typer.Option(help="With a map, without, or one by one.")
    ] = "both",
    url: Annotated[str, typer.Option(help="A running server.")] = "http://127.0.0.1:8000",
    token: Annotated[str | None, typer.Option(help="A token of that server, of an admin or a GM.")] = None,
) -> None:
    """Play a whole fight over HTTP and tell it, on a server of its own unless a token names a running one."""
    from app.demo.client import Refused
    from app.demo.command import demo as play
    from app.demo.scenario import scenario_for
    from app.demo.server import NoServer

    try:
        went_well = play(scenario_for(ruleset), language, space, url, token, typer.echo)
    except LookupError as error:
        _stop(str(error.args[0]), USED_WRONGLY)
    except (NoServer, Refused) as error:
        _stop(str(error))
    if not went_well:
        raise typer.Exit(FAILED)


def main() -> None:
    """Entry point of `turnwright`."""
    cli()


if __name__ == "__main__":
    main()
