import type { BatchSpanProcessorOptions } from '@opentelemetry/sdk-trace';

/** How much is logged, from everything to nothing. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** `json` for machines, a line an event; `pretty` for people at a terminal. */
export const logFormats = ['json', 'pretty'] as const;
export type LogFormat = (typeof logFormats)[number];

/** Which traces are recorded, by the names of OpenTelemetry's specification. */
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
  /** Where the collector takes traces; the exporter itself reads the other `OTEL_EXPORTER_OTLP_*`. */
  readonly url: string;
  readonly sampler: SamplerName;
  /** Of the traces begun here; a caller's own decision is kept. */
  readonly sampleShare: number;
  readonly batches: Omit<BatchSpanProcessorOptions, 'exporter'>;
}

/** What operators see of the service from outside. */
export interface ObservabilitySettings {
  readonly logLevel: LogLevel;
  /** `undefined` for pretty lines on a terminal and JSON elsewhere. */
  readonly logFormat: LogFormat | undefined;
  /** From which duration on the line of a request says where its time went, in milliseconds. */
  readonly slowRequestMs: number;
  /** Where traces go, and how; `undefined` for nowhere. */
  readonly traces: TracingSettings | undefined;
  /**
   * How long lines of the log are collected before they are written. Writing every 50 ms took 8 % of the
   * CPU time of a request at 1,000 requests a second: the system call, and waking the thread that does it.
   */
  readonly logBatchMs: number;
  /** How long a stop waits for a reader of the log that has stopped reading. */
  readonly logCloseTimeoutMs: number;
  /** How long a stop waits for the last spans to be taken. */
  readonly traceFlushTimeoutMs: number;
}

export const defaultObservabilitySettings: ObservabilitySettings = {
  logLevel: 'info',
  logFormat: undefined,
  slowRequestMs: 1_000,
  traces: undefined,
  logBatchMs: 250,
  logCloseTimeoutMs: 1_000,
  traceFlushTimeoutMs: 2_000,
};
