import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  answerWithinMs,
  DatabaseError,
  DatabaseUnavailableError,
  translateErrors,
} from './database-error.ts';

/** What it makes of a failure, or of one that is the cause of another, as drizzle wraps them. */
async function translated(code: string): Promise<unknown> {
  const cause = Object.assign(new Error('parameters: hunter2'), { code });
  const wrapped = new Error('Failed query: select hunter2', { cause });
  const direct = await translateErrors(Promise.reject(cause), 'a_test').catch((error) => error);
  expect(await translateErrors(Promise.reject(wrapped), 'a_test').catch((error) => error)).toEqual(
    direct,
  );
  return direct;
}

describe('a statement', () => {
  test('that succeeds gives what it gives', async () => {
    expect(await translateErrors(Promise.resolve('rows'), 'a_test')).toBe('rows');
  });

  // SQLSTATEs, then the words of postgres.js and of Node.
  test.each([
    ...['08000', '08006', '08P01', '53300', '53100', '57014', '57P01', '57P03', '55P03'],
    ...['CONNECT_TIMEOUT', 'CONNECTION_CLOSED', 'CONNECTION_ENDED', 'CONNECTION_DESTROYED'],
    ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'],
  ])('that fails with %s found the database away', async (code) => {
    const error = await translated(code);
    expect(error).toBeInstanceOf(DatabaseUnavailableError);
    expect(error).toMatchObject({ name: 'DatabaseUnavailableError', code });
  });

  test.each([
    '23505',
    '22021',
    '42P01',
    'XX000',
    '40P01',
    'ERR_INVALID_ARG_TYPE',
    'UNDEFINED_VALUE',
  ])('that fails with %s is our fault', async (code) => {
    const error = await translated(code);
    expect(error).toBeInstanceOf(DatabaseError);
    expect(error).not.toBeInstanceOf(DatabaseUnavailableError);
    expect(error).toMatchObject({ name: 'DatabaseError', code });
  });

  test('that fails leaves nothing of itself in the error', async () => {
    const error = (await translated('23505')) as Error;
    expect(error.message).toBe('The database refused a statement (23505).');
    expect(error.cause).toBeUndefined();
    expect(error.stack).not.toContain('hunter2');
  });

  test.each([[undefined], ['text'], [new Error('no code')]])(
    'that fails with %s fails with an unknown code',
    async (failure) => {
      const error = await translateErrors(Promise.reject(failure), 'a_test').catch((it) => it);
      expect(error).toMatchObject({ name: 'DatabaseError', code: 'unknown' });
    },
  );

  test('within another keeps its own failure', async () => {
    const inner = translateErrors(
      Promise.reject(Object.assign(new Error(), { code: '57P01' })),
      'a_test',
    );
    const error = await translateErrors(inner, 'another_test').catch((it) => it);
    expect(error).toMatchObject({ name: 'DatabaseUnavailableError', code: '57P01' });
  });
});

describe('a statement that is never answered', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('found the database away, once its time is over', async () => {
    const waiting = expect(translateErrors(new Promise(() => {}), 'a_test')).rejects.toMatchObject({
      name: 'DatabaseUnavailableError',
      code: 'NO_ANSWER',
    });
    await vi.advanceTimersByTimeAsync(answerWithinMs);
    await waiting;
  });

  test('leaves no timer behind, and neither does one that is', async () => {
    await translateErrors(Promise.resolve(), 'a_test');
    await translateErrors(Promise.reject(new Error()), 'a_test').catch(() => {});
    expect(vi.getTimerCount()).toBe(0);
  });
});
