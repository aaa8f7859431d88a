import { expect, test } from 'vitest';
import { contract } from '../contract.ts';
import { errorCodes } from '../error-codes.ts';
import { adminContract, adminErrorCodes, adminRoutes } from './index.ts';

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

test('no status compiles that an operation does not list', () => {
  for (const [name, operation] of Object.entries({ ...contract, ...adminContract })) {
    expect(operation.strictStatusCodes, name).toBe(true);
  }
});
