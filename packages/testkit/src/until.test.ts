import { expect, test } from 'vitest';
import { until } from './until.ts';

test('until returns the first truthy result', async () => {
  const answers = [undefined, 0, 'yes', 'too late'];
  expect(await until(() => answers.shift(), { intervalMs: 1 })).toBe('yes');
});

test('until tries again after an error of the probe', async () => {
  let calls = 0;
  const probe = () => {
    calls += 1;
    if (calls < 3) throw new Error('not yet');
    return calls;
  };
  expect(await until(probe, { intervalMs: 1 })).toBe(3);
});

test('until fails with the last error as its cause', async () => {
  const cause = new Error('still not');
  const waiting = until(() => Promise.reject(cause), { timeoutMs: 5, intervalMs: 1 });
  await expect(waiting).rejects.toMatchObject({ message: expect.stringMatching('5 ms'), cause });
});

test('until fails when the probe hangs', async () => {
  const waiting = until(() => new Promise(() => {}), { timeoutMs: 5 });
  await expect(waiting).rejects.toThrow('Not within 5 ms');
});
