"""A line between a client and a server that can be cut, in the middle of whatever is being said."""

import contextlib
import socket
import struct
import threading
from collections.abc import Iterator


class Wire:
    """Listens on the loopback and passes on to a server what it hears, both ways."""

    def __init__(self, host: str, port: int) -> None:
        self._to = (host, port)
        self._lines: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._is_cut = False
        self._left: int | None = None
        self.opened = 0
        """How many connections there have been."""
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self, after: int = 0) -> None:
        """End every connection, and refuse new ones; at once or when so many more bytes have come from the server."""
        with self._lock:
            if after:
                self._left = after
                return
            self._is_cut, self._left = True, None
            lines = list(self._lines)
        for line in lines:
            _reset(line)

    @property
    def is_cut(self) -> bool:
        """Whether nothing gets through."""
        return self._is_cut

    def mend(self) -> None:
        """Let connections through again."""
        self._is_cut = False

    def close(self) -> None:
        """End it for good."""
        self.cut()
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if self._is_cut:
                _reset(client)
                client.close()
                continue
            try:
                server = socket.create_connection(self._to)
            except OSError:
                client.close()
                continue
            self.opened += 1
            with self._lock:
                self._lines |= {client, server}
            for one, other, counts in ((client, server, False), (server, client, True)):
                threading.Thread(target=self._pass_on, args=(one, other, counts), daemon=True).start()

    def _pass_on(self, one: socket.socket, other: socket.socket, counts: bool) -> None:
        with contextlib.suppress(OSError):
            while heard := one.recv(65536):
                if counts and self._left is not None:
                    heard, left = heard[: self._left], self._left - len(heard)
                    self._left = max(0, left)
                    other.sendall(heard)
                    if left <= 0:
                        self.cut()
                        break
                else:
                    other.sendall(heard)
        with self._lock:
            self._lines -= {one, other}
        for line in (one, other):
            with contextlib.suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)
        one.close()


def _reset(line: socket.socket) -> None:
    """End a connection as a lost network does in the end: with an error, not in order."""
    with contextlib.suppress(OSError):
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        line.shutdown(socket.SHUT_RDWR)


@contextlib.contextmanager
def wire_to(url: str) -> Iterator[Wire]:
    """A wire to the server at that address."""
    host, port = url.removeprefix("http://").split(":")
    wire = Wire(host, int(port))
    try:
        yield wire
    finally:
        wire.close()
