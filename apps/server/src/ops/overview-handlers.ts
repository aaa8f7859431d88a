import {
  maxGroupedDays,
  type Overview,
  overviewContract,
  usageBucketSeconds,
} from '@animal-store/admin-contract';
import { initServer } from '@ts-rest/express';
import type { UsageRange } from '../usage/usage-queries.ts';
import type { AdminServices } from './admin-operation.ts';
import { readUsageRange, type UsageQuestion } from './usage-range.ts';

/**
 * The number of busiest API keys, and of callers with the most 429 responses, that the overview
 * lists.
 */
const maxShownCallers = 10;

export function createOverviewHandlers(services: AdminServices) {
  const { overview, health, usage } = services;

  async function readHistory(question: UsageQuestion): Promise<Overview['history']> {
    const range = readUsageRange(services, question);
    const days = daysOf(range);
    const [rows, busiest, denied] = await Promise.all([
      usage.read(range.bucket, {}, range),
      usage.listBusiest({}, days, maxShownCallers),
      usage.listDenied('day', days, maxShownCallers),
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
 * Returns the whole days (UTC) that overlap a time range. The list of the busiest API keys needs
 * whole days, because only the daily counts have an index for it.
 */
function daysOf({ from, to }: UsageRange): UsageRange {
  const dayMs = usageBucketSeconds.day * 1_000;
  const end = Math.ceil(Date.parse(to) / dayMs);
  const start = Math.max(Math.floor(Date.parse(from) / dayMs), end - maxGroupedDays);
  return { from: new Date(start * dayMs).toISOString(), to: new Date(end * dayMs).toISOString() };
}
