import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  DiagLogLevel,
  defaultTextMapGetter,
  diag,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { RequestTracing } from '../api/request-record.ts';
import { DatabaseError } from '../database/database-error.ts';
import type { StatementContext } from '../database/statement.ts';
import type { BatchContext } from '../shared/batch.ts';
import { waitAtMost } from '../shared/wait-at-most.ts';
import { watchCalls } from './watch-calls.ts';

/** How long a stop waits for the last spans to be taken, in milliseconds. */
const flushTimeoutMs = 2_000;

export interface OpenTracing extends RequestTracing {
  close(): Promise<void>;
}

/**
 * Sends traces by OTLP: a span a request, and one for each Redis command and statement it needs.
 *
 * This module is imported only if there is somewhere to send to. Spans are made here and not by
 * OpenTelemetry's instrumentations, which patch modules as they are loaded (for ES modules through
 * a loader hook), know neither postgres.js nor PGlite, and put URLs and statements into spans.
 *
 * @param options.endpoint what `OTEL_EXPORTER_OTLP_ENDPOINT` says; the exporter itself reads the
 * other variables of its kind, such as `OTEL_EXPORTER_OTLP_HEADERS`.
 * @param options.sampleShare of the traces begun here; a caller's own decision is kept.
 * @param options.onTrouble is told when spans cannot be delivered.
 */
export function openTracing(options: {
  endpoint: string;
  sampleShare: number;
  version: string;
  onTrouble: (message: string) => void;
}): OpenTracing {
  const { endpoint, sampleShare, version, onTrouble } = options;
  const tell = (message: string) => onTrouble(message);
  diag.setLogger(
    { error: tell, warn: tell, info: () => {}, debug: () => {}, verbose: () => {} },
    DiagLogLevel.WARN,
  );
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'animal-store',
      'service.version': version,
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampleShare) }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` }),
      }),
    ],
  });
  const tracer = provider.getTracer('animal-store', version);
  const propagator = new W3CTraceContextPropagator();
  const current = new AsyncLocalStorage<Context>();

  /** Begins the span of a call, if it is made for a request. Never tells what the call was given. */
  function startSpan(operation: string, system: string) {
    const parent = current.getStore();
    if (parent === undefined) return undefined;
    const attributes = { 'db.operation.name': operation, 'db.system.name': system };
    const span = tracer.startSpan(operation, { kind: SpanKind.CLIENT, attributes }, parent);
    return (error: unknown) => {
      if (error !== undefined) {
        // The message of an error may repeat what it was given.
        span.setAttribute('error.type', error instanceof DatabaseError ? error.code : 'Error');
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    };
  }
  const unwatch = [
    watchCalls<{ command: string }>('ioredis:command', ({ command }) =>
      startSpan(command, 'redis'),
    ),
    watchCalls<BatchContext>('animal-store:batch', ({ operation, system }) =>
      startSpan(operation, system),
    ),
    watchCalls<StatementContext>('animal-store:statement', ({ statement }) =>
      startSpan(statement, 'postgresql'),
    ),
  ];

  return {
    start(headers) {
      // Without its tracestate, where a caller could put anything, to be repeated in every span.
      const { traceparent } = headers;
      const parent = propagator.extract(ROOT_CONTEXT, { traceparent }, defaultTextMapGetter);
      const span = tracer.startSpan('request', { kind: SpanKind.SERVER }, parent);
      return {
        run: (answer) => current.run(trace.setSpan(parent, span), answer),
        end(record) {
          const { method, route = 'other', status, requestId, decision, errorCode } = record;
          const key = record.apiKey ?? record.suspendedKey;
          span.updateName(`${method} ${route}`);
          span.setAttributes({
            'http.request.method': method,
            'http.route': route,
            'http.response.status_code': status,
            'animal_store.request_id': requestId,
            ...(key && { 'animal_store.key_id': key.id, 'animal_store.plan': key.plan }),
            ...(decision && { 'animal_store.quota': decision.outcome }),
            ...(errorCode && { 'error.type': errorCode }),
          });
          if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
    async close() {
      for (const end of unwatch) end();
      const sent = provider.shutdown().catch((failure: unknown) => tell(String(failure)));
      await waitAtMost(flushTimeoutMs, sent, () => {});
    },
  };
}
