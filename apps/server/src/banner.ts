/** What an operator is told when the service is up. */
export interface Startup {
  /** The base address, ending in `/v1`. */
  readonly baseUrl: string;
  /** Where the embedded database is; `undefined` with Postgres. */
  readonly dataDir: string | undefined;
  /** The demo key's token, on the first start on an embedded database. */
  readonly demoToken: string | undefined;
}

/** Says where things are and, the first time, how to make the first call. */
export function banner({ baseUrl, dataDir, demoToken }: Startup): string {
  const lines = [
    `Animal Store is listening on ${baseUrl}`,
    '',
    `  Docs     ${new URL('/docs', baseUrl)}`,
  ];
  if (dataDir === undefined) {
    lines.push('  Data     in Postgres, at DATABASE_URL');
  } else {
    lines.push(`  Data     in ${dataDir}, embedded: delete it to start afresh`);
  }
  lines.push('  Limits   in this process: run one replica only', '');
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
    lines.push('  API key  the demo key was shown at the first start', '');
  }
  return `${lines.join('\n')}\n`;
}
