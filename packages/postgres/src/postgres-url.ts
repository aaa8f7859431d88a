import { readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { userInfo } from 'node:os';
import {
  ignored,
  oneOf,
  type ParameterRule,
  readParameters,
  refused,
  StartupError,
  supported,
} from '@animal-store/runtime';

/** A host in a `postgres://…` URL. */
export interface PostgresHost {
  readonly host: string;
  readonly port: number;
  /** The path of a Unix socket, or `undefined` for a host with a port. */
  readonly path: string | undefined;
}

/** How a connection uses TLS, as the `sslmode` of libpq. `allow` is treated like `prefer`. */
type PostgresTls = 'disable' | 'prefer' | 'require' | 'verify-ca' | 'verify-full';

/** The parts of a `postgres://…` URL. */
export interface PostgresUrl {
  readonly hosts: readonly [PostgresHost, ...PostgresHost[]];
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly tls: PostgresTls;
  /**
   * Whether a connection begins with TLS, without a request in plain text before
   * (`sslnegotiation=direct`, since Postgres 17).
   */
  readonly isTlsDirect: boolean;
  /**
   * The path of a file with the certificates of trusted authorities. If it is `undefined`, Node's
   * own list is used.
   */
  readonly caFile: string | undefined;
  /**
   * Whether a read-only Postgres must not be used. If the value is false, the service uses a
   * read-only Postgres until it finds a writable one.
   */
  readonly mustAcceptWrites: boolean;
  readonly applicationName: string;
  /** One sentence for each parameter of the URL that the service ignores. */
  readonly notes: readonly string[];
}

const keepAlive = ignored('the service itself finds out which connections are dead');
const pooling = ignored('the sizes of the connection pools are fixed');
const clientCertificate = refused('client certificates are not supported; use a password');
const ours = refused('the service itself sets this option; remove the option from the URL');
const inUrl = refused(
  'write host, port, user, password and database before the question mark: postgres://user:password@host:port/name',
);

/**
 * The rule for each parameter that a URL may contain. The list has the parameters of libpq, and
 * parameters that providers and other drivers add.
 */
export const postgresParameters: Readonly<Record<string, ParameterRule>> = {
  sslmode: supported(oneOf('disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full')),
  sslrootcert: supported(
    [(text) => text === 'system' || text.startsWith('/'), 'system, or the absolute path of a file'],
    'to trust the certificates of a file for all connections, set NODE_EXTRA_CA_CERTS',
  ),
  sslnegotiation: supported(oneOf('postgres', 'direct')),
  target_session_attrs: supported(
    oneOf('any', 'primary', 'read-write'),
    'the service must write to Postgres, and a standby accepts no writes',
  ),
  application_name: supported([
    (text) => /^[\x20-\x7e]{1,50}$/.test(text),
    '1 to 50 printable ASCII characters',
  ]),
  channel_binding: ignored('the driver has no channel binding; use sslmode=verify-full'),
  gssencmode: ignored('the driver does not encrypt by GSSAPI', oneOf('disable', 'prefer')),
  client_encoding: ignored(
    'the encoding of the connection is always UTF8',
    oneOf('UTF8', 'utf8', 'UTF-8', 'utf-8', 'auto'),
  ),
  ssl_min_protocol_version: ignored(
    'the lowest version is TLS 1.2',
    oneOf('TLSv1', 'TLSv1.1', 'TLSv1.2'),
  ),
  sslsni: ignored('the service always sends the host name to the Postgres server (SNI)'),
  sslcompression: ignored('the service never compresses connections'),
  connect_timeout: ignored('the service always waits at most 5 s for a connection'),
  fallback_application_name: ignored(
    'without application_name, the service uses the name animal-store',
  ),
  load_balance_hosts: ignored('the service queries all hosts at the same time'),
  keepalives: keepAlive,
  keepalives_idle: keepAlive,
  keepalives_interval: keepAlive,
  keepalives_count: keepAlive,
  tcp_user_timeout: keepAlive,
  connection_limit: pooling,
  pool_timeout: pooling,
  schema: ignored('the schema is public', oneOf('public')),
  pgbouncer: refused('connect to Postgres itself, or to a pooler in session mode'),
  ssl: refused('write sslmode=require or sslmode=verify-full'),
  sslcert: clientCertificate,
  sslkey: clientCertificate,
  sslpassword: clientCertificate,
  sslcrl: refused('lists of revoked certificates are not supported; remove the parameter'),
  sslcrldir: refused('lists of revoked certificates are not supported; remove the parameter'),
  host: refused(
    'write the host before the question mark; a Unix socket as postgres://user@%2Fvar%2Frun%2Fpostgresql/name',
  ),
  hostaddr: inUrl,
  port: inUrl,
  user: inUrl,
  password: inUrl,
  dbname: inUrl,
  passfile: inUrl,
  service: inUrl,
  options: refused('set the options for the database role instead: alter role … set …'),
  require_auth: refused(
    'the Postgres driver cannot check how the server authenticates; use sslmode=verify-full',
  ),
  requirepeer: refused(
    'the Postgres driver cannot check the user of the server process; remove it',
  ),
  replication: refused('remove it'),
  statement_timeout: ours,
  lock_timeout: ours,
  search_path: ours,
  timezone: ours,
  TimeZone: ours,
  datestyle: ours,
  DateStyle: ours,
};

const expected =
  'expected postgres://user:password@host/name, several hosts separated by commas, with special characters percent-encoded and IPv6 addresses in brackets';

const form =
  /^postgres(?:ql)?:\/\/(?:(?<user>[^@/?#:]*)(?::(?<password>[^@/?#]*))?@)?(?<hosts>[^@/?#]+)(?:\/(?<database>[^?#/]*))?(?:\?(?<query>[^#]*))?$/;

/**
 * Parses a `postgres://…` URL with one host, or several hosts separated by commas (libpq manual,
 * 32.1.1.2 "Connection URIs").
 *
 * The driver's own parser is not used. It misreads IPv6 addresses and Unix sockets, sends unknown
 * parameters to Postgres, and reads missing parts from `PG*` variables.
 *
 * @returns the parts, or a text about what is wrong. The text never contains a password.
 */
export function parsePostgresUrl(text: string): PostgresUrl | string {
  const groups = form.exec(text)?.groups;
  // White space, such as a line break at the end of a file, would become part of the database name.
  if (groups === undefined || /\s/.test(text)) return expected;
  const parameters = readParameters(postgresParameters, groups['query'] ?? '');
  if (typeof parameters === 'string') return parameters;
  const { values, notes } = parameters;
  const tls = readTls(values);
  if (typeof tls === 'string') return tls;
  try {
    const hosts = (groups['hosts'] ?? '').split(',').map(readHost);
    const [first, ...others] = hosts;
    if (first === undefined) return expected;
    const user = decode(groups['user']) || userOfSystem();
    if (user === undefined) return 'expected a user: postgres://user:password@host/name';
    return {
      hosts: [first, ...others],
      user,
      password: decode(groups['password']),
      database: decode(groups['database']) || user,
      ...tls,
      isTlsDirect: values['sslnegotiation'] === 'direct',
      mustAcceptWrites: ['primary', 'read-write'].includes(values['target_session_attrs'] ?? 'any'),
      applicationName: values['application_name'] ?? 'animal-store',
      notes,
    };
  } catch {
    return expected;
  }
}

/**
 * Parses the `postgres://…` URL of the setting `DATABASE_URL`.
 *
 * @throws {StartupError} if the URL is invalid, has a refused parameter, or names a file with
 *   certificates that cannot be read.
 */
export function readPostgresUrl(text: string): PostgresUrl {
  const url = parsePostgresUrl(text);
  if (typeof url === 'string') throw new StartupError(`DATABASE_URL: ${url}`);
  // The file is read here only to find out whether it can be read. A later error would leave timers
  // behind that keep the process running.
  if (url.caFile !== undefined) readCaFile(url.caFile);
  return url;
}

/**
 * Reads the certificates of trusted authorities.
 *
 * @throws {StartupError} if the file cannot be read.
 */
export function readCaFile(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new StartupError(
      `DATABASE_URL: sslrootcert: cannot read ${path} (${code}). Check the path and its permissions.`,
    );
  }
}

function readTls(
  values: Readonly<Record<string, string>>,
): Pick<PostgresUrl, 'tls' | 'caFile'> | string {
  const { sslmode, sslrootcert, sslnegotiation } = values;
  const mode = sslmode === 'allow' ? 'prefer' : (sslmode as PostgresTls | undefined);
  const isChecked = mode === 'verify-ca' || mode === 'verify-full';
  if (sslnegotiation === 'direct' && !isChecked && mode !== 'require') {
    return 'sslnegotiation=direct: expected sslmode=require, verify-ca or verify-full in the same URL';
  }
  if (sslrootcert === undefined) return { tls: mode ?? 'disable', caFile: undefined };
  if (sslrootcert === 'system') {
    if (mode !== undefined && mode !== 'verify-full') {
      return 'sslrootcert=system: expected sslmode=verify-full in the same URL';
    }
    return { tls: 'verify-full', caFile: undefined };
  }
  if (!isChecked && mode !== 'require') {
    return 'sslrootcert: expected sslmode=verify-ca or verify-full in the same URL';
  }
  // As in libpq, a file with certificates means that the certificate of the server is checked.
  return { tls: mode === 'require' ? 'verify-ca' : mode, caFile: sslrootcert };
}

/**
 * Decodes percent-encoded characters.
 *
 * @throws {TypeError} if the text is malformed, or contains a NUL character. The driver sends
 *   parameters that end with NUL, so this character would begin another parameter.
 */
function decode(text = ''): string {
  const decoded = decodeURIComponent(text);
  if (decoded.includes('\0'))
    throw new TypeError('A user, password, host or database must not contain the character NUL.');
  return decoded;
}

/** The maximum length of a Unix socket's path on Linux (`sockaddr_un`). */
const maxSocketPathBytes = 107;

/**
 * Parses one host of the URL.
 *
 * @throws {TypeError} if the text is not a valid host.
 */
function readHost(text: string): PostgresHost {
  const [, bracketed, name = '', digits = '5432'] =
    /^(?:\[([^\]]*)\]|([^:[\]\s]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const port = Number(digits);
  if (port < 1 || port > 65_535) throw new TypeError('The port must be a number from 1 to 65535.');
  if (bracketed !== undefined) {
    // In a URL, the `%` before the zone of an IPv6 address is written as `%25` (RFC 6874). A zone
    // is, for example, the interface of a link-local address.
    const address = bracketed.replace('%25', '%');
    if (!isIPv6(address)) throw new TypeError('The text in brackets must be an IPv6 address.');
    return { host: address, port, path: undefined };
  }
  const host = decode(name);
  if (host.startsWith('/')) {
    const path = `${host}/.s.PGSQL.${port}`;
    if (Buffer.byteLength(path) > maxSocketPathBytes)
      throw new TypeError(
        `The path of a Unix socket must have at most ${maxSocketPathBytes} bytes.`,
      );
    return { host, port, path };
  }
  if (!/^[\p{L}\p{N}._-]+$/u.test(host))
    throw new TypeError(
      'A host name must contain only letters, digits, dots, hyphens and underscores.',
    );
  return { host, port, path: undefined };
}

/**
 * Returns the name of the user who runs this process, for a URL without a user, like libpq. Returns
 * `undefined` if the user has no name, which can happen in a container.
 */
function userOfSystem(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}
