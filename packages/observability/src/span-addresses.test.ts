import { expect, test } from 'vitest';
import { databaseAttributes, publicAddress, redisAttributes } from './span-addresses.ts';

const server = (address: string, port: number) => ({
  'server.address': address,
  'server.port': port,
});
const space = (namespace: string) => ({ 'db.namespace': namespace });

test.each([
  ['https://api.example.com', server('api.example.com', 443)],
  ['http://api.example.com', server('api.example.com', 80)],
  ['http://localhost:3000', server('localhost', 3000)],
  ['http://[::1]:3000', server('::1', 3000)],
])(
  "publicAddress returns the span attributes of the service's public URL: for %s they are %j",
  (origin, attributes) => {
    expect(publicAddress(origin)).toEqual(attributes);
  },
);

test.each([
  [
    { host: 'db-a', port: 5432, name: 'pets' },
    { ...server('db-a', 5432), ...space('pets') },
  ],
  [
    { host: '/run/pg', name: 'pets' },
    { 'server.address': '/run/pg', ...space('pets') },
  ],
  // The embedded database has no address.
  [{}, {}],
])(
  'databaseAttributes returns the span attributes of a database address: for %j they are %j',
  (address, attributes) => {
    expect(databaseAttributes(address)).toEqual(attributes);
  },
);

test.each([
  [['redis://user:secret@cache:6380/3'], { ...server('cache', 6380), ...space('3') }],
  [['rediss://cache'], { ...server('cache', 6379), ...space('0') }],
  [['redis://[::1]/'], { ...server('::1', 6379), ...space('0') }],
  // With several Redis servers, the attributes contain no server address, because only the Redis
  // client knows which server it uses.
  [['redis+sentinel://a:1,b:2/main/5'], space('5')],
  [['redis://a:1', 'redis://b:1'], space('0')],
  [[], {}],
])(
  'redisAttributes returns the span attributes of the Redis URLs: for %j they are %j',
  (urls, attributes) => {
    expect(redisAttributes(urls)).toEqual(attributes);
  },
);
