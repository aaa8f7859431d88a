// Apart from the log, so that reading the settings, as the CLI does, does not load pino.

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
