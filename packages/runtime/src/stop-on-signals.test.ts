import { EventEmitter } from 'node:events';
import { beforeEach, expect, test } from 'vitest';
import { stopOnSignals } from './stop-on-signals.ts';
import { createTestClock, type TestClock } from './test-clock.ts';

/** A fake process that records its exits instead of exiting. */
class TestProcess extends EventEmitter {
  readonly exits: unknown[] = [];
  exitCode: number | undefined;

  exit(code: number | undefined = this.exitCode ?? 0): void {
    this.exits.push(code);
  }
}

let clock: TestClock;
let host: TestProcess;
let closing: PromiseWithResolvers<void>;
let events: string[];
const signal = (name: string) => host.emit(name, name);

beforeEach(() => {
  clock = createTestClock();
  host = new TestProcess();
  closing = Promise.withResolvers();
  events = [];
  const close = () => {
    events.push('close');
    return closing.promise;
  };
  stopOnSignals(host, clock).useService({ drain: () => events.push('drain'), close }, 3_000);
});

test.each([
  ['SIGTERM', ['drain']],
  ['SIGHUP', ['drain']],
  ['SIGINT', ['drain', 'close']],
])(
  'after %s, stopOnSignals drains the service, closes it and exits with code 0',
  async (name, atOnce) => {
    signal(name);
    await clock.advance(2_999);
    expect(events).toEqual(atOnce);
    await clock.advance(1);
    expect(events).toEqual(['drain', 'close']);
    expect(host.exits).toEqual([]);
    closing.resolve();
    await clock.advance(0);
    expect(host.exits).toEqual([0]);
  },
);

test('stopOnSignals exits with code 1 when closing the service fails', async () => {
  signal('SIGINT');
  await clock.advance(1);
  closing.reject(new Error('away'));
  await clock.advance(0);
  expect(host.exits).toEqual([1]);
});

// After Ctrl-C, the terminal sends a signal to the server and to npm, and npm sends a second one to
// the server. If the server is busy in between, it handles the second signal late.
test.each([
  ['ignores the same signal 450 ms later', 'SIGTERM', 450, 0, []],
  ['ignores the same signal if it is late because the process was busy', 'SIGTERM', 0, 10_000, []],
  ['exits immediately on the same signal 550 ms later', 'SIGTERM', 550, 0, [1]],
  ['exits immediately on a different signal', 'SIGINT', 0, 0, [1]],
])('after SIGTERM, stopOnSignals %s', async (_case, name, afterMs, busyMs, exits) => {
  signal('SIGTERM');
  if (afterMs > 0) await clock.advance(afterMs);
  clock.block(busyMs);
  signal(name);
  expect(host.exits).toEqual(exits);
});
