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
  '203.0.113.7:8080',
  '<script>',
  'a'.repeat(10_000),
])('what a header claims and is no address, %s, falls back on the connection', (address) => {
  expect(of(address, '198.51.100.9')).toBe('198.51.100.9');
});

test('a connection that is gone is nobody in particular', () => {
  expect(of(undefined)).toBe('unknown');
  expect(of('nonsense', 'nonsense')).toBe('unknown');
});

test('a link-local address is told apart from none by its zone', () => {
  expect(of('fe80::1%eth0')).toBe(of('fe80::2%eth0'));
});
