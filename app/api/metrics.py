"""A handful of figures for Prometheus, in a registry per application, so that two in one process do not mix."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0)


class Metrics:
    """What is counted. Children are looked up once and kept: labels are dear on the quick path."""

    content_type = CONTENT_TYPE_PLAIN_0_0_4

    def __init__(self) -> None:
        self.registry = CollectorRegistry(auto_describe=True)
        self._requests = Counter(
            "turnwright_requests", "Requests answered.", ("method", "route", "status"), registry=self.registry
        )
        self._seconds = Histogram(
            "turnwright_request_seconds", "Time to answer.", ("route",), buckets=BUCKETS, registry=self.registry
        )
        self._open = Gauge("turnwright_requests_open", "Requests being answered now.", registry=self.registry)
        self._streams = Gauge("turnwright_streams_open", "Streams that are being followed now.", registry=self.registry)
        self._limited = Counter("turnwright_rate_limited", "Requests refused for their rate.", registry=self.registry)
        self._failures = Counter("turnwright_failures", "Requests that failed on our side.", registry=self.registry)
        self._counts: dict[tuple[str, str, int], Counter] = {}
        self._times: dict[str, Histogram] = {}

    def began(self) -> None:
        """A request has come in."""
        self._open.inc()

    def ended(self, method: str, route: str, status: int, seconds: float) -> None:
        """It was answered."""
        self._open.dec()
        key = (method, route, status)
        count = self._counts.get(key)
        if count is None:
            count = self._counts[key] = self._requests.labels(method, route, str(status))
        count.inc()
        times = self._times.get(route)
        if times is None:
            times = self._times[route] = self._seconds.labels(route)
        times.observe(seconds)

    def limited(self) -> None:
        """A request was refused for its rate."""
        self._limited.inc()

    def failed(self) -> None:
        """A request failed on our side."""
        self._failures.inc()

    def stream_opened(self) -> None:
        """Somebody follows an encounter."""
        self._streams.inc()

    def stream_closed(self) -> None:
        """He does so no more."""
        self._streams.dec()

    def text(self) -> bytes:
        """Everything in Prometheus' text form."""
        return generate_latest(self.registry)
