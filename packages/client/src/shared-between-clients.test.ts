import { inspect } from 'node:util';
import { expect, test, vi } from 'vitest';
import { findShared } from './shared-between-clients.ts';
import { createFindGate } from './shared-quota-gates.ts';

const url = 'https://store.example/v1';

test('another copy of this package finds the same gate, and an inspection no key', async () => {
  const gate = findShared().findGate(url, 'ast_secret');
  vi.resetModules();
  const copy = await import('./shared-between-clients.ts');
  expect(copy.findShared).not.toBe(findShared);
  expect(copy.findShared().findGate(url, 'ast_secret')).toBe(gate);
  const shared = Reflect.get(globalThis, Symbol.for('@animal-store/client/shared/2'));
  expect(shared).toBe(findShared());
  expect(inspect(shared, { showHidden: true, depth: 10 })).not.toContain('ast_secret');
});

test('each key at each address has a gate, and the one unused for longest is forgotten first', () => {
  const find = createFindGate(3);
  const gate = find(url, 'a');
  const [otherKey, otherUrl] = [find(url, 'b'), find('https://staging.example/v1', 'a')];
  expect(new Set([gate, otherKey, otherUrl]).size).toBe(3);
  expect(find(url, 'a')).toBe(gate);
  find(url, 'c');
  expect(find(url, 'a')).toBe(gate);
  expect(find(url, 'b')).not.toBe(otherKey);
});
