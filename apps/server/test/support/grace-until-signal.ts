import { once } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

/**
 * Lets the grace period of a stop last until SIGUSR2 instead of so many milliseconds. For
 * `NODE_OPTIONS=--import=file:///…/grace-until-signal.ts?ms=60000`, the value of `SHUTDOWN_GRACE_MS`.
 */
const graceMs = Number(new URL(import.meta.url).searchParams.get('ms'));
const { setTimeout: sleep } = timers;
const graceIsOver = once(process, 'SIGUSR2');

timers.setTimeout = (async (ms, value, options) => {
  if (ms !== graceMs) return await sleep(ms, value, options);
  await graceIsOver;
  return value;
}) as typeof sleep;
syncBuiltinESMExports();
