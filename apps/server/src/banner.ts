import type { Service } from './service.ts';

/** What the banner shows. */
export interface Startup extends Pick<Service, 'baseUrl' | 'opsUrl' | 'demoToken'> {
  /** Where the embedded database is; `undefined` with Postgres. */
  readonly dataDir: string | undefined;
  /** Where Redis is; none for limits in process. */
  readonly redisUrls: readonly string[];
  readonly hasAdminToken: boolean;
}

/** The text at the start: where things are and, the first time, how to make the first call. */
export function banner(startup: Startup): string {
  const { baseUrl, dataDir, redisUrls, opsUrl, hasAdminToken, demoToken } = startup;
  const lines = [
    `Animal Store is listening on ${baseUrl}`,
    '',
    `  Docs     ${new URL('/docs', baseUrl)}`,
  ];
  if (dataDir === undefined) {
    lines.push('  Data     in Postgres, at DATABASE_URL');
  } else {
    lines.push(`  Data     in ${dataDir}, embedded: delete it to start again from nothing`);
  }
  lines.push(
    redisUrls.length === 0
      ? '  Limits   in this process: run one replica only'
      : '  Limits   in Redis, at REDIS_URL: shared with all replicas',
    `  Ops      for operators, on ${opsUrl}`,
    '  Keys     npm run keys; npm run operators for who may use it',
    `  Console  ${opsUrl}/console`,
    `           ${loginHint(hasAdminToken, dataDir !== undefined)}`,
    '',
  );
  if (demoToken !== undefined) {
    lines.push(
      `  API key  ${demoToken}`,
      '           Free plan. Keep it: it is not shown again. It may read and write, so keep it',
      '           out of web pages: npm run keys -- create --plan free --read-only',
      '',
      'Try it:',
      '',
      `  curl -i -H "Authorization: Bearer ${demoToken}" "${baseUrl}/pets?limit=3"`,
      '',
    );
  } else if (dataDir !== undefined) {
    lines.push(
      '  API key  the demo key was shown at the first start. To make another:',
      '           npm run keys -- create --plan free',
      '',
    );
  }
  return `${lines.join('\n')}\n`;
}

/** How to log in to the console. */
function loginHint(hasAdminToken: boolean, isEmbedded: boolean): string {
  if (hasAdminToken) return 'Log in with the ADMIN_TOKEN, or with the token of an operator.';
  // Over the embedded server's socket its user is an owner.
  return isEmbedded
    ? 'Log in with the token of: npm run operators -- create --name you --role owner'
    : 'Log in with the token of an operator. Set ADMIN_TOKEN to create the first one.';
}
