import { expect, test } from 'vitest';
import { errorCodes } from '../error-codes.ts';
import * as admin from './index.ts';
import { adminContract, adminErrorCodes, adminRoutes } from './index.ts';

test('the exported names are these, and no more', () => {
  expect(Object.keys(admin).sort()).toEqual([
    'AccountName',
    'AuditState',
    'accountContract',
    'adminBasePath',
    'adminContract',
    'adminErrorCodes',
    'adminErrorMessages',
    'adminRoutes',
    'auditActions',
    'auditActorTypes',
    'auditContract',
    'auditRetentionDays',
    'createAdminOpenApi',
    'deprecationContract',
    'gracePeriod',
    'isKeyId',
    'keyContract',
    'keySorts',
    'keyStates',
    'maxBusyKeys',
    'maxGroupedDays',
    'maxLimit',
    'maxShownKeys',
    'maxUsageBuckets',
    'operatorActiveHeader',
    'operatorContract',
    'operatorRoles',
    'overviewContract',
    'sessionContract',
    'sessionLifetime',
    'usageBucketSeconds',
    'usageContract',
    'usageOperations',
    'usageOutcomes',
  ]);
});

test('a code that both APIs have has one status', () => {
  const shared = Object.entries(adminErrorCodes).filter(([code]) => code in errorCodes);
  expect(shared.length).toBeGreaterThan(5);
  for (const [code, { status }] of shared) {
    expect(errorCodes[code as keyof typeof errorCodes].status, code).toBe(status);
  }
});

test('exactly the operations that can answer 403 need more than the role of a viewer', () => {
  const refusing = Object.entries(adminContract).filter(([, { responses }]) => 403 in responses);
  const needing = Object.entries(adminRoutes).filter(([, { role }]) => role !== 'viewer');
  expect(refusing.map(([name]) => name)).toEqual(needing.map(([name]) => name));
});

test('each operation has exactly these statuses, and no others compile', () => {
  const statuses = Object.entries(adminContract).map(([name, { responses, strictStatusCodes }]) => {
    expect(strictStatusCodes, name).toBe(true);
    return [name, Object.keys(responses).map(Number)];
  });
  expect(Object.fromEntries(statuses)).toEqual({
    createKey: [201, 400, 401, 403, 413, 415, 429, 500, 503],
    listKeys: [200, 400, 401, 429, 500, 503],
    getKey: [200, 400, 401, 404, 429, 500, 503],
    changeKey: [200, 400, 401, 403, 404, 409, 413, 415, 429, 500, 503],
    rotateKey: [200, 400, 401, 403, 404, 409, 413, 415, 429, 500, 503],
    revokeKey: [200, 400, 401, 403, 404, 429, 500, 503],
    suspendKey: [200, 400, 401, 403, 404, 409, 429, 500, 503],
    resumeKey: [200, 400, 401, 403, 404, 409, 429, 500, 503],
    unbanKey: [200, 400, 401, 403, 404, 429, 500, 503],
    listAccounts: [200, 400, 401, 429, 500, 503],
    getAccount: [200, 400, 401, 404, 429, 500, 503],
    setAccountPlan: [200, 400, 401, 403, 413, 415, 429, 500, 503],
    suspendAccount: [200, 400, 401, 403, 404, 429, 500, 503],
    resumeAccount: [200, 400, 401, 403, 404, 429, 500, 503],
    createOperator: [201, 400, 401, 403, 413, 415, 429, 500, 503],
    listOperators: [200, 400, 401, 429, 500, 503],
    rotateOperator: [200, 400, 401, 403, 404, 409, 413, 415, 429, 500, 503],
    revokeOperator: [200, 400, 401, 403, 404, 429, 500, 503],
    getKeyUsage: [200, 400, 401, 404, 429, 500, 503],
    getUsage: [200, 400, 401, 429, 500, 503],
    getDeprecation: [200, 400, 401, 429, 500, 503],
    getOverview: [200, 400, 401, 429, 500, 503],
    createSession: [201, 400, 401, 429, 500, 503],
    endSession: [200, 400, 401, 429, 500, 503],
    listAuditEntries: [200, 400, 401, 429, 500, 503],
  });
});
