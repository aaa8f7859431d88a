import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createQuotaGate } from './quota-gate.ts';
import type { Answer } from './response.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 10, 21) });
});

afterEach(() => {
  vi.useRealTimers();
});

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
  const sent: {
    name: string;
    signal: AbortSignal;
    reply: (answer: Answer) => void;
    fail: (cause: unknown) => void;
  }[] = [];

  function send(name = '', { timeoutMs = 10_000, maxRetryAfterMs = 0, signal = undefined } = {}) {
    return gate(
      (abort) =>
        new Promise((reply, fail) => {
          sent.push({ name, signal: abort, reply, fail });
        }),
      { timeoutMs, maxRetryAfterMs, signal },
    );
  }

  return {
    send,
    sent,
    /** Answers a request, and lets what it brings about happen. */
    async reply(index: number, given: Answer) {
      sent[index]?.reply(given);
      await vi.advanceTimersByTimeAsync(0);
    },
    async sendMany(count: number) {
      for (let index = 0; index < count; index++) void send();
      await vi.advanceTimersByTimeAsync(0);
    },
    /** Sends one request and answers it, so that the gate knows the quota. */
    async learn(given: Answer) {
      const outcome = send();
      sent.at(-1)?.reply(given);
      await outcome;
      return given;
    },
  };
}

const elapse = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe('without an answer are at most', () => {
  test.each([
    ['3 while nothing is known: 3/8 of 10 strikes', undefined, 3],
    ['11 with a Free key: 3/8 of 30 strikes', 50, 11],
    ['as many as remain', 2, 2],
  ])('%s', async (_what, remaining, most) => {
    const { learn, sendMany, sent } = open();
    if (remaining !== undefined) await learn(answer(remaining));
    const before = sent.length;
    await sendMany(20);
    expect(sent).toHaveLength(before + most);
  });

  test.each([
    [59_999, 3],
    [60_000, 11],
  ])('%i ms after a denial, %i: 1/8 of 30 strikes for a minute', async (ms, most) => {
    const { learn, sendMany, sent } = open();
    await learn(answer(0, { status: 429, resetInSeconds: 1 }));
    await elapse(ms);
    await learn(answer(50));
    await sendMany(20);
    expect(sent).toHaveLength(2 + most);
  });
});

test('without rate-limit headers there are more places with each success of the last minutes', async () => {
  const { sendMany, sent, reply } = open();
  const plain = { response: new Response('[]'), text: '[]' };
  await sendMany(1_000);
  const unanswered = async (answered: number) => {
    for (let index = 0; index < answered; index++) await reply(index, plain);
    return sent.length - answered;
  };
  expect(await unanswered(0)).toBe(3);
  expect(await unanswered(60)).toBe(3);
  // 350 successes are those of 3.5 windows at most: a limit of 100 or more, so 50 strikes at least.
  expect(await unanswered(350)).toBe(18);
});

describe('answers arrive in any order:', () => {
  test('of one window the lowest counts', async () => {
    const { learn, sendMany, reply, sent } = open();
    await learn(answer(50));
    await sendMany(2);
    await reply(2, answer(3));
    await reply(1, answer(4));
    await sendMany(20);
    expect(sent).toHaveLength(3 + 3);
  });

  test('of two windows the later counts', async () => {
    const { learn, sendMany, reply, sent } = open();
    await learn(answer(50));
    await sendMany(2);
    await reply(2, answer(9, { resetInSeconds: 70 }));
    await reply(1, answer(1));
    await sendMany(20);
    expect(sent).toHaveLength(3 + 9);
  });

  test('a denial counts, whatever its window', async () => {
    const { learn, send, sendMany, reply, sent } = open();
    await learn(answer(50, { resetInSeconds: 3_600 }));
    await sendMany(2);
    await reply(1, answer(0, { status: 429, resetInSeconds: 30 }));
    expect(await send()).toMatchObject({ refusal: { status: 429 } });
    await reply(2, answer(5, { resetInSeconds: 20 }));
    expect(await send()).toMatchObject({ refusal: { status: 429 } });
    expect(sent).toHaveLength(3);
  });

  test('the answer to the only request counts, so raised limits are noticed', async () => {
    const { learn, sendMany, sent } = open();
    const used = answer(0, { resetInSeconds: 3_600 });
    await learn(used);
    await elapse(60_000);
    await learn(answer(8, { resetInSeconds: 3_540 }));
    await sendMany(20);
    expect(sent).toHaveLength(2 + 8);
  });

  test.each([
    [2, 1],
    [1, 2],
  ])('an answer is not the only one if another is on its way: %i, then %i', async (none, one) => {
    const { learn, send, reply, sendMany } = open();
    await learn(answer(2));
    await sendMany(2);
    await reply(none, answer(0));
    await reply(one, answer(1));
    expect(await send()).toMatchObject({ refusal: { status: 429 } });
  });
});

describe('a request that was given up', () => {
  /** A gate whose every place has a request that was given up. */
  async function withThreeGivenUp() {
    const gate = open();
    for (let index = 0; index < 3; index++) void gate.send('', { timeoutMs: 10 });
    await elapse(10);
    return gate;
  }

  test('counts for 30 s, as it may still arrive', async () => {
    const { sendMany, sent } = await withThreeGivenUp();
    expect(sent.map(({ signal }) => signal.aborted)).toEqual([true, true, true]);
    await elapse(29_989);
    await sendMany(5);
    expect(sent).toHaveLength(3 + 1);
    // Those who wait look again every 5 s.
    await elapse(5_000);
    expect(sent).toHaveLength(3 + 3);
  });

  test('goes on, for at most 30 s, if three were given up already', async () => {
    const { send, sent } = await withThreeGivenUp();
    const [outcome] = await Promise.all([send('', { timeoutMs: 10 }), elapse(10)]);
    expect(outcome).toEqual({});
    await elapse(29_980);
    expect(sent[3]?.signal.aborted).toBe(false);
    await elapse(20);
    expect(sent[3]?.signal.aborted).toBe(true);
  });

  test('teaches the gate all the same, if its answer arrives', async () => {
    const { send, sent, reply } = await withThreeGivenUp();
    void send('', { timeoutMs: 10 });
    await elapse(10);
    await reply(3, answer(0));
    expect(await send()).toMatchObject({ refusal: { status: 429 } });
    expect(sent).toHaveLength(4);
  });

  test('does not count any more once it is answered, by a fetch that ignores the signal', async () => {
    const { sendMany, sent, reply } = await withThreeGivenUp();
    for (const index of [0, 1, 2]) await reply(index, answer(50));
    await sendMany(20);
    expect(sent).toHaveLength(3 + 11);
  });
});

test('a request whose connection failed counts for a second', async () => {
  const { sendMany, sent } = open();
  await sendMany(3);
  for (const { fail } of [...sent]) fail(new Error('ECONNRESET'));
  await elapse(999);
  await sendMany(5);
  expect(sent).toHaveLength(3 + 1);
  await elapse(5_000);
  expect(sent).toHaveLength(3 + 3);
});

describe('those who wait', () => {
  test('go in the order in which they came, and before newcomers', async () => {
    const { send, sendMany, sent, reply } = open();
    await sendMany(3);
    for (const name of ['a', 'b']) void send(name);
    const given = answer(1);
    sent[0]?.reply(given);
    void send('newcomer');
    await elapse(0);
    await reply(1, answer(50, { resetInSeconds: 70 }));
    await reply(2, answer(49, { resetInSeconds: 70 }));
    expect(sent.slice(3).map(({ name }) => name)).toEqual(['a', 'b', 'newcomer']);
  });

  test.each([
    ['an answer', { timeoutMs: 7_000 }, 7_000],
    ['a reset, if that is longer', { timeoutMs: 7_000, maxRetryAfterMs: 60_000 }, 60_000],
  ])('give up after the time for %s', async (_what, options, waitMs) => {
    const { send, sent } = open();
    for (let index = 0; index < 3; index++) void send('', { timeoutMs: 100_000 });
    const outcome = vi.fn();
    void send('', options).then(outcome);
    await elapse(waitMs - 1);
    expect(outcome).not.toHaveBeenCalled();
    await elapse(1);
    expect(outcome).toHaveBeenCalledWith({});
    expect(sent).toHaveLength(3);
  });

  test('are refused at once if those before them use up every window in time', async () => {
    const { learn, send, sent } = open();
    await learn(answer(0));
    const outcomes: Promise<{ refusal?: { retryAfterMs?: number | undefined } | undefined }>[] = [];
    for (let index = 0; index < 62; index++) {
      outcomes.push(send(`${index}`, { maxRetryAfterMs: 70_000 }));
    }
    const refused = await Promise.all(outcomes.slice(60));
    // Even the window after the next one may be too full, but it is the first with any hope.
    expect(refused.map(({ refusal }) => refusal?.retryAfterMs)).toEqual([120_000, 120_000]);
    const patient = send('patient', { maxRetryAfterMs: 120_000 });
    await elapse(60_000);
    expect(sent.slice(1).map(({ name }) => name)).toEqual(['0', '1', '2']);
    void patient;
  });

  test('are refused once the quota is used up, if the reset is too far away', async () => {
    const { send, sendMany, reply, sent } = open();
    await sendMany(3);
    const impatient = send('', { maxRetryAfterMs: 59_000 });
    void send('patient', { maxRetryAfterMs: 60_000 });
    await reply(0, answer(0));
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
    await reply(1, answer(0));
    await reply(2, answer(0));
    await elapse(60_000);
    expect(sent[3]?.name).toBe('patient');
  });
});
