"""Who is connected from where: one address may not take all the connections there are."""

import ipaddress
from collections import Counter
from collections.abc import Iterator

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
EVERYBODY = "*"


class Crowd:
    """The connections of one process by address. Proxies that are believed stand for many and are not counted."""

    def __init__(self, most: int | None, proxies: str) -> None:
        self._most = most
        self._is_open = most is None or EVERYBODY in proxies.split(",")
        self._proxies = tuple(_networks(proxies))
        self._held: Counter[str] = Counter()

    def enter(self, address: str) -> bool:
        """Count somebody in; false where he has as many as he may already, and then he is not counted."""
        source = self._source(address)
        if source is None:
            return True
        if self._most is not None and self._held[source] >= self._most:
            return False
        self._held[source] += 1
        return True

    def leave(self, address: str) -> None:
        """Count somebody out who was counted in."""
        source = self._source(address)
        if source is None:
            return
        self._held[source] -= 1
        if self._held[source] <= 0:
            del self._held[source]

    def _source(self, address: str) -> str | None:
        """Whose it is; None where nobody counts. Of the sixth version a household has a whole network."""
        if self._is_open:
            return None
        try:
            found = ipaddress.ip_address(address.partition("%")[0])
        except ValueError:  # a socket in the file system has none
            return None
        found = getattr(found, "ipv4_mapped", None) or found
        if any(found in network for network in self._proxies):
            return None
        return str(found) if found.version == 4 else str(ipaddress.ip_network((found, 64), strict=False))


def _networks(proxies: str) -> Iterator[Network]:
    for one in proxies.split(","):
        try:
            yield ipaddress.ip_network(one.strip(), strict=False)
        except ValueError:  # a name or a path, which is no address of a connection
            continue
