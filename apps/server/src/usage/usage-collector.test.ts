import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createTestClock } from '../../test/support/test-clock.ts';
import { createUsageCollector } from './usage-collector.ts';
import { totalId, type UsedRequest } from './usage-entry.ts';

const minuteMs = 60_000;
const clock = createTestClock();

const pro = { id: '4f0c1e5a-3b7d-4a51-9d5e-6c1f0a2b3c4d', plan: 'pro' } as const;

function requestOf(more: Partial<UsedRequest> = {}): UsedRequest {
  const decision = { decidedAtMs: 5 * minuteMs };
  const request = { apiKey: pro, decision, operation: { usageCode: 1 }, status: 200 };
  return { ...request, errorCode: undefined, ...more };
}

const at = (decidedAtMs: number) => ({ decision: { decidedAtMs } });

/** What a collector holds, without the key. */
const countsOf = (collector: ReturnType<typeof createUsageCollector>) =>
  collector.take().map(({ keyId: _, ...entry }) => entry);

test('requests are added up by operation, outcome and minute', () => {
  const collector = createUsageCollector({ clock, maxKeyMinutes: 10 });
  collector.count(requestOf());
  collector.count(requestOf(at(6 * minuteMs - 1)));
  collector.count(requestOf({ status: 429 }));
  collector.count(requestOf({ operation: { usageCode: 3 } }));
  collector.count(requestOf(at(6 * minuteMs)));
  const list = { plan: 2, minute: 5, operation: 1, outcome: 0, requests: 2 };
  expect(countsOf(collector)).toEqual([
    list,
    { ...list, outcome: 3, requests: 1 },
    { ...list, operation: 3, requests: 1 },
    { ...list, minute: 6, requests: 1 },
  ]);
  expect(collector.take()).toEqual([]);
});

test('a request of an earlier minute, which was decided before and ended later, is counted there', () => {
  const collector = createUsageCollector({ clock, maxKeyMinutes: 10 });
  for (const minute of [6, 5, 6]) collector.count(requestOf(at(minute * minuteMs)));
  const counts = new Map<number, number>();
  for (const { minute, requests } of collector.take()) {
    counts.set(minute, (counts.get(minute) ?? 0) + requests);
  }
  expect([...counts]).toEqual([
    [5, 1],
    [6, 2],
  ]);
});

test('requests before and after a change of plan are counted apart', () => {
  const collector = createUsageCollector({ clock, maxKeyMinutes: 10 });
  collector.count(requestOf());
  collector.count(requestOf({ apiKey: { ...pro, plan: 'business' } }));
  expect(countsOf(collector).map(({ plan, requests }) => [plan, requests])).toEqual([
    [2, 1],
    [3, 1],
  ]);
});

test('requests without a valid key are counted together, by their outcome', () => {
  const collector = createUsageCollector({ clock, maxKeyMinutes: 10 });
  const anonymous = { apiKey: undefined };
  collector.count(requestOf({ ...anonymous, status: 401 }));
  collector.count(requestOf({ ...anonymous, status: 401 }));
  collector.count(requestOf({ ...anonymous, status: 429 }));
  const entry = { keyId: totalId(0), plan: 0, minute: 5, operation: 0 };
  expect(collector.take()).toEqual([
    { ...entry, outcome: 1, requests: 2 },
    { ...entry, outcome: 3, requests: 1 },
  ]);
});

test('ten thousand active keys are given in the order of their ids', () => {
  const collector = createUsageCollector({ clock, maxKeyMinutes: 100_000 });
  const ids = Array.from({ length: 10_000 }, () => randomUUID());
  for (const id of ids) collector.count(requestOf({ apiKey: { id, plan: 'free' } }));
  expect(collector.take().map(({ keyId }) => keyId)).toEqual(ids.sort());
});

test('beyond its limit only requests that need no more room are counted, the others are reported', () => {
  const collector = createUsageCollector({ clock, maxKeyMinutes: 2 });
  const ask = (id: string, atMs = 0) =>
    collector.count(requestOf({ apiKey: { id, plan: 'free' }, ...at(atMs) }));
  ask('a');
  ask('b');
  ask('c');
  ask('a', minuteMs);
  ask('a');
  expect(collector.takeLost()).toBe(2);
  expect(collector.takeLost()).toBe(0);
  expect(collector.take().map(({ keyId, requests }) => [keyId, requests])).toEqual([
    ['a', 2],
    ['b', 1],
  ]);
  ask('c');
  expect(collector.take().map(({ keyId }) => keyId)).toEqual(['c']);
});

test('a request with neither a key nor a decision is not counted', () => {
  const collector = createUsageCollector({ clock, maxKeyMinutes: 10 });
  const unknown = { apiKey: undefined, decision: undefined };
  expect(collector.count(requestOf({ ...unknown, status: 204 }))).toBeUndefined();
  expect(collector.take()).toEqual([]);
});

test.each([
  [200, undefined, 'ok'],
  [404, 'pet_not_found', 'client_error'],
  [429, 'rate_limit_exceeded', 'denied'],
  [429, 'key_temporarily_banned', 'banned'],
  [503, 'service_unavailable', 'server_error'],
])('status %d with the code %s counts as %s', (status, errorCode, outcome) => {
  const collector = createUsageCollector({ clock, maxKeyMinutes: 10 });
  expect(collector.count(requestOf({ status, errorCode }))).toBe(outcome);
});
