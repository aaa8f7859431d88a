import { describe, expect, test } from 'vitest';
import { KeyChange } from './admin-key-change.ts';
import { NewKey } from './admin-new-key.ts';
import { Rotation } from './admin-rotation.ts';

const quota = { perMinute: 5, perDay: 6 };

/** Faults as the service words them, without the values that were given. */
const faults = (result: {
  error?: { issues: readonly { path: readonly PropertyKey[]; message: string }[] } | undefined;
}) => result.error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);

describe('a new key', () => {
  const named = { name: 'acme' };

  test.each([
    { name: 'a', plan: 'free' },
    { plan: 'pro', name: 'acme', account: 'C-17', expiresAt: '2030-02-27T22:00:00.000Z' },
    { name: 'a', plan: 'enterprise', quota },
  ])('%j is accepted', (key) => {
    expect(NewKey.parse(key)).toEqual(key);
  });

  // Postgres reads no offset of 16 hours or more.
  test('its expiry is read in UTC, whatever its offset', () => {
    const { expiresAt } = NewKey.parse({
      ...named,
      plan: 'free',
      expiresAt: '2030-02-28T00:00:00+23:00',
    });
    expect(expiresAt).toBe('2030-02-27T01:00:00.000Z');
  });

  const plan = 'plan: expected one of free, pro, business, enterprise';
  const none = 'quota: expected none: only Enterprise keys have numbers of their own';
  const limit = 'expected an integer from 1 to 2147483647';
  const instant = 'expiresAt: expected an ISO 8601 date and time, such as 2027-01-31T00:00:00Z';
  const label = 'expected 1 to 255 characters, without control characters and lone surrogates';

  test.each([
    [undefined, [': expected a JSON object']],
    [[], [': expected a JSON object']],
    [{}, [plan]],
    [{ plan: 'gold' }, [plan]],
    [{ plan: 'free', quota }, [none]],
    [{ plan: 'enterprise' }, ['quota: expected a JSON object of perMinute, perDay']],
    [{ plan: 'enterprise', quota: { perMinute: 5 } }, [`quota.perDay: ${limit}`]],
    [
      { plan: 'enterprise', quota: { perMinute: 0, perDay: 2 ** 31 } },
      [`quota.perMinute: ${limit}`, `quota.perDay: ${limit}`],
    ],
    [{ plan: 'enterprise', quota: { perMinute: 1.5, perDay: 6 } }, [`quota.perMinute: ${limit}`]],
    [{ plan: 'enterprise', quota: { perMinute: '5', perDay: 6 } }, [`quota.perMinute: ${limit}`]],
    [
      { plan: 'enterprise', quota: { ...quota, perHour: 1 } },
      ['quota: expected no member but perMinute, perDay'],
    ],
    [{ plan: 'free', name: '' }, [`name: ${label}`]],
    [{ plan: 'free', name: undefined }, [`name: ${label}`]],
    [{ plan: 'enterprise', name: undefined, quota }, [`name: ${label}`]],
    [{ plan: 'free', account: 'x'.repeat(256) }, [`account: ${label}`]],
    [{ plan: 'free', expiresAt: 'soon' }, [instant]],
    [
      { plan: 'free', name: '', expiresAt: '2020-01-01T00:00:00Z' },
      [`name: ${label}`, 'expiresAt: expected a time to come'],
    ],
    [{ plan: 'free', expiresAt: '2030-02-30T00:00:00Z' }, [instant]],
    [{ plan: 'free', expiresAt: '2030-01-01T00:00:00' }, [instant]],
    [{ plan: 'free', expiresAt: '9999-12-31T23:59:59-23:59' }, [instant]],
    [{ plan: 'free', expiresAt: 1_900_000_000 }, [instant]],
    // A misspelt member must not create a key that never expires.
    [
      { plan: 'free', expiresAT: '2030-01-01T00:00:00Z' },
      [': expected no member but name, account, plan, quota, scopes, expiresAt'],
    ],
  ])('%j is refused', (key, expected) => {
    const given = key === undefined || Array.isArray(key) ? key : { ...named, ...key };
    expect(faults(NewKey.safeParse(given))).toEqual(expected);
  });
});

describe('a change of a key', () => {
  test.each([
    { plan: 'free' },
    { plan: 'enterprise', quota },
    { plan: 'enterprise' },
    { quota },
    { name: '🐈'.repeat(255) },
    { name: null, account: null, expiresAt: null },
    { account: 'C-17', expiresAt: '2099-01-31T00:00:00.000Z', plan: 'pro' },
  ])('%j is accepted', (change) => {
    expect(KeyChange.parse(change)).toEqual(change);
  });

  test.each([
    [{}, [': expected one or more of name, account, expiresAt, plan, quota, scopes']],
    [undefined, [': expected a JSON object of name, account, expiresAt, plan, quota, scopes']],
    [
      { plan: 'pro', quota },
      ['quota: expected none: only Enterprise keys have numbers of their own'],
    ],
    [
      { plan: 'pro', names: 'x' },
      [': expected no member but name, account, expiresAt, plan, quota, scopes'],
    ],
    [
      { name: '', account: '🐈'.repeat(256), expiresAt: '2020-01-01T00:00:00Z', plan: 'gold' },
      [
        'name: expected 1 to 255 characters, without control characters and lone surrogates',
        'account: expected 1 to 255 characters, without control characters and lone surrogates',
        'expiresAt: expected a time to come',
        'plan: expected one of free, pro, business, enterprise',
      ],
    ],
    [{ plan: null }, ['plan: expected one of free, pro, business, enterprise']],
  ])('%j is refused', (change, expected) => {
    expect(faults(KeyChange.safeParse(change))).toEqual(expected);
  });
});

describe('a rotation', () => {
  test.each([
    [undefined, 86_400],
    [{}, 86_400],
    [{ graceSeconds: 0 }, 0],
    [{ graceSeconds: 2_592_000 }, 2_592_000],
  ])('%j has a grace period', (rotation, graceSeconds) => {
    expect(Rotation.parse(rotation)).toEqual({ graceSeconds });
  });

  test.each([-1, 0.5, 2_592_001, '60', null])('a grace period of %j is refused', (graceSeconds) => {
    expect(faults(Rotation.safeParse({ graceSeconds }))).toEqual([
      'graceSeconds: expected an integer from 0 to 2592000',
    ]);
  });

  test('unknown members are refused', () => {
    expect(faults(Rotation.safeParse({ grace: 60 }))).toEqual([
      ': expected no member but graceSeconds',
    ]);
  });
});
