import { describe, expect, test, vi } from 'vitest';
import { useFakeClock } from '../test/fake-clock.ts';
import { createQuotaGate } from './quota-gate.ts';
import type { Answer } from './response.ts';

useFakeClock();

/** What the service answers to a Free key: 60 requests a minute. */
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

/** A gate, and the requests that it has sent, which the test answers. */
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
 * Plays a script. `+2` makes two calls, `+2t10` with a timeout of 10 ms, `+2t10w60` that also wait 60 ms for a
 * reset, `?` one that is refused. `0<50` answers the first request: 50 remain for a minute; `0<50/70`: for 70 s;
 * `0!30` with a 429, `0x` by a lost connection, `3-` the first three without headers. `~10` lets 10 ms pass.
 * `=3`: so far three requests were sent; `a3`: three of them aborted; `g3`: three calls have given up.
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

// Those who wait look again every 5 s.
test.each([
  ['3 at most are unanswered while nothing is known: 3/8 of 10 strikes', '+20 =3'],
  ['11 at most with a Free key: 3/8 of 30 strikes', '+1 0<50 +20 =12'],
  ['as many at most as remain', '+1 0<2 +20 =3'],
  ['3 at most for a minute after a denial: 1/8 of 30 strikes', '+1 0!1 ~59999 +1 1<50 +20 =5'],
  ['11 at most after that', '+1 0!1 ~60000 +1 1<50 +20 =13'],
  // 350 successes are those of 3.5 windows at most: a limit of 100 or more, so 50 strikes at least.
  ['more without headers, with each success of the last minutes', '+1000 =3 60- =63 350- =368'],
  ['of answers of one window the lowest counts', '+1 0<50 +2 2<3 1<4 +20 =6'],
  ['of answers of two windows the later counts', '+1 0<50 +2 2<9/70 1<1 +20 =12'],
  ['a denial counts, whatever its window', '+1 0<50/3600 +2 1!30 ? 2<5/20 ? =3'],
  ['the only answer counts, as limits may rise', '+1 0<0/3600 ~60000 +1 1<8/3540 +20 =10'],
  ['it is not the only one if another is on its way', '+1 0<2 +2 2<0 1<1 ?'],
  ['nor in the other order', '+1 0<2 +2 1<0 2<1 ?'],
  ['a request that was given up counts for 30 s', '+3t10 ~10 a3 ~29989 +5 =4 ~5000 =6'],
  // Regression: an answer to another call made the gate forget them, and the key was banned.
  ['whoever is answered meanwhile', '+1 0<50 +5t10 ~10 a5 +1 6<40 +20 =13'],
  ['after three it goes on for 30 s', '+3t10 ~10 g3 +1t10 ~10 g4 ~29980 a3 ~20 a4'],
  ['and teaches the gate, if its answer arrives', '+3t10 ~10 +1t10 ~10 3<0 ? =4'],
  ['it does not count any more once it is answered', '+3t10 ~10 0<50 1<50 2<50 +20 =14'],
  ['a lost connection counts for a second', '+3 0x 1x 2x ~999 +5 =4 ~5000 =6'],
  ['a call gives up after the time for an answer', '+3t100000 +1t7000 ~6999 g0 ~1 g1 =3'],
  ['one that is refused leaves its place', '+1 0<0 ? ? ~60000 +5 =4'],
  ['and leaves its place', '+3t100000 +1t10 ~10 g1 0<50 1<50 2<50 +20 =14'],
  ['or for a reset, if longer', '+3t100000 +1t7000w60000 ~59999 g0 ~1 g1 =3'],
])('%s: %s', (_what, script) => play(script));

describe('those who wait', () => {
  test('go in the order in which they came, and before newcomers', async () => {
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

  test('are refused at once if those before them use up every window in time', async () => {
    const { send, sent } = open();
    const first = send();
    sent[0]?.resolve(answer(0));
    await first;
    const outcomes: Promise<{ refusal?: { retryAfterMs?: number | undefined } | undefined }>[] = [];
    for (let index = 0; index < 62; index++) {
      outcomes.push(send(`${index}`, { maxRetryAfterMs: 70_000 }));
    }
    const refused = await Promise.all(outcomes.slice(60));
    // Even the window after the next one may be too full, but it is the first with any hope.
    expect(refused.map(({ refusal }) => refusal?.retryAfterMs)).toEqual([120_000, 120_000]);
    void send('patient', { maxRetryAfterMs: 120_000 });
    await elapse(60_000);
    expect(sent.slice(1).map(({ name }) => name)).toEqual(['0', '1', '2']);
  });

  test('are refused once the quota is used up, if the reset is too far away', async () => {
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

describe('an answer that may be old does not close the gate', () => {
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
  ])('because of %s', async (_, headers) => {
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

  test('because its X-Request-Id was seen before', async () => {
    const { send, sent } = open();
    const replayed = () => {
      const headers = { ...usedUp, 'X-RateLimit-Reset': soon(), 'X-Request-Id': 'one' };
      return { response: new Response('[]', { headers }), text: '[]' };
    };
    const first = send();
    await elapse(0);
    sent[0]?.resolve(replayed());
    await first;
    // The window is over; the cache gives the same answer.
    await elapse(86_400_000);
    const second = send();
    await elapse(0);
    sent[1]?.resolve(replayed());
    await second;
    void send();
    await elapse(0);
    expect(sent).toHaveLength(3);
  });

  test('but a fresh one does', async () => {
    const { send, sent } = open();
    const first = send();
    await elapse(0);
    const headers = { ...usedUp, 'X-RateLimit-Reset': soon(), 'X-Request-Id': 'one' };
    sent[0]?.resolve({ response: new Response('[]', { headers }), text: '[]' });
    await first;
    expect(await send()).toMatchObject({ refusal: { status: 429 } });
  });
});
