/** What a `redis+sentinel://…` says, in the words of ioredis. */
export interface SentinelAddress {
  readonly sentinels: { readonly host: string; readonly port: number }[];
  /** The name by which the Sentinels know the primary. */
  readonly name: string;
  /** Of Redis, not of the Sentinels. */
  readonly username?: string;
  readonly password?: string;
  readonly sentinelPassword?: string;
  readonly db: number;
  readonly isTls: boolean;
}

const form =
  /^redis(?<tls>s?)\+sentinel:\/\/(?:(?<credentials>[^@/]*)@)?(?<servers>[^@/?#]+)\/(?<name>[\w.-]+)(?:\/(?<db>\d{1,5}))?(?:\?sentinelPassword=(?<sentinelPassword>[^&#]+))?$/;

/**
 * Reads `redis+sentinel://user:password@host:port,host:port/name/db?sentinelPassword=…`. All but the hosts
 * and the name is optional; a Sentinel's port is 26379 by default. `rediss+sentinel://` is the same over TLS.
 *
 * Not by `URL`, which knows one host only.
 *
 * @returns `undefined` if it is no such URL.
 */
export function parseSentinelUrl(text: string): SentinelAddress | undefined {
  const { tls, credentials, servers, name, db, sentinelPassword } = form.exec(text)?.groups ?? {};
  if (servers === undefined || name === undefined) return undefined;
  try {
    const { username, password } = new URL(`redis://${credentials ?? ''}@host`);
    return {
      sentinels: servers.split(',').map((server) => {
        const { hostname, port } = new URL(`redis://${server.trim()}`);
        if (hostname === '') throw new TypeError('There is a comma without a host.');
        return { host: hostname.replaceAll(/[[\]]/g, ''), port: Number(port || 26_379) };
      }),
      name,
      ...(username !== '' && { username: decodeURIComponent(username) }),
      ...(password !== '' && { password: decodeURIComponent(password) }),
      ...(sentinelPassword !== undefined && {
        sentinelPassword: decodeURIComponent(sentinelPassword),
      }),
      db: Number(db ?? 0),
      isTls: tls === 's',
    };
  } catch {
    return undefined;
  }
}
