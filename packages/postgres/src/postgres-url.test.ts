import { expect, test } from 'vitest';
import { parsePostgresUrl } from './postgres-url.ts';

const withParameter = (parameter: string) =>
  parsePostgresUrl(`postgres://u:secret@a,b/name?${parameter}`);

test('parsePostgresUrl parses a URL with all its parts, and decodes percent-encoded characters', () => {
  expect(
    parsePostgresUrl('postgresql://us%40er:p%40s%3As@a:5433,b/ani%20mals?sslmode=require'),
  ).toEqual({
    hosts: [
      { host: 'a', port: 5433, path: undefined },
      { host: 'b', port: 5432, path: undefined },
    ],
    user: 'us@er',
    password: 'p@s:s',
    database: 'ani mals',
    tls: 'require',
    isTlsDirect: false,
    caFile: undefined,
    mustAcceptWrites: false,
    applicationName: 'animal-store',
    notes: [],
  });
});

test.each([
  ['target_session_attrs=any', { mustAcceptWrites: false }],
  ['target_session_attrs=primary', { mustAcceptWrites: true }],
  ['target_session_attrs=read-write', { mustAcceptWrites: true }],
  ['application_name=shop', { applicationName: 'shop' }],
  ['sslmode=disable', { tls: 'disable' }],
  ['sslmode=allow', { tls: 'prefer' }],
  ['sslmode=verify-full', { tls: 'verify-full', caFile: undefined }],
  ['sslrootcert=system', { tls: 'verify-full', caFile: undefined }],
  ['sslmode=require&sslrootcert=%2Fca.pem', { tls: 'verify-ca', caFile: '/ca.pem' }],
  ['sslmode=verify-full&sslrootcert=/ca.pem', { tls: 'verify-full', caFile: '/ca.pem' }],
  ['sslmode=require&sslnegotiation=direct', { isTlsDirect: true }],
])('parsePostgresUrl supports the parameter %s', (parameter, expected) => {
  expect(withParameter(parameter)).toMatchObject({ ...expected, notes: [] });
});

test.each([
  ['channel_binding=require'],
  ['gssencmode=disable'],
  ['keepalives=1'],
  ['keepalives_idle=30'],
  ['keepalives_interval=10'],
  ['keepalives_count=5'],
  ['connect_timeout=10'],
  ['schema=public'],
])('parsePostgresUrl ignores the parameter %s, and returns a note about it', (parameter) => {
  const [name] = parameter.split('=');
  expect(withParameter(parameter)).toMatchObject({
    notes: [expect.stringMatching(`^${name} is ignored \\(`)],
  });
});

test.each([
  [
    'sslmode=foo',
    'sslmode: expected one of disable, allow, prefer, require, verify-ca, verify-full',
  ],
  ['gssencmode=require', /^gssencmode: expected one of disable, prefer/],
  [
    'target_session_attrs=standby',
    /^target_session_attrs: expected one of any, primary, read-write/,
  ],
  ['target_session_attrs=', /^target_session_attrs: expected/],
  ['target_session_attrs=any&target_session_attrs=any', 'target_session_attrs: expected once'],
  ['statement_timeout=0', /^statement_timeout: refused \(the service itself sets this option/],
  ['search_path=app', /^search_path: refused/],
  ['options=-c%20search_path%3Dapp', /^options: refused \(set the options for the database role/],
  [
    'host=%2Ftmp',
    /^host: refused \(write the host before the question mark; a Unix socket as postgres:/,
  ],
  ['ssl=true', /^ssl: refused \(write sslmode=require/],
  ['sslcert=/secret', /^sslcert: refused \(client certificates/],
  ['pgbouncer=true', /^pgbouncer: refused \(connect to Postgres itself/],
  ['sslrootcert=ca.pem', /^sslrootcert: expected system, or the absolute path/],
  ['sslmode=require&sslrootcert=system', /^sslrootcert=system: expected sslmode=verify-full/],
  ['sslrootcert=/ca.pem', /^sslrootcert: expected sslmode/],
  ['sslnegotiation=direct', /^sslnegotiation=direct: expected sslmode/],
  ['max=100', 'max: unknown parameter; remove it'],
  ['constructor=1', 'constructor: unknown parameter; remove it'],
])(
  'parsePostgresUrl refuses the parameter %s, and names it without showing the password',
  (parameter, expected) => {
    const fault = withParameter(parameter);
    expect(fault).toEqual(
      typeof expected === 'string' ? expected : expect.stringMatching(expected),
    );
    expect(fault).not.toContain('secret');
  },
);

test.each([
  ...['', 'animals', 'mysql://db/animals', 'postgres:///name', 'postgres://a,,b/name'],
  ...['postgres://db:70000/name', 'postgres://a,b:70000/name', 'postgres://db:0/name'],
  ...['postgres://[::1/name', 'postgres://[nowhere]/name', 'postgres://::1/name'],
  ...['postgres://u@db/name\n', 'postgres://u@db/name ', 'postgres://u@db/my name'],
  ...['postgres://u%00search_path%00x@db/name', 'postgres://u:%00@db/name', 'postgres://db/a%00'],
  ...['postgres://%2Ftmp%00/name', `postgres://%2F${'x'.repeat(100)}/name`],
  ...['postgres://u:p@ss@db/name', 'postgres://u:p#ss@db/name', 'postgres://u:%zz@db/name'],
])('parsePostgresUrl refuses %j, and shows an example of a valid URL', (text) => {
  expect(parsePostgresUrl(text)).toMatch(/^expected postgres:\/\/user:password@host\/name, /);
});

// Regression: the message said nothing about the question mark, so its reader looked for a parameter.
test('parsePostgresUrl says how to write a question mark when a password contains one', () => {
  expect(parsePostgresUrl('postgres://user:se?cret@host/name')).toBe(
    'expected parameters such as ?name=value; write a question mark in a password as %3F',
  );
});

test('parsePostgresUrl uses the user of the operating system, like libpq, when the URL has no user and no database', () => {
  const url = parsePostgresUrl('postgres://host');
  expect(url).toMatchObject({ database: typeof url === 'string' ? '' : url.user, password: '' });
});

// Regression: the host was looked up as `fe80::1%25eth0` instead of `fe80::1%eth0`, so the start
// waited forever.
test('parsePostgresUrl decodes the zone of an IPv6 address', () => {
  expect(parsePostgresUrl('postgres://u@[fe80::1%25eth0]:5433/name')).toMatchObject({
    hosts: [{ host: 'fe80::1%eth0', port: 5433 }],
  });
});
