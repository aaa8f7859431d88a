// Creates an OpenTelemetry span for each request, below the span of the code that calls the client.
// Install the API: npm install @opentelemetry/api

import type { ClientOptions } from '@animal-store/client';
import { SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api';

/**
 * Creates the hooks for `createClient`. The span attributes have OpenTelemetry's standard names for
 * HTTP clients.
 */
export function traceRequests(tracer: Tracer): Pick<ClientOptions, 'onResponse' | 'onError'> {
  return {
    onResponse({ method, pathTemplate, url, attempt, status, durationMs, requestId }) {
      const span = tracer.startSpan(`${method} ${pathTemplate}`, {
        kind: SpanKind.CLIENT,
        startTime: Date.now() - durationMs,
        attributes: {
          'http.request.method': method,
          'url.template': pathTemplate,
          'url.full': url,
          'http.response.status_code': status,
          'http.request.resend_count': attempt - 1,
          ...(requestId && { 'http.response.header.x-request-id': [requestId] }),
        },
      });
      if (status >= 400) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
    onError({ operation, durationMs, error }) {
      const span = tracer.startSpan(operation, { startTime: Date.now() - durationMs });
      span.recordException(error as Error);
      span.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
      span.end();
    },
  };
}
