"""A lean HTTP/1.1 client on one kept connection, so that the client is not what is measured."""

import asyncio
from typing import Any

Response = tuple[int, bytes]


class Connection(asyncio.Protocol):
    """One request at a time. Knows answers with a length only, which is all that the servers under load send."""

    requests = 0
    """Sent by this process, on all connections."""

    def __init__(self, headers: dict[str, str]) -> None:
        self._fixed = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self._transport: asyncio.Transport | None = None
        self._buffer = b""
        self._needed = 0
        self._waiting: asyncio.Future[Response] | None = None

    @staticmethod
    async def open(port: int, token: str = "") -> "Connection":
        """Connect to a port of the loopback."""
        headers = {"host": f"127.0.0.1:{port}"} | ({"authorization": f"Bearer {token}"} if token else {})
        loop = asyncio.get_running_loop()
        _, protocol = await loop.create_connection(lambda: Connection(headers), "127.0.0.1", port)
        return protocol

    def connection_made(self, transport: Any) -> None:
        """Ready to send."""
        self._transport = transport

    def connection_lost(self, error: Exception | None) -> None:
        """Whoever waits is told."""
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_exception(error or ConnectionError("the server closed the connection"))

    def data_received(self, data: bytes) -> None:
        """Gather an answer."""
        self._buffer = self._buffer + data if self._buffer else data
        if not self._needed:
            end = self._buffer.find(b"\r\n\r\n")
            if end < 0:
                return
            head = self._buffer[:end].lower()
            at = head.find(b"\r\ncontent-length:")
            length = 0 if at < 0 else int(head[at + 17 :].split(b"\r\n", 1)[0])
            self._needed = end + 4 + length
            self._start = end + 4
        if len(self._buffer) >= self._needed:
            answer = (int(self._buffer[9:12]), self._buffer[self._start : self._needed])
            self._buffer, self._needed = b"", 0
            waiting, self._waiting = self._waiting, None
            if waiting is not None and not waiting.done():
                waiting.set_result(answer)

    async def request(self, method: str, path: str, body: bytes = b"", key: str = "") -> Response:
        """Send one request and wait for its answer: status and body."""
        assert self._transport is not None
        head = f"{method} {path} HTTP/1.1\r\n{self._fixed}"
        if body:
            head += f"content-type: application/json\r\ncontent-length: {len(body)}\r\n"
        elif method != "GET":
            head += "content-length: 0\r\n"
        if key:
            head += f"idempotency-key: {key}\r\n"
        self._waiting = asyncio.get_running_loop().create_future()
        Connection.requests += 1
        self._transport.write(head.encode() + b"\r\n" + body)
        return await self._waiting

    def close(self) -> None:
        """Hang up."""
        if self._transport is not None:
            self._transport.close()
