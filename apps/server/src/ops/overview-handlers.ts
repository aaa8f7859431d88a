import { overviewContract } from '@animal-store/contract/admin';
import { initServer } from '@ts-rest/express';
import type { OverviewReader } from '../overview/overview.ts';

/** The operation on the service as a whole. */
export function createOverviewHandlers(overview: OverviewReader) {
  return initServer().router(overviewContract, {
    async getOverview() {
      return { status: 200, body: await overview.read() };
    },
  });
}
