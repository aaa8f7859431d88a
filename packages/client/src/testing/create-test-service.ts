import {
  type ErrorCode,
  errorCodes,
  errorMessages,
  type NewPet,
  type Pet,
  plans,
  type Quota,
  type Scope,
} from '@animal-store/contract';
import type { FetchFunction } from '../http-response.ts';
import { TestError } from './test-error.ts';
import { deprecationHeaders, describeRequest, respond, type TestRequest } from './test-message.ts';
import { createTestPets, type TestAnswer } from './test-pets.ts';
import { createTestQuota } from './test-quota.ts';

/** The initial state of a test service. */
export interface TestServiceOptions {
  /**
   * The animals of the service. An animal without an `id` gets the next free `id`. @default none
   */
  pets?: Iterable<NewPet | Pet> | undefined;
  /**
   * The quota of the test service's API key. The windows follow the clock of `Date`, which a test
   * can fake. The client follows `performance.now()`, so fake both. Vitest, Jest and Sinon do this.
   * With `node:test`, use `mock.method(performance, 'now', () => Date.now())`.
   *
   * @default 1,000 a minute and 100,000 a day
   */
  quota?: { perMinute: number; perDay: number } | undefined;
  /** The scopes of the test service's API key. @default all scopes */
  scopes?: readonly ('pets:read' | 'pets:write')[] | undefined;
}

/**
 * A failure that a test can request: an error code of the service, or `no_answer` for a lost
 * connection.
 */
export type TestFailure = ErrorCode | 'no_answer';

/** A service that runs in the memory of a test. */
export interface TestService {
  /** The options for a client of this service: `createClient(service.clientOptions)`. */
  clientOptions: { baseUrl: string; apiKey: string; fetch: FetchFunction };
  /** The animals of the service, ordered by `id`. */
  readonly pets: readonly Pet[];
  /** All requests that the service has received. */
  readonly requests: readonly TestRequest[];
  /**
   * Makes the next requests fail.
   *
   * @throws {TypeError} for an unknown failure, and for a number that is not an integer from 0.
   * @example
   * ```ts
   * service.failNext('service_unavailable', { times: 2 });
   * ```
   */
  failNext(
    failure: TestFailure,
    options?: { times?: number | undefined; retryAfterSeconds?: number | undefined },
  ): void;
}

/** Returns the `WWW-Authenticate` header for an error code, as the service sends it. */
const challengeOf = (error: string) => ({
  'WWW-Authenticate': `Bearer realm="animal-store", error="${error}"`,
});
const scopeChallengeOf = (scope: Scope) => challengeOf(`insufficient_scope", scope="${scope}`);

/** The `WWW-Authenticate` header for each requested failure that has one. */
const challenges: Partial<Record<TestFailure, Record<string, string>>> = {
  unauthorized: challengeOf('invalid_token'),
  insufficient_scope: scopeChallengeOf('pets:write'),
};

/** Returns the scope that a request needs, or `undefined` for unknown paths and methods. */
function scopeOf(method: string, route: string): Scope | undefined {
  if (method === 'POST') return route === '/pets' ? 'pets:write' : undefined;
  const isKnown = /^\/(pets(\/[^/]+)?|rate-limit|store\/orders)$/.test(route);
  return isKnown && (method === 'GET' || method === 'HEAD') ? 'pets:read' : undefined;
}

/**
 * Creates a service in memory that behaves like the real service: pages, quotas, idempotency,
 * errors and deprecations. Each test service has its own API key, so tests do not share a quota.
 *
 * @throws {TypeError} for animals with an invalid `id`, and for a quota without integers from 0.
 * @example
 * ```ts
 * const service = createTestService({ pets: [{ name: 'Mia', categoryId: 3 }] });
 * const store = createClient(service.clientOptions);
 * ```
 */
export function createTestService(options: TestServiceOptions = {}): TestService {
  const baseUrl = 'https://animal-store.test/v1';
  const apiKey = `ast_test_${crypto.getRandomValues(new Uint32Array(4)).join('')}`;
  const quotaNumbers: Quota = options.quota ?? plans.business;
  checkCount('quota.perMinute', quotaNumbers.perMinute);
  checkCount('quota.perDay', quotaNumbers.perDay);
  const quota = createTestQuota(quotaNumbers);
  const scopes: readonly Scope[] = options.scopes ?? ['pets:read', 'pets:write'];
  const pets = createTestPets(options.pets ?? []);
  const requests: TestRequest[] = [];
  const failures: { failure: TestFailure; retryAfterSeconds: number }[] = [];

  function dispatch({ method, path, headers, body }: TestRequest): TestAnswer {
    const { pathname, searchParams } = new URL(baseUrl + path);
    const route = pathname.slice(new URL(baseUrl).pathname.length);
    const [, petId] = /^\/pets\/([^/]+)$/.exec(route) ?? [];
    const isRead = method === 'GET' || method === 'HEAD';
    const allow = (methods: string) => {
      const message = errorMessages.method_not_allowed(methods.split(', '));
      return new TestError(405, 'method_not_allowed', message, { Allow: methods });
    };
    if (route === '/pets') {
      if (isRead) return pets.list(searchParams, `${baseUrl}/pets`);
      if (method === 'POST')
        return pets.create(body, headers.get('Idempotency-Key'), `${baseUrl}/pets`);
      throw allow('GET, HEAD, POST');
    }
    if (petId !== undefined) {
      if (isRead) return pets.find(decodeURIComponent(petId));
      throw allow('GET, HEAD');
    }
    if (route === '/store/orders') {
      if (isRead) throw new TestError(501, 'not_implemented', errorMessages.not_implemented);
      throw allow('GET, HEAD');
    }
    throw new TestError(404, 'not_found', 'There is no such path.');
  }

  function answer(request: TestRequest): { answer: TestAnswer; headers: Record<string, string> } {
    // `get` ignores the case of field names. An iteration would not, because the `Headers` of happy-dom
    // keep the case of names.
    if (request.headers.get('Authorization') !== `Bearer ${apiKey}`) {
      const headers = challengeOf('invalid_token');
      throw new TestError(401, 'unauthorized', errorMessages.unauthorized, headers);
    }
    const scope = scopeOf(request.method, request.path.replace(/\?.*/, ''));
    const isAllowed = scope === undefined || scopes.includes(scope);
    if (isAllowed && request.path === '/rate-limit' && request.method === 'GET') {
      return { answer: { status: 200, body: quota.status() }, headers: quota.look().headers };
    }
    const { isAdmitted, headers, reported } = quota.take();
    if (!isAdmitted) {
      const message = errorMessages.rate_limit_exceeded(reported, reported.resetInSeconds);
      const retryAfter = { 'Retry-After': `${reported.resetInSeconds}` };
      throw new TestError(429, 'rate_limit_exceeded', message, retryAfter);
    }
    if (!isAllowed) {
      const message = errorMessages.insufficient_scope(scope);
      throw new TestError(403, 'insufficient_scope', message, scopeChallengeOf(scope));
    }
    return { answer: dispatch(request), headers };
  }

  function failOnDemand(): void {
    const planned = failures.shift();
    if (planned === undefined) return;
    const { failure, retryAfterSeconds } = planned;
    if (failure === 'no_answer') throw new TypeError('fetch failed');
    const description = errorCodes[failure];
    const isTemporary = description.headers?.includes('Retry-After');
    throw new TestError(description.status, failure, description.example ?? description.when, {
      ...(isTemporary && { 'Retry-After': `${retryAfterSeconds}` }),
      ...challenges[failure],
    });
  }

  const fetch: FetchFunction = async (url, init) => {
    init.signal?.throwIfAborted();
    // A real service never responds synchronously, so the test service does not either.
    await undefined;
    if (!url.startsWith(`${baseUrl}/`))
      throw new TypeError(
        `fetch failed: the test service has only URLs below ${baseUrl}, but got ${url}`,
      );
    const request = describeRequest(url.slice(baseUrl.length), init);
    requests.push(request);
    const common = { 'X-Request-Id': `test-${requests.length}`, 'Cache-Control': 'no-store' };
    try {
      failOnDemand();
      const { answer: success, headers } = answer(request);
      return respond(request, success.status, success.body, {
        ...common,
        ...headers,
        ...success.headers,
        ...deprecationHeaders(request),
      });
    } catch (error) {
      if (!(error instanceof TestError)) throw error;
      const { status, code, message } = error;
      return respond(
        request,
        status,
        { code, message, status },
        {
          ...common,
          ...quota.look().headers,
          ...deprecationHeaders(request),
          ...error.headers,
        },
      );
    }
  };

  return {
    clientOptions: { baseUrl, apiKey, fetch },
    pets: pets.all,
    requests,
    failNext(failure, { times = 1, retryAfterSeconds = 1 } = {}) {
      // Without this check, an unknown code in untyped code would look like a lost connection.
      if (failure !== 'no_answer' && !Object.hasOwn(errorCodes, failure))
        throw new TypeError(
          `failure: expected no_answer or an error code of the service, got ${failure}`,
        );
      checkCount('times', times);
      checkCount('retryAfterSeconds', retryAfterSeconds);
      for (let time = 0; time < times; time++) failures.push({ failure, retryAfterSeconds });
    },
  };
}

function checkCount(name: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0)
    throw new TypeError(`${name}: expected an integer from 0, got ${value}`);
}
