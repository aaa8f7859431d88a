import type { Service } from './service.ts';

/** The facts that the banner shows. */
export interface Startup extends Pick<Service, 'baseUrl' | 'opsUrl' | 'demoToken'> {
  /** The directory of the embedded database; `undefined` with Postgres. */
  readonly dataDir: string | undefined;
  /** The URLs of Redis. The array is empty if requests are counted in the process. */
  readonly redisUrls: readonly string[];
  readonly hasAdminToken: boolean;
}

/**
 * Returns the text that the server prints when it starts. The text shows the addresses, and at the
 * first start also how to send a request.
 */
export function banner(startup: Startup): string {
  const { baseUrl, dataDir, redisUrls, opsUrl, hasAdminToken, demoToken } = startup;
  const lines = [
    `Animal Store is listening on ${baseUrl}`,
    '',
    `  Docs     ${new URL('/docs', baseUrl)}`,
  ];
  if (dataDir === undefined) {
    lines.push('  Data     Postgres at DATABASE_URL');
  } else {
    lines.push(
      `  Data     ${dataDir} (embedded database; delete the directory to start with an empty one)`,
    );
  }
  lines.push(
    redisUrls.length === 0
      ? '  Limits   counted in this process (Redis is not configured): run only one replica'
      : '  Limits   counted in Redis at REDIS_URL, for all replicas together',
    `  Ops      ${opsUrl} (for operators)`,
    '  Keys     npm run keys; for access to the admin API: npm run operators',
    `  Console  ${opsUrl}/console`,
    `           ${loginHint(hasAdminToken, dataDir !== undefined)}`,
    '',
  );
  if (demoToken !== undefined) {
    lines.push(
      `  API key  ${demoToken}`,
      '           Free plan. Save the key now: it is not shown again. Web pages need a key that',
      '           can only read: npm run keys -- create --plan free --read-only',
      '',
      'Try it:',
      '',
      `  curl -i -H "Authorization: Bearer ${demoToken}" "${baseUrl}/pets?limit=3"`,
      '',
    );
  } else if (dataDir !== undefined) {
    lines.push(
      '  API key  The demo key was shown at the first start. Create another key with:',
      '           npm run keys -- create --plan free',
      '',
    );
  }
  return `${lines.join('\n')}\n`;
}

/** Returns a hint that explains how to log in to the console. */
function loginHint(hasAdminToken: boolean, isEmbedded: boolean): string {
  if (hasAdminToken) return 'Log in with the ADMIN_TOKEN, or with the token of an operator.';
  // The user who runs the embedded server can send commands to its Unix socket with the role of an
  // owner, and can create an operator in this way.
  return isEmbedded
    ? 'Log in with the token that this command prints:\n           npm run operators -- create --name you --role owner'
    : 'Log in with the token of an operator. Set ADMIN_TOKEN to create the first one.';
}
