"""Export of spans over OTLP (HTTP, protobuf) by OpenTelemetry's SDK.

Imported only where an endpoint is set: its packages are an extra. A collector that is down, slow or
wrong holds nothing up: spans wait in a queue of bounded length, a thread sends them, and what is
left at the end is given FLUSH_SECONDS. The SDK reads its other standard variables by itself
(OTEL_TRACES_SAMPLER, OTEL_RESOURCE_ATTRIBUTES, OTEL_BSP_..., OTEL_EXPORTER_OTLP_...).
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread

from django.conf import settings
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.util.re import parse_env_headers

FLUSH_SECONDS = 2


def start_export() -> Callable[[], None]:
    """Send this process's spans; return the function that sends the last ones and ends it."""
    from courtroom.tracing import use_tracer

    provider = TracerProvider(
        resource=Resource.create({SERVICE_NAME: settings.OTEL_SERVICE_NAME}), shutdown_on_exit=False
    )
    exporter = OTLPSpanExporter(
        endpoint=f"{settings.OTEL_EXPORTER_OTLP_ENDPOINT}/v1/traces",
        headers=parse_env_headers(settings.OTEL_EXPORTER_OTLP_HEADERS, liberal=True),
    )
    provider.add_span_processor(BatchSpanProcessor(exporter))
    use_tracer(provider.get_tracer("automaton-auditor"))

    def end() -> None:
        use_tracer(None)
        # The SDK's own limit of this wait is 30 seconds.
        last = Thread(target=provider.shutdown, daemon=True)
        last.start()
        last.join(FLUSH_SECONDS)

    return end
