import { describe, expect, test, vi } from 'vitest';
import { useFakeClock } from '../test/fake-clock.ts';
import { createQuotaGate } from './quota-gate.ts';
import type { Answer } from './response.ts';

useFakeClock();

/** The headers of the service's response to a Free key: 60 requests a minute. */
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

/** Creates a gate. The test responds to the requests that it sends. */
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
 * Plays a script. `+2` makes two calls, `+2t10` with a timeout of 10 ms, `+2t10w60` also with at
 * most 60 ms of wait for a reset, and `?` one that is refused. `0<50` answers the first request: 50
 * remain for a minute; `0<50/70`: for 70 s; `0!30` with a 429, `0x` by a lost connection, `3-` the
 * first three without headers. `~10` lets 10 ms pass. `=3`: so far three requests were sent; `a3`:
 * three of them aborted; `g3`: three calls have failed.
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

// Waiting calls look again every 5 s.
test.each([
  ['sends 3 at most without a response while nothing is known: 3/8 of 10 strikes', '+20 =3'],
  ['sends 11 at most with a Free key: 3/8 of 30 strikes', '+1 0<50 +20 =12'],
  ['sends as many at most as remain', '+1 0<2 +20 =3'],
  [
    'sends 3 at most for a minute after a denial: 1/8 of 30 strikes',
    '+1 0!1 ~59999 +1 1<50 +20 =5',
  ],
  ['sends 11 at most after that minute', '+1 0!1 ~60000 +1 1<50 +20 =13'],
  // 350 successes need at most 3.5 windows, so the limit is 100 or more, which allows at least 50
  // strikes.
  [
    'sends more without headers, with each success of the last minutes',
    '+1000 =3 60- =63 350- =368',
  ],
  ['uses the lowest value of responses about one window', '+1 0<50 +2 2<3 1<4 +20 =6'],
  ['uses the later of two windows', '+1 0<50 +2 2<9/70 1<1 +20 =12'],
  ['counts a denial, whatever its window', '+1 0<50/3600 +2 1!30 ? 2<5/20 ? =3'],
  [
    'uses the response to the only request, because limits may rise',
    '+1 0<0/3600 ~60000 +1 1<8/3540 +20 =10',
  ],
  ['does not use it like this if another request is in flight', '+1 0<2 +2 2<0 1<1 ?'],
  ['does not use it like this in the other order', '+1 0<2 +2 1<0 2<1 ?'],
  ['counts a timed-out request for 30 s', '+3t10 ~10 a3 ~29989 +5 =4 ~5000 =6'],
  // Regression: a response to another call made the gate forget these requests, and the key was
  // banned.
  ['counts it also when another call gets a response', '+1 0<50 +5t10 ~10 a5 +1 6<40 +20 =13'],
  [
    'lets a request continue for 30 s after three timeouts',
    '+3t10 ~10 g3 +1t10 ~10 g4 ~29980 a3 ~20 a4',
  ],
  ['learns from such a request when its response arrives', '+3t10 ~10 +1t10 ~10 3<0 ? =4'],
  ['does not count a timed-out request after its response', '+3t10 ~10 0<50 1<50 2<50 +20 =14'],
  ['counts a lost connection for a second', '+3 0x 1x 2x ~999 +5 =4 ~5000 =6'],
  ['rejects a call after its timeout', '+3t100000 +1t7000 ~6999 g0 ~1 g1 =3'],
  ['frees the place of a refused call', '+1 0<0 ? ? ~60000 +5 =4'],
  ['frees the place of a timed-out call', '+3t100000 +1t10 ~10 g1 0<50 1<50 2<50 +20 =14'],
  ['waits for a reset if that is longer', '+3t100000 +1t7000w60000 ~59999 g0 ~1 g1 =3'],
])('the gate %s: %s', (_what, script) => play(script));

describe('waiting calls', () => {
  test('go in the order of their arrival, and before later calls', async () => {
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

  test('are refused at once if the calls before them use up every window in time', async () => {
    const { send, sent } = open();
    const first = send();
    sent[0]?.resolve(answer(0));
    await first;
    const outcomes: Promise<{ refusal?: { retryAfterMs?: number | undefined } | undefined }>[] = [];
    for (let index = 0; index < 62; index++) {
      outcomes.push(send(`${index}`, { maxRetryAfterMs: 70_000 }));
    }
    const refused = await Promise.all(outcomes.slice(60));
    // Even the window after the next one may be too full, but no earlier one has room.
    expect(refused.map(({ refusal }) => refusal?.retryAfterMs)).toEqual([120_000, 120_000]);
    void send('patient', { maxRetryAfterMs: 120_000 });
    await elapse(60_000);
    expect(sent.slice(1).map(({ name }) => name)).toEqual(['0', '1', '2']);
  });

  test('are refused when the quota is used up and the reset is too far away', async () => {
    const { send, sent } = open();
    for (let count = 0; count < 3; count++) void send();
    const impatient = send('', { maxRetryAfterMs: 59_000 });
    void send('patient', { maxRetryAfterMs: 60_000 });
    sent[0]?.resolve(answer(0));
    const { refusal } = await impatient;
    expect({ ...refusal, headers: [...(refusal?.headers ?? [])] }).toEqual({
      status: 429,
      code: 'rate_limit_exceeded',
      detail: 'not sent, retry in 60 s',
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

describe('the gate ignores a response that may be old', () => {
  const usedUp = {
    'X-RateLimit-Limit': '60',
    'X-RateLimit-Remaining': '0',
    RateLimit: '"day";r=0;t=86000',
  };
  const soon = () => String(Math.ceil(Date.now() / 1_000) + 60);

  test.each<[sign: string, headers: () => Record<string, string>]>([
    ['Age', () => ({ Age: '0', 'X-RateLimit-Reset': soon() })],
    [
      'a reset that is over',
      () => ({ 'X-RateLimit-Reset': String(Math.floor(Date.now() / 1_000)) }),
    ],
  ])('when %s', async (_, headers) => {
    const { send, sent } = open();
    const first = send();
    await elapse(0);
    const response = new Response('[]', { headers: { ...usedUp, ...headers() } });
    sent[0]?.resolve({ response, text: '[]' });
    await first;
    void send();
    await elapse(0);
    expect(sent).toHaveLength(2);
  });

  test('when its X-Request-Id was seen before', async () => {
    const { send, sent } = open();
    const replayed = () => {
      const headers = { ...usedUp, 'X-RateLimit-Reset': soon(), 'X-Request-Id': 'one' };
      return { response: new Response('[]', { headers }), text: '[]' };
    };
    const first = send();
    await elapse(0);
    sent[0]?.resolve(replayed());
    await first;
    // The window is over, and the cache sends the same response.
    await elapse(86_400_000);
    const second = send();
    await elapse(0);
    sent[1]?.resolve(replayed());
    await second;
    void send();
    await elapse(0);
    expect(sent).toHaveLength(3);
  });

  test('a fresh response closes the quota gate', async () => {
    const { send, sent } = open();
    const first = send();
    await elapse(0);
    const headers = { ...usedUp, 'X-RateLimit-Reset': soon(), 'X-Request-Id': 'one' };
    sent[0]?.resolve({ response: new Response('[]', { headers }), text: '[]' });
    await first;
    expect(await send()).toMatchObject({ refusal: { status: 429 } });
  });
});
