import { expect, test } from 'vitest';
import { parseSentinelUrl } from './sentinel-url.ts';

test('the hosts of Sentinels and the name of the primary are enough', () => {
  expect(parseSentinelUrl('redis+sentinel://a:26380,b/mymaster')).toEqual({
    sentinels: [
      { host: 'a', port: 26_380 },
      { host: 'b', port: 26_379 },
    ],
    name: 'mymaster',
    db: 0,
    isTls: false,
  });
});

test('credentials, a database, the password of the Sentinels and TLS can be given', () => {
  const url = 'rediss+sentinel://user:p%40ss@[::1]:26380/my-master.1/2?sentinelPassword=s%2Fx';
  expect(parseSentinelUrl(url)).toEqual({
    sentinels: [{ host: '::1', port: 26_380 }],
    name: 'my-master.1',
    username: 'user',
    password: 'p@ss',
    sentinelPassword: 's/x',
    db: 2,
    isTls: true,
  });
  expect(parseSentinelUrl('redis+sentinel://:secret@a/m')).toMatchObject({ password: 'secret' });
});

test.each([
  'redis://a:26379/mymaster',
  'redis+sentinel://a:26379',
  'redis+sentinel://a:26379/',
  'redis+sentinel:///mymaster',
  'redis+sentinel://a,/mymaster',
  'redis+sentinel://a:70000/mymaster',
  'redis+sentinel://:100%@a/mymaster',
  'redis+sentinel://a/mymaster?password=x',
  'redis+sentinel://a/my master',
])('%s is none', (url) => {
  expect(parseSentinelUrl(url)).toBeUndefined();
});
