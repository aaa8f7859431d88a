export { type BatchContext, type BatcherOptions, createBatcher, type SendBatch } from './batch.ts';
export { type Clock, sleep, systemClock, type Timer } from './clock.ts';
export {
  type Environment,
  EnvironmentReader,
  isUrl,
  namesOf,
  ports,
  type Range,
  readSettings,
} from './environment-reader.ts';
export { errorText } from './error-text.ts';
export { escapeUnprintable } from './escape-unprintable.ts';
export { localSocketPath, readDataDir } from './local-socket-path.ts';
export { measureClockDifference } from './measure-clock-difference.ts';
export { maxAddressBytes, maxOpenFiles } from './process-limits.ts';
export { repeat } from './repeat.ts';
export { StartupError } from './startup-error.ts';
export { drainMs, stopOnSignals } from './stop-on-signals.ts';
export {
  ignored,
  oneOf,
  type ParameterRule,
  readParameters,
  refused,
  supported,
} from './url-parameters.ts';
export { type TimeLimit, waitAtMost } from './wait-at-most.ts';
