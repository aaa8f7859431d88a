import { once } from 'node:events';
import { type Address, openSocket } from './postgres-socket.ts';

/** The request is described in the Postgres manual, "SSLRequest". */
const sslRequest = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

/**
 * Asks a Postgres whether it supports TLS. The driver ignores a negative response, and its error
 * then looks like a lost connection.
 *
 * @returns `false` also if Postgres does not respond.
 */
export async function refusesTls(address: Address, answerSeconds: number): Promise<boolean> {
  const socket = openSocket(address);
  try {
    socket.write(sslRequest);
    const signal = AbortSignal.timeout(answerSeconds * 1_000);
    const [answer] = (await once(socket, 'data', { signal })) as [Buffer];
    return answer.toString('latin1') === 'N';
  } catch {
    return false;
  } finally {
    socket.on('error', () => {}).destroy();
  }
}
