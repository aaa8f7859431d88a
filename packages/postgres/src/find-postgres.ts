import type { Socket } from 'node:net';
import { waitAtMost } from '@animal-store/runtime';
import { DatabaseUnavailableError, incompleteAnswer, readOnly } from './database-error.ts';
import { connectPostgres } from './postgres-driver.ts';
import { type Address, openSocket } from './postgres-socket.ts';
import type { PostgresUrl } from './postgres-url.ts';

/** A Postgres that responds. */
export interface FoundPostgres {
  readonly address: Address;
  /** Whether it accepts writes: it is not a standby, and transactions are not read-only. */
  readonly isWritable: boolean;
}

/**
 * Finds the Postgres to use: one that accepts writes, or otherwise the first host that responds,
 * unless the URL excludes read-only hosts. Names are resolved anew each time. All hosts are queried
 * at once, because a host whose machine is gone does not even refuse, and would delay the search
 * for the others.
 *
 * postgres.js can try several hosts itself. But it does so without a pause and without an end, and
 * a connected pool never looks for another host.
 *
 * @param answerSeconds how long one host may take to accept a connection and to respond.
 * @throws if no host responds: the error of the first host, or that the database is read-only.
 */
export async function findPostgres(
  url: PostgresUrl,
  answerSeconds: number,
): Promise<FoundPostgres> {
  const answers = url.hosts.map(async (address) => ({
    address,
    isWritable: await checkWritable(url, address, answerSeconds),
  }));
  const writable = answers.map(async (answer) => {
    const found = await answer;
    if (!found.isWritable) throw new DatabaseUnavailableError(readOnly);
    return found;
  });
  try {
    return await Promise.any(writable);
  } catch {
    // No host accepts writes.
    const found = await Promise.any(answers).catch(() => answers[0] as Promise<never>);
    if (url.mustAcceptWrites) throw new DatabaseUnavailableError(readOnly);
    return found;
  }
}

async function checkWritable(
  url: PostgresUrl,
  address: Address,
  answerSeconds: number,
): Promise<boolean> {
  const sockets: Socket[] = [];
  const client = connectPostgres(url, address, {
    socket() {
      const socket = openSocket(address);
      sockets.push(socket);
      return socket;
    },
    connectSeconds: answerSeconds,
    // A role may have a shorter limit, with which every search would fail.
    statementSeconds: answerSeconds,
    max: 1,
  });
  try {
    const answer = client<{ is_writable: boolean }[]>`
      select not pg_is_in_recovery() and current_setting('transaction_read_only') = 'off'
        as is_writable`;
    const [row] = await waitAtMost({ ms: answerSeconds * 1_000 }, answer, async () => {
      throw new DatabaseUnavailableError('NO_ANSWER');
    });
    if (row === undefined) throw new DatabaseUnavailableError(incompleteAnswer);
    return row.is_writable;
  } finally {
    await client.end({ timeout: 0 });
    // postgres.js closes only its half of a connection, and a host that hangs never closes the
    // other half.
    for (const socket of sockets) socket.destroy();
  }
}
