import { beforeAll } from 'vitest';
import { createApiKey } from '../../src/keys/key-management.ts';
import { type TestService, useService } from './test-service.ts';

/** Starts a service with one animal and with a key whose quota is used up, for the tests of a file. */
export function useServiceWithDeniedKey(): {
  readonly service: TestService;
  /** The token of that key. */
  readonly deniedToken: string;
} {
  let deniedToken = '';
  const service = useService('postgres', {
    env: { ADDRESS_PER_MINUTE: '100000' },
    async prepare(db) {
      const quota = { perMinute: 1, perDay: 1 };
      const key = await createApiKey(db, { name: 'one', plan: 'enterprise', quota });
      deniedToken = key.token;
    },
  });
  beforeAll(async () => {
    await service.call('/pets', { json: '{"name":"Rex","categoryId":1}' });
    await service.call('/pets', { token: deniedToken });
  });
  return {
    service,
    get deniedToken() {
      return deniedToken;
    },
  };
}
