import { expect, test } from 'vitest';
import { createFindGate } from './shared-quota-gates.ts';

test('each key and each address has one gate', () => {
  const find = createFindGate();
  const gate = find('https://store.example/v1', 'ast_shared');
  expect(find('https://store.example/v1', 'ast_shared')).toBe(gate);
  expect(find('https://store.example/v1', 'ast_other')).not.toBe(gate);
  expect(find('https://staging.example/v1', 'ast_shared')).not.toBe(gate);
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
