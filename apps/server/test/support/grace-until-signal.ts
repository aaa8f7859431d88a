/**
 * Lets the grace period of a stop last until SIGUSR2 instead of so many milliseconds. For
 * `NODE_OPTIONS=--import=file:///…/grace-until-signal.ts?ms=60000`, the value of `SHUTDOWN_GRACE_MS`.
 */
const graceMs = Number(new URL(import.meta.url).searchParams.get('ms'));
const { setTimeout } = globalThis;

globalThis.setTimeout = Object.assign((...[task, ms, ...args]: Parameters<typeof setTimeout>) => {
  if (ms === graceMs) process.once('SIGUSR2', task);
  return setTimeout(task, ms, ...args);
}, setTimeout);
