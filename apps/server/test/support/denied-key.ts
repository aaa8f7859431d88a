import { beforeAll } from 'vitest';
import { createApiKey } from '../../src/keys/key-management.ts';
import { useSharedService } from './shared-service.ts';
import type { TestService } from './test-service.ts';

/** A shared service with an animal and with a key whose quota is used up, for the tests of a file. */
export function useServiceWithDeniedKey(): {
  readonly service: TestService;
  /** The token of that key. */
  readonly deniedToken: string;
  /** The id of the animal. */
  readonly petId: number;
} {
  let deniedToken = '';
  let petId = 0;
  const { service } = useSharedService('postgres', {
    async prepare(db) {
      const quota = { perMinute: 1, perDay: 1 };
      const key = await createApiKey(db, { name: 'one', plan: 'enterprise', quota });
      deniedToken = key.token;
    },
  });
  beforeAll(async () => {
    const { body } = await service.call('/pets', { json: '{"name":"Rex","categoryId":1}' });
    petId = (body as { id: number }).id;
    await service.call('/pets', { token: deniedToken });
  });
  return {
    service,
    get deniedToken() {
      return deniedToken;
    },
    get petId() {
      return petId;
    },
  };
}
