"""Sends spans to a collector of OpenTelemetry. It is imported only if one is named: it needs the extra `telemetry`."""

from __future__ import annotations

from collections.abc import Callable

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from wherefrom.lazy import metadata


def send() -> Callable[[], None]:
    """Send all spans of this process from now on; return what sends the last ones and ends it."""
    about = Resource.create({"service.name": "wherefrom", "service.version": metadata.version("wherefrom")})
    provider = TracerProvider(resource=about)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    return provider.shutdown
