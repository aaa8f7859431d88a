import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

/** The least that is handed to one customer by careful providers (RFC 6177, §2); /64s are too easily had. */
const ipv6PrefixBytes = 7;

/**
 * The network that a request without a key is counted under: the whole IPv4 address, or the /56 of
 * an IPv6 address, since whoever has one address there has them all.
 *
 * @param address as Express tells it, behind as many proxies as are believed; a header may have put
 * anything there.
 */
export function networkOf(address: string | undefined, socket: IncomingMessage['socket']): string {
  for (const candidate of [address, socket.remoteAddress]) {
    if (candidate === undefined || !ipaddr.isValid(candidate)) continue;
    // An IPv4 address may come mapped into IPv6 (RFC 4291, §2.5.5.2).
    const ip = ipaddr.process(candidate);
    if (ip.kind() === 'ipv4') return ip.toString();
    return `${ipaddr.fromByteArray([...ip.toByteArray().slice(0, ipv6PrefixBytes), ...new Array<number>(16 - ipv6PrefixBytes).fill(0)])}/56`;
  }
  // The connection is gone already; whatever is answered, nobody reads it.
  return 'unknown';
}
