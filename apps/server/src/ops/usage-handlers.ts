import {
  type LedgerOfKey,
  maxGroupedDays,
  maxUsageBuckets,
  type ServiceLedger,
  type UsageBucket,
  type UsageRow,
  usageBucketSeconds,
  usageContract,
} from '@animal-store/contract/admin';
import type { ServerInferRequest } from '@ts-rest/core';
import { initServer } from '@ts-rest/express';
import { HttpError } from '../http/http-error.ts';
import type { KeyManagement } from '../keys/key-management.ts';
import type { UsageQueries, UsageRange } from '../usage/usage-queries.ts';
import { accepted } from './change-request.ts';
import { type CsvTable, offerCsv } from './offer-csv.ts';

/** How many buckets before its end a question begins, unless it says. */
const usualBuckets: Readonly<Record<UsageBucket, number>> = { minute: 60, hour: 24, day: 30 };

/** How many keys an answer that is grouped by key shows, unless the question says. */
const usualKeys = 10;

/** The operations on the usage ledger. */
export function createUsageHandlers(options: {
  keys: Pick<KeyManagement, 'find'>;
  usage: Pick<UsageQueries, 'read' | 'readBusiest'>;
}) {
  const { keys, usage } = options;

  const handlers = initServer().router(usageContract, {
    async getKeyUsage({ params: { keyId }, query }) {
      const { bucket } = query;
      const { faults, range } = readRange(query, {
        usual: usualBuckets[bucket],
        max: maxUsageBuckets,
      });
      refuse(faults);
      accepted(await keys.find(keyId));
      const rows = await usage.read(bucket, { keyId }, range);
      return { status: 200, body: { keyId, ...range, bucket, rows } };
    },

    async getUsage({ query }) {
      return {
        status: 200,
        body: await (query.groupBy === 'key' ? busiestKeys(query) : allKeys(query)),
      };
    },
  });

  async function allKeys({ bucket = 'hour', limit, plan, account, ...query }: ServiceQuestion) {
    const { faults, range } = readRange(
      { ...query, bucket },
      { usual: usualBuckets[bucket], max: maxUsageBuckets },
    );
    if (limit !== undefined) faults.unshift(`limit: expected none without groupBy, got ${limit}`);
    refuse(faults);
    const rows = await usage.read(bucket, { plan, account }, range);
    return { ...range, bucket, rows };
  }

  async function busiestKeys(question: ServiceQuestion): Promise<ServiceLedger> {
    const { limit = usualKeys, plan, account, ...query } = question;
    // By the minute or the hour, no index holds the sums of keys.
    const bucket = 'day';
    const { faults, range } = readRange({ ...query, bucket }, { usual: 1, max: maxGroupedDays });
    if (query.bucket !== undefined && query.bucket !== bucket) {
      faults.unshift(`bucket: expected ${bucket} with groupBy, got ${query.bucket}`);
    }
    refuse(faults);
    return { ...range, bucket, ...(await usage.readBusiest({ plan, account }, range, limit)) };
  }

  return {
    getKeyUsage: {
      middleware: [offerCsv(tableOfKey)],
      handler: handlers.getKeyUsage,
    },
    getUsage: { middleware: [offerCsv(tableOfService)], handler: handlers.getUsage },
  };
}

type ServiceQuestion = ServerInferRequest<typeof usageContract.getUsage>['query'];

/** The whole buckets that a question is about, and what is wrong with them. */
function readRange(
  query: Pick<ServiceQuestion, 'from' | 'to'> & { readonly bucket: UsageBucket },
  buckets: { readonly usual: number; readonly max: number },
): { range: UsageRange; faults: string[] } {
  const bucketMs = usageBucketSeconds[query.bucket] * 1_000;
  const end = query.to === undefined ? Date.now() : Date.parse(query.to);
  const to = Math.ceil(end / bucketMs) * bucketMs;
  const from =
    query.from === undefined
      ? to - buckets.usual * bucketMs
      : Math.floor(Date.parse(query.from) / bucketMs) * bucketMs;
  const count = (to - from) / bucketMs;
  const faults = [
    ...(count > 0 ? [] : ['from: expected a time before to']),
    ...(count <= buckets.max
      ? []
      : [
          `from: expected at most ${buckets.max} buckets of a ${query.bucket} before to, got ${count}`,
        ]),
  ];
  const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
  return { range, faults };
}

/** @throws {HttpError} that names every fault, if there is one. */
function refuse(faults: readonly string[]): void {
  if (faults.length > 0) throw new HttpError('invalid_request', faults.join('; '));
}

const rowColumns = ['at', 'operation', 'outcome', 'requests'] as const;

function cellsOf(row: UsageRow) {
  return rowColumns.map((column) => row[column]);
}

function tableOfKey({ keyId, rows }: LedgerOfKey): CsvTable {
  return {
    columns: ['keyId', ...rowColumns],
    rows: rows.map((row) => [keyId, ...cellsOf(row)]),
  };
}

function tableOfService({ keys, rows }: ServiceLedger): CsvTable {
  if (keys === undefined) return { columns: rowColumns, rows: rows.map(cellsOf) };
  const keyOf = new Map(keys.map((key) => [key.keyId, key]));
  return {
    columns: ['keyId', 'name', 'account', 'plan', ...rowColumns],
    rows: rows.map(({ keyId = '', ...row }) => {
      const { name = null, account = null, plan = null } = keyOf.get(keyId) ?? {};
      return [keyId, name, account, plan, ...cellsOf(row)];
    }),
  };
}
