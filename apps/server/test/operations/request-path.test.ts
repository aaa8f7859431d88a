import { openRedis, until } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { inspectable, openExecutedFiles } from '../support/executed-files.ts';
import { logOf } from '../support/observed.ts';
import { startService } from '../support/test-service.ts';

/** A reader who follows a request has to open so many files. */
const maxFiles = 25;

/** Its timer looks for silent connections ten times a second, so it runs beside each request. */
const besideRequests = 'database/postgres-socket.ts';

test(`a GET executes code of at most ${maxFiles} files`, async () => {
  await using redis = await openRedis();
  await using service = await startService('postgres', {
    env: { REDIS_URL: redis.url, ...inspectable },
  });
  let asked = 0;
  async function ask(): Promise<void> {
    expect((await service.call('/pets')).status).toBe(200);
    asked += 1;
    const lines = () => logOf(service.server).filter(({ msg }) => msg === 'request');
    await until(() => lines().length === asked);
  }
  await ask();
  await using files = await openExecutedFiles(service.server);

  const executedEachTime: Set<string>[] = [];
  for (let i = 0; i < 5; i++) {
    await files.take();
    await ask();
    executedEachTime.push(await files.take());
  }
  // Timers execute other files, but not each time.
  const [first = new Set<string>(), ...others] = executedEachTime;
  const path = [...first].filter(
    (file) => file !== besideRequests && others.every((executed) => executed.has(file)),
  );
  expect(path).toContain('pets/pet-repository.ts');
  expect(path.length, path.sort().join('\n')).toBeLessThanOrEqual(maxFiles);
});
