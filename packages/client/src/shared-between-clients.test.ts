import { inspect } from 'node:util';
import { expect, test, vi } from 'vitest';
import { findShared } from './shared-between-clients.ts';

test('another copy of this package finds the same gate', async () => {
  const gate = findShared().findGate('https://store.example/v1', 'ast_copies');
  vi.resetModules();
  const copy = await import('./shared-between-clients.ts');
  expect(copy.findShared).not.toBe(findShared);
  expect(copy.findShared().findGate('https://store.example/v1', 'ast_copies')).toBe(gate);
});

test('an inspection of what is shared shows no key', () => {
  findShared().findGate('https://store.example/v1', 'ast_secret');
  const shared = Reflect.get(globalThis, Symbol.for('@animal-store/client/shared/2'));
  expect(shared).toBe(findShared());
  expect(inspect(shared, { showHidden: true, depth: 10 })).not.toContain('ast_secret');
});
