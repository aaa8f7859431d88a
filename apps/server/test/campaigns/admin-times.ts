import { migratePostgres } from '@animal-store/postgres/migrate-postgres';
import { openPostgres, startServer } from '@animal-store/testkit';
import { migrationOptions } from '../../src/schema/migration-options.ts';
import { adminOf, adminToken } from '../support/admin.ts';
import { fillWithKeys } from './million-keys.ts';
import { percentile } from './percentile.ts';

/**
 * The longest times in milliseconds that a search, and any other list, may take. A search must be
 * faster, because the console searches while the operator types.
 */
const [maxSearchMs, maxListMs] = [300, 1_000];

const rounds = 5;

const keyOrders = ['name', '-name', 'created', '-created', 'lastUse', '-lastUse', 'plan', '-plan'];
const keyFilters = [
  ...['plan=pro', 'state=active', 'state=suspended', 'state=expired', 'state=revoked'],
  ...['name=acme', 'name=zzz', 'account=C-17', 'account=nobody', 'tokenPrefix=ast_00ff'],
  ...['banned=true', 'deprecatedWithinDays=7', 'expiresWithinDays=7', 'unusedForDays=90'],
  ...['nearLimit=true', 'nearLimit=true&plan=pro', 'state=active&plan=business&sort=-lastUse'],
];
/**
 * The search texts. Some of them find many API keys, and others find few, one or none. Together,
 * they contain all kinds of characters.
 */
const keySearches = [
  ...['acme', 'zurich', 'Zürich', 'creme', 'e', 'qz', 'production 00', 'C-17', 'C-99999'],
  ...['abcdef', 'no such key', 'ast_00ff', '00ff', '%25'],
];
const accountFilters = [
  ...['', 'plan=pro', 'suspended=true', 'nearLimit=true', 'anyCaseOf=c-17', 'sort=-name'],
  ...['sort=-requests', 'sort=-denials'],
];

/** The paths of every list, sort order, filter, search and count of the admin API. */
const questions: readonly string[] = [
  '/keys',
  '/keys?include=recent',
  '/keys?count=true',
  ...[...keyOrders, 'state', '-state', '-requests', '-denials'].map((by) => `/keys?sort=${by}`),
  ...keyFilters.map((filter) => `/keys?${filter}`),
  ...keyFilters.map((filter) => `/keys?${filter}&count=true&limit=1`),
  ...keySearches.map((text) => `/keys?search=${text}`),
  ...keySearches.map((text) => `/keys?search=${text}&count=true&include=recent`),
  ...['name', '-lastUse', 'state', '-requests'].flatMap((by) =>
    ['acme', 'abcdef'].map((text) => `/keys?search=${text}&sort=${by}`),
  ),
  ...accountFilters.map((filter) => `/accounts?${filter}`),
  ...accountFilters.map((filter) => `/accounts?${filter}&count=true`),
  ...['c-1', 'c-99999', 'nobody', '9'].map((text) => `/accounts?search=${text}&count=true`),
  '/accounts/C-17?include=history',
  ...['', 'actor=admin_token', 'action=key.created', 'action=key.revoked', 'account=C-17'].flatMap(
    (filter) => [`/audit?${filter}`, `/audit?${filter}&count=true`],
  ),
  ...['acme', 'fur zurich', 'abcdef', 'no such entry'].map(
    (text) => `/audit?search=${text}&count=true`,
  ),
  ...['/operators', '/operators?search=x', '/overview', '/overview?include=history'],
  ...['/usage', '/usage?plan=pro', '/usage?account=C-17', '/usage?groupBy=key', '/deprecation'],
];

/**
 * Requests every list, sort order, filter, search and count of the admin API with a million API
 * keys in the database. Prints a table of the times.
 *
 * @throws if a search takes longer than 0.3 s or another request takes longer than a second
 * (median), or if a response is not a 200.
 */
export async function run(): Promise<void> {
  await using postgres = await openPostgres({ storage: 'disk' });
  await using database = await postgres.createDatabase();
  await migratePostgres(database.url, migrationOptions);
  print('Writing a million keys');
  await fillWithKeys(database.url);
  await using server = await startServer({
    env: { ADMIN_TOKEN: adminToken, DATABASE_URL: database.url },
  });
  const slow = await measure(server);
  if (slow.length > 0)
    throw new Error(`${slow.length} requests take too long: see "too slow" above`);
}

/**
 * Measures the requests and prints their times.
 *
 * @returns the requests that take too long or fail.
 */
export async function measure(server: { readonly opsUrl: string }): Promise<readonly string[]> {
  const admin = adminOf(server);
  const slow: string[] = [];
  print('median ms | slowest ms | statuses | question');
  for (const question of questions) {
    const times: number[] = [];
    const statuses = new Set<number>();
    for (let round = 0; round < rounds; round += 1) {
      const began = performance.now();
      const { status } = await admin.call(question);
      times.push(performance.now() - began);
      statuses.add(status);
    }
    const median = percentile(times, 0.5);
    const isSlow = median > (question.includes('search=') ? maxSearchMs : maxListMs);
    if (isSlow || !statuses.has(200) || statuses.size > 1) slow.push(question);
    const row = [
      median.toFixed(0).padStart(9),
      Math.max(...times)
        .toFixed(0)
        .padStart(10),
    ];
    print(
      [...row, [...statuses].join(' '), question + (isSlow ? '  <- too slow' : '')].join(' | '),
    );
  }
  return slow;
}

const print = (line: string) => process.stdout.write(`${line}\n`);
