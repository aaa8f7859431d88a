import { openRedis } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { requestLine } from '../support/observed.ts';
import { inspectable, openExecutedFiles } from '../support/executed-files.ts';
import { startService } from '../support/service.ts';

test('a GET takes at most 25 files', async () => {
  await using redis = await openRedis();
  await using service = await startService('postgres', {
    env: { REDIS_URL: redis.url, ...inspectable },
  });
  const ask = async (requestId: string) => {
    const { status } = await service.call('/pets', { headers: { 'X-Request-Id': requestId } });
    expect(status).toBe(200);
    await requestLine(service.server, requestId);
  };
  await ask('first');
  await using files = await openExecutedFiles(service.server);

  let path: Set<string> | undefined;
  for (const requestId of ['a', 'b', 'c', 'd', 'e']) {
    await files.take();
    await ask(requestId);
    const executed = await files.take();
    // Timers run other files, but not each time.
    path = path?.intersection(executed) ?? executed;
  }
  expect([...(path ?? [])].sort()).toContain('pets/pet-repository.ts');
  expect([...(path ?? [])].sort()).toEqual([]);
});
