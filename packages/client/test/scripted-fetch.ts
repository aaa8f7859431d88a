import { type ClientOptions, createClient } from '../src/index.ts';

/** A request that a scripted `fetch` has received. */
interface FetchedRequest {
  /** The time when the request was received, on the clock of the test. */
  atMs: number;
  url: string;
  init: RequestInit;
}

/** A step of the script: a function that responds to one request, or throws. */
export type Step = (request: FetchedRequest) => Response | Promise<Response>;

export const baseUrl = 'https://store.example/v1';

/**
 * Creates a `fetch` that follows a script, and repeats the last step of the script. The steps take
 * no time, so all time that passes on a fake clock is time for which the client waits.
 */
export function scriptFetch(...steps: Step[]) {
  const requests: FetchedRequest[] = [];
  const startedAtMs = Date.now();
  return {
    requests,
    /** The method and path of each request, such as `GET /pets`. */
    get lines(): string[] {
      return requests.map(({ url, init }) => `${init.method} ${url.replace(baseUrl, '')}`);
    },
    /** Returns the values of a header field, one for each request. */
    fields: (name: string) => requests.map(({ init }) => new Headers(init.headers).get(name)),
    /** The time of each request, in milliseconds after the start. */
    get sentAtMs(): number[] {
      return requests.map(({ atMs }) => atMs - startedAtMs);
    },
    async fetch(url: string, init: RequestInit): Promise<Response> {
      const request = { atMs: Date.now(), url, init };
      requests.push(request);
      const step = steps[Math.min(requests.length, steps.length) - 1];
      if (step === undefined) throw new Error('the script has no step');
      return step(request);
    },
  };
}

/**
 * Creates a client with a scripted `fetch`. Each client gets a random API key. All test files run in
 * one process, and clients with the same API key share one quota, so their tests would wait for
 * each other.
 */
export function openStore(steps: Step[], options: ClientOptions = {}) {
  const script = scriptFetch(...steps);
  const apiKey = `ast_scripted_${crypto.randomUUID()}`;
  return { store: createClient({ baseUrl, apiKey, fetch: script.fetch, ...options }), script };
}

/** Returns a step that responds with JSON. */
export function answerJson(status: number, body: unknown, headers: Record<string, string> = {}) {
  return () =>
    new Response(JSON.stringify(body), {
      status,
      headers: { 'Content-Type': 'application/json', ...headers },
    });
}

/** A step that responds with an empty list of animals. */
export const ok = answerJson(200, []);

/** Returns a step that responds with an error in the format of the service. */
export function refuse(status: number, code: string, headers: Record<string, string> = {}): Step {
  return answerJson(status, { code, message: `about ${code}`, status }, headers);
}

/** Returns a step that responds with a 429 in the format of the service. */
export function deny(retryAfter: number | string, code = 'rate_limit_exceeded'): Step {
  return refuse(429, code, { 'Retry-After': String(retryAfter) });
}

/** A step that never responds, not even when the signal of the request aborts. */
export const hang: Step = () => new Promise(() => {});

/** A step that fails like `fetch` when the connection is lost. */
export const disconnect: Step = () => {
  throw new TypeError('fetch failed', { cause: new Error('ECONNRESET') });
};
