import type { EventEmitter } from 'node:events';
import { inspect } from 'node:util';
import { sleep, systemClock } from '@animal-store/runtime';
import type { Observability } from './observability/open-observability.ts';
import type { Service } from './service.ts';

/** How long requests in flight may take before their connections are closed. */
export const drainMs = { SIGINT: 2_000, SIGTERM: 5_000 };
/**
 * The period in which a second signal counts as an echo of the first. Ctrl-C in a terminal and
 * systemd's SIGTERM go to the whole process group, so the signal arrives directly and again from
 * npm.
 */
const sameSignalMs = 500;
/** How often a stop checks whether the event loop is free. */
const checkMs = 50;

type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** The parts of a process that stopping needs. */
type StoppableProcess = EventEmitter & {
  exit(code?: number): void;
  exitCode?: number | string | null | undefined;
};

/**
 * Stops the process on SIGINT, SIGTERM and SIGHUP (its terminal is closed), and after an unexpected
 * failure. A stop drains the service, closes it and exits. A second signal exits at once, which the
 * databases survive.
 *
 * @param host the process.
 */
export function stopOnSignals(host: StoppableProcess = process, clock = systemClock) {
  let observability: Observability | undefined;
  let running: { readonly service: Service; readonly graceMs: number } | undefined;
  let stopping: { readonly signal: NodeJS.Signals; readonly since: number } | undefined;
  /** The last time at which all signals that had arrived were handled. */
  let freeAt = 0;
  let failed = false;

  function onSignal(signal: NodeJS.Signals): void {
    if (stopping !== undefined) {
      // The time now would be wrong: a signal waits while the event loop is blocked, for example by
      // a flush to a slow disk.
      const isEcho = signal === stopping.signal && freeAt - stopping.since < sameSignalMs;
      if (!isEcho) host.exit(1);
      return;
    }
    stopping = { signal, since: clock.elapsed() };
    freeAt = stopping.since;
    // A turn of the event loop runs timers, then signal handlers, then `setImmediate` callbacks.
    clock.every(checkMs, () => setImmediate(noteFree)).unref();
    observability?.onStop(signal);
    void stop(signal as StopSignal);
  }

  function noteFree(): void {
    freeAt = clock.elapsed();
  }

  /**
   * Stops the service and exits.
   *
   * A start can be interrupted anywhere: migrations and the first animals are transactions, and
   * locks end with the process. An incomplete embedded database is created again. A requested stop
   * is not a failure, so the exit code is 0.
   */
  async function stop(signal: StopSignal): Promise<void> {
    if (running !== undefined) {
      const { service, graceMs } = running;
      service.drain();
      // After SIGTERM, load balancers need time to notice the stop. After Ctrl-C, a person waits.
      await sleep(signal === 'SIGINT' ? 0 : graceMs, clock);
      try {
        await service.close(drainMs[signal === 'SIGINT' ? signal : 'SIGTERM']);
      } catch (error) {
        observability?.report(error);
        host.exitCode = 1;
      }
    }
    await observability?.close();
    host.exit();
  }

  /** Exits after an unexpected failure, because the state of the process is then unknown. */
  async function fail(failure: unknown): Promise<void> {
    // Only the first failure is reported, because later ones may follow from it.
    if (failed) return;
    failed = true;
    if (observability === undefined) process.stderr.write(`${inspect(failure)}\n`);
    else await observability.onFatal(failure);
    host.exit(1);
  }

  host.on('SIGINT', onSignal);
  host.on('SIGTERM', onSignal);
  host.on('SIGHUP', onSignal);
  // This event includes unhandled rejections.
  host.on('uncaughtException', fail);

  return {
    fail,

    /** Makes stops and failures be logged from now on. */
    logTo(opened: Observability): void {
      observability = opened;
    },

    /** Makes a stop drain and close this service. */
    drain(service: Service, graceMs: number): void {
      running = { service, graceMs };
    },
  };
}
