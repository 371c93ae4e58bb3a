"""A real Chromium, driven over the DevTools protocol.

Debian's `chromium` (or another one on the PATH) with a profile of its own that is empty. It is spoken to over a pipe:
JSON documents with a zero byte behind each, so that neither a driver nor a socket library is needed.
"""

import base64
import contextlib
import fcntl
import itertools
import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import IO, Any

import pytest

PATIENCE = 30.0
LEFT_MEANWHILE = ("target navigated", "context was destroyed", "Cannot find context")
"""Seconds that anything may take, on a busy machine."""
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-features=Translate,OptimizationHints,MediaRouter",
    "--no-proxy-server",
    "--window-size=1280,900",
    "--remote-debugging-pipe",
)
# The browser takes its pipe from the descriptors 3 and 4, which only the process itself can give to itself.
LAUNCH = (
    "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4); os.execv(sys.argv[3], sys.argv[3:])"
)
Json = dict[str, Any]


class BrowserError(AssertionError):
    """The browser refused, or the page threw."""


def chromium() -> str:
    """Where Chromium is. Without one the test is skipped, and fails where CI is set: there it must be installed."""
    named = os.environ.get("TURNWRIGHT_TEST_CHROMIUM")
    for name in (named,) if named else ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    told = "No Chromium to test with: install Debian's `chromium`, or set TURNWRIGHT_TEST_CHROMIUM to one."
    if os.environ.get("CI"):
        pytest.fail(told)
    pytest.skip(told)


class Browser:
    """One running Chromium."""

    def __init__(self, program: str, folder: Path) -> None:
        to_it, write = os.pipe()
        read, from_it = os.pipe()
        # Above the two that it wants, so that neither is lost in the exchange.
        kept = [fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in (to_it, from_it)]
        command = [program, *FLAGS, f"--user-data-dir={folder / 'profile'}", "about:blank"]
        with (folder / "chromium.log").open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-c", LAUNCH, *map(str, kept), *command],
                pass_fds=kept,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, "HOME": str(folder)},
                start_new_session=True,
            )
        for fd in (to_it, from_it, *kept):
            os.close(fd)
        self._write: IO[bytes] = os.fdopen(write, "wb", buffering=0)
        self._read: IO[bytes] = os.fdopen(read, "rb", buffering=0)
        self._ids = itertools.count(1)
        self._asked: dict[int, Future[Json]] = {}
        self._pages: dict[str, Page] = {}
        self._lock = threading.Lock()
        self._reader = threading.Thread(target=self._listen, name="chromium", daemon=True)
        self._reader.start()

    def call(self, method: str, session: str | None = None, **params: Any) -> Json:
        """Ask the browser, or one of its pages, for something."""
        asked: Future[Json] = Future()
        with self._lock:
            number = next(self._ids)
            self._asked[number] = asked
            message: Json = {"id": number, "method": method, "params": params}
            if session is not None:
                message["sessionId"] = session
            self._write.write(json.dumps(message).encode() + b"\0")
        found = asked.result(PATIENCE)
        if "error" in found:
            raise BrowserError(f"{method}: {found['error'].get('message')}")
        answer: Json = found["result"]
        return answer

    def page(self, url: str = "about:blank") -> "Page":
        """A new page, as somebody else's browser would have it: nothing is shared with other pages."""
        context = self.call("Target.createBrowserContext")["browserContextId"]
        target = self.call("Target.createTarget", url="about:blank", browserContextId=context)["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = self._pages[session] = Page(self, session)
        for domain in ("Page", "Runtime", "Network"):
            page.call(f"{domain}.enable")
        if url != "about:blank":
            page.go(url)
        return page

    def _listen(self) -> None:
        left = b""
        with contextlib.suppress(OSError, ValueError):
            while more := self._read.read(65536):
                *messages, left = (left + more).split(b"\0")
                for message in messages:
                    self._take(json.loads(message))
        gone = {"error": {"message": "the browser is gone"}}
        for asked in list(self._asked.values()):
            if not asked.done():
                asked.set_result(gone)

    def _take(self, message: Json) -> None:
        if "id" in message:
            self._asked.pop(message["id"]).set_result(message)
        elif (page := self._pages.get(message.get("sessionId", ""))) is not None:
            page.hear(message["method"], message["params"])

    def close(self) -> None:
        """End it, with all its processes."""
        with contextlib.suppress(BrowserError, OSError, TimeoutError):
            self.call("Browser.close")
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, 9)
            self._process.wait()
        self._reader.join(5)
        self._write.close()
        self._read.close()


class Page:
    """One page. What it said on its console and what it threw is kept."""

    def __init__(self, browser: Browser, session: str) -> None:
        self._browser, self._session = browser, session
        self._loaded: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.said: list[str] = []
        """Lines of the console."""
        self.thrown: list[str] = []
        """What nobody caught."""

    def call(self, method: str, **params: Any) -> Json:
        """A method of the protocol, for this page."""
        return self._browser.call(method, self._session, **params)

    def hear(self, method: str, params: Json) -> None:
        """An event of the protocol."""
        if method == "Page.loadEventFired":
            self._loaded.put(method)
        elif method == "Runtime.consoleAPICalled":
            self.said.append(" ".join(str(one.get("value", one.get("description"))) for one in params["args"]))
        elif method == "Runtime.exceptionThrown":
            self.thrown.append(_told(params["exceptionDetails"]))

    def go(self, url: str) -> None:
        """Open an address and wait until it is loaded."""
        found = self.call("Page.navigate", url=url)
        if found.get("errorText"):
            raise BrowserError(f"{url}: {found['errorText']}")
        self._loaded.get(timeout=PATIENCE)

    def run(self, expression: str) -> Any:
        """The value of an expression, awaited if it is a promise."""
        found = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in found:
            raise BrowserError(_told(found["exceptionDetails"]))
        return found["result"].get("value")

    def wait(self, expression: str, patience: float = PATIENCE) -> Any:
        """Wait until an expression is true, and give its value. The page may go elsewhere meanwhile."""
        deadline = time.monotonic() + patience
        while not (value := self._run_where_it_is(expression)):
            if time.monotonic() > deadline:
                raise BrowserError(f"never true: {expression}\nconsole: {self.said[-20:]}\nthrown: {self.thrown}")
            time.sleep(0.05)
        return value

    def _run_where_it_is(self, expression: str) -> Any:
        """Nothing, when the page left for another one in the middle of it."""
        try:
            return self.run(expression)
        except BrowserError as wrong:
            if any(told in str(wrong) for told in LEFT_MEANWHILE):
                return None
            raise

    def text(self, selector: str) -> str:
        """What somebody reads there."""
        found: str = self.wait(f"document.querySelector({json.dumps(selector)})?.innerText")
        return found

    def click(self, selector: str) -> None:
        """Press something with the mouse, where it is seen."""
        where = self.wait(f"""(() => {{
            const it = document.querySelector({json.dumps(selector)});
            if (!it || it.disabled) return null;
            it.scrollIntoView({{block: "center"}});
            const box = it.getBoundingClientRect();
            const at = [box.x + box.width / 2, box.y + box.height / 2];
            const top = document.elementFromPoint(...at);
            return box.width && it.contains(top) ? at : null;
        }})()""")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=where[0], y=where[1], button="left", clickCount=1)

    def type(self, selector: str, text: str) -> None:
        """Write into a field, instead of what stood there."""
        self.click(selector)
        self.run(f"document.querySelector({json.dumps(selector)}).select?.()")
        self.call("Input.insertText", text=text)

    def offline(self, is_offline: bool) -> None:
        """Take the network away from this page, or give it back."""
        self.call(
            "Network.emulateNetworkConditions",
            offline=is_offline,
            latency=0,
            downloadThroughput=-1,
            uploadThroughput=-1,
        )

    def picture(self, path: Path) -> None:
        """Write what is seen to a PNG file."""
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))


def _told(details: Json) -> str:
    return str(details.get("exception", {}).get("description") or details.get("text"))


@contextlib.contextmanager
def browser() -> Iterator[Browser]:
    """A browser for a test, gone with its profile afterwards."""
    program = chromium()
    with tempfile.TemporaryDirectory(prefix="tw-chromium-", ignore_cleanup_errors=True) as folder:
        opened = Browser(program, Path(folder))
        try:
            yield opened
        finally:
            opened.close()
