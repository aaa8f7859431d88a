import { usageOutcomes } from '@animal-store/admin-contract';
import { createTestClock } from '@animal-store/runtime/test-clock';
import { expect, test } from 'vitest';
import { createUsageCollector } from './usage-collector.ts';
import { totalId, type UsedRequest } from './usage-entry.ts';

const minuteMs = 60_000;
const clock = createTestClock(7 * minuteMs);

const requestOf = (more: Partial<UsedRequest> = {}): UsedRequest => ({
  key: { id: 'a', plan: 'pro' },
  decision: { decidedAtMs: 5 * minuteMs },
  operation: { usageCode: 1 },
  status: 200,
  errorCode: undefined,
  durationMs: 1,
  ...more,
});
const at = (decidedAtMs: number) => requestOf({ decision: { decidedAtMs } });

const suspended = { id: 'a', plan: 'pro', refusal: 'suspended' } as const;

/** Counts some requests in a new collector and returns the collector's content. */
function collect(requests: readonly UsedRequest[], maxEntries = 100) {
  const collector = createUsageCollector({ clock, maxEntries });
  for (const request of requests) collector.count(request);
  return { ...collector.take(), lost: collector.takeLost(), collector };
}

const entry = { keyId: 'a', plan: 2, minute: 5, operation: 1, outcome: 0, requests: 1 };

const ofB = requestOf({ key: { id: 'b', plan: 'pro' } });
const ofPlan = requestOf({ key: { id: 'a', plan: 'business' } });
const withoutKey = (status: number, usageCode: number) =>
  requestOf({ key: undefined, status, operation: { usageCode } });
const total = { keyId: totalId(0), plan: 0, operation: 0 };

test.each<[what: string, requests: UsedRequest[], entries: object[]]>([
  ['equal requests in one entry', [at(300_002), at(300_000)], [{ requests: 2, lastAtMs: 300_002 }]],
  [
    'the requests of different minutes in separate entries, also when an earlier minute comes later',
    [at(360_000), at(359_999), at(360_000)],
    [{ minute: 6, requests: 2 }, { minute: 5 }],
  ],
  [
    'the requests of different operations in separate entries',
    [requestOf(), requestOf({ operation: { usageCode: 3 } })],
    [{}, { operation: 3 }],
  ],
  [
    'a request to an unknown path as operation 0',
    [requestOf({ operation: undefined })],
    [{ operation: 0 }],
  ],
  [
    'the requests before and after a change of the plan in separate entries',
    [requestOf(), ofPlan],
    [{}, { plan: 3 }],
  ],
  [
    'the requests of different API keys in separate entries',
    [ofB, requestOf()],
    [{ keyId: 'b' }, {}],
  ],
  [
    'requests without an API key by outcome, whatever their operation is',
    [withoutKey(401, 1), withoutKey(401, 3), withoutKey(429, 1)],
    [
      { ...total, outcome: 1, requests: 2 },
      { ...total, outcome: 3 },
    ],
  ],
  [
    'requests with a refused API key as refused, whatever their status is',
    [requestOf({ key: suspended }), requestOf({ key: suspended, status: 429 }), requestOf()],
    [{ outcome: 5, requests: 2 }, {}],
  ],
  [
    'a request without a quota decision in the current minute',
    [requestOf({ decision: undefined })],
    [{ minute: 7 }],
  ],
  [
    'no request that has neither an API key nor a quota decision',
    [requestOf({ key: undefined, decision: undefined })],
    [],
  ],
])('the usage collector counts %s', (_, requests, expected) => {
  expect(collect(requests).entries).toEqual(
    expected.map((more) => expect.objectContaining({ ...entry, ...more })),
  );
});

test.each([
  [399, undefined, 'ok'],
  [400, 'invalid_request', 'client_error'],
  [429, 'rate_limit_exceeded', 'denied'],
  [429, 'key_temporarily_banned', 'banned'],
  [500, 'internal_error', 'server_error'],
] as const)(
  'the usage collector counts a response with status %d and error code %s under the outcome %s',
  (status, errorCode, outcome) => {
    const { entries, traffic } = collect([requestOf({ status, errorCode })]);
    const place = usageOutcomes.indexOf(outcome);
    expect(entries).toMatchObject([{ outcome: place }]);
    expect(traffic.outcomes).toEqual(usageOutcomes.map((name) => Number(name === outcome)));
  },
);

test('the usage collector counts a 503 response without a known API key only in the live traffic, not in the usage tables', () => {
  const nobody = { key: undefined, decision: undefined };
  const { collector } = collect([]);
  collector.count(requestOf({ ...nobody, status: 503, errorCode: 'service_unavailable' }));
  collector.count(requestOf({ ...nobody, status: 204 }));
  collector.countShed(1);
  const { entries, traffic } = collector.take();
  expect(entries).toEqual([]);
  expect(traffic.outcomes).toEqual(usageOutcomes.map((name) => (name === 'server_error' ? 2 : 0)));
});

test('when the usage collector has reached its limit of entries, it reports requests that need a new entry as lost', () => {
  const of = (id: string, atMs = 0) => ({ ...at(atMs), key: { id, plan: 'free' as const } });
  const { entries, lost, collector } = collect(
    [of('a'), of('b'), of('c'), of('a', minuteMs), of('a')],
    2,
  );
  expect(entries.map(({ keyId, requests }) => [keyId, requests])).toEqual([
    ['a', 2],
    ['b', 1],
  ]);
  expect(lost).toBe(2);
  collector.count(of('c'));
  expect(collector.take().entries).toHaveLength(1);
  expect(collector.takeLost()).toBe(0);
});
