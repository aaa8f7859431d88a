import { type ClientOptions, createClient } from '../src/index.ts';

/** A request as a scripted `fetch` got it. */
interface FetchedRequest {
  /** When, on the clock of the test. */
  atMs: number;
  url: string;
  init: RequestInit;
}

/** What answers a request, or throws. */
export type Step = (request: FetchedRequest) => Response | Promise<Response>;

export const baseUrl = 'https://store.example/v1';

/**
 * A `fetch` that follows a script, and stays with its last step. It takes no time of its own, so on a
 * fake clock everything that passes is the client's doing.
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
    /** What each request has in a header field. */
    fields: (name: string) => requests.map(({ init }) => new Headers(init.headers).get(name)),
    /** When each request was sent, in milliseconds from the start. */
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

/** A client with a key of its own: all clients of a process that share a key share its quota. */
export function openStore(steps: Step[], options: ClientOptions = {}) {
  const script = scriptFetch(...steps);
  const apiKey = `ast_scripted_${++keys}`;
  return { store: createClient({ baseUrl, apiKey, fetch: script.fetch, ...options }), script };
}

/** A step that answers with JSON. */
export function answerJson(status: number, body: unknown, headers: Record<string, string> = {}) {
  return () =>
    new Response(JSON.stringify(body), {
      status,
      headers: { 'Content-Type': 'application/json', ...headers },
    });
}

/** A step that answers with no animals. */
export const ok = answerJson(200, []);

/** A step that fails as the service does. */
export function refuse(status: number, code: string, headers: Record<string, string> = {}): Step {
  return answerJson(status, { code, message: `about ${code}`, status }, headers);
}

/** A step that fails as a 429 of the service. */
export function deny(retryAfter: number | string, code = 'rate_limit_exceeded'): Step {
  return refuse(429, code, { 'Retry-After': String(retryAfter) });
}

/** A step that never answers, not even when its signal aborts. */
export const hang: Step = () => new Promise(() => {});

/** A step that fails as a connection does. */
export const disconnect: Step = () => {
  throw new TypeError('fetch failed', { cause: new Error('ECONNRESET') });
};
