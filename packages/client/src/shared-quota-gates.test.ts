import { inspect } from 'node:util';
import { expect, test, vi } from 'vitest';
import { createFindGate, findQuotaGate } from './shared-quota-gates.ts';

test('each key and each address has one gate', () => {
  const gate = findQuotaGate('https://store.example/v1', 'ast_shared');
  expect(findQuotaGate('https://store.example/v1', 'ast_shared')).toBe(gate);
  expect(findQuotaGate('https://store.example/v1', 'ast_other')).not.toBe(gate);
  expect(findQuotaGate('https://staging.example/v1', 'ast_shared')).not.toBe(gate);
});

test('another copy of this package finds the same gate', async () => {
  const gate = findQuotaGate('https://store.example/v1', 'ast_copies');
  vi.resetModules();
  const copy = await import('./shared-quota-gates.ts');
  expect(copy.findQuotaGate).not.toBe(findQuotaGate);
  expect(copy.findQuotaGate('https://store.example/v1', 'ast_copies')).toBe(gate);
});

test('an inspection of what is shared shows no key', () => {
  findQuotaGate('https://store.example/v1', 'ast_secret');
  const shared = Reflect.get(globalThis, Symbol.for('@animal-store/client/quota-gates/1'));
  expect(shared).toBeTypeOf('function');
  expect(inspect(shared, { showHidden: true, depth: 10 })).not.toContain('ast_secret');
});

test('the key that was unused for longest is forgotten first', () => {
  const find = createFindGate(2);
  const a = find('url', 'a');
  const b = find('url', 'b');
  expect(find('url', 'a')).toBe(a);
  find('url', 'c');
  expect(find('url', 'a')).toBe(a);
  expect(find('url', 'b')).not.toBe(b);
});
