import { createNoopMeter, type MeterProvider } from '@opentelemetry/api';
import { ATTR_ERROR_TYPE } from '@opentelemetry/semantic-conventions';
import type { SpanLoss } from './metrics.ts';

/**
 * Creates a meter provider for a span processor of OpenTelemetry. The span processor reports
 * dropped spans only as a metric. The service needs no other metric of OpenTelemetry, so the
 * metrics SDK is not installed.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/otel/sdk-metrics/ for
 * `otel.sdk.processor.span.processed`
 */
export function countDroppedSpans(
  onDropped: (loss: SpanLoss, spans: number) => void,
): MeterProvider {
  const meter = createNoopMeter();
  meter.createCounter = () => ({
    add(spans, attributes) {
      // The metric also counts the spans that were sent. Only dropped spans have an error type, so
      // all others are ignored.
      const failure = attributes?.[ATTR_ERROR_TYPE];
      if (failure === undefined) return;
      onDropped(failure === 'queue_full' ? 'queue_full' : 'export_failed', spans);
    },
  });
  return { getMeter: () => meter };
}
