/** The parts of a `redis+sentinel://…` URL. The properties have the names of ioredis's options. */
export interface SentinelAddress {
  readonly sentinels: { readonly host: string; readonly port: number }[];
  /** The name of the primary in the configuration of the Sentinels. */
  readonly name: string;
  /**
   * The user of Redis itself, not of the Sentinels. The member `password` is the password of this
   * user.
   */
  readonly username?: string;
  readonly password?: string;
  /** The user of the Sentinels. Without this user, the password is the password of their default user. */
  readonly sentinelUsername?: string;
  readonly sentinelPassword?: string;
  readonly db: number;
  readonly isTls: boolean;
}

const form =
  /^redis(?<tls>s?)\+sentinel:\/\/(?:(?<credentials>[^@/]*)@)?(?<servers>[^@/?#]+)\/(?<name>[\w.-]+)(?:\/(?<db>\d{1,5}))?(?:\?(?<query>[^#]+))?$/;

/**
 * Parses a URL like
 * `redis+sentinel://user:password@host:port,host:port/name/db?sentinelUsername=…&sentinelPassword=…`.
 * Only the hosts and the name are required. The default port of a Sentinel is 26379.
 * `rediss+sentinel://` means the same with TLS.
 *
 * The class `URL` cannot parse the whole text, because it accepts only one host.
 *
 * @returns the parts, or `undefined` if the text is not a URL of this form.
 */
export function parseSentinelUrl(text: string): SentinelAddress | undefined {
  const { tls, credentials, servers, name, db, query } = form.exec(text)?.groups ?? {};
  if (servers === undefined || name === undefined) return undefined;
  try {
    const { username, password } = new URL(`redis://${credentials ?? ''}@host`);
    // A user without a password is refused. ioredis sends the user only together with a password,
    // so it would connect as the default user of Redis.
    if (username !== '' && password === '') return undefined;
    return {
      sentinels: servers.split(',').map((server) => {
        const { hostname, port } = new URL(`redis://${server.trim()}`);
        if (hostname === '') throw new TypeError('A host is missing before or after a comma.');
        // ioredis would treat port 0 like a missing port, and connect to the default port.
        if (port === '0') throw new TypeError('A port must be a number from 1 to 65535.');
        return { host: hostname.replaceAll(/[[\]]/g, ''), port: Number(port || 26_379) };
      }),
      name,
      ...(username !== '' && { username: decodeURIComponent(username) }),
      ...(password !== '' && { password: decodeURIComponent(password) }),
      ...readSentinelAccess(query),
      db: Number(db ?? 0),
      isTls: tls === 's',
    };
  } catch {
    return undefined;
  }
}

/**
 * Reads the user and the password of the Sentinels from the text after the question mark.
 *
 * @throws {TypeError} if the text contains anything else, or a user without a password. ioredis would
 *   not send such a user.
 */
function readSentinelAccess(
  query: string | undefined,
): Pick<SentinelAddress, 'sentinelUsername' | 'sentinelPassword'> {
  const access: { sentinelUsername?: string; sentinelPassword?: string } = {};
  for (const pair of query?.split('&') ?? []) {
    const [, name, value = ''] = /^(sentinelUsername|sentinelPassword)=(.+)$/.exec(pair) ?? [];
    if (name !== 'sentinelUsername' && name !== 'sentinelPassword') {
      throw new TypeError('A parameter must be sentinelUsername or sentinelPassword.');
    }
    if (access[name] !== undefined) throw new TypeError(`${name} must occur only once.`);
    access[name] = decodeURIComponent(value);
  }
  if (access.sentinelUsername !== undefined && access.sentinelPassword === undefined) {
    throw new TypeError('A user of the Sentinels needs a password.');
  }
  return access;
}
