import { StartupError } from '@animal-store/runtime';
import type { Sql } from 'postgres';

/**
 * The settings that the service relies on in a session, whatever the role, the database or the
 * server have set. Each connection sends them at its start.
 *
 * - `DateStyle`, `bytea_output`: the service parses times and hashes in these formats.
 * - `search_path`: without it, tables would be in the schema of a role's own name.
 * - `default_transaction_isolation`: transactions wait for locks, and then read committed data.
 */
export const sessionSettings = {
  TimeZone: 'UTC',
  DateStyle: 'ISO, MDY',
  client_encoding: 'UTF8',
  bytea_output: 'hex',
  search_path: 'public',
  default_transaction_isolation: 'read committed',
} as const;

const encoding = 'UTF8';

/**
 * Time limits that the server, the database or the role may set, with the shortest length in
 * milliseconds that leaves the service enough time. No limit is fine. Shorter ones would end
 * transactions of operators, or idle connections of the pools, with a 503.
 */
const leastLimits = {
  statement_timeout: 1_000,
  lock_timeout: 1_000,
  idle_in_transaction_session_timeout: 1_000,
  idle_session_timeout: 10_000,
  // Postgres before 17 does not have it.
  transaction_timeout: 10_000,
} as const;

/**
 * The facts about a session: its settings by name, its encoding, and the schemas that it may use.
 */
type SessionFacts = Readonly<Record<string, string | null>>;

const settingNames = Object.keys(sessionSettings) as (keyof typeof sessionSettings)[];

const limitNames = Object.keys(leastLimits) as (keyof typeof leastLimits)[];

const checkedNames = ['server_encoding', 'session_replication_role', ...limitNames];

/**
 * The columns of {@link SessionFacts}. `schemas` lists the existing schemas of the path that the
 * role may use.
 */
export const sessionColumns: string = [
  ...[...settingNames, ...checkedNames].map(
    (name) => `current_setting('${name}', true) as "${name}"`,
  ),
  `array_to_string(current_schemas(false), ', ') as schemas`,
].join(', ');

/**
 * Compares a session with the settings that were sent, and with requirements that cannot be sent.
 *
 * @returns a part of a sentence about what is wrong and how to fix it; `undefined` if nothing is.
 */
export function findSessionFault(session: SessionFacts): string | undefined {
  const { server_encoding: found, schemas } = session;
  if (found !== encoding) {
    return `the database is encoded in ${found}, and not every name fits into that. Create it anew: create database … encoding '${encoding}' template template0`;
  }
  const schema = sessionSettings.search_path;
  for (const name of settingNames) {
    const wanted = sessionSettings[name];
    const setting = session[name];
    if (setting === wanted) continue;
    // Postgres's default, `"$user", public`, is as good if no schema has the name of the role.
    if (name === 'search_path' && schemas === schema) continue;
    return `${name} is '${setting}', although the service asked for '${wanted}': a pooler ignores it. Set it for the role: alter role … set ${name} = ${name === 'search_path' ? wanted : `'${wanted}'`}`;
  }
  // Triggers write the names of accounts and search texts, and protect the audit log.
  if (session['session_replication_role'] === 'replica') {
    return "session_replication_role is 'replica', so no trigger would run. Remove the setting: alter role … reset session_replication_role, or alter database … reset session_replication_role";
  }
  for (const name of limitNames) {
    const ms = millisecondsOf(session[name]);
    if (ms === 0 || ms >= leastLimits[name]) continue;
    return `${name} is '${session[name]}', which is too short. Set it for the role: alter role … set ${name} = 0, or at least '${leastLimits[name] / 1_000}s'`;
  }
  if (schemas !== schema) {
    return `the role may not use the schema ${schema}, or it does not exist. Allow it: grant usage on schema ${schema} to …`;
  }
  return undefined;
}

const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Returns the length of a time limit such as `100ms`; 0 if there is no limit. */
function millisecondsOf(limit: string | null | undefined): number {
  const [, digits = '0', unit = 'ms'] = /^(\d+)([a-z]+)?$/.exec(limit ?? '') ?? [];
  return Number(digits) * (unitMs[unit] ?? 0);
}

/**
 * Checks that a session has the settings that were sent, and meets the requirements that cannot be
 * sent.
 *
 * @throws {StartupError} that says how to fix it.
 */
export async function checkSession(client: Sql): Promise<void> {
  const [session] = await client.unsafe<SessionFacts[]>(`select ${sessionColumns}`);
  const fault = findSessionFault(session ?? {});
  if (fault !== undefined) throw new StartupError(`DATABASE_URL: ${fault}`);
}

const needsSession =
  'the service needs sessions of its own (LISTEN, prepared statements, locks). Use a pooler in session mode, or connect to Postgres itself';

/**
 * Checks that two open connections have two sessions. A pooler in transaction mode assigns the same
 * free session to both.
 *
 * @throws {StartupError} if they have the same one.
 */
export async function checkOwnSessions(one: Sql, other: Sql): Promise<void> {
  const pidOf = async (client: Sql) => {
    const [row] = await client<{ pid: number }[]>`select pg_backend_pid() as pid`;
    return row?.pid;
  };
  const pid = await pidOf(one);
  // The second call of the first connection may run in the session of the second one.
  const pids = [await pidOf(other), await pidOf(one)];
  if (pids[0] === pid || pids[1] !== pid) {
    throw new StartupError(
      `DATABASE_URL: a pooler changes sessions between statements: ${needsSession}`,
    );
  }
}

/**
 * The SQLSTATEs of a prepared statement that belongs to another session, or exists in this one
 * already.
 */
const preparedElsewhere = ['26000', '42P05'];

/**
 * Returns what is wrong with a pooler that causes this error; `undefined` if it is another error.
 */
export function poolerFault({
  code,
  message,
}: {
  code?: unknown;
  message: string;
}): string | undefined {
  if (/unsupported startup parameter/.test(message)) {
    const parameters = [
      'statement_timeout',
      'bytea_output',
      'search_path',
      'default_transaction_isolation',
    ];
    return `a pooler refuses start-up parameters. For PgBouncer set ignore_startup_parameters = ${parameters.join(', ')} (docs/operating.md)`;
  }
  if (preparedElsewhere.includes(String(code))) {
    return `a pooler changes sessions between statements: ${needsSession}`;
  }
  return undefined;
}
