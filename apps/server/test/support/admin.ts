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

/** An id that nothing has. */
export const nobody = '00000000-0000-4000-8000-000000000000';

/** The admin token of servers that are told one. */
export const adminToken = 'an-admin-token-for-tests';

/** Where a change comes from that a test makes without a request. */
export const someCause: Cause = {
  actor: { type: 'local_user', id: null, name: 'a test' },
  requestId: null,
  reason: undefined,
};

export type Admin = ReturnType<typeof adminOf>;

/** The operators' API of a running server. */
export function adminOf(server: { readonly opsUrl: string }) {
  const send = (path: string, options?: CallOptions) =>
    call(server.opsUrl + adminBasePath + path, { token: adminToken, ...options });
  return {
    /** Sends a request with the admin token, unless told otherwise. */
    call: send,
    /** Reads what there is, and fails if that fails. */
    async read<Body>(path: string): Promise<Body> {
      const { status, text, body } = await send(path);
      if (status !== 200) throw new Error(`${path} cannot be read: ${text}`);
      return body as Body;
    },
    /** Makes a key, as the JSON says, with a name if it gives none, and fails if that fails. */
    async create(json: string): Promise<IssuedKey> {
      const named = JSON.stringify({ name: 'of a test', ...JSON.parse(json) });
      const { status, text } = await send('/keys', { json: named });
      if (status !== 201) throw new Error(`No key was made: ${text}`);
      return parseJson(text) as IssuedKey;
    },
  };
}

/**
 * A service and its operators' API, for the tests of a file or of a `describe`. Its allowance for requests
 * without a key is never in a test's way.
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
