import { test } from 'vitest';
import { type Admin, adminOf, adminToken, useAdmin } from './admin.ts';
import type { DatabaseKind } from './databases.ts';
import {
  createKeys,
  forwardService,
  type ServiceOptions,
  startService,
  type TestService,
} from './test-service.ts';

// Requests without a key count against one network, whichever file sends them.
const env = { ADMIN_TOKEN: adminToken, ADDRESS_PER_MINUTE: '1000000' };

const worker = test.extend(
  'service',
  { scope: 'worker' },
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern what a fixture needs
  async ({}, { onCleanup }) => {
    const service = await startService('postgres', { env });
    // Its database ends with the Postgres of this run.
    onCleanup(() => service.server[Symbol.asyncDispose]());
    return service;
  },
);

/**
 * A service and its operators' API, which all files of a worker share, because a start takes longer than
 * most of their tests. The keys are the file's own; its animals, other keys and log are not. A file that
 * stops the server, locks tables, needs an empty catalogue or sends wrong admin tokens, which are throttled,
 * uses `useService`.
 *
 * @param options.prepare puts more into the database, once for the file.
 */
export function useSharedService(
  kind: DatabaseKind = 'postgres',
  { prepare }: Pick<ServiceOptions, 'prepare'> = {},
): {
  readonly service: TestService;
  readonly admin: Admin;
} {
  // While a server has it open, no file could put its keys into it.
  if (kind === 'embedded') return useAdmin(kind, { env, ...(prepare && { prepare }) });
  let shared: TestService;
  worker.beforeAll(async ({ service }) => {
    const tokens = await createKeys(service.database, prepare);
    shared = forwardService(
      () => service,
      () => tokens,
    );
  });
  const service = forwardService(() => shared);
  const admin = adminOf({
    get opsUrl() {
      return service.server.opsUrl;
    },
  });
  return { service, admin };
}
