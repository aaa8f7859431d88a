import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { Observability } from './observability/open-observability.ts';
import type { Service } from './service.ts';

/** How long requests in flight may take to finish before their connections are cut. */
const drainTimeoutMs = { SIGINT: 2_000, SIGTERM: 5_000 } as const;

type StopSignal = keyof typeof drainTimeoutMs;

/**
 * Ctrl-C in a terminal and systemd's SIGTERM go to the whole process group: the signal arrives directly,
 * and again from npm. Within this time the second one is the same signal.
 */
const sameSignalMs = 500;

/** How often a stop looks whether the event loop is free. */
const checkMs = 50;

/**
 * Stops the process on SIGINT and SIGTERM, and after an unexpected failure. A stop drains the service,
 * closes it and exits. A second signal exits at once: the databases survive that.
 */
export function stopOnSignals() {
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
      if (!isEcho) process.exit(1);
      return;
    }
    stopping = { signal, since: performance.now() };
    freeAt = stopping.since;
    // A turn of the event loop handles timers, then signals, then what `setImmediate` is given.
    setInterval(() => setImmediate(noteFree), checkMs).unref();
    observability?.onStop(signal);
    void stop(signal as StopSignal);
  }

  function noteFree(): void {
    freeAt = performance.now();
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
      await sleep(signal === 'SIGTERM' ? graceMs : 0);
      try {
        await service.close(drainTimeoutMs[signal]);
      } catch (error) {
        observability?.report(error);
        process.exitCode = 1;
      }
    }
    await observability?.close();
    process.exit();
  }

  /** Ends the process: after an unexpected failure its state is unknown. */
  async function fail(failure: unknown): Promise<void> {
    // Report the first failure only; later ones may follow from it.
    if (failed) return;
    failed = true;
    if (observability === undefined) process.stderr.write(`${inspect(failure)}\n`);
    else await observability.onFatal(failure);
    process.exit(1);
  }

  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  // Includes unhandled rejections.
  process.on('uncaughtException', fail);

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
