import type { BatchSpanProcessorOptions } from '@opentelemetry/sdk-trace';

/** The levels of the log. `trace` logs everything, and `silent` logs nothing. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/**
 * The formats of the log. `json` writes one JSON object per event for machines, and `pretty` writes
 * lines for people at a terminal.
 */
export const logFormats = ['json', 'pretty'] as const;
export type LogFormat = (typeof logFormats)[number];

/**
 * The samplers, which decide which traces are recorded. Their names come from the specification of
 * OpenTelemetry.
 */
export const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

export type SamplerName = (typeof samplers)[number];

export interface TracingSettings {
  /**
   * The URL of the trace collector. The exporter itself reads the other environment variables
   * `OTEL_EXPORTER_OTLP_*`.
   */
  readonly url: string;
  readonly sampler: SamplerName;
  /**
   * The fraction of traces that are recorded. It applies only to traces that begin in this service.
   * If a caller has begun a trace, the caller decides whether it is recorded.
   */
  readonly sampleShare: number;
  readonly batches: Omit<BatchSpanProcessorOptions, 'exporter'>;
}

/** Settings of the log, the metrics and the traces. */
export interface ObservabilitySettings {
  readonly logLevel: LogLevel;
  /** The format of the log. `undefined` means pretty lines on a terminal and JSON elsewhere. */
  readonly logFormat: LogFormat | undefined;
  /**
   * The duration in milliseconds from which a request counts as slow. The log line of a slow
   * request says what the request waited for.
   */
  readonly slowRequestMs: number;
  /** The settings of traces; `undefined` if no traces are sent. */
  readonly traces: TracingSettings | undefined;
  /**
   * The time for which log lines are collected before they are written. At 1,000 requests a second,
   * writing every 50 ms took 8 % of the CPU time of a request. Most of this time was the system
   * call and waking up the thread that executes it.
   */
  readonly logBatchMs: number;
  /** The longest time that a shutdown waits for a program that has stopped reading the log. */
  readonly logCloseTimeoutMs: number;
  /**
   * The longest time that a shutdown waits for a trace collector that does not respond. The
   * shutdown does not wait if the collector refuses connections or if its last response was a
   * failure. The limit can be short, because the last spans are sent as soon as the last request
   * has ended. A collector in the same network responds within 20 ms.
   */
  readonly traceFlushTimeoutMs: number;
}

export const defaultObservabilitySettings: ObservabilitySettings = {
  logLevel: 'info',
  logFormat: undefined,
  slowRequestMs: 100,
  traces: undefined,
  logBatchMs: 250,
  logCloseTimeoutMs: 1_000,
  traceFlushTimeoutMs: 500,
};
