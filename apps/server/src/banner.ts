/** What the banner shows. */
export interface Startup {
  /** The base address, ending in `/v1`. */
  readonly baseUrl: string;
  /** Where the embedded database is; `undefined` with Postgres. */
  readonly dataDir: string | undefined;
  /** Where Redis is; none for limits in process. */
  readonly redisUrls: readonly string[];
  /** Where the operators' listener is. */
  readonly opsUrl: string;
  /** The demo key's token, on the first start on an embedded database. */
  readonly demoToken: string | undefined;
}

/** The text at the start: where things are and, the first time, how to make the first call. */
export function banner(startup: Startup): string {
  const { baseUrl, dataDir, redisUrls, opsUrl, demoToken } = startup;
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
    '',
  );
  if (demoToken !== undefined) {
    lines.push(
      `  API key  ${demoToken}`,
      '           Free plan. Keep it: it is not shown again.',
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
