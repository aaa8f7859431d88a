import { describe, expect, test, vi } from 'vitest';
import { useFakeClock } from '../test/fake-clock.ts';
import { createQuotaGate } from './quota-gate.ts';
import type { Answer } from './response.ts';

useFakeClock();

/**
 * Returns a response of the service to an API key with the plan Free, which allows 60 requests a
 * minute.
 */
function answer(remaining: number, { status = 200, resetInSeconds = 60 } = {}): Answer {
  const headers = {
    'X-RateLimit-Limit': '60',
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(Math.ceil(Date.now() / 1000) + resetInSeconds),
    'RateLimit-Policy': '"minute";q=60;w=60, "day";q=1000;w=86400',
    ...(status === 429 && { 'Retry-After': String(resetInSeconds) }),
  };
  return { response: new Response('[]', { status, headers }), text: '[]' };
}

/** Creates a quota gate, and records its requests so that the test can respond to them. */
function open() {
  const gate = createQuotaGate();
  const sent: (PromiseWithResolvers<Answer> & { name: string; signal: AbortSignal })[] = [];
  function send(name = '', { timeoutMs = 10_000, maxRetryAfterMs = 0 } = {}) {
    const exchange = (signal: AbortSignal) => {
      const request = { name, signal, ...Promise.withResolvers<Answer>() };
      sent.push(request);
      return request.promise;
    };
    return gate(exchange, { timeoutMs, maxRetryAfterMs, signal: undefined });
  }
  return { send, sent };
}

const elapse = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/**
 * Plays a script of calls, responses and assertions. These are the steps:
 * - `+2` makes two calls. `+2t10` sets their timeout to 10 ms. `+2t10w60` also limits the wait for
 *   a reset to 60 ms.
 * - `?` makes a call that the gate must refuse.
 * - `0<50` responds to the first request: 50 requests remain for 60 s. In `0<50/70`, they remain
 *   for 70 s.
 * - `0!30` responds to the first request with a 429 and 30 s until the reset.
 * - `0x` breaks the connection of the first request.
 * - `3-` responds to the first three requests without rate-limit headers.
 * - `~10` lets 10 ms pass.
 * - `=3` asserts that three requests have been sent.
 * - `a3` asserts that three requests were aborted.
 * - `g3` asserts that three calls have failed.
 */
async function play(script: string): Promise<void> {
  const { send, sent } = open();
  let givenUp = 0;
  for (const step of script.split(' ')) {
    const [n = 0, m, o] = (step.match(/\d+/g) ?? []).map(Number);
    switch (step.replaceAll(/\d+/g, '')) {
      case '+':
      case '+t':
      case '+tw':
        for (let count = 0; count < n; count++) {
          void send('', { ...(m && { timeoutMs: m }), ...(o && { maxRetryAfterMs: o }) }).then(
            (outcome) => (givenUp += Object.keys(outcome).length === 0 ? 1 : 0),
          );
        }
        break;
      case '?':
        expect(await send(), script).toMatchObject({ refusal: { status: 429 } });
        break;
      case '<':
      case '</':
        sent[n]?.resolve(answer(m ?? 0, o === undefined ? {} : { resetInSeconds: o }));
        break;
      case '!':
        sent[n]?.resolve(answer(0, { status: 429, resetInSeconds: m ?? 0 }));
        break;
      case 'x':
        sent[n]?.reject(new Error('ECONNRESET'));
        break;
      case '-':
        for (let index = 0; index < n; index++) {
          sent[index]?.resolve({ response: new Response('[]'), text: '[]' });
          await elapse(0);
        }
        break;
      case '~':
        await elapse(n);
        break;
      case '=':
        expect(sent, step).toHaveLength(n);
        break;
      case 'a':
        expect(sent.filter((request) => request.signal.aborted).length, step).toBe(n);
        break;
      case 'g':
        expect(givenUp, step).toBe(n);
        break;
      default:
        expect.unreachable(step);
    }
    await elapse(0);
  }
}

// The comment of the function `play` explains these scripts. A call that waits checks the
// gate again every 5 s.
test.each([
  ['sends at most 3 unanswered requests before the first response (3/8 of 10 strikes)', '+20 =3'],
  ['sends at most 11 unanswered requests with a Free key (3/8 of 30 strikes)', '+1 0<50 +20 =12'],
  ['sends no more requests than the quota has left', '+1 0<2 +20 =3'],
  [
    'sends at most 3 unanswered requests for a minute after a 429 (1/8 of 30 strikes)',
    '+1 0!1 ~59999 +1 1<50 +20 =5',
  ],
  [
    'sends at most 11 unanswered requests again when a minute has passed since a 429',
    '+1 0!1 ~60000 +1 1<50 +20 =13',
  ],
  // The client divides its 350 successes by `windowsInSuccesses` (3.5), and estimates a limit of 100
  // requests a minute. An API key with this limit may have 50 strikes (denied requests that count
  // towards a ban). The client keeps at most 3/8 of 50 requests unanswered, which is 18. So 350
  // responses allow 368 requests.
  [
    'sends more requests after each success when responses have no rate-limit headers',
    '+1000 =3 60- =63 350- =368',
  ],
  [
    'uses the lowest remaining value of several responses about one window',
    '+1 0<50 +2 2<3 1<4 +20 =6',
  ],
  ['uses the response about the later of two windows', '+1 0<50 +2 2<9/70 1<1 +20 =12'],
  [
    'uses the quota state of a 429, whichever window it describes',
    '+1 0<50/3600 +2 1!30 ? 2<5/20 ? =3',
  ],
  [
    'uses the response to the only request in flight, because an operator may have raised the limit',
    '+1 0<0/3600 ~60000 +1 1<8/3540 +20 =10',
  ],
  ['ignores a higher remaining value if another request was in flight', '+1 0<2 +2 2<0 1<1 ?'],
  ['uses the lowest remaining value when it arrives last', '+1 0<2 +2 1<0 2<1 ?'],
  ['counts a timed-out request as unanswered for 30 s', '+3t10 ~10 a3 ~29989 +5 =4 ~5000 =6'],
  // Regression: a response to another call made the gate forget the timed-out requests. The gate
  // then sent too many requests, and the API key was banned.
  [
    'counts a timed-out request as unanswered even when another call gets a response',
    '+1 0<50 +5t10 ~10 a5 +1 6<40 +20 =13',
  ],
  [
    'lets the request of a call continue for 30 s after its timeout if three others have timed out',
    '+3t10 ~10 g3 +1t10 ~10 g4 ~29980 a3 ~20 a4',
  ],
  [
    'uses the response to a request that continued after its timeout',
    '+3t10 ~10 +1t10 ~10 3<0 ? =4',
  ],
  [
    'no longer counts a timed-out request as unanswered after its response',
    '+3t10 ~10 0<50 1<50 2<50 +20 =14',
  ],
  [
    'counts a request with a lost connection as unanswered for a second',
    '+3 0x 1x 2x ~999 +5 =4 ~5000 =6',
  ],
  ['ends the wait of a call after its timeout', '+3t100000 +1t7000 ~6999 g0 ~1 g1 =3'],
  ['does not count a refused call', '+1 0<0 ? ? ~60000 +5 =4'],
  [
    'does not count a call that timed out before it was sent',
    '+3t100000 +1t10 ~10 g1 0<50 1<50 2<50 +20 =14',
  ],
  [
    'waits for maxRetryAfterMs if that is longer than timeoutMs',
    '+3t100000 +1t7000w60000 ~59999 g0 ~1 g1 =3',
  ],
])('the quota gate decides when a request may be sent: it %s', (_what, script) => play(script));

describe('calls that wait in the quota gate', () => {
  test('the quota gate sends waiting calls in the order of their arrival, and before later calls', async () => {
    const { send, sent } = open();
    for (const name of ['', '', '', 'a', 'b']) void send(name);
    sent[0]?.resolve(answer(1));
    void send('newcomer');
    await elapse(0);
    for (const [index, remaining] of [50, 49].entries()) {
      sent[1 + index]?.resolve(answer(remaining, { resetInSeconds: 70 }));
      await elapse(0);
    }
    expect(sent.slice(3).map(({ name }) => name)).toEqual(['a', 'b', 'newcomer']);
  });

  test('the quota gate refuses a call immediately if earlier calls will use up every window that begins within its `maxRetryAfterMs`', async () => {
    const { send, sent } = open();
    const first = send();
    sent[0]?.resolve(answer(0));
    await first;
    const outcomes: Promise<{ refusal?: { retryAfterMs?: number | undefined } | undefined }>[] = [];
    for (let index = 0; index < 62; index++) {
      outcomes.push(send(`${index}`, { maxRetryAfterMs: 70_000 }));
    }
    const refused = await Promise.all(outcomes.slice(60));
    // The next window allows only the 60 calls that are already waiting. So the two refused calls
    // have to wait for the second window from now, which begins in 120 s.
    expect(refused.map(({ refusal }) => refusal?.retryAfterMs)).toEqual([120_000, 120_000]);
    void send('patient', { maxRetryAfterMs: 120_000 });
    await elapse(60_000);
    expect(sent.slice(1).map(({ name }) => name)).toEqual(['0', '1', '2']);
  });

  test('the quota gate refuses a waiting call when the quota resets later than the `maxRetryAfterMs` of the call allows', async () => {
    const { send, sent } = open();
    for (let count = 0; count < 3; count++) void send();
    const impatient = send('', { maxRetryAfterMs: 59_000 });
    void send('patient', { maxRetryAfterMs: 60_000 });
    sent[0]?.resolve(answer(0));
    const { refusal } = await impatient;
    expect({ ...refusal, headers: [...(refusal?.headers ?? [])] }).toEqual({
      status: 429,
      code: 'rate_limit_exceeded',
      detail: 'the client did not send the request: retry after 60 s',
      headers: [],
      retryAfterMs: 60_000,
      limit: 60,
      remaining: 0,
      resetAt: new Date(Date.now() + 60_000),
    });
    expect(sent).toHaveLength(3);
    for (const { resolve } of sent.slice(1)) resolve(answer(0));
    await elapse(60_000);
    expect(sent[3]?.name).toBe('patient');
  });
});

// Regression: the reset became an invalid date, and the quota gate refused all later calls.
test('the quota gate ignores the quota of a response whose reset is too large for a date', async () => {
  const { send, sent } = open();
  const first = send();
  sent[0]?.resolve(answer(0, { resetInSeconds: 1e13 }));
  await first;
  void send();
  expect(sent).toHaveLength(2);
});

describe('responses that may be old', () => {
  const usedUp = {
    'X-RateLimit-Limit': '60',
    'X-RateLimit-Remaining': '0',
    RateLimit: '"day";r=0;t=86000',
  };
  const soon = () => String(Math.ceil(Date.now() / 1_000) + 60);

  test.each<[sign: string, headers: () => Record<string, string>]>([
    ['an Age of at least 1 second', () => ({ Age: '1', 'X-RateLimit-Reset': soon() })],
    [
      'a reset time in the past',
      () => ({ 'X-RateLimit-Reset': String(Math.floor(Date.now() / 1_000)) }),
    ],
  ])(
    'the quota gate ignores a response that may come from a cache, because the response has %s',
    async (_, headers) => {
      const { send, sent } = open();
      const first = send();
      await elapse(0);
      const response = new Response('[]', { headers: { ...usedUp, ...headers() } });
      sent[0]?.resolve({ response, text: '[]' });
      await first;
      void send();
      await elapse(0);
      expect(sent).toHaveLength(2);
    },
  );

  // Regression: the call waited for 60 s, as `RateLimit` said. But a cache had stored the response
  // 50 s ago, so only 10 s were left.
  test.each<[clock: string, aheadSeconds: number, statuses: readonly number[]]>([
    ['the right clock', 0, []],
    ['a clock that a fresh response has shown to be an hour slow', 3_600, [200]],
    ['a clock that a 429 has shown to be half a minute fast', -30, [429, 200]],
  ])(
    'the quota gate waits 50 s less than the RateLimit header of a response says when the response spent 50 s in a cache, on a machine with %s',
    async (_, aheadSeconds, statuses) => {
      const { send, sent } = open();
      const now = Math.ceil(Date.now() / 1_000);
      async function exchange(status: number, resetInSeconds: number, t: number, r: number) {
        const pending = send();
        await elapse(0);
        const headers = {
          'X-RateLimit-Limit': '60',
          'X-RateLimit-Remaining': String(r),
          'X-RateLimit-Reset': String(now + aheadSeconds + resetInSeconds),
          RateLimit: `"minute";r=${r};t=${t}`,
          ...(status === 429 && { 'Retry-After': '1' }),
        };
        sent.at(-1)?.resolve({ response: new Response('[]', { status, headers }), text: '[]' });
        await pending;
        await elapse(1_000);
      }
      for (const [n, status] of statuses.entries())
        await exchange(status, status === 429 ? n + 1 : n + 60, 60, status === 429 ? 0 : 59);
      const seconds = statuses.length;
      await exchange(200, seconds + 10, 60, 0);
      void send('', { maxRetryAfterMs: 70_000 });
      await elapse(0);
      expect(sent).toHaveLength(seconds + 1);
      await elapse(12_000);
      expect(sent).toHaveLength(seconds + 2);
    },
  );

  test('the quota gate ignores a copy of an earlier response', async () => {
    const { send, sent } = open();
    const reset = soon();
    async function exchange(id: string, remaining: number) {
      const pending = send();
      await elapse(0);
      const headers = {
        ...usedUp,
        ...{ RateLimit: `"day";r=${remaining};t=86000`, 'X-Request-Id': id },
        ...{ 'X-RateLimit-Remaining': String(remaining), 'X-RateLimit-Reset': reset },
      };
      sent.at(-1)?.resolve({ response: new Response('[]', { headers }), text: '[]' });
      await pending;
    }
    await exchange('one', 2);
    await exchange('two', 1);
    await exchange('one', 2);
    // One request is left in the window, although the copy says that two are left.
    void send();
    void send();
    await elapse(0);
    expect(sent).toHaveLength(4);
  });

  // Regressions: the gate took these responses for cached ones. It kept sending requests after 429
  // responses, and the service banned the API key.
  test.each<[sign: string, status: number, headers: Record<string, string>]>([
    ['a 200 with Age: 0', 200, { Age: '0' }],
    ['a 429 with Age: 0', 429, { Age: '0' }],
    ['a 200 with the X-Request-Id of earlier responses', 200, { 'X-Request-Id': 'one' }],
    ['a 429 with the X-Request-Id of earlier responses', 429, { 'X-Request-Id': 'one' }],
    ['a 200 with an empty X-Request-Id', 200, { 'X-Request-Id': '' }],
  ])(
    'the quota gate refuses calls after %s that reports a used-up quota',
    async (_, status, headers) => {
      const { send, sent } = open();
      const reset = soon();
      for (const [index, remaining] of ['2', '1', '0'].entries()) {
        const pending = send();
        await elapse(0);
        const response = new Response('[]', {
          status: remaining === '0' ? status : 200,
          headers: {
            ...usedUp,
            ...{ RateLimit: `"day";r=${remaining};t=86000`, 'Retry-After': '86000' },
            ...{ 'X-RateLimit-Remaining': remaining, 'X-RateLimit-Reset': reset },
            ...headers,
          },
        });
        sent[index]?.resolve({ response, text: '[]' });
        await pending;
      }
      expect(await send()).toMatchObject({ refusal: { status: 429 } });
      expect(sent).toHaveLength(3);
    },
  );

  test('the quota gate refuses calls after a response that reports a used-up quota and does not come from a cache', async () => {
    const { send, sent } = open();
    const first = send();
    await elapse(0);
    const headers = { ...usedUp, 'X-RateLimit-Reset': soon(), 'X-Request-Id': 'one' };
    sent[0]?.resolve({ response: new Response('[]', { headers }), text: '[]' });
    await first;
    expect(await send()).toMatchObject({ refusal: { status: 429 } });
  });
});

// Regression: each aborted call woke all other calls, so the abort of 20,000 calls took 2.5 s.
test('an abort of all calls that wait for the quota ends each wait only once', async () => {
  const gate = createQuotaGate();
  const controller = new AbortController();
  const { signal } = controller;
  const options = { timeoutMs: 10_000, maxRetryAfterMs: 1e9, signal };
  await gate(async () => answer(0), options);
  const calls = Array.from({ length: 100 }, () => gate(() => expect.unreachable(), options));
  await elapse(0);
  const endWait = vi.spyOn(globalThis, 'clearTimeout');
  controller.abort();
  expect(await Promise.all(calls)).toEqual(calls.map(() => ({})));
  expect(endWait).toHaveBeenCalledTimes(calls.length);
});
