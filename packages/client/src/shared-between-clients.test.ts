import { inspect } from 'node:util';
import { expect, test, vi } from 'vitest';
import { findShared } from './shared-between-clients.ts';
import { createFindGate } from './shared-quota-gates.ts';

const url = 'https://store.example/v1';

test('two copies of the client package share the quota gate of an API key, and inspecting the shared state does not reveal the key', async () => {
  const gate = findShared().findGate(url, 'ast_secret');
  vi.resetModules();
  const copy = await import('./shared-between-clients.ts');
  expect(copy.findShared).not.toBe(findShared);
  expect(copy.findShared().findGate(url, 'ast_secret')).toBe(gate);
  const shared = Reflect.get(globalThis, Symbol.for('@animal-store/client/shared/3'));
  expect(inspect(shared, { showHidden: true, depth: 10 })).not.toContain('ast_secret');
});

test('the registry of quota gates evicts the least recently used gate when it has more gates than its maximum', () => {
  const find = createFindGate(2);
  const [gate, other] = [find(url, 'a'), find(url, 'b')];
  expect(find(url, 'a')).toBe(gate);
  find('https://staging.example/v1', 'a');
  expect(find(url, 'a')).toBe(gate);
  expect(find(url, 'b')).not.toBe(other);
});
