import { expect, test } from 'vitest';
import { parseSentinelUrl } from '../src/sentinel-url.ts';

const least = { sentinels: [{ host: 'a', port: 26_379 }], name: 'm', db: 0, isTls: false };

test.each([
  [
    'redis+sentinel://a:26380,b/m',
    {
      ...least,
      sentinels: [
        { host: 'a', port: 26_380 },
        { host: 'b', port: 26_379 },
      ],
    },
  ],
  [
    'rediss+sentinel://user:p%40ss@[::1]:26380/my-master.1/2?sentinelPassword=s%2Fx',
    {
      sentinels: [{ host: '::1', port: 26_380 }],
      name: 'my-master.1',
      ...{ username: 'user', password: 'p@ss', sentinelPassword: 's/x', db: 2, isTls: true },
    },
  ],
  [
    'redis+sentinel://a/m?sentinelPassword=s%26x&sentinelUsername=u%3D1',
    { ...least, sentinelUsername: 'u=1', sentinelPassword: 's&x' },
  ],
  ['redis+sentinel://:secret@a/m', { ...least, password: 'secret' }],
])('parseSentinelUrl parses the URL %s', (url, expected) => {
  expect(parseSentinelUrl(url)).toEqual(expected);
});

test.each([
  ...['redis://a:26379/m', 'redis+sentinel://a:26379', 'redis+sentinel:///m'],
  ...['redis+sentinel://a,/m', 'redis+sentinel://a:70000/m', 'redis+sentinel://:100%@a/m'],
  ...['redis+sentinel://a/m?password=x', 'redis+sentinel://a/my master'],
  ...['redis+sentinel://a/m?sentinelUsername=u', 'redis+sentinel://a/m?sentinelPassword=%zz'],
  ...['redis+sentinel://a/m?sentinelPassword=x&sentinelPassword=y', 'redis+sentinel://a/m?'],
])('parseSentinelUrl returns undefined for the invalid URL %s', (url) => {
  expect(parseSentinelUrl(url)).toBeUndefined();
});
