import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { sentInTheEnd, startFailingStore } from '../support/failing-store.ts';

const root = join(import.meta.dirname, '../../..');

// This test is not part of `npm test`, because Go and its build cache take a gigabyte.
test('examples/go/pets.go retries lost and refused requests, and adds the animal only once', async () => {
  const go = await findProgram('go');
  await using store = await startFailingStore();
  const env = {
    // biome-ignore lint/style/noProcessEnv: Go is wherever this machine has it
    ...process.env,
    ...{ GOPROXY: 'off', CGO_ENABLED: '0' },
    GOCACHE: join(root, 'node_modules/.cache/go-build'),
    ...{ ANIMAL_STORE_BASE_URL: store.baseUrl, ANIMAL_STORE_API_KEY: 'any' },
  };
  const options = { cwd: root, env };
  const { stdout } = await promisify(execFile)(go, ['run', 'examples/go/pets.go'], options);
  expect(stdout).toBe('9007199254740991 2 animals are for sale\n');
  expect(store.sent.map(({ line }) => line)).toEqual(sentInTheEnd);
  const [first, ...others] = store.sent.slice(0, 3).map(({ idempotencyKey }) => idempotencyKey);
  expect(first).toMatch(/^[!-~]{1,255}$/);
  expect(others).toEqual([first, first]);
});
