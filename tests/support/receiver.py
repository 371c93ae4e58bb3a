"""A receiver of webhooks on the loopback, which does what it is told: answers, fails, hangs, or breaks off."""

import base64
import hashlib
import hmac
import json
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]


@dataclass
class Received:
    """One request."""

    headers: dict[str, str]
    body: bytes
    path: str

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def json(self) -> Json:
        found: Json = json.loads(self.body)
        return found

    @property
    def events(self) -> list[Json]:
        found: list[Json] = self.json["data"]["events"]
        return found

    def is_signed_by(self, secret: str) -> bool:
        """Reckoned from the published specification alone, with nothing of the library that signs."""
        key = base64.b64decode(secret.removeprefix("whsec_"))
        signed = f"{self.id}.{self.headers['webhook-timestamp']}.".encode() + self.body
        wanted = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
        return wanted in self.headers["webhook-signature"].split(" ")


@dataclass
class Receiver:
    """What came in, and what is answered: `answer` gets the handler and does the rest."""

    port: int = 0
    received: list[Received] = field(default_factory=list)
    connections: int = 0
    answer: Callable[[Any], None] = lambda handler: reply(handler, 204)

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"http://{self.address}/hook"


def reply(handler: Any, status: int, **headers: str) -> None:
    """A plain answer."""
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.send_header("content-length", "0")
    handler.end_headers()


def drop(handler: Any) -> None:
    """Close the line without a word."""
    handler.connection.shutdown(socket.SHUT_RDWR)
    handler.close_connection = True


@contextmanager
def receiver(context: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    """A receiver on a free port, over TLS if a context is given."""
    made = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            made.received.append(Received({k.lower(): v for k, v in self.headers.items()}, body, self.path))
            made.answer(self)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 64

        def get_request(self) -> Any:
            line, peer = self.socket.accept()
            made.connections += 1
            if context is not None:
                line.settimeout(10)
                line = context.wrap_socket(line, server_side=True)
            return line, peer

        def handle_error(self, request: Any, client_address: Any) -> None:
            pass  # we broke the line, or he did

    server = Server(("127.0.0.1", 0), Handler)
    made.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
