import type { EventEmitter } from 'node:events';
import { inspect } from 'node:util';
import { sleep, systemClock } from './clock.ts';

/**
 * The longest time that requests in flight may take after a signal. After that, their connections
 * are closed.
 */
export const drainMs = { SIGINT: 2_000, SIGTERM: 5_000 };
/**
 * The period in which a second signal counts as a duplicate of the first one. Ctrl-C in a terminal
 * and SIGTERM from systemd go to the whole process group. The server then gets the signal directly,
 * and a second time from npm, which passes the signal on.
 */
const sameSignalMs = 500;
/** The interval at which a shutdown checks whether the event loop is free. */
const checkMs = 50;

type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** The service that a stop drains and closes. */
export interface StoppableService {
  /** Makes the load balancer and the callers use another replica. */
  drain(): void;
  /** Waits up to `graceMs` for requests in flight, and closes the service. */
  close(graceMs: number): Promise<void>;
}

/** The log that receives stops and errors. */
export interface StopLog {
  onStop(signal: NodeJS.Signals): void;
  report(failure: unknown): void;
  /** Logs an error that ends the process. */
  onFatal(failure: unknown): Promise<void>;
  /** Writes the remaining lines of the log. */
  close(): Promise<void>;
}

/** The properties of a process that a shutdown needs. */
type StoppableProcess = EventEmitter & {
  exit(code?: number): void;
  exitCode?: number | string | null | undefined;
};

/**
 * Stops the process on SIGINT, SIGTERM and SIGHUP (the terminal was closed), and after an
 * unexpected error. A stop drains the service, closes it and exits. A second signal exits
 * immediately, unless it is a duplicate of the first one (`sameSignalMs`). An immediate exit does
 * not damage the databases.
 *
 * @param host the process, or a fake process in tests.
 */
export function stopOnSignals(host: StoppableProcess = process, clock = systemClock) {
  let log: StopLog | undefined;
  let running: { readonly service: StoppableService; readonly graceMs: number } | undefined;
  let stopping: { readonly signal: NodeJS.Signals; readonly since: number } | undefined;
  /** The last time at which no signal was waiting to be handled. */
  let freeAt = 0;
  let failed = false;

  function onSignal(signal: NodeJS.Signals): void {
    if (stopping !== undefined) {
      // The second signal arrived after `freeAt`. It may be handled much later, if the event loop
      // was blocked, for example by a write to a slow disk. So the time between the two signals is
      // measured with `freeAt`, not with the current time.
      const isDuplicate = signal === stopping.signal && freeAt - stopping.since < sameSignalMs;
      if (!isDuplicate) host.exit(1);
      return;
    }
    stopping = { signal, since: clock.elapsed() };
    freeAt = stopping.since;
    // An iteration of the event loop runs timers first, then signal handlers, then `setImmediate`
    // callbacks. So all earlier signals are handled when `recordFree` runs.
    clock.every(checkMs, () => setImmediate(recordFree)).unref();
    log?.onStop(signal);
    void stop(signal as StopSignal);
  }

  function recordFree(): void {
    freeAt = clock.elapsed();
  }

  /**
   * Stops the service and exits.
   *
   * A start can be interrupted at any point. Migrations and the sample data are transactions, and
   * locks end with the process. An incomplete embedded database is created again. The exit code is
   * 0, because a requested stop is not a failure.
   */
  async function stop(signal: StopSignal): Promise<void> {
    if (running !== undefined) {
      const { service, graceMs } = running;
      service.drain();
      // After SIGTERM, load balancers need time to notice that the replica is stopping. After
      // Ctrl-C, there is no delay, because a person is waiting.
      await sleep(signal === 'SIGINT' ? 0 : graceMs, clock);
      try {
        await service.close(drainMs[signal === 'SIGINT' ? signal : 'SIGTERM']);
      } catch (error) {
        log?.report(error);
        host.exitCode = 1;
      }
    }
    await log?.close();
    host.exit();
  }

  /** Exits after an unexpected error, because the state of the process is unknown then. */
  async function fail(failure: unknown): Promise<void> {
    // Only the first error is reported, because later ones may be its consequences.
    if (failed) return;
    failed = true;
    if (log === undefined) process.stderr.write(`${inspect(failure)}\n`);
    else await log.onFatal(failure);
    host.exit(1);
  }

  host.on('SIGINT', onSignal);
  host.on('SIGTERM', onSignal);
  host.on('SIGHUP', onSignal);
  // The event `uncaughtException` is also emitted for unhandled rejections.
  host.on('uncaughtException', fail);

  return {
    fail,

    /**
     * Writes why a start has failed, and exits. The process exits even if a part of the service has
     * left a timer or a socket behind.
     */
    failStart(reason: string): void {
      process.stderr.write(`${reason}\n`, () => host.exit(1));
    },

    /** Sets the log that receives stops and errors from now on. */
    useLog(opened: StopLog): void {
      log = opened;
    },

    /** Sets the service that a stop drains and closes. */
    useService(service: StoppableService, graceMs: number): void {
      running = { service, graceMs };
    },
  };
}
