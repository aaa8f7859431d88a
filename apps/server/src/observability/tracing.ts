import { AsyncLocalStorage } from 'node:async_hooks';
import type { StatementContext } from '@animal-store/postgres';
import { DatabaseError } from '@animal-store/postgres';
import type { BatchContext } from '@animal-store/runtime';
import { waitAtMost } from '@animal-store/runtime';
import {
  type Context,
  DiagLogLevel,
  defaultTextMapGetter,
  diag,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  hostDetector,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import * as semconv from '@opentelemetry/semantic-conventions';
import type { RequestTracing, TracedRequest } from '../api/request-record.ts';
import type { SamplerName, TracingSettings } from './observability-settings.ts';
import { watchCalls } from './watch-calls.ts';

/** The methods that OpenTelemetry knows. All others are recorded as `_OTHER`. */
const knownMethods: ReadonlySet<string> = new Set(
  'CONNECT DELETE GET HEAD OPTIONS PATCH POST PUT TRACE'.split(' '),
);

export interface OpenTracing extends RequestTracing {
  /** Returns the trace of the current request, if it is recorded. */
  currentTraceId(): string | undefined;
  close(): Promise<void>;
}

/**
 * Opens tracing, which sends traces by OTLP: one span for each request, and one for each of its
 * Redis commands and statements.
 *
 * This module is imported only if traces are sent. It creates spans itself instead of using
 * OpenTelemetry's instrumentations. They patch modules as they are loaded (ES modules through a
 * loader hook), do not support postgres.js or PGlite, and put URLs and statements into spans.
 */
export function openTracing(
  options: TracingSettings & {
    version: string;
    flushTimeoutMs: number;
    /** Called when spans cannot be delivered. */
    onTrouble: (message: string) => void;
  },
): OpenTracing {
  const { url, sampler, sampleShare, batches, version, flushTimeoutMs, onTrouble } = options;
  // The logger of OpenTelemetry passes further arguments, which are dropped.
  const tell = (message: string) => onTrouble(message);
  diag.setLogger(
    { error: tell, warn: tell, info: () => {}, debug: () => {}, verbose: () => {} },
    DiagLogLevel.WARN,
  );
  const provider = new TracerProvider({
    resource: resourceOf(version),
    sampler: createSampler(sampler, sampleShare),
    spanProcessors: [
      new BatchSpanProcessor({
        ...batches,
        exporter: new OTLPTraceExporter({ url }),
      }),
    ],
  });
  const tracer = provider.getTracer('animal-store', version);
  const propagator = new W3CTraceContextPropagator();
  const current = new AsyncLocalStorage<Context>();

  /**
   * Begins the span of a call that belongs to a request. The span never contains the arguments of
   * the call.
   */
  function startSpan(operation: string, system: string) {
    const parent = current.getStore();
    if (parent === undefined) return undefined;
    const attributes = {
      [semconv.ATTR_DB_OPERATION_NAME]: operation,
      [semconv.ATTR_DB_SYSTEM_NAME]: system,
    };
    const span = tracer.startSpan(operation, { kind: SpanKind.CLIENT, attributes }, parent);
    return (error: unknown) => {
      if (error !== undefined) {
        // The message of an error may repeat its arguments.
        const type = error instanceof DatabaseError ? error.code : 'Error';
        span.setAttribute(semconv.ATTR_ERROR_TYPE, type);
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
    start(request, arrivedAt) {
      // The caller's tracestate is not read, because a caller could put anything into it, and every
      // span would repeat it.
      const { traceparent } = request.headers;
      const parent = propagator.extract(ROOT_CONTEXT, { traceparent }, defaultTextMapGetter);
      const span = tracer.startSpan(
        'request',
        { kind: SpanKind.SERVER, startTime: arrivedAt },
        parent,
      );
      return {
        traceId: traceIdOf(span),
        run: (answer) => current.run(trace.setSpan(parent, span), answer),
        end(record) {
          const { method, route, status, requestId, key, decision, errorCode } = record;
          const isKnown = knownMethods.has(method);
          span.updateName([isKnown ? method : 'HTTP', route].filter(Boolean).join(' '));
          span.setAttributes({
            [semconv.ATTR_HTTP_REQUEST_METHOD]: isKnown
              ? method
              : semconv.HTTP_REQUEST_METHOD_VALUE_OTHER,
            ...(!isKnown && { [semconv.ATTR_HTTP_REQUEST_METHOD_ORIGINAL]: method }),
            ...(route && { [semconv.ATTR_HTTP_ROUTE]: route }),
            [semconv.ATTR_HTTP_RESPONSE_STATUS_CODE]: status,
            [semconv.ATTR_URL_PATH]: pathToShow(request, route),
            // A trusted proxy may have copied X-Forwarded-Proto from a caller.
            [semconv.ATTR_URL_SCHEME]: request.protocol === 'https' ? 'https' : 'http',
            'animal_store.request_id': requestId,
            ...(key && { 'animal_store.key_id': key.id, 'animal_store.plan': key.plan }),
            ...(decision && { 'animal_store.quota': decision.outcome }),
            ...(errorCode && { 'animal_store.error_code': errorCode }),
          });
          // A 4xx is an error of the caller and not of the server (semantic conventions for HTTP
          // spans).
          if (status >= 500) {
            span.setAttribute(semconv.ATTR_ERROR_TYPE, errorCode ?? String(status));
            span.setStatus({ code: SpanStatusCode.ERROR });
          }
          span.end();
        },
      };
    },
    currentTraceId() {
      const context = current.getStore();
      const span = context && trace.getSpan(context);
      return span && traceIdOf(span);
    },
    async close() {
      for (const end of unwatch) end();
      const sent = provider.shutdown().catch((failure: unknown) => tell(String(failure)));
      await waitAtMost({ ms: flushTimeoutMs }, sent, () => {});
    },
  };
}

/**
 * Creates the sampler with this name ("Environment Variable Specification", "General SDK
 * Configuration").
 */
function createSampler(name: SamplerName, share: number): Sampler {
  switch (name) {
    case 'always_on':
      return new AlwaysOnSampler();
    case 'always_off':
      return new AlwaysOffSampler();
    case 'traceidratio':
      return new TraceIdRatioBasedSampler(share);
    case 'parentbased_always_on':
      return new ParentBasedSampler({ root: new AlwaysOnSampler() });
    case 'parentbased_always_off':
      return new ParentBasedSampler({ root: new AlwaysOffSampler() });
    case 'parentbased_traceidratio':
      return new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) });
  }
}

/**
 * Describes the service, its environment and its replica. Values from environment variables take
 * precedence.
 */
function resourceOf(version: string) {
  const ours = resourceFromAttributes({
    [semconv.ATTR_SERVICE_NAME]: 'animal-store',
    [semconv.ATTR_SERVICE_VERSION]: version,
  });
  const detectors = [
    hostDetector,
    serviceInstanceIdDetector,
    resourceAttributesEnvDetector,
    serviceNameEnvDetector,
  ];
  return defaultResource().merge(ours).merge(detectResources({ detectors }));
}

/** Returns the id of a trace that is recorded. The id of any other trace would be useless. */
function traceIdOf(span: Span): string | undefined {
  return span.isRecording() ? span.spanContext().traceId : undefined;
}

/**
 * Replaces parts of the path that may be a caller's secret: an unknown path, and parameters that
 * are not numbers.
 */
function pathToShow(request: TracedRequest, route: string | undefined): string {
  // A path without a route has not been parsed, perhaps because parsing fails.
  if (route === undefined) return '/REDACTED';
  const template = route.split('/');
  const isShown = (part: string, index: number) =>
    !template[index]?.startsWith(':') || /^-?\d{1,19}$/.test(part);
  return `${request.baseUrl}${request.path}`
    .split('/')
    .map((part, index) => (isShown(part, index) ? part : 'REDACTED'))
    .join('/');
}
