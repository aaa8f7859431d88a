import { AsyncLocalStorage } from 'node:async_hooks';
import type { StatementContext } from '@animal-store/postgres';
import type { BatchContext, Clock } from '@animal-store/runtime';
import { errorText, systemClock, waitAtMost } from '@animal-store/runtime';
import {
  type Attributes,
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
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import * as semconv from '@opentelemetry/semantic-conventions';
import { countDroppedSpans } from './count-dropped-spans.ts';
import { createSampler } from './create-sampler.ts';
import { describeResource } from './describe-resource.ts';
import type { SpanLoss } from './metrics.ts';
import type { TracingSettings } from './observability-settings.ts';
import { findRejectedSpans } from './rejected-spans.ts';
import { nameOfRequest, requestAttributes } from './request-attributes.ts';
import type { RequestTracing } from './request-record.ts';
import {
  databaseAttributes,
  publicAddress,
  redisAttributes,
  type SpanAddresses,
} from './span-addresses.ts';
import {
  commandAttributes,
  failureAttributes,
  scriptAttributes,
  statementAttributes,
} from './span-attributes.ts';
import { watchCalls } from './watch-calls.ts';
import { watchCollector } from './watch-collector.ts';

export interface OpenTracing extends RequestTracing {
  /** Returns the id of the current request's trace, if the trace is recorded. */
  currentTraceId(): string | undefined;
  /**
   * Sets the addresses of the service, the database and Redis. Later spans have these addresses as
   * attributes.
   */
  describe(addresses: SpanAddresses): void;
  /** Sends the waiting spans. The function is called when the last request has ended. */
  flush(): Promise<void>;
  /**
   * Sends the waiting spans. The function does not wait for a trace collector that is unavailable.
   */
  close(): Promise<void>;
}

/**
 * Opens tracing, which sends traces by OTLP. Each request has a span, with child spans for its wait
 * in the load shedder's queue, its Redis commands and its SQL statements. Names and attributes
 * follow OpenTelemetry's stable semantic conventions.
 *
 * The module is imported only if traces are sent. The module creates spans itself instead of using
 * OpenTelemetry's instrumentations. The instrumentations patch other modules while these are loaded
 * (ES modules through a loader hook), do not support postgres.js or PGlite, and put URLs and SQL
 * into spans.
 */
export function openTracing(
  options: TracingSettings & {
    version: string;
    clock: Clock;
    /** The longest time that a shutdown waits for a trace collector that does not respond. */
    flushTimeoutMs: number;
    /** A function that is called when spans cannot be delivered. */
    onTrouble: (message: string) => void;
    onDropped: (loss: SpanLoss, spans: number) => void;
  },
): OpenTracing {
  const { url, sampler, sampleShare, batches, version, flushTimeoutMs, onTrouble } = options;
  const { clock } = options;
  // OpenTelemetry's logger also passes details after the message. They are not reported.
  const reportTrouble = (message: string) => onTrouble(message);
  function reportWarning(message: string, details: unknown): void {
    const rejected = findRejectedSpans(message, details);
    if (rejected === undefined) {
      reportTrouble(message);
      return;
    }
    const { spans, reason } = rejected;
    if (spans > 0) options.onDropped('export_failed', spans);
    const event = spans > 0 ? 'has rejected spans of a batch' : 'warns about an accepted batch';
    // The message does not contain the number of spans, because each message has one line a minute.
    reportTrouble(`The trace collector ${event}: ${reason || 'no reason was given'}`);
  }
  // OpenTelemetry's own handler would log the JSON of the error, with its stack.
  setGlobalErrorHandler((failure) => reportTrouble(describeExportFailure(failure)));
  // `suppressOverrideMessage` prevents a warning of OpenTelemetry when tests open tracing several
  // times in one process.
  const levels = { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true };
  diag.setLogger(
    {
      error: reportTrouble,
      warn: reportWarning,
      info: () => {},
      debug: () => {},
      verbose: () => {},
    },
    levels,
  );
  const collector = watchCollector(new OTLPTraceExporter({ url }), {
    ...{ url, clock },
    patienceMs: flushTimeoutMs,
  });
  const provider = new TracerProvider({
    resource: describeResource(version),
    sampler: createSampler(sampler, sampleShare),
    spanProcessors: [
      new BatchSpanProcessor({
        ...batches,
        exporter: collector.exporter,
        selfObsMeterProvider: countDroppedSpans(options.onDropped),
      }),
    ],
  });
  const tracer = provider.getTracer('animal-store', version);
  const propagator = new W3CTraceContextPropagator();
  const current = new AsyncLocalStorage<Context>();

  let serverAttributes: Attributes = {};
  let redisAddress: Attributes = {};
  let isCluster = false;
  let databaseAddress = (): Attributes => ({});

  /**
   * Begins a child span for a call that a request makes. The span never contains the arguments of
   * the call.
   */
  function startSpan(name: string, attributes: () => Attributes) {
    const parent = current.getStore();
    if (parent === undefined) return undefined;
    const options = { kind: SpanKind.CLIENT, attributes: attributes() };
    const span = tracer.startSpan(name, options, parent);
    return (error: unknown) => {
      if (error !== undefined) {
        span.setAttributes(failureAttributes(error));
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    };
  }

  const startStatement = (statement: string) =>
    startSpan(statement, () => ({ ...statementAttributes(statement), ...databaseAddress() }));

  const startScript = (script: string) =>
    startSpan(script, () => ({ ...scriptAttributes(script), ...redisAddress }));

  const startCommand = ({ command, serverAddress, serverPort }: RedisCommand) =>
    startSpan(command, () => ({
      ...commandAttributes(command),
      ...redisAddress,
      // In a Redis Cluster, the span of each command contains the address of the node that executes
      // the command.
      ...(isCluster && {
        [semconv.ATTR_SERVER_ADDRESS]: serverAddress,
        [semconv.ATTR_SERVER_PORT]: serverPort,
      }),
    }));

  const unwatch = [
    watchCalls<RedisCommand>('ioredis:command', startCommand),
    watchCalls<BatchContext>('animal-store:batch', ({ operation, system }) =>
      system === 'redis' ? startScript(operation) : startStatement(operation),
    ),
    watchCalls<StatementContext>('animal-store:statement', ({ statement }) =>
      startStatement(statement),
    ),
  ];

  return {
    start(request, { arrivedAt, waits }) {
      // The caller's `tracestate` header is not read. A caller could put anything into it, and
      // every span would repeat it.
      const { traceparent } = request.headers;
      const parent = propagator.extract(ROOT_CONTEXT, { traceparent }, defaultTextMapGetter);
      const startTime = toUnixMs(arrivedAt);
      const span = tracer.startSpan('request', { kind: SpanKind.SERVER, startTime }, parent);
      const context = trace.setSpan(parent, span);
      const queueMs = waits?.queueMs ?? 0;
      if (queueMs > 0) {
        tracer.startSpan('wait_for_turn', { startTime }, context).end(startTime + queueMs);
      }
      return {
        traceId: traceIdOf(span),
        run: (answer) => current.run(context, answer),
        end(record) {
          span.updateName(nameOfRequest(record));
          if (span.isRecording()) {
            span.setAttributes({ ...serverAttributes, ...requestAttributes(request, record) });
          }
          if (record.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end(startTime + record.durationMs);
        },
      };
    },
    currentTraceId() {
      const context = current.getStore();
      const span = context && trace.getSpan(context);
      return span && traceIdOf(span);
    },
    describe({ origin, database, redis }) {
      serverAttributes = publicAddress(origin);
      redisAddress = redisAttributes(redis);
      isCluster = redis.length > 1;
      databaseAddress = () => databaseAttributes(database());
    },
    // Errors are ignored, because the exporter itself reports the spans that it cannot send.
    flush: () => provider.forceFlush().catch(() => {}),
    async close() {
      for (const end of unwatch) end();
      const sent = provider
        .shutdown()
        .catch((failure: unknown) => reportTrouble(describeExportFailure(failure)));
      const limit = { ms: flushTimeoutMs, clock };
      await waitAtMost(limit, Promise.race([sent, collector.untilUnavailable()]), () => {});
      collector.close();
      const spans = collector.unansweredSpans();
      if (spans > 0)
        reportTrouble(
          `The trace collector did not respond before the service stopped: ${spans} spans are lost.`,
        );
    },
  };
}

/**
 * Describes why a batch of spans was not sent, such as `OTLPExporterError: Bad Request (400)`. The
 * code is the status of the collector's response, or the code of a failed connection.
 */
function describeExportFailure(failure: unknown): string {
  if (!(failure instanceof Error)) return String(failure);
  const { name, code } = failure as Error & { readonly code?: unknown };
  return `${name}: ${errorText(failure)}${code === undefined ? '' : ` (${code})`}`;
}

/** Converts a time of `systemClock.elapsed()` to the Unix time in milliseconds. */
const toUnixMs = (elapsedMs: number) => systemClock.now() - systemClock.elapsed() + elapsedMs;

/**
 * The properties of a Redis command that become attributes of its span. ioredis also publishes
 * `args`, which the service never reads.
 */
interface RedisCommand {
  readonly command: string;
  readonly serverAddress: string;
  readonly serverPort: number | undefined;
}

/**
 * Returns the trace id of a span if the trace is recorded. The id of a trace that is not recorded
 * would be useless.
 */
function traceIdOf(span: Span): string | undefined {
  return span.isRecording() ? span.spanContext().traceId : undefined;
}
