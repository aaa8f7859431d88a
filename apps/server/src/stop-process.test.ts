import { EventEmitter } from 'node:events';
import { createTestClock, type TestClock } from '@animal-store/runtime/test-clock';
import { beforeEach, expect, test } from 'vitest';
import { stopOnSignals } from './stop-process.ts';

/** A process that records its exits instead of exiting. */
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
  const service = { baseUrl: '', opsUrl: '', demoToken: undefined, close };
  stopOnSignals(host, clock).drain({ ...service, drain: () => events.push('drain') }, 3_000);
});

test.each([
  ['SIGTERM', ['drain']],
  ['SIGHUP', ['drain']],
  ['SIGINT', ['drain', 'close']],
])(
  'a stop by %s drains at once, closes after its grace period and exits with 0',
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

test('a stop that fails exits with 1', async () => {
  signal('SIGINT');
  await clock.advance(1);
  closing.reject(new Error('away'));
  await clock.advance(0);
  expect(host.exits).toEqual([1]);
});

// npm passes on the signal that the terminal has already sent to the whole process group, and the
// process may be busy meanwhile.
test.each([
  ['the same signal at once as an echo', 'SIGTERM', 450, 0, []],
  ['the same signal as an echo when the process was busy', 'SIGTERM', 0, 10_000, []],
  ['the same signal later by exiting at once', 'SIGTERM', 550, 0, [1]],
  ['another signal by exiting at once', 'SIGINT', 0, 0, [1]],
])('a stop after SIGTERM handles %s', async (_, name, afterMs, busyMs, exits) => {
  signal('SIGTERM');
  if (afterMs > 0) await clock.advance(afterMs);
  clock.block(busyMs);
  signal(name);
  expect(host.exits).toEqual(exits);
});
