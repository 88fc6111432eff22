"""What an operator sees of the service: a line of log for each request, numbers for Prometheus, and spans for
OpenTelemetry. None of them has anything of a text, a question or a key.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from opentelemetry import propagate, trace
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from starlette.datastructures import MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wherefrom import interfaces
from wherefrom.engine.params import check_call_id
from wherefrom.interfaces.http.responses import refusal
from wherefrom.model.errors import WherefromError
from wherefrom.model.identifiers import new_id

logger = logging.getLogger("wherefrom.http")

MULTIPROCESS: Final = "PROMETHEUS_MULTIPROC_DIR"
_BOUNDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_tracer: Final = trace.get_tracer("wherefrom")


class JsonLines(logging.Formatter):
    """A record of the log as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "at": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


def log_as_json(level: int = logging.INFO) -> None:
    """Write the log of this process to stderr, a JSON object a line."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.getLogger("wherefrom").setLevel(level)


class Numbers:
    """The numbers of a service; with several processes, those of all of them."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self.requests = Counter(
            "wherefrom_requests", "Requests by route, verb and status.", ("route", "verb", "status"),
            registry=self._registry,
        )  # fmt: skip
        self.seconds = Histogram(
            "wherefrom_request_seconds", "Seconds from a request to its answer.", ("route", "verb"), buckets=_BOUNDS,
            registry=self._registry,
        )  # fmt: skip
        self._gauges = {
            name: Gauge(f"wherefrom_{name}", about, registry=self._registry, multiprocess_mode="livesum")
            for name, about in (
                ("calls_running", "Verbs that run on a thread."),
                ("calls_waiting", "Calls that wait for a thread."),
                ("streams_open", "Streams of changes that are open."),
            )
        }

    def note(self, now: Mapping[str, int]) -> None:
        """Note what goes on in this process at the moment."""
        for name, value in now.items():
            self._gauges[name].set(value)

    def exposition(self) -> Response:
        """Return all numbers as Prometheus reads them."""
        registry = self._registry
        if MULTIPROCESS in os.environ:
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return Response(generate_latest(registry), media_type="text/plain; version=0.0.4; charset=utf-8")


class Observation:
    """Gives each request an id, logs and counts it, traces it if that is set up, and answers for what fails."""

    def __init__(
        self, app: ASGIApp, numbers: Numbers, *, route_of: Callable[[str], str], now: Callable[[], Mapping[str, int]]
    ) -> None:
        """route_of: the route of a path; paths that are none share one, so that they make no new numbers. now: what
        goes on in this process.
        """
        self._app = app
        self._now = now
        self._numbers = numbers
        self._route_of = route_of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        state: dict[str, Any] = scope.setdefault("state", {})
        state["request_id"] = _request_id(scope)
        status, begun = 0, time.perf_counter()

        async def sent(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                # An error in an answer of MCP says so in its status, too, if the call should be made again.
                status = int(state.get("status") or message["status"])
                message["status"] = status
                headers = MutableHeaders(scope=message)
                headers["X-Request-Id"] = state["request_id"]
                for name, value in state.get("headers", {}).items():
                    headers[name] = value
            await send(message)

        route = self._route_of(scope["path"])
        with _span(scope, route, state) as note_status:
            try:
                await self._app(scope, receive, sent)
            except Exception:
                logger.exception("a request failed", extra={"fields": {"request_id": state["request_id"]}})
                if not status:
                    answer = refusal(
                        "internal_error", "it failed unexpectedly", "the service's log says why",
                        request_id=state["request_id"],
                    )  # fmt: skip
                    await answer(scope, receive, sent)
            finally:
                seconds = time.perf_counter() - begun
                verb = state.get("verb", "")
                self._numbers.requests.labels(route, verb, str(status or 499)).inc()
                self._numbers.seconds.labels(route, verb).observe(seconds)
                self._numbers.note(self._now())
                note_status(status or 499)
                self._log(scope, state, route=route, status=status or 499, ms=round(seconds * 1000, 1))

    def _log(self, scope: Scope, state: dict[str, Any], **fields: Any) -> None:
        caller = state.get("caller")
        fields |= {"method": scope["method"], "request_id": state["request_id"]}
        fields |= {"client": scope["client"][0]} if scope.get("client") else {}
        fields |= {"verb": state["verb"]} if "verb" in state else {}
        fields |= {"key_id": caller.key_id} if caller is not None and caller.key_id else {}
        logger.info("request", extra={"fields": fields})


def _request_id(scope: Scope) -> str:
    """Return the id that the caller gave the request, or a new one."""
    for name, value in scope["headers"]:
        if name == b"x-request-id":
            try:
                return check_call_id(value.decode("latin-1"), field="request_id")
            except WherefromError:
                break
    return new_id()


@contextmanager
def _span(scope: Scope, route: str, state: dict[str, Any]) -> Iterator[Callable[[int], None]]:
    """Trace what is done inside, as a part of the caller's trace if it sent one."""
    carrier = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    context = propagate.extract({name: carrier[name] for name in ("traceparent", "tracestate") if name in carrier})
    with _tracer.start_as_current_span(
        f"{scope['method']} {route}", context=context, kind=trace.SpanKind.SERVER
    ) as span:

        def note_status(status: int) -> None:
            span.set_attribute("http.response.status_code", status)
            span.set_attribute("http.route", route)
            span.set_attribute("wherefrom.verb", state.get("verb", ""))
            span.set_attribute("wherefrom.request_id", state["request_id"])

        yield note_status


def send_traces() -> Callable[[], None]:
    """Send traces to the collector that the usual variables of OpenTelemetry name, if they do; return what ends it."""
    if not any(os.environ.get(f"OTEL_EXPORTER_OTLP{part}_ENDPOINT") for part in ("", "_TRACES")):
        return lambda: None
    try:
        ending: Callable[[], None] = interfaces.traces.send()
    except ImportError:
        logger.warning("traces are not sent: pip install 'wherefrom[telemetry]'")
        return lambda: None
    return ending
