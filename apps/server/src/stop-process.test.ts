import { EventEmitter } from 'node:events';
import { beforeEach, describe, expect, test } from 'vitest';
import { createTestClock, type TestClock } from '../test/support/test-clock.ts';
import { stopOnSignals } from './stop-process.ts';

/** A process that notes how it exits, instead of exiting. */
class TestProcess extends EventEmitter {
  readonly exits: unknown[] = [];
  exitCode: number | undefined;

  exit(code: number | undefined = this.exitCode ?? 0): void {
    this.exits.push(code);
  }
}

describe('a stop', () => {
  let clock: TestClock;
  let host: TestProcess;
  let closing: PromiseWithResolvers<void>;
  let events: string[];

  beforeEach(() => {
    clock = createTestClock();
    host = new TestProcess();
    closing = Promise.withResolvers();
    events = [];
    const service = { baseUrl: '', opsUrl: '', demoToken: undefined };
    const drain = () => events.push('drain');
    const close = () => {
      events.push('close');
      return closing.promise;
    };
    stopOnSignals(host, clock).drain({ ...service, drain, close }, 3_000);
  });

  test.each([
    ['SIGTERM', ['drain'], ['drain', 'close']],
    ['SIGINT', ['drain', 'close'], ['drain', 'close']],
  ])(
    'by %s drains at once, closes after the grace that it has, and then exits with 0',
    async (signal, ...expected) => {
      host.emit(signal, signal);
      await clock.advance(2_999);
      expect(events).toEqual(expected[0]);
      await clock.advance(1);
      expect(events).toEqual(expected[1]);
      expect(host.exits).toEqual([]);
      closing.resolve();
      await clock.advance(0);
      expect(host.exits).toEqual([0]);
    },
  );

  test('that fails exits with 1', async () => {
    host.emit('SIGINT', 'SIGINT');
    await clock.advance(1);
    closing.reject(new Error('away'));
    await clock.advance(0);
    expect(host.exits).toEqual([1]);
  });

  // npm passes on the signal that the terminal has sent to the whole process group.
  test('that is requested again at once is one stop', async () => {
    host.emit('SIGTERM', 'SIGTERM');
    await clock.advance(450);
    host.emit('SIGTERM', 'SIGTERM');
    expect(host.exits).toEqual([]);
  });

  test.each([
    ['another signal', 'SIGINT', 0],
    ['the same signal later', 'SIGTERM', 550],
  ])('by SIGTERM ends at once by %s', async (_, signal, afterMs) => {
    host.emit('SIGTERM', 'SIGTERM');
    await clock.advance(afterMs);
    host.emit(signal, signal);
    expect(host.exits).toEqual([1]);
  });

  // Regression: Ctrl-C ended `npm start` with 1 if the process was busy when npm passed on the signal.
  test('that is requested twice at once while the process is busy is one stop', () => {
    host.emit('SIGINT', 'SIGINT');
    clock.block(10_000);
    host.emit('SIGINT', 'SIGINT');
    expect(host.exits).toEqual([]);
  });
});
