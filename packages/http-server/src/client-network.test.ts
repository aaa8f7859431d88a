import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { networkOf } from './client-network.ts';

/**
 * Calls `networkOf` for a request that has the given address in `X-Forwarded-For`, on a connection
 * from `remoteAddress`.
 */
const of = (address: string | undefined, remoteAddress?: string) =>
  networkOf({ ip: address, socket: { remoteAddress } as Socket });

test.each<[network: string, addresses: readonly (string | undefined)[]]>([
  // All spellings of an IPv4 address belong to the same network, and a port is ignored.
  ['203.0.113.7', ['203.0.113.7', '::ffff:203.0.113.7', '::FFFF:CB00:7107', '64:ff9b::cb00:7107']],
  ['203.0.113.7', ['::ffff:0:203.0.113.7', '203.0.113.7:5123', '[::ffff:203.0.113.7]:5123']],
  ['203.0.113.7', ['64:ff9b::203.0.113.7', '64:FF9B:0:0:0:0:203.0.113.7']],
  ['203.0.113.7', ['[64:ff9b::203.0.113.7]:443', '0:0:0:0:0:ffff:203.0.113.7']],
  ['127.0.0.1', ['127.0.0.1']],
  // IPv6 addresses with the same first 56 bits belong to the same network.
  ['2001:db8:1:2300::/56', ['2001:db8:1:2300::1', '2001:db8:1:23ff:ffff::', '2001:DB8:1:2342::']],
  [
    '2001:db8:1:2400::/56',
    ['2001:db8:1:2400::', '[2001:db8:1:2400::1]:443', '[2001:db8:1:2400::]'],
  ],
  ['2001:db8:1:2400::/56', ['2001:db8:1:2400::203.0.113.7']],
  ['::/56', ['::1', '::203.0.113.7']],
  ['fe80::/56', ['fe80::1%eth0', 'fe80::2%eth1']],
  // If the text in the header is not an address, the address of the connection is used.
  ['198.51.100.9', [undefined, '', 'unknown', '_hidden', '203.0.113.7:', '203.0.113.777:8080']],
  ['198.51.100.9', ['64:ff9b::203.0.113.256', '64:ff9b::203.0.113', '1:203.0.113.7']],
  ['198.51.100.9', ['[203.0.113.7]x:80', '[2001:db8::1', '<script>', 'a'.repeat(10_000)]],
])(
  'networkOf returns the network %s for every spelling of an address in that network',
  (network, addresses) => {
    expect(addresses.map((address) => of(address, '198.51.100.9'))).toEqual(
      addresses.map(() => network),
    );
  },
);

test('networkOf returns "unknown" for a closed connection, because it has no address', () => {
  expect([of(undefined), of('nonsense', 'nonsense')]).toEqual(['unknown', 'unknown']);
});
