import { createNoopMeter, type MeterProvider } from '@opentelemetry/api';
import { ATTR_ERROR_TYPE } from '@opentelemetry/semantic-conventions';
import type { SpanLoss } from './metrics.ts';

/**
 * Creates the meters of a span processor, which reports the spans that it drops to them. This is
 * the only metric of OpenTelemetry that the service needs, so its metrics SDK is not installed.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/otel/sdk-metrics/ for `otel.sdk.processor.span.processed`
 */
export function countDroppedSpans(
  onDropped: (loss: SpanLoss, spans: number) => void,
): MeterProvider {
  const meter = createNoopMeter();
  meter.createCounter = () => ({
    add(spans, attributes) {
      // Only spans that were dropped have an error.
      const failure = attributes?.[ATTR_ERROR_TYPE];
      if (failure === undefined) return;
      onDropped(failure === 'queue_full' ? 'queue_full' : 'export_failed', spans);
    },
  });
  return { getMeter: () => meter };
}
