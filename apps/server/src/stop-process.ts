import type { EventEmitter } from 'node:events';
import { inspect } from 'node:util';
import { sleep, systemClock } from '@animal-store/runtime';
import type { Observability } from './observability/open-observability.ts';
import type { Service } from './service.ts';

/** How long requests in flight may take to finish before their connections are cut. */
export const drainMs = { SIGINT: 2_000, SIGTERM: 5_000 };
/**
 * Ctrl-C in a terminal and systemd's SIGTERM go to the whole process group: the signal arrives directly,
 * and again from npm. Within this time the second one is the same signal.
 */
const sameSignalMs = 500;
/** How often a stop looks whether the event loop is free. */
const checkMs = 50;

type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** What is needed of a process to stop it. */
type StoppableProcess = EventEmitter & {
  exit(code?: number): void;
  exitCode?: number | string | null | undefined;
};

/**
 * Stops the process on SIGINT, SIGTERM and SIGHUP (its terminal is gone), and after an unexpected failure. A stop drains the service,
 * closes it and exits. A second signal exits at once: the databases survive that.
 *
 * @param host the process.
 */
export function stopOnSignals(host: StoppableProcess = process, clock = systemClock) {
  let observability: Observability | undefined;
  let running: { readonly service: Service; readonly graceMs: number } | undefined;
  let stopping: { readonly signal: NodeJS.Signals; readonly since: number } | undefined;
  /** When all signals that had arrived were handled. */
  let freeAt = 0;
  let failed = false;

  function onSignal(signal: NodeJS.Signals): void {
    if (stopping !== undefined) {
      // Not the time now: while the event loop is blocked, as by a flush to a slow disk, a signal waits.
      const isEcho = signal === stopping.signal && freeAt - stopping.since < sameSignalMs;
      if (!isEcho) host.exit(1);
      return;
    }
    stopping = { signal, since: clock.elapsed() };
    freeAt = stopping.since;
    // A turn of the event loop handles timers, then signals, then what `setImmediate` is given.
    clock.every(checkMs, () => setImmediate(noteFree)).unref();
    observability?.onStop(signal);
    void stop(signal as StopSignal);
  }

  function noteFree(): void {
    freeAt = clock.elapsed();
  }

  /**
   * A start that is not finished can be cut anywhere: migrations and the first animals are
   * transactions, an incomplete embedded database is created again, and locks end with the process. A
   * requested stop is no failure, so the exit code is 0.
   */
  async function stop(signal: StopSignal): Promise<void> {
    if (running !== undefined) {
      const { service, graceMs } = running;
      service.drain();
      // After SIGTERM load balancers need time to notice. After Ctrl-C a person waits.
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

  /** Ends the process: after an unexpected failure its state is unknown. */
  async function fail(failure: unknown): Promise<void> {
    // Report the first failure only; later ones may follow from it.
    if (failed) return;
    failed = true;
    if (observability === undefined) process.stderr.write(`${inspect(failure)}\n`);
    else await observability.onFatal(failure);
    host.exit(1);
  }

  host.on('SIGINT', onSignal);
  host.on('SIGTERM', onSignal);
  host.on('SIGHUP', onSignal);
  // Includes unhandled rejections.
  host.on('uncaughtException', fail);

  return {
    fail,

    /** From now on stops and failures are logged. */
    logTo(opened: Observability): void {
      observability = opened;
    },

    /** From now on a stop drains and closes the service. */
    drain(service: Service, graceMs: number): void {
      running = { service, graceMs };
    },
  };
}
