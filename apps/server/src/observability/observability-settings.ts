import type { BatchSpanProcessorOptions } from '@opentelemetry/sdk-trace';

/** The levels of the log, from everything to nothing. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/**
 * The formats of the log: `json` for machines, with one line for each event; `pretty` for people at
 * a terminal.
 */
export const logFormats = ['json', 'pretty'] as const;
export type LogFormat = (typeof logFormats)[number];

/**
 * The samplers, which decide which traces are recorded. Their names come from OpenTelemetry's
 * specification.
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
   * The URL of the collector. The exporter itself reads the other variables `OTEL_EXPORTER_OTLP_*`.
   */
  readonly url: string;
  readonly sampler: SamplerName;
  /**
   * The share of recorded traces among those that begin in this service. For other traces, the
   * caller's decision counts.
   */
  readonly sampleShare: number;
  readonly batches: Omit<BatchSpanProcessorOptions, 'exporter'>;
}

/** Settings of the log, the metrics and the traces. */
export interface ObservabilitySettings {
  readonly logLevel: LogLevel;
  /** `undefined` for pretty lines on a terminal and JSON elsewhere. */
  readonly logFormat: LogFormat | undefined;
  /** The duration in milliseconds from which the line of a request includes its waits. */
  readonly slowRequestMs: number;
  /** Settings of traces; `undefined` if traces are not sent. */
  readonly traces: TracingSettings | undefined;
  /**
   * How long log lines are collected before they are written. At 1,000 requests a second, writing
   * every 50 ms took 8 % of a request's CPU time, for the system call and the wake-up of its
   * thread.
   */
  readonly logBatchMs: number;
  /** How long shutting down waits for a reader of the log that has stopped reading. */
  readonly logCloseTimeoutMs: number;
  /**
   * How long shutting down waits for a collector that does not respond. It does not wait for a
   * collector that refuses connections or whose last response was a failure. A collector nearby
   * responds within 20 ms, and the last spans are sent as soon as the last request has ended.
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
