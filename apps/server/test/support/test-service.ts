import type { NewKey } from '@animal-store/admin-contract';
import type { PlanName } from '@animal-store/contract';
import type { Database } from '@animal-store/postgres';
import { startServer, until } from '@animal-store/testkit';
import { beforeAll } from 'vitest';
import { createApiKey } from '../../src/keys/create-key.ts';
import { createDatabase, type DatabaseKind, type TestDatabase } from './databases.ts';
import {
  type AnyServer,
  type LocalOptions,
  type LocalServer,
  openLocalServer,
} from './local-server.ts';
import { type Answer, send } from './send.ts';

/** A running service with its own database, and an API key for each plan. */
export type TestService<S extends AnyServer = LocalServer> = {
  readonly server: S;
  readonly database: TestDatabase;
  /** The token of an API key for each plan. The quota of the Enterprise key is very large. */
  readonly tokens: Readonly<Record<PlanName, string>>;
  /** Sends a request, by default with the Enterprise key. */
  call(path: string, options?: CallOptions): Promise<Answer>;
};

export type CallOptions = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * The API key to send; `null` for none.
   *
   * @default the Enterprise key
   */
  readonly token?: string | null;
  /** The JSON body, which is sent without any change. */
  readonly json?: string;
};

/** A quota that is so large that no test uses it up. */
export const wideQuota = { perMinute: 1_000_000, perDay: 10_000_000 };

type Env = Readonly<Record<string, string>>;

/** The settings and clocks of a service that runs in this process. */
export type ServiceOptions = LocalOptions & {
  readonly env?: Env;
  /** A function that adds data to the database before the service opens the database. */
  readonly prepare?: (db: Database) => Promise<void>;
};

/**
 * Starts a service in this process, with real HTTP and its own database. Use {@link startProcess}
 * for tests that send signals to the process, kill it, or change its environment.
 */
export const startService = (kind: DatabaseKind, options: ServiceOptions = {}) =>
  start(kind, options, (env) => {
    const { env: _env, prepare: _prepare, ...local } = options;
    return openLocalServer(env, local);
  });

/** Starts a service in a separate process. This takes ten times as long as {@link startService}. */
export const startProcess = (kind: DatabaseKind, options: { readonly env: Env }) =>
  start(kind, options, (env) => startServer({ env }));

async function start<S extends AnyServer>(
  kind: DatabaseKind,
  options: Pick<ServiceOptions, 'env' | 'prepare'>,
  open: (env: Env) => Promise<S>,
): Promise<TestService<S> & AsyncDisposable> {
  await using opened = new AsyncDisposableStack();
  const database = opened.use(await createDatabase(kind));
  const tokens = await createKeys(database, options.prepare);
  const server = opened.use(await open({ ...database.env, ...options.env }));
  const kept = opened.move();
  return {
    ...{ server, database, tokens },
    call: (path, more) => call(server.baseUrl + path, { token: tokens.enterprise, ...more }),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/**
 * Opens a service in this process for the tests of a file or of a `describe`. The returned object
 * is empty until the tests run.
 */
export function useService(kind: DatabaseKind, options?: ServiceOptions): TestService {
  const service = {} as TestService;
  beforeAll(async () => {
    const opened = await startService(kind, options);
    Object.assign(service, opened);
    return () => opened[Symbol.asyncDispose]();
  });
  return service;
}

async function createKeys(database: TestDatabase, prepare: ServiceOptions['prepare']) {
  const { db, close } = await database.open();
  await prepare?.(db);
  const create = async (key: NewKey) => (await createApiKey(db, key)).token;
  const tokens = {
    free: await create({ name: 'free', plan: 'free' }),
    pro: await create({ name: 'pro', plan: 'pro' }),
    business: await create({ name: 'business', plan: 'business' }),
    enterprise: await create({ name: 'enterprise', plan: 'enterprise', quota: wideQuota }),
  };
  await close();
  return tokens;
}

/**
 * Sends one request and reads the whole response. The request contains JSON and an API key if they
 * are given.
 */
export function call(url: string, options: CallOptions = {}): Promise<Answer> {
  const { method, token, json, headers } = options;
  const { origin, pathname, search } = new URL(url);
  const hasType = new Headers(headers).has('Content-Type');
  return send(origin, {
    method: method ?? (json === undefined ? 'GET' : 'POST'),
    target: pathname + search,
    headers: {
      ...(typeof token === 'string' && { Authorization: `Bearer ${token}` }),
      ...(json !== undefined && !hasType && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    body: json,
  });
}

/** Sends a request, and repeats it as long as the response is 503. */
export const callUntilServed: typeof call = (url, options) =>
  until(async () => {
    const answer = await call(url, options);
    return answer.status !== 503 && answer;
  });
