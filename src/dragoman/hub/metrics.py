"""What the hub counts, for Prometheus. Labels are routes, methods, statuses and codes of ours: no role, id or text."""

from __future__ import annotations

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from dragoman import __version__
from dragoman.hub.store import Store
from dragoman.hub.wake import Bell

CONTENT_TYPE: Final = CONTENT_TYPE_LATEST
_METHODS: Final = frozenset({"GET", "POST", "PUT"})
_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """The counters of one hub process, in a registry of their own."""

    def __init__(self, store: Store, bell: Bell) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "dragoman_hub_requests",
            "Requests answered; `code` is empty for a success.",
            ("route", "method", "status", "code"),
            registry=self._registry,
        )
        self._seconds = Histogram(
            "dragoman_hub_request_seconds",
            "How long an answer took; a poll waits as long as it was asked to.",
            ("route",),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._known: dict[tuple[str, str, str, str], tuple[Counter, Histogram]] = {}
        """By what a request is counted: as many as there are routes, methods and codes."""
        commits = Gauge("dragoman_hub_commits", "Transactions committed by this process.", registry=self._registry)
        commits.set_function(lambda: store.commits)
        polls = Gauge("dragoman_hub_polls_waiting", "Polls that wait in this process.", registry=self._registry)
        polls.set_function(bell.waiting_in_all)
        Gauge("dragoman_hub_info", "The version that runs.", ("version",), registry=self._registry).labels(
            __version__
        ).set(1)

    def count(self, route: str, method: str, status: int, code: str, seconds: float) -> None:
        """One request that was answered; `route` is a template of ours."""
        key = (route, method if method in _METHODS else "other", str(status), code)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = (self._requests.labels(*key), self._seconds.labels(route))
        found[0].inc()
        found[1].observe(seconds)

    def text(self) -> bytes:
        """All of it as Prometheus reads it."""
        return generate_latest(self._registry)
