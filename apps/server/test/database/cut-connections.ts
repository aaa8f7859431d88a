import { defaultDatabaseLimits } from '@animal-store/postgres';
import { systemClock } from '@animal-store/runtime';
import {
  type Cut,
  cutKinds,
  cutPlaces,
  openTcpProxy,
  postgresProtocol,
  until,
} from '@animal-store/testkit';
import { createSeededRandom } from '@animal-store/testkit/seeded-random';
import { expect } from 'vitest';
import { createApiKey } from '../../src/keys/create-key.ts';
import { createToken } from '../../src/keys/token.ts';
import { createOperatorManagement } from '../../src/operators/operator-management.ts';
import { createPetRepository } from '../../src/pets/pet-repository.ts';
import { pets as petsTable } from '../../src/schema/schema.ts';
import { adminOf, someCause } from '../support/admin.ts';
import { createDatabase } from '../support/databases.ts';
import { type LocalServer, openLocalServer } from '../support/local-server.ts';
import type { Answer } from '../support/send.ts';
import { call, callUntilServed, wideQuota } from '../support/test-service.ts';

/**
 * The protocol messages at which a connection can be cut. These are all messages that the service
 * and Postgres exchange.
 */
const types = {
  request: 'StartupMessage PasswordMessage Parse Describe Bind Execute Sync Flush',
  response:
    'Authentication ParameterStatus BackendKeyData ReadyForQuery ParseComplete ParameterDescription RowDescription BindComplete DataRow CommandComplete NotificationResponse',
};
const messages = (['request', 'response'] as const).flatMap((direction) =>
  types[direction].split(' ').map((type) => ({ direction, type })),
);

/**
 * Cuts connections to Postgres before, within and after each message of the protocol, with a reset
 * and with a half-close. Requests of every kind are in flight during the cuts.
 *
 * Every response must be correct, or a 503 with `Retry-After`. Acknowledged writes must exist, and
 * no write may be executed twice. After each cut, requests must succeed again.
 *
 * @param options.goesOn a function that gets the number of finished passes, and returns whether
 *   another pass follows. In a pass, the connection is cut once at each kind of message.
 */
export async function cutConnections(options: {
  seed: number;
  replicas: number;
  goesOn: (passes: number) => boolean;
}) {
  const { seed, replicas, goesOn } = options;
  const random = createSeededRandom(seed);
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T;
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createDatabase('postgres'));
  const { db } = database;

  let plannedCut: (Cut & (typeof messages)[number] & { skip: number }) | undefined;
  const done = { cuts: 0, good: 0, unavailable: 0 };
  const proxy = stack.use(
    await openTcpProxy({
      target: database.url,
      protocol: postgresProtocol,
      onMessage({ direction, type }) {
        if (plannedCut?.type !== type || plannedCut.direction !== direction) return undefined;
        plannedCut.skip -= 1;
        if (plannedCut.skip >= 0) return undefined;
        const { place, kind } = plannedCut;
        plannedCut = undefined;
        done.cuts += 1;
        return { place, kind };
      },
    }),
  );

  const pets = createPetRepository({ db, reads: db });
  for (let i = 0; i < 30; i += 1) await pets.create({ name: `known ${i}`, categoryId: i });
  const createKey = () => createApiKey(db, { name: 'cut', plan: 'enterprise', quota: wideQuota });
  const { id: keyId, token } = await createKey();
  const viewer = { name: 'cut', role: 'viewer' } as const;
  const { token: operatorToken } = await createOperatorManagement(db).create(viewer, someCause);

  const env = { DATABASE_URL: proxy.url, LOG_LEVEL: 'error', ADDRESS_PER_MINUTE: '1000000' };
  // If a connection is half-closed, the service gets no error, and each statement on the connection
  // ends only at this timeout. The timeout is short, so that the test does not wait long.
  const limits = { ...defaultDatabaseLimits, answerWithinMs: 2_000 };
  const start = () => openLocalServer(env, { clock: systemClock, database: limits });
  const servers: LocalServer[] = await Promise.all(Array.from({ length: replicas }, start));
  for (const server of servers) stack.use(server);
  const list = (server: LocalServer, key = token) => call(`${server.baseUrl}/pets`, { token: key });
  const first = servers[0] as LocalServer;
  const firstPage = (await list(first)).text;
  const known = (JSON.parse(firstPage) as { id: number }[])[7] ?? { id: 0 };

  /**
   * Counts a response that is correct, or a 503 with `Retry-After`. All other responses fail the
   * test.
   */
  function judge(what: string, answer: Answer, isRight: (answer: Answer) => boolean): void {
    if (answer.status === 503) {
      expect(answer.headers.get('Retry-After'), what).toMatch(/^[1-9]\d*$/);
      done.unavailable += 1;
      return;
    }
    const description = `${what}: ${answer.status} ${answer.text.slice(0, 200)} (seed ${seed})`;
    expect(isRight(answer), description).toBe(true);
    done.good += 1;
  }

  const acknowledged = new Map<string, unknown>();
  const idempotent: string[] = [];

  /** Sends one request of each kind, all at the same time. */
  async function sendAll(server: LocalServer, newToken: string): Promise<void> {
    const once = `once-${idempotent.length}`;
    idempotent.push(once);
    const create = async (name: string, headers = {}) => {
      const json = JSON.stringify({ name, categoryId: 7 });
      const answer = await call(`${server.baseUrl}/pets`, { token, json, headers });
      if (answer.status === 201) acknowledged.set(name, answer.body);
      return answer;
    };
    const get = (id: number) => call(`${server.baseUrl}/pets/${id}`, { token });
    const manage = (path: string) => adminOf(server).call(path, { token: operatorToken });
    const requests: [what: string, Promise<Answer>, isRight: (answer: Answer) => boolean][] = [
      ['new key', list(server, newToken), ({ text }) => text === firstPage],
      ['unknown key', list(server, createToken('key')), ({ status }) => status === 401],
      ['list', list(server), ({ text }) => text === firstPage],
      ['get', get(known.id), ({ text }) => text === JSON.stringify(known)],
      ['get nobody', get(9_999_999), ({ status }) => status === 404],
      ['create', create(`made ${idempotent.length}`), ({ status }) => status === 201],
      ['create once', create(once, { 'Idempotency-Key': once }), ({ status }) => status === 201],
      ['key', manage(`/keys/${keyId}`), ({ status }) => status === 200],
      ['no key', manage(`/keys/${crypto.randomUUID()}`), ({ status }) => status === 404],
      ['keys', manage('/keys?limit=2'), ({ body }) => (body as unknown[]).length === 2],
    ];
    await Promise.all(
      requests.map(async ([what, answer, isRight]) => judge(what, await answer, isRight)),
    );
  }

  for (let passes = 0; goesOn(passes); passes += 1) {
    for (const message of messages) {
      const server = pick(servers);
      const newKey = await createKey();
      const cut = { place: pick(cutPlaces), kind: pick(cutKinds) };
      plannedCut = { ...message, ...cut, skip: Math.floor(random() * 4) };
      // In half of the rounds, the connections are closed first, so that the first messages of new
      // connections can be cut.
      if (random() < 0.5) proxy.reset();
      await sendAll(server, newKey.token);
      plannedCut = undefined;
      await until(async () => (await list(server, createToken('key'))).status === 401);
    }
  }

  // Each creation is repeated with the same idempotency key, as clients do when they get no
  // response. Each name must then exist at most once. A request is sent again until it succeeds,
  // because a replica may notice the last cut only now.
  for (const once of idempotent) {
    const answer = await callUntilServed(`${first.baseUrl}/pets`, {
      token,
      json: JSON.stringify({ name: once, categoryId: 7 }),
      headers: { 'Idempotency-Key': once },
    });
    expect(answer.status).toBe(201);
    if (acknowledged.has(once)) expect(answer.body).toEqual(acknowledged.get(once));
    acknowledged.set(once, answer.body);
  }
  const { id, name, categoryId, status } = petsTable;
  const there = await db.select({ id, name, categoryId, status }).from(petsTable);
  const byName = new Map(there.map((pet) => [pet.name, pet]));
  expect(byName.size).toBe(there.length);
  for (const [name, pet] of acknowledged) expect(byName.get(name)).toEqual(pet);
  return { ...done, seed, acknowledged: acknowledged.size };
}
