import { StartupError } from '@animal-store/runtime';
import type { Sql } from 'postgres';

/**
 * The session settings that the service needs. Each connection sends them when it is opened,
 * because the role, the database or the server may have other settings.
 *
 * - `DateStyle` and `bytea_output`: the service parses times and hashes in these formats.
 * - `search_path`: without this setting, Postgres would use a schema with the name of the role, if
 *   there is one.
 * - `default_transaction_isolation`: after a wait for a lock, a transaction must read what another
 *   transaction has committed in the meantime.
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
 * The shortest time limits that leave the service enough time, in milliseconds. The server, the
 * database or the role may set these limits. A shorter limit would end transactions of operators,
 * or idle connections of the pools, and callers would get a 503. A session without a limit is fine,
 * too.
 */
const leastLimits = {
  statement_timeout: 1_000,
  lock_timeout: 1_000,
  idle_in_transaction_session_timeout: 1_000,
  idle_session_timeout: 10_000,
  // Postgres has the setting `transaction_timeout` only since version 17. Earlier versions report
  // no value.
  transaction_timeout: 10_000,
} as const;

/**
 * The facts about a session: its settings by name, its encoding, and the schemas that it can use.
 */
type SessionFacts = Readonly<Record<string, string | null>>;

const settingNames = Object.keys(sessionSettings) as (keyof typeof sessionSettings)[];

const limitNames = Object.keys(leastLimits) as (keyof typeof leastLimits)[];

const checkedNames = [
  'server_encoding',
  'session_replication_role',
  'synchronous_commit',
  'gin_fuzzy_search_limit',
  ...limitNames,
];

/**
 * The columns of {@link SessionFacts}, in SQL. `schemas` lists the schemas of the search path that
 * exist and that the role may use.
 */
export const sessionColumns: string = [
  ...[...settingNames, ...checkedNames].map(
    (name) => `current_setting('${name}', true) as "${name}"`,
  ),
  `array_to_string(current_schemas(false), ', ') as schemas`,
].join(', ');

/**
 * Compares a session with the settings that the service has sent, and with requirements that it
 * cannot send.
 *
 * @returns a part of a sentence about what is wrong and how to fix it, or `undefined` if nothing is
 *   wrong.
 */
export function findSessionFault(session: SessionFacts): string | undefined {
  const { server_encoding: found, schemas } = session;
  if (found !== encoding) {
    return `the database has the encoding ${found}, which cannot store every name. Create the database anew: create database … encoding '${encoding}' template template0`;
  }
  const schema = sessionSettings.search_path;
  for (const name of settingNames) {
    const wanted = sessionSettings[name];
    const setting = session[name];
    if (setting === wanted) continue;
    // The default of `search_path` in Postgres is `"$user", public`. If no schema has the name of
    // the role, the default has the same effect as the value that the service sends.
    if (name === 'search_path' && schemas === schema) continue;
    return `${name} is '${setting}', although the service asked for '${wanted}': a pooler ignores the setting. Set it for the role: alter role … set ${name} = ${name === 'search_path' ? wanted : `'${wanted}'`}`;
  }
  // Triggers write the names of accounts and the search texts, and protect the audit log. With
  // `session_replication_role = replica`, Postgres would run no trigger.
  if (session['session_replication_role'] === 'replica') {
    return "session_replication_role is 'replica', so no trigger would run. Remove the setting: alter role … reset session_replication_role, or alter database … reset session_replication_role";
  }
  // With `synchronous_commit = off`, Postgres would acknowledge a commit before it is on the disk.
  // The service does not send `synchronous_commit`, because every other value is safe enough, and
  // operators may have chosen a stronger one.
  if (session['synchronous_commit'] === 'off') {
    return "synchronous_commit is 'off', so a crash of Postgres would lose animals whose creation was acknowledged. Remove the setting: alter role … reset synchronous_commit, or alter database … reset synchronous_commit";
  }
  // With `gin_fuzzy_search_limit`, Postgres leaves out random rows of a search in a trigram index.
  // The service does not send this setting, because PgBouncer would refuse it as an unknown
  // parameter.
  const fuzzyLimit = session['gin_fuzzy_search_limit'];
  if (fuzzyLimit !== '0') {
    return `gin_fuzzy_search_limit is '${fuzzyLimit}', so operators would not find all rows when they search. Set it for the role: alter role … set gin_fuzzy_search_limit = 0`;
  }
  for (const name of limitNames) {
    const ms = millisecondsOf(session[name]);
    if (ms === 0 || ms >= leastLimits[name]) continue;
    return `${name} is '${session[name]}', which is too short. Set it for the role: alter role … set ${name} = 0, or at least '${leastLimits[name] / 1_000}s'`;
  }
  if (schemas !== schema) {
    return `the schema ${schema} does not exist, or the database role may not use the schema. Allow the role to use the schema: grant usage on schema ${schema} to …`;
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

/**
 * Returns the length of a time limit such as `100ms` in milliseconds, or 0 if there is no limit.
 */
function millisecondsOf(limit: string | null | undefined): number {
  const [, digits = '0', unit = 'ms'] = /^(\d+)([a-z]+)?$/.exec(limit ?? '') ?? [];
  return Number(digits) * (unitMs[unit] ?? 0);
}

/**
 * Checks that a session has the settings that the service has sent, and meets the other
 * requirements.
 *
 * @throws {StartupError} whose message says how to fix the problem.
 */
export async function checkSession(client: Sql): Promise<void> {
  const [session] = await client.unsafe<SessionFacts[]>(`select ${sessionColumns}`);
  const fault = findSessionFault(session ?? {});
  if (fault !== undefined) throw new StartupError(`DATABASE_URL: ${fault}`);
}

const needsSession =
  'the service needs sessions of its own (LISTEN, prepared statements, locks). Use a pooler in session mode, or connect to Postgres itself';

/**
 * Checks that two connections have two separate sessions. A pooler in transaction mode gives both
 * connections the same session.
 *
 * @throws {StartupError} if both connections have the same session.
 */
export async function checkOwnSessions(one: Sql, other: Sql): Promise<void> {
  const pidOf = async (client: Sql) => {
    const [row] = await client<{ pid: number }[]>`select pg_backend_pid() as pid`;
    return row?.pid;
  };
  const pid = await pidOf(one);
  // The connection `one` is queried a second time, after the connection `other`. A pooler that
  // changes sessions may now give `one` the session that `other` has just used.
  const pids = [await pidOf(other), await pidOf(one)];
  if (pids[0] === pid || pids[1] !== pid) {
    throw new StartupError(
      `DATABASE_URL: a pooler changes sessions between statements: ${needsSession}`,
    );
  }
}

/**
 * The SQLSTATEs that Postgres returns if a prepared statement belongs to another session, or
 * already exists in this session.
 */
const preparedElsewhere = ['26000', '42P05'];

/**
 * Returns what is wrong with the pooler that has caused an error, or `undefined` if the error has
 * another cause.
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
