"""Where a webhook may lead: one place judges an address, when it is given and again before each try.

A GM chooses the address, and this server stands where he does not: beside databases, cloud metadata and printers. So
only public addresses are called, and exactly those that were judged: nothing is resolved a second time.
"""

import asyncio
import ipaddress
import re
import socket
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from ipaddress import IPv4Address, IPv6Address

import msgspec

from app.config import Settings
from app.services.errors import UrlForbidden

LONGEST = 1000
"""Characters of an address."""
RESOLVE_S = 2.0
"""What takes longer to resolve does not exist."""
_THREADS = 16

Resolver = Callable[[str, int], Awaitable[Sequence[str]]]
"""Addresses of a name, as text. May raise `OSError`."""

# No user, no percent, no backslash, no control, nothing beyond ASCII: what two parsers could read in two ways is
# refused, and what we connect to is made of these groups.
_URL = re.compile(
    r"(?P<scheme>https?)://(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+)(?::(?P<port>[0-9]{1,5}))?"
    r"(?P<path>/[!$-;=?-Z_a-z~]*|\?[!$-;=?-Z_a-z~]*)?",
    re.ASCII,
)
_BREAK = re.compile(r"%0[ad]", re.IGNORECASE)
_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", re.ASCII)
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*", re.ASCII)
_INSIDE = frozenset(
    {"corp", "home", "internal", "intranet", "invalid", "lan", "local", "localdomain", "localhost", "onion", "private"}
)
"""Last words of names that mean something near this server, or nothing."""
_V4_FORBIDDEN = tuple(
    ipaddress.IPv4Network(text)
    for text in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24",
        "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
    )
)  # fmt: skip
_V6_ALLOWED = ipaddress.IPv6Network("2000::/3")
"""The only part of IPv6 that is given out. Mapped, translated, local and multicast addresses all lie outside."""
_V6_FORBIDDEN = tuple(
    ipaddress.IPv6Network(text)
    # Teredo and other protocols' own, documentation, 6to4 with an IPv4 address inside, documentation again.
    for text in ("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20")
)


class Policy(msgspec.Struct, frozen=True):
    """What the operator allows. `exempt` are `host:port` that are not judged."""

    ports: frozenset[int] = frozenset({443, 80, 8443})
    http: bool = False
    exempt: frozenset[str] = frozenset()

    @staticmethod
    def of(settings: Settings) -> "Policy":
        """As the settings have it."""
        return Policy(
            frozenset(settings.webhook_ports),
            settings.webhook_http,
            frozenset(one.lower() for one in settings.webhook_allow),
        )


class Target(msgspec.Struct, frozen=True):
    """An address that may be called: `host` is its name, `addresses` where to connect."""

    scheme: str
    host: str
    port: int
    path: str
    addresses: tuple[str, ...]

    @property
    def authority(self) -> str:
        """The name as the `Host` header has it."""
        usual = {"https": 443, "http": 80}[self.scheme]
        return self.host if self.port == usual else f"{self.host}:{self.port}"


class _Place(msgspec.Struct, frozen=True):
    scheme: str
    host: str
    port: int
    path: str
    is_exempt: bool


class Resolving:
    """The system's resolver, in threads of its own: a name server that hangs keeps nobody else waiting."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(max_workers=_THREADS, thread_name_prefix="turnwright-names")

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        """All addresses of a name."""
        found = await asyncio.get_running_loop().run_in_executor(self._threads, _look_up, host, port)
        return list(dict.fromkeys(found))

    def close(self) -> None:
        """Wait for nobody."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _look_up(host: str, port: int) -> list[str]:
    return [str(found[4][0]) for found in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


class Guard:
    """Judges addresses."""

    def __init__(self, policy: Policy, resolve: Resolver, *, resolve_s: float = RESOLVE_S) -> None:
        self._policy = policy
        self._resolve = resolve
        self._resolve_s = resolve_s

    async def target(self, url: str) -> Target:
        """Where to connect for it. Raises `UrlForbidden`; a name that cannot be resolved is no different."""
        place = _parsed(url, self._policy)
        if place is None:
            raise UrlForbidden
        literal = _literal(place.host)
        addresses: Sequence[str]
        if literal is not None:
            addresses = (str(literal),)
        else:
            try:
                async with asyncio.timeout(self._resolve_s):
                    addresses = await self._resolve(place.host, place.port)
            except (OSError, UnicodeError, TimeoutError):
                addresses = ()
        if not addresses or not (place.is_exempt or all(is_public(one) for one in addresses)):
            raise UrlForbidden
        return Target(place.scheme, place.host, place.port, place.path, tuple(addresses))

    async def admits(self, url: str) -> bool:
        """Whether it may be a hook's address. Nothing is connected to.

        A refusal that took a look-up comes when the longest look-up would have ended, so that its time tells nothing.
        """
        loop = asyncio.get_running_loop()
        begun = loop.time()
        try:
            await self.target(url)
        except UrlForbidden:
            place = _parsed(url, self._policy)
            if place is not None and _literal(place.host) is None:
                await asyncio.sleep(begun + self._resolve_s - loop.time())
            return False
        return True


def _parsed(url: str, policy: Policy) -> _Place | None:
    """The parts of an address that could be called, before anything is resolved."""
    found = _URL.fullmatch(url) if len(url) <= LONGEST else None
    if found is None or _BREAK.search(url):
        return None
    scheme, host = found["scheme"], found["host"].lower()
    port = int(found["port"] or {"https": 443, "http": 80}[scheme])
    path = found["path"] or "/"
    place = _Place(scheme, host, port, path if path.startswith("/") else f"/{path}", f"{host}:{port}" in policy.exempt)
    if place.is_exempt:
        return place if 0 < port < 65536 else None
    is_fit = (scheme == "https" or policy.http) and port in policy.ports and _is_host(host)
    return place if is_fit else None


def _is_host(host: str) -> bool:
    """A canonical literal, or a name that could be somebody else's."""
    if _literal(host) is not None:
        return True
    labels = host.split(".")
    return (
        len(host) <= 253
        and len(labels) > 1
        and all(_LABEL.fullmatch(label) for label in labels)
        # 127.1, 0x7f.1, 2130706433: resolvers take them for addresses.
        and not _NUMBER.fullmatch(labels[-1])
        and labels[-1] not in _INSIDE
        and not host.endswith(".home.arpa")
    )


def _literal(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return IPv6Address(host[1:-1]) if host.startswith("[") else IPv4Address(host)
    except ValueError:
        return None


def is_public(text: str) -> bool:
    """Whether this is an address of the open internet."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    if isinstance(address, IPv4Address):
        return address.is_global and not any(address in network for network in _V4_FORBIDDEN)
    return (
        address.scope_id is None
        and address in _V6_ALLOWED
        and address.is_global
        and not any(address in network for network in _V6_FORBIDDEN)
    )
