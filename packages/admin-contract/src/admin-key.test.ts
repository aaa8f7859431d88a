import { expect, test } from 'vitest';
import { KeyChange } from './admin-key-change.ts';
import { NewKey } from './admin-new-key.ts';
import { Rotation } from './admin-rotation.ts';

const quota = { perMinute: 5, perDay: 6 };
const schemas = { 'new key': NewKey, change: KeyChange, rotation: Rotation };

/**
 * Validates a value, and returns the errors as the service formats them, without the given values.
 */
function faults(schema: keyof typeof schemas, value: unknown): string[] | undefined {
  const issues = schemas[schema].safeParse(value).error?.issues;
  return issues?.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

const plan = 'plan: expected one of free, pro, business, enterprise';
const none = 'quota: expected no value, because only Enterprise keys have their own limits';
const limit = 'expected an integer from 1 to 2147483647';
const instant = 'expiresAt: expected an ISO 8601 date and time, such as 2027-01-31T00:00:00Z';
const past = 'expiresAt: expected a time in the future';
const label = 'expected 1 to 255 characters, without control characters and lone surrogates';
const grace = 'graceSeconds: expected an integer from 0 to 2592000';
const properties = 'name, account, expiresAt, plan, quota, scopes';

test.each<[keyof typeof schemas, object]>([
  ['new key', { name: 'a', plan: 'free' }],
  ['new key', { name: 'a', plan: 'pro', account: 'C-17', expiresAt: '2030-02-27T22:00:00.000Z' }],
  ['new key', { name: 'a', plan: 'enterprise', quota }],
  ['change', { plan: 'enterprise', quota }],
  ['change', { plan: 'enterprise' }],
  ['change', { quota }],
  ['change', { name: '🐈'.repeat(255) }],
  ['change', { name: null, account: null, expiresAt: null }],
  ['rotation', { graceSeconds: 0 }],
  ['rotation', { graceSeconds: 2_592_000 }],
])('the schema of a %s accepts %j', (schema, value) => {
  expect(schemas[schema].parse(value)).toEqual(value);
});

test.each([undefined, {}])(
  'the schema of a key rotation adds the default grace period of a day to the body %j',
  (rotation) => {
    expect(Rotation.parse(rotation)).toEqual({ graceSeconds: 86_400 });
  },
);

// The schema converts expiries to UTC, because Postgres cannot read a time whose offset from UTC is
// 16 hours or more.
test('the schema of a key change converts an expiry to UTC, whatever its offset is', () => {
  expect(KeyChange.parse({ expiresAt: '2030-02-28T00:00:00+23:00' })).toEqual({
    expiresAt: '2030-02-27T01:00:00.000Z',
  });
});

/** Returns the body of a new API key, with the given properties added to valid ones. */
const newKey = (more: object) => ({ name: 'a', plan: 'free', ...more });
const enterprise = (quota: unknown) => newKey({ plan: 'enterprise', quota });

test.each<[keyof typeof schemas, unknown, string[]]>([
  ['new key', undefined, [': expected a JSON object']],
  ['new key', { name: 'a' }, [plan]],
  ['new key', newKey({ plan: 'gold' }), [plan]],
  ['new key', newKey({ quota }), [none]],
  ['new key', enterprise(undefined), ['quota: expected a JSON object of perMinute, perDay']],
  ['new key', enterprise({ perMinute: 5 }), [`quota.perDay: ${limit}`]],
  [
    'new key',
    enterprise({ perMinute: 0, perDay: 2 ** 31 }),
    [`quota.perMinute: ${limit}`, `quota.perDay: ${limit}`],
  ],
  ['new key', enterprise({ perMinute: 1.5, perDay: 6 }), [`quota.perMinute: ${limit}`]],
  [
    'new key',
    enterprise({ ...quota, perHour: 1 }),
    ['quota: expected only the properties perMinute, perDay'],
  ],
  ['new key', newKey({ name: '' }), [`name: ${label}`]],
  ['new key', newKey({ plan: 'enterprise', name: undefined, quota }), [`name: ${label}`]],
  ['new key', newKey({ name: '', expiresAt: '2020-01-01T00:00:00Z' }), [`name: ${label}`, past]],
  // If the schema ignored unknown properties, the misspelt property `expiresAT` would create an API
  // key that never expires.
  [
    'new key',
    newKey({ expiresAT: '2030-01-01T00:00:00Z' }),
    [': expected only the properties name, account, plan, quota, scopes, expiresAt'],
  ],
  ['change', {}, [`: expected one or more of ${properties}`]],
  ['change', undefined, [`: expected a JSON object of ${properties}`]],
  ['change', { plan: 'pro', quota }, [none]],
  ['change', { plan: 'pro', names: 'x' }, [`: expected only the properties ${properties}`]],
  [
    'change',
    { name: '', account: '🐈'.repeat(256), expiresAt: '2020-01-01T00:00:00Z', plan: null },
    [`name: ${label}`, `account: ${label}`, past, plan],
  ],
  ['rotation', { graceSeconds: -1 }, [grace]],
  ['rotation', { graceSeconds: 0.5 }, [grace]],
  ['rotation', { graceSeconds: 2_592_001 }, [grace]],
  ['rotation', { graceSeconds: '60' }, [grace]],
  ['rotation', { grace: 60 }, [': expected only the properties graceSeconds']],
])('the schema of a %s refuses %j', (schema, value, expected) => {
  expect(faults(schema, value)).toEqual(expected);
});

test.each([
  ...['soon', '2030-02-30T00:00:00Z', '2030-01-01T00:00:00', '9999-12-31T23:59:59-23:59'],
  1_900_000_000,
])('the schema for changes of an API key refuses the expiry %j', (expiresAt) => {
  expect(faults('change', { expiresAt })).toEqual([instant]);
});
