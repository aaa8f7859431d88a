import type { PlanName } from '@animal-store/contract';
import type { NewKey } from '@animal-store/contract/admin';
import { type Server, startServer, until } from '@animal-store/testkit';
import { beforeAll } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { createApiKey } from '../../src/keys/key-management.ts';
import type { ServiceTime } from '../../src/service.ts';
import { createDatabase, type DatabaseKind, type TestDatabase } from './databases.ts';
import { type AnyServer, type LocalServer, openLocalServer } from './local-server.ts';
import { type Answer, send } from './send.ts';

/** A running service with a database of its own and a key of each plan. */
export type TestService<S extends AnyServer = LocalServer> = AsyncDisposable & {
  readonly server: S;
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

export type ProcessOptions = {
  readonly env?: Readonly<Record<string, string>>;
  /** Puts more into the database, before the server has it: the embedded one has room for one. */
  readonly prepare?: (db: Database) => Promise<void>;
};

/** Those of a service in this process: its clocks and timings, too. */
export type ServiceOptions = ProcessOptions & ServiceTime;

/**
 * Starts a service in this process, with real HTTP and a database of its own. A test that needs a process,
 * to send it signals, to kill it, or to change its clock or its environment, takes {@link startProcess}.
 */
export function startService(
  kind: DatabaseKind,
  options: ServiceOptions = {},
): Promise<TestService> {
  return start(kind, options, (env) => openLocalServer(env, options));
}

/** Starts a service as a process of its own, which takes ten times as long. */
export function startProcess(
  kind: DatabaseKind,
  options?: ProcessOptions,
): Promise<TestService<Server>> {
  return start(kind, options, (env) => startServer({ env }));
}

async function start<S extends AnyServer>(
  kind: DatabaseKind,
  options: ProcessOptions = {},
  open: (env: Readonly<Record<string, string>>) => Promise<S>,
): Promise<TestService<S>> {
  await using opened = new AsyncDisposableStack();
  const database = opened.use(await createDatabase(kind));
  const tokens = await createKeys(database, options.prepare);
  const env = { ...database.env, ...options.env };
  let server = await open(env);
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
      server = await open(env);
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** A service in this process, for the tests of a file or of a `describe`. */
export function useService(kind: DatabaseKind, options?: ServiceOptions): TestService {
  let service: TestService;
  beforeAll(async () => {
    service = await startService(kind, options);
    return () => service[Symbol.asyncDispose]();
  });
  return {
    get server() {
      return service.server;
    },
    get database() {
      return service.database;
    },
    get tokens() {
      return service.tokens;
    },
    call: (path, options) => service.call(path, options),
    restart: () => service.restart(),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

/** Creates a key of each plan, and what `prepare` does before. */
async function createKeys(
  database: TestDatabase,
  prepare?: ProcessOptions['prepare'],
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

/** Sends a request, and repeats it while the answer is 503. */
export const callUntilServed: typeof call = (url, options) =>
  until(async () => {
    const answer = await call(url, options);
    return answer.status !== 503 && answer;
  });
