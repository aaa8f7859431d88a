import type { DatabaseAddress } from '@animal-store/postgres';
import { parseSentinelUrl } from '@animal-store/quotas/sentinel-url';
import type { Attributes } from '@opentelemetry/api';
import * as semconv from '@opentelemetry/semantic-conventions';

/** The addresses of the service, of its database and of Redis, which become attributes of spans. */
export interface SpanAddresses {
  /** The public address of the service, such as `https://api.example.com`. */
  readonly origin: string;
  readonly database: () => DatabaseAddress;
  /** The URLs from the setting `REDIS_URL`. */
  readonly redis: readonly string[];
}

/** Returns the span attributes of the service's public address. */
export function publicAddress(origin: string): Attributes {
  const { hostname, port, protocol } = new URL(origin);
  return {
    [semconv.ATTR_SERVER_ADDRESS]: withoutBrackets(hostname),
    [semconv.ATTR_SERVER_PORT]: Number(port || (protocol === 'https:' ? 443 : 80)),
  };
}

/** Returns the span attributes of the database. */
export function databaseAttributes({ host, port, name }: DatabaseAddress): Attributes {
  return {
    ...(host !== undefined && { [semconv.ATTR_SERVER_ADDRESS]: host }),
    ...(port !== undefined && { [semconv.ATTR_SERVER_PORT]: port }),
    ...(name !== undefined && { [semconv.ATTR_DB_NAMESPACE]: name }),
  };
}

/**
 * Returns the span attributes of Redis. With a Cluster or with Sentinels, the server's address is
 * left out, because the URLs do not tell which server responds.
 */
export function redisAttributes(urls: readonly string[]): Attributes {
  const [url, ...others] = urls;
  // Without Redis, this replica of the service counts requests in its memory, so there is no
  // address.
  if (url === undefined) return {};
  // A Redis Cluster has only database 0.
  if (others.length > 0) return { [semconv.ATTR_DB_NAMESPACE]: '0' };
  const sentinel = parseSentinelUrl(url);
  if (sentinel !== undefined) return { [semconv.ATTR_DB_NAMESPACE]: String(sentinel.db) };
  const { hostname, port, pathname } = new URL(url);
  return {
    [semconv.ATTR_SERVER_ADDRESS]: withoutBrackets(hostname),
    [semconv.ATTR_SERVER_PORT]: Number(port || 6_379),
    [semconv.ATTR_DB_NAMESPACE]: pathname.slice(1) || '0',
  };
}

/** Removes the brackets that the class `URL` puts around an IPv6 address. */
const withoutBrackets = (hostname: string) => hostname.replaceAll(/[[\]]/g, '');
