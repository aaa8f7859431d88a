import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databaseKinds } from './support/databases.ts';
import { startService, type TestService } from './support/service.ts';

describe.each(databaseKinds)('on %s', (kind) => {
  let service: TestService;

  beforeAll(async () => {
    service = await startService(kind);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const create = (json: string) => service.call('/pets', { json });

  test.each(['9007199254740993', '-9223372036854775808', '9223372036854775807', '0', '-1'])(
    'categoryId %s comes back exactly',
    async (categoryId) => {
      const created = await create(`{"name":"Exact","categoryId":${categoryId}}`);
      expect(created.status).toBe(201);
      expect(created.text).toMatch(
        new RegExp(
          `^\\{"id":\\d+,"name":"Exact","categoryId":${categoryId},"status":"available"\\}$`,
        ),
      );
      const { id } = created.body as { id: number };
      expect((await service.call(`/pets/${id}`)).text).toBe(created.text);
    },
  );
});
