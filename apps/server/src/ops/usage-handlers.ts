import {
  adminRoutes,
  maxGroupedDays,
  type Overview,
  overviewContract,
  usageBucketSeconds,
  usageContract,
} from '@animal-store/admin-contract';
import { deprecations } from '@animal-store/contract';
import { initServer } from '@ts-rest/express';
import type { UsageRange } from '../usage/usage-queries.ts';
import { readPage } from './admin-cursor.ts';
import type { AdminServices } from './admin-operation.ts';
import { readLedger, readUsageRange, type UsageQuestion } from './usage-range.ts';

/**
 * The default number of busiest API keys in the overview and in a response that is grouped by key.
 */
const usualKeys = 10;

export function createUsageHandlers(services: AdminServices) {
  const { clock, keys, usage } = services;

  return initServer().router(usageContract, {
    async getKeyUsage({ params: { keyId }, query }) {
      const [ledger] = await Promise.all([
        readLedger(services, { keyId }, query),
        keys.find(keyId),
      ]);
      return { status: 200, body: { keyId, ...ledger } };
    },

    async getUsage({ query: { groupBy, bucket, limit, plan, account, ...query } }) {
      const filter = { plan, account };
      if (groupBy === undefined) {
        const faults = limit ? [`limit: expected none without groupBy, got ${limit}`] : [];
        const question = { ...query, bucket: bucket ?? ('hour' as const) };
        return { status: 200, body: await readLedger(services, filter, question, faults) };
      }
      // Usage can be grouped by API key only for whole days. For minutes and hours, no index
      // contains the number of requests of each key.
      const isOther = bucket !== undefined && bucket !== 'day';
      const faults = isOther ? [`bucket: expected day with groupBy, got ${bucket}`] : [];
      const range = readUsageRange(
        services,
        { ...query, bucket: 'day' },
        { usual: 1, max: maxGroupedDays, faults },
      );
      const busiest = await usage.readBusiest(filter, range, limit ?? usualKeys);
      return { status: 200, body: { ...range, ...busiest } };
    },

    async getDeprecation({ query: { deprecatedWithinDays, limit, cursor, ...question }, res }) {
      const filter = { deprecatedWithinDays };
      const list = {
        path: adminRoutes.getDeprecation.path,
        limit,
        filter,
      };
      const [ledger, callers] = await Promise.all([
        readLedger(services, {}, question),
        readPage(res, list, { cursor }, { find: (from) => keys.list(filter, limit, from) }),
      ]);
      const rows = ledger.rows.filter(({ operation }) => operation in deprecations);
      const body = { ...ledger, rows, callers: await usage.addRecent(callers, clock.now()) };
      return { status: 200, body };
    },
  });
}

export function createOverviewHandlers(services: AdminServices) {
  const { overview, health, usage } = services;

  async function readHistory(question: UsageQuestion): Promise<Overview['history']> {
    const range = readUsageRange(services, question);
    const days = daysOf(range);
    const [rows, busiest, denied] = await Promise.all([
      usage.read(range.bucket, {}, range),
      usage.listBusiest({}, days, usualKeys),
      usage.listDenied('day', days, usualKeys),
    ]);
    return { ...range, rows, busiest, denied };
  }

  return initServer().router(overviewContract, {
    async getOverview({ query: { include, ...question } }) {
      const [now, { status, reasons }, history] = await Promise.all([
        overview.read(),
        health.report(),
        include && readHistory(question),
      ]);
      const readiness = { status, reasons: [...reasons] };
      return { status: 200, body: { ...now, readiness, history } };
    },
  });
}

/**
 * Returns the whole days (UTC) that overlap a time range. The busiest API keys can be read only for
 * whole days, because only these have an index for them.
 */
function daysOf({ from, to }: UsageRange): UsageRange {
  const dayMs = usageBucketSeconds.day * 1_000;
  const end = Math.ceil(Date.parse(to) / dayMs);
  const start = Math.max(Math.floor(Date.parse(from) / dayMs), end - maxGroupedDays);
  return { from: new Date(start * dayMs).toISOString(), to: new Date(end * dayMs).toISOString() };
}
