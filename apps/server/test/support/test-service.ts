import type { PlanName } from '@animal-store/contract';
import type { NewKey } from '@animal-store/contract/admin';
import { type Server, startServer } from '@animal-store/testkit';
import { beforeAll } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { createApiKey } from '../../src/keys/key-management.ts';
import { createDatabase, type DatabaseKind, type TestDatabase } from './databases.ts';
import { type Answer, send } from './send.ts';

/** A running service with a database of its own and a key of each plan. */
export type TestService = AsyncDisposable & {
  readonly server: Server;
  readonly database: TestDatabase;
  /** A token of each plan; Enterprise's quota is never in a test's way. */
  readonly tokens: Readonly<Record<PlanName, string>>;
  /** Sends a request with the Enterprise key, unless told otherwise. */
  call(path: string, options?: CallOptions): Promise<Answer>;
  /** Starts another server on the same database. */
  restart(): Promise<void>;
};

export type CallOptions = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The key to send; `null` for none. @default the Enterprise key */
  readonly token?: string | null;
  /** Sent as it is, as JSON. */
  readonly json?: string;
};

/** Numbers that no test reaches. */
export const wideQuota = { perMinute: 1_000_000, perDay: 10_000_000 };

export type ServiceOptions = {
  readonly env?: Readonly<Record<string, string>>;
  /** Puts more into the database, before the server has it: the embedded one has room for one. */
  readonly prepare?: (db: Database) => Promise<void>;
};

export async function startService(
  kind: DatabaseKind,
  options: ServiceOptions = {},
): Promise<TestService> {
  await using opened = new AsyncDisposableStack();
  const database = opened.use(await createDatabase(kind));
  const tokens = await createKeys(database, options.prepare);
  const env = { ...database.env, ...options.env };
  let server = await startServer({ env });
  opened.defer(() => server[Symbol.asyncDispose]());

  const kept = opened.move();
  return {
    get server() {
      return server;
    },
    database,
    tokens,
    call: (path, callOptions) =>
      call(server.baseUrl + path, { token: tokens.enterprise, ...callOptions }),
    async restart() {
      await server[Symbol.asyncDispose]();
      server = await startServer({ env });
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Starts a service before the tests of a file or of a `describe`, and ends it after them. */
export function useService(kind: DatabaseKind, options?: ServiceOptions): TestService {
  let service: TestService;
  beforeAll(async () => {
    service = await startService(kind, options);
    return () => service[Symbol.asyncDispose]();
  });
  return forwardService(() => service);
}

/** A service that is there later, with other keys if they are given. */
export function forwardService(
  service: () => TestService,
  tokens = () => service().tokens,
): TestService {
  return {
    get server() {
      return service().server;
    },
    get database() {
      return service().database;
    },
    get tokens() {
      return tokens();
    },
    call: (path, options) => service().call(path, { token: tokens().enterprise, ...options }),
    restart: () => service().restart(),
    [Symbol.asyncDispose]: () => service()[Symbol.asyncDispose](),
  };
}

/** Creates a key of each plan, and what `prepare` does before. */
export async function createKeys(
  database: TestDatabase,
  prepare?: ServiceOptions['prepare'],
): Promise<Record<PlanName, string>> {
  const { db, close } = await database.open();
  try {
    await prepare?.(db);
    const create = async (key: NewKey) => (await createApiKey(db, key)).token;
    return {
      free: await create({ name: 'free', plan: 'free' }),
      pro: await create({ name: 'pro', plan: 'pro' }),
      business: await create({ name: 'business', plan: 'business' }),
      enterprise: await create({ name: 'enterprise', plan: 'enterprise', quota: wideQuota }),
    };
  } finally {
    await close();
  }
}

/** Sends one request, with JSON and a key if there are any, and reads its answer to the end. */
export function call(url: string, options: CallOptions = {}): Promise<Answer> {
  const { method, token, json, headers } = options;
  const { origin, pathname, search } = new URL(url);
  return send(origin, {
    method: method ?? (json === undefined ? 'GET' : 'POST'),
    target: pathname + search,
    headers: {
      ...(typeof token === 'string' && { Authorization: `Bearer ${token}` }),
      ...(json !== undefined && !hasType(headers) && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    body: json,
  });
}

function hasType(headers: CallOptions['headers'] = {}): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
}
