/**
 * Shifts this process's wall clock by as many milliseconds as its own address says:
 * `NODE_OPTIONS=--import=file:///…/shifted-clock.ts?ms=300000`. What counts time that has passed
 * (`performance.now`, timers) stays as it is, as on a machine whose clock is wrong.
 */
const shiftMs = Number(new URL(import.meta.url).searchParams.get('ms'));

const RealDate = Date;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [RealDate.now() + shiftMs] : args, newTarget),
  apply: () => new Date().toString(),
  get(target, name, receiver) {
    if (name === 'now') return () => RealDate.now() + shiftMs;
    return Reflect.get(target, name, receiver);
  },
});
