import { type ClientOptions, createClient } from '../src/index.ts';

/** A request as a scripted `fetch` received it. */
interface FetchedRequest {
  /** The time on the clock of the test. */
  atMs: number;
  url: string;
  init: RequestInit;
}

/** The function that responds to a request, or throws. */
export type Step = (request: FetchedRequest) => Response | Promise<Response>;

export const baseUrl = 'https://store.example/v1';

/**
 * A `fetch` that follows a script, and repeats its last step. It takes no time, so all time on a
 * fake clock comes from the client.
 */
export function scriptFetch(...steps: Step[]) {
  const requests: FetchedRequest[] = [];
  const startedAtMs = Date.now();
  return {
    requests,
    /** Method and path of each request. */
    get lines(): string[] {
      return requests.map(({ url, init }) => `${init.method} ${url.replace(baseUrl, '')}`);
    },
    /** The values of a header field in each request. */
    fields: (name: string) => requests.map(({ init }) => new Headers(init.headers).get(name)),
    /** The times when each request was sent, in milliseconds from the start. */
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

let keys = 0;

/**
 * Creates a client with its own key, because all clients of a process with the same key share its
 * quota.
 */
export function openStore(steps: Step[], options: ClientOptions = {}) {
  const script = scriptFetch(...steps);
  const apiKey = `ast_scripted_${++keys}`;
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

/** Returns a step that responds with no animals. */
export const ok = answerJson(200, []);

/** Returns a step that fails like the service. */
export function refuse(status: number, code: string, headers: Record<string, string> = {}): Step {
  return answerJson(status, { code, message: `about ${code}`, status }, headers);
}

/** Returns a step that fails with a 429 of the service. */
export function deny(retryAfter: number | string, code = 'rate_limit_exceeded'): Step {
  return refuse(429, code, { 'Retry-After': String(retryAfter) });
}

/** A step that never responds, not even when its signal aborts. */
export const hang: Step = () => new Promise(() => {});

/** A step that fails with a lost connection. */
export const disconnect: Step = () => {
  throw new TypeError('fetch failed', { cause: new Error('ECONNRESET') });
};
