import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { delayLine } from './delay-line.ts';

let sink: PassThrough;
const seen = () => String(sink.read() ?? '');

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  sink = new PassThrough();
});
afterEach(() => {
  vi.useRealTimers();
});

test('each chunk is delayed once, not by the sum of all delays', () => {
  const line = delayLine(sink);
  line.push(Buffer.from('a'), 100);
  vi.advanceTimersByTime(60);
  line.push(Buffer.from('b'), 100);
  vi.advanceTimersByTime(39);
  expect(seen()).toBe('');
  vi.advanceTimersByTime(1);
  expect(seen()).toBe('a');
  vi.advanceTimersByTime(60);
  expect(seen()).toBe('b');
});

test('chunks stay in order when the delay becomes shorter', () => {
  const line = delayLine(sink);
  line.push(Buffer.from('a'), 100);
  line.push(Buffer.from('b'), 0);
  line.push(null, 0);
  vi.advanceTimersByTime(99);
  expect(seen()).toBe('');
  expect(sink.writableEnded).toBe(false);
  vi.advanceTimersByTime(1);
  expect(seen()).toBe('ab');
  expect(sink.writableEnded).toBe(true);
});

test('without a delay nothing waits for a timer', () => {
  delayLine(sink).push(Buffer.from('a'), 0);
  expect(seen()).toBe('a');
});

test('a closed line forgets what has not been written', () => {
  const line = delayLine(sink);
  line.push(Buffer.from('a'), 100);
  line.close();
  vi.advanceTimersByTime(100);
  expect(seen()).toBe('');
  expect(vi.getTimerCount()).toBe(0);
});
