import { afterAll, expect, test, vi } from 'vitest';
import { fromLocalField, toLocalField } from './local-time.ts';

vi.stubEnv('TZ', 'Pacific/Kiritimati');
afterAll(() => {
  vi.unstubAllEnvs();
});

test.each([
  ['2027-01-31T10:15:00.000Z', '2027-02-01T00:15'],
  // Regression: the field was empty, and a change of another field removed the expiry.
  ['9999-12-31T23:59:59.000Z', '9999-12-31T23:59'],
])('the form field for the time %s contains the local time %s', (at, text) => {
  expect(toLocalField(at)).toBe(text);
});

test.each([
  ['2027-02-01T00:15', '2027-01-31T10:15:00.000Z'],
  ['20270-02-01T00:15', '+020270-01-31T10:15:00.000Z'],
  ['', null],
])('the text "%s" of a form field is the time %s', (text, at) => {
  expect(fromLocalField(text)).toBe(at);
});
