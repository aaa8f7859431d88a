import { ignored, oneOf, type ParameterRule, readParameters, refused } from '@animal-store/runtime';
import { parseSentinelUrl } from './sentinel-url.ts';

const inUrl = refused(
  'write host, port, user and password before the question mark: redis://user:password@host:port',
);
const tls = refused('write rediss:// instead of redis://');
const timeouts = refused('set REDIS_TIMEOUT_MS instead');
const setByService = refused('the service itself sets this option; remove the option from the URL');
const pooling = ignored('the service opens only one connection to each Redis server');

/**
 * The rules for every known parameter of a `redis://…` URL, including parameters that hosting
 * providers and other Redis clients use.
 */
export const redisParameters: Readonly<Record<string, ParameterRule>> = {
  family: ignored('the service tries both IPv4 and IPv6'),
  protocol: ignored('the service chooses the version of the Redis protocol', oneOf('2', '3')),
  ssl_cert_reqs: ignored(
    'the service always checks certificates',
    oneOf('required', 'CERT_REQUIRED'),
  ),
  decode_responses: ignored('the service itself chooses how responses from Redis are decoded'),
  encoding: ignored('the service itself chooses how responses from Redis are decoded'),
  health_check_interval: ignored('the service itself finds out which connections are dead'),
  socket_keepalive: ignored('the service itself finds out which connections are dead'),
  retry_on_timeout: ignored(
    'the service never sends a command twice, because it would count a request twice',
  ),
  client_name: ignored('the name is animal-store'),
  max_connections: pooling,
  pool_size: pooling,
  db: refused('write the number of the database as the path: redis://host:port/1'),
  host: inUrl,
  port: inUrl,
  path: refused('Unix sockets are not supported; write redis://host:port'),
  username: inUrl,
  password: inUrl,
  tls,
  ssl: tls,
  ssl_ca_certs: refused('set NODE_EXTRA_CA_CERTS instead'),
  connectTimeout: timeouts,
  commandTimeout: timeouts,
  socketTimeout: timeouts,
  socket_timeout: timeouts,
  socket_connect_timeout: timeouts,
  timeout: timeouts,
  keyPrefix: setByService,
  enableOfflineQueue: setByService,
  maxRetriesPerRequest: setByService,
  autoResendUnfulfilledCommands: setByService,
  enableReadyCheck: setByService,
  lazyConnect: setByService,
  connectionName: setByService,
  readOnly: refused(
    'the service must write to Redis, and a read-only Redis replica accepts no writes; remove readOnly from the URL',
  ),
  role: refused('write redis+sentinel://host:port,host:port/name'),
  name: refused('write redis+sentinel://host:port,host:port/name'),
  sentinels: refused('write redis+sentinel://host:port,host:port/name'),
};

const expected =
  'expected redis://user:password@host:port, the URLs of a Cluster separated by commas, or redis+sentinel://host:port,host:port/name, with special characters percent-encoded and IPv6 addresses in brackets';

/**
 * Parses `REDIS_URL`. The returned URLs have no parameters, because the Redis client would read
 * each parameter as an option. An option could override settings that the service relies on.
 *
 * @returns one URL for a single Redis or for its Sentinels (with commas), and several URLs for a
 * Cluster. For an invalid value, the function returns a description of the fault, which never
 * contains a password.
 */
export function parseRedisUrls(
  text: string,
): { readonly urls: readonly string[]; readonly notes: readonly string[] } | string {
  if (parseSentinelUrl(text) !== undefined) return { urls: [text], notes: [] };
  const parts = text.split(',').map((part) => part.trim());
  const isCluster = parts.length > 1;
  const urls: string[] = [];
  const notes = new Set<string>();
  for (const part of parts) {
    const [address = '', query = ''] = part.split('?', 2);
    const fault = faultOfAddress(address, { isCluster });
    if (fault !== undefined) return fault;
    const parameters = readParameters(redisParameters, query);
    if (typeof parameters === 'string') return parameters;
    urls.push(address);
    for (const note of parameters.notes) notes.add(note);
  }
  // The client uses the user, the password and TLS in the URLs of a Cluster for all nodes, even for
  // nodes that only Redis names. So all URLs must have the same user and password, and all or none
  // of them must use TLS.
  if (isCluster && new Set(urls.map(accessOf)).size > 1) {
    return 'expected the same user, the same password and the same use of TLS in all URLs of a Redis Cluster';
  }
  return { urls, notes: [...notes] };
}

/** Returns the part of a Redis URL before the host: the scheme, the user and the password. */
const accessOf = (address: string) => /^rediss?:\/\/(?:[^@]*@)?/.exec(address)?.[0];

function faultOfAddress(
  address: string,
  { isCluster }: { isCluster: boolean },
): string | undefined {
  if (!/^rediss?:\/\/[^\s#]*$/.test(address) || !URL.canParse(address)) return expected;
  const { hostname, port, pathname, username, password } = new URL(address);
  // Port 0 is refused, because the client would treat it as missing and connect to 6379.
  if (port === '0') return expected;
  if (hostname === '') {
    return pathname.length > 1
      ? 'expected a host; Unix sockets are not supported: write redis://host:port'
      : expected;
  }
  try {
    decodeURIComponent(username + password);
  } catch {
    return expected;
  }
  const [, number] = /^\/?$|^\/(\d{1,9})$/.exec(pathname) ?? [undefined, 'none'];
  if (number === 'none') {
    return 'expected the number of a database as the path, such as redis://host:6379/1';
  }
  // A user without a password is refused. The client would not send the user either, and would
  // connect as the default user of Redis.
  if (username !== '' && password === '') {
    return 'expected a password for the user: redis://user:password@host:port';
  }
  if (isCluster && Number(number ?? 0) !== 0)
    return 'expected database 0, because a Redis Cluster has no other database';
  return undefined;
}
