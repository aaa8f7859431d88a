import { expect, test } from 'vitest';
import { parseRedisUrls } from '../src/redis-url.ts';

test.each([
  ['redis://a', ['redis://a']],
  ['redis://a:6379/', ['redis://a:6379/']],
  ['rediss://u:p%40ss@a:6380/15', ['rediss://u:p%40ss@a:6380/15']],
  ['redis://[::1]:6379', ['redis://[::1]:6379']],
  ['redis://a, redis://b:7001/0', ['redis://a', 'redis://b:7001/0']],
  ['redis+sentinel://a,b:26380/m/3', ['redis+sentinel://a,b:26380/m/3']],
])('parseRedisUrls accepts the valid REDIS_URL %s', (text, urls) => {
  expect(parseRedisUrls(text)).toEqual({ urls, notes: [] });
});

test('parseRedisUrls removes parameters that have no effect from the URL, and returns a note about each', () => {
  expect(parseRedisUrls('rediss://a:6380/1?ssl_cert_reqs=required&family=0')).toEqual({
    urls: ['rediss://a:6380/1'],
    notes: [
      'ssl_cert_reqs is ignored (the service always checks certificates)',
      'family is ignored (the service tries both IPv4 and IPv6)',
    ],
  });
});

test.each([
  [
    'redis://u:secret@a/abc',
    'expected the number of a database as the path, such as redis://host:6379/1',
  ],
  [
    'redis://u:secret@a/1/2',
    'expected the number of a database as the path, such as redis://host:6379/1',
  ],
  [
    'redis://u:secret@a/-1',
    'expected the number of a database as the path, such as redis://host:6379/1',
  ],
  ['redis://u:secret@a:0/1', /^expected redis:\/\/user:password@host:port,/],
  ['redis://a/1,redis://b/1', 'expected database 0, because a Redis Cluster has no other database'],
  [
    'redis:///run/redis.sock',
    'expected a host; Unix sockets are not supported: write redis://host:port',
  ],
  ['redis://a?connectTimeout=1000', 'connectTimeout: refused (set REDIS_TIMEOUT_MS instead)'],
  [
    'redis://a?enableOfflineQueue=true',
    /^enableOfflineQueue: refused \(the service itself sets this option/,
  ],
  [
    'redis://a?db=1',
    'db: refused (write the number of the database as the path: redis://host:port/1)',
  ],
  [
    'redis://a?password=secret',
    /^password: refused \(write host, port, user and password before the question mark/,
  ],
  ['redis://a?tls=true', 'tls: refused (write rediss:// instead of redis://)'],
  ['rediss://a?ssl_cert_reqs=none', /^ssl_cert_reqs: expected one of required, CERT_REQUIRED/],
  ['redis://a?showFriendlyErrorStack=true', 'showFriendlyErrorStack: unknown parameter; remove it'],
  ['redis://:%zz@a', /^expected redis:\/\/user:password@host:port/],
  // A user without a password is refused, because the client would connect as the default user of
  // Redis.
  ['redis://user@a', 'expected a password for the user: redis://user:password@host:port'],
  ['redis+sentinel://user@a/m', /^expected redis:\/\/user:password@host:port/],
  ['redis+sentinel://a:0/m', /^expected redis:\/\/user:password@host:port/],
  // The client uses the user, the password and TLS in the URLs of a Cluster for all nodes, even for
  // nodes that only Redis names. So all URLs must have the same user and password, and all or none
  // of them must use TLS.
  ['redis://a,rediss://b', /^expected the same user, the same password and the same use of TLS/],
  ['redis://:secret@a,redis://b', /^expected the same user, the same password/],
  // Regression: the message said nothing about special characters and IPv6 addresses.
  ...[
    'redis://u:sec/secret@a',
    'redis://u:sec#secret@a',
    'redis://u:s?secret@a',
    'redis://::1:6379',
  ].map((url): [string, RegExp] => [
    url,
    /, with special characters percent-encoded and IPv6 addresses in brackets$/,
  ]),
  ['redis://a#1', /^expected redis:\/\/user:password@host:port/],
])(
  'parseRedisUrls refuses the invalid REDIS_URL %s, and the message contains no password',
  (text, expected) => {
    const fault = parseRedisUrls(text);
    expect(fault).toEqual(
      typeof expected === 'string' ? expected : expect.stringMatching(expected),
    );
    expect(fault).not.toContain('secret');
  },
);
