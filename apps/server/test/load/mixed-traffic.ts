import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { createToken } from '../../src/keys/token.ts';
import type { SentRequest } from '../support/send.ts';

/** A request, and the statuses that it deserves while nothing is wrong. */
export type TrafficRequest = {
  readonly kind: string;
  readonly sent: SentRequest;
  readonly deserves: readonly number[];
  /** Whether the caller goes away without waiting for the answer. */
  readonly isAbandoned?: boolean;
};

/** Whose keys the traffic brings. */
export type TrafficKeys = {
  /** On quotas that nobody reaches. */
  readonly wide: readonly string[];
  /** Of the plan Free: soon denied, and banned now and then. */
  readonly free: readonly string[];
};

/** A request of one of many kinds, as so many different callers would send them. */
export function mixedRequest(keys: TrafficKeys, newestPet: number): TrafficRequest {
  const token = one(keys.wide);
  const create = (body: string, headers = {}) => post(token, body, headers);
  const kinds: readonly [share: number, make: () => TrafficRequest][] = [
    [40, () => ({ kind: 'list', sent: get(token, one(lists)), deserves: [200] })],
    [
      15,
      () => ({
        kind: 'fetch',
        sent: get(token, `/pets/${randomInt(newestPet + 10)}`),
        deserves: [200, 404],
      }),
    ],
    [8, () => ({ kind: 'create', sent: create(newPet()), deserves: [201] })],
    [
      7,
      () => ({
        kind: 'create once',
        sent: create(newPet(), { 'Idempotency-Key': randomUUID() }),
        deserves: [201],
      }),
    ],
    [6, () => ({ kind: 'bad body', sent: create(one(badBodies)), deserves: [400] })],
    [
      1,
      () => ({
        kind: 'huge body',
        sent: create(`"${'x'.repeat(20_000)}"`),
        deserves: [413],
      }),
    ],
    [2, () => ({ kind: 'bad query', sent: get(token, '/pets?limit=0'), deserves: [400] })],
    [
      6,
      () => ({
        kind: 'unknown key',
        sent: get(createToken(), '/pets', someAddress()),
        // The same address may come too often.
        deserves: [401, 429],
      }),
    ],
    [
      3,
      () => ({
        kind: 'no token',
        sent: get(randomBytes(9).toString('hex'), '/pets', someAddress()),
        deserves: [401, 429],
      }),
    ],
    [
      3,
      () => ({
        kind: 'one address too often',
        sent: get('guess', '/pets', '198.51.100.7'),
        deserves: [401, 429],
      }),
    ],
    [5, () => ({ kind: 'free', sent: get(one(keys.free), '/pets'), deserves: [200, 429] })],
    [1, () => ({ kind: 'orders', sent: get(token, '/store/orders'), deserves: [501] })],
    [1, () => ({ kind: 'no such path', sent: get(token, '/nowhere'), deserves: [404] })],
    [
      2,
      () => ({
        kind: 'abandoned',
        sent: one([get(token, '/pets?limit=100'), create(newPet())]),
        deserves: [],
        isAbandoned: true,
      }),
    ],
  ];
  let rest = randomInt(kinds.reduce((sum, [share]) => sum + share, 0));
  for (const [share, make] of kinds) {
    rest -= share;
    if (rest < 0) return make();
  }
  throw new Error('The shares do not add up.');
}

const lists = [
  '/pets',
  '/pets?limit=1',
  '/pets?limit=100',
  '/pets?status=available',
  '/pets?status=sold&limit=50',
] as const;

const badBodies = ['', '{', '{}', '[]', '{"name":"","categoryId":1}', '{"name":"x"}'] as const;

/** A list, asked for from one of many addresses. */
export const listAs = (token: string): SentRequest => get(token, '/pets');

function newPet(): string {
  const status = one(['available', 'pending', 'sold']);
  return JSON.stringify({ name: `Animal ${randomUUID()}`, categoryId: randomInt(1_000), status });
}

function get(token: string, target: string, address = someAddress()): SentRequest {
  const headers = { Authorization: `Bearer ${token}`, 'X-Forwarded-For': address };
  return { method: 'GET', target, headers };
}

function post(token: string, body: string, more: Readonly<Record<string, string>>): SentRequest {
  const { headers } = get(token, '');
  return {
    method: 'POST',
    target: '/pets',
    headers: { ...headers, 'Content-Type': 'application/json', ...more },
    body,
  };
}

/** One of many millions, of either kind. */
function someAddress(): string {
  const byte = () => randomInt(256);
  return randomInt(2) === 0
    ? `10.${byte()}.${byte()}.${byte()}`
    : `2001:db8:${randomInt(65_536).toString(16)}:${randomInt(65_536).toString(16)}::1`;
}

export function one<T>(list: readonly T[]): T {
  const picked = list[randomInt(list.length)];
  if (picked === undefined) throw new Error('There is nothing to pick from.');
  return picked;
}
