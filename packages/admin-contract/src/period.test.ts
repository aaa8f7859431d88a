import { expect, test } from 'vitest';
import type { z } from 'zod';
import { adminContract } from './admin-contract.ts';

const queries = Object.entries(adminContract).flatMap(([operation, route]) => {
  const query = 'query' in route ? (route.query as z.ZodObject) : undefined;
  return query && 'from' in query.shape ? [[operation, query] as const] : [];
});

test('the operations whose query has a period are the usage reports and the audit log', () => {
  expect(queries.map(([operation]) => operation).sort()).toEqual([
    'getAccount',
    'getDeprecation',
    'getKey',
    'getKeyUsage',
    'getOverview',
    'getUsage',
    'listAuditEntries',
  ]);
});

test.each(queries)('%s refuses a period that does not start before its end', (_, query) => {
  const early = '2026-11-21T09:15:00Z';
  const late = '2026-11-21T09:30:00Z';
  const faultsOf = (from: string, to: string) =>
    query.safeParse({ from, to }).error?.issues.map(({ path, message }) => [path, message]);
  const refusal = [[['from'], 'expected a time before the end of the period']];
  expect(faultsOf(late, early)).toEqual(refusal);
  expect(faultsOf(early, early)).toEqual(refusal);
  expect(faultsOf('2026-11-21T10:15:00+01:00', early)).toEqual(refusal);
  expect(faultsOf('2026-11-21T11:14:59+02:00', early)).toBeUndefined();
});
