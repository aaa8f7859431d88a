import { toLinkUrl } from '@animal-store/http-server';
import { defaultPlace } from '@animal-store/postgres';
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
  const command = (name: string) => `${settingFor(dataDir)}npm run ${name}`;
  const lines = [
    `Animal Store is listening on ${baseUrl}`,
    '',
    `  Docs     ${new URL('/docs', toLinkUrl(baseUrl))}`,
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
    `  Keys     ${command('keys')}; for access to the admin API: ${command('operators')}`,
    `  Console  ${toLinkUrl(opsUrl)}/console`,
    // The user who runs the embedded server can send commands to its Unix socket with the role of
    // an owner. So this user can also create an operator.
    ...(hasAdminToken
      ? ['           Log in with the ADMIN_TOKEN, or with the token of an operator.']
      : dataDir === undefined
        ? [
            '           Log in with the token of an operator. Set ADMIN_TOKEN to create the first operator.',
          ]
        : [
            '           Log in with the token that this command prints:',
            `           ${command('operators -- create --name you --role owner')}`,
          ]),
    '',
  );
  if (demoToken !== undefined) {
    lines.push(
      `  API key  ${demoToken}`,
      '           Free plan. Save the key now: it is not shown again. Web pages need a key that',
      `           can only read: ${command('keys -- create --plan free --read-only')}`,
      '',
      'Try it:',
      '',
      `  curl -i -H "Authorization: Bearer ${demoToken}" "${toLinkUrl(baseUrl)}/pets?limit=3"`,
      '',
    );
  } else if (dataDir !== undefined) {
    lines.push(
      '  API key  The demo key was shown at the first start. Create another key with:',
      `           ${command('keys -- create --plan free')}`,
      '',
    );
  }
  return `${lines.join('\n')}\n`;
}

/**
 * Returns the text to write in front of a command, such as `DATA_DIR=data `, so that the command
 * finds the embedded server. The text is empty with Postgres, and with the default directory.
 */
function settingFor(dataDir: string | undefined): string {
  if (dataDir === undefined || dataDir === defaultPlace.dataDir) return '';
  const isPlain = /^[\w./-]+$/.test(dataDir);
  return `DATA_DIR=${isPlain ? dataDir : `'${dataDir.replaceAll("'", String.raw`'\''`)}'`} `;
}
