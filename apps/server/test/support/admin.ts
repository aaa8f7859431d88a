import { adminBasePath, type IssuedKey } from '@animal-store/admin-contract';
import { parseJson } from '@animal-store/contract';
import type { Cause } from '../../src/audit/audit-log.ts';
import type { DatabaseKind } from './databases.ts';
import {
  type CallOptions,
  call,
  type ServiceOptions,
  type TestService,
  useService,
} from './test-service.ts';

/** The id of an API key or an operator that does not exist. */
export const nobody = '00000000-0000-4000-8000-000000000000';

/** The `ADMIN_TOKEN` of test servers that have one. */
export const adminToken = 'an-admin-token-for-tests';

/** Says who makes a change, for changes that a test makes directly and not with a request. */
export const someCause: Cause = {
  actor: { type: 'local_user', id: null, name: 'a test' },
  requestId: null,
  reason: undefined,
};

export type Admin = ReturnType<typeof adminOf>;

/** Returns functions that call the admin API of a running server. */
export function adminOf(server: { readonly opsUrl: string }) {
  const send = (path: string, options?: CallOptions) =>
    call(server.opsUrl + adminBasePath + path, { token: adminToken, ...options });
  return {
    /** Sends a request to the admin API, by default with the admin token. */
    call: send,
    /** Reads a resource, and throws unless the status is 200. */
    async read<Body>(path: string): Promise<Body> {
      const { status, text, body } = await send(path);
      if (status !== 200) throw new Error(`${path} cannot be read: ${text}`);
      return body as Body;
    },
    /**
     * Creates an API key from JSON, and throws unless the key was created. If the JSON contains no
     * name, one is added.
     */
    async create(json: string): Promise<IssuedKey> {
      const named = JSON.stringify({ name: 'of a test', ...JSON.parse(json) });
      const { status, text } = await send('/keys', { json: named });
      if (status !== 201) throw new Error(`The key was not created: ${text}`);
      return parseJson(text) as IssuedKey;
    },
  };
}

/**
 * Opens a service with its admin API for the tests of a file or of a `describe`. Its limit for
 * requests without an API key is very large.
 */
export function useAdmin(
  kind: DatabaseKind = 'postgres',
  options: ServiceOptions = {},
): { readonly service: TestService; readonly admin: Admin } {
  const service = useService(kind, {
    ...options,
    ops: { adminToken, ...options.ops },
    quotas: { addressPerMinute: 1_000_000, ...options.quotas },
  });
  const admin = adminOf({
    get opsUrl() {
      return service.server.opsUrl;
    },
  });
  return { service, admin };
}
