import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { networkOf } from './client-network.ts';

/** The network of a request that came, or claims to have come, from an address. */
const of = (address: string | undefined, remoteAddress?: string) =>
  networkOf(address, { remoteAddress } as Socket);

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::FFFF:CB00:7107', '203.0.113.7'],
  ['64:ff9b::cb00:7107', '203.0.113.7'],
  ['::ffff:0:203.0.113.7', '203.0.113.7'],
])('an IPv4 address, %s, is a network by itself', (address, network) => {
  expect(of(address)).toBe(network);
});

test.each(['2001:db8:1:2300::1', '2001:db8:1:23ff:ffff:ffff:ffff:ffff', '2001:DB8:1:2342::'])(
  'an IPv6 address, %s, is counted with the rest of its /56',
  (address) => {
    expect(of(address)).toBe(of('2001:db8:1:2300::'));
    expect(of(address)).toMatch(/^2001:db8:1:2300:\S*\/56$/);
  },
);

test.each([
  ['203.0.113.9:5123', '203.0.113.9'],
  ['[::ffff:203.0.113.9]:5123', '203.0.113.9'],
  ['[2001:db8::1]:443', '2001:db8::/56'],
  ['[2001:db8::1]', '2001:db8::/56'],
])('the port in %s is ignored', (address, network) => {
  expect(of(address, '198.51.100.9')).toBe(network);
});

test('neighbouring /56 networks are two', () => {
  expect(of('2001:db8:1:2300::')).not.toBe(of('2001:db8:1:2400::'));
});

test('loopback is one network in IPv4 and one in IPv6', () => {
  expect(of('127.0.0.1')).toBe('127.0.0.1');
  expect(of('::1')).toMatch(/\/56$/);
});

test.each([
  undefined,
  '',
  'unknown',
  '_hidden',
  '203.0.113.7:',
  '203.0.113.777:8080',
  '[203.0.113.7]x:80',
  '[2001:db8::1',
  '<script>',
  'a'.repeat(10_000),
])(
  'a header value that is no address (case %#) is replaced by the address of the connection',
  (address) => {
    expect(of(address, '198.51.100.9')).toBe('198.51.100.9');
  },
);

test('a connection that is gone has no network', () => {
  expect(of(undefined)).toBe('unknown');
  expect(of('nonsense', 'nonsense')).toBe('unknown');
});

test('the zone of a link-local address is ignored', () => {
  expect(of('fe80::1%eth0')).toBe(of('fe80::2%eth0'));
});
