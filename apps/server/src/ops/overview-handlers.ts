import { maxGroupedDays, type Overview, overviewContract } from '@animal-store/contract/admin';
import { initServer } from '@ts-rest/express';
import type { OverviewReader } from '../overview/overview.ts';
import type { Clock } from '../shared/clock.ts';
import type { UsageQueries, UsageRange } from '../usage/usage-queries.ts';
import type { Health } from './health.ts';
import { readUsageRange, type UsageQuestion } from './usage-range.ts';

/** How many of the busiest keys an overview shows. */
const shownKeys = 10;

const dayMs = 86_400_000;

/** The operation on the service as a whole. */
export function createOverviewHandlers(options: {
  clock: Pick<Clock, 'now'>;
  overview: OverviewReader;
  health: Pick<Health, 'report'>;
  usage: Pick<UsageQueries, 'read' | 'listBusiest'>;
}) {
  const { clock, overview, health, usage } = options;

  async function readHistory(question: UsageQuestion): Promise<Overview['history']> {
    const { bucket } = question;
    const range = readUsageRange(question, { now: clock.now() });
    const [rows, busiest] = await Promise.all([
      usage.read(bucket, {}, range),
      usage.listBusiest({}, daysOf(range), shownKeys),
    ]);
    return { ...range, bucket, rows, busiest };
  }

  return initServer().router(overviewContract, {
    async getOverview({ query: { include, ...question } }) {
      const [now, readiness, history] = await Promise.all([
        overview.read(),
        health.report(),
        include === undefined ? undefined : readHistory(question),
      ]);
      const { status, reasons } = readiness;
      return {
        status: 200,
        body: { ...now, readiness: { status, reasons: [...reasons] }, history },
      };
    },
  });
}

/** The days (UTC) of a span of time: by the minute or the hour, no index holds the sums of keys. */
function daysOf({ from, to }: UsageRange): UsageRange {
  const end = Math.ceil(Date.parse(to) / dayMs);
  const start = Math.max(Math.floor(Date.parse(from) / dayMs), end - maxGroupedDays);
  return { from: new Date(start * dayMs).toISOString(), to: new Date(end * dayMs).toISOString() };
}
