import type { Request } from 'express';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';

/** Careful providers hand one customer a /56 (RFC 6177, §2). Counting by /64 would be too easy to evade. */
const ipv6PrefixBytes = 7;

/**
 * An address followed by a port, as some load balancers write `X-Forwarded-For`: `203.0.113.9:5123`,
 * `[2001:db8::1]:443`. Brackets without a port are taken, too (RFC 7239, §6).
 */
const addressAndPort = /^(?:\[([\da-f:.%]{2,64})\](?::\d{1,5})?|([\d.]{7,15}):\d{1,5})$/i;

const maxAddressLength = 64;

/** The networks of the latest addresses. */
const networks = new LRUCache<string, string>({ max: 10_000 });

/**
 * Gives the network that a request without a valid key counts against: the whole IPv4 address, or the
 * /56 of an IPv6 address, because whoever has one address of it has them all.
 *
 * @param sender.ip what Express found in `X-Forwarded-For`; a client may have written anything there.
 */
export function networkOf({ ip, socket }: Pick<Request, 'ip' | 'socket'>): string {
  // Without a remote address the connection is already gone: nobody reads the answer.
  return networkOfText(ip) ?? networkOfText(socket.remoteAddress) ?? 'unknown';
}

/** The network of a text, if it is an address. Parsing takes longer than all else that a 401 needs. */
function networkOfText(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const known = networks.get(text);
  if (known !== undefined) return known;
  const ip = parseAddress(text);
  if (ip === undefined) return undefined;
  const network = toNetwork(ip);
  // A zone may be of any length.
  if (text.length <= maxAddressLength) networks.set(text, network);
  return network;
}

function toNetwork(ip: ipaddr.IPv4 | ipaddr.IPv6): string {
  if (ip.kind() === 'ipv4') return ip.toString();
  const prefix = ip.toByteArray().fill(0, ipv6PrefixBytes);
  return `${ipaddr.fromByteArray(prefix)}/56`;
}

function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const [, ipv6, ipv4] = addressAndPort.exec(text) ?? [];
  const address = ipv6 ?? ipv4 ?? text;
  if (!ipaddr.isValid(address)) return undefined;
  // An IPv4 address may be mapped into IPv6 (RFC 4291, §2.5.5.2).
  const ip = ipaddr.process(address);
  switch (ip.range()) {
    // A NAT64 gateway puts all of IPv4 into one /96 (RFC 6052, §2.1; RFC 2765, §2.1). As one /56, all
    // clients behind it would share one quota.
    case 'rfc6052':
    case 'rfc6145':
      return ipaddr.fromByteArray(ip.toByteArray().slice(-4));
    default:
      return ip;
  }
}
