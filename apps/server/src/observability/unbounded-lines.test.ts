import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { RequestRecord } from '../api/observe-requests.ts';
import { limitUnboundedLines, type SkippedLines } from './unbounded-lines.ts';

type Caller = Pick<RequestRecord, 'apiKey' | 'decision'>;

let skipped: SkippedLines[];
let lines: ReturnType<typeof limitUnboundedLines>;

beforeEach(() => {
  vi.useFakeTimers();
  skipped = [];
  lines = limitUnboundedLines((it) => skipped.push(it));
});
afterEach(() => {
  lines.close();
  vi.useRealTimers();
});

const caller = (id: string | undefined, outcome: 'admitted' | 'denied' | undefined) =>
  ({
    apiKey: id === undefined ? undefined : { id },
    decision: outcome === undefined ? undefined : { outcome },
  }) as Caller;

/** How many of so many requests get a line. */
const written = (times: number, from: Caller) =>
  Array.from({ length: times }, () => lines.isWritten(from)).filter(Boolean).length;

test('every request that the quota of a key admits gets its line', () => {
  expect(written(5_000, caller('key', 'admitted'))).toBe(5_000);
});

// Regression: an attacker could fill the disk with lines about refused requests.
test('requests without a valid key share 300 lines a minute, whether refused or not', () => {
  expect(written(150, caller(undefined, 'admitted'))).toBe(150);
  expect(written(1_000, caller(undefined, 'denied'))).toBe(150);
  expect(written(1_000, caller(undefined, undefined))).toBe(0);
});

test('refused requests of a key have 300 lines a minute of their own', () => {
  written(1_000, caller(undefined, 'denied'));
  expect(written(1_000, caller('one', 'denied'))).toBe(300);
  expect(written(1_000, caller('two', 'denied'))).toBe(300);
});

test('a minute later lines are written again, and skipped ones were reported', () => {
  written(1_000, caller(undefined, 'denied'));
  written(301, caller('key', 'denied'));
  written(300, caller('other', 'denied'));
  vi.advanceTimersByTime(60_000);
  expect(skipped).toEqual([
    { keyId: undefined, lines: 700 },
    { keyId: 'key', lines: 1 },
  ]);
  expect(written(1_000, caller(undefined, 'denied'))).toBe(300);
  lines.close();
  expect(skipped.at(-1)).toEqual({ keyId: undefined, lines: 700 });
});
