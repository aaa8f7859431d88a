import type { Request } from 'express';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';

/**
 * The number of bytes of an IPv6 address that identify a network. Providers should give one
 * customer a /56, which is 7 bytes (RFC 6177, §2). With a limit for each /64, a customer could
 * evade the limit, because a /56 contains 256 of them.
 */
const ipv6PrefixBytes = 7;

/**
 * Matches an address with a port, as some load balancers write it into `X-Forwarded-For`:
 * `203.0.113.9:5123` or `[2001:db8::1]:443`. Brackets without a port are also accepted (RFC 7239,
 * §6).
 */
const addressAndPort = /^(?:\[([\da-f:.%]{2,64})\](?::\d{1,5})?|([\d.]{7,15}):\d{1,5})$/i;

const maxAddressLength = 64;

/** The cached networks of recently seen addresses. */
const networks = new LRUCache<string, string>({ max: 10_000 });

/**
 * Returns the network whose quota a request without a valid API key uses: the IPv4 address, or the
 * /56 of an IPv6 address. A customer with one address of a /56 usually has all of them.
 *
 * @param sender.ip the address that Express found in `X-Forwarded-For`. A client may have written
 * any text there.
 */
export function networkOf({ ip, socket }: Pick<Request, 'ip' | 'socket'>): string {
  // A connection without a remote address is already closed. No client reads the response, so the
  // request may be counted for any network.
  return networkOfText(ip) ?? networkOfText(socket.remoteAddress) ?? 'unknown';
}

/**
 * Returns the network of an address, or `undefined` if the text is not an address. Results are
 * cached, because parsing an address takes longer than all other work for a 401 response.
 */
function networkOfText(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const known = networks.get(text);
  if (known !== undefined) return known;
  const ip = parseAddress(text);
  if (ip === undefined) return undefined;
  const network = toNetwork(ip);
  // Long texts are not cached, because an IPv6 zone can make a valid address arbitrarily long.
  if (text.length <= maxAddressLength) networks.set(text, network);
  return network;
}

function toNetwork(ip: ipaddr.IPv4 | ipaddr.IPv6): string {
  if (ip.kind() === 'ipv4') return ip.toString();
  const prefix = ip.toByteArray().fill(0, ipv6PrefixBytes);
  return `${ipaddr.fromByteArray(prefix)}/56`;
}

// Matches the last 32 bits of an IPv6 address that are written like an IPv4 address, as in
// `64:ff9b::203.0.113.9` (RFC 4291, §2.2).
const dottedEnd = /(?<=:)(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?=%|$)/;

/**
 * Writes the end of an IPv6 address in hexadecimal if it is written like an IPv4 address. ipaddr.js
 * refuses such an end after most prefixes that contain `::`.
 */
function withoutDots(address: string): string {
  return address.replace(dottedEnd, (text, ...groups: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = groups.slice(0, 4).map(Number);
    if (Math.max(a, b, c, d) > 255) return text;
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
}

function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const [, ipv6, ipv4] = addressAndPort.exec(text) ?? [];
  const address = withoutDots(ipv6 ?? ipv4 ?? text);
  if (!ipaddr.isValid(address)) return undefined;
  // `ipaddr.process` converts an IPv4 address that is written as an IPv6 address, such as
  // `::ffff:203.0.113.9`, to IPv4 (RFC 4291, §2.5.5.2).
  const ip = ipaddr.process(address);
  switch (ip.range()) {
    // A NAT64 gateway puts all IPv4 addresses into one /96 (RFC 6052, §2.1; RFC 2765, §2.1). If the
    // quota applied to the /56, all clients behind the gateway would share one quota.
    case 'rfc6052':
    case 'rfc6145':
      return ipaddr.fromByteArray(ip.toByteArray().slice(-4));
    default:
      return ip;
  }
}
