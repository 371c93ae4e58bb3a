"""Settings, read once at start from `TURNWRIGHT_*` variables; the command line overrules them."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

Level = Literal["debug", "info", "warning", "error"]
Language = Literal["en", "ru", "pl"]


class Settings(BaseSettings):
    """Everything an operator may set. Each field is `TURNWRIGHT_` and its name in capitals."""

    model_config = SettingsConfigDict(env_prefix="TURNWRIGHT_", extra="ignore", frozen=True)

    host: str = "127.0.0.1"
    """Address to listen on; the loopback only, until an operator says otherwise."""
    port: int = Field(default=8000, ge=0, le=65535)
    workers: int = Field(default=1, ge=1, le=64)
    """Processes. More than one needs PostgreSQL: a SQLite file has one writer."""
    database_url: str = "sqlite:///data/turnwright.sqlite3"
    """SQLite file (relative paths start at the working directory) or `postgresql+psycopg://...`."""
    rulesets_folder: Path = Path(__file__).resolve().parent.parent / "rulesets"
    default_language: Language = "en"
    """Language of whoever asks for none that we have."""
    public_url: str | None = None
    """Address under which the world reaches this server, for the links that are printed."""

    discord_public_key: str | None = Field(default=None, pattern="^[0-9a-fA-F]{64}$")
    """Public key of a Discord application, as its page shows it: slash commands of that application are answered."""

    log_level: Level = "info"
    log_json: bool = True
    """JSON lines; False writes for people."""
    access_log: bool = True
    docs: bool = True
    """Serve the documentation pages."""
    table_view: bool = True
    """Serve the page on which a fight is seen and played."""
    metrics: bool = True
    """Serve `/metrics`."""
    cors_origins: Annotated[tuple[str, ...], NoDecode] = ("*",)
    """Origins of pages that may call, as a list with commas, or `*`. Never with cookies, so `*` gives nothing away."""

    body_limit: int = Field(default=64 * 1024, ge=1024)
    large_body_limit: int = Field(default=1024 * 1024, ge=1024)
    """Where many combatants, or a whole encounter, come in."""
    import_limit: int = Field(default=64 * 1024 * 1024, ge=1024)
    """Where an encounter with its log comes in. It is read through a file, never whole in memory."""
    import_timeout_s: float = Field(default=300.0, gt=0)
    body_timeout_s: float = Field(default=30.0, gt=0)
    head_limit: int = Field(default=64 * 1024, ge=1024)
    """Bytes of a request that are not its body: address and headers."""
    head_timeout_s: float = Field(default=10.0, gt=0)
    """How long a connection may take until a request has been told on it."""
    rate_limits: bool = True
    rate_storage: str = "async+memory://"
    """Where counts are kept, as `limits` names it; a shared store makes them hold over several processes."""
    rate_token: Annotated[str, Field(max_length=200)] = "60 per 3 second"
    """Requests of one token: 20 a second in the long run, 60 at once."""
    rate_address: Annotated[str, Field(max_length=200)] = "15 per 3 second"
    """Requests without a token from one address."""
    rate_bad_tokens: Annotated[str, Field(max_length=200)] = "30 per 1 minute"
    """Refused tokens from one address; beyond that it has to wait."""
    rate_join: Annotated[str, Field(max_length=200)] = "30 per 1 minute"
    """Tries to join by a code from one address, good ones too."""
    encounters_per_campaign: int = Field(default=1000, ge=1)
    """Encounters that a campaign may hold, and with it each of its tokens; a deleted one makes room."""
    webhook_http: bool = False
    """Let webhooks lead to plain http too."""
    webhook_ports: Annotated[tuple[int, ...], NoDecode] = (443, 80, 8443)
    """Ports that webhooks may lead to, as a list with commas."""
    webhook_allow: Annotated[tuple[str, ...], NoDecode] = ()
    """`host:port`, as a list with commas, that webhooks may lead to whatever their addresses: your own receivers."""
    webhook_timeout_s: float = Field(default=15.0, gt=0, le=60)
    """How long a receiver may take."""
    webhook_retry_s: Annotated[tuple[float, ...], NoDecode] = (
        5,
        300,
        1800,
        7200,
        18_000,
        36_000,
        50_400,
        72_000,
        86_400,
    )
    """Seconds from one try of a message to the next, as a list with commas; after the last its webhook is disabled."""
    webhook_ca_file: Path | None = None
    """Certificates of authorities (PEM) that receivers may use beside the usual ones."""
    webhooks_per_campaign: int = Field(default=10, ge=1)
    keep_alive_s: int = Field(default=10, ge=1)
    """How long a connection is kept open on which nothing is asked."""
    connections: int | None = Field(default=None, ge=1)
    """Connections of one process, streams included; whoever comes beyond that gets a bare 503. None: no limit."""
    connections_per_address: int | None = Field(default=100, ge=1)
    """The same of one address, of the sixth version of one /64; proxies that are believed are not counted."""
    streams_per_token: int = Field(default=10, ge=1)
    stream_life_s: float = Field(default=3600.0, gt=0)
    """A stream is closed after this long; the reader comes back with his cursor."""
    stream_comment_s: float = Field(default=15.0, gt=0)
    """A comment goes out after this long without an event, so that proxies keep the line open."""
    stream_stall_s: float = Field(default=30.0, gt=0)
    """A reader who takes nothing for this long is cut off."""
    wait_limit_s: float = Field(default=25.0, ge=0)
    """The longest that a long poll waits."""
    token_cache_s: float = Field(default=1.0, ge=0)
    """How long a good token holds without looking again; one revoked elsewhere is refused after this long at most."""
    shutdown_s: float = Field(default=10.0, gt=0)
    """How long a stopping server waits for requests that are being answered."""

    @field_validator("cors_origins", "webhook_ports", "webhook_allow", "webhook_retry_s", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value

    @property
    def is_postgres(self) -> bool:
        """Whether the database is a server, which several processes may share."""
        return self.database_url.startswith("postgresql")

    @property
    def origins(self) -> frozenset[str]:
        """Origins of pages that may call."""
        return frozenset(self.cors_origins)
