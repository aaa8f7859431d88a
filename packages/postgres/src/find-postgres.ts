import type { Socket } from 'node:net';
import { waitAtMost } from '@animal-store/runtime';
import { DatabaseUnavailableError, incompleteAnswer, readOnly } from './database-error.ts';
import { connectPostgres } from './postgres-driver.ts';
import { type Address, openSocket } from './postgres-socket.ts';
import type { PostgresUrl } from './postgres-url.ts';

/** A Postgres that responds to statements. */
export interface FoundPostgres {
  readonly address: Address;
  /** Whether the Postgres accepts writes. A standby and a read-only database do not. */
  readonly isWritable: boolean;
}

/**
 * Finds the Postgres to use among the hosts of the URL. The function returns a host that accepts
 * writes. If there is none, it returns the first host that responds, unless the URL excludes
 * read-only hosts. Each call resolves the names of the hosts again.
 *
 * All hosts are queried at the same time. A host whose machine is down does not even refuse
 * connections, and would delay the search.
 *
 * postgres.js can try several hosts itself. But it repeats its attempts forever and without a
 * pause, and a connected pool never looks for another host.
 *
 * @param answerSeconds the timeout of one host, for connecting and responding.
 * @throws the error of the first host if no host responds, or an error with the code `25006` if the
 *   URL excludes read-only hosts and all responding hosts are read-only.
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
    // `Promise.any` has rejected, because no host accepts writes. The function then uses the first
    // host that responds.
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
    // The statement gets its own timeout, because the database role may have a shorter one, and
    // every search would then fail.
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
    // postgres.js closes only its own half of a connection, and a host that hangs never closes the
    // other half. So the search destroys the sockets itself.
    for (const socket of sockets) socket.destroy();
  }
}
